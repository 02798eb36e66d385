//! ChaCha20-Poly1305 (RFC 8439 section 2.8) with 512-bit ChaCha20 and Poly1305 in IFMA, fused.
//!
//! *Up to 448 bytes* the one-time key is the first of four or eight blocks that are made in one pass of rows; Poly1305
//! is then scalar, because the powers that a vector form needs would take longer than the message.
//!
//! *Longer ones* go 1 KiB at a time: sixteen blocks in columns, and beside each double round one vector (128 bytes) of the
//! ciphertext of the pass before. Both compete for the same two ports, so the floor is the sum of both, 0.516 and 0.1
//! cycles a byte. The first pass is smaller, so that all others are full; it makes the one-time key. The second hides the
//! latency of the powers of r.

use super::super::{Ops, lengths};
use crate::cipher::chacha20::x86_64::avx512::{
    columns, columns_double_round, columns_finish, columns_start, rows, rows_of,
};
use crate::cipher::chacha20::{SIGMA, State};
use crate::cpu::{Features, Kernel};
use crate::mac::poly1305::x86_64::ifma::{self, Powers};
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::{InOut, Secret};
use crate::simd;
use core::arch::x86_64::*;

pub(in super::super) const KERNEL: Kernel<Ops> = {
    let ops = Ops {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        seal: |key, nonce, aad, data| unsafe { message::<false>(key, nonce, aad, data) },
        // SAFETY: as above.
        open: |key, nonce, aad, data| unsafe { message::<true>(key, nonce, aad, data) },
    };
    let needs = Features::AVX512.and(Features::IFMA).and(Features::VBMI).and(Features::BMI2);
    // SAFETY: `message` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", needs, ops) }
};

/// What one pass of columns makes.
pub(super) const PASS: usize = 1024;

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
pub(super) fn message<const OPEN: bool>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    match data.len() {
        0..=192 => short::<OPEN, 1>(key, nonce, aad, data),
        193..=448 => short::<OPEN, 2>(key, nonce, aad, data),
        _ => long::<OPEN>(Secret::new(State::new(key, 0, nonce)), aad, data),
    }
}

/// Xors 64 bytes with key stream and returns the ciphertext.
///
/// # Panics
/// If there are fewer bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn crypt<const OPEN: bool>(data: &mut InOut<'_>, at: usize, stream: __m512i) -> __m512i {
    assert!(at + 64 <= data.len());
    // SAFETY: just checked; the bytes are initialised, and nothing else refers to them.
    unsafe {
        let from = _mm512_loadu_si512(data.input().add(at).cast());
        let to = _mm512_xor_si512(from, stream);
        _mm512_storeu_si512(data.output().add(at).cast(), to);
        if OPEN { from } else { to }
    }
}

/// The same for the last bytes, fewer than 64; zeros behind the ciphertext.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(super) fn crypt_last<const OPEN: bool>(data: &mut InOut<'_>, at: usize, stream: __m512i) -> __m512i {
    assert!(at <= data.len());
    let mask = _bzhi_u64(u64::MAX, (data.len() - at).min(64) as u32);
    // SAFETY: the mask leaves out what is beyond the end; the rest as above.
    unsafe {
        let from = _mm512_maskz_loadu_epi8(mask, data.input().add(at).cast());
        let to = _mm512_maskz_mov_epi8(mask, _mm512_xor_si512(from, stream));
        _mm512_mask_storeu_epi8(data.output().add(at).cast(), mask, to);
        if OPEN { from } else { to }
    }
}

/// Associated data and zeros up to a whole block.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
pub(super) fn absorb_padded(mac: &mut Mac, bytes: &[u8]) {
    let (blocks, rest) = bytes.as_chunks::<16>();
    for m in blocks {
        poly1305::block(mac, m, 1);
    }
    if !rest.is_empty() {
        let mask = _bzhi_u32(u32::MAX, rest.len() as u32) as u16;
        // SAFETY: the mask leaves out what is beyond the end.
        let [low, high] = words(unsafe { _mm_maskz_loadu_epi8(mask, rest.as_ptr().cast()) });
        poly1305::block(mac, &(u128::from(low) | u128::from(high) << 64).to_le_bytes(), 1);
    }
}

/// At most 4 N - 1 blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
pub(super) fn short<const OPEN: bool, const N: usize>(
    key: &[u32; 8],
    nonce: &[u32; 3],
    aad: &[u8],
    mut data: InOut<'_>,
) -> [u8; 16] {
    // In registers: a state put together in memory from words could not be loaded by rows for a while.
    let [low, high] = key.as_chunks::<4>().0 else { unreachable!() };
    let start = [
        simd::load128_u32(&SIGMA),
        simd::load128_u32(low),
        simd::load128_u32(high),
        _mm_setr_epi32(0, nonce[0].cast_signed(), nonce[1].cast_signed(), nonce[2].cast_signed()),
    ];
    let stream = rows::<N>(start);
    let mut mac = Secret::new(one_time(stream[0][0]));
    let mut ciphertext = [[[0; 64]; 4]; N];
    for n in 0..N {
        for i in 0..4 {
            if n + i == 0 {
                continue;
            }
            let at = 64 * (4 * n + i - 1);
            if at + 64 <= data.len() {
                simd::store512(&mut ciphertext[n][i], crypt::<OPEN>(&mut data, at, stream[n][i]));
            } else if at < data.len() {
                simd::store512(&mut ciphertext[n][i], crypt_last::<OPEN>(&mut data, at, stream[n][i]));
            }
        }
    }
    absorb_padded(&mut mac, aad);
    let ciphertext = &ciphertext.as_flattened().as_flattened()[64..];
    for m in &ciphertext.as_chunks::<16>().0[..data.len().div_ceil(16)] {
        poly1305::block(&mut mac, m, 1);
    }
    poly1305::block(&mut mac, &lengths(aad.len(), data.len()), 1);
    poly1305::tag(&mac)
}

/// Four quarter rounds of one block in rows.
macro_rules! quarter_rounds {
    ($k:ident) => {
        quarter_rounds!($k, 0, 1, 3, 16);
        quarter_rounds!($k, 2, 3, 1, 12);
        quarter_rounds!($k, 0, 1, 3, 8);
        quarter_rounds!($k, 2, 3, 1, 7);
    };
    ($k:ident, $target:literal, $with:literal, $onto:literal, $by:literal) => {
        $k[$target] = _mm_add_epi32($k[$target], $k[$with]);
        $k[$onto] = _mm_rol_epi32::<$by>(_mm_xor_si128($k[$onto], $k[$target]));
    };
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn words(v: __m128i) -> [u64; 2] {
    [_mm_cvtsi128_si64(v).cast_unsigned(), _mm_extract_epi64::<1>(v).cast_unsigned()]
}

/// The one-time key of the state's counter, and sixteen blocks from the next one on.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn columns_and_key(state: &mut State) -> (Mac, [__m512i; 16]) {
    let start = rows_of(state);
    state.advance(1);
    let mut k = start;
    let mut v = columns_start(state);
    for _ in 0..10 {
        quarter_rounds!(k);
        k = [_mm_shuffle_epi32::<0x93>(k[0]), k[1], _mm_shuffle_epi32::<0x39>(k[2]), _mm_shuffle_epi32::<0x4e>(k[3])];
        columns_double_round!(v);
        quarter_rounds!(k);
        k = [_mm_shuffle_epi32::<0x39>(k[0]), k[1], _mm_shuffle_epi32::<0x93>(k[2]), _mm_shuffle_epi32::<0x4e>(k[3])];
    }
    let mac = Mac::from_words(words(_mm_add_epi32(k[0], start[0])), words(_mm_add_epi32(k[1], start[1])));
    (mac, columns_finish(v, state))
}

/// The one-time key at the start of a block.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn one_time(block: __m512i) -> Mac {
    Mac::from_words(words(_mm512_castsi512_si128(block)), words(_mm512_extracti32x4_epi32::<1>(block)))
}

/// Ciphertext that Poly1305 has not seen yet: less than a vector from before the last pass, the last pass, and room for
/// the block of lengths. No vector of it lies on two cache lines.
#[repr(align(64))]
pub(super) struct Kept {
    pub(super) blocks: [[u8; 64]; 18],
    /// Bytes, from the first block on.
    pub(super) len: usize,
}

impl Kept {
    #[inline(always)]
    pub(super) fn vectors(&self) -> &[[u8; 128]] {
        self.blocks.as_flattened().as_chunks().0
    }

    /// Poly1305 has seen `n` vectors; what is left, none or one block, moves to the front.
    #[inline(always)]
    fn drop(&mut self, n: usize) {
        self.blocks[0] = self.blocks[2 * n];
        self.len -= 128 * n;
    }

    /// Encrypts or decrypts as much data as there is key stream, and keeps the ciphertext.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi2")]
    fn crypt<const OPEN: bool, const N: usize>(&mut self, mut data: InOut<'_>, stream: [__m512i; N]) {
        let kept = &mut self.blocks[self.len / 64..];
        let kept: &mut [[u8; 64]; N] = kept.first_chunk_mut().expect("a block and a pass fit");
        if data.len() == 64 * N {
            for i in 0..N {
                simd::store512(&mut kept[i], crypt::<OPEN>(&mut data, 64 * i, stream[i]));
            }
        } else {
            let stream = Secret::new(stream);
            for i in 0..data.len() / 64 {
                simd::store512(&mut kept[i], crypt::<OPEN>(&mut data, 64 * i, stream[i]));
            }
            let i = data.len() / 64;
            if !data.len().is_multiple_of(64) {
                simd::store512(&mut kept[i], crypt_last::<OPEN>(&mut data, 64 * i, stream[i]));
            }
        }
        self.len += data.len();
    }
}

/// Takes the next vector into `c` if there is one.
macro_rules! next_vector {
    ($c:ident, $vectors:ident, $powers:ident) => {
        if let Some((vector, rest)) = $vectors.split_first() {
            ifma::multiply_add_block(&mut $c, &ifma::split(ifma::load(vector)), &$powers.stride($vectors.len()));
            $vectors = rest;
        }
    };
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn long<const OPEN: bool>(mut state: Secret<State>, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    let len = data.len();
    let mut kept = Kept { blocks: [[0; 64]; 18], len: 0 };

    // The first pass is as small as it can be if all others are of sixteen blocks and the one-time key takes one block.
    // If nothing but the key is left for it, that is made beside sixteen blocks.
    let (mac, mut rest);
    match (len.div_ceil(64) + 1) % 16 {
        1 => {
            let stream;
            (mac, stream) = columns_and_key(&mut state);
            let (first, other) = data.split_at(len.min(PASS));
            kept.crypt::<OPEN, 16>(first, stream);
            state.advance(16);
            rest = other;
        }
        2..=4 => {
            let [[key, stream @ ..]] = rows::<1>(rows_of(&state));
            mac = one_time(key);
            let (first, other) = data.split_at(3 * 64);
            kept.crypt::<OPEN, 3>(first, stream);
            state.advance(4);
            rest = other;
        }
        5..=8 => {
            let [[key, a, b, c], [d, e, f, g]] = rows::<2>(rows_of(&state));
            mac = one_time(key);
            let (first, other) = data.split_at(7 * 64);
            kept.crypt::<OPEN, 7>(first, [a, b, c, d, e, f, g]);
            state.advance(8);
            rest = other;
        }
        _ => {
            let [key, stream @ ..] = columns(&state);
            mac = one_time(key);
            let (first, other) = data.split_at(len.min(15 * 64));
            kept.crypt::<OPEN, 15>(first, stream);
            state.advance(16);
            rest = other;
        }
    }
    let mut mac = Secret::new(mac);
    if aad.len() < 256 {
        absorb_padded(&mut mac, aad);
    } else {
        ifma::absorb_with(&Secret::new(Powers::new(mac.r)), &mut mac, aad);
    }
    let mut h = ifma::spread(mac.h);

    let powers;
    if rest.len() == 0 {
        powers = Secret::new(Powers::new(mac.r));
    } else {
        // The second pass hides the latency of the powers.
        let mut v = columns_start(&state);
        let four = ifma::four(ifma::first_powers(mac.r));
        columns_double_round!(v);
        let eight = ifma::eight(&four);
        columns_double_round!(v);
        let sixteen = ifma::sixteen(&eight);
        columns_double_round!(v);
        let thirty_two = ifma::thirty_two(&eight, &sixteen);
        columns_double_round!(v);
        powers = Secret::new(Powers::from_parts(&eight, &sixteen, &thirty_two));
        columns_double_round!(v);
        let mut c = ifma::zero();
        let n = kept.len / 128;
        let mut vectors = &kept.vectors()[1..n];
        ifma::multiply_add(&mut c, &ifma::add(&h, &ifma::split(ifma::load(&kept.vectors()[0]))), &powers.stride(n));
        next_vector!(c, vectors, powers);
        columns_double_round!(v);
        for _ in 0..4 {
            next_vector!(c, vectors, powers);
            next_vector!(c, vectors, powers);
            columns_double_round!(v);
        }
        h = ifma::reduce(c);
        kept.drop(n);
        let (part, other) = {
            let n = rest.len().min(PASS);
            rest.split_at(n)
        };
        kept.crypt::<OPEN, 16>(part, columns_finish(v, &state));
        rest = other;
    }
    while rest.len() != 0 {
        state.advance(16);
        let mut v = columns_start(&state);
        let mut c = ifma::zero();
        let [first, vectors @ .., _] = kept.vectors() else { unreachable!() };
        ifma::multiply_add(&mut c, &ifma::add(&h, &ifma::split(ifma::load(first))), &powers.stride(8));
        columns_double_round!(v);
        for (i, vector) in vectors.iter().enumerate() {
            ifma::multiply_add_block(&mut c, &ifma::split(ifma::load(vector)), &powers.stride(7 - i));
            columns_double_round!(v);
        }
        h = ifma::reduce(c);
        columns_double_round!(v);
        columns_double_round!(v);
        kept.drop(8);
        let (part, other) = {
            let n = rest.len().min(PASS);
            rest.split_at(n)
        };
        kept.crypt::<OPEN, 16>(part, columns_finish(v, &state));
        rest = other;
    }

    // What is left, at least three vectors, and the block of lengths. The last whole vector and the one that is not
    // whole are taken together.
    let blocks = kept.len.div_ceil(16);
    kept.blocks.as_flattened_mut()[16 * blocks..][..16].copy_from_slice(&lengths(aad.len(), len));
    let (whole, tail) = kept.vectors().split_at(blocks / 8);
    let (last, whole) = whole.split_last().expect("three vectors");
    powers.absorb(&mut h, whole);
    mac.h = powers.finish(&h, Some(ifma::load(last)), ifma::load(&tail[0]), blocks % 8 + 1);
    poly1305::tag(&mac)
}

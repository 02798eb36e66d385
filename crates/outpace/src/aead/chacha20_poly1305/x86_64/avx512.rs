//! ChaCha20-Poly1305 (RFC 8439 section 2.8) with 512-bit ChaCha20 and Poly1305 in IFMA, fused.
//!
//! *Up to 448 bytes* the one-time key is the first of four or eight blocks that are made in one pass of rows; Poly1305
//! is then scalar, because the powers that a vector form needs would take longer than the message.
//!
//! *Longer ones* go 1 KiB at a time: sixteen blocks in columns, and beside each double round one vector (128 bytes) of the
//! ciphertext of the KiB before, which is complete when sealing and was copied away when opening. Both compete for the
//! same two ports, so the floor is the sum of both, 0.516 and 0.1 cycles a byte. The one-time key is made beside
//! the first pass, in rows.

use super::super::{Ops, lengths};
use crate::cipher::chacha20::State;
use crate::cipher::chacha20::x86_64::avx512::{
    columns, columns_double_round, columns_finish, columns_start, rows, rows_double_round, rows_finish, rows_start,
};
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
const PASS: usize = 1024;

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn message<const OPEN: bool>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    let state = Secret::new(State::new(key, 0, nonce));
    match data.len() {
        0..=192 => short::<OPEN, 1>(&state, aad, data),
        193..=448 => short::<OPEN, 2>(&state, aad, data),
        _ => long::<OPEN>(state, aad, data),
    }
}

/// Xors 64 bytes with key stream and returns the ciphertext.
///
/// # Panics
/// If there are fewer bytes.
#[inline]
#[target_feature(enable = "avx512f")]
fn crypt<const OPEN: bool>(data: &mut InOut<'_>, at: usize, stream: __m512i) -> __m512i {
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
fn crypt_last<const OPEN: bool>(data: &mut InOut<'_>, at: usize, stream: __m512i) -> __m512i {
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
#[inline(always)]
fn absorb_padded(mac: &mut Mac, bytes: &[u8]) {
    let (blocks, rest) = bytes.as_chunks::<16>();
    for m in blocks {
        poly1305::block(mac, m, 1);
    }
    if !rest.is_empty() {
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        poly1305::block(mac, &last, 1);
    }
}

/// At most 4 N - 1 blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn short<const OPEN: bool, const N: usize>(state: &State, aad: &[u8], mut data: InOut<'_>) -> [u8; 16] {
    let mut v = rows_start::<N>(state);
    for _ in 0..10 {
        rows_double_round!(v);
    }
    let stream = rows_finish(v, state);
    let [r, s] = [_mm512_castsi512_si128(stream[0][0]), _mm512_extracti32x4_epi32::<1>(stream[0][0])];
    let mut mac = Secret::new(Mac::from_words(words(r), words(s)));
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

/// Sixteen blocks from the state's counter plus one on, and the one-time key of its counter.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn first_pass(state: &mut State) -> ([__m512i; 16], Mac) {
    let [a, b, c, d] = state.0.as_chunks::<4>().0 else { unreachable!() };
    let start = [simd::load128_u32(a), simd::load128_u32(b), simd::load128_u32(c), simd::load128_u32(d)];
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
    (columns_finish(v, state), mac)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn words(v: __m128i) -> [u64; 2] {
    [_mm_cvtsi128_si64(v).cast_unsigned(), _mm_extract_epi64::<1>(v).cast_unsigned()]
}

/// The ciphertext that Poly1305 has not seen yet when the last pass begins, and the block of lengths.
struct Ending {
    bytes: [u8; PASS + 128],
}

impl Ending {
    /// Encrypts or decrypts fewer than 1024 bytes, and keeps the ciphertext.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi2")]
    fn crypt<const OPEN: bool, const N: usize>(&mut self, mut data: InOut<'_>, stream: &[__m512i]) {
        let stream: Secret<[__m512i; N]> = Secret::new(*stream.first_chunk().expect("N blocks"));
        for ((i, stream), kept) in stream.iter().enumerate().zip(self.bytes.as_chunks_mut::<64>().0) {
            let at = 64 * i;
            if at + 64 <= data.len() {
                simd::store512(kept, crypt::<OPEN>(&mut data, at, *stream));
            } else {
                if at < data.len() {
                    simd::store512(kept, crypt_last::<OPEN>(&mut data, at, *stream));
                }
                break;
            }
        }
    }
}

/// 1 KiB of data under sixteen blocks of key stream; `copy` gets the ciphertext if it is being opened.
#[inline]
#[target_feature(enable = "avx512f")]
fn crypt_pass<const OPEN: bool>(data: &mut InOut<'_>, stream: &[__m512i; 16], copy: &mut [u8; PASS]) {
    let copy = copy.as_chunks_mut::<64>().0;
    for i in 0..16 {
        let ciphertext = crypt::<OPEN>(data, 64 * i, stream[i]);
        if OPEN {
            simd::store512(&mut copy[i], ciphertext);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn long<const OPEN: bool>(mut state: Secret<State>, aad: &[u8], mut data: InOut<'_>) -> [u8; 16] {
    let len = data.len();
    let mut ending = Ending { bytes: [0; PASS + 128] };
    let mut copy = [0; PASS];

    let (stream, mac) = first_pass(&mut state);
    let mut mac = Secret::new(mac);
    let whole = len >= PASS;
    let mut at = 0;
    if whole {
        crypt_pass::<OPEN>(&mut data, &stream, &mut copy);
        at = PASS;
    } else {
        ending.crypt::<OPEN, 16>(data.reborrow(), &stream);
    }
    let powers = Secret::new(Powers::new(mac.r));
    if aad.len() < 256 {
        absorb_padded(&mut mac, aad);
    } else {
        ifma::absorb_with(&powers, &mut mac, aad);
    }
    let mut h = ifma::spread(mac.h);

    // Invariant: everything before `at` is done but for Poly1305 on the last KiB before it.
    while len - at >= PASS {
        state.advance(16);
        let mut v = columns_start(&state);
        let mut c = ifma::zero();
        {
            let before = if OPEN { &copy } else { written(&mut data, at - PASS) };
            let [first, rest @ ..] = before.as_chunks::<128>().0 else { unreachable!() };
            ifma::multiply_add(&mut c, &ifma::add(&h, &ifma::split(ifma::load(first))), &powers.stride(8));
            columns_double_round!(v);
            for (i, vector) in rest.iter().enumerate() {
                ifma::multiply_add_block(&mut c, &ifma::split(ifma::load(vector)), &powers.stride(7 - i));
                columns_double_round!(v);
            }
        }
        h = ifma::reduce(c);
        columns_double_round!(v);
        columns_double_round!(v);
        let stream = columns_finish(v, &state);
        let (_, mut part) = data.reborrow().split_at(at);
        crypt_pass::<OPEN>(&mut part, &stream, &mut copy);
        at += PASS;
    }

    // What is left: up to a KiB that Poly1305 has not seen, up to 1023 bytes, and the block of lengths. The last whole
    // vector and the one that is not whole are taken together.
    let rest = len - at;
    let blocks = rest.div_ceil(16);
    let (vectors, tail) = (blocks / 8, blocks % 8 + 1);
    let mut last = None;
    if whole {
        let before = if OPEN { &copy } else { written(&mut data, at - PASS) };
        let before = before.as_chunks::<128>().0;
        if vectors == 0 {
            powers.absorb(&mut h, &before[..7]);
            last = Some(ifma::load(&before[7]));
        } else {
            powers.absorb(&mut h, before);
        }
        state.advance(16);
        let (_, part) = data.split_at(at);
        match rest {
            0 => {}
            1..=256 => ending.crypt::<OPEN, 4>(part, rows::<1>(&state).as_flattened()),
            257..=512 => ending.crypt::<OPEN, 8>(part, rows::<2>(&state).as_flattened()),
            _ => ending.crypt::<OPEN, 16>(part, &columns(&state)),
        }
    }
    ending.bytes[16 * blocks..][..16].copy_from_slice(&lengths(aad.len(), len));
    let ending = ending.bytes.as_chunks::<128>().0;
    if let Some(vectors) = vectors.checked_sub(1) {
        powers.absorb(&mut h, &ending[..vectors]);
        last = Some(ifma::load(&ending[vectors]));
    }
    mac.h = powers.finish(&h, last, ifma::load(&ending[vectors]), tail);
    poly1305::tag(&mac)
}

/// 1 KiB that has been written.
#[inline(always)]
fn written<'a>(data: &'a mut InOut<'_>, at: usize) -> &'a [u8; PASS] {
    assert!(at + PASS <= data.len());
    // SAFETY: within the output, as just checked; it is not written while this borrow of `data` lives.
    unsafe { &*data.output().add(at).cast() }
}

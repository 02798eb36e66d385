//! ChaCha20-Poly1305 (RFC 8439 section 2.8) for cores that run 512-bit instructions in halves (Zen 4).
//!
//! *Up to 64 bytes* two blocks are made in the form with the shortest chain, 240 cycles in place of 320; Poly1305 takes
//! 15 a block. *Up to 704 bytes* as many pairs are made as are needed, in the usual form: sixteen
//! blocks and the powers of r, as on other cores, take longer here. What is opened can be hashed before it is decrypted: from
//! 193 bytes on the key is made first, in 240 cycles, and Poly1305 is beside the rounds of what follows, which hide it.
//!
//! *From 961 bytes on* the first pass makes the one-time key and three, seven or eleven blocks in rows beside the first
//! half of sixteen blocks in columns. The powers of r, and Poly1305 of those blocks, partly in general registers, are beside
//! the second half. Then it is 1 KiB at a time as on other cores. The floor, all four pipes always busy, is 480 cycles for
//! the rounds of 1 KiB, 50 for what is around them, 150 for Poly1305; the rounds alone take 600, all of it takes 790.
//! Long messages go 2 KiB at a time, see `bulk`; those of 897 to 1536 bytes are made at once, see `middle` and `ahead`,
//! unless associated data are so long that Poly1305 of it should have vectors.
//!
//! What is between goes as on other cores.

use super::super::{Ops, lengths};
use super::avx512::{self, Kept, PASS, absorb_padded, crypt, crypt_last, one_time, words};
use super::bulk::{DOUBLE, double_passes};
use super::{ahead, middle};
use crate::cipher::chacha20::x86_64::avx512::{columns_double_round, columns_start};
use crate::cipher::chacha20::x86_64::halves::{
    column_round_beside, columns_round_beside, diagonal_round_beside, half, pair, pairs, pairs_finish, pairs_round,
    pairs_start, rows_and_half_of_columns,
};
use crate::cipher::chacha20::{SIGMA, State};
use crate::cpu::{Features, Kernel};
use crate::mac::poly1305::x86_64::ifma::{self, Powers};
use crate::mac::poly1305::x86_64::mulx;
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::{InOut, Secret};
use crate::simd;
use core::arch::x86_64::*;
use core::hint::black_box;

pub(in super::super) const KERNEL: Kernel<Ops> = {
    let ops = Ops {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        seal: |key, nonce, aad, data| unsafe { message::<false>(key, nonce, aad, data) },
        // SAFETY: as above.
        open: |key, nonce, aad, data| unsafe { message::<true>(key, nonce, aad, data) },
    };
    let needs = Features::AVX512.and(Features::IFMA).and(Features::VBMI).and(Features::BMI2);
    // SAFETY: `message` is built for exactly the features named here.
    unsafe { Kernel::new("avx512-halves", needs, ops) }.suited_to(Features::HALVES)
};

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn message<const OPEN: bool>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    match data.len() {
        193..=320 if OPEN => early::<2>(key, nonce, aad, data),
        321..=448 if OPEN => early::<3>(key, nonce, aad, data),
        449..=576 if OPEN => early::<4>(key, nonce, aad, data),
        577..=704 if OPEN => early::<5>(key, nonce, aad, data),
        0..=64 => short::<OPEN, 1>(key, nonce, aad, data),
        65..=192 => short::<OPEN, 2>(key, nonce, aad, data),
        193..=320 => short::<OPEN, 3>(key, nonce, aad, data),
        321..=448 => short::<OPEN, 4>(key, nonce, aad, data),
        449..=576 => short::<OPEN, 5>(key, nonce, aad, data),
        577..=704 => short::<OPEN, 6>(key, nonce, aad, data),
        897..=1536 if aad.len() <= 768 && OPEN => ahead::open(key, nonce, aad, data),
        897..=1536 if aad.len() <= 768 => middle::seal(key, nonce, aad, data),
        961.. => long::<OPEN>(Secret::new(State::new(key, 0, nonce)), aad, data),
        _ => avx512::message::<OPEN>(key, nonce, aad, data),
    }
}

/// The state, with the counter of the one-time key, in registers: see `avx512::short`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn start(key: &[u32; 8], nonce: &[u32; 3]) -> [__m128i; 4] {
    let [low, high] = key.as_chunks::<4>().0 else { unreachable!() };
    [
        simd::load128_u32(&SIGMA),
        simd::load128_u32(low),
        simd::load128_u32(high),
        _mm_setr_epi32(0, nonce[0].cast_signed(), nonce[1].cast_signed(), nonce[2].cast_signed()),
    ]
}

/// Opens at most 2 N + 1 blocks: the first is made with the one-time key, and Poly1305 of all is beside the rounds of the
/// others. Without a call, with one block of key stream beside the rounds, and the key loaded each time: else all these
/// would be kept in memory that nobody wipes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn early<const N: usize>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], mut data: InOut<'_>) -> [u8; 16] {
    let [first] = pairs::<1>(start(key, nonce));
    let (r, s) = (_mm256_castsi256_si128(first[0]), _mm256_castsi256_si128(first[1]));
    let mac = Secret::new(Mac::from_words(words(r), words(s)));
    let r = Secret::new([mac.r[0], mac.r[1], mac.r[1] + (mac.r[1] >> 2)]);
    let (mac, r) = (black_box(&*mac), black_box(&*r));
    let [_, stream] = pair(first);
    let mut h = [0; 3];
    middle::absorb(&mut h, r, aad);

    // SAFETY: the input, which is not used after the output is written to.
    let ciphertext = unsafe { core::slice::from_raw_parts(data.input(), data.len()) };
    let mut v = pairs_start::<N>(start(black_box(key), nonce), 2);
    let mut rest = ciphertext;
    macro_rules! blocks {
        ($n:expr) => {
            for _ in 0..$n {
                if let Some((m, others)) = rest.split_first_chunk() {
                    mulx::block(&mut h, r, m);
                    rest = others;
                }
            }
        };
    }
    for _ in 0..10 {
        pairs_round!(v, columns);
        blocks!(N / 2);
        pairs_round!(v, diagonals);
        blocks!(N - N / 2);
    }
    middle::absorb(&mut h, r, rest);
    mulx::block(&mut h, r, &lengths(aad.len(), data.len()));
    let tag = poly1305::tag(&Mac { r: [0; 2], s: mac.s, h });

    crypt_any(&mut data, 0, stream);
    let start = pairs_start::<N>(start(black_box(key), nonce), 2);
    for (n, set) in pairs_finish(v, start).into_iter().enumerate() {
        for (i, stream) in pair(set).into_iter().enumerate() {
            crypt_any(&mut data, 64 * (2 * n + i + 1), stream);
        }
    }
    tag
}

/// Decrypts the block at this place, as far as there is one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn crypt_any(data: &mut InOut<'_>, at: usize, stream: __m512i) {
    if at + 64 <= data.len() {
        crypt::<true>(data, at, stream);
    } else if at < data.len() {
        crypt_last::<true>(data, at, stream);
    }
}

/// At most 2 N - 1 blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn short<const OPEN: bool, const N: usize>(
    key: &[u32; 8],
    nonce: &[u32; 3],
    aad: &[u8],
    mut data: InOut<'_>,
) -> [u8; 16] {
    let sets = pairs::<N>(start(key, nonce));
    let (r, s) = (_mm256_castsi256_si128(sets[0][0]), _mm256_castsi256_si128(sets[0][1]));
    let mut mac = Secret::new(Mac::from_words(words(r), words(s)));
    let mut ciphertext = [[[0; 64]; 2]; N];
    for n in 0..N {
        let stream = pair(sets[n]);
        for i in 0..2 {
            if n + i == 0 {
                continue;
            }
            let at = 64 * (2 * n + i - 1);
            if at + 64 <= data.len() {
                simd::store512(&mut ciphertext[n][i], crypt::<OPEN>(&mut data, at, stream[i]));
            } else if at < data.len() {
                simd::store512(&mut ciphertext[n][i], crypt_last::<OPEN>(&mut data, at, stream[i]));
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

/// A product, beside two rounds; beside both, Poly1305 takes four blocks or none.
macro_rules! multiply_beside {
    ($v:ident, $a:expr, $b:expr, $mac:ident, $($m0:expr, $m1:expr, $m2:expr, $m3:expr)?) => {{
        let (a, b) = ($a, $b);
        let mut c;
        macro_rules! then {
            ($work:expr) => {{
                $work;
                simd::pin(&mut $v);
                simd::pin(&mut c);
            }};
        }
        column_round_beside!($v,
            { then!(c = ifma::lower(a, b)); }
            { then!(c = ifma::upper(c, a, b)); }
            { then!({ $(poly1305::block(&mut $mac, $m0, 1))? }); }
            { then!(c = ifma::carry(c)); }
        );
        diagonal_round_beside!($v,
            { then!({ $(poly1305::block(&mut $mac, $m1, 1))? }); }
            { then!([c[0], c[1], c[2]] = ifma::fold(c)); }
            { then!({ $(poly1305::block(&mut $mac, $m2, 1))? }); }
            { then!({ $(poly1305::block(&mut $mac, $m3, 1))? }); }
        );
        ifma::settle([c[0], c[1], c[2]])
    }};
}

/// More than the blocks of the first pass that are in rows, at most eleven.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn long<const OPEN: bool>(mut state: Secret<State>, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    let len = data.len();
    let mut kept = Kept { blocks: [[0; 64]; 18], len: 0 };

    // The first pass makes as many blocks in rows as make the passes the fewest.
    let blocks = len.div_ceil(64);
    let mut half_done = [_mm512_setzero_si512(); 16];
    let (mut mac, mut rest);
    match blocks % 16 {
        4..=7 if blocks > 19 => (mac, rest) = first::<OPEN, 2>(&mut state, &mut half_done, data, &mut kept),
        8..=11 if blocks > 19 => (mac, rest) = first::<OPEN, 3>(&mut state, &mut half_done, data, &mut kept),
        _ => (mac, rest) = first::<OPEN, 1>(&mut state, &mut half_done, data, &mut kept),
    }
    if aad.len() < 256 {
        absorb_padded(&mut mac, aad);
    } else {
        ifma::absorb_with(&Secret::new(Powers::new(mac.r)), &mut mac, aad);
    }

    // The rest of it hides the latency of the powers.
    let (single, vectors) = kept.blocks.as_flattened()[..kept.len].split_at(192);
    let m = single.as_chunks::<16>().0;
    let first_powers = ifma::first_powers(mac.r);
    let mut v = half_done;
    columns_double_round!(v);
    simd::pin(&mut v);
    let (low, four) = ifma::four(first_powers);
    let eight = multiply_beside!(v, &low, &four, mac, &m[0], &m[1], &m[2], &m[3]);
    let eight = ifma::blend::<0xf0>(&eight, &low);
    let r8 = ifma::lane(&eight, 0);
    let sixteen = multiply_beside!(v, &eight, &r8, mac, &m[4], &m[5], &m[6], &m[7]);
    let r16 = ifma::lane(&sixteen, 0);
    let pair = ifma::blend::<0xaa>(&r8, &r16);
    let four = multiply_beside!(v, &pair, &r16, mac, &m[8], &m[9], &m[10], &m[11]);
    let four = ifma::blend::<0xcc>(&pair, &four);
    let mut h = ifma::spread(mac.h);
    let (vectors, _) = vectors.as_chunks::<128>();
    if let Some((first, others)) = vectors.split_first() {
        let mut c = ifma::zero();
        ifma::multiply_add(
            &mut c,
            &ifma::add(&h, &ifma::split(ifma::load(first))),
            &ifma::lane(&four, others.len() as u64),
        );
        for (i, vector) in others.iter().enumerate() {
            let power = ifma::lane(&four, (others.len() - 1 - i) as u64);
            ifma::multiply_add_block(&mut c, &ifma::split(ifma::load(vector)), &power);
        }
        h = ifma::reduce(c);
    }
    let strides = multiply_beside!(v, &four, &ifma::lane(&four, 3), mac,);
    let powers = Secret::new(Powers::from_strides(&eight, &sixteen, &ifma::blend::<0xf0>(&four, &strides)));

    let mut start = columns_start(&state);
    let mut pending = true;
    loop {
        for i in 0..16 {
            v[i] = _mm512_add_epi32(v[i], start[i]);
        }
        rest = crypt_columns::<OPEN>(&mut kept, rest, simd::transpose16(v));
        start[12] = _mm512_add_epi32(start[12], _mm512_set1_epi32(16));
        if rest.len() >= 3 * DOUBLE {
            // SAFETY: a whole pass was written before the rest, and nobody else refers to it.
            let written = unsafe { &*rest.output().sub(PASS).cast() };
            let last =
                if OPEN { kept.blocks.as_flattened().first_chunk().expect("sixteen of eighteen") } else { written };
            state.advance(16);
            rest = double_passes::<OPEN>(&mut state, &mac, &powers, &mut h, last, rest);
            start = columns_start(&state);
            kept.len = 0;
            pending = false;
        }
        if rest.len() == 0 {
            break;
        }
        v = start;
        if !pending {
            pending = true;
            for _ in 0..10 {
                columns_double_round!(v);
            }
            continue;
        }
        let mut c = ifma::zero();
        // SAFETY: as above.
        let written = unsafe { &*rest.output().sub(PASS).cast::<[[u8; 128]; 8]>() };
        let [first, vectors @ ..] = if OPEN { kept.vectors().first_chunk().expect("eight of nine") } else { written };
        ifma::multiply_add(&mut c, &ifma::add(&h, &ifma::split(ifma::load(first))), &powers.stride(8));
        columns_double_round!(v);
        for (i, vector) in vectors.iter().enumerate() {
            ifma::multiply_add_block(&mut c, &ifma::split(ifma::load(vector)), &powers.stride(7 - i));
            columns_double_round!(v);
        }
        h = ifma::reduce(c);
        columns_double_round!(v);
        columns_double_round!(v);
    }

    // What is left, and the block of lengths. The last whole vector and the one that is not whole are taken together.
    let blocks = kept.len.div_ceil(16);
    kept.blocks.as_flattened_mut()[16 * blocks..][..16].copy_from_slice(&lengths(aad.len(), len));
    let (whole, tail) = kept.vectors().split_at(blocks / 8);
    let last = whole.split_last().map(|(last, whole)| {
        powers.absorb(&mut h, whole);
        ifma::load(last)
    });
    mac.h = powers.finish(&h, last, ifma::load(&tail[0]), blocks % 8 + 1);
    poly1305::tag(&mac)
}

/// Five rounds of sixteen blocks in columns and beside them 4 N blocks in rows, all but the first to be used at once.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn first<'a, const OPEN: bool, const N: usize>(
    state: &mut State,
    half_done: &mut [__m512i; 16],
    data: InOut<'a>,
    kept: &mut Kept,
) -> (Secret<Mac>, InOut<'a>) {
    let stream = rows_and_half_of_columns::<N>(state, half_done);
    let (mut data, rest) = data.split_at(64 * (4 * N - 1));
    for i in 0..4 * N - 1 {
        let stream = stream[(i + 1) / 4][(i + 1) % 4];
        simd::store512(&mut kept.blocks[i], crypt::<OPEN>(&mut data, 64 * i, stream));
    }
    kept.len = 64 * (4 * N - 1);
    (Secret::new(one_time(stream[0][0])), rest)
}

/// Encrypts or decrypts what a pass of columns is for, keeps the ciphertext, and returns the rest. What is sealed and has
/// a rest need not be kept.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn crypt_columns<'a, const OPEN: bool>(kept: &mut Kept, mut data: InOut<'a>, stream: [__m512i; 16]) -> InOut<'a> {
    if data.len() >= PASS {
        let (mut data, rest) = data.split_at(PASS);
        kept.len = PASS;
        let keep = OPEN || rest.len() == 0;
        for i in 0..16 {
            let block = crypt::<OPEN>(&mut data, 64 * i, stream[i]);
            if keep {
                simd::store512(&mut kept.blocks[i], block);
            }
        }
        return rest;
    }
    kept.len = data.len();
    let mut last = stream[0];
    for i in 0..15 {
        if 64 * (i + 1) <= data.len() {
            simd::store512(&mut kept.blocks[i], crypt::<OPEN>(&mut data, 64 * i, stream[i]));
            last = stream[i + 1];
        }
    }
    let i = data.len() / 64;
    if !data.len().is_multiple_of(64) {
        simd::store512(&mut kept.blocks[i], crypt_last::<OPEN>(&mut data, 64 * i, last));
    }
    data.split_at(kept.len).1
}

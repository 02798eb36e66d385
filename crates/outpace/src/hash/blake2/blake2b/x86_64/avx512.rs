//! BLAKE2b with AVX-512: the four rows of the state in ymm registers, VPRORQ for the rotations, VPERMI2Q to pick the
//! message words.
//!
//! Floor: additions, XORs and rotations of a half round depend on each other, 12 cycles; 24 half rounds are 288 cycles a
//! block. Between half rounds the rows a, c and d are turned and b, which is ready last, stays: VPERMQ's three cycles
//! hide behind the rest.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{Compress, SIGMA, State};
use crate::simd::{load256_u64, load512, store256_u64};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<u64, 128>> =
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, |state, blocks| compress(state, blocks)) };

/// For each round the words that the first and second half of the column and of the diagonal step add.
static PICK: [[[u64; 4]; 4]; 10] = {
    // The diagonals in the order of row b, which is not turned: the last comes first.
    const ORDER: [[usize; 4]; 4] = [[0, 2, 4, 6], [1, 3, 5, 7], [14, 8, 10, 12], [15, 9, 11, 13]];
    let mut pick = [[[0; 4]; 4]; 10];
    let mut i = 0;
    while i < 160 {
        let (round, half, lane) = (i / 16, i / 4 % 4, i % 4);
        pick[round][half][lane] = SIGMA[round][ORDER[half][lane]] as u64;
        i += 1;
    }
    pick
};

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(state: &mut State<u64>, blocks: &[[u8; 128]]) {
    // Out of the compiler's sight, or it replaces VPERMI2Q by sequences of simpler shuffles.
    let pick = core::hint::black_box(&PICK);
    let [low, high] = state.h.as_chunks_mut::<4>().0 else { unreachable!() };
    let (mut h0, mut h1) = (load256_u64(low), load256_u64(high));
    let [iv0, iv1] = IV.as_chunks::<4>().0 else { unreachable!() };
    let (iv0, iv1) = (load256_u64(iv0), load256_u64(iv1));
    for block in blocks {
        let halves = block.as_chunks::<64>().0;
        let (m0, m1) = (load512(&halves[0]), load512(&halves[1]));
        state.t = state.t.wrapping_add(128);
        let special = _mm256_set_epi64x(0, state.f as i64, (state.t >> 64) as i64, state.t as i64);
        let (mut a, mut b, mut c, mut d) = (h0, h1, iv0, _mm256_xor_si256(iv1, special));
        for round in 0..12 {
            let [x, y, z, w] = pick[round % 10].each_ref().map(|index| {
                let index = _mm512_castsi256_si512(load256_u64(index));
                _mm512_castsi512_si256(_mm512_permutex2var_epi64(m0, index, m1))
            });
            (a, b, c, d) = g(a, b, c, d, x, y);
            a = _mm256_permute4x64_epi64::<0b10_01_00_11>(a);
            d = _mm256_permute4x64_epi64::<0b01_00_11_10>(d);
            c = _mm256_permute4x64_epi64::<0b00_11_10_01>(c);
            (a, b, c, d) = g(a, b, c, d, z, w);
            a = _mm256_permute4x64_epi64::<0b00_11_10_01>(a);
            d = _mm256_permute4x64_epi64::<0b01_00_11_10>(d);
            c = _mm256_permute4x64_epi64::<0b10_01_00_11>(c);
        }
        h0 = xor3(h0, a, c);
        h1 = xor3(h1, b, d);
    }
    store256_u64(low, h0);
    store256_u64(high, h1);
}

/// Four G side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn g(a: __m256i, b: __m256i, c: __m256i, d: __m256i, x: __m256i, y: __m256i) -> (__m256i, __m256i, __m256i, __m256i) {
    // The message first: it does not wait for b.
    let a = _mm256_add_epi64(_mm256_add_epi64(a, x), b);
    let d = _mm256_ror_epi64::<32>(_mm256_xor_si256(d, a));
    let c = _mm256_add_epi64(c, d);
    let b = _mm256_ror_epi64::<24>(_mm256_xor_si256(b, c));
    let a = _mm256_add_epi64(_mm256_add_epi64(a, y), b);
    let d = _mm256_ror_epi64::<16>(_mm256_xor_si256(d, a));
    let c = _mm256_add_epi64(c, d);
    let b = _mm256_ror_epi64::<63>(_mm256_xor_si256(b, c));
    (a, b, c, d)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_xor_si256(a, b), c)
}

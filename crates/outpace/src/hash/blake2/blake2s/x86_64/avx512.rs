//! BLAKE2s with AVX-512: the four rows of the state in xmm registers, VPRORD for the rotations, VPERMD to pick the
//! message words from the one zmm register that holds them all.
//!
//! Floor: additions, XORs and rotations of a half round depend on each other, 12 cycles; 20 half rounds are 240 cycles a
//! block. Between half rounds the rows a, c and d are turned and b, which is ready last, stays.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{Compress, SIGMA, State};
use crate::simd::{load128_u32, load512, store128_u32};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<u32, 64>> =
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, |state, blocks| compress(state, blocks)) };

/// For each round the words that the first and second half of the column and of the diagonal step add.
static PICK: [[[u32; 4]; 4]; 10] = {
    // The diagonals in the order of row b, which is not turned: the last comes first.
    const ORDER: [[usize; 4]; 4] = [[0, 2, 4, 6], [1, 3, 5, 7], [14, 8, 10, 12], [15, 9, 11, 13]];
    let mut pick = [[[0; 4]; 4]; 10];
    let mut i = 0;
    while i < 160 {
        let (round, half, lane) = (i / 16, i / 4 % 4, i % 4);
        pick[round][half][lane] = SIGMA[round][ORDER[half][lane]] as u32;
        i += 1;
    }
    pick
};

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(state: &mut State<u32>, blocks: &[[u8; 64]]) {
    // Out of the compiler's sight, or it replaces VPERMD by sequences of simpler shuffles.
    let pick = core::hint::black_box(&PICK);
    let [low, high] = state.h.as_chunks_mut::<4>().0 else { unreachable!() };
    let (mut h0, mut h1) = (load128_u32(low), load128_u32(high));
    let [iv0, iv1] = IV.as_chunks::<4>().0 else { unreachable!() };
    let (iv0, iv1) = (load128_u32(iv0), load128_u32(iv1));
    for block in blocks {
        let m = load512(block);
        state.t = state.t.wrapping_add(64);
        let special = _mm_set_epi32(0, state.f as i32, (state.t >> 32) as i32, state.t as i32);
        let (mut a, mut b, mut c, mut d) = (h0, h1, iv0, _mm_xor_si128(iv1, special));
        for round in 0..10 {
            let [x, y, z, w] = pick[round].each_ref().map(|index| {
                let index = _mm512_castsi128_si512(load128_u32(index));
                _mm512_castsi512_si128(_mm512_permutexvar_epi32(index, m))
            });
            (a, b, c, d) = g(a, b, c, d, x, y);
            a = _mm_shuffle_epi32::<0b10_01_00_11>(a);
            d = _mm_shuffle_epi32::<0b01_00_11_10>(d);
            c = _mm_shuffle_epi32::<0b00_11_10_01>(c);
            (a, b, c, d) = g(a, b, c, d, z, w);
            a = _mm_shuffle_epi32::<0b00_11_10_01>(a);
            d = _mm_shuffle_epi32::<0b01_00_11_10>(d);
            c = _mm_shuffle_epi32::<0b10_01_00_11>(c);
        }
        h0 = xor3(h0, a, c);
        h1 = xor3(h1, b, d);
    }
    store128_u32(low, h0);
    store128_u32(high, h1);
}

/// Four G side by side.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn g(a: __m128i, b: __m128i, c: __m128i, d: __m128i, x: __m128i, y: __m128i) -> (__m128i, __m128i, __m128i, __m128i) {
    // The message first: it does not wait for b.
    let a = _mm_add_epi32(_mm_add_epi32(a, x), b);
    let d = _mm_ror_epi32::<16>(_mm_xor_si128(d, a));
    let c = _mm_add_epi32(c, d);
    let b = _mm_ror_epi32::<12>(_mm_xor_si128(b, c));
    let a = _mm_add_epi32(_mm_add_epi32(a, y), b);
    let d = _mm_ror_epi32::<8>(_mm_xor_si128(d, a));
    let c = _mm_add_epi32(c, d);
    let b = _mm_ror_epi32::<7>(_mm_xor_si128(b, c));
    (a, b, c, d)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor3(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_xor_si128(_mm_xor_si128(a, b), c)
}

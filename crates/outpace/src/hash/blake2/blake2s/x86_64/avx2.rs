//! BLAKE2s with AVX2: the four rows of the state in xmm registers, byte shuffles for two of the four rotations.
//!
//! Floor: as with AVX-512, but the rotations by 12 and 7 take two dependent operations: 28 cycles a round, 280 a block.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{Compress, SIGMA, State};
use crate::simd::{load128_u32, store128_u32};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<u32, 64>> =
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2, |state, blocks| compress(state, blocks)) };

#[target_feature(enable = "avx2")]
fn compress(state: &mut State<u32>, blocks: &[[u8; 64]]) {
    let [low, high] = state.h.as_chunks_mut::<4>().0 else { unreachable!() };
    let (mut h0, mut h1) = (load128_u32(low), load128_u32(high));
    let [iv0, iv1] = IV.as_chunks::<4>().0 else { unreachable!() };
    let (iv0, iv1) = (load128_u32(iv0), load128_u32(iv1));
    for block in blocks {
        state.t = state.t.wrapping_add(64);
        let special = _mm_set_epi32(0, state.f as i32, (state.t >> 32) as i32, state.t as i32);
        let mut v = [h0, h1, iv0, _mm_xor_si128(iv1, special)];
        // Written out, so that the message words of each round are at addresses known to the compiler.
        v = round::<0>(v, block);
        v = round::<1>(v, block);
        v = round::<2>(v, block);
        v = round::<3>(v, block);
        v = round::<4>(v, block);
        v = round::<5>(v, block);
        v = round::<6>(v, block);
        v = round::<7>(v, block);
        v = round::<8>(v, block);
        v = round::<9>(v, block);
        h0 = _mm_xor_si128(h0, _mm_xor_si128(v[0], v[2]));
        h1 = _mm_xor_si128(h1, _mm_xor_si128(v[1], v[3]));
    }
    store128_u32(low, h0);
    store128_u32(high, h1);
}

#[inline(always)]
fn word(block: &[u8; 64], i: u8) -> i32 {
    i32::from_le_bytes(block.as_chunks().0[i as usize])
}

#[inline]
#[target_feature(enable = "avx2")]
fn round<const R: usize>([mut a, mut b, mut c, mut d]: [__m128i; 4], block: &[u8; 64]) -> [__m128i; 4] {
    let pick = |i: [usize; 4]| {
        let [w0, w1, w2, w3] = i.map(|i| word(block, SIGMA[R][i]));
        _mm_set_epi32(w3, w2, w1, w0)
    };
    (a, b, c, d) = g(a, b, c, d, pick([0, 2, 4, 6]), pick([1, 3, 5, 7]));
    // Row b, which is ready last, is not turned: the last diagonal comes first.
    a = _mm_shuffle_epi32::<0b10_01_00_11>(a);
    d = _mm_shuffle_epi32::<0b01_00_11_10>(d);
    c = _mm_shuffle_epi32::<0b00_11_10_01>(c);
    (a, b, c, d) = g(a, b, c, d, pick([14, 8, 10, 12]), pick([15, 9, 11, 13]));
    a = _mm_shuffle_epi32::<0b00_11_10_01>(a);
    d = _mm_shuffle_epi32::<0b01_00_11_10>(d);
    c = _mm_shuffle_epi32::<0b10_01_00_11>(c);
    [a, b, c, d]
}

/// Four G side by side.
#[inline]
#[target_feature(enable = "avx2")]
fn g(a: __m128i, b: __m128i, c: __m128i, d: __m128i, x: __m128i, y: __m128i) -> (__m128i, __m128i, __m128i, __m128i) {
    // The message first: it does not wait for b.
    let a = _mm_add_epi32(_mm_add_epi32(a, x), b);
    let d = ror16(_mm_xor_si128(d, a));
    let c = _mm_add_epi32(c, d);
    let b = ror12(_mm_xor_si128(b, c));
    let a = _mm_add_epi32(_mm_add_epi32(a, y), b);
    let d = ror8(_mm_xor_si128(d, a));
    let c = _mm_add_epi32(c, d);
    let b = ror7(_mm_xor_si128(b, c));
    (a, b, c, d)
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror16(x: __m128i) -> __m128i {
    _mm_shuffle_epi8(x, _mm_set_epi64x(0x0d0c_0f0e_0908_0b0a, 0x0504_0706_0100_0302))
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror12(x: __m128i) -> __m128i {
    _mm_or_si128(_mm_srli_epi32::<12>(x), _mm_slli_epi32::<20>(x))
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror8(x: __m128i) -> __m128i {
    _mm_shuffle_epi8(x, _mm_set_epi64x(0x0c0f_0e0d_080b_0a09, 0x0407_0605_0003_0201))
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror7(x: __m128i) -> __m128i {
    _mm_or_si128(_mm_srli_epi32::<7>(x), _mm_slli_epi32::<25>(x))
}

//! BLAKE2b with AVX2: the four rows of the state in ymm registers, byte shuffles for three of the four rotations.
//!
//! Floor: as with AVX-512, but the rotation by 63 takes two dependent operations: 26 cycles a round, 312 a block.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{Compress, SIGMA, State};
use crate::simd::{load256_u64, store256_u64};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<u64, 128>> =
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2, |state, blocks| compress(state, blocks)) };

#[target_feature(enable = "avx2")]
fn compress(state: &mut State<u64>, blocks: &[[u8; 128]]) {
    let bytes = Bytes::new();
    let [low, high] = state.h.as_chunks_mut::<4>().0 else { unreachable!() };
    let (mut h0, mut h1) = (load256_u64(low), load256_u64(high));
    let [iv0, iv1] = IV.as_chunks::<4>().0 else { unreachable!() };
    let (iv0, iv1) = (load256_u64(iv0), load256_u64(iv1));
    for block in blocks {
        state.t = state.t.wrapping_add(128);
        let special = _mm256_set_epi64x(0, state.f as i64, (state.t >> 64) as i64, state.t as i64);
        let mut v = [h0, h1, iv0, _mm256_xor_si256(iv1, special)];
        // Written out, so that the message words of each round are at addresses known to the compiler.
        v = round::<0>(v, block, bytes);
        v = round::<1>(v, block, bytes);
        v = round::<2>(v, block, bytes);
        v = round::<3>(v, block, bytes);
        v = round::<4>(v, block, bytes);
        v = round::<5>(v, block, bytes);
        v = round::<6>(v, block, bytes);
        v = round::<7>(v, block, bytes);
        v = round::<8>(v, block, bytes);
        v = round::<9>(v, block, bytes);
        v = round::<10>(v, block, bytes);
        v = round::<11>(v, block, bytes);
        h0 = _mm256_xor_si256(h0, _mm256_xor_si256(v[0], v[2]));
        h1 = _mm256_xor_si256(h1, _mm256_xor_si256(v[1], v[3]));
    }
    store256_u64(low, h0);
    store256_u64(high, h1);
}

#[inline(always)]
fn word(block: &[u8; 128], i: u8) -> i64 {
    i64::from_le_bytes(block.as_chunks().0[i as usize])
}

#[inline]
#[target_feature(enable = "avx2")]
fn round<const R: usize>([mut a, mut b, mut c, mut d]: [__m256i; 4], block: &[u8; 128], bytes: Bytes) -> [__m256i; 4] {
    let pick = |i: [usize; 4]| {
        let [w0, w1, w2, w3] = i.map(|i| word(block, SIGMA[R % 10][i]));
        _mm256_set_epi64x(w3, w2, w1, w0)
    };
    [a, b, c, d] = g([a, b, c, d], pick([0, 2, 4, 6]), pick([1, 3, 5, 7]), bytes);
    // Row b, which is ready last, is not turned: the last diagonal comes first.
    a = _mm256_permute4x64_epi64::<0b10_01_00_11>(a);
    d = _mm256_permute4x64_epi64::<0b01_00_11_10>(d);
    c = _mm256_permute4x64_epi64::<0b00_11_10_01>(c);
    [a, b, c, d] = g([a, b, c, d], pick([14, 8, 10, 12]), pick([15, 9, 11, 13]), bytes);
    a = _mm256_permute4x64_epi64::<0b00_11_10_01>(a);
    d = _mm256_permute4x64_epi64::<0b01_00_11_10>(d);
    c = _mm256_permute4x64_epi64::<0b10_01_00_11>(c);
    [a, b, c, d]
}

/// Four G side by side.
#[inline]
#[target_feature(enable = "avx2")]
fn g([a, b, c, d]: [__m256i; 4], x: __m256i, y: __m256i, bytes: Bytes) -> [__m256i; 4] {
    // The message first: it does not wait for b.
    let a = _mm256_add_epi64(_mm256_add_epi64(a, x), b);
    let d = ror32(_mm256_xor_si256(d, a));
    let c = _mm256_add_epi64(c, d);
    let b = bytes.ror24(_mm256_xor_si256(b, c));
    let a = _mm256_add_epi64(_mm256_add_epi64(a, y), b);
    let d = bytes.ror16(_mm256_xor_si256(d, a));
    let c = _mm256_add_epi64(c, d);
    let b = ror63(_mm256_xor_si256(b, c));
    [a, b, c, d]
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn ror32(x: __m256i) -> __m256i {
    _mm256_shuffle_epi32::<0b10_11_00_01>(x)
}

/// The masks of two rotations. Out of the compiler's sight, or it replaces VPSHUFB by two shuffles of words.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    by24: __m256i,
    by16: __m256i,
}

impl Bytes {
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn new() -> Self {
        let by24 = _mm_set_epi64x(0x0a09_080f_0e0d_0c0b, 0x0201_0007_0605_0403);
        let by16 = _mm_set_epi64x(0x0908_0f0e_0d0c_0b0a, 0x0100_0706_0504_0302);
        core::hint::black_box(Self { by24: _mm256_broadcastsi128_si256(by24), by16: _mm256_broadcastsi128_si256(by16) })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn ror24(self, x: __m256i) -> __m256i {
        _mm256_shuffle_epi8(x, self.by24)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn ror16(self, x: __m256i) -> __m256i {
        _mm256_shuffle_epi8(x, self.by16)
    }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn ror63(x: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_add_epi64(x, x), _mm256_srli_epi64::<63>(x))
}

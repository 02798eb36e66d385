//! BLAKE2s on eight messages: one word of each in a ymm register.
//!
//! Floor: 80 G of 6 additions, 4 XORs and 8 operations for the rotations, at three operations a cycle: 480 cycles for
//! eight blocks, and the transposition of the message.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{SIGMA, State};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::simd::{load256, load256_u32, store256_u32, transpose8_u32};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State<u32>, 64>> = {
    let compress = |states: &mut [State<u32>; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2, LaneKernel::of_blocks(8, compress)) }
};

#[target_feature(enable = "avx2")]
fn compress(states: &mut [State<u32>; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    let states = &mut states.as_chunks_mut::<8>().0[0];
    let mut h = transpose8_u32(core::array::from_fn(|lane| load256_u32(&states[lane].h)));
    let n = blocks[..8].iter().map(|b| b.len()).min().unwrap_or(0);
    for i in 0..n {
        let mut m = [_mm256_setzero_si256(); 16];
        for (half, words) in m.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            *words = transpose8_u32(core::array::from_fn(|lane| load256(&blocks[lane][i].as_chunks().0[half])));
        }

        let (mut t0, mut t1, mut f) = ([0; 8], [0; 8], [0; 8]);
        for (lane, state) in states.iter_mut().enumerate() {
            state.t = state.t.wrapping_add(64);
            (t0[lane], t1[lane], f[lane]) = (state.t as u32, (state.t >> 32) as u32, state.f as u32);
        }
        let mut v: [__m256i; 16] =
            core::array::from_fn(|j| if j < 8 { h[j] } else { _mm256_set1_epi32(IV[j - 8] as i32) });
        v[12] = _mm256_xor_si256(v[12], load256_u32(&t0));
        v[13] = _mm256_xor_si256(v[13], load256_u32(&t1));
        v[14] = _mm256_xor_si256(v[14], load256_u32(&f));
        // Written out, so that the message words of each round are known to the compiler.
        round::<0>(&mut v, &m);
        round::<1>(&mut v, &m);
        round::<2>(&mut v, &m);
        round::<3>(&mut v, &m);
        round::<4>(&mut v, &m);
        round::<5>(&mut v, &m);
        round::<6>(&mut v, &m);
        round::<7>(&mut v, &m);
        round::<8>(&mut v, &m);
        round::<9>(&mut v, &m);
        h = core::array::from_fn(|j| _mm256_xor_si256(h[j], _mm256_xor_si256(v[j], v[j + 8])));
    }
    for (state, h) in states.iter_mut().zip(transpose8_u32(h)) {
        store256_u32(&mut state.h, h);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn round<const R: usize>(v: &mut [__m256i; 16], m: &[__m256i; 16]) {
    g::<R, 0, 0, 4, 8, 12>(v, m);
    g::<R, 1, 1, 5, 9, 13>(v, m);
    g::<R, 2, 2, 6, 10, 14>(v, m);
    g::<R, 3, 3, 7, 11, 15>(v, m);
    g::<R, 4, 0, 5, 10, 15>(v, m);
    g::<R, 5, 1, 6, 11, 12>(v, m);
    g::<R, 6, 2, 7, 8, 13>(v, m);
    g::<R, 7, 3, 4, 9, 14>(v, m);
}

/// The `I`th G of round `R`; every index is a constant, so that the words are registers.
#[inline]
#[target_feature(enable = "avx2")]
fn g<const R: usize, const I: usize, const A: usize, const B: usize, const C: usize, const D: usize>(
    v: &mut [__m256i; 16],
    m: &[__m256i; 16],
) {
    let (x, y) = const { (SIGMA[R][2 * I] as usize, SIGMA[R][2 * I + 1] as usize) };
    v[A] = _mm256_add_epi32(_mm256_add_epi32(v[A], m[x]), v[B]);
    v[D] = ror16(_mm256_xor_si256(v[D], v[A]));
    v[C] = _mm256_add_epi32(v[C], v[D]);
    v[B] = ror12(_mm256_xor_si256(v[B], v[C]));
    v[A] = _mm256_add_epi32(_mm256_add_epi32(v[A], m[y]), v[B]);
    v[D] = ror8(_mm256_xor_si256(v[D], v[A]));
    v[C] = _mm256_add_epi32(v[C], v[D]);
    v[B] = ror7(_mm256_xor_si256(v[B], v[C]));
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror16(x: __m256i) -> __m256i {
    let bytes = _mm_set_epi64x(0x0d0c_0f0e_0908_0b0a, 0x0504_0706_0100_0302);
    _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(bytes))
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror12(x: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_srli_epi32::<12>(x), _mm256_slli_epi32::<20>(x))
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror8(x: __m256i) -> __m256i {
    let bytes = _mm_set_epi64x(0x0c0f_0e0d_080b_0a09, 0x0407_0605_0003_0201);
    _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(bytes))
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror7(x: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_srli_epi32::<7>(x), _mm256_slli_epi32::<25>(x))
}

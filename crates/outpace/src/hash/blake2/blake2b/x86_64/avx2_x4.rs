//! BLAKE2b on four messages: one word of each in a ymm register.
//!
//! Floor: 96 G of 6 additions, 4 XORs and 6 operations for the rotations, at three operations a cycle: 512 cycles for
//! four blocks, and the transposition of the message.

use super::super::IV;
use super::avx2::{Bytes, ror32, ror63};
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{SIGMA, State};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::simd::{load256, load256_u64, store256_u64, transpose4};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State<u64>, 128>> = {
    let compress = |states: &mut [State<u64>; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2, LaneKernel::of_blocks(4, compress)) }
};

#[target_feature(enable = "avx2")]
fn compress(states: &mut [State<u64>; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]) {
    let bytes = Bytes::new();
    let states = &mut states.as_chunks_mut::<4>().0[0];
    let quarter = |states: &[State<u64>; 4], q: usize| {
        transpose4(core::array::from_fn(|lane| load256_u64(&states[lane].h.as_chunks().0[q])))
    };
    let (low, high) = (quarter(states, 0), quarter(states, 1));
    let mut h: [__m256i; 8] = core::array::from_fn(|j| if j < 4 { low[j] } else { high[j - 4] });
    let n = blocks[..4].iter().map(|b| b.len()).min().unwrap_or(0);
    for i in 0..n {
        let mut m = [_mm256_setzero_si256(); 16];
        for (q, words) in m.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *words = transpose4(core::array::from_fn(|lane| load256(&blocks[lane][i].as_chunks().0[q])));
        }

        let (mut t0, mut t1, mut f) = ([0; 4], [0; 4], [0; 4]);
        for (lane, state) in states.iter_mut().enumerate() {
            state.t = state.t.wrapping_add(128);
            (t0[lane], t1[lane], f[lane]) = (state.t as u64, (state.t >> 64) as u64, state.f);
        }
        let mut v: [__m256i; 16] =
            core::array::from_fn(|j| if j < 8 { h[j] } else { _mm256_set1_epi64x(IV[j - 8] as i64) });
        v[12] = _mm256_xor_si256(v[12], load256_u64(&t0));
        v[13] = _mm256_xor_si256(v[13], load256_u64(&t1));
        v[14] = _mm256_xor_si256(v[14], load256_u64(&f));
        // Written out, so that the message words of each round are known to the compiler.
        round::<0>(&mut v, &m, bytes);
        round::<1>(&mut v, &m, bytes);
        round::<2>(&mut v, &m, bytes);
        round::<3>(&mut v, &m, bytes);
        round::<4>(&mut v, &m, bytes);
        round::<5>(&mut v, &m, bytes);
        round::<6>(&mut v, &m, bytes);
        round::<7>(&mut v, &m, bytes);
        round::<8>(&mut v, &m, bytes);
        round::<9>(&mut v, &m, bytes);
        round::<10>(&mut v, &m, bytes);
        round::<11>(&mut v, &m, bytes);
        h = core::array::from_fn(|j| _mm256_xor_si256(h[j], _mm256_xor_si256(v[j], v[j + 8])));
    }
    let [low, high] = h.as_chunks::<4>().0 else { unreachable!() };
    for (lane, (low, high)) in transpose4(*low).into_iter().zip(transpose4(*high)).enumerate() {
        let halves = states[lane].h.as_chunks_mut().0;
        store256_u64(&mut halves[0], low);
        store256_u64(&mut halves[1], high);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn round<const R: usize>(v: &mut [__m256i; 16], m: &[__m256i; 16], bytes: Bytes) {
    g::<R, 0, 0, 4, 8, 12>(v, m, bytes);
    g::<R, 1, 1, 5, 9, 13>(v, m, bytes);
    g::<R, 2, 2, 6, 10, 14>(v, m, bytes);
    g::<R, 3, 3, 7, 11, 15>(v, m, bytes);
    g::<R, 4, 0, 5, 10, 15>(v, m, bytes);
    g::<R, 5, 1, 6, 11, 12>(v, m, bytes);
    g::<R, 6, 2, 7, 8, 13>(v, m, bytes);
    g::<R, 7, 3, 4, 9, 14>(v, m, bytes);
}

/// The `I`th G of round `R`; every index is a constant, so that the words are registers.
#[inline]
#[target_feature(enable = "avx2")]
fn g<const R: usize, const I: usize, const A: usize, const B: usize, const C: usize, const D: usize>(
    v: &mut [__m256i; 16],
    m: &[__m256i; 16],
    bytes: Bytes,
) {
    let (x, y) = const { (SIGMA[R % 10][2 * I] as usize, SIGMA[R % 10][2 * I + 1] as usize) };
    v[A] = _mm256_add_epi64(_mm256_add_epi64(v[A], m[x]), v[B]);
    v[D] = ror32(_mm256_xor_si256(v[D], v[A]));
    v[C] = _mm256_add_epi64(v[C], v[D]);
    v[B] = bytes.ror24(_mm256_xor_si256(v[B], v[C]));
    v[A] = _mm256_add_epi64(_mm256_add_epi64(v[A], m[y]), v[B]);
    v[D] = bytes.ror16(_mm256_xor_si256(v[D], v[A]));
    v[C] = _mm256_add_epi64(v[C], v[D]);
    v[B] = ror63(_mm256_xor_si256(v[B], v[C]));
}

//! BLAKE2b on eight messages: one word of each in a zmm register.
//!
//! Floor: 96 G of 6 additions, 4 XORs and 4 rotations (VPRORQ), at two operations a cycle: 672 cycles for eight blocks,
//! and the transposition of the message.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{SIGMA, State};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::simd::{load512, load512_u64, store512_u64, ternlog512, transpose8};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State<u64>, 128>> = {
    let compress = |states: &mut [State<u64>; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, LaneKernel::of_blocks(8, compress)) }
};

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(states: &mut [State<u64>; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]) {
    let states = &mut states.as_chunks_mut::<8>().0[0];
    let mut h = transpose8(core::array::from_fn(|lane| load512_u64(&states[lane].h)));
    let n = blocks[..8].iter().map(|b| b.len()).min().unwrap_or(0);
    for i in 0..n {
        let half =
            |half: usize| transpose8(core::array::from_fn(|lane| load512(&blocks[lane][i].as_chunks::<64>().0[half])));
        let (low, high) = (half(0), half(1));
        let m: [__m512i; 16] = core::array::from_fn(|j| if j < 8 { low[j] } else { high[j - 8] });

        let (mut t0, mut t1, mut f) = ([0; 8], [0; 8], [0; 8]);
        for (lane, state) in states.iter_mut().enumerate() {
            state.t = state.t.wrapping_add(128);
            (t0[lane], t1[lane], f[lane]) = (state.t as u64, (state.t >> 64) as u64, state.f);
        }
        let mut v: [__m512i; 16] =
            core::array::from_fn(|j| if j < 8 { h[j] } else { _mm512_set1_epi64(IV[j - 8] as i64) });
        v[12] = _mm512_xor_si512(v[12], load512_u64(&t0));
        v[13] = _mm512_xor_si512(v[13], load512_u64(&t1));
        v[14] = _mm512_xor_si512(v[14], load512_u64(&f));
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
        round::<10>(&mut v, &m);
        round::<11>(&mut v, &m);
        h = core::array::from_fn(|j| ternlog512::<0x96>(h[j], v[j], v[j + 8]));
    }
    for (state, h) in states.iter_mut().zip(transpose8(h)) {
        store512_u64(&mut state.h, h);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn round<const R: usize>(v: &mut [__m512i; 16], m: &[__m512i; 16]) {
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
#[target_feature(enable = "avx512f")]
fn g<const R: usize, const I: usize, const A: usize, const B: usize, const C: usize, const D: usize>(
    v: &mut [__m512i; 16],
    m: &[__m512i; 16],
) {
    let (x, y) = const { (SIGMA[R % 10][2 * I] as usize, SIGMA[R % 10][2 * I + 1] as usize) };
    v[A] = _mm512_add_epi64(_mm512_add_epi64(v[A], m[x]), v[B]);
    v[D] = _mm512_ror_epi64::<32>(_mm512_xor_si512(v[D], v[A]));
    v[C] = _mm512_add_epi64(v[C], v[D]);
    v[B] = _mm512_ror_epi64::<24>(_mm512_xor_si512(v[B], v[C]));
    v[A] = _mm512_add_epi64(_mm512_add_epi64(v[A], m[y]), v[B]);
    v[D] = _mm512_ror_epi64::<16>(_mm512_xor_si512(v[D], v[A]));
    v[C] = _mm512_add_epi64(v[C], v[D]);
    v[B] = _mm512_ror_epi64::<63>(_mm512_xor_si512(v[B], v[C]));
}

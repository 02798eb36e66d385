//! BLAKE2b on eight messages: one word of each in a zmm register.
//!
//! Floor: 96 G of 6 additions, 4 XORs and 4 rotations (VPRORQ), at two operations a cycle: 672 cycles for eight blocks,
//! and the transposition of the message.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{SIGMA, STEPS, State};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::simd::{load512, load512_u64, store512_u64, ternlog512, transpose8};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State<u64>, 128>> = {
    let compress = |states: &mut [State<u64>; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, LaneKernel { width: 8, compress }) }
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
        round(&mut v, &m, &SIGMA[0]);
        round(&mut v, &m, &SIGMA[1]);
        round(&mut v, &m, &SIGMA[2]);
        round(&mut v, &m, &SIGMA[3]);
        round(&mut v, &m, &SIGMA[4]);
        round(&mut v, &m, &SIGMA[5]);
        round(&mut v, &m, &SIGMA[6]);
        round(&mut v, &m, &SIGMA[7]);
        round(&mut v, &m, &SIGMA[8]);
        round(&mut v, &m, &SIGMA[9]);
        round(&mut v, &m, &SIGMA[0]);
        round(&mut v, &m, &SIGMA[1]);
        h = core::array::from_fn(|j| ternlog512::<0x96>(h[j], v[j], v[j + 8]));
    }
    for (state, h) in states.iter_mut().zip(transpose8(h)) {
        store512_u64(&mut state.h, h);
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn round(v: &mut [__m512i; 16], m: &[__m512i; 16], s: &[u8; 16]) {
    for half in 0..2 {
        // Four G step by step, so that each instruction has three others to overlap with.
        let g: [[usize; 4]; 4] = core::array::from_fn(|i| STEPS[4 * half + i]);
        for second in 0..2 {
            for (i, [a, b, ..]) in g.into_iter().enumerate() {
                let word = m[s[8 * half + 2 * i + second] as usize];
                v[a] = _mm512_add_epi64(_mm512_add_epi64(v[a], word), v[b]);
            }
            for [a, _, _, d] in g {
                let x = _mm512_xor_si512(v[d], v[a]);
                v[d] = if second == 0 { _mm512_ror_epi64::<32>(x) } else { _mm512_ror_epi64::<16>(x) };
            }
            for [_, _, c, d] in g {
                v[c] = _mm512_add_epi64(v[c], v[d]);
            }
            for [_, b, c, _] in g {
                let x = _mm512_xor_si512(v[b], v[c]);
                v[b] = if second == 0 { _mm512_ror_epi64::<24>(x) } else { _mm512_ror_epi64::<63>(x) };
            }
        }
    }
}

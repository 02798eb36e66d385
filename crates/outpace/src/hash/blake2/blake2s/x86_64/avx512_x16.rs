//! BLAKE2s on sixteen messages: one word of each in a zmm register.
//!
//! Floor: 80 G of 6 additions, 4 XORs and 4 rotations (VPRORD), at two operations a cycle: 560 cycles for sixteen
//! blocks, and the transposition of the message.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{SIGMA, STEPS, State};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::simd::{load512, load512_u32, store512_u32, ternlog512, transpose16};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State<u32>, 64>> = {
    let compress = |states: &mut [State<u32>; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, LaneKernel { width: MAX_LANES, compress }) }
};

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(states: &mut [State<u32>; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    let mut columns = [[0; MAX_LANES]; 8];
    for (lane, state) in states.iter().enumerate() {
        for (column, word) in columns.iter_mut().zip(state.h) {
            column[lane] = word;
        }
    }
    let mut h: [__m512i; 8] = core::array::from_fn(|j| load512_u32(&columns[j]));
    let n = blocks.iter().map(|b| b.len()).min().unwrap_or(0);
    for i in 0..n {
        let m = transpose16(core::array::from_fn(|lane| load512(&blocks[lane][i])));

        let (mut t0, mut t1, mut f) = ([0; MAX_LANES], [0; MAX_LANES], [0; MAX_LANES]);
        for (lane, state) in states.iter_mut().enumerate() {
            state.t = state.t.wrapping_add(64);
            (t0[lane], t1[lane], f[lane]) = (state.t as u32, (state.t >> 32) as u32, state.f as u32);
        }
        let mut v: [__m512i; 16] =
            core::array::from_fn(|j| if j < 8 { h[j] } else { _mm512_set1_epi32(IV[j - 8] as i32) });
        v[12] = _mm512_xor_si512(v[12], load512_u32(&t0));
        v[13] = _mm512_xor_si512(v[13], load512_u32(&t1));
        v[14] = _mm512_xor_si512(v[14], load512_u32(&f));
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
        h = core::array::from_fn(|j| ternlog512::<0x96>(h[j], v[j], v[j + 8]));
    }
    for (column, h) in columns.iter_mut().zip(h) {
        store512_u32(column, h);
    }
    for (lane, state) in states.iter_mut().enumerate() {
        state.h = columns.map(|column| column[lane]);
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
                v[a] = _mm512_add_epi32(_mm512_add_epi32(v[a], word), v[b]);
            }
            for [a, _, _, d] in g {
                let x = _mm512_xor_si512(v[d], v[a]);
                v[d] = if second == 0 { _mm512_ror_epi32::<16>(x) } else { _mm512_ror_epi32::<8>(x) };
            }
            for [_, _, c, d] in g {
                v[c] = _mm512_add_epi32(v[c], v[d]);
            }
            for [_, b, c, _] in g {
                let x = _mm512_xor_si512(v[b], v[c]);
                v[b] = if second == 0 { _mm512_ror_epi32::<12>(x) } else { _mm512_ror_epi32::<7>(x) };
            }
        }
    }
}

//! BLAKE2b on four messages: one word of each in a ymm register.
//!
//! Floor: 96 G of 6 additions, 4 XORs and 6 operations for the rotations, at three operations a cycle: 512 cycles for
//! four blocks, and the transposition of the message.

use super::super::IV;
use super::avx2::{ror16, ror24, ror32, ror63};
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{SIGMA, STEPS, State};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::simd::{load256, load256_u64, store256_u64, transpose4};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State<u64>, 128>> = {
    let compress = |states: &mut [State<u64>; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2, LaneKernel { width: 4, compress }) }
};

#[target_feature(enable = "avx2")]
fn compress(states: &mut [State<u64>; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]) {
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
fn round(v: &mut [__m256i; 16], m: &[__m256i; 16], s: &[u8; 16]) {
    for half in 0..2 {
        // Four G step by step, so that each instruction has three others to overlap with.
        let g: [[usize; 4]; 4] = core::array::from_fn(|i| STEPS[4 * half + i]);
        for second in 0..2 {
            for (i, [a, b, ..]) in g.into_iter().enumerate() {
                let word = m[s[8 * half + 2 * i + second] as usize];
                v[a] = _mm256_add_epi64(_mm256_add_epi64(v[a], word), v[b]);
            }
            for [a, _, _, d] in g {
                let x = _mm256_xor_si256(v[d], v[a]);
                v[d] = if second == 0 { ror32(x) } else { ror16(x) };
            }
            for [_, _, c, d] in g {
                v[c] = _mm256_add_epi64(v[c], v[d]);
            }
            for [_, b, c, _] in g {
                let x = _mm256_xor_si256(v[b], v[c]);
                v[b] = if second == 0 { ror24(x) } else { ror63(x) };
            }
        }
    }
}

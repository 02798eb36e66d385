//! SHA-256 on sixteen messages: one word of each in a zmm register, VPRORD for the rotations, VPTERNLOG for Σ, Ch and Maj.
//!
//! Floor: 64 rounds of 6 rotations, 4 ternary functions and 7 additions, and 48 schedule steps of 4 rotations, 2 shifts,
//! 2 ternary functions and 3 additions, at two operations a cycle but one rotation or shift: about 810 cycles for
//! sixteen blocks.

use crate::cpu::{Features, Kernel};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2::sha256::{K, State};
use crate::simd::{load512, load512_u32, store512_u32, ternlog512, transpose16};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State, 64>> = {
    let compress = |states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, LaneKernel { width: MAX_LANES, compress }) }
};

const XOR3: i32 = 0x96;
const CHOOSE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    let big_endian = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
    let mut columns = [[0u32; 16]; 8];
    for (lane, state) in states.iter().enumerate() {
        for (column, word) in columns.iter_mut().zip(state) {
            column[lane] = *word;
        }
    }
    let mut s: [__m512i; 8] = core::array::from_fn(|i| load512_u32(&columns[i]));

    let n = blocks.iter().map(|b| b.len()).min().unwrap_or(0);
    for i in 0..n {
        let mut w =
            transpose16(core::array::from_fn(|lane| _mm512_shuffle_epi8(load512(&blocks[lane][i]), big_endian)));
        let before = s;
        for step in 0..4 {
            if step > 0 {
                for t in 0..16 {
                    let (w15, w2) = (w[(t + 1) % 16], w[(t + 14) % 16]);
                    let sigma0 = ternlog512::<XOR3>(ror::<7>(w15), ror::<18>(w15), _mm512_srli_epi32::<3>(w15));
                    let sigma1 = ternlog512::<XOR3>(ror::<17>(w2), ror::<19>(w2), _mm512_srli_epi32::<10>(w2));
                    let sum = _mm512_add_epi32(_mm512_add_epi32(w[t], w[(t + 9) % 16]), sigma0);
                    w[t] = _mm512_add_epi32(sum, sigma1);
                }
            }
            for t in 0..16 {
                let [a, b, c, d, e, f, g, h] = s;
                let wk = _mm512_add_epi32(w[t], _mm512_set1_epi32(K[16 * step + t] as i32));
                let sum1 = ternlog512::<XOR3>(ror::<6>(e), ror::<11>(e), ror::<25>(e));
                let h_wk = _mm512_add_epi32(_mm512_add_epi32(h, wk), ternlog512::<CHOOSE>(e, f, g));
                let t1 = _mm512_add_epi32(h_wk, sum1);
                let sum0 = ternlog512::<XOR3>(ror::<2>(a), ror::<13>(a), ror::<22>(a));
                let t2 = _mm512_add_epi32(sum0, ternlog512::<MAJORITY>(a, b, c));
                s = [_mm512_add_epi32(t1, t2), a, b, c, _mm512_add_epi32(d, t1), e, f, g];
            }
        }
        s = core::array::from_fn(|i| _mm512_add_epi32(s[i], before[i]));
    }

    for (column, s) in columns.iter_mut().zip(s) {
        store512_u32(column, s);
    }
    for (lane, state) in states.iter_mut().enumerate() {
        for (column, word) in columns.iter().zip(state) {
            *word = column[lane];
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn ror<const N: i32>(x: __m512i) -> __m512i {
    _mm512_ror_epi32::<N>(x)
}

//! SHA-256 on sixteen messages: one word of each in a zmm register, VPRORD for the rotations, VPTERNLOG for Σ, Ch and Maj.
//!
//! Floor: 64 rounds of 6 rotations, 4 ternary functions and 7 additions, and 48 schedule steps of 4 rotations, 2 shifts,
//! 2 ternary functions and 3 additions, at two operations a cycle but one rotation or shift: about 810 cycles for
//! sixteen blocks.

use crate::cpu::{Features, Kernel};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2::sha256::{K, State};
use crate::simd::{columns8, load512, rows8, ternlog512, transpose16};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State, 64>> = {
    let compress = |states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, LaneKernel::of_blocks(MAX_LANES, compress)) }
};

const XOR3: i32 = 0x96;
const CHOOSE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    let big_endian = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
    let n = blocks.iter().fold(usize::MAX, |n, b| n.min(b.len()));
    let mut s = columns8(states);
    for i in 0..n {
        let before = s;
        let mut w =
            transpose16(core::array::from_fn(|lane| _mm512_shuffle_epi8(load512(&blocks[lane][i]), big_endian)));
        // Round t of sixteen. The variables change places instead of values, and every place is known to the compiler:
        // all of them stay in registers.
        macro_rules! round {
            ($t:literal, $k:expr) => {
                let at = |variable: usize| (16 + variable - $t) % 8;
                let (a, b, c, e, f, g) = (s[at(0)], s[at(1)], s[at(2)], s[at(4)], s[at(5)], s[at(6)]);
                let h_wk = _mm512_add_epi32(s[at(7)], _mm512_add_epi32(w[$t], _mm512_set1_epi32($k as i32)));
                let sum1 = ternlog512::<XOR3>(ror::<6>(e), ror::<11>(e), ror::<25>(e));
                let t1 = _mm512_add_epi32(_mm512_add_epi32(h_wk, ternlog512::<CHOOSE>(e, f, g)), sum1);
                let sum0 = ternlog512::<XOR3>(ror::<2>(a), ror::<13>(a), ror::<22>(a));
                let t2 = _mm512_add_epi32(sum0, ternlog512::<MAJORITY>(a, b, c));
                s[at(3)] = _mm512_add_epi32(s[at(3)], t1);
                s[at(7)] = _mm512_add_epi32(t1, t2);
            };
        }
        // The word that is used sixteen rounds after word t takes its place.
        macro_rules! word {
            ($t:literal) => {
                let (w15, w2) = (w[($t + 1) % 16], w[($t + 14) % 16]);
                let sigma0 = ternlog512::<XOR3>(ror::<7>(w15), ror::<18>(w15), _mm512_srli_epi32::<3>(w15));
                let sigma1 = ternlog512::<XOR3>(ror::<17>(w2), ror::<19>(w2), _mm512_srli_epi32::<10>(w2));
                let sum = _mm512_add_epi32(_mm512_add_epi32(w[$t], w[($t + 9) % 16]), sigma0);
                w[$t] = _mm512_add_epi32(sum, sigma1);
            };
        }
        macro_rules! sixteen {
            ($round:ident) => { $round!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
        }
        let [k, later @ ..] = K.as_chunks::<16>().0 else { unreachable!("64 constants") };
        macro_rules! first_rounds {
            ($($t:literal)*) => { $( round!($t, k[$t]); )* };
        }
        sixteen!(first_rounds);
        for k in later {
            macro_rules! rounds {
                ($($t:literal)*) => { $( word!($t); round!($t, k[$t]); )* };
            }
            sixteen!(rounds);
        }
        for (s, before) in s.iter_mut().zip(before) {
            *s = _mm512_add_epi32(*s, before);
        }
    }
    *states = rows8(s);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn ror<const N: i32>(x: __m512i) -> __m512i {
    _mm512_ror_epi32::<N>(x)
}

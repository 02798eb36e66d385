//! SHA-512 on eight messages: one word of each in a zmm register, VPRORQ for the rotations, VPTERNLOG for Σ, Ch and Maj.
//!
//! Floor: 80 rounds of 6 rotations, 4 ternary functions and 7 additions, and 64 schedule steps of 4 rotations, 2 shifts,
//! 2 ternary functions and 3 additions, at two operations a cycle: 1032 cycles for eight blocks. Measured on Zen 4: 1265.
//! Some 100 of them turn blocks into lanes, with nothing beside it; the rounds could reach 14.0 cycles with a step of the
//! schedule (their floor) and 11.1 without, in assembly and the best of some hundred orders: 1175 in all. Two groups beside
//! each other take less: [`avx512_x16`](super::avx512_x16).

use crate::cpu::{Features, Kernel};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2::sha512::{K, State};
use crate::simd::{load512, load512_u64, store512_u64, ternlog512, transpose8};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<LaneKernel<State, 128>> = {
    let compress = |states: &mut [State; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]| {
        let ([states, _], [blocks, _]) = (states.as_chunks_mut().0, blocks.as_chunks().0) else {
            unreachable!("two groups of eight")
        };
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, LaneKernel::of_blocks(8, compress)) }
};

const XOR3: i32 = 0x96;
const CHOOSE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn compress(states: &mut [State; 8], blocks: &[&[[u8; 128]]; 8]) {
    let mut s = transpose8(core::array::from_fn(|lane| load512_u64(&states[lane])));
    let n = blocks.iter().map(|b| b.len()).min().unwrap_or(0);
    for i in 0..n {
        let mut w = [_mm512_setzero_si512(); 16];
        words(blocks, i, |t, word| w[t] = word);
        let before = s;
        // Round t of sixteen. The variables change places instead of values, and every place is known to the compiler:
        // all of them stay in registers.
        macro_rules! round {
            ($t:literal, $k:expr) => {
                let at = |variable: usize| (16 + variable - $t) % 8;
                let (a, b, c, e, f, g) = (s[at(0)], s[at(1)], s[at(2)], s[at(4)], s[at(5)], s[at(6)]);
                let h_wk = _mm512_add_epi64(s[at(7)], _mm512_add_epi64(w[$t], _mm512_set1_epi64($k as i64)));
                let sum1 = ternlog512::<XOR3>(ror::<14>(e), ror::<18>(e), ror::<41>(e));
                let t1 = _mm512_add_epi64(_mm512_add_epi64(h_wk, ternlog512::<CHOOSE>(e, f, g)), sum1);
                let sum0 = ternlog512::<XOR3>(ror::<28>(a), ror::<34>(a), ror::<39>(a));
                let t2 = _mm512_add_epi64(sum0, ternlog512::<MAJORITY>(a, b, c));
                s[at(3)] = _mm512_add_epi64(s[at(3)], t1);
                s[at(7)] = _mm512_add_epi64(t1, t2);
            };
        }
        // The word that is used sixteen rounds after word t takes its place.
        macro_rules! word {
            ($t:literal) => {
                let (w15, w2) = (w[($t + 1) % 16], w[($t + 14) % 16]);
                let sigma0 = ternlog512::<XOR3>(ror::<1>(w15), ror::<8>(w15), _mm512_srli_epi64::<7>(w15));
                let sigma1 = ternlog512::<XOR3>(ror::<19>(w2), ror::<61>(w2), _mm512_srli_epi64::<6>(w2));
                let sum = _mm512_add_epi64(_mm512_add_epi64(w[$t], w[($t + 9) % 16]), sigma0);
                w[$t] = _mm512_add_epi64(sum, sigma1);
            };
        }
        macro_rules! sixteen {
            ($round:ident) => { $round!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
        }
        let [k, later @ ..] = K.as_chunks::<16>().0 else { unreachable!("80 constants") };
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
            *s = _mm512_add_epi64(*s, before);
        }
    }
    for (state, s) in states.iter_mut().zip(transpose8(s)) {
        store512_u64(state, s);
    }
}

/// Hands word t of block `i` of each message to `take`, for all t. Each caller has this function to itself, so that it is
/// inlined and leaves no array of words on the stack.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn words(blocks: &[&[[u8; 128]]; 8], i: usize, mut take: impl FnMut(usize, __m512i)) {
    let big_endian = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    for half in [0, 1] {
        let words = transpose8(core::array::from_fn(|lane| {
            _mm512_shuffle_epi8(load512(&blocks[lane][i].as_chunks::<64>().0[half]), big_endian)
        }));
        for (t, word) in words.into_iter().enumerate() {
            take(8 * half + t, word);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn ror<const N: i32>(x: __m512i) -> __m512i {
    _mm512_ror_epi64::<N>(x)
}

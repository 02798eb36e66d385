//! Four states, one lane of each in a ymm register.
//!
//! Floor, a round: θ 50 XOR and 5 rotations, ρ 24 rotations, χ 50, ι 1; a rotation is two shifts and an OR, but for the
//! two by whole bytes a shuffle: 184 operations on three ports, 1470 cycles a permutation, if the 25 lanes that do not
//! fit into 16 registers move in and out for free.

use super::{absorb_block, last_pair, next_blocks, pair, rounds};
use crate::cpu::{Features, Kernel};
use crate::hash::many::MAX_LANES;
use crate::hash::sha3::keccak::{ManyKernel, Rate, State};
use crate::simd::{load128, load128_u64, store128_u64, store256_u64};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<ManyKernel> = {
    let absorb = |states: &mut [State; MAX_LANES], rate: Rate, data: &[&[u8]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { absorb(states, rate, data) }
    };
    // SAFETY: `absorb` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2, ManyKernel { width: 4, absorb, in_step: None }) }
};

#[target_feature(enable = "avx2")]
fn absorb(states: &mut [State; MAX_LANES], rate: Rate, data: &[&[u8]; MAX_LANES]) {
    let (states, data) = (&mut states.as_chunks_mut().0[0], &data.as_chunks().0[0]);
    match rate {
        Rate::R168 => absorb_blocks::<168>(states, data),
        Rate::R144 => absorb_blocks::<144>(states, data),
        Rate::R136 => absorb_blocks::<136>(states, data),
        Rate::R104 => absorb_blocks::<104>(states, data),
        Rate::R72 => absorb_blocks::<72>(states, data),
    }
}

#[target_feature(enable = "avx2")]
fn absorb_blocks<const RATE: usize>(states: &mut [State; 4], data: &[&[u8]; 4]) {
    let mut memory = load(states);
    absorb_loaded::<RATE>(&mut memory, data);
    store(states, &memory);
}

/// On its own, so that the lanes are registers inside and memory outside.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn absorb_loaded<const RATE: usize>(memory: &mut [__m256i; 25], data: &[&[u8]; 4]) {
    let mut s = *memory;
    let mut rest = *data;
    while let Some(blocks) = next_blocks::<RATE, 4>(&mut rest) {
        absorb_block!(s, blocks, RATE, 0 1 2 3 4 5 6 7 8 9);
        rounds!(s, false);
    }
    *memory = s;
}

/// 16 bytes of each of four messages to two vectors of four words: the first words and the second.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn columns(two: impl Fn(usize) -> __m128i) -> [__m256i; 2] {
    let even = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(two(0)), two(2));
    let odd = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(two(1)), two(3));
    [_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd)]
}

#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn load(states: &[State; 4]) -> [__m256i; 25] {
    let mut s = [_mm256_setzero_si256(); 25];
    for (pair, s) in s.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        *s = columns(|i| load128_u64(&states[i].as_chunks().0[pair]));
    }
    s[24] = columns(|i| _mm_cvtsi64_si128(states[i][24] as i64))[0];
    s
}

#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn store(states: &mut [State; 4], s: &[__m256i; 25]) {
    for (pair, s) in s.as_chunks::<2>().0.iter().enumerate() {
        let even = _mm256_unpacklo_epi64(s[0], s[1]);
        let odd = _mm256_unpackhi_epi64(s[0], s[1]);
        for (i, v) in [(0, even), (1, odd)] {
            store128_u64(&mut states[i].as_chunks_mut().0[pair], _mm256_castsi256_si128(v));
            store128_u64(&mut states[i + 2].as_chunks_mut().0[pair], _mm256_extracti128_si256::<1>(v));
        }
    }
    let mut last = [0; 4];
    store256_u64(&mut last, s[24]);
    for (state, last) in states.iter_mut().zip(last) {
        state[24] = last;
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn parity(a: [__m256i; 5]) -> __m256i {
    xor(xor(xor(a[0], a[1]), xor(a[2], a[3])), a[4])
}

#[inline]
#[target_feature(enable = "avx2")]
fn neighbours(west: __m256i, east: __m256i) -> __m256i {
    xor(west, east)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: __m256i, d: __m256i) -> __m256i {
    xor(a, d)
}

#[inline]
#[target_feature(enable = "avx2")]
fn chi(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(a, _mm256_andnot_si256(b, c))
}

#[inline]
#[target_feature(enable = "avx2")]
fn rol<const N: i32>(a: __m256i) -> __m256i {
    let left = _mm256_sll_epi64(a, _mm_cvtsi32_si128(N));
    _mm256_or_si256(left, _mm256_srl_epi64(a, _mm_cvtsi32_si128(64 - N)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn all(word: u64) -> __m256i {
    _mm256_set1_epi64x(word as i64)
}

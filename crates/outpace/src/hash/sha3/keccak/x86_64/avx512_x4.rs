//! Four states, one lane of each in a ymm register: VPTERNLOG for θ and χ, VPROLQ for ρ.
//!
//! Floor: the 90 operations a round of the kernel for eight states, here on three ports: 720 cycles a permutation.

use super::avx2_x4::{columns, load, store};
use super::{absorb_block, halves, last_pair, next_blocks, pair, rounds};
use crate::cpu::{Features, Kernel};
use crate::hash::many::MAX_LANES;
use crate::hash::sha3::keccak::{ManyKernel, Rate, State};
use crate::simd::{load128, ternlog256};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<ManyKernel> = kernel::<false>("avx512");

/// For CPUs whose 512-bit instructions take two passes.
pub(crate) const HALVES: Kernel<ManyKernel> = kernel::<true>("avx512-halves").suited_to(Features::HALVES);

const fn kernel<const HALVES: bool>(name: &'static str) -> Kernel<ManyKernel> {
    let absorb = |states: &mut [State; MAX_LANES], rate: Rate, data: &[&[u8]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { absorb::<HALVES>(states, rate, data) }
    };
    // SAFETY: `absorb` is built for exactly the features named here.
    unsafe { Kernel::new(name, Features::AVX512, ManyKernel { width: 4, absorb, in_step: None }) }
}

#[target_feature(enable = "avx512f,avx512vl,avx2")]
fn absorb<const HALVES: bool>(states: &mut [State; MAX_LANES], rate: Rate, data: &[&[u8]; MAX_LANES]) {
    let (states, data) = (&mut states.as_chunks_mut().0[0], &data.as_chunks().0[0]);
    match rate {
        Rate::R168 => absorb_blocks::<168, HALVES>(states, data),
        Rate::R144 => absorb_blocks::<144, HALVES>(states, data),
        Rate::R136 => absorb_blocks::<136, HALVES>(states, data),
        Rate::R104 => absorb_blocks::<104, HALVES>(states, data),
        Rate::R72 => absorb_blocks::<72, HALVES>(states, data),
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx2")]
fn absorb_blocks<const RATE: usize, const HALVES: bool>(states: &mut [State; 4], data: &[&[u8]; 4]) {
    let mut memory = load(states);
    absorb_loaded::<RATE, HALVES>(&mut memory, data);
    store(states, &memory);
}

/// On its own, so that the lanes are registers inside and memory outside.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx2")]
fn absorb_loaded<const RATE: usize, const HALVES: bool>(memory: &mut [__m256i; 25], data: &[&[u8]; 4]) {
    let mut s = *memory;
    let mut rest = *data;
    while let Some(blocks) = next_blocks::<RATE, 4>(&mut rest) {
        absorb_block!(s, blocks, RATE, 0 1 2 3 4 5 6 7 8 9);
        if HALVES && cfg!(not(outpace_ct = "msan")) {
            s = halves::rounds256(s, parities(&s));
        } else {
            rounds!(s, true);
        }
    }
    *memory = s;
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    ternlog256::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn parity(a: [__m256i; 5]) -> __m256i {
    xor3(xor3(a[0], a[1], a[2]), a[3], a[4])
}

/// Those of all columns. A closure for each would not be inlined.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn parities(s: &[__m256i; 25]) -> [__m256i; 5] {
    [
        parity([s[0], s[5], s[10], s[15], s[20]]),
        parity([s[1], s[6], s[11], s[16], s[21]]),
        parity([s[2], s[7], s[12], s[17], s[22]]),
        parity([s[3], s[8], s[13], s[18], s[23]]),
        parity([s[4], s[9], s[14], s[19], s[24]]),
    ]
}

/// Both are added at once, so their sum is never made.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn neighbours(west: __m256i, east: __m256i) -> [__m256i; 2] {
    [west, east]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn add(a: __m256i, d: [__m256i; 2]) -> __m256i {
    xor3(a, d[0], d[1])
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn chi(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    ternlog256::<0xd2>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn rol<const N: i32>(a: __m256i) -> __m256i {
    _mm256_rol_epi64::<N>(a)
}

#[inline]
#[target_feature(enable = "avx2")]
fn all(word: u64) -> __m256i {
    _mm256_set1_epi64x(word as i64)
}

//! SHA-256 for CPUs that have AVX2 but no SHA-NI: the schedules of two blocks side by side in ymm registers, the rounds
//! with the scalar RORX and ANDN of BMI.
//!
//! Floor: a round is 17 scalar operations and a dependency of about 7 cycles, so 450 cycles a block; the schedule's
//! vector operations run beside it.

use crate::cpu::{Features, Kernel};
use crate::hash::sha2::Sha2Kernel;
use crate::hash::sha2::sha256::portable::rounds;
use crate::hash::sha2::sha256::{K, State};
use crate::simd::{load128, load128_u32, store256_u32};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 64>> = {
    // SAFETY: reached only through the kernel below, so on a CPU that has its features.
    let blocks = Sha2Kernel::of_blocks(|state, blocks| unsafe { compress(state, blocks) });
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2.and(Features::BMI2), blocks) }
};

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn compress(state: &mut State, blocks: &[[u8; 64]]) {
    let mut wk = [[0u32; 64]; 2];
    for pair in blocks.chunks(2) {
        schedule(&pair[0], &pair[pair.len() - 1], &mut wk);
        rounds(state, &wk[0]);
        if pair.len() == 2 {
            rounds(state, &wk[1]);
        }
    }
}

/// Section 6.2.2, step 1, plus the round constants, for two blocks; four words of each a step.
#[inline]
#[target_feature(enable = "avx2")]
fn schedule(first: &[u8; 64], second: &[u8; 64], wk: &mut [[u32; 64]; 2]) {
    let big_endian = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
    let (first, second) = (first.as_chunks::<16>().0, second.as_chunks::<16>().0);
    let mut w = [_mm256_setzero_si256(); 4];
    for t in 0..16 {
        w[t % 4] = if t < 4 {
            _mm256_shuffle_epi8(_mm256_set_m128i(load128(&second[t]), load128(&first[t])), big_endian)
        } else {
            let (w16, w12, w8, w4) = (w[t % 4], w[(t + 1) % 4], w[(t + 2) % 4], w[(t + 3) % 4]);
            let w15 = _mm256_alignr_epi8::<4>(w12, w16);
            let w7 = _mm256_alignr_epi8::<4>(w4, w8);
            let part = _mm256_add_epi32(_mm256_add_epi32(w16, w7), sigma0(w15));
            // The last two words need the first two: sigma1 in two halves.
            let low = _mm256_add_epi32(part, sigma1(_mm256_shuffle_epi32::<0b1111_1110>(w4), false));
            _mm256_add_epi32(low, sigma1(_mm256_shuffle_epi32::<0b0100_0100>(low), true))
        };
        let sum = _mm256_add_epi32(w[t % 4], _mm256_broadcastsi128_si256(load128_u32(&K.as_chunks::<4>().0[t])));
        let mut both = [0; 8];
        store256_u32(&mut both, sum);
        wk[0][4 * t..4 * t + 4].copy_from_slice(&both[..4]);
        wk[1][4 * t..4 * t + 4].copy_from_slice(&both[4..]);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn rotate_right<const N: i32, const M: i32>(x: __m256i) -> __m256i {
    const { assert!(N + M == 32) };
    _mm256_or_si256(_mm256_srli_epi32::<N>(x), _mm256_slli_epi32::<M>(x))
}

#[inline]
#[target_feature(enable = "avx2")]
fn sigma0(x: __m256i) -> __m256i {
    let rotated = _mm256_xor_si256(rotate_right::<7, 25>(x), rotate_right::<18, 14>(x));
    _mm256_xor_si256(rotated, _mm256_srli_epi32::<3>(x))
}

/// σ1 of the words in one half of each 128-bit lane, zero in the other half.
#[inline]
#[target_feature(enable = "avx2")]
fn sigma1(x: __m256i, upper: bool) -> __m256i {
    let rotated = _mm256_xor_si256(rotate_right::<17, 15>(x), rotate_right::<19, 13>(x));
    let all = _mm256_xor_si256(rotated, _mm256_srli_epi32::<10>(x));
    let half = if upper { _mm256_set_epi64x(-1, 0, -1, 0) } else { _mm256_set_epi64x(0, -1, 0, -1) };
    _mm256_and_si256(all, half)
}

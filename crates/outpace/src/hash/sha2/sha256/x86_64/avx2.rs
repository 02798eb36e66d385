//! SHA-256 for CPUs that have AVX2 but no SHA-NI: the schedules of two blocks side by side in ymm registers, four words of
//! each a step, between the scalar rounds of the first of the blocks; the rounds of the second go alone.
//!
//! Floor: that of the rounds, 5.5 cycles on four ALUs. With the schedule of both, a round of the first is 32 instructions,
//! so on a CPU that starts four a cycle (Haswell to Skylake) eight cycles, and six in the second block. Measured on Zen 4:
//! 6.6 on average.

use super::rounds::{Rounds, Sixteen, four_rounds};
use crate::cpu::{Features, Kernel};
use crate::hash::sha2::Sha2Kernel;
use crate::hash::sha2::rounds::{rorx, round};
use crate::hash::sha2::sha256::{K, State};
use crate::mem::Secret;
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
    let [first, later @ ..] = K.as_chunks::<4>().0.as_chunks::<4>().0 else { unreachable!("64 constants") };
    let mut wk = Secret::new([[[0; 8]; 4]; 4]);
    for blocks in blocks.chunks(2) {
        let mut w = words(&blocks[0], &blocks[blocks.len() - 1]);
        for i in 0..4 {
            store256_u32(&mut wk[0][i], _mm256_add_epi32(w[i], twice(&first[i])));
        }
        let mut rounds = Rounds::new(state);
        for (t, k) in later.iter().enumerate() {
            let Some(now_and_next) = wk[t..].first_chunk_mut() else { unreachable!("two items") };
            four_and_step::<0>(&mut rounds, &mut w, now_and_next, k);
            four_and_step::<1>(&mut rounds, &mut w, now_and_next, k);
            four_and_step::<2>(&mut rounds, &mut w, now_and_next, k);
            four_and_step::<3>(&mut rounds, &mut w, now_and_next, k);
        }
        // SAFETY: this function has BMI2.
        unsafe { rounds.sixteen(&wk[3], 0) };
        rounds.finish(state);
        if blocks.len() == 2 {
            let mut rounds = Rounds::<true>::new(state);
            for wk in wk.iter() {
                // SAFETY: likewise.
                unsafe { rounds.sixteen(wk, 4) };
            }
            rounds.finish(state);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn words(first: &[u8; 64], second: &[u8; 64]) -> [__m256i; 4] {
    let big_endian = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
    let (first, second) = (first.as_chunks::<16>().0, second.as_chunks::<16>().0);
    let mut w = [_mm256_setzero_si256(); 4];
    for i in 0..4 {
        w[i] = _mm256_shuffle_epi8(_mm256_set_m128i(load128(&second[i]), load128(&first[i])), big_endian);
    }
    w
}

#[inline]
#[target_feature(enable = "avx2")]
fn twice(k: &[u32; 4]) -> __m256i {
    _mm256_broadcastsi128_si256(load128_u32(k))
}

/// Rounds 4I to 4I + 3 of sixteen of the first block, and the words of both for the same place sixteen rounds on. The last
/// two of them need the first two: σ1 comes in two halves, each of two words doubled to 64 bits, of which a shift is a
/// rotation of 32.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn four_and_step<const I: usize>(
    rounds: &mut Rounds<true>,
    w: &mut [__m256i; 4],
    wk: &mut [Sixteen<8>; 2],
    k: &Sixteen<4>,
) {
    let [w1, w2, w3] = [1, 2, 3].map(|i| w[(I + i) % 4]);
    // The words of a half, from the lower halves of two 64-bit words; zero in the other half.
    let low = _mm256_broadcastsi128_si256(_mm_set_epi64x(-1, 0x0b0a_0908_0302_0100));
    let high = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0b0a_0908_0302_0100, -1));
    // SAFETY: reads four words of the first sixteen of `wk`, writes a row of the second, and registers.
    unsafe {
        four_rounds!(rounds, I, rorx,
            ["" "vpalignr {v}, {w1}, {w0}, 4" "vpalignr {z}, {w3}, {w2}, 4" "vpaddd {w0}, {w0}, {z}" "vpsrld {z}, {v}, 3"
             "vpsrld {s}, {v}, 7" "vpxor {z}, {z}, {s}" "vpslld {s}, {v}, 14"]
            ["vpxor {z}, {z}, {s}" "vpsrld {s}, {v}, 18" "vpxor {z}, {z}, {s}" "vpslld {s}, {v}, 25" "vpxor {z}, {z}, {s}"
             "vpaddd {w0}, {w0}, {z}" "vpshufd {v}, {w3}, 0xfa" "vpsrlq {z}, {v}, 17"]
            ["vpsrlq {s}, {v}, 19" "vpsrld {v}, {v}, 10" "vpxor {z}, {z}, {s}" "vpxor {v}, {v}, {z}"
             "vpshufb {v}, {v}, {low}" "vpaddd {w0}, {w0}, {v}" "vpshufd {v}, {w0}, 0x50" "vpsrlq {z}, {v}, 17"]
            ["vpsrlq {s}, {v}, 19" "vpsrld {v}, {v}, 10" "vpxor {z}, {z}, {s}" "vpxor {v}, {v}, {z}"
             "vpshufb {v}, {v}, {high}" "vpaddd {w0}, {w0}, {v}" "vpaddd {v}, {w0}, {k}"
             "vmovdqu [{words} + {row} + 128], {v}"],
            words = in(reg) wk.as_mut_ptr(), row = const 32 * I, k = in(ymm_reg) twice(&k[I]),
            w0 = inout(ymm_reg) w[I], w1 = in(ymm_reg) w1, w2 = in(ymm_reg) w2, w3 = in(ymm_reg) w3,
            low = in(ymm_reg) low, high = in(ymm_reg) high,
            v = out(ymm_reg) _, z = out(ymm_reg) _, s = out(ymm_reg) _, options(nostack));
    }
}

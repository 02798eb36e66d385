//! SHA-512 with AVX2 and BMI2: the schedules of two blocks side by side in ymm registers, two words of each a step, beside
//! the scalar rounds of the first of the blocks.
//!
//! Floor: that of the rounds; a step of the schedule is 22 operations for four words.

use super::rounds::Rounds;
use crate::cpu::{Features, Kernel};
use crate::hash::sha2::Sha2Kernel;
use crate::hash::sha2::sha512::{K, State};
use crate::simd::{load128, load128_u64, store256_u64};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 128>> = {
    // SAFETY: reached only through the kernel below, so on a CPU that has its features.
    let blocks = Sha2Kernel::of_blocks(|state, blocks| unsafe { compress(state, blocks) });
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2.and(Features::BMI2), blocks) }
};

/// W + K: two words of each of two blocks, forty times.
type Schedule = [[u64; 4]; 40];

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
pub(super) fn compress(state: &mut State, blocks: &[[u8; 128]]) {
    let mut wk: Schedule = [[0; 4]; 40];
    for blocks in blocks.chunks(2) {
        let mut w = load(&blocks[0], &blocks[blocks.len() - 1], &mut wk);
        let mut rounds = Rounds::new(state);
        for t in [0, 8, 16, 24] {
            pair::<0>(&mut rounds, &mut w, &mut wk, t);
            pair::<1>(&mut rounds, &mut w, &mut wk, t);
            pair::<2>(&mut rounds, &mut w, &mut wk, t);
            pair::<3>(&mut rounds, &mut w, &mut wk, t);
            pair::<4>(&mut rounds, &mut w, &mut wk, t);
            pair::<5>(&mut rounds, &mut w, &mut wk, t);
            pair::<6>(&mut rounds, &mut w, &mut wk, t);
            pair::<7>(&mut rounds, &mut w, &mut wk, t);
        }
        rounds.sixteen(wk[32..].as_chunks().0, 0);
        rounds.finish(state);
        if blocks.len() == 2 {
            let mut rounds = Rounds::new(state);
            rounds.sixteen(wk.as_chunks().0, 2);
            rounds.finish(state);
        }
    }
}

/// The words of two blocks; the first sixteen W + K.
#[inline]
#[target_feature(enable = "avx2")]
fn load(first: &[u8; 128], second: &[u8; 128], wk: &mut Schedule) -> [__m256i; 8] {
    let big_endian = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let (first, second) = (first.as_chunks::<16>().0, second.as_chunks::<16>().0);
    let mut w = [_mm256_setzero_si256(); 8];
    for i in 0..8 {
        w[i] = _mm256_shuffle_epi8(_mm256_set_m128i(load128(&second[i]), load128(&first[i])), big_endian);
        store256_u64(&mut wk[i], add_k(w[i], i));
    }
    w
}

/// Rounds 2(t + I) and 2(t + I) + 1 of the first block, and the words for the same place sixteen rounds on.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn pair<const I: usize>(rounds: &mut Rounds, w: &mut [__m256i; 8], wk: &mut Schedule, t: usize) {
    rounds.two::<I, _>(&wk[t + I], 0);
    let w15 = _mm256_alignr_epi8::<8>(w[(I + 1) % 8], w[I]);
    let w7 = _mm256_alignr_epi8::<8>(w[(I + 5) % 8], w[(I + 4) % 8]);
    let w2 = w[(I + 7) % 8];
    let sigma0 = xor3(ror::<1, 63>(w15), ror::<8, 56>(w15), _mm256_srli_epi64::<7>(w15));
    let sigma1 = xor3(ror::<19, 45>(w2), ror::<61, 3>(w2), _mm256_srli_epi64::<6>(w2));
    w[I] = _mm256_add_epi64(_mm256_add_epi64(_mm256_add_epi64(w[I], w7), sigma0), sigma1);
    store256_u64(&mut wk[t + 8 + I], add_k(w[I], t + 8 + I));
}

/// The constants of the rounds 2i and 2i + 1, added to each block's words.
#[inline]
#[target_feature(enable = "avx2")]
fn add_k(w: __m256i, i: usize) -> __m256i {
    _mm256_add_epi64(w, _mm256_broadcastsi128_si256(load128_u64(&K.as_chunks().0[i])))
}

#[inline]
#[target_feature(enable = "avx2")]
fn ror<const N: i32, const M: i32>(x: __m256i) -> __m256i {
    const { assert!(N + M == 64) };
    _mm256_or_si256(_mm256_srli_epi64::<N>(x), _mm256_slli_epi64::<M>(x))
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_xor_si256(a, b), c)
}

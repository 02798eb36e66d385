//! SHA-512 with AVX2 and BMI2: the schedules of two blocks side by side in ymm registers, two words of each a step, beside
//! the scalar rounds of the first of the blocks.
//!
//! Floor: that of the rounds; a step of the schedule is 22 operations for four words.

use super::rounds::{Constants, Rounds, Sixteen};
use crate::cpu::{Features, Kernel};
use crate::hash::sha2::Sha2Kernel;
use crate::hash::sha2::sha512::{K, State};
use crate::mem::Secret;
use crate::simd::{load128, load128_u64, store256_u64};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 128>> = kernel::<false>();

/// With rounds for four ALUs.
pub(crate) const FOUR_ALUS: Kernel<Sha2Kernel<State, 128>> = kernel::<true>().suited_to(Features::FOUR_ALUS);

const fn kernel<const FOUR: bool>() -> Kernel<Sha2Kernel<State, 128>> {
    // SAFETY: reached only through the kernel below, so on a CPU that has its features.
    let blocks = Sha2Kernel::of_blocks(|state, blocks| unsafe { compress::<FOUR>(state, blocks) });
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new(if FOUR { "avx2-four-alus" } else { "avx2" }, Features::AVX2.and(Features::BMI2), blocks) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
pub(super) fn compress<const FOUR: bool>(state: &mut State, blocks: &[[u8; 128]]) {
    let [first, later @ ..] = K.as_chunks::<2>().0.as_chunks::<8>().0 else { unreachable!("eighty constants") };
    // W + K: two words of each of two blocks, forty times.
    let mut wk = Secret::new([[[0; 4]; 8]; 5]);
    for blocks in blocks.chunks(2) {
        let mut w = load(&blocks[0], &blocks[blocks.len() - 1], &mut wk[0], first);
        let mut rounds = Rounds::<FOUR>::new(state);
        for (t, k) in later.iter().enumerate() {
            let Some(now_and_next) = wk[t..].first_chunk_mut() else { unreachable!("two items") };
            pair::<FOUR, 0>(&mut rounds, &mut w, now_and_next, k);
            pair::<FOUR, 1>(&mut rounds, &mut w, now_and_next, k);
            pair::<FOUR, 2>(&mut rounds, &mut w, now_and_next, k);
            pair::<FOUR, 3>(&mut rounds, &mut w, now_and_next, k);
            pair::<FOUR, 4>(&mut rounds, &mut w, now_and_next, k);
            pair::<FOUR, 5>(&mut rounds, &mut w, now_and_next, k);
            pair::<FOUR, 6>(&mut rounds, &mut w, now_and_next, k);
            pair::<FOUR, 7>(&mut rounds, &mut w, now_and_next, k);
        }
        rounds.sixteen(&wk[4], 0);
        rounds.finish(state);
        if blocks.len() == 2 {
            let mut rounds = Rounds::<FOUR>::new(state);
            wk.iter().for_each(|words| rounds.sixteen(words, 2));
            rounds.finish(state);
        }
    }
}

/// The words of two blocks; the first sixteen W + K.
#[inline]
#[target_feature(enable = "avx2")]
fn load(first: &[u8; 128], second: &[u8; 128], wk: &mut Sixteen<4>, k: &Constants) -> [__m256i; 8] {
    let big_endian = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let (first, second) = (first.as_chunks::<16>().0, second.as_chunks::<16>().0);
    let mut w = [_mm256_setzero_si256(); 8];
    for i in 0..8 {
        w[i] = _mm256_shuffle_epi8(_mm256_set_m128i(load128(&second[i]), load128(&first[i])), big_endian);
        store256_u64(&mut wk[i], add_k(w[i], &k[i]));
    }
    w
}

/// Rounds 2I and 2I + 1 of sixteen of the first block, and the words for the same place sixteen rounds on.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn pair<const FOUR: bool, const I: usize>(
    rounds: &mut Rounds<FOUR>,
    w: &mut [__m256i; 8],
    now_and_next: &mut [Sixteen<4>; 2],
    k: &Constants,
) {
    #[cfg(not(outpace_ct = "msan"))]
    if FOUR {
        let k = _mm256_broadcastsi128_si256(load128_u64(&k[I]));
        let rotate = _mm256_broadcastsi128_si256(_mm_set_epi64x(0x080f_0e0d_0c0b_0a09, 0x0007_0605_0403_0201));
        return rounds.two_and_step::<I>(now_and_next, w, k, rotate);
    }
    let [now, next] = now_and_next;
    rounds.two::<I, _>(now, 0);
    let w15 = _mm256_alignr_epi8::<8>(w[(I + 1) % 8], w[I]);
    let w7 = _mm256_alignr_epi8::<8>(w[(I + 5) % 8], w[(I + 4) % 8]);
    let w2 = w[(I + 7) % 8];
    let sigma0 = xor3(ror::<1, 63>(w15), ror::<8, 56>(w15), _mm256_srli_epi64::<7>(w15));
    let sigma1 = xor3(ror::<19, 45>(w2), ror::<61, 3>(w2), _mm256_srli_epi64::<6>(w2));
    w[I] = _mm256_add_epi64(_mm256_add_epi64(_mm256_add_epi64(w[I], w7), sigma0), sigma1);
    store256_u64(&mut next[I], add_k(w[I], &k[I]));
}

/// The constants of two rounds, added to each block's words.
#[inline]
#[target_feature(enable = "avx2")]
fn add_k(w: __m256i, k: &[u64; 2]) -> __m256i {
    _mm256_add_epi64(w, _mm256_broadcastsi128_si256(load128_u64(k)))
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

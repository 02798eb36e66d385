//! SHA-512 with AVX-512: the schedules of four blocks side by side in zmm registers (VPRORQ, VPTERNLOG), two words of
//! each a step, beside the scalar rounds of the first of the blocks.
//!
//! One or two blocks go the AVX2 way. Floor: that of the rounds; a step of the schedule is 14 operations for eight words.
//! Cores with four ALUs go the way of [`paired`].

use super::rounds::{Constants, Rounds, Sixteen};
use super::{avx2, paired};
use crate::cpu::{Features, Kernel};
use crate::hash::sha2::sha512::{K, State};
use crate::hash::sha2::{Compress, Finish, Sha2Kernel};
use crate::mem::Secret;
use crate::simd::{load128, load128_u64, load512_partial, store512, store512_u64, ternlog512};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 128>> = kernel::<false>();

/// For four ALUs.
pub(crate) const FOUR_ALUS: Kernel<Sha2Kernel<State, 128>> = kernel::<true>().suited_to(Features::FOUR_ALUS);

const fn kernel<const FOUR: bool>() -> Kernel<Sha2Kernel<State, 128>> {
    // SAFETY: reached only through the kernel below, so on a CPU that has its features.
    let middle: Compress<State, 128> = |state, blocks| unsafe { compress::<FOUR>(state, blocks) };
    // SAFETY: likewise.
    let end: Finish<State, 128> = |state, blocks, rest, total| unsafe { finish::<FOUR>(state, blocks, rest, total) };
    let kernel = Sha2Kernel { compress: middle, finish: Some(end), nest: None, pair: None };
    let name = if FOUR { "avx512-four-alus" } else { "avx512" };
    // SAFETY: `compress` and `finish` are built for exactly the features named here.
    unsafe { Kernel::new(name, Features::AVX512.and(Features::AVX2).and(Features::BMI2), kernel) }
}

/// Pads in registers: bytes stored one by one and loaded as vectors would wait for their stores.
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,lzcnt")]
fn finish<const FOUR: bool>(state: &mut State, blocks: &[[u8; 128]], rest: &[u8], total: u128) {
    if !blocks.is_empty() {
        compress::<FOUR>(state, blocks);
    }
    let (low, high) = rest.split_at(rest.len().min(64));
    let one = 1u128 << (rest.len() & 127);
    let one_bit = |mask: u64, bytes| _mm512_mask_mov_epi8(bytes, mask, _mm512_set1_epi8(0x80_u8 as i8));
    let first = one_bit(one as u64, load512_partial(low));
    let mut second = one_bit((one >> 64) as u64, load512_partial(high));
    let [upper, lower] = [(total << 3) >> 64, total << 3].map(|half| (half as u64).swap_bytes() as i64);
    let length = _mm512_inserti64x2::<3>(_mm512_setzero_si512(), _mm_set_epi64x(lower, upper));
    let mut last = Secret::new([[0; 64]; 4]);
    let n = if rest.len() > 111 { 2 } else { 1 };
    if n == 2 {
        store512(&mut last[3], length);
    } else {
        second = _mm512_or_si512(second, length);
    }
    store512(&mut last[0], first);
    store512(&mut last[1], second);
    let last = &last.as_flattened().as_chunks().0[..n];
    if FOUR { paired::compress(state, last) } else { avx2::compress::<false>(state, last) }
}

#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,lzcnt")]
fn compress<const FOUR: bool>(state: &mut State, blocks: &[[u8; 128]]) {
    if FOUR {
        return paired::compress(state, blocks);
    }
    // One or two at the end: half empty zmm registers would only keep a vector port closed.
    let (blocks, last) = blocks.split_at(blocks.len() - if blocks.len() % 4 < 3 { blocks.len() % 4 } else { 0 });
    if !blocks.is_empty() {
        in_fours(state, blocks);
    }
    if !last.is_empty() {
        avx2::compress::<false>(state, last);
    }
}

#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,lzcnt")]
fn in_fours(state: &mut State, blocks: &[[u8; 128]]) {
    let [first, later @ ..] = K.as_chunks::<2>().0.as_chunks::<8>().0 else { unreachable!("eighty constants") };
    // W + K: two words of each of four blocks, forty times.
    let mut wk = Secret::new([[[0; 8]; 8]; 5]);
    for blocks in blocks.chunks(4) {
        let mut w = load(blocks, &mut wk[0], first);
        let mut rounds = Rounds::<false>::new(state);
        for (t, k) in later.iter().enumerate() {
            let [now, next] = &mut wk[t..t + 2] else { unreachable!("two items") };
            pair::<0>(&mut rounds, &mut w, now, next, k);
            pair::<1>(&mut rounds, &mut w, now, next, k);
            pair::<2>(&mut rounds, &mut w, now, next, k);
            pair::<3>(&mut rounds, &mut w, now, next, k);
            pair::<4>(&mut rounds, &mut w, now, next, k);
            pair::<5>(&mut rounds, &mut w, now, next, k);
            pair::<6>(&mut rounds, &mut w, now, next, k);
            pair::<7>(&mut rounds, &mut w, now, next, k);
        }
        rounds.sixteen(&wk[4], 0);
        rounds.finish(state);
        for lane in 1..blocks.len() {
            let mut rounds = Rounds::<false>::new(state);
            wk.iter().for_each(|words| rounds.sixteen(words, 2 * lane));
            rounds.finish(state);
        }
    }
}

/// The words of up to four blocks, missing blocks replaced by the last; the first sixteen W + K.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn load(blocks: &[[u8; 128]], wk: &mut Sixteen<8>, k: &Constants) -> [__m512i; 8] {
    let big_endian = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    let last = blocks.len() - 1;
    let lanes = [0, 1, 2, 3].map(|lane: usize| blocks[lane.min(last)].as_chunks::<16>().0);
    let mut w = [_mm512_setzero_si512(); 8];
    for i in 0..8 {
        let v = _mm512_castsi128_si512(load128(&lanes[0][i]));
        let v = _mm512_inserti64x2::<1>(v, load128(&lanes[1][i]));
        let v = _mm512_inserti64x2::<2>(v, load128(&lanes[2][i]));
        let v = _mm512_inserti64x2::<3>(v, load128(&lanes[3][i]));
        w[i] = _mm512_shuffle_epi8(v, big_endian);
        store512_u64(&mut wk[i], add_k(w[i], &k[i]));
    }
    w
}

/// Rounds 2(t + I) and 2(t + I) + 1 of the first block, and the words for the same place sixteen rounds on.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,lzcnt")]
fn pair<const I: usize>(
    rounds: &mut Rounds<false>,
    w: &mut [__m512i; 8],
    now: &Sixteen<8>,
    next: &mut Sixteen<8>,
    k: &Constants,
) {
    rounds.two::<I, _>(now, 0);
    let w15 = _mm512_alignr_epi8::<8>(w[(I + 1) % 8], w[I]);
    let w7 = _mm512_alignr_epi8::<8>(w[(I + 5) % 8], w[(I + 4) % 8]);
    let w2 = w[(I + 7) % 8];
    let sigma0 = xor3(_mm512_ror_epi64::<1>(w15), _mm512_ror_epi64::<8>(w15), _mm512_srli_epi64::<7>(w15));
    let sigma1 = xor3(_mm512_ror_epi64::<19>(w2), _mm512_ror_epi64::<61>(w2), _mm512_srli_epi64::<6>(w2));
    w[I] = _mm512_add_epi64(_mm512_add_epi64(_mm512_add_epi64(w[I], w7), sigma0), sigma1);
    store512_u64(&mut next[I], add_k(w[I], &k[I]));
}

/// The constants of two rounds, added to each block's words.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn add_k(w: __m512i, k: &[u64; 2]) -> __m512i {
    _mm512_add_epi64(w, _mm512_broadcast_i64x2(load128_u64(k)))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    ternlog512::<0x96>(a, b, c)
}

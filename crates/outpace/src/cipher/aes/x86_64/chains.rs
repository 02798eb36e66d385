//! Modes in which a block waits for the one before it: CBC-MAC, CCM, key wrapping.
//!
//! Floor: the latency of AESENC, 4 cycles on Zen 4 and 3 on Golden Cove, times the rounds. What comes between two blocks is
//! added to the last round key beforehand where that is possible; counter mode runs in the shadow of the chain.

use super::by_rounds;
use crate::cipher::aes::RoundKeys;
use crate::mem::InOut;
use crate::simd::{load128, store128};
use core::arch::x86_64::*;

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
pub(super) fn mac(keys: &RoundKeys, chain: &mut [u8; 16], blocks: &[[u8; 16]]) {
    by_rounds!(keys.rounds, mac_blocks[](keys, chain, blocks));
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
pub(super) fn ccm<const OPEN: bool>(keys: &RoundKeys, chain: &mut [u8; 16], counter: &mut [u8; 16], data: InOut<'_>) {
    by_rounds!(keys.rounds, ccm_blocks[OPEN](keys, chain, counter, data));
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
pub(super) fn wrap(keys: &RoundKeys, start: &mut [u8; 8], words: &mut [[u8; 8]]) {
    by_rounds!(keys.rounds, wrap_words[](keys, start, words));
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
pub(super) fn unwrap(keys: &RoundKeys, start: &mut [u8; 8], words: &mut [[u8; 8]]) {
    by_rounds!(keys.rounds, unwrap_words[](keys, start, words));
}

/// All rounds but the last, of a block to which the first key has been added.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn middle<const R: usize, const INVERSE: bool>(keys: &RoundKeys, mut x: __m128i) -> __m128i {
    for key in &keys.keys[1..R] {
        let key = load128(key);
        x = if INVERSE { _mm_aesdec_si128(x, key) } else { _mm_aesenc_si128(x, key) };
    }
    x
}

/// A block alone, in place or not.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
pub(super) fn block<const R: usize, const INVERSE: bool>(keys: &RoundKeys, mut data: InOut<'_>) {
    let mut block = [0; 16];
    data.read(0, &mut block);
    let x = middle::<R, INVERSE>(keys, _mm_xor_si128(load128(&block), load128(&keys.keys[0])));
    let end = load128(&keys.keys[R]);
    store128(&mut block, if INVERSE { _mm_aesdeclast_si128(x, end) } else { _mm_aesenclast_si128(x, end) });
    data.write(0, &block);
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn mac_blocks<const R: usize>(keys: &RoundKeys, chain: &mut [u8; 16], blocks: &[[u8; 16]]) {
    let Some((first, rest)) = blocks.split_first() else { return };
    let (begin, end) = (load128(&keys.keys[0]), load128(&keys.keys[R]));
    let link = _mm_xor_si128(begin, end);
    let mut x = _mm_xor_si128(_mm_xor_si128(load128(chain), load128(first)), begin);
    for block in rest {
        x = middle::<R, false>(keys, x);
        x = _mm_aesenclast_si128(x, _mm_xor_si128(link, load128(block)));
    }
    store128(chain, _mm_aesenclast_si128(middle::<R, false>(keys, x), end));
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn ccm_blocks<const R: usize, const OPEN: bool>(
    keys: &RoundKeys,
    chain: &mut [u8; 16],
    counter: &mut [u8; 16],
    mut data: InOut<'_>,
) {
    let reversal = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    let (begin, end) = (load128(&keys.keys[0]), load128(&keys.keys[R]));
    let link = _mm_xor_si128(begin, end);
    let mut x = _mm_xor_si128(load128(chain), begin);
    // The nonce has at least 7 bytes, so the upper half of the block never counts.
    let mut count = _mm_shuffle_epi8(load128(counter), reversal);
    let mut next = || {
        let block = _mm_xor_si128(_mm_shuffle_epi8(count, reversal), begin);
        count = _mm_add_epi64(count, _mm_set_epi64x(0, 1));
        block
    };
    let mut stream = _mm_aesenclast_si128(middle::<R, false>(keys, next()), end);
    // The chain, beside it the stream for the block after this one.
    let mut step = |x: &mut __m128i, stream: &mut __m128i, plain: __m128i| {
        (*x, *stream) = (_mm_xor_si128(*x, plain), next());
        for key in &keys.keys[1..R] {
            let key = load128(key);
            (*x, *stream) = (_mm_aesenc_si128(*x, key), _mm_aesenc_si128(*stream, key));
        }
        (*x, *stream) = (_mm_aesenclast_si128(*x, link), _mm_aesenclast_si128(*stream, end));
    };
    let whole = data.len() / 16 * 16;
    let mut at = 0;
    while at < whole {
        let mut block = [0; 16];
        data.read(at, &mut block);
        let input = load128(&block);
        let output = _mm_xor_si128(input, stream);
        store128(&mut block, output);
        data.write(at, &block);
        step(&mut x, &mut stream, if OPEN { output } else { input });
        at += 16;
    }
    if at < data.len() {
        let n = data.len() - at;
        let (mut input, mut output) = ([0; 16], [0; 16]);
        data.read(at, &mut input[..n]);
        store128(&mut output, _mm_xor_si128(load128(&input), stream));
        data.write(at, &output[..n]);
        output[n..].fill(0);
        step(&mut x, &mut stream, load128(if OPEN { &output } else { &input }));
    }
    store128(chain, _mm_xor_si128(x, begin));
    // One has been taken for a block that did not come.
    store128(counter, _mm_shuffle_epi8(_mm_sub_epi64(count, _mm_set_epi64x(0, 1)), reversal));
}

/// The word in the lower half of a register.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn low(word: [u8; 8]) -> __m128i {
    _mm_cvtsi64_si128(i64::from_le_bytes(word))
}

/// SP 800-38F, section 6.1. The number of the step, and the first half of the first key for the next step, are in the last
/// key.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn wrap_words<const R: usize>(keys: &RoundKeys, start: &mut [u8; 8], words: &mut [[u8; 8]]) {
    let (begin, end) = (load128(&keys.keys[0]), load128(&keys.keys[R]));
    let (begin_low, begin_high) = (_mm_move_epi64(begin), _mm_srli_si128::<8>(begin));
    let link = _mm_xor_si128(end, begin_low);
    let mut a = _mm_xor_si128(low(*start), begin_low);
    let mut t: u64 = 0;
    for _ in 0..6 {
        for word in &mut *words {
            t += 1;
            let x = _mm_unpacklo_epi64(a, _mm_xor_si128(low(*word), begin_high));
            a = _mm_aesenclast_si128(middle::<R, false>(keys, x), _mm_xor_si128(link, low(t.to_be_bytes())));
            *word = _mm_extract_epi64::<1>(a).to_le_bytes();
        }
    }
    *start = _mm_cvtsi128_si64(_mm_xor_si128(a, begin_low)).to_le_bytes();
}

/// Section 6.1, inverse.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn unwrap_words<const R: usize>(keys: &RoundKeys, start: &mut [u8; 8], words: &mut [[u8; 8]]) {
    let (begin, end) = (load128(&keys.keys[0]), load128(&keys.keys[R]));
    let (begin_low, begin_high) = (_mm_move_epi64(begin), _mm_srli_si128::<8>(begin));
    let link = _mm_xor_si128(end, begin_low);
    let mut t = 6 * words.len() as u64;
    let mut a = _mm_xor_si128(_mm_xor_si128(low(*start), begin_low), low(t.to_be_bytes()));
    for _ in 0..6 {
        for word in words.iter_mut().rev() {
            t -= 1;
            let x = _mm_unpacklo_epi64(a, _mm_xor_si128(low(*word), begin_high));
            a = _mm_aesdeclast_si128(middle::<R, true>(keys, x), _mm_xor_si128(link, low(t.to_be_bytes())));
            *word = _mm_extract_epi64::<1>(a).to_le_bytes();
        }
    }
    // The number of the last step is zero.
    *start = _mm_cvtsi128_si64(_mm_xor_si128(a, begin_low)).to_le_bytes();
}

//! The key schedule of FIPS 197, section 5.2, without AESKEYGENASSIST, which takes a dozen cycles.
//!
//! AESENCLAST on four equal columns is SubWord of each, since ShiftRows moves nothing then, and adds the round constant
//! as its key. The chain through a round key is a shuffle, that instruction and an XOR: 5 cycles, 50 for AES-128 and 65
//! for AES-256 in all.

use crate::cipher::aes::RoundKeys;
use crate::simd::{load128, store128};
use core::arch::x86_64::*;

/// The round keys of a key of 16, 24 or 32 bytes, in the order of the standard.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
pub(crate) fn expand(key: &[u8], out: &mut RoundKeys) {
    match key.len() {
        16 => expand128(key.first_chunk().unwrap_or(&[0; 16]), &mut out.keys),
        24 => expand192(key.first_chunk().unwrap_or(&[0; 24]), &mut out.keys),
        _ => expand256(key.first_chunk().unwrap_or(&[0; 32]), &mut out.keys),
    }
}

/// SubWord(RotWord(last word)) ⊕ rcon in all four words.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn sub_rot(key: __m128i, rcon: i32) -> __m128i {
    let rotated = _mm_shuffle_epi8(key, _mm_set1_epi32(0x0c0f_0e0d));
    _mm_aesenclast_si128(rotated, _mm_set1_epi32(rcon))
}

/// SubWord(last word) in all four words.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn sub(key: __m128i) -> __m128i {
    _mm_aesenclast_si128(_mm_shuffle_epi32::<0xff>(key), _mm_setzero_si128())
}

/// Each word XORed with all words before it.
#[inline]
#[target_feature(enable = "sse2")]
fn prefix(key: __m128i) -> __m128i {
    let key = _mm_xor_si128(key, _mm_slli_si128::<4>(key));
    _mm_xor_si128(key, _mm_slli_si128::<8>(key))
}

const RCON: [i32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn expand128(key: &[u8; 16], out: &mut [[u8; 16]; 15]) {
    let mut k = load128(key);
    store128(&mut out[0], k);
    for i in 1..=10 {
        k = _mm_xor_si128(prefix(k), sub_rot(k, RCON[i - 1]));
        store128(&mut out[i], k);
    }
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn expand192(key: &[u8; 24], out: &mut [[u8; 16]; 15]) {
    let mut four = load128(key.first_chunk().unwrap_or(&[0; 16]));
    let mut two = load128(key.last_chunk().unwrap_or(&[0; 16])); // in its upper half
    let words = out.as_flattened_mut().as_chunks_mut::<8>().0;
    let mut all = [[0; 16]; 2];
    for i in 0..9 {
        if i > 0 {
            four = _mm_xor_si128(prefix(four), sub_rot(two, RCON[i - 1]));
            let upper = _mm_xor_si128(two, _mm_slli_epi64::<32>(two));
            two = _mm_xor_si128(upper, _mm_shuffle_epi32::<0xff>(four));
        }
        store128(&mut all[0], four);
        store128(&mut all[1], two);
        // Words 6i to 6i + 5; the last two of all are beyond the thirteenth round key.
        let [_, last] = all[1].as_chunks::<8>().0 else { return };
        words[3 * i..3 * i + 2].copy_from_slice(all[0].as_chunks().0);
        words[3 * i + 2] = *last;
    }
    crate::mem::Wipe::wipe(&mut all);
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn expand256(key: &[u8; 32], out: &mut [[u8; 16]; 15]) {
    let [low, high] = key.as_chunks::<16>().0 else { return };
    let (mut a, mut b) = (load128(low), load128(high));
    store128(&mut out[0], a);
    store128(&mut out[1], b);
    for i in 1..=7 {
        a = _mm_xor_si128(prefix(a), sub_rot(b, RCON[i - 1]));
        store128(&mut out[2 * i], a);
        if i < 7 {
            b = _mm_xor_si128(prefix(b), sub(a));
            store128(&mut out[2 * i + 1], b);
        }
    }
}

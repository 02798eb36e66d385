//! AES with AES-NI, eight blocks side by side: an AESENC takes 3 to 4 cycles, and two can begin in each on current CPUs.
//!
//! Floor at two a cycle: 80 cycles for 16 blocks of AES-128, 0.31 cycles a byte; 0.44 for AES-256.

use super::{by_rounds, chains, runs, schedule};
use crate::cipher::aes::{Ops, RoundKeys};
use crate::cpu::{Features, Kernel};
use crate::mem::InOut;
use crate::simd::{load128, store128};
use core::arch::x86_64::*;

pub(in crate::cipher::aes) const KERNEL: Kernel<Ops> =
    // SAFETY: all functions are built for exactly the features named here.
    unsafe { Kernel::new("aesni", Features::AES.and(Features::SSE41), OPS) };

pub(super) const OPS: Ops =
    // SAFETY: reached only through the kernels, so on a CPU that has their features.
    unsafe {
        Ops {
            expand: |key, keys| expand(key, keys),
            invert: |keys| invert(keys),
            encrypt: |keys, data| encrypt(keys, data),
            decrypt: |keys, data| decrypt(keys, data),
            ctr: |keys, counter, data| ctr(keys, counter, data),
            xts: [
                |first, keys, tweak, data, more| xts::<false>(first, keys, tweak, data, more),
                |first, keys, tweak, data, more| xts::<true>(first, keys, tweak, data, more),
            ],
            mac: |keys, chain, blocks| chains::mac(keys, chain, blocks),
            ccm: [
                |keys, chain, counter, data| chains::ccm::<false>(keys, chain, counter, data),
                |keys, chain, counter, data| chains::ccm::<true>(keys, chain, counter, data),
            ],
            wrap: |keys, start, words| chains::wrap(keys, start, words),
            unwrap: |keys, start, words| chains::unwrap(keys, start, words),
        }
    };

#[target_feature(enable = "aes,ssse3,sse4.1")]
pub(super) fn expand(key: &[u8], keys: &mut RoundKeys) {
    // SAFETY: this function has the features.
    let _ = unsafe { schedule::expand(key, keys) };
}

/// For the equivalent inverse cipher, section 5.3.5.
#[target_feature(enable = "aes,ssse3,sse4.1")]
pub(super) fn invert(keys: &RoundKeys) -> RoundKeys {
    let rounds = keys.rounds;
    let mut inverse = RoundKeys { keys: [[0; 16]; 15], rounds };
    inverse.keys[0] = keys.keys[rounds];
    inverse.keys[rounds] = keys.keys[0];
    for i in 1..rounds {
        store128(&mut inverse.keys[i], _mm_aesimc_si128(load128(&keys.keys[rounds - i])));
    }
    inverse
}

#[target_feature(enable = "aes,ssse3,sse4.1")]
fn encrypt(keys: &RoundKeys, data: InOut<'_>) {
    by_rounds!(keys.rounds, ecb[false](keys, data));
}

#[target_feature(enable = "aes,ssse3,sse4.1")]
fn decrypt(keys: &RoundKeys, data: InOut<'_>) {
    by_rounds!(keys.rounds, ecb[true](keys, data));
}

/// `N` blocks through the cipher, or its inverse.
#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn rounds<const R: usize, const INVERSE: bool, const N: usize>(keys: &RoundKeys, x: &mut [__m128i; N]) {
    let key = load128(&keys.keys[0]);
    for x in x.iter_mut() {
        *x = _mm_xor_si128(*x, key);
    }
    for r in 1..R {
        let key = load128(&keys.keys[r]);
        for x in x.iter_mut() {
            *x = if INVERSE { _mm_aesdec_si128(*x, key) } else { _mm_aesenc_si128(*x, key) };
        }
    }
    let key = load128(&keys.keys[R]);
    for x in x.iter_mut() {
        *x = if INVERSE { _mm_aesdeclast_si128(*x, key) } else { _mm_aesenclast_si128(*x, key) };
    }
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn ecb<const R: usize, const INVERSE: bool>(keys: &RoundKeys, data: InOut<'_>) {
    if data.len() == 16 {
        return chains::block::<R, INVERSE>(keys, data);
    }
    data.for_each_block::<128>(|bytes, _| {
        let blocks = bytes.as_chunks_mut::<16>().0;
        let mut x = core::array::from_fn(|i| load128(&blocks[i]));
        rounds::<R, INVERSE, 8>(keys, &mut x);
        for (block, x) in blocks.iter_mut().zip(x) {
            store128(block, x);
        }
    });
}

#[target_feature(enable = "aes,ssse3,sse4.1")]
fn ctr(keys: &RoundKeys, counter: &mut [u8; 16], data: InOut<'_>) {
    runs(counter, data, |count, data| by_rounds!(keys.rounds, ctr_run[](keys, count, data)));
}

#[inline]
#[target_feature(enable = "aes,ssse3,sse4.1")]
fn ctr_run<const R: usize>(keys: &RoundKeys, count: u128, data: InOut<'_>) {
    let reversal = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    let mut c = _mm_set_epi64x((count >> 64) as i64, count as i64);
    let mut next = || {
        let block = _mm_shuffle_epi8(c, reversal);
        c = _mm_add_epi64(c, _mm_set_epi64x(0, 1));
        block
    };
    if data.len() <= 16 {
        return data.for_each_block::<16>(|block, _| {
            let mut x = [next()];
            rounds::<R, false, 1>(keys, &mut x);
            store128(block, _mm_xor_si128(load128(block), x[0]));
        });
    }
    data.for_each_block::<128>(|bytes, _| {
        let mut x = core::array::from_fn(|_| next());
        rounds::<R, false, 8>(keys, &mut x);
        for (block, x) in bytes.as_chunks_mut().0.iter_mut().zip(x) {
            store128(block, _mm_xor_si128(load128(block), x));
        }
    });
}

#[target_feature(enable = "aes,ssse3,sse4.1")]
fn xts<const INVERSE: bool>(
    first: Option<&RoundKeys>,
    keys: &RoundKeys,
    tweak: &mut [u8; 16],
    data: InOut<'_>,
    more: bool,
) {
    // SAFETY: this function has the features.
    unsafe { super::xts::xts::<__m128i, INVERSE>(first, keys, tweak, data, more) }
}

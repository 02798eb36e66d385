//! GCM with VAES and VPCLMULQDQ at 256 bits: two blocks to a register, eight registers side by side.
//!
//! Floor where two VAESENC and one VPCLMULQDQ begin each cycle: 14 cycles for 64 bytes of AES-256, 8 for their hash
//! beside them; three ports share about 54 operations, which makes 18 cycles, 0.28 cycles a byte.

use super::narrow;
use crate::aead::gcm::{Direction, KeyData, Ops};
use crate::cpu::{Features, Kernel};
use crate::mem::{InOut, Secret};
use core::arch::x86_64::*;

/// Sixteen blocks and the one of lengths.
const HIGHEST_USED: usize = 17;

pub(in crate::aead::gcm) const KERNEL: Kernel<Ops> = {
    // SAFETY: all functions are built for exactly the features named here.
    unsafe {
        let ops = Ops {
            expand: |key| expand(key),
            message: |key, direction, j0, aad, data| message(key, direction, j0, aad, data),
            message_once: |key, direction, j0, aad, data| message_once(key, direction, j0, aad, data),
            hash: |key, state, data| hash(key, state, data),
            crypt: |key, direction, counter, state, data| crypt(key, direction, counter, state, data),
            four: None,
        };
        let needs = Features::AVX2.and(Features::VAES).and(Features::VPCLMUL);
        Kernel::new("avx2", needs.and(Features::AES).and(Features::PCLMUL).and(Features::SSE41), ops)
    }
};

#[target_feature(enable = "avx2,vaes,vpclmulqdq")]
fn expand(key: &[u8]) -> KeyData {
    // SAFETY: this function has the features, and so in all of this file.
    unsafe { narrow::expand::<__m256i>(key, HIGHEST_USED) }
}

#[target_feature(enable = "avx2,vaes,vpclmulqdq")]
fn message(key: &KeyData, direction: Direction, j0: u128, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    // SAFETY: as above.
    unsafe {
        match direction {
            Direction::Seal => narrow::message::<__m256i, false>(key, j0, aad, data),
            Direction::Open => narrow::message::<__m256i, true>(key, j0, aad, data),
        }
    }
}

#[target_feature(enable = "avx2,vaes,vpclmulqdq")]
fn message_once(key: &[u8], direction: Direction, j0: u128, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    let powers = (data.len().max(aad.len()).div_ceil(16) + 1).min(HIGHEST_USED);
    // SAFETY: as above.
    let prepared = Secret::new(unsafe { narrow::expand::<__m256i>(key, powers) });
    message(&prepared, direction, j0, aad, data)
}

#[target_feature(enable = "avx2,vaes,vpclmulqdq")]
fn hash(key: &KeyData, state: &mut [u8; 16], data: &[u8]) {
    // SAFETY: as above.
    unsafe { narrow::hash::<__m256i>(key, state, data) }
}

#[target_feature(enable = "avx2,vaes,vpclmulqdq")]
fn crypt(key: &KeyData, direction: Direction, counter: &mut u128, state: &mut [u8; 16], data: InOut<'_>) {
    // SAFETY: as above.
    unsafe {
        match direction {
            Direction::Seal => narrow::crypt::<__m256i, false>(key, counter, state, data),
            Direction::Open => narrow::crypt::<__m256i, true>(key, counter, state, data),
        }
    }
}

//! GCM with the instructions of x86-64.
#![allow(unsafe_code)]

pub(super) mod aesni;
pub(super) mod avx2;
pub(super) mod avx512;
mod four;
pub(super) mod halves;
mod narrow;

use super::POWERS;

/// The table of powers starts with this power of H, goes down to H¹, and has zeros behind.
const HIGHEST: usize = POWERS - 4;

/// What a half of a product is multiplied by to fold it 64 bits down: x + x² + x⁷, reversed. The 1 of the polynomial is
/// the swap of halves that goes with it.
const FOLD: i64 = 0xc2 << 56;

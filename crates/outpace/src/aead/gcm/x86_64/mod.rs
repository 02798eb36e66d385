//! GCM with the instructions of x86-64.
#![allow(unsafe_code)]

pub(super) mod aesni;
pub(super) mod avx2;
pub(super) mod avx512;
mod chunks;
pub(in crate::aead) mod field;
mod four;
#[cfg(not(outpace_ct = "msan"))]
mod groups;
pub(super) mod halves;
pub(in crate::aead) mod narrow;

use super::POWERS;

/// The table of powers starts with this power of H, goes down to H¹, and has zeros behind.
const HIGHEST: usize = POWERS - 4;

/// What a half of a product is multiplied by to fold it 64 bits down: x + x² + x⁷, reversed. The 1 of the polynomial is
/// the swap of halves that goes with it.
const FOLD: i64 = 0xc2 << 56;

/// Which cipher, by its rounds, and which direction, as constants.
macro_rules! by_kind {
    ($key:expr, $direction:expr, $function:ident[$($constant:tt),*]($($argument:expr),*)) => {
        match ($key.round_keys.rounds, $direction) {
            (10, Direction::Seal) => $function::<10, false, $($constant),*>($($argument),*),
            (12, Direction::Seal) => $function::<12, false, $($constant),*>($($argument),*),
            (_, Direction::Seal) => $function::<14, false, $($constant),*>($($argument),*),
            (10, Direction::Open) => $function::<10, true, $($constant),*>($($argument),*),
            (12, Direction::Open) => $function::<12, true, $($constant),*>($($argument),*),
            (_, Direction::Open) => $function::<14, true, $($constant),*>($($argument),*),
        }
    };
}
use by_kind;

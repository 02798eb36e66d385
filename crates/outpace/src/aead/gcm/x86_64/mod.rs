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

/// The kernel of what is in `narrow`, for registers `$vector` and these CPU features.
macro_rules! narrow_kernel {
    ($name:literal, $features:literal, $needs:expr, $vector:ty) => {
        /// A chunk, and the block of lengths.
        const HIGHEST_USED: usize = 8 * <$vector as Vector>::BLOCKS + 1;

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
                Kernel::new($name, $needs, ops)
            }
        };

        #[target_feature(enable = $features)]
        fn expand(key: &[u8]) -> KeyData {
            // SAFETY: this function has the features, and so in all of this file.
            unsafe { narrow::expand::<$vector>(key, HIGHEST_USED) }
        }

        #[target_feature(enable = $features)]
        fn message(key: &KeyData, direction: Direction, j0: u128, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
            // SAFETY: as above.
            unsafe {
                match direction {
                    Direction::Seal => narrow::message::<$vector, false>(key, j0, aad, data),
                    Direction::Open => narrow::message::<$vector, true>(key, j0, aad, data),
                }
            }
        }

        #[target_feature(enable = $features)]
        fn message_once(key: &[u8], direction: Direction, j0: u128, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
            let powers = (data.len().max(aad.len()).div_ceil(16) + 1).min(HIGHEST_USED);
            // SAFETY: as above.
            let prepared = Secret::new(unsafe { narrow::expand::<$vector>(key, powers) });
            message(&prepared, direction, j0, aad, data)
        }

        #[target_feature(enable = $features)]
        fn hash(key: &KeyData, state: &mut [u8; 16], data: &[u8]) {
            // SAFETY: as above.
            unsafe { narrow::hash::<$vector>(key, state, data) }
        }

        #[target_feature(enable = $features)]
        fn crypt(key: &KeyData, direction: Direction, counter: &mut u128, state: &mut [u8; 16], data: InOut<'_>) {
            // SAFETY: as above.
            unsafe {
                match direction {
                    Direction::Seal => narrow::crypt::<$vector, false>(key, counter, state, data),
                    Direction::Open => narrow::crypt::<$vector, true>(key, counter, state, data),
                }
            }
        }
    };
}
use narrow_kernel;

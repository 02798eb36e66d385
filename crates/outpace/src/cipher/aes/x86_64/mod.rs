//! AES with the instructions of x86-64.
#![allow(unsafe_code)]

pub(super) mod aesni;
pub(super) mod avx2;
pub(super) mod avx512;
mod chains;
pub(crate) mod schedule;
pub(crate) mod vector;
mod xts;

use crate::mem::InOut;

/// The runs of blocks, with the counter block before each, in which the lower 64 bits of the counter do not overflow:
/// nearly always a single one.
fn runs(counter: &mut [u8; 16], mut data: InOut<'_>, mut run: impl FnMut(u128, InOut<'_>)) {
    let mut count = u128::from_be_bytes(*counter);
    while data.len() > 0 {
        let left = u64::MAX - count as u64; // blocks after the first
        let (now, later) = if ((data.len() - 1) / 16) as u64 > left {
            data.split_at(16 * (left as usize + 1))
        } else {
            let all = data.len();
            data.split_at(all)
        };
        let blocks = now.len().div_ceil(16);
        run(count, now);
        count = count.wrapping_add(blocks as u128);
        data = later;
    }
    *counter = count.to_be_bytes();
}

/// Which of the three ciphers, by its rounds, as a constant.
macro_rules! by_rounds {
    ($rounds:expr, $function:ident[$($constant:tt),*]($($argument:expr),*)) => {
        match $rounds {
            10 => $function::<10, $($constant),*>($($argument),*),
            12 => $function::<12, $($constant),*>($($argument),*),
            _ => $function::<14, $($constant),*>($($argument),*),
        }
    };
}
use by_rounds;

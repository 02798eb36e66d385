//! One body for every kernel, known answers, and both ways against independent implementations.

mod ed25519;
mod kernels;
mod x25519;

use super::field::{Words, words};
use testkit::{Rng, hex};

fn hex32(text: &str) -> [u8; 32] {
    hex(text).try_into().expect("32 bytes")
}

/// Values around every word boundary, around 0, p and 2^255, with runs of ones and zeros at every limb boundary.
fn edges() -> std::vec::Vec<Words> {
    let mut out = std::vec![
        [0; 4],
        [1, 0, 0, 0],
        [2, 0, 0, 0],
        [9, 0, 0, 0],
        [18, 0, 0, 0],
        [19, 0, 0, 0],
        [20, 0, 0, 0],
        super::edwards::P,
        super::tables::D,
        super::tables::SQRT_M1,
        [u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 1],
        [0x5555_5555_5555_5555; 4],
    ];
    for below in 1..=40 {
        let mut x = super::edwards::P;
        x[0] = x[0].wrapping_sub(below);
        out.push(x);
    }
    for above in 1..19 {
        let mut x = super::edwards::P;
        x[0] += above;
        out.push(x);
    }
    // One bit, and all bits below it.
    for bit in 0..255 {
        let mut x = [0; 4];
        x[bit / 64] = 1 << (bit % 64);
        out.push(x);
        for i in 0..bit {
            x[i / 64] |= 1 << (i % 64);
        }
        x[bit / 64] &= !(1 << (bit % 64));
        out.push(x);
    }
    for x in &mut out {
        x[3] &= u64::MAX >> 1;
    }
    out
}

fn random_words(rng: &mut Rng) -> Words {
    let mut x = words(&rng.array());
    x[3] &= u64::MAX >> 1;
    x
}

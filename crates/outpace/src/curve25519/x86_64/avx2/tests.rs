//! Products of the largest limbs that they take, lane by lane against the portable field.

use super::lanes::{EMPTY, Factor, Four, gather, scatter};
use super::product::{mul, square};
use crate::cpu::Features;
use crate::curve25519::field::{Fe, Field};
use testkit::Rng;

const fn unit(i: usize) -> u64 {
    1 << (26 - i % 2)
}

/// Limbs that are zero, the largest below `percent` of a unit, or anything between.
fn extreme(rng: &mut Rng, percent: u64) -> [u64; 10] {
    core::array::from_fn(|i| {
        let most = unit(i) / 100 * percent;
        [0, most, most, most, rng.u64() % most][rng.below(5)]
    })
}

fn value(limbs: &[u64; 10]) -> Fe {
    let mut sum = Fe::ZERO;
    for (i, limb) in limbs.iter().enumerate().rev() {
        // Horner's rule: limb i + 1 weighs one unit of limb i more.
        sum = sum.mul(&Fe::of(&[unit(i), 0, 0, 0])).add(&Fe::of(&[*limb, 0, 0, 0]));
    }
    sum
}

#[test]
fn products_of_the_largest_limbs() {
    #[target_feature(enable = "avx2")]
    fn run() {
        let mut rng = Rng::new(1);
        for round in 0..2000 {
            let mut four = |percent| -> [[u64; 10]; 4] {
                core::array::from_fn(|_| match round {
                    0 => core::array::from_fn(|i| unit(i) / 100 * percent),
                    _ => extreme(&mut rng, percent),
                })
            };
            let (a, b) = (four(410), four(330));
            let (mut right, mut out) = (Factor::EMPTY, EMPTY);
            right.set_all(&gather(&b));
            mul(&mut out, &gather(&a), &right);
            check(&out, &core::array::from_fn(|l| value(&a[l]).mul(&value(&b[l]))));
            square(&mut out, &gather(&b));
            check(&out, &core::array::from_fn(|l| value(&b[l]).square()));
        }
    }
    #[target_feature(enable = "avx2")]
    fn check(out: &Four, expected: &[Fe; 4]) {
        for (got, expected) in scatter(out).iter().zip(expected) {
            assert_eq!(got.to_words(), expected.to_words());
        }
        for (i, limb) in out.iter().enumerate() {
            let mut lanes = [0; 4];
            crate::simd::store256_u64(&mut lanes, *limb);
            assert!(lanes.iter().all(|lane| *lane <= unit(i) + unit(i) / 100), "limb {i}: {lanes:x?}");
        }
    }
    if Features::AVX2.can_be_tested() {
        // SAFETY: just checked.
        unsafe { run() };
    }
}

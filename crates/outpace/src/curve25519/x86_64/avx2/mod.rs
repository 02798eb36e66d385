//! AVX2: the four lanes of a register, for the parts of one job or for four jobs.

mod base;
mod ladder;
mod lanes;
mod points;
mod product;

use crate::cpu::{Features, Kernel};
use crate::curve25519::Curve;
use crate::curve25519::edwards::Affine;
use crate::curve25519::field::{Fe, Field, Words};
use crate::curve25519::many::invert_many;
use crate::curve25519::portable::CURVE as PORTABLE;
use crate::mem::Secret;
use lanes::scatter;
use points::Points;

pub(crate) const KERNEL: Kernel<crate::curve25519::Kernel> =
    // SAFETY: every function here is built for exactly the feature named, or for none.
    unsafe { Kernel::new("avx2", Features::AVX2, &CURVE) };

/// What ADX does not do better.
pub(super) const CURVE: Curve =
    // SAFETY: part of kernels alone that need AVX2.
    unsafe {
        Curve {
            agree: |scalar, u| ladder::ladder(scalar, u),
            base_u: |scalar| base_u(scalar),
            base: |scalar| base(scalar),
            base_many: |scalars, points| base_many(scalars, points),
            ..PORTABLE
        }
    };

#[target_feature(enable = "avx2")]
fn base_u(scalar: &Words) -> Words {
    let mut point = Points::EMPTY;
    base::base(&mut point, scalar);
    let ([y, ..], [z, ..]) = (scatter(&point.y), scatter(&point.z));
    z.add(&y).mul(&z.sub(&y).invert()).to_words()
}

#[target_feature(enable = "avx2")]
fn base(scalar: &Words) -> Affine {
    let mut point = Points::EMPTY;
    base::base(&mut point, scalar);
    let ([x, ..], [y, ..], [z, ..]) = (scatter(&point.x), scatter(&point.y), scatter(&point.z));
    let inverse = z.invert();
    Affine { x: x.mul(&inverse).to_words(), y: y.mul(&inverse).to_words() }
}

/// From how many jobs on four lanes, some of them idle, are faster than one job after the other.
const WORTH_IT: usize = 2;

#[target_feature(enable = "avx2")]
fn base_many(scalars: &[Words], points: &mut [Affine]) {
    for (scalars, points) in scalars.chunks(8).zip(points.chunks_mut(8)) {
        if scalars.len() < WORTH_IT {
            for (scalar, point) in scalars.iter().zip(points) {
                *point = base(scalar);
            }
            continue;
        }
        let mut k = Secret::new([[0; 4]; 8]);
        k[..scalars.len()].copy_from_slice(scalars);
        let (fours, _) = k.as_chunks::<4>();
        let mut coordinates = [[Fe::ONE; 8]; 3];
        let [x, y, z] = &mut coordinates;
        let mut sums = Points::EMPTY;
        for (i, four) in fours.iter().enumerate().take(scalars.len().div_ceil(4)) {
            base::base_4(&mut sums, four);
            x[4 * i..4 * i + 4].copy_from_slice(&scatter(&sums.x));
            y[4 * i..4 * i + 4].copy_from_slice(&scatter(&sums.y));
            z[4 * i..4 * i + 4].copy_from_slice(&scatter(&sums.z));
        }
        invert_many(z);
        for (i, point) in points.iter_mut().enumerate() {
            *point = Affine { x: x[i].mul(&z[i]).to_words(), y: y[i].mul(&z[i]).to_words() };
        }
    }
}

//! AVX2: the four lanes of a register, for the parts of one job or for four jobs.

mod base;
mod ladder;
mod lanes;
mod many;
mod point;
mod points;
mod product;
#[cfg(test)]
mod tests;

use crate::cpu::{Features, Kernel};
use crate::curve25519::Curve;
use crate::curve25519::edwards::Affine;
use crate::curve25519::field::{Field, Words};
use crate::curve25519::portable::CURVE as PORTABLE;
use lanes::{Four, scatter};

pub(crate) const KERNEL: Kernel<crate::curve25519::Kernel> =
    // SAFETY: every function here is built for exactly the feature named, or for none.
    unsafe { Kernel::new("avx2", Features::AVX2, &CURVE) };

/// Also the greater part of the kernel of CPUs with ADX.
pub(super) const CURVE: Curve =
    // SAFETY: part of kernels alone that need AVX2.
    unsafe {
        Curve {
            agree: |scalar, u| ladder::ladder(scalar, u),
            base_u: |scalar| base_u(scalar),
            base: |scalar| base(scalar),
            double_base_vartime: |a, point, b| double_base(a, point, b),
            cofactored_vartime: |a, point, b, r| point::cofactored_vartime(a, point, b, r),
            agree_many: |scalars, points, shared| many::agree(scalars, points, shared),
            decode_many_vartime: |encoded, points| many::decode_vartime(encoded, points),
            combination_vartime: |terms, base| point::combination_vartime(terms, base),
            base_many: |scalars, points| many::base(scalars, points),
            ..PORTABLE
        }
    };

#[target_feature(enable = "avx2")]
fn base_u(scalar: &Words) -> Words {
    let [_, y, _, z] = scatter(&base::base(scalar));
    z.add(&y).mul(&z.sub(&y).invert()).to_words()
}

#[target_feature(enable = "avx2")]
fn base(scalar: &Words) -> Affine {
    affine(&base::base(scalar))
}

#[target_feature(enable = "avx2")]
fn double_base(a: &Words, point: &Affine, b: &Words) -> Affine {
    affine(&point::double_base_vartime(a, point, b))
}

/// x and y, canonical.
#[target_feature(enable = "avx2")]
fn affine(point: &Four) -> Affine {
    let [x, y, _, z] = scatter(point);
    let inverse = z.invert();
    Affine { x: x.mul(&inverse).to_words(), y: y.mul(&inverse).to_words() }
}

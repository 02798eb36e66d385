//! AVX-512 IFMA: four lanes side by side for one job, eight for many.

mod base;
mod eight;
mod ladder;
mod ladder8;
mod lanes;
mod many;
mod points;

use crate::cpu::{Features, Kernel};
use crate::curve25519::Curve;
use crate::curve25519::edwards::Affine;
use crate::curve25519::field::{Field, Words};
use crate::curve25519::x86_64::adx::CURVE as ADX;

pub(crate) const KERNEL: Kernel<crate::curve25519::Kernel> =
    // SAFETY: every function here is built for exactly the features named, or for none.
    unsafe {
        Kernel::new(
            "ifma",
            Features::AVX512.and(Features::IFMA).and(Features::AVX2).and(Features::BMI2).and(Features::ADX),
            &Curve {
                agree: |scalar, u| ladder::ladder(scalar, u),
                base_u: |scalar| base_u(scalar),
                base: |scalar| base_affine(scalar),
                double_base_vartime: |a, point, b| double_base(a, point, b),
                cofactored_vartime: |a, point, b, r| points::cofactored_vartime(a, point, b, r),
                agree_many: |scalars, points, shared| many::agree(scalars, points, shared),
                base_many: |scalars, points| many::base(scalars, points),
                decode_many_vartime: |encoded, points| many::decode_vartime(encoded, points),
                combination_vartime: |terms, base| many::combination_vartime(terms, base),
                // One square root has nothing to put beside it.
                ..ADX
            },
        )
    };

#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn base_u(scalar: &Words) -> Words {
    let [_, y, _, z] = points::coordinates(&base::base(scalar));
    z.add(&y).mul(&z.sub(&y).invert()).to_words()
}

#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn base_affine(scalar: &Words) -> Affine {
    points::to_affine(&base::base(scalar))
}

#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn double_base(a: &Words, point: &Affine, b: &Words) -> Affine {
    points::to_affine(&points::double_base_vartime(a, point, b))
}

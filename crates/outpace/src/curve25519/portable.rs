//! The kernel for every CPU: the generic formulas over the verified field.

use super::Curve;
use super::edwards::{
    base, base_many, cofactored_vartime, combination_vartime, decode_many_vartime, decode_vartime, double_base_vartime,
    select,
};
use super::field::Fe;
use super::montgomery::{ladder, ladder_many};
use crate::cpu::Kernel;

pub(crate) const KERNEL: Kernel<super::Kernel> = Kernel::portable(&CURVE);

pub(crate) const CURVE: Curve = Curve {
    agree: |scalar, u| ladder::<Fe>(scalar, u),
    base_u: |scalar| base::<Fe>(scalar, select).to_montgomery_u(),
    base: |scalar| base::<Fe>(scalar, select).to_affine(),
    decode_vartime: |encoded| decode_vartime::<Fe>(encoded),
    double_base_vartime: |a, point, b| double_base_vartime::<Fe>(a, point, b).to_affine(),
    cofactored_vartime: |a, point, b, r| cofactored_vartime::<Fe>(a, point, b, r),
    agree_many: |scalars, u, shared| ladder_many::<Fe>(scalars, u, shared),
    base_many: |scalars, points| base_many::<Fe>(scalars, points, select),
    decode_many_vartime: |encoded, points| decode_many_vartime::<Fe>(encoded, points),
    combination_vartime: |terms, base| combination_vartime::<Fe>(terms, base),
};

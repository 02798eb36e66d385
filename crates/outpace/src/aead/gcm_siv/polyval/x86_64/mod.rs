//! POLYVAL with carry-less products.
#![allow(unsafe_code)]

pub(super) mod avx512;
pub(super) mod pclmul;

/// What is added in a reduction: x¹²⁷ + x¹²⁶ + x¹²¹, without the lower half.
const POLYNOMIAL: i64 = (0xc2_u64 << 56).cast_signed();

//! Products of polynomials with the instructions of x86-64.
#![allow(unsafe_code)]

pub(super) mod avx512;
pub(super) mod pclmul;

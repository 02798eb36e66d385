//! BLAKE2s with the instructions of x86-64.
#![allow(unsafe_code)]

pub(super) mod avx2;
pub(super) mod avx2_x8;
pub(super) mod avx512;
pub(super) mod avx512_x16;
#[cfg(not(outpace_ct = "msan"))]
pub(super) mod staged;

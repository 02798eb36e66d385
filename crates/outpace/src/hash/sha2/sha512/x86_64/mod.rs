//! SHA-512 with the instructions of x86-64.
#![allow(unsafe_code)]

pub(super) mod avx2;
pub(super) mod avx2_x4;
pub(super) mod avx512;
pub(super) mod avx512_x16;
pub(super) mod avx512_x8;
mod paired;
mod rounds;
#[cfg(not(outpace_ct = "msan"))]
pub(super) mod sse2;

//! SHA-256 with the instructions of x86-64.
#![allow(unsafe_code)]

#[cfg(not(outpace_ct = "msan"))]
pub(super) mod avx2;
pub(super) mod avx2_x8;
pub(super) mod avx512;
#[cfg(not(outpace_ct = "msan"))]
mod rounds;
pub(super) mod sha_ni;
pub(super) mod sha_ni_x4;
#[cfg(not(outpace_ct = "msan"))]
pub(super) mod sse2;

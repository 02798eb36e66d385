//! Kernels for x86-64.
#![allow(unsafe_code)]

mod ahead;
pub(super) mod avx2;
pub(super) mod avx512;
mod bulk;
pub(super) mod halves;
mod middle;
mod passes;
pub(super) mod sse41;
#[cfg(not(outpace_ct = "msan"))]
#[macro_use]
mod texts;
mod lockstep;

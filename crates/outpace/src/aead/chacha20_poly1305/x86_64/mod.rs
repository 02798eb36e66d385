//! Kernels for x86-64.
#![allow(unsafe_code)]

pub(super) mod avx2;
pub(super) mod avx512;
mod bulk;
pub(super) mod halves;
mod lockstep;
mod middle;
mod passes;
pub(super) mod sse41;

//! Kernels for x86-64.

pub(crate) mod adx;
pub(crate) mod avx2;
pub(crate) mod divsteps;
pub(crate) mod ifma;

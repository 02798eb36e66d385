//! Kernels for x86-64.

pub(crate) mod adx;
pub(crate) mod divsteps;
pub(crate) mod ifma;

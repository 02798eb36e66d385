//! Kernels for x86-64.

pub(crate) mod adx;
pub(crate) mod ifma;

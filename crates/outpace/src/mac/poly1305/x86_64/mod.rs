//! Kernels for x86-64.
#![allow(unsafe_code)]

pub(crate) mod ifma;
pub(crate) mod mulx;

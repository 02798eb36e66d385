//! Kalyna with the instructions of x86-64.
#![allow(unsafe_code)]

pub(crate) mod avx2;
pub(crate) mod avx512;
mod near;
mod serial;
mod single;

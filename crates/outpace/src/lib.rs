#![doc = include_str!("../../../README.md")]
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(target_arch = "x86_64"),
    expect(dead_code, unused_imports, reason = "what only the kernels of x86-64 use")
)]

#[cfg(all(target_arch = "x86_64", not(target_feature = "sse2")))]
compile_error!("outpace keeps values in vector registers on x86-64: a target without SSE2 is not supported");

#[cfg(any(test, feature = "std", outpace_ct))]
extern crate std;

#[cfg(feature = "alloc")]
extern crate alloc;

// The rooms where `unsafe` lives; elsewhere it does not compile (the `x86_64` folders open their own door).
#[allow(unsafe_code)]
mod cpu;
#[allow(unsafe_code)]
mod mem;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod simd;

mod curve25519;
mod error;

pub mod aead;
pub mod cipher;
#[cfg(feature = "encoding")]
pub mod encoding;
pub mod hash;
pub mod hazmat;
pub mod kdf;
pub mod mac;
pub mod rand;

#[cfg(outpace_ct)]
pub mod leaks;
#[cfg(any(test, feature = "mask"))]
pub mod mask;

pub use curve25519::{ed25519, x25519};
pub use error::{Error, Result};

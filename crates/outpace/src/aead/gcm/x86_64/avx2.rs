//! GCM with VAES and VPCLMULQDQ at 256 bits: two blocks to a register, eight registers side by side.
//!
//! Floor where two VAESENC and one VPCLMULQDQ begin each cycle: 14 cycles for 64 bytes of AES-256, 8 for their hash
//! beside them; three ports share about 54 operations, which makes 18 cycles, 0.28 cycles a byte.

use super::narrow;
use super::narrow_kernel;
use crate::aead::gcm::{Direction, KeyData, Ops};
use crate::cipher::aes::x86_64::vector::Vector;
use crate::cpu::{Features, Kernel};
use crate::mem::{InOut, Secret};
use core::arch::x86_64::*;

narrow_kernel!(
    "avx2",
    "avx2,vaes,vpclmulqdq",
    Features::AVX2
        .and(Features::VAES)
        .and(Features::VPCLMUL)
        .and(Features::AES)
        .and(Features::PCLMUL)
        .and(Features::SSE41),
    __m256i
);

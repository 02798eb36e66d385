//! Curve25519 and its Edwards form: the jobs behind X25519 and Ed25519.
//!
//! One scalar multiplication, or one batch of them, is one call to a kernel. The field is a kernel's own affair; between
//! kernels and keys travel canonical coordinates in four words.

pub mod ed25519;
mod edwards;
mod field;
mod invert;
#[cfg(outpace_ct)]
pub(crate) mod leaks;
mod many;
mod montgomery;
mod portable;
mod scalar;
mod tables;
#[cfg(test)]
mod tests;
pub mod x25519;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86_64;

use crate::cpu::Dispatch;
use edwards::Affine;
use field::Words;
use many::Term;

/// The jobs of a kernel. Functions called `_vartime` are for public data only. Scalars are below 2^255.
#[derive(Clone, Copy)]
pub(crate) struct Curve {
    /// X25519 with a clamped scalar: the coordinate u of the multiple, 0 for the identity.
    agree: fn(&Words, &Words) -> Words,
    /// As `agree`, of the base point u = 9, with a clamped scalar.
    base_u: fn(&Words) -> Words,
    /// A multiple of the base point of Ed25519.
    base: fn(&Words) -> Affine,
    /// The point with this encoding, by the lenient rules of ZIP-215.
    decode_vartime: fn(&[u8; 32]) -> Option<Affine>,
    /// a·A + b·B for the base point B.
    double_base_vartime: fn(&Words, &Affine, &Words) -> Affine,
    /// Whether 8·(a·A + b·B − R) is the identity.
    cofactored_vartime: fn(&Words, &Affine, &Words, &Affine) -> bool,
    /// `agree` of as many scalars and points.
    agree_many: fn(&[Words], &[Words], &mut [Words]),
    /// `base` of many scalars.
    base_many: fn(&[Words], &mut [Affine]),
    /// `decode_vartime` of many; `false` if one of them is no point.
    decode_many_vartime: fn(&[[u8; 32]], &mut [Affine]) -> bool,
    /// Whether eight times the sum of at most [`many::TERMS`] multiples and of a multiple of B is the identity.
    combination_vartime: fn(&[Term], &Words) -> bool,
}

/// What a key keeps: the kernel chosen for this CPU.
pub(crate) type Kernel = &'static Curve;

pub(crate) static CURVE: Dispatch<Kernel> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::ifma::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::adx::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx2::KERNEL,
    portable::KERNEL,
]);

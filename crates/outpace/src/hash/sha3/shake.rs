//! The functions with any number of output bytes.

use super::keccak::Keccak;
use super::sp800_185;
use super::sponge::{self, Sponge, Squeeze};
use core::fmt;

/// SHAKE128 (FIPS 202, section 6.2).
///
/// ```
/// use outpace::hash::Shake128;
///
/// let mut shake = Shake128::new();
/// shake.update(b"ab");
/// shake.update(b"c");
/// let mut reader = shake.finish_xof();
/// let (mut first, mut second) = ([0; 16], [0; 100]);
/// reader.squeeze(&mut first);
/// reader.squeeze(&mut second);
///
/// let mut both = [0; 116];
/// Shake128::digest(b"abc", &mut both);
/// assert_eq!(both, *[&first[..], &second].concat());
/// ```
pub type Shake128 = Shake<168>;

/// SHAKE256 (FIPS 202, section 6.2); used as [`Shake128`].
pub type Shake256 = Shake<136>;

/// cSHAKE128 (SP 800-185, section 3): SHAKE128 for a named function and a customization.
///
/// With both empty it is [`Shake128`]. Function names are for NIST; use a customization.
///
/// ```
/// use outpace::hash::CShake128;
///
/// let mut shake = CShake128::new(b"", b"Email Signature");
/// shake.update(&[0, 1, 2, 3]);
/// let mut out = [0; 32];
/// shake.finish_xof().squeeze(&mut out);
/// assert_eq!(out[..4], [0xc1, 0xc3, 0x69, 0x25]);
/// ```
pub type CShake128 = CShake<168>;

/// cSHAKE256 (SP 800-185, section 3); used as [`CShake128`].
pub type CShake256 = CShake<136>;

/// A running SHAKE state. Used through its aliases, such as [`Shake128`].
#[derive(Clone)]
pub struct Shake<const RATE: usize> {
    sponge: Sponge<RATE>,
}

impl<const RATE: usize> Shake<RATE> {
    /// The state before any input.
    #[must_use]
    #[inline]
    #[allow(clippy::new_without_default)] // as every hash
    pub fn new() -> Self {
        Self { sponge: Sponge::new() }
    }

    /// Takes the next piece of input, of any length.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        self.sponge.absorb(data);
    }

    /// Ends the input.
    #[must_use]
    #[inline]
    pub fn finish_xof(self) -> Xof<RATE> {
        Xof { squeeze: self.sponge.finish(sponge::SHAKE) }
    }

    /// Fills `out` with the output for one piece of input.
    #[inline]
    pub fn digest(data: &[u8], out: &mut [u8]) {
        Sponge::<RATE>::once(&[0; 25], Keccak::get(), data, sponge::SHAKE).squeeze(out);
    }
}

/// A running cSHAKE state. Used through its aliases, such as [`CShake128`].
#[derive(Clone)]
pub struct CShake<const RATE: usize> {
    sponge: Sponge<RATE>,
    suffix: u8,
}

impl<const RATE: usize> CShake<RATE> {
    /// The state before any input.
    #[must_use]
    pub fn new(function_name: &[u8], customization: &[u8]) -> Self {
        if function_name.is_empty() && customization.is_empty() {
            return Self { sponge: Sponge::new(), suffix: sponge::SHAKE };
        }
        Self { sponge: sp800_185::cshake(function_name, customization), suffix: sponge::CSHAKE }
    }

    /// Takes the next piece of input, of any length.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        self.sponge.absorb(data);
    }

    /// Ends the input.
    #[must_use]
    #[inline]
    pub fn finish_xof(self) -> Xof<RATE> {
        Xof { squeeze: self.sponge.finish(self.suffix) }
    }
}

/// The output of a SHAKE, cSHAKE or KMACXOF, read in pieces of any length.
#[derive(Clone)]
pub struct Xof<const RATE: usize> {
    squeeze: Squeeze<RATE>,
}

impl<const RATE: usize> Xof<RATE> {
    /// The reader of a finished sponge.
    pub(crate) fn new(squeeze: Squeeze<RATE>) -> Self {
        Self { squeeze }
    }

    /// Fills `out` with the next bytes of the output.
    #[inline]
    pub fn squeeze(&mut self, out: &mut [u8]) {
        self.squeeze.squeeze(out);
    }
}

/// SHAKE128 or SHAKE256, by the rate.
const fn strength<const RATE: usize>() -> u32 {
    if RATE == 168 { 128 } else { 256 }
}

impl<const RATE: usize> fmt::Debug for Shake<RATE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SHAKE{}(..)", strength::<RATE>())
    }
}

impl<const RATE: usize> fmt::Debug for CShake<RATE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cSHAKE{}(..)", strength::<RATE>())
    }
}

impl<const RATE: usize> fmt::Debug for Xof<RATE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Xof(..)")
    }
}

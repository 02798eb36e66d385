//! KMAC128 and KMAC256 and their XOF variants (SP 800-185, section 4): a cSHAKE whose input begins with the key.
//!
//! The length of a tag goes into its computation, so tags of different lengths share no prefix; it is part of the type,
//! and at least 64 bits (section 8.4.2 asks for a risk analysis below that). Keys have any length; the standard wants at
//! least as many bits as the strength, 128 or 256. Time depends on lengths alone, and tags are compared in constant time.

#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(test)]
mod tests;

use crate::Result;
use crate::hash::sha3::Xof;
use crate::hash::sha3::keccak::{Keccak, State};
use crate::hash::sha3::sp800_185::{absorb_left_encoded, absorb_right_encoded, absorb_string, cshake};
use crate::hash::sha3::sponge::{CSHAKE, Sponge};
use crate::mem::{Secret, ct, wiping_stack};
use core::fmt;

/// KMAC128: security of 128 bits.
///
/// ```
/// use outpace::mac::Kmac128;
///
/// let key = Kmac128::new(b"a key of at least 16 bytes", b"my protocol, first use");
/// let tag: [u8; 32] = key.mac(b"message");
/// key.verify(b"message", &tag)?;
///
/// let mut mac = key.begin();
/// mac.update(b"mess");
/// mac.update(b"age");
/// assert_eq!(mac.finish(), tag);
/// # Ok::<(), outpace::Error>(())
/// ```
pub type Kmac128 = Kmac<168>;

/// KMAC256: security of 256 bits. Used as [`Kmac128`].
pub type Kmac256 = Kmac<136>;

/// A KMAC key. Used through its aliases, such as [`Kmac128`].
#[derive(Clone)]
pub struct Kmac<const RATE: usize> {
    /// After the blocks of the customization and of the key.
    state: Secret<State>,
    keccak: Keccak,
}

impl<const RATE: usize> Kmac<RATE> {
    /// A key for the use that `customization` names; it may be empty.
    #[must_use]
    pub fn new(key: &[u8], customization: &[u8]) -> Self {
        wiping_stack::<1536, _>(|| {
            let mut sponge = cshake::<RATE>(b"KMAC", customization);
            absorb_left_encoded(&mut sponge, RATE as u128);
            absorb_string(&mut sponge, key);
            sponge.fill_block();
            Self { state: Secret::new(*sponge.state()), keccak: Keccak::get() }
        })
    }

    /// The tag of one piece of input.
    #[must_use]
    pub fn mac<const N: usize>(&self, message: &[u8]) -> [u8; N] {
        let mut mac = self.begin();
        mac.update(message);
        mac.tag()
    }

    /// Checks the tag of one piece of input.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is another.
    pub fn verify<const N: usize>(&self, message: &[u8], tag: &[u8; N]) -> Result<()> {
        ct::verify(&*Secret::new(self.mac::<N>(message)), tag)
    }

    /// KMACXOF128 or KMACXOF256 (section 4.3.1): output of any length for one piece of input.
    #[must_use]
    pub fn xof(&self, message: &[u8]) -> Xof<RATE> {
        let mut mac = self.begin();
        mac.update(message);
        mac.finish_xof()
    }

    /// Begins a message that comes in pieces.
    #[must_use]
    pub fn begin(&self) -> Running<RATE> {
        Running { sponge: Sponge::from_state(&self.state, self.keccak) }
    }
}

/// A message under way, made by [`Kmac::begin`].
#[derive(Clone)]
pub struct Running<const RATE: usize> {
    sponge: Sponge<RATE>,
}

impl<const RATE: usize> Running<RATE> {
    /// Takes the next piece of the message, of any length.
    pub fn update(&mut self, data: &[u8]) {
        self.sponge.absorb(data);
    }

    /// The tag of all input.
    #[must_use]
    pub fn finish<const N: usize>(mut self) -> [u8; N] {
        self.tag()
    }

    fn tag<const N: usize>(&mut self) -> [u8; N] {
        const { assert!(N >= 8, "a tag has at least 64 bits") };
        let mut tag = [0; N];
        absorb_right_encoded(&mut self.sponge, (N as u128) << 3);
        self.sponge.end(CSHAKE, &mut tag);
        tag
    }

    /// Checks the tag of all input.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is another.
    pub fn verify<const N: usize>(self, tag: &[u8; N]) -> Result<()> {
        let expected = Secret::new(self.finish::<N>());
        ct::verify(&*expected, tag)
    }

    /// The output of KMACXOF128 or KMACXOF256 for all input.
    #[must_use]
    pub fn finish_xof(mut self) -> Xof<RATE> {
        // The length of an output of any length is 0.
        absorb_right_encoded(&mut self.sponge, 0);
        Xof::new(self.sponge.finish(CSHAKE))
    }
}

impl<const RATE: usize> fmt::Debug for Kmac<RATE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if RATE == 168 { "KMAC128(..)" } else { "KMAC256(..)" })
    }
}

impl<const RATE: usize> fmt::Debug for Running<RATE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if RATE == 168 { "KMAC128(..)" } else { "KMAC256(..)" })
    }
}

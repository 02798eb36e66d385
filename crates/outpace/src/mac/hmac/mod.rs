//! HMAC (FIPS 198-1, RFC 2104) over every hash of this crate.
//!
//! A key is padded and hashed once, when the object is made; after that a message costs what hashing it costs, plus one
//! block. Tags are compared in constant time. The time depends on the lengths of key and message alone.

#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(test)]
mod tests;

use crate::Result;
use crate::hash::Hash;
use crate::mem::{Secret, ct};
use core::fmt;

/// The longest block of a hash here: SHA3-224's.
const LONGEST_BLOCK: usize = 144;

/// The shortest tag that can be asked for: 80 bits (RFC 2104, section 5).
const SHORTEST_TAG: usize = 10;

/// An HMAC key: the hash states after the inner and the outer pad.
///
/// Truncation is part of the call, so that a short tag is never taken for a whole one:
///
/// ```
/// use outpace::hash::Sha512;
/// use outpace::mac::Hmac;
///
/// let key = Hmac::<Sha512>::new(b"key");
/// let tag: [u8; 32] = key.mac_truncated(b"message");
/// key.verify_truncated(b"message", &tag)?;
///
/// let mut pieces = key.begin();
/// pieces.update(b"mess");
/// pieces.update(b"age");
/// assert_eq!(pieces.finish()[..32], tag);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct Hmac<H: Hash> {
    inner: H,
    outer: H,
}

impl<H: Hash> Hmac<H> {
    /// A key of any length. Less than the length of the digest is weak; more than a block is hashed first.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        if key.len() > H::BLOCK { Self::of_block((*Secret::new(H::digest(key))).as_ref()) } else { Self::of_block(key) }
    }

    /// A key of at most a block.
    fn of_block(key: &[u8]) -> Self {
        const { assert!(H::BLOCK <= LONGEST_BLOCK) };
        let mut pads = Secret::new([[0u8; LONGEST_BLOCK]; 2]);
        let [inner, outer] = &mut *pads;
        let (inner, outer) = (&mut inner[..H::BLOCK], &mut outer[..H::BLOCK]);
        inner.fill(0x36);
        outer.fill(0x5c);
        for ((inner, outer), key) in inner.iter_mut().zip(&mut *outer).zip(key) {
            *inner ^= key;
            *outer ^= key;
        }
        let (inner, outer) = H::after_blocks(inner, outer);
        Self { inner, outer }
    }

    /// The tag of a message.
    #[must_use]
    #[inline]
    pub fn mac(&self, message: &[u8]) -> H::Output {
        self.inner.finish_nested(message, &self.outer)
    }

    /// Whether `tag` is the tag of `message`.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is not.
    pub fn verify(&self, message: &[u8], tag: &H::Output) -> Result<()> {
        ct::verify(self.mac(message).as_ref(), tag.as_ref())
    }

    /// The first `N` bytes of the tag; `N` from 10 to the length of the digest, else it does not compile.
    #[must_use]
    pub fn mac_truncated<const N: usize>(&self, message: &[u8]) -> [u8; N] {
        truncated::<H, N>(&self.mac(message))
    }

    /// Whether `tag` is the beginning of the tag of `message`.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is not.
    pub fn verify_truncated<const N: usize>(&self, message: &[u8], tag: &[u8; N]) -> Result<()> {
        ct::verify(&self.mac_truncated::<N>(message), tag)
    }

    /// A message that comes in pieces.
    #[must_use]
    pub fn begin(&self) -> HmacState<H> {
        HmacState { inner: self.inner.clone(), outer: self.outer.clone() }
    }
}

/// A message on its way; made by [`Hmac::begin`].
#[derive(Clone)]
pub struct HmacState<H: Hash> {
    inner: H,
    outer: H,
}

impl<H: Hash> HmacState<H> {
    /// Takes the next piece of the message.
    pub fn update(&mut self, data: &[u8]) {
        self.inner.update(data);
    }

    /// The tag.
    #[must_use]
    pub fn finish(self) -> H::Output {
        self.inner.finish_nested(&[], &self.outer)
    }

    /// Whether `tag` is the tag of the message.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is not.
    pub fn verify(self, tag: &H::Output) -> Result<()> {
        ct::verify(self.finish().as_ref(), tag.as_ref())
    }

    /// The first `N` bytes of the tag; see [`Hmac::mac_truncated`].
    #[must_use]
    pub fn finish_truncated<const N: usize>(self) -> [u8; N] {
        truncated::<H, N>(&self.finish())
    }

    /// Whether `tag` is the beginning of the tag of the message.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is not.
    pub fn verify_truncated<const N: usize>(self, tag: &[u8; N]) -> Result<()> {
        ct::verify(&self.finish_truncated::<N>(), tag)
    }
}

fn truncated<H: Hash, const N: usize>(tag: &H::Output) -> [u8; N] {
    const { assert!(N >= SHORTEST_TAG && N <= size_of::<H::Output>(), "a tag has 10 bytes to the digest's length") };
    let mut short = [0; N];
    short.copy_from_slice(&tag.as_ref()[..N]);
    short
}

impl<H: Hash> fmt::Debug for Hmac<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hmac<{}>(..)", H::NAME)
    }
}

impl<H: Hash> fmt::Debug for HmacState<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HmacState<{}>(..)", H::NAME)
    }
}

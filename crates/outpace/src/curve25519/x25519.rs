//! X25519: key agreement on Curve25519 (RFC 7748).
//!
//! A secret is 32 bytes, clamped when used (section 5); a public key is any 32 bytes, of which the highest bit is
//! ignored and values from p up are reduced, as the standard says. A result of all zeros, which only a peer's point of
//! small order gives, is refused (section 6.1).
//!
//! Nothing depends on a secret but the result: no branch, no address, no instruction of variable time. Secrets are
//! wiped when dropped.
//!
//! ```
//! use outpace::x25519::{EphemeralSecret, StaticSecret};
//!
//! let alice = StaticSecret::generate()?;
//! let bob = EphemeralSecret::generate()?;
//! let bob_public = bob.public_key();
//! assert_eq!(bob.agree(&alice.public_key())?, alice.agree(&bob_public)?);
//! # Ok::<(), outpace::Error>(())
//! ```

pub use super::many::agree_many;

use super::field::{bytes, words};
use super::montgomery::clamp;
use super::{CURVE, Kernel};
use crate::mem::{Secret, ct, wiping_stack};
use crate::{Error, Result};
use core::fmt;

/// What is sent to the peer: the coordinate u of a point, little-endian.
///
/// ```
/// use outpace::x25519::PublicKey;
///
/// assert!(PublicKey::try_from(&[1u8; 31][..]).is_err());
/// assert_eq!(PublicKey::from_bytes([9; 32]).as_bytes()[0], 9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Any 32 bytes are a public key.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl From<[u8; 32]> for PublicKey {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl TryFrom<&[u8]> for PublicKey {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self> {
        array(bytes).copied().map(Self)
    }
}

fn array(bytes: &[u8]) -> Result<&[u8; 32]> {
    bytes.try_into().map_err(|_| Error::Length { what: "X25519 key", expected: 32, got: bytes.len() })
}

/// A secret that is used as often as wanted.
///
/// ```
/// use outpace::x25519::{PublicKey, StaticSecret};
///
/// let secret = StaticSecret::from_bytes(&[0x77; 32]);
/// // A point of small order is refused.
/// assert!(secret.agree(&PublicKey::from_bytes([0; 32])).is_err());
/// ```
#[derive(Clone)]
pub struct StaticSecret {
    bytes: Secret<[u8; 32]>,
    curve: Kernel,
}

impl StaticSecret {
    /// A new secret from the system's randomness.
    ///
    /// # Errors
    /// [`Error::Random`] if there is none.
    pub fn generate() -> Result<Self> {
        let mut secret = Self::from_bytes(&[0; 32]);
        crate::rand::fill(&mut *secret.bytes)?;
        Ok(secret)
    }

    /// The secret with these bytes. They are kept as they are and clamped when used.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self { bytes: Secret::new(*bytes), curve: CURVE.get() }
    }

    /// The bytes. Whoever copies them must wipe the copy.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// The public key that belongs to this secret.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        let scalar = self.scalar();
        PublicKey(bytes(&(self.curve.base_u)(&scalar)))
    }

    /// The secret shared with the owner of `peer`.
    ///
    /// # Errors
    /// [`Error::Parameter`] if `peer` is a point of small order, where the result would not depend on this secret.
    pub fn agree(&self, peer: &PublicKey) -> Result<[u8; 32]> {
        wiping_stack::<3584, _>(|| contributory((self.curve.agree)(&self.scalar(), &words(&peer.0))))
    }

    pub(super) fn scalar(&self) -> Secret<[u64; 4]> {
        Secret::new(clamp(&words(&self.bytes)))
    }
}

/// The result, unless it is all zeros.
pub(super) fn contributory(u: [u64; 4]) -> Result<[u8; 32]> {
    if ct::Choice::is_zero(u[0] | u[1] | u[2] | u[3]).declassify() {
        return Err(Error::Parameter("the peer's X25519 key is a point of small order"));
    }
    Ok(bytes(&u))
}

impl From<[u8; 32]> for StaticSecret {
    fn from(bytes: [u8; 32]) -> Self {
        Self::from_bytes(&bytes)
    }
}

impl TryFrom<&[u8]> for StaticSecret {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self> {
        array(bytes).map(Self::from_bytes)
    }
}

impl fmt::Debug for StaticSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StaticSecret(..)")
    }
}

/// A secret for one agreement, which consumes it.
///
/// ```
/// use outpace::x25519::{EphemeralSecret, PublicKey};
///
/// let secret = EphemeralSecret::generate()?;
/// let to_send = secret.public_key();
/// let shared: [u8; 32] = secret.agree(&PublicKey::from_bytes([9; 32]))?;
/// # assert_ne!(shared, *to_send.as_bytes());
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct EphemeralSecret(StaticSecret);

impl EphemeralSecret {
    /// A new secret from the system's randomness.
    ///
    /// # Errors
    /// [`Error::Random`] if there is none.
    pub fn generate() -> Result<Self> {
        StaticSecret::generate().map(Self)
    }

    /// The public key that belongs to this secret.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.0.public_key()
    }

    /// The secret shared with the owner of `peer`.
    ///
    /// # Errors
    /// As [`StaticSecret::agree`].
    pub fn agree(self, peer: &PublicKey) -> Result<[u8; 32]> {
        self.0.agree(peer)
    }
}

impl fmt::Debug for EphemeralSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EphemeralSecret(..)")
    }
}

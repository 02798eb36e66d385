//! What a library can be asked to do: the words that rows and rivals share.
//!
//! A job carries everything its operation needs, so that every side works on the same bytes with the same key, and says
//! what is inside the timed operation and what is not.

pub mod aead;
pub mod cipher;
pub mod curve25519;
#[cfg(any(feature = "openssl", feature = "libsecp256k1"))]
pub mod ec;
pub mod kalyna;
pub mod keyed;

use std::fmt;
use std::rc::Rc;

pub use aead::AeadJob;
pub use cipher::{CipherJob, KeyWrapJob};
pub use curve25519::{Ed25519Job, X25519Job};
#[cfg(any(feature = "openssl", feature = "libsecp256k1"))]
pub use ec::EcJob;
pub use kalyna::KalynaJob;
pub use keyed::{HkdfJob, MacJob, Pbkdf2Job};

use crate::buffer::Buffer;

/// One piece of work, offered to every library.
#[derive(Debug, Clone)]
pub enum Job {
    Aead(AeadJob),
    Cipher(CipherJob),
    #[cfg(any(feature = "openssl", feature = "libsecp256k1"))]
    Ec(EcJob),
    Ed25519(Ed25519Job),
    Hash(HashJob),
    Hkdf(HkdfJob),
    Kalyna(KalynaJob),
    KeyWrap(KeyWrapJob),
    Mac(MacJob),
    Pbkdf2(Pbkdf2Job),
    /// That many random bytes, as for keys.
    Random(usize),
    X25519(X25519Job),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashKind {
    Sha256,
    Sha384,
    Sha512,
    Sha3_256,
    Sha3_512,
    Shake128,
    Shake256,
    Blake2b512,
    Blake2s256,
    Kupyna256,
    Kupyna512,
}

impl HashKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "SHA-256",
            Self::Sha384 => "SHA-384",
            Self::Sha512 => "SHA-512",
            Self::Sha3_256 => "SHA3-256",
            Self::Sha3_512 => "SHA3-512",
            Self::Shake128 => "SHAKE128",
            Self::Shake256 => "SHAKE256",
            Self::Blake2b512 => "BLAKE2b-512",
            Self::Blake2s256 => "BLAKE2s-256",
            Self::Kupyna256 => "Kupyna-256",
            Self::Kupyna512 => "Kupyna-512",
        }
    }

    /// The digest's length; for the two SHAKE functions the length asked of them here.
    pub const fn length(self) -> usize {
        match self {
            Self::Sha256 | Self::Sha3_256 | Self::Blake2s256 | Self::Shake128 | Self::Kupyna256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 | Self::Sha3_512 | Self::Blake2b512 | Self::Shake256 | Self::Kupyna512 => 64,
        }
    }
}

impl fmt::Display for HashKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Hash `message` in one go.
#[derive(Debug, Clone)]
pub struct HashJob {
    pub kind: HashKind,
    pub message: Rc<Buffer>,
}

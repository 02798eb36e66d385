//! Message authentication and key derivation.

use std::rc::Rc;

use super::HashKind;
use crate::buffer::{Buffer, patterned};
use crate::side::Side;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MacKind {
    HmacSha256,
    HmacSha384,
    HmacSha512,
    HmacSha3_256,
    Aes128Cmac,
    Aes256Cmac,
    /// Tags of 32 bytes, no customization.
    Kmac128,
    /// Tags of 64 bytes, no customization.
    Kmac256,
    Kupyna256Kmac,
}

impl MacKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::HmacSha256 => "HMAC-SHA-256",
            Self::HmacSha384 => "HMAC-SHA-384",
            Self::HmacSha512 => "HMAC-SHA-512",
            Self::HmacSha3_256 => "HMAC-SHA3-256",
            Self::Aes128Cmac => "AES-128-CMAC",
            Self::Aes256Cmac => "AES-256-CMAC",
            Self::Kmac128 => "KMAC128",
            Self::Kmac256 => "KMAC256",
            Self::Kupyna256Kmac => "Kupyna-256-KMAC",
        }
    }

    /// Bytes in a tag.
    #[cfg(any(feature = "openssl", feature = "aws-lc"))]
    pub const fn length(self) -> usize {
        match self {
            Self::Aes128Cmac | Self::Aes256Cmac => 16,
            Self::HmacSha384 => 48,
            Self::HmacSha512 | Self::Kmac256 => 64,
            Self::HmacSha256 | Self::HmacSha3_256 | Self::Kmac128 | Self::Kupyna256Kmac => 32,
        }
    }

    /// The hash, if it is an HMAC.
    #[cfg(any(feature = "openssl", feature = "aws-lc"))]
    pub const fn hash(self) -> Option<HashKind> {
        Some(match self {
            Self::HmacSha256 => HashKind::Sha256,
            Self::HmacSha384 => HashKind::Sha384,
            Self::HmacSha512 => HashKind::Sha512,
            Self::HmacSha3_256 => HashKind::Sha3_256,
            _ => return None,
        })
    }
}

/// The tag of one message under a key that was set up beforehand.
#[derive(Debug, Clone)]
pub struct MacJob {
    pub kind: MacKind,
    pub key: Vec<u8>,
    message: Rc<Buffer>,
}

impl MacJob {
    pub fn new(kind: MacKind, length: usize) -> Self {
        let key = Buffer::patterned(if kind == MacKind::Aes128Cmac { 16 } else { 32 }, 20).to_vec();
        Self { kind, key, message: Rc::new(Buffer::patterned(length, 21)) }
    }

    pub fn key_array<const N: usize>(&self) -> [u8; N] {
        self.key.as_slice().try_into().expect("the kind fixes the key's length")
    }

    /// The side of a library: what it keeps of the key, and how it makes a tag with it.
    pub fn side<K: 'static, T: AsRef<[u8]> + 'static>(
        &self,
        key: K,
        mac: impl Fn(&mut K, &[u8]) -> T + 'static,
    ) -> Side {
        Side::new(
            (key, self.message.clone(), None),
            move |(key, message, tag)| *tag = Some(mac(key, message)),
            |(_, _, tag)| tag.as_ref().map(|tag| tag.as_ref().to_vec()).unwrap_or_default(),
        )
    }
}

/// Extract and expand, from the input keying material to 32 bytes.
#[derive(Debug, Clone)]
pub struct HkdfJob {
    pub hash: HashKind,
    pub salt: [u8; 32],
    pub material: [u8; 32],
    pub info: [u8; 16],
}

impl HkdfJob {
    pub fn new(hash: HashKind) -> Self {
        Self { hash, salt: patterned(22), material: patterned(23), info: patterned(24) }
    }

    pub fn side<S: 'static>(&self, state: S, derive: impl Fn(&mut S, &Self, &mut [u8; 32]) + 'static) -> Side {
        deriving((state, self.clone()), move |(state, job), out| derive(state, job, out))
    }
}

/// One password to 32 bytes.
#[derive(Debug, Clone)]
pub struct Pbkdf2Job {
    pub hash: HashKind,
    pub password: [u8; 16],
    pub salt: [u8; 16],
    pub iterations: u32,
}

impl Pbkdf2Job {
    pub fn new(hash: HashKind, iterations: u32) -> Self {
        Self { hash, password: patterned(25), salt: patterned(26), iterations }
    }

    pub fn side<S: 'static>(&self, state: S, derive: impl Fn(&mut S, &Self, &mut [u8; 32]) + 'static) -> Side {
        deriving((state, self.clone()), move |(state, job), out| derive(state, job, out))
    }
}

fn deriving<S: 'static>(state: S, derive: impl Fn(&mut S, &mut [u8; 32]) + 'static) -> Side {
    Side::new((state, [0; 32]), move |(state, out)| derive(state, out), |(_, out)| out.to_vec())
}

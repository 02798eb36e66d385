//! Message authentication and key derivation.

use std::rc::Rc;

use super::HashKind;
use crate::buffer::{Buffer, patterned};
use crate::side::Side;

/// HMAC of one message under a key that was set up beforehand.
#[derive(Debug, Clone)]
pub struct HmacJob {
    pub hash: HashKind,
    pub key: [u8; 32],
    message: Rc<Buffer>,
}

impl HmacJob {
    pub fn new(hash: HashKind, length: usize) -> Self {
        Self { hash, key: patterned(20), message: Rc::new(Buffer::patterned(length, 21)) }
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

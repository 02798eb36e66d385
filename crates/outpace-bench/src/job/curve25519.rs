//! X25519 and Ed25519.

use std::rc::Rc;

use outpace::ed25519::SigningKey;
use outpace::x25519::StaticSecret;

use crate::buffer::{Buffer, patterned};
use crate::side::Side;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum X25519Operation {
    /// The shared secret of a kept private key and a peer's public one.
    Agree,
    /// The public key that belongs to a private one.
    PublicKey,
    /// A new key pair.
    Generate,
}

#[derive(Debug, Clone)]
pub struct X25519Job {
    pub operation: X25519Operation,
    pub secret: [u8; 32],
    pub peer: [u8; 32],
}

impl X25519Job {
    pub fn new(operation: X25519Operation) -> Self {
        let peer = *StaticSecret::from_bytes(&patterned(31)).public_key().as_bytes();
        Self { operation, secret: patterned(30), peer }
    }

    /// A side that puts out 32 bytes.
    pub fn side<S: 'static>(&self, state: S, work: impl Fn(&mut S) -> [u8; 32] + 'static) -> Side {
        Side::new((state, [0; 32]), move |(state, out)| *out = work(state), |(_, out)| out.to_vec())
    }
}

impl X25519Job {
    /// A side that makes key pairs; it accepts a pair whose public key is the one that it finds for the private key.
    pub fn generating(
        &self,
        generate: impl Fn() -> ([u8; 32], [u8; 32]) + 'static,
        public: impl Fn(&[u8; 32]) -> [u8; 32] + 'static,
    ) -> Side {
        Side::judging(
            ([0; 32], [0; 32]),
            move |pair| *pair = generate(),
            |(secret, public)| [*secret, *public].concat(),
            move |_, pair| {
                let halves = pair.split_first_chunk();
                halves.is_some_and(|(secret, theirs)| public(secret) == *theirs)
            },
        )
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ed25519Operation {
    Sign,
    /// With a key that was read beforehand, as far as a library's interface has such a thing.
    Verify,
    /// With a key that comes as bytes.
    VerifyBytes,
    /// From the seed to the public key.
    PublicKey,
}

#[derive(Debug, Clone)]
pub struct Ed25519Job {
    pub operation: Ed25519Operation,
    pub seed: [u8; 32],
    pub public: [u8; 32],
    pub message: Rc<Buffer>,
    pub signature: [u8; 64],
}

impl Ed25519Job {
    pub fn new(operation: Ed25519Operation, length: usize) -> Self {
        let (seed, message) = (patterned(32), Rc::new(Buffer::patterned(length, 33)));
        // That the rivals accept this signature, and make the same, is the check.
        let key = SigningKey::from_seed(&seed);
        let (public, signature) = (*key.verifying_key().as_bytes(), key.sign(&message));
        Self { operation, seed, public, message, signature }
    }

    /// A side that puts out bytes: a signature or a public key.
    pub fn making<S: 'static, const N: usize>(
        &self,
        state: S,
        make: impl Fn(&mut S, &Self) -> [u8; N] + 'static,
    ) -> Side {
        Side::new(
            (state, self.clone(), [0; N]),
            move |(state, job, out)| *out = make(state, job),
            |(_, _, out)| out.to_vec(),
        )
    }

    /// A side that verifies; it puts out whether it always accepted.
    pub fn verifying<S: 'static>(&self, state: S, verify: impl Fn(&mut S, &Self) -> bool + 'static) -> Side {
        Side::new(
            (state, self.clone(), true),
            move |(state, job, accepted)| *accepted &= verify(state, job),
            |(_, _, accepted)| vec![u8::from(*accepted)],
        )
    }
}

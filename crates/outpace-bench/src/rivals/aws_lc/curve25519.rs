//! X25519 and Ed25519, whose functions take bytes.

use super::{OK, ffi};
use crate::job::curve25519::{Ed25519Operation, X25519Operation};
use crate::job::{Ed25519Job, X25519Job};
use crate::side::Side;

pub fn x25519(job: &X25519Job) -> Side {
    match job.operation {
        X25519Operation::Agree => job.side((job.secret, job.peer), |(secret, peer)| {
            let mut shared = [0; 32];
            // SAFETY: three arrays of 32 bytes.
            let done = unsafe { ffi::X25519(shared.as_mut_ptr(), secret.as_ptr(), peer.as_ptr()) };
            assert_eq!(done, OK, "AWS-LC agrees");
            shared
        }),
        X25519Operation::PublicKey => job.side(job.secret, |secret| {
            let mut public = [0; 32];
            // SAFETY: two arrays of 32 bytes.
            unsafe { ffi::X25519_public_from_private(public.as_mut_ptr(), secret.as_ptr()) };
            public
        }),
        X25519Operation::Generate => job.generating(
            || {
                let (mut public, mut secret) = ([0; 32], [0; 32]);
                // SAFETY: two arrays of 32 bytes.
                unsafe { ffi::X25519_keypair(public.as_mut_ptr(), secret.as_mut_ptr()) };
                (secret, public)
            },
            |secret| {
                let mut public = [0; 32];
                // SAFETY: two arrays of 32 bytes.
                unsafe { ffi::X25519_public_from_private(public.as_mut_ptr(), secret.as_ptr()) };
                public
            },
        ),
    }
}

fn key_pair(seed: &[u8; 32]) -> ([u8; 32], [u8; 64]) {
    let (mut public, mut private) = ([0; 32], [0; 64]);
    // SAFETY: the arrays have the lengths of a public key, a private key and a seed.
    unsafe { ffi::ED25519_keypair_from_seed(public.as_mut_ptr(), private.as_mut_ptr(), seed.as_ptr()) };
    (public, private)
}

pub fn ed25519(job: &Ed25519Job) -> Side {
    match job.operation {
        Ed25519Operation::Sign => job.making(key_pair(&job.seed).1, |private, job| {
            let mut signature = [0; 64];
            let message = &job.message;
            // SAFETY: arrays of a signature's and a private key's length, and a message as long as said.
            let done =
                unsafe { ffi::ED25519_sign(signature.as_mut_ptr(), message.as_ptr(), message.len(), private.as_ptr()) };
            assert_eq!(done, OK, "AWS-LC signs");
            signature
        }),
        Ed25519Operation::Verify | Ed25519Operation::VerifyBytes => job.verifying((), |(), job| {
            let message = &job.message;
            // SAFETY: as above.
            let accepted = unsafe {
                ffi::ED25519_verify(message.as_ptr(), message.len(), job.signature.as_ptr(), job.public.as_ptr())
            };
            accepted == OK
        }),
        Ed25519Operation::PublicKey => job.making((), |(), job| key_pair(&job.seed).0),
    }
}

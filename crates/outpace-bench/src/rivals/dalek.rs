//! `x25519-dalek` and `ed25519-dalek`.

use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use x25519_dalek::{PublicKey, StaticSecret};

use super::{Library, locked_version};
use crate::job::curve25519::{Ed25519Operation, X25519Operation};
use crate::job::{Ed25519Job, Job, X25519Job};
use crate::side::Side;
use crate::tier::Tier;

pub struct Dalek;

impl Library for Dalek {
    fn name(&self) -> &'static str {
        "dalek"
    }

    fn version(&self) -> String {
        locked_version("curve25519-dalek")
    }

    fn keeps_to(&self, tier: Tier) -> bool {
        !tier.masks()
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Ed25519(job) => Some(ed25519(job)),
            Job::X25519(job) => x25519(job),
            _ => None,
        }
    }
}

fn x25519(job: &X25519Job) -> Option<Side> {
    let secret = StaticSecret::from(job.secret);
    Some(match job.operation {
        X25519Operation::Agree => {
            job.side((secret, PublicKey::from(job.peer)), |(secret, peer)| secret.diffie_hellman(peer).to_bytes())
        }
        X25519Operation::PublicKey => job.side(secret, |secret| PublicKey::from(&*secret).to_bytes()),
        // It leaves the choice of a generator to its user.
        X25519Operation::Generate => return None,
    })
}

fn ed25519(job: &Ed25519Job) -> Side {
    let read = |public: &[u8; 32]| VerifyingKey::from_bytes(public).expect("a public key");
    let accepts =
        |key: &VerifyingKey, job: &Ed25519Job| key.verify(&job.message, &Signature::from_bytes(&job.signature)).is_ok();
    match job.operation {
        Ed25519Operation::Sign => {
            job.making(SigningKey::from_bytes(&job.seed), |key, job| key.sign(&job.message).to_bytes())
        }
        Ed25519Operation::Verify => job.verifying(read(&job.public), move |key, job| accepts(key, job)),
        Ed25519Operation::VerifyBytes => job.verifying((), move |(), job| accepts(&read(&job.public), job)),
        Ed25519Operation::PublicKey => {
            job.making((), |(), job| SigningKey::from_bytes(&job.seed).verifying_key().to_bytes())
        }
    }
}

//! graviola.

use graviola::aead::{AesGcm, ChaCha20Poly1305};
use graviola::hashing::hmac::Hmac;
use graviola::hashing::sha3::{Sha3_256Context, Sha3_512Context, Shake128, Shake256};
use graviola::hashing::{Hash, HashOutput, Sha256, Sha384, Sha512};
use graviola::key_agreement::x25519;
use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};

use super::{Library, locked_version};
use crate::job::aead::{AeadKind, TAG, Tag, short};
use crate::job::curve25519::{Ed25519Operation, X25519Operation};
use crate::job::keyed::{MacJob, MacKind};
use crate::job::{AeadJob, Ed25519Job, HashJob, HashKind, Job, X25519Job};
use crate::side::{Side, filling};
use crate::tier::Tier;

pub struct Graviola;

impl Library for Graviola {
    fn name(&self) -> &'static str {
        "graviola"
    }

    fn version(&self) -> String {
        locked_version("graviola")
    }

    /// Its own switches work in debug builds only.
    fn keeps_to(&self, tier: Tier) -> bool {
        !tier.masks()
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => aead(job),
            Job::Ed25519(job) => Some(ed25519(job)),
            Job::Hash(job) => hash(job),
            Job::Mac(job) => hmac(job),
            Job::X25519(job) => Some(x25519(job)),
            Job::Random(length) => Some(filling(*length, |buffer| graviola::random::fill(buffer).is_ok())),
            _ => None,
        }
    }
}

fn hash(job: &HashJob) -> Option<Side> {
    fn sha2<H: Hash + 'static>(job: &HashJob) -> Side {
        Side::new(
            (job.message.clone(), None::<HashOutput>),
            |(message, result)| *result = Some(H::hash(message)),
            |(_, result)| result.as_ref().map(HashOutput::as_ref).unwrap_or_default().to_vec(),
        )
    }
    fn sha3<const N: usize>(job: &HashJob, hash: impl Fn(&[u8], &mut [u8; N]) + 'static) -> Side {
        Side::new(
            (job.message.clone(), [0; N]),
            move |(message, result)| hash(message, result),
            |(_, result)| result.to_vec(),
        )
    }
    Some(match job.kind {
        HashKind::Sha256 => sha2::<Sha256>(job),
        HashKind::Sha384 => sha2::<Sha384>(job),
        HashKind::Sha512 => sha2::<Sha512>(job),
        HashKind::Sha3_256 => sha3::<32>(job, |message, result| {
            let mut hash = Sha3_256Context::new();
            hash.update(message);
            *result = hash.finish();
        }),
        HashKind::Sha3_512 => sha3::<64>(job, |message, result| {
            let mut hash = Sha3_512Context::new();
            hash.update(message);
            *result = hash.finish();
        }),
        HashKind::Shake128 => sha3::<32>(job, |message, result| Shake128::new(&[message]).read(result)),
        HashKind::Shake256 => sha3::<64>(job, |message, result| Shake256::new(&[message]).read(result)),
        HashKind::Blake2b512 | HashKind::Blake2s256 | HashKind::Kupyna256 | HashKind::Kupyna512 => return None,
    })
}

fn aead(job: &AeadJob) -> Option<Side> {
    fn tag(seal: impl FnOnce(&mut Tag)) -> Tag {
        let mut tag = [0; TAG];
        seal(&mut tag);
        tag
    }
    Some(match job.kind {
        AeadKind::Aes128Gcm | AeadKind::Aes256Gcm => job.in_place(
            AesGcm::new,
            |key, nonce, aad, data| tag(|tag| key.encrypt(short(nonce), aad, data, tag)),
            |key, nonce, aad, data, tag| key.decrypt(short(nonce), aad, data, tag).is_ok(),
        ),
        AeadKind::ChaCha20Poly1305 => job.in_place(
            |raw| ChaCha20Poly1305::new(raw.try_into().expect("the kind fixes the key's length")),
            |key, nonce, aad, data| tag(|tag| key.encrypt(short(nonce), aad, data, tag)),
            |key, nonce, aad, data, tag| key.decrypt(short(nonce), aad, data, tag).is_ok(),
        ),
        _ => return None,
    })
}

fn hmac(job: &MacJob) -> Option<Side> {
    fn with<H: Hash + Clone + 'static>(job: &MacJob) -> Side {
        job.side(Hmac::<H>::new(&job.key), |key, message| {
            let mut mac = key.clone();
            mac.update(message);
            mac.finish()
        })
    }
    match job.kind {
        MacKind::HmacSha256 => Some(with::<Sha256>(job)),
        MacKind::HmacSha384 => Some(with::<Sha384>(job)),
        MacKind::HmacSha512 => Some(with::<Sha512>(job)),
        _ => None,
    }
}

fn x25519(job: &X25519Job) -> Side {
    let secret = x25519::StaticPrivateKey::from_array(&job.secret);
    match job.operation {
        X25519Operation::Agree => {
            let peer = x25519::PublicKey::from_array(&job.peer);
            job.side((secret, peer), |(secret, peer)| secret.diffie_hellman(peer).expect("an honest peer").0)
        }
        X25519Operation::PublicKey => job.side(secret, |secret| secret.public_key().as_bytes()),
        X25519Operation::Generate => job.generating(
            || {
                let secret = x25519::StaticPrivateKey::new_random().expect("the system gives randomness");
                (secret.as_bytes(), secret.public_key().as_bytes())
            },
            |secret| x25519::StaticPrivateKey::from_array(secret).public_key().as_bytes(),
        ),
    }
}

fn ed25519(job: &Ed25519Job) -> Side {
    let sign = |seed: &[u8]| Ed25519SigningKey::from_bytes(seed).expect("a seed");
    let read = |public: &[u8]| Ed25519VerifyingKey::from_bytes(public).expect("a public key");
    match job.operation {
        Ed25519Operation::Sign => job.making(sign(&job.seed), |key, job| key.sign(&job.message)),
        Ed25519Operation::Verify => {
            job.verifying(read(&job.public), |key, job| key.verify(&job.signature, &job.message).is_ok())
        }
        Ed25519Operation::VerifyBytes => {
            job.verifying((), move |(), job| read(&job.public).verify(&job.signature, &job.message).is_ok())
        }
        Ed25519Operation::PublicKey => job.making((), move |(), job| sign(&job.seed).public_key().as_bytes()),
    }
}

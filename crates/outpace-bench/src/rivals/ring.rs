//! ring.

use ring::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::digest;
use ring::rand::{SecureRandom, SystemRandom};

use super::{Library, Masking, locked_version};
use crate::job::aead::AeadKind;
use crate::job::{AeadJob, HashJob, HashKind, Job};
use crate::side::{Side, filling};

pub struct Ring;

impl Library for Ring {
    fn name(&self) -> &'static str {
        "ring"
    }

    fn version(&self) -> String {
        locked_version("ring")
    }

    fn masking(&self) -> Masking {
        Masking::Impossible
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => Some(aead(job)),
            Job::Hash(job) => hash(job),
            Job::Random(length) => {
                let system = SystemRandom::new();
                Some(filling(*length, move |buffer| system.fill(buffer).is_ok()))
            }
        }
    }
}

fn hash(job: &HashJob) -> Option<Side> {
    let algorithm = match job.kind {
        HashKind::Sha256 => &digest::SHA256,
        HashKind::Sha384 => &digest::SHA384,
        HashKind::Sha512 => &digest::SHA512,
        _ => return None,
    };
    Some(Side::new(
        (job.message.clone(), None),
        |(message, result)| *result = Some(digest::digest(algorithm, message)),
        |(_, result)| result.as_ref().map(digest::Digest::as_ref).unwrap_or_default().to_vec(),
    ))
}

fn aead(job: &AeadJob) -> Side {
    let algorithm = match job.kind {
        AeadKind::Aes128Gcm => &aead::AES_128_GCM,
        AeadKind::Aes256Gcm => &aead::AES_256_GCM,
        AeadKind::ChaCha20Poly1305 => &aead::CHACHA20_POLY1305,
    };
    job.in_place(
        |raw| LessSafeKey::new(UnboundKey::new(algorithm, raw).expect("the kind fixes the key's length")),
        |key, nonce, aad, data| {
            let nonce = Nonce::assume_unique_for_key(*nonce);
            let tag = key.seal_in_place_separate_tag(nonce, Aad::from(aad), data).expect("a short message");
            tag.as_ref().try_into().expect("a whole tag")
        },
        |key, nonce, aad, data, tag| {
            let nonce = Nonce::assume_unique_for_key(*nonce);
            key.open_in_place_separate_tag(nonce, Aad::from(aad), (*tag).into(), data, 0..).is_ok()
        },
    )
}

//! ring.

use std::num::NonZeroU32;

use ring::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{self, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use ring::{digest, hkdf, hmac, pbkdf2};

use super::{Library, locked_version};
use crate::job::aead::{AeadKind, short};
use crate::job::curve25519::Ed25519Operation;
use crate::job::keyed::{MacJob, MacKind};
use crate::job::{AeadJob, Ed25519Job, HashJob, HashKind, HkdfJob, Job, Pbkdf2Job};
use crate::side::{Side, filling};
use crate::tier::Tier;

pub struct Ring;

impl Library for Ring {
    fn name(&self) -> &'static str {
        "ring"
    }

    fn version(&self) -> String {
        locked_version("ring")
    }

    fn keeps_to(&self, tier: Tier) -> bool {
        !tier.masks()
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => aead(job),
            Job::Ed25519(job) => Some(ed25519(job)),
            Job::Hash(job) => hash(job),
            Job::Hkdf(job) => Some(hkdf(job)),
            Job::Mac(job) => hmac(job),
            Job::Pbkdf2(job) => Some(pbkdf2(job)),
            Job::Random(length) => {
                let system = SystemRandom::new();
                Some(filling(*length, move |buffer| system.fill(buffer).is_ok()))
            }
            // Not X25519: its private keys are for one use and cannot be given, so neither bytes nor work could be made equal.
            _ => None,
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

fn aead(job: &AeadJob) -> Option<Side> {
    let algorithm = match job.kind {
        AeadKind::Aes128Gcm => &aead::AES_128_GCM,
        AeadKind::Aes256Gcm => &aead::AES_256_GCM,
        AeadKind::ChaCha20Poly1305 => &aead::CHACHA20_POLY1305,
        _ => return None,
    };
    Some(job.in_place(
        |raw| LessSafeKey::new(UnboundKey::new(algorithm, raw).expect("the kind fixes the key's length")),
        |key, nonce, aad, data| {
            let nonce = Nonce::assume_unique_for_key(*short(nonce));
            let tag = key.seal_in_place_separate_tag(nonce, Aad::from(aad), data).expect("a short message");
            tag.as_ref().try_into().expect("a whole tag")
        },
        |key, nonce, aad, data, tag| {
            let nonce = Nonce::assume_unique_for_key(*short(nonce));
            key.open_in_place_separate_tag(nonce, Aad::from(aad), (*tag).into(), data, 0..).is_ok()
        },
    ))
}

fn hmac(job: &MacJob) -> Option<Side> {
    let algorithm = match job.kind {
        MacKind::HmacSha256 => hmac::HMAC_SHA256,
        MacKind::HmacSha384 => hmac::HMAC_SHA384,
        MacKind::HmacSha512 => hmac::HMAC_SHA512,
        _ => return None,
    };
    Some(job.side(hmac::Key::new(algorithm, &job.key), |key, message| hmac::sign(key, message)))
}

fn hkdf(job: &HkdfJob) -> Side {
    /// The length of the output.
    struct Length;
    impl hkdf::KeyType for Length {
        fn len(&self) -> usize {
            32
        }
    }
    let algorithm = match job.hash {
        HashKind::Sha512 => hkdf::HKDF_SHA512,
        _ => hkdf::HKDF_SHA256,
    };
    job.side((), move |(), job, out| {
        let key = hkdf::Salt::new(algorithm, &job.salt).extract(&job.material);
        let info = [&job.info[..]];
        key.expand(&info, Length).and_then(|material| material.fill(out)).expect("a short output");
    })
}

fn pbkdf2(job: &Pbkdf2Job) -> Side {
    let algorithm = match job.hash {
        HashKind::Sha512 => pbkdf2::PBKDF2_HMAC_SHA512,
        _ => pbkdf2::PBKDF2_HMAC_SHA256,
    };
    let iterations = NonZeroU32::new(job.iterations).expect("at least one iteration");
    job.side((), move |(), job, out| pbkdf2::derive(algorithm, iterations, &job.salt, &job.password, out))
}

fn ed25519(job: &Ed25519Job) -> Side {
    let pair = || Ed25519KeyPair::from_seed_and_public_key(&job.seed, &job.public).expect("a key pair");
    match job.operation {
        Ed25519Operation::Sign => job.making::<_, 64>(pair(), |pair, job| {
            pair.sign(&job.message).as_ref().try_into().expect("a whole signature")
        }),
        // Its public keys are bytes until they are used.
        Ed25519Operation::Verify | Ed25519Operation::VerifyBytes => job.verifying((), |(), job| {
            UnparsedPublicKey::new(&signature::ED25519, &job.public).verify(&job.message, &job.signature).is_ok()
        }),
        Ed25519Operation::PublicKey => job.making::<_, 32>((), |(), job| {
            let pair = Ed25519KeyPair::from_seed_unchecked(&job.seed).expect("a seed");
            pair.public_key().as_ref().try_into().expect("a whole key")
        }),
    }
}

//! The RustCrypto crates.

use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::{AeadInOut, KeyInit};
use hmac::{EagerHash, Mac};
use sha2::digest::{Digest, ExtendableOutput, Update, XofReader};

use super::{Library, Masking, locked_version};
use crate::job::aead::AeadKind;
use crate::job::{AeadJob, HashJob, HashKind, HkdfJob, HmacJob, Job, Pbkdf2Job};
use crate::side::Side;

pub struct RustCrypto;

impl Library for RustCrypto {
    fn name(&self) -> &'static str {
        "RustCrypto"
    }

    fn version(&self) -> String {
        ["aes-gcm", "chacha20poly1305", "sha2", "sha3", "shake", "blake2", "kupyna", "hmac", "hkdf", "pbkdf2"]
            .map(|package| format!("{package} {}", locked_version(package)))
            .join(", ")
    }

    fn masking(&self) -> Masking {
        Masking::Impossible
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => Some(aead(job)),
            Job::Hash(job) => Some(hash(job)),
            Job::Hkdf(job) => Some(hkdf(job)),
            Job::Hmac(job) => hmac(job),
            Job::Pbkdf2(job) => Some(pbkdf2(job)),
            Job::Ed25519(_) | Job::Kalyna(_) | Job::Random(_) | Job::X25519(_) => None,
        }
    }
}

fn hash(job: &HashJob) -> Side {
    fn fixed<H: Digest + 'static>(job: &HashJob) -> Side {
        Side::new(
            (job.message.clone(), sha2::digest::Output::<H>::default()),
            |(message, result)| *result = H::digest(&message[..]),
            |(_, result)| result.to_vec(),
        )
    }
    fn extendable<H: Default + Update + ExtendableOutput + 'static>(job: &HashJob) -> Side {
        Side::new(
            (job.message.clone(), vec![0; job.kind.length()]),
            |(message, result)| {
                let mut hash = H::default();
                hash.update(message);
                hash.finalize_xof().read(result);
            },
            |(_, result)| result.clone(),
        )
    }
    match job.kind {
        HashKind::Sha256 => fixed::<sha2::Sha256>(job),
        HashKind::Sha384 => fixed::<sha2::Sha384>(job),
        HashKind::Sha512 => fixed::<sha2::Sha512>(job),
        HashKind::Sha3_256 => fixed::<sha3::Sha3_256>(job),
        HashKind::Sha3_512 => fixed::<sha3::Sha3_512>(job),
        HashKind::Shake128 => extendable::<shake::Shake128>(job),
        HashKind::Shake256 => extendable::<shake::Shake256>(job),
        HashKind::Blake2b512 => fixed::<blake2::Blake2b512>(job),
        HashKind::Blake2s256 => fixed::<blake2::Blake2s256>(job),
        HashKind::Kupyna256 => fixed::<kupyna::Kupyna256>(job),
        HashKind::Kupyna512 => fixed::<kupyna::Kupyna512>(job),
    }
}

fn aead(job: &AeadJob) -> Side {
    fn with<A>(job: &AeadJob) -> Side
    where
        A: KeyInit + AeadInOut<NonceSize = U12, TagSize = U16> + 'static,
    {
        job.in_place(
            |raw| A::new_from_slice(raw).expect("the kind fixes the key's length"),
            |key, nonce, aad, data| {
                key.encrypt_inout_detached(nonce.into(), aad, data.into()).expect("a short message").into()
            },
            |key, nonce, aad, data, tag| key.decrypt_inout_detached(nonce.into(), aad, data.into(), tag.into()).is_ok(),
        )
    }
    match job.kind {
        AeadKind::Aes128Gcm => with::<aes_gcm::Aes128Gcm>(job),
        AeadKind::Aes256Gcm => with::<aes_gcm::Aes256Gcm>(job),
        AeadKind::ChaCha20Poly1305 => with::<chacha20poly1305::ChaCha20Poly1305>(job),
    }
}

fn hmac(job: &HmacJob) -> Option<Side> {
    fn with<D>(job: &HmacJob) -> Side
    where
        D: EagerHash + 'static,
        hmac::Hmac<D>: Mac + KeyInit + Clone,
    {
        let key = <hmac::Hmac<D> as KeyInit>::new_from_slice(&job.key).expect("any length");
        job.side(key, |key, message| key.clone().chain_update(message).finalize().into_bytes())
    }
    Some(match job.hash {
        HashKind::Sha256 => with::<sha2::Sha256>(job),
        HashKind::Sha384 => with::<sha2::Sha384>(job),
        HashKind::Sha512 => with::<sha2::Sha512>(job),
        _ => return None,
    })
}

fn hkdf(job: &HkdfJob) -> Side {
    job.side((), |(), job, out| {
        let done = match job.hash {
            HashKind::Sha512 => hkdf::Hkdf::<sha2::Sha512>::new(Some(&job.salt), &job.material).expand(&job.info, out),
            _ => hkdf::Hkdf::<sha2::Sha256>::new(Some(&job.salt), &job.material).expand(&job.info, out),
        };
        done.expect("a short output");
    })
}

fn pbkdf2(job: &Pbkdf2Job) -> Side {
    job.side((), |(), job, out| match job.hash {
        HashKind::Sha512 => pbkdf2::pbkdf2_hmac::<sha2::Sha512>(&job.password, &job.salt, job.iterations, out),
        _ => pbkdf2::pbkdf2_hmac::<sha2::Sha256>(&job.password, &job.salt, job.iterations, out),
    })
}

//! graviola.

use graviola::aead::{AesGcm, ChaCha20Poly1305};
use graviola::hashing::sha3::{Sha3_256Context, Sha3_512Context, Shake128, Shake256};
use graviola::hashing::{Hash, HashOutput, Sha256, Sha384, Sha512};

use super::{Library, Masking, locked_version};
use crate::job::aead::{AeadKind, TAG, Tag};
use crate::job::{AeadJob, HashJob, HashKind, Job};
use crate::side::{Side, filling};

pub struct Graviola;

impl Library for Graviola {
    fn name(&self) -> &'static str {
        "graviola"
    }

    fn version(&self) -> String {
        locked_version("graviola")
    }

    /// Its own switches work in debug builds only.
    fn masking(&self) -> Masking {
        Masking::Impossible
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => Some(aead(job)),
            Job::Hash(job) => hash(job),
            Job::Random(length) => Some(filling(*length, |buffer| graviola::random::fill(buffer).is_ok())),
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
        HashKind::Blake2b512 | HashKind::Blake2s256 => return None,
    })
}

fn aead(job: &AeadJob) -> Side {
    fn tag(seal: impl FnOnce(&mut Tag)) -> Tag {
        let mut tag = [0; TAG];
        seal(&mut tag);
        tag
    }
    match job.kind {
        AeadKind::Aes128Gcm | AeadKind::Aes256Gcm => job.in_place(
            AesGcm::new,
            |key, nonce, aad, data| tag(|tag| key.encrypt(nonce, aad, data, tag)),
            |key, nonce, aad, data, tag| key.decrypt(nonce, aad, data, tag).is_ok(),
        ),
        AeadKind::ChaCha20Poly1305 => job.in_place(
            |raw| ChaCha20Poly1305::new(raw.try_into().expect("the kind fixes the key's length")),
            |key, nonce, aad, data| tag(|tag| key.encrypt(nonce, aad, data, tag)),
            |key, nonce, aad, data, tag| key.decrypt(nonce, aad, data, tag).is_ok(),
        ),
    }
}

//! Outpace itself, as any program would use it.

use outpace::aead::{Aead, Aes128Gcm, Aes256Gcm, ChaCha20Poly1305};
use outpace::hash::{Hash, Sha3_256, Sha3_512, Sha256, Sha384, Sha512, Shake128, Shake256};

use super::{Library, Masking};
use crate::job::aead::{AeadKind, Direction, Nonce, Setup, Tag};
use crate::job::{AeadJob, HashJob, HashKind, Job};
use crate::side::{Side, filling};

pub struct Outpace;

impl Library for Outpace {
    fn name(&self) -> &'static str {
        crate::model::OURS
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").into()
    }

    fn masking(&self) -> Masking {
        Masking::Possible
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => Some(aead(job)),
            Job::Hash(job) => hash(job),
            Job::Random(length) => Some(filling(*length, |buffer| outpace::rand::fill(buffer).is_ok())),
        }
    }
}

fn hash(job: &HashJob) -> Option<Side> {
    fn fixed<H: Hash + 'static>(job: &HashJob) -> Side {
        Side::new(
            (job.message.clone(), None::<H::Output>),
            |(message, digest)| *digest = Some(H::digest(message)),
            |(_, digest)| digest.map(|digest| digest.as_ref().to_vec()).unwrap_or_default(),
        )
    }
    fn extendable(job: &HashJob, digest: impl Fn(&[u8], &mut [u8]) + 'static) -> Side {
        Side::new(
            (job.message.clone(), vec![0; job.kind.length()]),
            move |(message, out)| digest(message, out),
            |(_, out)| out.clone(),
        )
    }
    match job.kind {
        HashKind::Sha256 => Some(fixed::<Sha256>(job)),
        HashKind::Sha384 => Some(fixed::<Sha384>(job)),
        HashKind::Sha512 => Some(fixed::<Sha512>(job)),
        HashKind::Sha3_256 => Some(fixed::<Sha3_256>(job)),
        HashKind::Sha3_512 => Some(fixed::<Sha3_512>(job)),
        HashKind::Shake128 => Some(extendable(job, Shake128::digest)),
        HashKind::Shake256 => Some(extendable(job, Shake256::digest)),
        HashKind::Blake2b512 | HashKind::Blake2s256 => None,
    }
}

fn aead(job: &AeadJob) -> Side {
    fn with<A>(job: &AeadJob) -> Side
    where
        A: Aead<Nonce = Nonce, Tag = Tag> + 'static,
        A::Key: for<'a> TryFrom<&'a [u8]> + 'static,
    {
        let raw = A::Key::try_from(&job.key).ok().expect("the kind fixes the key's length");
        match (job.setup, job.direction) {
            (Setup::OneShot, Direction::Seal) => job.sealing_to(raw, |raw, nonce, aad, plaintext, out| {
                A::seal_once(raw, nonce, aad, plaintext, out).expect("room for the tag");
            }),
            (Setup::OneShot, Direction::Open) => {
                job.opening_to(raw, |raw, nonce, aad, sealed, out| A::open_once(raw, nonce, aad, sealed, out).is_ok())
            }
            (Setup::NewKey, Direction::Seal) => {
                job.sealing(raw, |raw, nonce, aad, data| A::new(raw).seal_in_place(nonce, aad, data))
            }
            (Setup::NewKey, Direction::Open) => {
                job.opening(raw, |raw, nonce, aad, data, tag| A::new(raw).open_in_place(nonce, aad, data, tag).is_ok())
            }
            (Setup::Reused, Direction::Seal) => {
                job.sealing(A::new(&raw), |key, nonce, aad, data| key.seal_in_place(nonce, aad, data))
            }
            (Setup::Reused, Direction::Open) => {
                job.opening(A::new(&raw), |key, nonce, aad, data, tag| key.open_in_place(nonce, aad, data, tag).is_ok())
            }
        }
    }
    match job.kind {
        AeadKind::Aes128Gcm => with::<Aes128Gcm>(job),
        AeadKind::Aes256Gcm => with::<Aes256Gcm>(job),
        AeadKind::ChaCha20Poly1305 => with::<ChaCha20Poly1305>(job),
    }
}

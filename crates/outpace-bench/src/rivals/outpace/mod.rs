//! Outpace itself, as any program would use it.

mod kalyna;

use outpace::aead::{Aead, Aes128Gcm, Aes256Gcm, ChaCha20Poly1305};
use outpace::hash::{
    Blake2b512, Blake2s256, Hash, Kupyna256, Kupyna512, Sha3_256, Sha3_512, Sha256, Sha384, Sha512, Shake128, Shake256,
};

use outpace::kdf::{self, Hkdf};
use outpace::mac::Hmac;
use outpace::{ed25519, x25519};

use super::{Library, Masking};
use crate::job::aead::{AeadKind, Direction, Nonce, Setup, Tag};
use crate::job::curve25519::{Ed25519Operation, X25519Operation};
use crate::job::{AeadJob, Ed25519Job, HashJob, HashKind, HkdfJob, HmacJob, Job, Pbkdf2Job, X25519Job};
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
            Job::Ed25519(job) => Some(ed25519(job)),
            Job::Hash(job) => hash(job),
            Job::Hkdf(job) => Some(hkdf(job)),
            Job::Hmac(job) => hmac(job),
            Job::Kalyna(job) => Some(kalyna::side(job)),
            Job::Pbkdf2(job) => Some(pbkdf2(job)),
            Job::X25519(job) => Some(x25519(job)),
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
        HashKind::Blake2b512 => Some(fixed::<Blake2b512>(job)),
        HashKind::Blake2s256 => Some(fixed::<Blake2s256>(job)),
        HashKind::Kupyna256 => Some(fixed::<Kupyna256>(job)),
        HashKind::Kupyna512 => Some(fixed::<Kupyna512>(job)),
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

fn hmac(job: &HmacJob) -> Option<Side> {
    fn with<H: Hash + 'static>(job: &HmacJob) -> Side {
        job.side(Hmac::<H>::new(&job.key), |key, message| key.mac(message))
    }
    Some(match job.hash {
        HashKind::Sha256 => with::<Sha256>(job),
        HashKind::Sha384 => with::<Sha384>(job),
        HashKind::Sha512 => with::<Sha512>(job),
        HashKind::Sha3_256 => with::<Sha3_256>(job),
        _ => return None,
    })
}

fn hkdf(job: &HkdfJob) -> Side {
    job.side((), |(), job, out| {
        let done = match job.hash {
            HashKind::Sha512 => Hkdf::<Sha512>::extract(&job.salt, &job.material).expand(&job.info, out),
            _ => Hkdf::<Sha256>::extract(&job.salt, &job.material).expand(&job.info, out),
        };
        done.expect("a short output");
    })
}

fn pbkdf2(job: &Pbkdf2Job) -> Side {
    job.side((), |(), job, out| {
        let done = match job.hash {
            HashKind::Sha512 => kdf::pbkdf2::<Sha512>(&job.password, &job.salt, job.iterations, out),
            _ => kdf::pbkdf2::<Sha256>(&job.password, &job.salt, job.iterations, out),
        };
        done.expect("at least one iteration");
    })
}

fn x25519(job: &X25519Job) -> Side {
    let secret = x25519::StaticSecret::from_bytes(&job.secret);
    match job.operation {
        X25519Operation::Agree => {
            let peer = x25519::PublicKey::from_bytes(job.peer);
            job.side((secret, peer), |(secret, peer)| secret.agree(peer).expect("an honest peer"))
        }
        X25519Operation::PublicKey => job.side(secret, |secret| *secret.public_key().as_bytes()),
        X25519Operation::Generate => job.generating(
            || {
                let secret = x25519::StaticSecret::generate().expect("the system gives randomness");
                (*secret.as_bytes(), *secret.public_key().as_bytes())
            },
            |secret| *x25519::StaticSecret::from_bytes(secret).public_key().as_bytes(),
        ),
    }
}

fn ed25519(job: &Ed25519Job) -> Side {
    let read = |public: &[u8; 32]| ed25519::VerifyingKey::from_bytes(public).expect("a public key");
    match job.operation {
        Ed25519Operation::Sign => {
            job.making(ed25519::SigningKey::from_seed(&job.seed), |key, job| key.sign(&job.message))
        }
        Ed25519Operation::Verify => {
            job.verifying(read(&job.public), |key, job| key.verify(&job.message, &job.signature).is_ok())
        }
        Ed25519Operation::VerifyBytes => {
            job.verifying((), move |(), job| read(&job.public).verify(&job.message, &job.signature).is_ok())
        }
        Ed25519Operation::PublicKey => {
            job.making((), |(), job| *ed25519::SigningKey::from_seed(&job.seed).verifying_key().as_bytes())
        }
    }
}

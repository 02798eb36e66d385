//! Outpace itself, as any program would use it.

mod aead;
mod kalyna;

use outpace::cipher::modes::{BlockCipher, Ctr};
use outpace::cipher::{AesKeyWrap, AesXts};
use outpace::hash::{
    Blake2b512, Blake2s256, Hash, Kupyna256, Kupyna512, Sha3_256, Sha3_512, Sha256, Sha384, Sha512, Shake128, Shake256,
};
use outpace::hazmat::{Aes, ChaCha20};
use outpace::kdf::{self, Hkdf};
use outpace::mac::{AesCmac, Hmac, Kmac128, Kmac256, Kupyna256Kmac};
use outpace::{ed25519, x25519};

use super::Library;
use crate::job::cipher::{CipherJob, CipherKind, KeyWrapJob};
use crate::job::curve25519::{Ed25519Operation, X25519Operation};
use crate::job::keyed::{MacJob, MacKind};
use crate::job::{Ed25519Job, HashJob, HashKind, HkdfJob, Job, Pbkdf2Job, X25519Job};
use crate::side::{Side, filling};
use crate::tier::Tier;

pub struct Outpace;

impl Library for Outpace {
    fn name(&self) -> &'static str {
        crate::model::OURS
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").into()
    }

    fn keeps_to(&self, _: Tier) -> bool {
        true
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => Some(aead::side(job)),
            Job::Cipher(job) => Some(cipher(job)),
            // The curves of Weierstrass form are to come.
            #[cfg(any(feature = "openssl", feature = "libsecp256k1"))]
            Job::Ec(_) => None,
            Job::Ed25519(job) => Some(ed25519(job)),
            Job::Hash(job) => hash(job),
            Job::Hkdf(job) => Some(hkdf(job)),
            Job::Kalyna(job) => Some(kalyna::side(job)),
            Job::KeyWrap(job) => Some(key_wrap(job)),
            Job::Mac(job) => Some(mac(job)),
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

fn mac(job: &MacJob) -> Side {
    fn hmac<H: Hash + 'static>(job: &MacJob) -> Side {
        job.side(Hmac::<H>::new(&job.key), |key, message| key.mac(message))
    }
    match job.kind {
        MacKind::HmacSha256 => hmac::<Sha256>(job),
        MacKind::HmacSha384 => hmac::<Sha384>(job),
        MacKind::HmacSha512 => hmac::<Sha512>(job),
        MacKind::HmacSha3_256 => hmac::<Sha3_256>(job),
        MacKind::Aes128Cmac => job.side(AesCmac::<16>::new(&job.key_array()), |key, message| key.mac(message)),
        MacKind::Aes256Cmac => job.side(AesCmac::<32>::new(&job.key_array()), |key, message| key.mac(message)),
        MacKind::Kmac128 => job.side(Kmac128::new(&job.key, b""), |key, message| key.mac::<32>(message)),
        MacKind::Kmac256 => job.side(Kmac256::new(&job.key, b""), |key, message| key.mac::<64>(message)),
        MacKind::Kupyna256Kmac => job.side(Kupyna256Kmac::new(&job.key_array()), |key, message| key.mac(message)),
    }
}

/// The IV is set for each message; a keyed object borrows its cipher, which lasts as long as the program need care.
fn cipher(job: &CipherJob) -> Side {
    fn ctr<const K: usize>(job: &CipherJob) -> Side
    where
        Aes<K>: BlockCipher<Block = [u8; 16]>,
    {
        job.side(Aes::<K>::new(&job.key_array()), |key, iv, data| Ctr::new(key, iv).apply(data))
    }
    fn xts<const K: usize>(job: &CipherJob) -> Side {
        let (data, tweak) = job.key.split_at(K);
        let half = |half: &[u8]| half.try_into().expect("the kind fixes the key's length");
        let key = AesXts::<K>::new(&half(data), &half(tweak)).expect("two keys");
        if job.encrypt {
            job.side(key, |key, iv, data| key.encrypt(iv, data).expect("a block or more"))
        } else {
            job.side(key, |key, iv, data| key.decrypt(iv, data).expect("a block or more"))
        }
    }
    match job.kind {
        CipherKind::Aes128Ctr => ctr::<16>(job),
        CipherKind::Aes256Ctr => ctr::<32>(job),
        CipherKind::Aes128Xts => xts::<16>(job),
        CipherKind::Aes256Xts => xts::<32>(job),
        CipherKind::ChaCha20 => job.side(ChaCha20::new(&job.key_array()), |key, iv, data| {
            key.apply(iv.last_chunk().expect("a nonce"), 0, data).expect("a short message");
        }),
    }
}

fn key_wrap(job: &KeyWrapJob) -> Side {
    job.side(AesKeyWrap::<32>::new(&job.key), |key, job, out| {
        let done = if job.unwrap { key.unwrap(&job.input, out) } else { key.wrap(&job.input, out) };
        done.is_ok()
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

//! The RustCrypto crates.

use aes::cipher::{
    Array, BlockCipherDecrypt, BlockCipherEncrypt, InnerIvInit, KeyIvInit, StreamCipher, StreamCipherCoreWrapper,
};
use aes_gcm::aead::consts::{U12, U16};
use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{AeadInOut, KeyInit};
use hmac::Mac;
use sha2::digest::{Digest, ExtendableOutput, Update, XofReader};

use super::{Library, locked_version};
use crate::job::aead::{AeadKind, Direction, Setup, TAG, beginning};
use crate::job::cipher::{CipherJob, CipherKind, KeyWrapJob};
use crate::job::keyed::{MacJob, MacKind};
use crate::job::{AeadJob, HashJob, HashKind, HkdfJob, Job, Pbkdf2Job};
use crate::side::Side;
use crate::tier::Tier;

pub struct RustCrypto;

impl Library for RustCrypto {
    fn name(&self) -> &'static str {
        "RustCrypto"
    }

    fn version(&self) -> String {
        const PACKAGES: &[&str] = &[
            "aes",
            "aes-gcm",
            "aes-gcm-siv",
            "aes-kw",
            "blake2",
            "ccm",
            "chacha20",
            "chacha20poly1305",
            "cmac",
            "ctr",
            "hkdf",
            "hmac",
            "kupyna",
            "pbkdf2",
            "sha2",
            "sha3",
            "shake",
            "xts-mode",
        ];
        let versions = PACKAGES.iter().map(|package| format!("{package} {}", locked_version(package)));
        versions.collect::<Vec<_>>().join(", ")
    }

    fn keeps_to(&self, tier: Tier) -> bool {
        !tier.masks()
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => Some(aead(job)),
            Job::Cipher(job) => Some(cipher(job)),
            Job::Hash(job) => Some(hash(job)),
            Job::Hkdf(job) => Some(hkdf(job)),
            Job::KeyWrap(job) => Some(key_wrap(job)),
            Job::Mac(job) => mac(job),
            Job::Pbkdf2(job) => Some(pbkdf2(job)),
            _ => None,
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
    fn with<A, const N: usize>(job: &AeadJob) -> Side
    where
        A: KeyInit + AeadInOut<TagSize = U16> + 'static,
        for<'a> &'a Array<u8, A::NonceSize>: From<&'a [u8; N]>,
    {
        let new = |raw: &[u8]| A::new_from_slice(raw).expect("the kind fixes the key's length");
        // It goes from one buffer to another as well.
        match (job.setup, job.direction) {
            (Setup::OneShot, Direction::Seal) => {
                return job.sealing_to(job.key.clone(), move |raw, nonce, aad, plaintext, out| {
                    let (out, tag) = out.split_at_mut(plaintext.len());
                    let data = InOutBuf::new(plaintext, out).expect("the same length");
                    let made = new(raw).encrypt_inout_detached(beginning::<N>(nonce).into(), aad, data);
                    tag.copy_from_slice(&made.expect("a short message"));
                });
            }
            (Setup::OneShot, Direction::Open) => {
                return job.opening_to(job.key.clone(), move |raw, nonce, aad, sealed, out| {
                    let (ciphertext, tag) = sealed.split_at(out.len());
                    let tag = tag.first_chunk::<TAG>().expect("a whole tag");
                    let data = InOutBuf::new(ciphertext, out).expect("the same length");
                    new(raw).decrypt_inout_detached(beginning::<N>(nonce).into(), aad, data, tag.into()).is_ok()
                });
            }
            _ => {}
        }
        job.in_place(
            new,
            |key, nonce, aad, data| {
                let nonce = beginning::<N>(nonce).into();
                key.encrypt_inout_detached(nonce, aad, data.into()).expect("a short message").into()
            },
            |key, nonce, aad, data, tag| {
                let nonce = beginning::<N>(nonce).into();
                key.decrypt_inout_detached(nonce, aad, data.into(), tag.into()).is_ok()
            },
        )
    }
    match job.kind {
        AeadKind::Aes128Gcm => with::<aes_gcm::Aes128Gcm, 12>(job),
        AeadKind::Aes192Gcm => with::<aes_gcm::AesGcm<aes::Aes192, U12>, 12>(job),
        AeadKind::Aes256Gcm => with::<aes_gcm::Aes256Gcm, 12>(job),
        AeadKind::ChaCha20Poly1305 => with::<chacha20poly1305::ChaCha20Poly1305, 12>(job),
        AeadKind::XChaCha20Poly1305 => with::<chacha20poly1305::XChaCha20Poly1305, 24>(job),
        AeadKind::Aes128Ccm => with::<ccm::Ccm<aes::Aes128, U16, U12>, 12>(job),
        AeadKind::Aes256Ccm => with::<ccm::Ccm<aes::Aes256, U16, U12>, 12>(job),
        AeadKind::Aes128GcmSiv => with::<aes_gcm_siv::Aes128GcmSiv, 12>(job),
        AeadKind::Aes256GcmSiv => with::<aes_gcm_siv::Aes256GcmSiv, 12>(job),
    }
}

fn mac(job: &MacJob) -> Option<Side> {
    fn with<M: Mac + KeyInit + Clone + 'static>(job: &MacJob) -> Side {
        let key = <M as KeyInit>::new_from_slice(&job.key).expect("the kind fixes the key's length");
        job.side(key, |key, message| key.clone().chain_update(message).finalize().into_bytes())
    }
    Some(match job.kind {
        MacKind::HmacSha256 => with::<hmac::Hmac<sha2::Sha256>>(job),
        MacKind::HmacSha384 => with::<hmac::Hmac<sha2::Sha384>>(job),
        MacKind::HmacSha512 => with::<hmac::Hmac<sha2::Sha512>>(job),
        MacKind::Aes128Cmac => with::<cmac::Cmac<aes::Aes128>>(job),
        MacKind::Aes256Cmac => with::<cmac::Cmac<aes::Aes256>>(job),
        MacKind::HmacSha3_256 | MacKind::Kmac128 | MacKind::Kmac256 | MacKind::Kupyna256Kmac => return None,
    })
}

fn cipher(job: &CipherJob) -> Side {
    fn ctr<C: KeyInit + BlockCipherEncrypt<BlockSize = U16> + 'static>(job: &CipherJob) -> Side {
        let key = C::new_from_slice(&job.key).expect("the kind fixes the key's length");
        job.side(key, |key, iv, data| {
            let core = ctr::CtrCore::<&C, ctr::flavors::Ctr128BE>::inner_iv_init(&*key, iv.into());
            StreamCipherCoreWrapper::from_core(core).apply_keystream(data);
        })
    }
    fn xts<C>(job: &CipherJob) -> Side
    where
        C: KeyInit + BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt<BlockSize = U16> + 'static,
    {
        let (data, tweak) = job.key.split_at(job.key.len() / 2);
        let cipher = |key| C::new_from_slice(key).expect("the kind fixes the key's length");
        let key = xts_mode::Xts128::new(cipher(data), cipher(tweak));
        if job.encrypt {
            job.side(key, |key, iv, data| key.encrypt_sector(data, (*iv).into()))
        } else {
            job.side(key, |key, iv, data| key.decrypt_sector(data, (*iv).into()))
        }
    }
    match job.kind {
        CipherKind::Aes128Ctr => ctr::<aes::Aes128>(job),
        CipherKind::Aes256Ctr => ctr::<aes::Aes256>(job),
        CipherKind::Aes128Xts => xts::<aes::Aes128>(job),
        CipherKind::Aes256Xts => xts::<aes::Aes256>(job),
        CipherKind::ChaCha20 => job.side(job.key_array::<32>(), |key, iv, data| {
            let nonce: &[u8; 12] = iv.last_chunk().expect("a nonce");
            chacha20::ChaCha20::new((&*key).into(), nonce.into()).apply_keystream(data);
        }),
    }
}

fn key_wrap(job: &KeyWrapJob) -> Side {
    job.side(aes_kw::KwAes256::new(&job.key.into()), |key, job, out| {
        let done = if job.unwrap { key.unwrap_key(&job.input, out) } else { key.wrap_key(&job.input, out) };
        done.is_ok()
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

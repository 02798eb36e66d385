//! Ciphers that do not authenticate, and key wrapping.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use super::{OK, Owned, ffi};
use crate::job::cipher::{CipherJob, CipherKind, KeyWrapJob};
use crate::side::Side;

pub fn side(job: &CipherJob) -> Option<Side> {
    // SAFETY: these return pointers to constants.
    let cipher = unsafe {
        match job.kind {
            CipherKind::Aes128Ctr => ffi::EVP_aes_128_ctr(),
            CipherKind::Aes256Ctr => ffi::EVP_aes_256_ctr(),
            CipherKind::Aes256Xts => ffi::EVP_aes_256_xts(),
            CipherKind::ChaCha20 => return Some(chacha20(job)),
            CipherKind::Aes128Xts => return None,
        }
    };
    // SAFETY: a constructor without arguments.
    let context = Owned::new(unsafe { ffi::EVP_CIPHER_CTX_new() }, ffi::EVP_CIPHER_CTX_free);
    let (key, direction) = (job.key.as_ptr(), c_int::from(job.encrypt));
    // SAFETY: the context lives and the key has the cipher's length.
    let done = unsafe { ffi::EVP_CipherInit_ex(context.0, cipher, null_mut(), key, null(), direction) };
    assert_eq!(done, OK, "AWS-LC takes the key");
    Some(job.side(context, |context, iv, data| {
        let (output, mut written) = (data.as_mut_ptr(), 0);
        // SAFETY: the context has a key, these ciphers have IVs of 16 bytes and put out as much as they take.
        let done = unsafe {
            ffi::EVP_CipherInit_ex(context.0, null(), null_mut(), null(), iv.as_ptr(), -1) == OK
                && ffi::EVP_CipherUpdate(context.0, output, &mut written, output, data.len() as c_int) == OK
        };
        assert!(done && written as usize == data.len(), "AWS-LC encrypts or decrypts");
    }))
}

fn chacha20(job: &CipherJob) -> Side {
    job.side(job.key.clone(), |key, iv, data| {
        let output = data.as_mut_ptr();
        // SAFETY: a key of 32 bytes, a nonce of 12, and a buffer as long as said.
        unsafe { ffi::CRYPTO_chacha_20(output, output, data.len(), key.as_ptr(), iv[4..].as_ptr(), 0) };
    })
}

pub fn key_wrap(job: &KeyWrapJob) -> Side {
    let set = if job.unwrap { ffi::AES_set_decrypt_key } else { ffi::AES_set_encrypt_key };
    let mut key = Box::new(MaybeUninit::<ffi::AES_KEY>::uninit());
    // SAFETY: a key of 256 bits, and room for what is made of it; zero is success.
    let done = unsafe { set(job.key.as_ptr(), 256, key.as_mut_ptr()) };
    assert_eq!(done, 0, "AWS-LC takes the key");
    job.side(key, |key, job, out| {
        let (key, input) = (key.as_ptr(), &job.input);
        let work = if job.unwrap { ffi::AES_unwrap_key } else { ffi::AES_wrap_key };
        // SAFETY: the key was set; without an IV the standard's is taken; `out` has the length that comes out.
        let written = unsafe { work(key, null(), out.as_mut_ptr(), input.as_ptr(), input.len()) };
        usize::try_from(written) == Ok(out.len())
    })
}

//! Message authentication codes, HKDF and PBKDF2.

use std::ptr::{null, null_mut};

use super::{OK, Owned, ffi};
use crate::job::keyed::{MacJob, MacKind};
use crate::job::{HashKind, HkdfJob, Pbkdf2Job};
use crate::side::Side;

fn digest(kind: HashKind) -> Option<*const ffi::EVP_MD> {
    // SAFETY: these return pointers to constants.
    unsafe {
        match kind {
            HashKind::Sha256 => Some(ffi::EVP_sha256()),
            HashKind::Sha384 => Some(ffi::EVP_sha384()),
            HashKind::Sha512 => Some(ffi::EVP_sha512()),
            _ => None,
        }
    }
}

pub fn mac(job: &MacJob) -> Option<Side> {
    let cipher = match job.kind {
        // SAFETY: this returns a pointer to a constant.
        MacKind::Aes128Cmac => unsafe { ffi::EVP_aes_128_cbc() },
        // SAFETY: as above.
        MacKind::Aes256Cmac => unsafe { ffi::EVP_aes_256_cbc() },
        kind => return hmac(job, digest(kind.hash()?)?).into(),
    };
    // SAFETY: a constructor without arguments.
    let context = Owned::new(unsafe { ffi::CMAC_CTX_new() }, ffi::CMAC_CTX_free);
    // SAFETY: the context lives and the key is as long as said.
    let done = unsafe { ffi::CMAC_Init(context.0, job.key.as_ptr().cast(), job.key.len(), cipher, null_mut()) };
    assert_eq!(done, OK, "AWS-LC takes the key");
    Some(job.side(context, |context, message| {
        let (mut tag, mut written) = ([0; 16], 0);
        // SAFETY: the context has a key, to which it is reset; a tag has 16 bytes.
        let done = unsafe {
            ffi::CMAC_Reset(context.0) == OK
                && ffi::CMAC_Update(context.0, message.as_ptr(), message.len()) == OK
                && ffi::CMAC_Final(context.0, tag.as_mut_ptr(), &mut written) == OK
        };
        assert!(done, "AWS-LC makes a tag");
        tag
    }))
}

fn hmac(job: &MacJob, digest: *const ffi::EVP_MD) -> Side {
    // SAFETY: a constructor without arguments.
    let context = Owned::new(unsafe { ffi::HMAC_CTX_new() }, ffi::HMAC_CTX_free);
    // SAFETY: the context lives and the key is as long as said.
    let done = unsafe { ffi::HMAC_Init_ex(context.0, job.key.as_ptr().cast(), job.key.len(), digest, null_mut()) };
    assert_eq!(done, OK, "AWS-LC takes the key");
    let length = job.kind.length();
    job.side(context, move |context, message| {
        let mut tag = [0; 64];
        // SAFETY: the context has a key, to which it returns when none is given; a tag has at most 64 bytes.
        let done = unsafe {
            ffi::HMAC_Init_ex(context.0, null(), 0, null(), null_mut()) == OK
                && ffi::HMAC_Update(context.0, message.as_ptr(), message.len()) == OK
                && ffi::HMAC_Final(context.0, tag.as_mut_ptr(), null_mut()) == OK
        };
        assert!(done, "AWS-LC makes a tag");
        Tag(tag, length)
    })
}

/// The beginning of a buffer.
struct Tag([u8; 64], usize);

impl AsRef<[u8]> for Tag {
    fn as_ref(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

pub fn hkdf(job: &HkdfJob) -> Side {
    let digest = digest(job.hash).expect("SHA-2 is there");
    job.side((), move |(), job, out| {
        let (salt, material, info) = (&job.salt, &job.material, &job.info);
        // SAFETY: every pointer comes with the length of its array.
        let done = unsafe {
            ffi::HKDF(
                out.as_mut_ptr(),
                out.len(),
                digest,
                material.as_ptr(),
                material.len(),
                salt.as_ptr(),
                salt.len(),
                info.as_ptr(),
                info.len(),
            )
        };
        assert_eq!(done, OK, "AWS-LC derives");
    })
}

pub fn pbkdf2(job: &Pbkdf2Job) -> Side {
    let digest = digest(job.hash).expect("SHA-2 is there");
    job.side((), move |(), job, out| {
        let (password, salt) = (&job.password, &job.salt);
        // SAFETY: every pointer comes with the length of its array.
        let done = unsafe {
            ffi::PKCS5_PBKDF2_HMAC(
                password.as_ptr().cast(),
                password.len(),
                salt.as_ptr(),
                salt.len(),
                job.iterations,
                digest,
                out.len(),
                out.as_mut_ptr(),
            )
        };
        assert_eq!(done, OK, "AWS-LC derives");
    })
}

//! Message authentication codes through EVP_MAC, HKDF and PBKDF2 through EVP_KDF.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use super::ffi::OSSL_PARAM;
use super::{OK, Owned, ffi, hash};
use crate::job::keyed::{MacJob, MacKind};
use crate::job::{HashKind, HkdfJob, Pbkdf2Job};
use crate::side::Side;

fn digest(kind: HashKind) -> OSSL_PARAM {
    OSSL_PARAM::text(c"digest", hash::name(kind).expect("a hash that OpenSSL has"))
}

pub fn mac(job: &MacJob) -> Option<Side> {
    let (name, parameter) = match job.kind {
        MacKind::Aes128Cmac => (c"CMAC", OSSL_PARAM::text(c"cipher", c"AES-128-CBC")),
        MacKind::Aes256Cmac => (c"CMAC", OSSL_PARAM::text(c"cipher", c"AES-256-CBC")),
        MacKind::Kmac128 => (c"KMAC-128", OSSL_PARAM::END),
        MacKind::Kmac256 => (c"KMAC-256", OSSL_PARAM::END),
        kind => (c"HMAC", digest(kind.hash().filter(|&hash| hash::name(hash).is_some())?)),
    };
    // SAFETY: the name is a C string, and null asks for the default library and properties.
    let mac = Owned::new(unsafe { ffi::EVP_MAC_fetch(null_mut(), name.as_ptr(), null()) }, ffi::EVP_MAC_free);
    // SAFETY: `mac` lives; the context keeps a reference of its own.
    let context = Owned::new(unsafe { ffi::EVP_MAC_CTX_new(mac.0) }, ffi::EVP_MAC_CTX_free);
    let parameters = [parameter, OSSL_PARAM::END];
    // SAFETY: the context lives, the key is as long as said, the list of parameters ends.
    let done = unsafe { ffi::EVP_MAC_init(context.0, job.key.as_ptr(), job.key.len(), parameters.as_ptr()) };
    assert_eq!(done, OK, "OpenSSL takes the key");
    let length = job.kind.length();
    Some(job.side(context, move |context, message| {
        let (mut tag, mut written) = ([0; 64], 0);
        // SAFETY: the context has a key, to which it returns when none is given; the tag's room is as said.
        let done = unsafe {
            ffi::EVP_MAC_init(context.0, null(), 0, null()) == OK
                && ffi::EVP_MAC_update(context.0, message.as_ptr(), message.len()) == OK
                && ffi::EVP_MAC_final(context.0, tag.as_mut_ptr(), &mut written, tag.len()) == OK
        };
        assert!(done, "OpenSSL makes a tag");
        Tag(tag, length)
    }))
}

/// The beginning of a buffer.
struct Tag([u8; 64], usize);

impl AsRef<[u8]> for Tag {
    fn as_ref(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

type Context = Owned<ffi::EVP_KDF_CTX>;

fn kdf(name: &CStr, parameters: &[OSSL_PARAM]) -> Context {
    // SAFETY: the name is a C string, and null asks for the default library and properties.
    let kdf = Owned::new(unsafe { ffi::EVP_KDF_fetch(null_mut(), name.as_ptr(), null()) }, ffi::EVP_KDF_free);
    // SAFETY: `kdf` lives; the context keeps a reference of its own.
    let context = Owned::new(unsafe { ffi::EVP_KDF_CTX_new(kdf.0) }, ffi::EVP_KDF_CTX_free);
    // SAFETY: the context lives and the list of parameters ends.
    let done = unsafe { ffi::EVP_KDF_CTX_set_params(context.0, parameters.as_ptr()) };
    assert_eq!(done, OK, "OpenSSL takes the parameters");
    context
}

/// Derives with one more parameter, the secret of this derivation.
fn derive(context: &Context, secret: OSSL_PARAM, out: &mut [u8; 32]) {
    let parameters = [secret, OSSL_PARAM::END];
    // SAFETY: the context lives, the output is as long as said, the list of parameters ends.
    let done = unsafe { ffi::EVP_KDF_derive(context.0, out.as_mut_ptr(), out.len(), parameters.as_ptr()) };
    assert_eq!(done, OK, "OpenSSL derives");
}

pub fn hkdf(job: &HkdfJob) -> Side {
    let parameters = [
        digest(job.hash),
        OSSL_PARAM::input(c"salt", &job.salt),
        OSSL_PARAM::input(c"info", &job.info),
        OSSL_PARAM::END,
    ];
    job.side(kdf(c"HKDF", &parameters), |context, job, out| {
        derive(context, OSSL_PARAM::input(c"key", &job.material), out);
    })
}

pub fn pbkdf2(job: &Pbkdf2Job) -> Side {
    let mut iterations = u64::from(job.iterations);
    let parameters = [
        digest(job.hash),
        OSSL_PARAM::input(c"salt", &job.salt),
        OSSL_PARAM::number(c"iter", &mut iterations),
        OSSL_PARAM::END,
    ];
    job.side(kdf(c"PBKDF2", &parameters), |context, job, out| {
        derive(context, OSSL_PARAM::input(c"pass", &job.password), out);
    })
}

//! Contexts of EVP_CIPHER, ciphers that do not authenticate, and key wrapping.

use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut};

use super::{OK, Owned, ffi};
use crate::job::cipher::{CipherJob, CipherKind, KeyWrapJob};
use crate::side::Side;

/// A context that has its cipher and a key.
pub struct Context(pub Owned<ffi::EVP_CIPHER_CTX>);

impl Context {
    /// For encryption (1) or decryption (0); `parameters` end.
    pub fn new(name: &CStr, key: &[u8], direction: c_int, parameters: &[ffi::OSSL_PARAM]) -> Self {
        // SAFETY: the name is a C string, and null asks for the default library and properties.
        let cipher = unsafe { ffi::EVP_CIPHER_fetch(null_mut(), name.as_ptr(), null()) };
        let cipher = Owned::new(cipher, ffi::EVP_CIPHER_free);
        // SAFETY: a constructor without arguments.
        let context = Owned::new(unsafe { ffi::EVP_CIPHER_CTX_new() }, ffi::EVP_CIPHER_CTX_free);
        let parameters = parameters.as_ptr();
        // SAFETY: context and cipher live, the key has the cipher's length, the list of parameters ends. It comes before
        // the key, whose set-up depends on it (CCM).
        let done = unsafe {
            ffi::EVP_CipherInit_ex2(context.0, cipher.0, null(), null(), direction, parameters) == OK
                && ffi::EVP_CipherInit_ex2(context.0, null(), key.as_ptr(), null(), direction, null()) == OK
        };
        assert!(done, "OpenSSL takes the key");
        // The context counts as an owner of its cipher.
        Self(context)
    }

    /// Starts at an IV and takes all of a message; says how many bytes came out.
    ///
    /// # Safety
    /// An IV, if any, has the cipher's length; `input` is valid for `length` bytes, `output` for what the cipher makes of them.
    unsafe fn message(&self, iv: *const u8, (input, output, length): (*const u8, *mut u8, usize)) -> Option<usize> {
        let mut written = 0;
        // SAFETY: the context lives; −1 keeps its direction; the rest is the caller's.
        let done = unsafe {
            ffi::EVP_CipherInit_ex2(self.0.0, null(), null(), iv, -1, null()) == OK
                && ffi::EVP_CipherUpdate(self.0.0, output, &mut written, input, length as c_int) == OK
        };
        done.then_some(written as usize)
    }
}

pub fn side(job: &CipherJob) -> Side {
    let name = match job.kind {
        CipherKind::Aes128Ctr => c"AES-128-CTR",
        CipherKind::Aes256Ctr => c"AES-256-CTR",
        CipherKind::ChaCha20 => c"ChaCha20",
        CipherKind::Aes128Xts => c"AES-128-XTS",
        CipherKind::Aes256Xts => c"AES-256-XTS",
    };
    let context = Context::new(name, &job.key, c_int::from(job.encrypt), &[ffi::OSSL_PARAM::END]);
    job.side(context, |context, iv, data| {
        let output = data.as_mut_ptr();
        // SAFETY: these ciphers have IVs of 16 bytes and put out as much as they take.
        let written = unsafe { context.message(iv.as_ptr(), (output, output, data.len())) };
        assert_eq!(written, Some(data.len()), "OpenSSL encrypts or decrypts");
    })
}

pub fn key_wrap(job: &KeyWrapJob) -> Side {
    let context = Context::new(c"AES-256-WRAP", &job.key, c_int::from(!job.unwrap), &[ffi::OSSL_PARAM::END]);
    job.side(context, |context, job, out| {
        // SAFETY: without an IV the standard's is taken; `out` has the length that wrapping or unwrapping gives.
        let written = unsafe { context.message(null(), (job.input.as_ptr(), out.as_mut_ptr(), job.input.len())) };
        written == Some(out.len())
    })
}

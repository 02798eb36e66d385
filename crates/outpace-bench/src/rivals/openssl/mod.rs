//! OpenSSL 4, built from source and linked statically, through EVP as a good caller uses it: algorithms fetched once,
//! contexts made once and set up again for each message, parameters laid out beforehand.

mod aead;
mod cipher;
mod curve25519;
mod ec;
mod ffi;
mod hash;
mod keyed;
mod pkey;

use std::ffi::CStr;

use super::Library;
use crate::job::Job;
use crate::side::{Side, filling};
use crate::tier::Tier;

pub struct OpenSsl;

impl Library for OpenSsl {
    fn name(&self) -> &'static str {
        "OpenSSL"
    }

    fn version(&self) -> String {
        const VERSION_STRING: i32 = 6;
        // SAFETY: OpenSSL returns a constant string for every number.
        let version = unsafe { CStr::from_ptr(ffi::OpenSSL_version(VERSION_STRING)) };
        format!("{} (openssl-src {})", version.to_string_lossy(), env!("OUTPACE_BENCH_OPENSSL"))
    }

    fn keeps_to(&self, _: Tier) -> bool {
        true
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => aead::side(job),
            Job::Cipher(job) => Some(cipher::side(job)),
            Job::Ec(job) => Some(ec::side(job)),
            Job::Ed25519(job) => Some(curve25519::ed25519(job)),
            Job::Hash(job) => hash::side(job),
            Job::Hkdf(job) => Some(keyed::hkdf(job)),
            Job::Kalyna(_) => None,
            Job::KeyWrap(job) => Some(cipher::key_wrap(job)),
            Job::Mac(job) => keyed::mac(job),
            Job::Pbkdf2(job) => Some(keyed::pbkdf2(job)),
            Job::X25519(job) => Some(curve25519::x25519(job)),
            Job::Random(length) => Some(filling(*length, |buffer| {
                // SAFETY: the buffer is as long as said.
                unsafe { ffi::RAND_bytes(buffer.as_mut_ptr(), buffer.len() as i32) == OK }
            })),
        }
    }
}

/// What OpenSSL returns for success.
const OK: i32 = 1;

/// A pointer from OpenSSL with the function that frees it.
struct Owned<T>(*mut T, unsafe extern "C" fn(*mut T));

impl<T> Owned<T> {
    fn new(pointer: *mut T, free: unsafe extern "C" fn(*mut T)) -> Self {
        assert!(!pointer.is_null(), "OpenSSL has the algorithm and the memory");
        Self(pointer, free)
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from the matching constructor and is freed here only.
        unsafe { (self.1)(self.0) }
    }
}

//! AWS-LC, through its C interface: the one-shot functions where it has them, else contexts made beforehand.

mod aead;
mod cipher;
mod curve25519;
mod hash;
mod keyed;

use std::ffi::CStr;

use aws_lc_sys as ffi;

use super::{Library, locked_version};
use crate::job::Job;
use crate::side::{Side, filling};
use crate::tier::Tier;

pub struct AwsLc;

impl Library for AwsLc {
    fn name(&self) -> &'static str {
        "AWS-LC"
    }

    fn version(&self) -> String {
        let built = CStr::from_bytes_with_nul(ffi::AWSLC_VERSION_NUMBER_STRING).unwrap_or_default();
        format!("{} (aws-lc-sys {})", built.to_string_lossy(), locked_version("aws-lc-sys"))
    }

    fn keeps_to(&self, _: Tier) -> bool {
        true
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Aead(job) => aead::side(job),
            Job::Cipher(job) => cipher::side(job),
            Job::Ed25519(job) => Some(curve25519::ed25519(job)),
            Job::Hash(job) => hash::side(job),
            Job::Hkdf(job) => Some(keyed::hkdf(job)),
            Job::KeyWrap(job) => Some(cipher::key_wrap(job)),
            Job::Mac(job) => keyed::mac(job),
            Job::Pbkdf2(job) => Some(keyed::pbkdf2(job)),
            Job::X25519(job) => Some(curve25519::x25519(job)),
            Job::Random(length) => Some(filling(*length, |buffer| {
                // SAFETY: the buffer is as long as said.
                unsafe { ffi::RAND_bytes(buffer.as_mut_ptr(), buffer.len()) == OK }
            })),
            _ => None,
        }
    }
}

/// What AWS-LC returns for success.
const OK: i32 = 1;

/// A pointer from AWS-LC with the function that frees it.
struct Owned<T>(*mut T, unsafe extern "C" fn(*mut T));

impl<T> Owned<T> {
    fn new(pointer: *mut T, free: unsafe extern "C" fn(*mut T)) -> Self {
        assert!(!pointer.is_null(), "AWS-LC has the memory");
        Self(pointer, free)
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer came from the matching constructor and is freed here only.
        unsafe { (self.1)(self.0) }
    }
}

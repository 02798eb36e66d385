//! Digests.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use super::{OK, Owned, ffi};
use crate::job::{HashJob, HashKind};
use crate::side::Side;

pub const fn name(kind: HashKind) -> Option<&'static CStr> {
    Some(match kind {
        HashKind::Sha256 => c"SHA2-256",
        HashKind::Sha384 => c"SHA2-384",
        HashKind::Sha512 => c"SHA2-512",
        HashKind::Sha3_256 => c"SHA3-256",
        HashKind::Sha3_512 => c"SHA3-512",
        HashKind::Shake128 => c"SHAKE-128",
        HashKind::Shake256 => c"SHAKE-256",
        HashKind::Blake2b512 => c"BLAKE2B-512",
        HashKind::Blake2s256 => c"BLAKE2S-256",
        HashKind::Kupyna256 | HashKind::Kupyna512 => return None,
    })
}

pub fn side(job: &HashJob) -> Option<Side> {
    // SAFETY: the name is a C string, and null asks for the default library and properties.
    let md = Owned::new(unsafe { ffi::EVP_MD_fetch(null_mut(), name(job.kind)?.as_ptr(), null()) }, ffi::EVP_MD_free);
    // SAFETY: a constructor without arguments.
    let context = Owned::new(unsafe { ffi::EVP_MD_CTX_new() }, ffi::EVP_MD_CTX_free);
    let extendable = matches!(job.kind, HashKind::Shake128 | HashKind::Shake256);
    Some(Side::new(
        (job.message.clone(), context, md, vec![0; job.kind.length()]),
        move |(message, context, md, digest)| {
            let (data, length, out) = (message.as_ptr().cast(), message.len(), digest.as_mut_ptr());
            // SAFETY: context and algorithm live, the message is `length` long, and `digest` has room for the output.
            let done = unsafe {
                ffi::EVP_DigestInit_ex2(context.0, md.0, null()) == OK
                    && ffi::EVP_DigestUpdate(context.0, data, length) == OK
                    && if extendable {
                        ffi::EVP_DigestFinalXOF(context.0, out, digest.len()) == OK
                    } else {
                        ffi::EVP_DigestFinal_ex(context.0, out, null_mut()) == OK
                    }
            };
            assert!(done, "OpenSSL hashes");
        },
        |(_, _, _, digest)| digest.clone(),
    ))
}

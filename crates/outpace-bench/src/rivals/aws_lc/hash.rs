//! Digests.

use super::{OK, Owned, ffi};
use crate::job::{HashJob, HashKind};
use crate::side::Side;

type OneShot = unsafe extern "C" fn(*const u8, usize, *mut u8) -> *mut u8;

pub fn side(job: &HashJob) -> Option<Side> {
    Some(match job.kind {
        HashKind::Sha256 => one_shot::<32>(job, ffi::SHA256),
        HashKind::Sha384 => one_shot::<48>(job, ffi::SHA384),
        HashKind::Sha512 => one_shot::<64>(job, ffi::SHA512),
        // SAFETY: these return pointers to constants.
        HashKind::Sha3_256 => context(job, unsafe { ffi::EVP_sha3_256() }),
        // SAFETY: as above.
        HashKind::Sha3_512 => context(job, unsafe { ffi::EVP_sha3_512() }),
        // SAFETY: as above.
        HashKind::Shake128 => context(job, unsafe { ffi::EVP_shake128() }),
        // SAFETY: as above.
        HashKind::Shake256 => context(job, unsafe { ffi::EVP_shake256() }),
        HashKind::Blake2b512 | HashKind::Blake2s256 | HashKind::Kupyna256 | HashKind::Kupyna512 => return None,
    })
}

fn one_shot<const N: usize>(job: &HashJob, hash: OneShot) -> Side {
    Side::new(
        (job.message.clone(), [0; N]),
        move |(message, digest)| {
            // SAFETY: `hash` reads the message and writes as many bytes as its digest has, which is N.
            unsafe { hash(message.as_ptr(), message.len(), digest.as_mut_ptr()) };
        },
        |(_, digest)| digest.to_vec(),
    )
}

fn context(job: &HashJob, kind: *const ffi::EVP_MD) -> Side {
    // SAFETY: a constructor without arguments.
    let context = Owned::new(unsafe { ffi::EVP_MD_CTX_new() }, ffi::EVP_MD_CTX_free);
    let extendable = matches!(job.kind, HashKind::Shake128 | HashKind::Shake256);
    Side::new(
        (job.message.clone(), context, vec![0; job.kind.length()]),
        move |(message, context, digest)| {
            let (data, length, out) = (message.as_ptr().cast(), message.len(), digest.as_mut_ptr());
            // SAFETY: the context lives, the message is `length` long, and `digest` has room for this kind's output.
            let done = unsafe {
                ffi::EVP_DigestInit_ex(context.0, kind, std::ptr::null_mut()) == OK
                    && ffi::EVP_DigestUpdate(context.0, data, length) == OK
                    && if extendable {
                        ffi::EVP_DigestFinalXOF(context.0, out, digest.len()) == OK
                    } else {
                        ffi::EVP_DigestFinal_ex(context.0, out, std::ptr::null_mut()) == OK
                    }
            };
            assert!(done, "AWS-LC hashes");
        },
        |(_, _, digest)| digest.clone(),
    )
}

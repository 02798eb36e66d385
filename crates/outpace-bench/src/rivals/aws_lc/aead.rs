//! Authenticated encryption through EVP_AEAD, and CCM through EVP_CIPHER.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use super::{OK, Owned, ffi};
use crate::job::aead::{AeadJob, AeadKind, Direction, Nonce, Setup, TAG, Tag};
use crate::side::Side;

fn algorithm(kind: AeadKind) -> Option<*const ffi::EVP_AEAD> {
    // SAFETY: these return pointers to constants.
    Some(unsafe {
        match kind {
            AeadKind::Aes128Gcm => ffi::EVP_aead_aes_128_gcm(),
            AeadKind::Aes192Gcm => ffi::EVP_aead_aes_192_gcm(),
            AeadKind::Aes256Gcm => ffi::EVP_aead_aes_256_gcm(),
            AeadKind::ChaCha20Poly1305 => ffi::EVP_aead_chacha20_poly1305(),
            AeadKind::XChaCha20Poly1305 => ffi::EVP_aead_xchacha20_poly1305(),
            AeadKind::Aes128GcmSiv => ffi::EVP_aead_aes_128_gcm_siv(),
            AeadKind::Aes256GcmSiv => ffi::EVP_aead_aes_256_gcm_siv(),
            // With nonces of 13 bytes only: see `ccm`.
            AeadKind::Aes128Ccm | AeadKind::Aes256Ccm => return None,
        }
    })
}

/// A raw key, and the room of a context that is made for each message.
struct Raw {
    algorithm: *const ffi::EVP_AEAD,
    key: Vec<u8>,
    context: Box<MaybeUninit<ffi::EVP_AEAD_CTX>>,
}

impl Raw {
    fn new(job: &AeadJob, algorithm: *const ffi::EVP_AEAD) -> Self {
        Self { algorithm, key: job.key.clone(), context: Box::new(MaybeUninit::uninit()) }
    }

    /// Sets the context up, works with it and cleans it.
    fn once<T>(&mut self, work: impl FnOnce(*const ffi::EVP_AEAD_CTX) -> T) -> T {
        let context = self.context.as_mut_ptr();
        // SAFETY: `context` points to room for a context, which is initialised, used and cleaned up here.
        unsafe {
            let done =
                ffi::EVP_AEAD_CTX_init(context, self.algorithm, self.key.as_ptr(), self.key.len(), TAG, null_mut());
            assert_eq!(done, OK, "AWS-LC takes the key");
            let result = work(context);
            ffi::EVP_AEAD_CTX_cleanup(context);
            result
        }
    }
}

/// Seals `length` bytes.
///
/// # Safety
/// The context is initialised; `input` and `output` are valid for `length` bytes and the same or apart, `tag` for [`TAG`].
unsafe fn seal(
    context: *const ffi::EVP_AEAD_CTX,
    nonce: &[u8],
    aad: &[u8],
    (input, output, length): (*const u8, *mut u8, usize),
    tag: *mut u8,
) {
    let mut tag_length = 0;
    // SAFETY: the caller's, and the lengths given are those of the slices.
    let done = unsafe {
        ffi::EVP_AEAD_CTX_seal_scatter(
            context,
            output,
            tag,
            &mut tag_length,
            TAG,
            nonce.as_ptr(),
            nonce.len(),
            input,
            length,
            null(),
            0,
            aad.as_ptr(),
            aad.len(),
        )
    };
    assert_eq!((done, tag_length), (OK, TAG), "AWS-LC seals");
}

/// Opens `length` bytes.
///
/// # Safety
/// As [`seal`].
unsafe fn open(
    context: *const ffi::EVP_AEAD_CTX,
    nonce: &[u8],
    aad: &[u8],
    (input, output, length): (*const u8, *mut u8, usize),
    tag: &[u8],
) -> bool {
    // SAFETY: the caller's, and the lengths given are those of the slices.
    let done = unsafe {
        ffi::EVP_AEAD_CTX_open_gather(
            context,
            output,
            nonce.as_ptr(),
            nonce.len(),
            input,
            length,
            tag.as_ptr(),
            tag.len(),
            aad.as_ptr(),
            aad.len(),
        )
    };
    done == OK
}

fn in_place(data: &mut [u8]) -> (*const u8, *mut u8, usize) {
    let output = data.as_mut_ptr();
    (output.cast_const(), output, data.len())
}

/// CCM under a key that is kept.
fn ccm(job: &AeadJob) -> Option<Side> {
    // SAFETY: these return pointers to constants.
    let cipher = unsafe {
        match (job.kind, job.setup) {
            (AeadKind::Aes128Ccm, Setup::Reused) => ffi::EVP_aes_128_ccm(),
            (AeadKind::Aes256Ccm, Setup::Reused) => ffi::EVP_aes_256_ccm(),
            _ => return None,
        }
    };
    let (nonce_length, direction) = (job.kind.nonce_length() as c_int, c_int::from(job.direction == Direction::Seal));
    // SAFETY: a constructor without arguments.
    let context = Owned::new(unsafe { ffi::EVP_CIPHER_CTX_new() }, ffi::EVP_CIPHER_CTX_free);
    // SAFETY: the context lives, the key has the cipher's length; the lengths of nonce and tag come before it.
    let done = unsafe {
        ffi::EVP_CipherInit_ex(context.0, cipher, null_mut(), null(), null(), direction) == OK
            && ffi::EVP_CIPHER_CTX_ctrl(context.0, ffi::EVP_CTRL_AEAD_SET_IVLEN, nonce_length, null_mut()) == OK
            && ffi::EVP_CIPHER_CTX_ctrl(context.0, ffi::EVP_CTRL_AEAD_SET_TAG, TAG as c_int, null_mut()) == OK
            && ffi::EVP_CipherInit_ex(context.0, null(), null_mut(), job.key.as_ptr(), null(), direction) == OK
    };
    assert!(done, "AWS-LC takes the key");
    // The length of the message, associated data, data; what comes out is as long.
    let run = |context: *mut ffi::EVP_CIPHER_CTX, nonce: &Nonce, aad: &[u8], data: &mut [u8]| {
        let (output, length, mut written) = (data.as_mut_ptr(), data.len() as c_int, 0);
        // SAFETY: the context lives and has a key, the nonce is longer than it needs, pointers and lengths are those of
        // slices.
        unsafe {
            ffi::EVP_CipherInit_ex(context, null(), null_mut(), null(), nonce.as_ptr(), -1) == OK
                && ffi::EVP_CipherUpdate(context, null_mut(), &mut written, null(), length) == OK
                && ffi::EVP_CipherUpdate(context, null_mut(), &mut written, aad.as_ptr(), aad.len() as c_int) == OK
                && ffi::EVP_CipherUpdate(context, output, &mut written, output, length) == OK
        }
    };
    Some(match job.direction {
        Direction::Seal => job.sealing(context, move |context, nonce, aad, data| {
            let mut tag = [0; TAG];
            // SAFETY: the context lives, and the array has room for the tag.
            let got = |tag: &mut Tag| unsafe {
                let tag = tag.as_mut_ptr().cast();
                ffi::EVP_CIPHER_CTX_ctrl(context.0, ffi::EVP_CTRL_AEAD_GET_TAG, TAG as c_int, tag) == OK
            };
            assert!(run(context.0, nonce, aad, data) && got(&mut tag), "AWS-LC seals");
            tag
        }),
        Direction::Open => job.opening(context, move |context, nonce, aad, data, tag| {
            let mut tag = *tag;
            // SAFETY: as above; it is read.
            let set = unsafe {
                let tag = tag.as_mut_ptr().cast();
                ffi::EVP_CIPHER_CTX_ctrl(context.0, ffi::EVP_CTRL_AEAD_SET_TAG, TAG as c_int, tag) == OK
            };
            set && run(context.0, nonce, aad, data)
        }),
    })
}

pub fn side(job: &AeadJob) -> Option<Side> {
    if let Some(side) = ccm(job) {
        return Some(side);
    }
    let algorithm = algorithm(job.kind)?;
    let nonce_length = job.kind.nonce_length();
    Some(match (job.setup, job.direction) {
        (Setup::Reused, direction) => {
            // SAFETY: the key has the length that the algorithm asks for.
            let context = unsafe { ffi::EVP_AEAD_CTX_new(algorithm, job.key.as_ptr(), job.key.len(), TAG) };
            let context = Owned::new(context, ffi::EVP_AEAD_CTX_free);
            if direction == Direction::Seal {
                job.sealing(context, move |context, nonce, aad, data| {
                    let mut tag = [0; TAG];
                    // SAFETY: the context is initialised, and the pointers come from a slice and an array.
                    unsafe { seal(context.0, &nonce[..nonce_length], aad, in_place(data), tag.as_mut_ptr()) };
                    tag
                })
            } else {
                job.opening(context, move |context, nonce, aad, data, tag: &Tag| {
                    // SAFETY: as above.
                    unsafe { open(context.0, &nonce[..nonce_length], aad, in_place(data), tag) }
                })
            }
        }
        (Setup::NewKey, Direction::Seal) => job.sealing(Raw::new(job, algorithm), move |raw, nonce, aad, data| {
            let mut tag = [0; TAG];
            // SAFETY: as above.
            raw.once(|context| unsafe { seal(context, &nonce[..nonce_length], aad, in_place(data), tag.as_mut_ptr()) });
            tag
        }),
        (Setup::NewKey, Direction::Open) => job.opening(Raw::new(job, algorithm), move |raw, nonce, aad, data, tag| {
            // SAFETY: as above.
            raw.once(|context| unsafe { open(context, &nonce[..nonce_length], aad, in_place(data), tag) })
        }),
        (Setup::OneShot, Direction::Seal) => {
            job.sealing_to(Raw::new(job, algorithm), move |raw, nonce, aad, plaintext, out| {
                let (out, tag) = out.split_at_mut(plaintext.len());
                let data = (plaintext.as_ptr(), out.as_mut_ptr(), plaintext.len());
                // SAFETY: as above, and `out` is as long as `plaintext`.
                raw.once(|context| unsafe { seal(context, &nonce[..nonce_length], aad, data, tag.as_mut_ptr()) });
            })
        }
        (Setup::OneShot, Direction::Open) => {
            job.opening_to(Raw::new(job, algorithm), move |raw, nonce, aad, sealed, out| {
                let (ciphertext, tag) = sealed.split_at(out.len());
                let data = (ciphertext.as_ptr(), out.as_mut_ptr(), out.len());
                // SAFETY: as above, and `ciphertext` is as long as `out`.
                raw.once(|context| unsafe { open(context, &nonce[..nonce_length], aad, data, tag) })
            })
        }
    })
}

//! Authenticated encryption through EVP_CIPHER.

use std::ffi::{CStr, c_int};
use std::ptr::{null, null_mut};

use super::{OK, cipher, ffi};
use crate::job::aead::{AeadJob, AeadKind, Direction, Nonce, Setup, TAG, Tag};
use crate::side::Side;

const fn name(kind: AeadKind) -> Option<&'static CStr> {
    Some(match kind {
        AeadKind::Aes128Gcm => c"AES-128-GCM",
        AeadKind::Aes192Gcm => c"AES-192-GCM",
        AeadKind::Aes256Gcm => c"AES-256-GCM",
        AeadKind::ChaCha20Poly1305 => c"ChaCha20-Poly1305",
        AeadKind::Aes128Ccm => c"AES-128-CCM",
        AeadKind::Aes256Ccm => c"AES-256-CCM",
        AeadKind::Aes128GcmSiv => c"AES-128-GCM-SIV",
        AeadKind::Aes256GcmSiv => c"AES-256-GCM-SIV",
        AeadKind::XChaCha20Poly1305 => return None,
    })
}

/// A context that has its cipher and, if it is kept, its key.
struct Context {
    context: cipher::Context,
    /// The key to set with each message.
    key: Option<Vec<u8>>,
    direction: c_int,
    /// CCM must know the length before anything else.
    ccm: bool,
    /// A context of GCM-SIV adds up the associated data of all its messages, until it is given none.
    siv: bool,
}

impl Context {
    fn new(job: &AeadJob) -> Option<Self> {
        let direction = c_int::from(job.direction == Direction::Seal);
        let ccm = matches!(job.kind, AeadKind::Aes128Ccm | AeadKind::Aes256Ccm);
        let mut length = job.kind.nonce_length() as u64;
        let parameters = [
            ffi::OSSL_PARAM::number(c"ivlen", &mut length),
            ffi::OSSL_PARAM::octets(c"tag", null_mut(), TAG),
            ffi::OSSL_PARAM::END,
        ];
        let siv = matches!(job.kind, AeadKind::Aes128GcmSiv | AeadKind::Aes256GcmSiv);
        let parameters = if ccm { &parameters[..] } else { &[ffi::OSSL_PARAM::END] };
        let context = cipher::Context::new(name(job.kind)?, &job.key, direction, parameters);
        let key = (job.setup != Setup::Reused).then(|| job.key.clone());
        Some(Self { context, key, direction, ccm, siv })
    }

    /// One message from `input` to `output`; they may be the same. `tag` is written when sealing and checked when opening.
    ///
    /// # Safety
    /// `input` and `output` are valid for `length` bytes, `tag` for [`TAG`].
    unsafe fn message(
        &mut self,
        nonce: &Nonce,
        aad: &[u8],
        (input, output, length): (*const u8, *mut u8, usize),
        tag: *mut u8,
    ) -> bool {
        let sealing = self.direction == 1;
        let mut parameters = [ffi::OSSL_PARAM::octets(c"tag", tag, TAG), ffi::OSSL_PARAM::END];
        let key = self.key.as_ref().map_or(null(), |key| key.as_ptr());
        let given = if sealing { null() } else { parameters.as_ptr() };
        let mut written = 0;
        let context = self.context.0.0;
        // SAFETY: the context lives, key and nonce have the cipher's lengths, and the caller vouches for the rest; a final
        // call of these ciphers writes no data.
        unsafe {
            ffi::EVP_CipherInit_ex2(context, null(), key, nonce.as_ptr(), self.direction, given) == OK
                && (!self.siv || ffi::EVP_CipherUpdate(context, null_mut(), &mut written, aad.as_ptr(), 0) == OK)
                && (!self.ccm
                    || ffi::EVP_CipherUpdate(context, null_mut(), &mut written, null(), length as c_int) == OK)
                && (aad.is_empty()
                    || ffi::EVP_CipherUpdate(context, null_mut(), &mut written, aad.as_ptr(), aad.len() as c_int) == OK)
                && ffi::EVP_CipherUpdate(context, output, &mut written, input, length as c_int) == OK
                && ffi::EVP_CipherFinal_ex(context, output, &mut written) == OK
                && (!sealing || ffi::EVP_CIPHER_CTX_get_params(context, parameters.as_mut_ptr()) == OK)
        }
    }
}

pub fn side(job: &AeadJob) -> Option<Side> {
    let context = Context::new(job)?;
    Some(match (job.setup, job.direction) {
        (Setup::Reused | Setup::NewKey, Direction::Seal) => job.sealing(context, |context, nonce, aad, data| {
            let (data, mut tag) = ((data.as_ptr(), data.as_mut_ptr(), data.len()), [0; TAG]);
            // SAFETY: the pointers come from a slice and an array of these lengths.
            assert!(unsafe { context.message(nonce, aad, data, tag.as_mut_ptr()) }, "OpenSSL seals");
            tag
        }),
        (Setup::Reused | Setup::NewKey, Direction::Open) => job.opening(context, |context, nonce, aad, data, tag| {
            let (data, mut tag): (_, Tag) = ((data.as_ptr(), data.as_mut_ptr(), data.len()), *tag);
            // SAFETY: as above.
            unsafe { context.message(nonce, aad, data, tag.as_mut_ptr()) }
        }),
        (Setup::OneShot, Direction::Seal) => job.sealing_to(context, |context, nonce, aad, plaintext, out| {
            let (out, tag) = out.split_at_mut(plaintext.len());
            // SAFETY: as above, and `out` is as long as `plaintext`.
            let done = unsafe {
                context.message(nonce, aad, (plaintext.as_ptr(), out.as_mut_ptr(), plaintext.len()), tag.as_mut_ptr())
            };
            assert!(done, "OpenSSL seals");
        }),
        (Setup::OneShot, Direction::Open) => job.opening_to(context, |context, nonce, aad, sealed, out| {
            let (ciphertext, tag) = sealed.split_at(out.len());
            let mut tag: Tag = tag.try_into().expect("a whole tag");
            // SAFETY: as above, and `ciphertext` is as long as `out`.
            unsafe { context.message(nonce, aad, (ciphertext.as_ptr(), out.as_mut_ptr(), out.len()), tag.as_mut_ptr()) }
        }),
    })
}

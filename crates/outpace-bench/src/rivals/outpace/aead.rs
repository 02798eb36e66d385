//! Authenticated encryption.

use outpace::aead::{
    Aead, Aes128Ccm, Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Ccm, Aes256Gcm, Aes256GcmSiv, ChaCha20Poly1305,
    XChaCha20Poly1305,
};

use crate::job::AeadJob;
use crate::job::aead::{AeadKind, Direction, Setup, Tag, beginning};
use crate::side::Side;

pub fn side(job: &AeadJob) -> Side {
    match job.kind {
        AeadKind::Aes128Gcm => with::<Aes128Gcm, _, _>(job),
        AeadKind::Aes192Gcm => with::<Aes192Gcm, _, _>(job),
        AeadKind::Aes256Gcm => with::<Aes256Gcm, _, _>(job),
        AeadKind::ChaCha20Poly1305 => with::<ChaCha20Poly1305, _, _>(job),
        AeadKind::XChaCha20Poly1305 => with::<XChaCha20Poly1305, _, _>(job),
        AeadKind::Aes128Ccm => with::<Aes128Ccm, _, _>(job),
        AeadKind::Aes256Ccm => with::<Aes256Ccm, _, _>(job),
        AeadKind::Aes128GcmSiv => with::<Aes128GcmSiv, _, _>(job),
        AeadKind::Aes256GcmSiv => with::<Aes256GcmSiv, _, _>(job),
    }
}

fn with<A, const K: usize, const N: usize>(job: &AeadJob) -> Side
where
    A: Aead<Key = [u8; K], Nonce = [u8; N], Tag = Tag> + 'static,
{
    let raw: [u8; K] = job.key_array();
    match (job.setup, job.direction) {
        (Setup::OneShot, Direction::Seal) => job.sealing_to(raw, |raw, nonce, aad, plaintext, out| {
            A::seal_once(raw, beginning(nonce), aad, plaintext, out).expect("room for the tag");
        }),
        (Setup::OneShot, Direction::Open) => job.opening_to(raw, |raw, nonce, aad, sealed, out| {
            A::open_once(raw, beginning(nonce), aad, sealed, out).is_ok()
        }),
        (Setup::NewKey, Direction::Seal) => {
            job.sealing(raw, |raw, nonce, aad, data| A::new(raw).seal_in_place(beginning(nonce), aad, data))
        }
        (Setup::NewKey, Direction::Open) => job.opening(raw, |raw, nonce, aad, data, tag| {
            A::new(raw).open_in_place(beginning(nonce), aad, data, tag).is_ok()
        }),
        (Setup::Reused, Direction::Seal) => {
            job.sealing(A::new(&raw), |key, nonce, aad, data| key.seal_in_place(beginning(nonce), aad, data))
        }
        (Setup::Reused, Direction::Open) => job.opening(A::new(&raw), |key, nonce, aad, data, tag| {
            key.open_in_place(beginning(nonce), aad, data, tag).is_ok()
        }),
    }
}

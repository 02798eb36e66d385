//! ChaCha20-Poly1305 (RFC 8439 section 2.8) and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03).
//!
//! # Limits
//! A message has at most 2³⁸ − 64 bytes (section 2.8), and a longer one is refused; associated data has no limit that an
//! address space could meet. Nonces of ChaCha20-Poly1305 have 96 bits and must be counted
//! ([`NonceSequence`](super::NonceSequence)): random ones may collide. Those of XChaCha20-Poly1305 have 192 bits and may
//! be random; each message then costs one more run of the rounds.
//!
//! # Side channels
//! Additions, rotations, exclusive ors and multiplications of constant time; no table and no branch depends on key, data
//! or tag. Lengths are public. On CPUs whose multiplication takes longer for larger numbers (some small embedded ones)
//! Poly1305 is not constant time.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(test)]
mod tests;

use super::Aead;
use crate::cipher::chacha20::{subkey, words};
use crate::cpu::{Dispatch, Kernel};
use crate::mem::{InOut, Secret};
use core::fmt;

/// Key, nonce, associated data, data; returns the tag of the ciphertext.
type Message = fn(&[u32; 8], &[u32; 3], &[u8], InOut<'_>) -> [u8; 16];

/// What a kernel does.
#[derive(Clone, Copy)]
pub(crate) struct Ops {
    seal: Message,
    open: Message,
}

pub(crate) static KERNELS: Dispatch<Ops> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::halves::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx2::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::sse41::KERNEL,
    Kernel::portable(portable::OPS),
]);

/// 2³² − 1 blocks: the 32-bit counter starts at one.
const MAX_MESSAGE: u64 = ((1 << 32) - 1) * 64;

/// The last block of Poly1305: both lengths in bytes.
#[inline]
fn lengths(aad: usize, data: usize) -> [u8; 16] {
    (aad as u128 | (data as u128) << 64).to_le_bytes()
}

/// ChaCha20-Poly1305: 256-bit key, 96-bit nonce, 128-bit tag.
///
/// ```
/// use outpace::aead::{Aead, ChaCha20Poly1305};
///
/// let key = ChaCha20Poly1305::new(&[7; 32]); // a real key is random
/// let mut data = *b"attack at dawn";
/// let tag = key.seal_in_place(&[0; 12], b"to: bob", &mut data);
/// key.open_in_place(&[0; 12], b"to: bob", &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct ChaCha20Poly1305 {
    key: Secret<[u32; 8]>,
    ops: Ops,
}

impl Aead for ChaCha20Poly1305 {
    type Key = [u8; 32];
    type Nonce = [u8; 12];
    type Tag = [u8; 16];

    const TAG_LENGTH: usize = 16;
    const MAX_MESSAGE: u64 = MAX_MESSAGE;

    #[inline]
    fn new(key: &[u8; 32]) -> Self {
        Self { key: Secret::new(words(key)), ops: KERNELS.get() }
    }

    #[inline]
    fn seal_data(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
        (self.ops.seal)(&self.key, &words(nonce), aad, data)
    }

    #[inline]
    fn open_data(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, _: &[u8]) -> [u8; 16] {
        (self.ops.open)(&self.key, &words(nonce), aad, data)
    }
}

impl fmt::Debug for ChaCha20Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChaCha20Poly1305(..)")
    }
}

/// XChaCha20-Poly1305: 256-bit key, 192-bit nonce that may be random, 128-bit tag.
///
/// ```
/// use outpace::aead::{Aead, XChaCha20Poly1305};
///
/// let key = XChaCha20Poly1305::new(&[7; 32]); // a real key is random
/// let mut nonce = [0; 24];
/// outpace::rand::fill(&mut nonce)?;
/// let mut sealed = [0; 14 + 16];
/// key.seal(&nonce, b"to: bob", b"attack at dawn", &mut sealed)?;
/// let mut data = [0; 14];
/// key.open(&nonce, b"to: bob", &sealed, &mut data)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct XChaCha20Poly1305 {
    key: Secret<[u32; 8]>,
    ops: Ops,
}

impl XChaCha20Poly1305 {
    /// The key and nonce of ChaCha20-Poly1305 for this message.
    #[inline]
    fn subkey(&self, nonce: &[u8; 24]) -> (Secret<[u32; 8]>, [u32; 3]) {
        let [a, b, c, d, last @ ..]: [u32; 6] = words(nonce);
        (Secret::new(subkey(&self.key, &[a, b, c, d])), [0, last[0], last[1]])
    }
}

impl Aead for XChaCha20Poly1305 {
    type Key = [u8; 32];
    type Nonce = [u8; 24];
    type Tag = [u8; 16];

    const TAG_LENGTH: usize = 16;
    const MAX_MESSAGE: u64 = MAX_MESSAGE;

    #[inline]
    fn new(key: &[u8; 32]) -> Self {
        Self { key: Secret::new(words(key)), ops: KERNELS.get() }
    }

    #[inline]
    fn seal_data(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
        let (key, nonce) = self.subkey(nonce);
        (self.ops.seal)(&key, &nonce, aad, data)
    }

    #[inline]
    fn open_data(&self, nonce: &[u8; 24], aad: &[u8], data: InOut<'_>, _: &[u8]) -> [u8; 16] {
        let (key, nonce) = self.subkey(nonce);
        (self.ops.open)(&key, &nonce, aad, data)
    }
}

impl fmt::Debug for XChaCha20Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("XChaCha20Poly1305(..)")
    }
}

//! AES-GCM-SIV (RFC 8452): the nonce of the encryption is the tag, so that a repeated nonce gives away no more than whether
//! two messages are equal.
//!
//! Each message has keys of its own, so half of the time of a short one is making them. The time depends on the lengths
//! alone.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(outpace_ct)]
pub(super) mod leaks;
#[cfg(test)]
mod tests;

use super::Aead;
use super::gcm::Direction;
use crate::cipher::aes::{Forward, RoundKeys};
use crate::cpu::{Dispatch, Kernel};
use crate::mem::{InOut, wiping_stack};
use crate::{Error, Result};
use core::fmt;

/// The longest associated data and the longest message (section 6).
const LONGEST: u64 = 1 << 36;

/// AES-GCM-SIV with a key of `K` bytes: 16 or 32.
///
/// A repeated nonce is not a catastrophe here, but random nonces still bound how many messages a key is good for:
/// section 9 of the RFC.
///
/// ```
/// use outpace::aead::{Aead, Aes256GcmSiv};
///
/// let key = Aes256GcmSiv::new(&[7; 32]);
/// let mut data = *b"attack at dawn";
/// let tag = key.seal_in_place(&[0; 12], b"to: bob", &mut data);
/// key.open_in_place(&[0; 12], b"to: bob", &mut data, &tag)?;
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct GcmSiv<const K: usize> {
    generator: Forward<K>,
    message: Option<Message>,
}

/// Seals or opens a message, given the round keys of the generator, and the tag to be opened. Returns the tag.
type Message = fn(&RoundKeys, Direction, &[u8; 12], &[u8], InOut<'_>, &[u8; 16]) -> [u8; 16];

/// Without one, a message is made of blocks of AES.
pub(crate) static KERNELS: Dispatch<Option<Message>> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::AVX512,
    #[cfg(target_arch = "x86_64")]
    x86_64::AVX2,
    #[cfg(target_arch = "x86_64")]
    x86_64::AESNI,
    Kernel::portable(None),
]);

/// AES-GCM-SIV with a key of 128 bits.
pub type Aes128GcmSiv = GcmSiv<16>;
/// AES-GCM-SIV with a key of 256 bits.
pub type Aes256GcmSiv = GcmSiv<32>;

/// The nonce with zeros behind it.
fn nonce_block(nonce: &[u8; 12]) -> u128 {
    let mut block = [0; 16];
    block[..12].copy_from_slice(nonce);
    u128::from_le_bytes(block)
}

impl<const K: usize> GcmSiv<K> {
    fn with(message: Option<Message>, key: &[u8; K]) -> Self {
        wiping_stack::<2048, _>(|| Self { generator: Forward::new(key), message })
    }

    #[inline]
    fn message(&self, direction: Direction, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &[u8; 16]) -> [u8; 16] {
        match self.message {
            Some(kernel) => kernel(self.generator.keys(), direction, nonce, aad, data, tag),
            None => portable::message(&self.generator, direction, nonce, aad, data, tag),
        }
    }
}

impl<const K: usize> Aead for GcmSiv<K> {
    type Key = [u8; K];
    type Nonce = [u8; 12];
    type Tag = [u8; 16];

    const TAG_LENGTH: usize = 16;
    const MAX_MESSAGE: u64 = LONGEST;

    fn new(key: &[u8; K]) -> Self {
        const { assert!(K == 16 || K == 32, "GCM-SIV has keys of 128 or 256 bits") };
        Self::with(KERNELS.get(), key)
    }

    fn check(aad: usize, _: usize) -> Result<()> {
        if aad as u64 > LONGEST {
            return Err(Error::Limit("the associated data of GCM-SIV has at most 2^36 bytes"));
        }
        Ok(())
    }

    fn seal_data(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
        self.message(Direction::Seal, nonce, aad, data, &[0; 16])
    }

    fn open_data(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &[u8]) -> [u8; 16] {
        self.message(Direction::Open, nonce, aad, data, tag.try_into().expect("the length of a tag"))
    }
}

impl<const K: usize> fmt::Debug for GcmSiv<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aes{}GcmSiv(..)", 8 * K)
    }
}

//! AES-GCM-SIV (RFC 8452): the nonce of the encryption is the tag, so that a repeated nonce gives away no more than whether
//! two messages are equal.
//!
//! Each message has keys of its own, so half of the time of a short one is making them. The time depends on the lengths
//! alone.

pub(crate) mod polyval;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(outpace_ct)]
pub(super) mod leaks;

use super::Aead;
use super::gcm::Direction;
use crate::cipher::aes::{Forward, RoundKeys};
use crate::cpu::{Dispatch, Kernel};
use crate::mem::{InOut, Secret, wiping_stack};
use crate::{Error, Result};
use core::fmt;
use polyval::Polyval;

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
    hash: polyval::Ops,
    short: Option<Short>,
}

/// Seals or opens at most [`SHORT`] bytes, with at most [`SHORT_AAD`] of associated data, given the round keys of the
/// generator, and the tag to be opened. Returns the tag.
type Short = fn(&RoundKeys, Direction, &[u8; 12], &[u8], InOut<'_>, &[u8; 16]) -> [u8; 16];

const SHORT: usize = 256;
const SHORT_AAD: usize = 48;

pub(crate) static KERNELS: Dispatch<Option<Short>> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::KERNEL,
    Kernel::portable(None),
]);

/// AES-GCM-SIV with a key of 128 bits.
pub type Aes128GcmSiv = GcmSiv<16>;
/// AES-GCM-SIV with a key of 256 bits.
pub type Aes256GcmSiv = GcmSiv<32>;

/// The keys of one nonce.
struct MessageKeys<const K: usize> {
    authentication: Secret<[u8; 16]>,
    encryption: Forward<K>,
}

impl<const K: usize> MessageKeys<K> {
    /// To be filled where they stay.
    #[inline]
    fn empty(generator: &Forward<K>) -> Self {
        Self { authentication: Secret::new([0; 16]), encryption: generator.sibling() }
    }

    /// Section 4: half of each of four or six blocks.
    #[inline]
    fn derive(&mut self, generator: &Forward<K>, nonce: &[u8; 12]) {
        let nonce = nonce_block(nonce) << 32;
        let mut blocks = Secret::new(core::array::from_fn::<_, 6, _>(|i| (nonce | i as u128).to_le_bytes()));
        generator.encrypt_blocks(&mut blocks[..2 + K / 8]);
        let mut halves = blocks.iter().map(|block| block.first_chunk::<8>().expect("half a block"));
        let mut key = Secret::new([0; K]);
        for word in self.authentication.as_chunks_mut().0.iter_mut().chain(key.as_chunks_mut().0) {
            *word = *halves.next().expect("enough");
        }
        self.encryption.rekey(&key);
    }

    /// Prepares for associated data, which it takes, `data` bytes, and the lengths.
    #[inline]
    fn begin(&self, polyval: &mut Polyval, aad: &[u8], data: usize) {
        let total = aad.len().div_ceil(16) + data.div_ceil(16) + 1;
        polyval.begin(&self.authentication, total);
        polyval.take(aad.len(), |at, bytes| bytes.copy_from_slice(&aad[at..at + bytes.len()]));
    }

    /// Section 4, the tag of a plaintext.
    #[inline]
    fn tag(&self, polyval: &mut Polyval, nonce: &[u8; 12], aad: usize, data: usize) -> [u8; 16] {
        let lengths = u128::from(aad as u64 * 8) | u128::from(data as u64 * 8) << 64;
        polyval.take(16, |_, bytes| bytes.copy_from_slice(&lengths.to_le_bytes()));
        let sum = u128::from_le_bytes(polyval.finish()) ^ nonce_block(nonce);
        let mut block = [(sum & !(1 << 127)).to_le_bytes()];
        self.encryption.encrypt_blocks(&mut block);
        block[0]
    }
}

/// The nonce with zeros behind it.
fn nonce_block(nonce: &[u8; 12]) -> u128 {
    let mut block = [0; 16];
    block[..12].copy_from_slice(nonce);
    u128::from_le_bytes(block)
}

/// Counter mode begins at the tag, with its last bit set (section 4).
fn first_counter(tag: &[u8; 16]) -> [u8; 16] {
    (u128::from_le_bytes(*tag) | 1 << 127).to_le_bytes()
}

impl<const K: usize> GcmSiv<K> {
    #[inline]
    fn short(&self, aad: &[u8], data: &InOut<'_>) -> Option<Short> {
        self.short.filter(|_| data.len() <= SHORT && aad.len() <= SHORT_AAD)
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
        wiping_stack::<2048, _>(|| Self {
            generator: Forward::new(key),
            hash: polyval::KERNELS.get(),
            short: KERNELS.get(),
        })
    }

    fn check(aad: usize, _: usize) -> Result<()> {
        if aad as u64 > LONGEST {
            return Err(Error::Limit("the associated data of GCM-SIV has at most 2^36 bytes"));
        }
        Ok(())
    }

    fn seal_data(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
        if let Some(short) = self.short(aad, &data) {
            return short(self.generator.keys(), Direction::Seal, nonce, aad, data, &[0; 16]);
        }
        let (mut keys, mut polyval) = (MessageKeys::empty(&self.generator), Polyval::empty(self.hash));
        let len = data.len();
        keys.derive(&self.generator, nonce);
        keys.begin(&mut polyval, aad, len);
        polyval.take(len, |at, bytes| data.read(at, bytes));
        let tag = keys.tag(&mut polyval, nonce, aad.len(), len);
        keys.encryption.ctr32(&mut first_counter(&tag), data);
        tag
    }

    fn open_data(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>, tag: &[u8]) -> [u8; 16] {
        let tag = tag.try_into().expect("the length of a tag");
        if let Some(short) = self.short(aad, &data) {
            return short(self.generator.keys(), Direction::Open, nonce, aad, data, tag);
        }
        let (mut keys, mut polyval) = (MessageKeys::empty(&self.generator), Polyval::empty(self.hash));
        let len = data.len();
        keys.derive(&self.generator, nonce);
        keys.begin(&mut polyval, aad, len);
        let mut counter = first_counter(tag);
        polyval.take(len, |at, bytes| {
            data.read(at, bytes);
            keys.encryption.ctr32(&mut counter, InOut::in_place(bytes));
            data.write(at, bytes);
        });
        keys.tag(&mut polyval, nonce, aad.len(), len)
    }
}

impl<const K: usize> fmt::Debug for GcmSiv<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aes{}GcmSiv(..)", 8 * K)
    }
}

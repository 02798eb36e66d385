//! AES-GCM-SIV (RFC 8452): the nonce of the encryption is the tag, so that a repeated nonce gives away no more than whether
//! two messages are equal.
//!
//! POLYVAL is GHASH with its bytes the other way round (appendix A of the RFC) and runs through the portable
//! multiplication here. The time depends on the lengths alone.

use super::Aead;
use super::gcm::multiply;
use crate::cipher::aes::Aes;
use crate::cipher::modes::BlockCipher;
use crate::mem::{InOut, Secret, Wipe};
use crate::{Error, Result};
use core::fmt;

/// Key stream blocks made at a time: as many as keep the widest kernel busy.
const CHUNK: usize = 32;

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
    generator: Aes<K>,
}

/// AES-GCM-SIV with a key of 128 bits.
pub type Aes128GcmSiv = GcmSiv<16>;
/// AES-GCM-SIV with a key of 256 bits.
pub type Aes256GcmSiv = GcmSiv<32>;

/// The keys of one nonce.
struct MessageKeys<const K: usize> {
    authentication: Secret<u128>,
    encryption: Aes<K>,
}

impl<const K: usize> GcmSiv<K> {
    /// Section 4: half of each of four or six blocks.
    fn derive(&self, nonce: &[u8; 12]) -> MessageKeys<K> {
        let mut blocks = Secret::new([[0; 16]; 6]);
        for (i, block) in (0u32..).zip(blocks.iter_mut()) {
            block[..4].copy_from_slice(&i.to_le_bytes());
            block[4..].copy_from_slice(nonce);
        }
        self.generator.encrypt_blocks(&mut blocks[..2 + K / 8]);
        let mut halves = Secret::new([0; 48]);
        for (half, block) in halves.as_chunks_mut::<8>().0.iter_mut().zip(blocks.iter()) {
            half.copy_from_slice(&block[..8]);
        }
        let mut key = Secret::new([0; K]);
        key.copy_from_slice(&halves[16..16 + K]);
        // mulX_GHASH of the reversed key (appendix A).
        let h = u128::from_le_bytes(*halves.first_chunk().expect("48 bytes"));
        let authentication = Secret::new(h >> 1 ^ ((h & 1).wrapping_neg() & 0xe1 << 120));
        MessageKeys { authentication, encryption: Aes::new(&key) }
    }
}

impl<const K: usize> MessageKeys<K> {
    /// Section 4, the tag of a plaintext given its POLYVAL.
    fn tag(&self, nonce: &[u8; 12], polyval: u128) -> [u8; 16] {
        let mut block = [polyval.to_le_bytes()];
        for (b, n) in block[0].iter_mut().zip(nonce) {
            *b ^= n;
        }
        block[0][15] &= 0x7f;
        self.encryption.encrypt_blocks(&mut block);
        block[0]
    }

    fn take(&self, sum: &mut u128, block: &[u8; 16]) {
        *sum = multiply(*sum ^ u128::from_le_bytes(*block), *self.authentication);
    }

    fn take_padded(&self, sum: &mut u128, data: &[u8]) {
        let (blocks, rest) = data.as_chunks();
        for block in blocks {
            self.take(sum, block);
        }
        if !rest.is_empty() {
            let mut block = [0; 16];
            block[..rest.len()].copy_from_slice(rest);
            self.take(sum, &block);
        }
    }

    fn take_lengths(&self, sum: &mut u128, aad: usize, data: usize) {
        let lengths = u128::from(aad as u64 * 8) | u128::from(data as u64 * 8) << 64;
        self.take(sum, &lengths.to_le_bytes());
    }

    /// Counter mode from the tag on: 32 bits of counter, least significant byte first, that wrap (section 4). Calls `seen`
    /// with each block that comes out.
    fn xor_stream(&self, tag: &[u8; 16], data: InOut<'_>, mut seen: impl FnMut(&[u8; 16])) {
        let mut start = *tag;
        start[15] |= 0x80;
        let mut counter = u32::from_le_bytes(*start.first_chunk().expect("16 bytes"));
        let mut stream = Secret::new([[0; 16]; CHUNK]);
        let mut used = CHUNK;
        data.for_each_block::<16>(|bytes, len| {
            if used == CHUNK {
                for block in stream.iter_mut() {
                    *block = start;
                    block[..4].copy_from_slice(&counter.to_le_bytes());
                    counter = counter.wrapping_add(1);
                }
                self.encryption.encrypt_blocks(&mut *stream);
                used = 0;
            }
            for (b, s) in bytes[..len].iter_mut().zip(&stream[used]) {
                *b ^= s;
            }
            seen(bytes);
            used += 1;
        });
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
        Self { generator: Aes::new(key) }
    }

    fn check(aad: usize, _: usize) -> Result<()> {
        if aad as u64 > LONGEST {
            return Err(Error::Limit("the associated data of GCM-SIV has at most 2^36 bytes"));
        }
        Ok(())
    }

    fn seal_data(&self, nonce: &[u8; 12], aad: &[u8], mut data: InOut<'_>) -> [u8; 16] {
        let keys = self.derive(nonce);
        let mut sum = 0;
        keys.take_padded(&mut sum, aad);
        let mut at = 0;
        while at < data.len() {
            let n = 16.min(data.len() - at);
            let mut block = [0; 16];
            data.read(at, &mut block[..n]);
            keys.take(&mut sum, &block);
            at += n;
        }
        keys.take_lengths(&mut sum, aad.len(), data.len());
        let tag = keys.tag(nonce, sum);
        sum.wipe();
        keys.xor_stream(&tag, data.reborrow(), |_| ());
        tag
    }

    fn open_data(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, tag: &[u8]) -> [u8; 16] {
        let keys = self.derive(nonce);
        let mut sum = 0;
        keys.take_padded(&mut sum, aad);
        let len = data.len();
        let tag = tag.try_into().expect("the length of a tag");
        keys.xor_stream(tag, data, |plain| keys.take(&mut sum, plain));
        keys.take_lengths(&mut sum, aad.len(), len);
        let tag = keys.tag(nonce, sum);
        sum.wipe();
        tag
    }
}

impl<const K: usize> fmt::Debug for GcmSiv<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aes{}GcmSiv(..)", 8 * K)
    }
}

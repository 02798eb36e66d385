//! CBC and OFB (SP 800-38A, sections 6.2 and 6.4; DSTU 7624:2014, sections 10 and 11).

use super::BlockCipher;
use crate::Result;
use crate::error::check_len;
use crate::mem::Wipe;
use core::fmt;

/// Blocks that are decrypted at a time.
const BATCH: usize = 64;

/// A mode that goes block by block, with what it reads and writes: whole blocks.
#[doc(hidden)]
#[derive(Debug)]
pub enum Chain<'d> {
    /// CBC encryption. The state is the last block of ciphertext.
    Cbc(&'d mut [u8]),
    /// CFB encryption with a feedback of a block. The state is the next key stream.
    Cfb(&'d mut [u8]),
    /// OFB. The state is the last block of key stream.
    Ofb(&'d mut [u8]),
    /// CBC encryption without its result.
    Mac(&'d [u8]),
}

impl Chain<'_> {
    /// The definition of the modes, by the encryption of a block.
    #[inline]
    pub(crate) fn each<B: AsRef<[u8]> + AsMut<[u8]> + ?Sized>(self, state: &mut B, mut encrypt: impl FnMut(&mut B)) {
        let size = state.as_ref().len();
        match self {
            Self::Cbc(data) => data.chunks_exact_mut(size).for_each(|block| {
                add(state.as_mut(), block);
                encrypt(state);
                block.copy_from_slice(state.as_ref());
            }),
            Self::Cfb(data) => data.chunks_exact_mut(size).for_each(|block| {
                add(state.as_mut(), block);
                block.copy_from_slice(state.as_ref());
                encrypt(state);
            }),
            Self::Ofb(data) => data.chunks_exact_mut(size).for_each(|block| {
                encrypt(state);
                add(block, state.as_ref());
            }),
            Self::Mac(data) => data.chunks_exact(size).for_each(|block| {
                add(state.as_mut(), block);
                encrypt(state);
            }),
        }
    }
}

/// Cipher block chaining: each block of plaintext is XORed with the ciphertext before it.
///
/// Whole blocks only: padding, and taking it off without telling an attacker whether it was right, are the protocol's
/// business. It does not authenticate; an initial value must not be predictable.
///
/// ```
/// use outpace::cipher::kalyna::Kalyna128_128;
/// use outpace::cipher::modes::Cbc;
///
/// let key = Kalyna128_128::new(&[7; 16]);
/// let mut data = [5; 48];
/// Cbc::new(&key, &[1; 16]).encrypt(&mut data)?;
/// Cbc::new(&key, &[1; 16]).decrypt(&mut data)?;
/// assert_eq!(data, [5; 48]);
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct Cbc<'k, C: BlockCipher> {
    cipher: &'k C,
    chain: C::Block,
}

impl<'k, C: BlockCipher> Cbc<'k, C> {
    /// Starts at the initial value `iv`.
    #[must_use]
    pub fn new(cipher: &'k C, iv: &C::Block) -> Self {
        Self { cipher, chain: *iv }
    }

    /// Encrypts the next blocks in place.
    ///
    /// # Errors
    /// [`crate::Error::Length`] if they are not whole; nothing is changed.
    pub fn encrypt(&mut self, data: &mut [u8]) -> Result<()> {
        check_whole::<C>(data)?;
        self.cipher.chain(&mut self.chain, Chain::Cbc(data));
        Ok(())
    }

    /// Decrypts the next blocks in place.
    ///
    /// # Errors
    /// As [`Self::encrypt`].
    pub fn decrypt(&mut self, data: &mut [u8]) -> Result<()> {
        let size = C::ZERO.as_ref().len();
        check_whole::<C>(data)?;
        let mut batch = [C::ZERO; BATCH];
        for blocks in data.chunks_mut(BATCH * size) {
            let batch = &mut batch[..blocks.len() / size];
            for (copy, block) in batch.iter_mut().zip(blocks.chunks_exact(size)) {
                copy.as_mut().copy_from_slice(block);
            }
            self.cipher.decrypt_blocks(batch);
            for (plain, block) in batch.iter_mut().zip(blocks.chunks_exact_mut(size)) {
                add(plain.as_mut(), self.chain.as_ref());
                self.chain.as_mut().copy_from_slice(block);
                block.copy_from_slice(plain.as_ref());
            }
        }
        batch.iter_mut().for_each(|block| block.as_mut().wipe());
        Ok(())
    }
}

/// Output feedback: the key stream is the initial value encrypted again and again. Encryption and decryption are the
/// same.
///
/// It does not authenticate, and an initial value used twice under one key gives away the difference of both plaintexts.
///
/// ```
/// use outpace::cipher::kalyna::Kalyna128_128;
/// use outpace::cipher::modes::Ofb;
///
/// let key = Kalyna128_128::new(&[7; 16]);
/// let mut data = *b"attack at dawn";
/// Ofb::new(&key, &[1; 16]).apply(&mut data);
/// Ofb::new(&key, &[1; 16]).apply(&mut data);
/// assert_eq!(&data, b"attack at dawn");
/// ```
pub struct Ofb<'k, C: BlockCipher> {
    cipher: &'k C,
    stream: C::Block,
    /// How much of `stream` is used up.
    used: usize,
}

impl<'k, C: BlockCipher> Ofb<'k, C> {
    /// Starts at the initial value `iv`.
    #[must_use]
    pub fn new(cipher: &'k C, iv: &C::Block) -> Self {
        Self { cipher, stream: *iv, used: iv.as_ref().len() }
    }

    /// Encrypts or decrypts the next bytes of the stream, in pieces of any length.
    pub fn apply(&mut self, data: &mut [u8]) {
        let size = C::ZERO.as_ref().len();
        let (head, data) = data.split_at_mut(data.len().min(size - self.used));
        add(head, &self.stream.as_ref()[self.used..]);
        self.used += head.len();
        let (blocks, tail) = data.split_at_mut(data.len() / size * size);
        self.cipher.chain(&mut self.stream, Chain::Ofb(blocks));
        if !tail.is_empty() {
            self.cipher.encrypt_blocks(core::slice::from_mut(&mut self.stream));
            add(tail, self.stream.as_ref());
            self.used = tail.len();
        }
    }
}

impl<C: BlockCipher> fmt::Debug for Cbc<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cbc(..)")
    }
}

impl<C: BlockCipher> fmt::Debug for Ofb<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ofb(..)")
    }
}

impl<C: BlockCipher> Drop for Ofb<'_, C> {
    fn drop(&mut self) {
        self.stream.as_mut().wipe();
    }
}

fn check_whole<C: BlockCipher>(data: &[u8]) -> Result<()> {
    check_len("data in whole blocks", data.len().next_multiple_of(C::ZERO.as_ref().len()), data.len())
}

fn add(to: &mut [u8], with: &[u8]) {
    for (a, b) in to.iter_mut().zip(with) {
        *a ^= b;
    }
}

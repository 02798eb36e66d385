//! Block ciphers as the modes see them, and the modes that are the same for all of them.

mod chained;

pub use chained::{Cbc, Chain, Ofb};

use crate::Result;
use crate::error::check_len;
use crate::mem::{InOut, Wipe};
use core::fmt;

/// A keyed block cipher: [`crate::hazmat::Aes`] or [`super::kalyna::Kalyna`].
///
/// ```
/// use outpace::cipher::modes::BlockCipher;
/// use outpace::hazmat::Aes128;
///
/// let (key, mut blocks) = (Aes128::new(&[7; 16]), [[1; 16], [2; 16]]);
/// key.encrypt_blocks(&mut blocks);
/// key.decrypt_blocks(&mut blocks);
/// assert_eq!(blocks, [[1; 16], [2; 16]]);
/// ```
///
/// Implemented by this crate's ciphers only.
pub trait BlockCipher {
    /// `[u8; N]`.
    type Block: Copy + AsRef<[u8]> + AsMut<[u8]>;

    /// A block of zeros.
    const ZERO: Self::Block;

    /// Encrypts each block on its own.
    fn encrypt_blocks(&self, blocks: &mut [Self::Block]);

    /// Decrypts each block on its own.
    fn decrypt_blocks(&self, blocks: &mut [Self::Block]);

    /// What the cipher's counter mode starts from, given the initial value.
    #[doc(hidden)]
    fn first_counter(&self, iv: &Self::Block) -> Self::Block;

    /// Runs a mode in which each block waits for the one before, from and to its state.
    #[doc(hidden)]
    fn chain(&self, state: &mut Self::Block, mode: Chain<'_>) {
        mode.each(state, |block| self.encrypt_blocks(core::slice::from_mut(block)));
    }

    /// XORs the encryption of `counter` and of those after it to `data`, and moves `counter` on by one for each block
    /// begun.
    #[doc(hidden)]
    fn xor_keystream(&self, counter: &mut Self::Block, data: InOut<'_>);
}

/// The counter mode of a block cipher: encryption and decryption are the same.
///
/// For AES it is the one of SP 800-38A, section 6.5, the whole block counting as one big-endian number; for Kalyna the
/// one of DSTU 7624:2014. It does not authenticate, and an initial value used twice under one key gives away the
/// difference of both plaintexts.
///
/// ```
/// use outpace::cipher::modes::Ctr;
/// use outpace::hazmat::Aes256;
///
/// let (key, mut data) = (Aes256::new(&[7; 32]), *b"attack at dawn");
/// let (first, second) = data.split_at_mut(6);
/// let mut ctr = Ctr::new(&key, &[1; 16]);
/// ctr.apply(first);
/// ctr.apply(second);
/// Ctr::new(&key, &[1; 16]).apply(&mut data); // the same again takes it off
/// assert_eq!(&data, b"attack at dawn");
/// ```
pub struct Ctr<'k, C: BlockCipher> {
    cipher: &'k C,
    counter: C::Block,
    /// Key stream of the block before `counter`; the first `used` bytes are used up.
    stream: C::Block,
    used: usize,
}

impl<'k, C: BlockCipher> Ctr<'k, C> {
    /// Starts at the counter block (AES) or initial value (Kalyna) `iv`.
    #[must_use]
    pub fn new(cipher: &'k C, iv: &C::Block) -> Self {
        Self { cipher, counter: cipher.first_counter(iv), stream: C::ZERO, used: C::ZERO.as_ref().len() }
    }

    /// Encrypts or decrypts the next bytes of the stream, in pieces of any length.
    pub fn apply(&mut self, data: &mut [u8]) {
        self.xor(InOut::in_place(data));
    }

    /// As [`Self::apply`], from `input` to `output`.
    ///
    /// # Errors
    /// [`crate::Error::Length`] if the lengths differ.
    pub fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<()> {
        check_len("output", input.len(), output.len())?;
        self.xor(InOut::apart(input, output));
        Ok(())
    }

    fn xor(&mut self, data: InOut<'_>) {
        let size = C::ZERO.as_ref().len();
        let from_stream = data.len().min(size - self.used);
        let (head, data) = data.split_at(from_stream);
        self.xor_stream(head);
        let whole = data.len() / size * size;
        let (body, tail) = data.split_at(whole);
        if body.len() > 0 {
            self.cipher.xor_keystream(&mut self.counter, body);
        }
        if tail.len() > 0 {
            self.stream = C::ZERO;
            self.cipher.xor_keystream(&mut self.counter, InOut::in_place(self.stream.as_mut()));
            self.used = 0;
            self.xor_stream(tail);
        }
    }

    /// XORs the next bytes of the kept block; there are enough.
    fn xor_stream(&mut self, data: InOut<'_>) {
        let n = data.len();
        let stream = &self.stream.as_ref()[self.used..];
        let mut stream = stream.iter();
        data.for_each_block::<16>(|block, len| {
            for (b, s) in block[..len].iter_mut().zip(&mut stream) {
                *b ^= s;
            }
        });
        self.used += n;
    }
}

impl<C: BlockCipher> fmt::Debug for Ctr<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ctr(..)")
    }
}

impl<C: BlockCipher> Drop for Ctr<'_, C> {
    fn drop(&mut self) {
        self.stream.as_mut().wipe();
        // Kalyna's is a result of the cipher.
        self.counter.as_mut().wipe();
    }
}

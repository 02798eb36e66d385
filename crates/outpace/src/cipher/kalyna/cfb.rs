//! CFB (DSTU 7624:2014, section 8): a key stream fed with the ciphertext, q bytes at a time.

use super::{Kalyna, stream};
use crate::cipher::modes::{BlockCipher, Chain};
use crate::mem::Wipe;
use crate::{Error, Result};
use core::fmt;

/// What is fed back, and which bytes of the key stream an incomplete group takes. All agree on whole blocks with a feedback
/// of a block; data of others opens under the reading it was made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KalynaCfbReading {
    /// The standard, and UAPKI and cryptonite: an incomplete group takes the last bytes of the key stream.
    #[default]
    Standard,
    /// Bouncy Castle: the shift register of SP 800-38A; every group takes the first bytes of the key stream.
    BouncyCastle,
}

/// Cipher feedback of DSTU 7624:2014. It is not a shift register: with q smaller than the block, the next input of the
/// cipher is the last output with its last q bytes replaced by the ciphertext.
///
/// It does not authenticate, and an initial value used twice under one key gives away the difference of the plaintexts
/// up to where they first differ.
///
/// ```
/// use outpace::cipher::kalyna::{Cfb, Kalyna128_128};
///
/// let key = Kalyna128_128::new(&[7; 16]);
/// let mut data = *b"attack at dawn";
/// Cfb::new(&key, &[1; 16], 16)?.encrypt(&mut data)?;
/// Cfb::new(&key, &[1; 16], 16)?.decrypt(&mut data)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct Cfb<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: &'k Kalyna<BLOCK, KEY, KEYS>,
    q: usize,
    reading: KalynaCfbReading,
    /// The next key stream; its last q bytes are used, or its first.
    gamma: [u8; BLOCK],
    /// What that is the encryption of, if it is a shift register.
    register: [u8; BLOCK],
    /// After a piece that was no multiple of q.
    ended: bool,
}

impl<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> Cfb<'k, BLOCK, KEY, KEYS> {
    /// Starts at `iv`, with a feedback of `q` bytes: 1, 8, 16, 32 or 64, at most the block.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another `q`.
    pub fn new(key: &'k Kalyna<BLOCK, KEY, KEYS>, iv: &[u8; BLOCK], q: usize) -> Result<Self> {
        Self::with_reading(key, iv, q, KalynaCfbReading::Standard)
    }

    /// As [`Self::new`], for data that was made with another reading of the standard.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_reading(
        key: &'k Kalyna<BLOCK, KEY, KEYS>,
        iv: &[u8; BLOCK],
        q: usize,
        reading: KalynaCfbReading,
    ) -> Result<Self> {
        if !matches!(q, 1 | 8 | 16 | 32 | 64) || q > BLOCK {
            return Err(Error::Parameter("q is 1, 8, 16, 32 or 64 bytes, at most the block"));
        }
        let mut gamma = *iv;
        key.encrypt_bytes(&mut gamma);
        Ok(Self { key, q, reading, gamma, register: *iv, ended: false })
    }

    /// Encrypts the next bytes: a multiple of q, except for the last of a message.
    ///
    /// # Errors
    /// [`Error::Parameter`] after bytes that were no multiple of q; nothing is changed.
    pub fn encrypt(&mut self, data: &mut [u8]) -> Result<()> {
        let whole = if self.q == BLOCK && !self.ended { data.len() / BLOCK * BLOCK } else { 0 };
        let (blocks, rest) = data.split_at_mut(whole);
        self.key.chain(&mut self.gamma, Chain::Cfb(blocks));
        self.apply(rest, |data, gamma| {
            stream::add(data, gamma);
            gamma.copy_from_slice(data);
        })
    }

    /// Decrypts the next bytes, likewise.
    ///
    /// # Errors
    /// As [`Self::encrypt`].
    pub fn decrypt(&mut self, data: &mut [u8]) -> Result<()> {
        self.apply(data, |data, gamma| {
            stream::add(gamma, data);
            // `gamma` is the plaintext and `data` the ciphertext now.
            data.swap_with_slice(gamma);
        })
    }

    /// `step` replaces a group of data, and the key stream for it by the ciphertext.
    fn apply(&mut self, data: &mut [u8], step: impl Fn(&mut [u8], &mut [u8])) -> Result<()> {
        if self.ended && !data.is_empty() {
            return Err(Error::Parameter("the bytes before were no multiple of q, so the message has ended"));
        }
        for group in data.chunks_mut(self.q) {
            let used = match self.reading {
                KalynaCfbReading::Standard => &mut self.gamma[BLOCK - group.len()..],
                KalynaCfbReading::BouncyCastle => &mut self.gamma[..group.len()],
            };
            step(group, used);
            self.ended = group.len() < self.q;
            if self.reading == KalynaCfbReading::BouncyCastle {
                self.register.copy_within(self.q.., 0);
                self.register[BLOCK - self.q..].copy_from_slice(&self.gamma[..self.q]);
                self.gamma = self.register;
            }
            if !self.ended {
                self.key.encrypt_bytes(&mut self.gamma);
            }
        }
        Ok(())
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> Drop for Cfb<'_, BLOCK, KEY, KEYS> {
    fn drop(&mut self) {
        self.gamma.wipe();
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> fmt::Debug for Cfb<'_, BLOCK, KEY, KEYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cfb({:?})", self.key)
    }
}

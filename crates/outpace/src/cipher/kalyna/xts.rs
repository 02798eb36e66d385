//! XTS (DSTU 7624:2014, section 14): sectors of storage, one key.

use super::field::double;
use super::{Kalyna, stream};
use crate::mem::Wipe;
use crate::{Error, Result};

/// Bytes worked on at a time.
const CHUNK: usize = 1024;

/// XTS of DSTU 7624:2014: each block is encrypted between two additions of a tweak, the encryption of the initial value
/// times a power of x. Unlike in IEEE 1619 one key does both, and the first block already has the tweak times x.
///
/// The initial value is the number of the sector; the same key and number encrypt equal data to equal data. It does not
/// authenticate. A sector has one block or more; an incomplete last block steals from the one before.
///
/// ```
/// use outpace::cipher::kalyna::{Kalyna256_256, Xts};
///
/// let key = Kalyna256_256::new(&[7; 32]);
/// let (mut sector, mut number) = ([0x55; 512], [0; 32]);
/// number[0] = 3;
/// Xts::new(&key).encrypt(&number, &mut sector)?;
/// Xts::new(&key).decrypt(&number, &mut sector)?;
/// assert_eq!(sector, [0x55; 512]);
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct Xts<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: &'k Kalyna<BLOCK, KEY, KEYS>,
}

impl<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> Xts<'k, BLOCK, KEY, KEYS> {
    /// For sectors under this key.
    #[must_use]
    pub fn new(key: &'k Kalyna<BLOCK, KEY, KEYS>) -> Self {
        Self { key }
    }

    /// Encrypts a sector in place.
    ///
    /// # Errors
    /// [`Error::Length`] if it is shorter than a block.
    pub fn encrypt(&self, iv: &[u8; BLOCK], data: &mut [u8]) -> Result<()> {
        let mut tweak = self.tweak(iv, data.len())?;
        let (blocks, rest) = data.as_chunks_mut::<BLOCK>();
        self.blocks::<false>(&mut tweak, blocks.as_flattened_mut());
        if let (Some(last), false) = (blocks.last_mut(), rest.is_empty()) {
            last[..rest.len()].swap_with_slice(rest);
            self.blocks::<false>(&mut tweak, last);
        }
        tweak.wipe();
        Ok(())
    }

    /// Decrypts a sector in place.
    ///
    /// # Errors
    /// As [`Self::encrypt`].
    pub fn decrypt(&self, iv: &[u8; BLOCK], data: &mut [u8]) -> Result<()> {
        let mut tweak = self.tweak(iv, data.len())?;
        let (blocks, rest) = data.as_chunks_mut::<BLOCK>();
        if let (Some((last, before)), false) = (blocks.split_last_mut(), rest.is_empty()) {
            self.blocks::<true>(&mut tweak, before.as_flattened_mut());
            // The block that was encrypted last has the tweak after the one of its place.
            let mut after = tweak;
            self.step(&mut after);
            self.blocks::<true>(&mut after, last);
            last[..rest.len()].swap_with_slice(rest);
            self.blocks::<true>(&mut tweak, last);
            after.wipe();
        } else {
            self.blocks::<true>(&mut tweak, blocks.as_flattened_mut());
        }
        tweak.wipe();
        Ok(())
    }

    fn tweak(&self, iv: &[u8; BLOCK], len: usize) -> Result<[u8; BLOCK]> {
        if len < BLOCK {
            return Err(Error::Length { what: "sector", expected: BLOCK, got: len });
        }
        let mut tweak = *iv;
        self.key.encrypt_bytes(&mut tweak);
        Ok(tweak)
    }

    /// x times the tweak.
    #[inline]
    fn step(&self, tweak: &mut [u8; BLOCK]) {
        match BLOCK {
            16 => step_words::<2>(tweak),
            32 => step_words::<4>(tweak),
            _ => step_words::<8>(tweak),
        }
    }

    fn blocks<const DECRYPT: bool>(&self, tweak: &mut [u8; BLOCK], data: &mut [u8]) {
        let mut tweaks = [0; CHUNK];
        let used = data.len().min(CHUNK);
        for data in data.chunks_mut(CHUNK) {
            let tweaks = &mut tweaks[..data.len()];
            for block in tweaks.as_chunks_mut::<BLOCK>().0 {
                self.step(tweak);
                *block = *tweak;
            }
            stream::add(data, tweaks);
            if DECRYPT {
                self.key.decrypt_bytes(data);
            } else {
                self.key.encrypt_bytes(data);
            }
            stream::add(data, tweaks);
        }
        tweaks[..used].wipe();
    }
}

#[inline]
fn step_words<const W: usize>(tweak: &mut [u8]) {
    let mut words = [0; W];
    for (word, bytes) in words.iter_mut().zip(tweak.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    double(&mut words);
    for (bytes, word) in tweak.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

//! XTS (DSTU 7624:2014, section 14): sectors of storage, one key.

use super::field::double;
use super::{Kalyna, stream};
use crate::mem::Wipe;
use crate::{Error, Result};
use core::fmt;

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
            fill(&mut [0; BLOCK], &mut after);
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

    fn blocks<const DECRYPT: bool>(&self, tweak: &mut [u8; BLOCK], data: &mut [u8]) {
        let mut tweaks = [0; CHUNK];
        let used = data.len().min(CHUNK);
        for data in data.chunks_mut(CHUNK) {
            let tweaks = &mut tweaks[..data.len()];
            fill(tweaks, tweak);
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

/// Writes x times the tweak, and so on, and leaves the last of them.
fn fill<const BLOCK: usize>(tweaks: &mut [u8], tweak: &mut [u8; BLOCK]) {
    match BLOCK {
        16 => fill_words::<2>(tweaks, tweak),
        32 => fill_words::<4>(tweaks, tweak),
        _ => fill_words::<8>(tweaks, tweak),
    }
}

fn fill_words<const W: usize>(tweaks: &mut [u8], tweak: &mut [u8]) {
    let mut words = stream::load::<W>(tweak);
    for block in tweaks.chunks_exact_mut(8 * W) {
        double(&mut words);
        stream::store(block, &words);
    }
    stream::store(tweak, &words);
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> fmt::Debug for Xts<'_, BLOCK, KEY, KEYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Xts({:?})", self.key)
    }
}

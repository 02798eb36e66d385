//! Key wrapping (DSTU 7624:2014, section 15): encryption of keys that notices changes.

use super::Kalyna;
use crate::mem::{Secret, Wipe, ct};
use crate::{Error, Result};
use core::fmt;

/// Most blocks in a key: up to here the count of the steps fits a byte, and every implementation agrees.
const MOST_BLOCKS: usize = 20;
/// Room for the longest, with its block of zeros.
const ROOM: usize = (MOST_BLOCKS + 1) * LONGEST_BLOCK;
const LONGEST_BLOCK: usize = 64;

/// What [`KeyWrap::unwrap_padded`] takes for a padded key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KalynaWrapReading {
    /// The one bit is always there.
    #[default]
    Standard,
    /// UAPKI and cryptonite leave the one bit out where key and length fill their last block: such a form is taken too.
    Uapki,
}

/// Key wrapping of DSTU 7624:2014: the key and a block of zeros, as half blocks, through six times as many steps as there
/// are halves less one.
///
/// A key of whole blocks (up to 20) is wrapped as it is; any other by the padded form, which appends its length in bits
/// and a one bit with zeros. The two are told apart by agreement, not by the wrapped bytes. The same key always wraps to
/// the same bytes.
///
/// ```
/// use outpace::cipher::kalyna::{Kalyna128_128, KeyWrap};
///
/// let key = Kalyna128_128::new(&[7; 16]);
/// let (mut wrapped, mut back) = ([0; 48], [0; 32]);
/// KeyWrap::new(&key).wrap(&[5; 32], &mut wrapped)?;
/// KeyWrap::new(&key).unwrap(&wrapped, &mut back)?;
/// assert_eq!(back, [5; 32]);
/// wrapped[0] ^= 1;
/// assert!(KeyWrap::new(&key).unwrap(&wrapped, &mut back).is_err());
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct KeyWrap<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: &'k Kalyna<BLOCK, KEY, KEYS>,
    reading: KalynaWrapReading,
}

impl<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> KeyWrap<'k, BLOCK, KEY, KEYS> {
    /// For wrapping under this key.
    #[must_use]
    pub fn new(key: &'k Kalyna<BLOCK, KEY, KEYS>) -> Self {
        Self::with_reading(key, KalynaWrapReading::Standard)
    }

    /// For unwrapping what was made with another reading of the standard.
    #[must_use]
    pub fn with_reading(key: &'k Kalyna<BLOCK, KEY, KEYS>, reading: KalynaWrapReading) -> Self {
        Self { key, reading }
    }

    /// How long the padded form of a key of `len` bytes is.
    #[must_use]
    pub const fn padded_len(len: usize) -> usize {
        // The length, half a block; the one bit; the block of zeros that every wrapping appends.
        (len + BLOCK / 2 + 1).div_ceil(BLOCK) * BLOCK + BLOCK
    }

    /// Wraps `secret`, one to 20 whole blocks, to `out`, which is a block longer.
    ///
    /// # Errors
    /// [`Error::Parameter`] if `secret` is not 1 to 20 whole blocks, [`Error::Length`] if `out` has another length.
    pub fn wrap(&self, secret: &[u8], out: &mut [u8]) -> Result<()> {
        if secret.is_empty() || !secret.len().is_multiple_of(BLOCK) || secret.len() > MOST_BLOCKS * BLOCK {
            return Err(Error::Parameter("a key to wrap has 1 to 20 whole blocks; others have the padded form"));
        }
        crate::error::check_len("output", secret.len() + BLOCK, out.len())?;
        out[..secret.len()].copy_from_slice(secret);
        out[secret.len()..].fill(0);
        self.mix(out);
        Ok(())
    }

    /// Wraps `secret` of any length from a byte to what fits 20 blocks with its padding, to `out`, which has
    /// [`Self::padded_len`] bytes.
    ///
    /// # Errors
    /// [`Error::Parameter`] if `secret` is empty or too long, [`Error::Length`] if `out` has another length.
    pub fn wrap_padded(&self, secret: &[u8], out: &mut [u8]) -> Result<()> {
        let padded = Self::padded_len(secret.len());
        if secret.is_empty() || padded > (MOST_BLOCKS + 1) * BLOCK {
            return Err(Error::Parameter("a key to wrap has 1 byte or more, up to 20 blocks with its padding"));
        }
        crate::error::check_len("output", padded, out.len())?;
        let (text, rest) = out.split_at_mut(secret.len());
        text.copy_from_slice(secret);
        rest.fill(0);
        rest[..8].copy_from_slice(&(8 * secret.len() as u64).to_le_bytes());
        rest[BLOCK / 2] = 0x80;
        self.mix(out);
        Ok(())
    }

    /// Unwraps `wrapped` to `out`, which is a block shorter.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it was not wrapped under this key; `out` is then zeros. [`Error::Parameter`] if
    /// `wrapped` has not 2 to 21 whole blocks, [`Error::Length`] if `out` has another length.
    pub fn unwrap(&self, wrapped: &[u8], out: &mut [u8]) -> Result<()> {
        let text = self.unmix(wrapped)?;
        let len = wrapped.len() - BLOCK;
        crate::error::check_len("output", len, out.len())?;
        let good = ct::eq(&text[len..wrapped.len()], &[0; BLOCK]).declassify();
        if good {
            out.copy_from_slice(&text[..len]);
        } else {
            out.fill(0);
        }
        if good { Ok(()) } else { Err(Error::Authentication) }
    }

    /// Unwraps the padded form to the start of `out`, which is as long as `wrapped`, and returns the length of the key;
    /// the rest of `out` is zeros.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it was not wrapped in this form under this key; `out` is then zeros.
    /// [`Error::Parameter`] if `wrapped` has not 2 to 21 whole blocks, [`Error::Length`] if `out` has another length.
    pub fn unwrap_padded(&self, wrapped: &[u8], out: &mut [u8]) -> Result<usize> {
        crate::error::check_len("output", wrapped.len(), out.len())?;
        let text = self.unmix(wrapped)?;
        // Every length that could have been padded to this is tried: what is learnt is the length of a good key, or that
        // the whole is not good, but not which part of it.
        let end = wrapped.len() - BLOCK;
        let zeros = ct::eq(&text[end..wrapped.len()], &[0; BLOCK]);
        let mut found = None;
        let unmarked = usize::from(self.reading == KalynaWrapReading::Uapki);
        for len in end.saturating_sub(BLOCK / 2 + BLOCK).max(1)..end.saturating_sub(BLOCK / 2) + unmarked {
            let mut expected = [0; 2 * LONGEST_BLOCK];
            let expected = &mut expected[..end - len];
            expected[..8].copy_from_slice(&(8 * len as u64).to_le_bytes());
            if let Some(mark) = expected.get_mut(BLOCK / 2) {
                *mark = 0x80;
            }
            if ct::eq(&text[len..end], expected).and(zeros).declassify() {
                found = Some(len);
            }
        }
        out.fill(0);
        let len = found.ok_or(Error::Authentication)?;
        out[..len].copy_from_slice(&text[..len]);
        Ok(len)
    }

    /// The steps of section 15.2, on the key and the block of zeros in place.
    fn mix(&self, text: &mut [u8]) {
        let half = BLOCK / 2;
        let last = text.len() - half;
        for i in 1..=steps(last / half) {
            let mut block = [0; BLOCK];
            block.copy_from_slice(&text[..BLOCK]);
            self.key.encrypt_bytes(&mut block);
            text.copy_within(BLOCK.., half);
            text[..half].copy_from_slice(&block[half..]);
            text[0] ^= i;
            text[last..].copy_from_slice(&block[..half]);
            block.wipe();
        }
    }

    /// The steps backwards, on a copy.
    fn unmix(&self, wrapped: &[u8]) -> Result<Secret<[u8; ROOM]>> {
        let blocks = wrapped.len() / BLOCK;
        if !wrapped.len().is_multiple_of(BLOCK) || !(2..=MOST_BLOCKS + 1).contains(&blocks) {
            return Err(Error::Parameter("a wrapped key has 2 to 21 whole blocks"));
        }
        let half = BLOCK / 2;
        let last = wrapped.len() - half;
        let mut room = Secret::new([0; ROOM]);
        let text = &mut room[..wrapped.len()];
        text.copy_from_slice(wrapped);
        for i in (1..=steps(last / half)).rev() {
            let mut block = [0; BLOCK];
            block[..half].copy_from_slice(&text[last..]);
            block[half..].copy_from_slice(&text[..half]);
            block[half] ^= i;
            self.key.decrypt_bytes(&mut block);
            text.copy_within(half..last, BLOCK);
            text[..BLOCK].copy_from_slice(&block);
            block.wipe();
        }
        Ok(room)
    }
}

/// Six for each half block but one: a byte, by the limit on the length.
const fn steps(halves_less_one: usize) -> u8 {
    (6 * halves_less_one) as u8
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> fmt::Debug for KeyWrap<'_, BLOCK, KEY, KEYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyWrap({:?})", self.key)
    }
}

//! Message authentication codes of the standard: CMAC (section 9) and GMAC (section 12).

use super::ghash::{Ghash, KalynaGcmReading};
use super::{Kalyna, Unit, stream};
use crate::cipher::modes::{BlockCipher, Chain};
use crate::hash::BlockBuffer;
use crate::mem::{Secret, ct};
use crate::{Error, Result};
use core::fmt;

const EMPTY: Error = Error::Parameter("this standard has no code for an empty message");

/// CMAC of DSTU 7624:2014, section 9. It is not the CMAC of SP 800-38B.
///
/// The last block is masked with the encryption of zero, or of one if it was filled up with a one bit and zeros. An empty
/// message is outside the standard and is refused.
///
/// # Not for messages chosen by others
/// The mask of a full last block is also the state after a first block of zeros, so the code of a zero block followed by
/// a block Y is the encryption of Y: whoever may choose messages can have blocks encrypted under this key. Use a key for
/// nothing else, and for new designs use [`crate::mac`] or [`Gmac`] inside an AEAD. It is here to check what others send.
///
/// ```
/// use outpace::cipher::kalyna::{Cmac, Kalyna128_128};
///
/// let key = Kalyna128_128::new(&[7; 16]);
/// let tag = Cmac::new(&key).mac(b"message")?;
/// Cmac::new(&key).verify(b"message", &tag)?;
/// assert!(Cmac::new(&key).verify(b"massage", &tag).is_err());
///
/// let mut pieces = Cmac::new(&key).begin();
/// pieces.update(b"mess");
/// pieces.update(b"age");
/// assert_eq!(pieces.finish()?, tag);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct Cmac<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: &'k Kalyna<BLOCK, KEY, KEYS>,
}

impl<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> Cmac<'k, BLOCK, KEY, KEYS> {
    /// For messages under this key.
    #[must_use]
    pub fn new(key: &'k Kalyna<BLOCK, KEY, KEYS>) -> Self {
        Self { key }
    }

    /// The code of a message: a whole block.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the message is empty.
    pub fn mac(&self, message: &[u8]) -> Result<[u8; BLOCK]> {
        let mut state = self.begin();
        state.update(message);
        state.finish()
    }

    /// The first `N` bytes of the code; `N` from 8 to a block, else it does not compile.
    ///
    /// # Errors
    /// As [`Self::mac`].
    pub fn mac_truncated<const N: usize>(&self, message: &[u8]) -> Result<[u8; N]> {
        self.mac(message).map(truncated)
    }

    /// Checks the code of a message.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is wrong, [`Error::Parameter`] if the message is empty.
    pub fn verify(&self, message: &[u8], tag: &[u8; BLOCK]) -> Result<()> {
        ct::verify(&self.mac(message)?, tag)
    }

    /// Checks the first `N` bytes of the code of a message; `N` from 8 to a block, else it does not compile.
    ///
    /// # Errors
    /// As [`Self::verify`].
    pub fn verify_truncated<const N: usize>(&self, message: &[u8], tag: &[u8; N]) -> Result<()> {
        ct::verify(&self.mac_truncated::<N>(message)?, tag)
    }

    /// Starts a message that comes in pieces.
    #[must_use]
    pub fn begin(&self) -> CmacState<'k, BLOCK, KEY, KEYS> {
        CmacState { key: self.key, chain: Secret::new([0; BLOCK]), buffer: BlockBuffer::new() }
    }
}

/// A message on its way; made by [`Cmac::begin`].
#[derive(Clone)]
pub struct CmacState<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: &'k Kalyna<BLOCK, KEY, KEYS>,
    chain: Secret<[u8; BLOCK]>,
    /// Keeps the last block back: it is the one that is masked. Empty only before the first byte.
    buffer: BlockBuffer<BLOCK>,
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> CmacState<'_, BLOCK, KEY, KEYS> {
    /// Takes the next piece of the message.
    pub fn update(&mut self, data: &[u8]) {
        let (key, chain) = (self.key, &mut *self.chain);
        self.buffer.feed::<true>(data, |blocks| {
            key.chain(chain, Chain::Mac(blocks.as_flattened()));
        });
    }

    /// The code of all pieces.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they are empty.
    pub fn finish(mut self) -> Result<[u8; BLOCK]> {
        let last = self.buffer.pending();
        if last.is_empty() {
            return Err(EMPTY);
        }
        let mut mask = Secret::new([0; BLOCK]);
        stream::add(&mut *self.chain, last);
        if last.len() < BLOCK {
            self.chain[last.len()] ^= 0x80;
            mask[0] = 1;
        }
        self.key.encrypt_bytes(&mut *mask);
        stream::add(&mut *self.chain, &*mask);
        self.key.encrypt_bytes(&mut *self.chain);
        Ok(*self.chain)
    }

    /// Checks the code of all pieces.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is wrong, [`Error::Parameter`] if they are empty.
    pub fn verify(self, tag: &[u8; BLOCK]) -> Result<()> {
        ct::verify(&self.finish()?, tag)
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> fmt::Debug for Cmac<'_, BLOCK, KEY, KEYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cmac({:?})", self.key)
    }
}

/// GMAC of DSTU 7624:2014, section 12: GCM's hash over a message that is not encrypted, with no initial value.
///
/// A last block that is not full gets a one bit and zeros; the length that is hashed is the true one.
/// [`Self::with_reading`] checks what others make of it. An empty message is refused: its code would be the hash key.
///
/// ```
/// use outpace::cipher::kalyna::{Gmac, Kalyna256_256};
///
/// let gmac = Gmac::new(Kalyna256_256::new(&[7; 32]));
/// let tag: [u8; 16] = gmac.mac_truncated(b"message")?;
/// gmac.verify_truncated(b"message", &tag)?;
///
/// let mut pieces = gmac.begin();
/// pieces.update(b"mess");
/// pieces.update(b"age");
/// assert_eq!(pieces.finish()?[..16], tag);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct Gmac<const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: Kalyna<BLOCK, KEY, KEYS>,
    hash: Ghash,
    reading: KalynaGcmReading,
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> Gmac<BLOCK, KEY, KEYS> {
    /// Prepares the hash key.
    #[must_use]
    pub fn new(key: Kalyna<BLOCK, KEY, KEYS>) -> Self {
        Self::with_reading(key, KalynaGcmReading::Standard)
    }

    /// For codes that were made with another reading of the standard. (UAPKI's, of a message in one piece, fills it up
    /// with a one bit and zeros and hashes the length *with* them.)
    #[must_use]
    pub fn with_reading(key: Kalyna<BLOCK, KEY, KEYS>, reading: KalynaGcmReading) -> Self {
        let hash = Ghash::new(&key);
        Self { key, hash, reading }
    }

    /// The code of a message: a whole block.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the message is empty.
    pub fn mac(&self, message: &[u8]) -> Result<[u8; BLOCK]> {
        let mut state = self.begin();
        state.update(message);
        state.finish()
    }

    /// The first `N` bytes of the code; `N` from 8 to a block, else it does not compile.
    ///
    /// # Errors
    /// As [`Self::mac`].
    pub fn mac_truncated<const N: usize>(&self, message: &[u8]) -> Result<[u8; N]> {
        self.mac(message).map(truncated)
    }

    /// Checks the code of a message.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is wrong, [`Error::Parameter`] if the message is empty.
    pub fn verify(&self, message: &[u8], tag: &[u8; BLOCK]) -> Result<()> {
        ct::verify(&self.mac(message)?, tag)
    }

    /// Checks the first `N` bytes of the code of a message; `N` from 8 to a block, else it does not compile.
    ///
    /// # Errors
    /// As [`Self::verify`].
    pub fn verify_truncated<const N: usize>(&self, message: &[u8], tag: &[u8; N]) -> Result<()> {
        ct::verify(&self.mac_truncated::<N>(message)?, tag)
    }

    /// Starts a message that comes in pieces.
    #[must_use]
    pub fn begin(&self) -> GmacState<'_, BLOCK, KEY, KEYS> {
        GmacState { gmac: self, sum: Secret::new([0; 8]), buffer: BlockBuffer::new(), len: 0 }
    }
}

/// A message on its way; made by [`Gmac::begin`].
#[derive(Clone)]
pub struct GmacState<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    gmac: &'k Gmac<BLOCK, KEY, KEYS>,
    sum: Secret<Unit>,
    buffer: BlockBuffer<BLOCK>,
    len: u64,
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> GmacState<'_, BLOCK, KEY, KEYS> {
    /// Takes the next piece of the message.
    pub fn update(&mut self, data: &[u8]) {
        let (hash, sum) = (&self.gmac.hash, &mut *self.sum);
        self.len = self.len.wrapping_add(data.len() as u64);
        self.buffer.feed::<false>(data, |blocks| hash.take_blocks(sum, blocks));
    }

    /// The code of all pieces.
    ///
    /// # Errors
    /// [`Error::Parameter`] if they are empty.
    pub fn finish(mut self) -> Result<[u8; BLOCK]> {
        if self.len == 0 {
            return Err(EMPTY);
        }
        let gmac = self.gmac;
        gmac.hash.take::<BLOCK>(&mut self.sum, self.buffer.pending(), gmac.reading.fillings().1);
        let hashed = match gmac.reading {
            KalynaGcmReading::Uapki => self.len.next_multiple_of(BLOCK as u64),
            _ => self.len,
        };
        Ok(Ghash::tag(&gmac.key, *self.sum, [8 * hashed, 0]))
    }

    /// Checks the code of all pieces.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is wrong, [`Error::Parameter`] if they are empty.
    pub fn verify(self, tag: &[u8; BLOCK]) -> Result<()> {
        ct::verify(&self.finish()?, tag)
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> fmt::Debug for Gmac<BLOCK, KEY, KEYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gmac({:?})", self.key)
    }
}

fn truncated<const BLOCK: usize, const N: usize>(tag: [u8; BLOCK]) -> [u8; N] {
    const { assert!(8 <= N && N <= BLOCK, "a tag has 8 bytes to a block") };
    core::array::from_fn(|i| tag[i])
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> fmt::Debug for CmacState<'_, BLOCK, KEY, KEYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CmacState({:?})", self.key)
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> fmt::Debug for GmacState<'_, BLOCK, KEY, KEYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GmacState({:?})", self.gmac)
    }
}

//! Message authentication codes of the standard: CMAC (section 9) and GMAC (section 12).

use super::ghash::{Filling, Ghash};
use super::{Kalyna, stream};
use crate::mem::{Wipe, ct};
use crate::{Error, Result};

/// The shortest tag that is accepted.
const SHORTEST: usize = 8;

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
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct Cmac<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: &'k Kalyna<BLOCK, KEY, KEYS>,
}

impl<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> Cmac<'k, BLOCK, KEY, KEYS> {
    /// For messages under this key.
    #[must_use]
    pub fn new(key: &'k Kalyna<BLOCK, KEY, KEYS>) -> Self {
        Self { key }
    }

    /// The code of a message, a whole block; shorter codes are its first bytes.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the message is empty.
    pub fn mac(&self, message: &[u8]) -> Result<[u8; BLOCK]> {
        if message.is_empty() {
            return Err(Error::Parameter("this standard has no code for an empty message"));
        }
        let (before, last) = message.split_at((message.len() - 1) / BLOCK * BLOCK);
        let mut state = [0; BLOCK];
        for block in before.as_chunks::<BLOCK>().0 {
            stream::add(&mut state, block);
            self.key.encrypt_bytes(&mut state);
        }
        let mut mask = [0; BLOCK];
        stream::add(&mut state, last);
        if last.len() < BLOCK {
            state[last.len()] ^= 0x80;
            mask[0] = 1;
        }
        self.key.encrypt_bytes(&mut mask);
        stream::add(&mut state, &mask);
        self.key.encrypt_bytes(&mut state);
        mask.wipe();
        Ok(state)
    }

    /// Checks the code of a message: 8 bytes of it or more.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is wrong, [`Error::Parameter`] if it is shorter or longer than allowed or the
    /// message is empty.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<()> {
        compare(&self.mac(message)?, tag)
    }
}

/// GMAC of DSTU 7624:2014, section 12: GCM's hash over a message that is not encrypted, with no initial value.
///
/// A last block that is not full gets a one bit and zeros; the length that is hashed is the true one. (UAPKI hashes the
/// padded length, Bouncy Castle fills up with zeros alone: for messages that are not whole blocks they give other codes;
/// see [`KalynaGcmReading`](crate::aead::KalynaGcmReading).) An empty message is refused: its code would be the hash key.
///
/// ```
/// use outpace::cipher::kalyna::{Gmac, Kalyna256_256};
///
/// let gmac = Gmac::new(Kalyna256_256::new(&[7; 32]));
/// let tag = gmac.mac(b"message")?;
/// gmac.verify(b"message", &tag[..16])?;
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct Gmac<const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: Kalyna<BLOCK, KEY, KEYS>,
    hash: Ghash,
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> Gmac<BLOCK, KEY, KEYS> {
    /// Prepares the hash key.
    #[must_use]
    pub fn new(key: Kalyna<BLOCK, KEY, KEYS>) -> Self {
        let hash = Ghash::new(&key);
        Self { key, hash }
    }

    /// The code of a message, a whole block; shorter codes are its first bytes.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the message is empty.
    pub fn mac(&self, message: &[u8]) -> Result<[u8; BLOCK]> {
        if message.is_empty() {
            return Err(Error::Parameter("this standard has no code for an empty message"));
        }
        let mut sum = [0; 8];
        self.hash.take::<BLOCK>(&mut sum, message, Filling::Marked);
        Ok(Ghash::tag(&self.key, sum, [8 * message.len() as u64, 0]))
    }

    /// Checks the code of a message: 8 bytes of it or more.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is wrong, [`Error::Parameter`] if it is shorter or longer than allowed or the
    /// message is empty.
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> Result<()> {
        compare(&self.mac(message)?, tag)
    }
}

fn compare(expected: &[u8], tag: &[u8]) -> Result<()> {
    if tag.len() < SHORTEST || tag.len() > expected.len() {
        return Err(Error::Parameter("a tag has 8 bytes or more, up to a block"));
    }
    ct::verify(&expected[..tag.len()], tag)
}

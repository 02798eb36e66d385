//! GCM (DSTU 7624:2014, section 12).

use crate::aead::Aead;
use crate::cipher::kalyna::ghash::Ghash;
use crate::cipher::kalyna::{ENGINES, Kalyna, KalynaGcmReading, Unit, stream};
use crate::mem::{InOut, Wipe, wiping_stack};
use crate::{Error, Result};
use core::fmt;

/// Kalyna in GCM, with a tag of `TAG` bytes: 8 to a block. Used through its aliases, such as [`Kalyna128_128Gcm`], whose
/// tag is a block.
///
/// ```
/// use outpace::aead::{Aead, Kalyna128_128Gcm};
///
/// let key = Kalyna128_128Gcm::new(&[7; 16]); // a real key is random
/// let nonce = [0; 16]; // and its nonces never repeat
/// let mut data = *b"attack at dawn";
/// let tag = key.seal_in_place(&nonce, &nonce, &mut data); // the tag covers the nonce only as associated data
/// key.open_in_place(&nonce, &nonce, &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct KalynaGcm<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize> {
    key: Kalyna<BLOCK, KEY, KEYS>,
    hash: Ghash,
    reading: KalynaGcmReading,
}

/// Block and key of 128 bits, tag of 128.
pub type Kalyna128_128Gcm = KalynaGcm<16, 16, 11, 16>;
/// Block of 128 bits, key of 256, tag of 128.
pub type Kalyna128_256Gcm = KalynaGcm<16, 32, 15, 16>;
/// Block and key of 256 bits, tag of 256.
pub type Kalyna256_256Gcm = KalynaGcm<32, 32, 15, 32>;
/// Block of 256 bits, key of 512, tag of 256.
pub type Kalyna256_512Gcm = KalynaGcm<32, 64, 19, 32>;
/// Block and key of 512 bits, tag of 512.
pub type Kalyna512_512Gcm = KalynaGcm<64, 64, 19, 64>;

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize> KalynaGcm<BLOCK, KEY, KEYS, TAG> {
    /// A key for data that was made with another reading of the standard.
    #[must_use]
    pub fn with_reading(key: &[u8; KEY], reading: KalynaGcmReading) -> Self {
        wiping_stack::<7168, _>(|| Self::from_parts(Kalyna::with_engine(key, ENGINES.get()), None, reading))
    }

    pub(super) fn from_parts(key: Kalyna<BLOCK, KEY, KEYS>, hash: Option<Ghash>, reading: KalynaGcmReading) -> Self {
        const { assert!(8 <= TAG && TAG <= BLOCK, "a tag has 8 bytes to a block") };
        let hash = hash.unwrap_or_else(|| Ghash::new(&key));
        Self { key, hash, reading }
    }

    fn run<const OPEN: bool>(&self, nonce: &[u8; BLOCK], aad: &[u8], data: InOut<'_>) -> [u8; TAG] {
        let (aad_filling, data_filling) = self.reading.fillings();
        let width = if self.reading == KalynaGcmReading::BouncyCastle { BLOCK } else { 8 };
        let hashed = match self.reading {
            KalynaGcmReading::Uapki => data.len().next_multiple_of(BLOCK),
            _ => data.len(),
        };
        let lengths = [8 * aad.len() as u64, 8 * hashed as u64];

        let mut sum: Unit = [0; 8];
        self.hash.take::<BLOCK>(&mut sum, aad, aad_filling);
        let mut counter = *nonce;
        self.key.encrypt_bytes(&mut counter);
        stream::increment(&mut counter, width);
        stream::process(&self.key, &mut counter, width, data, |before, after| {
            self.hash.take::<BLOCK>(&mut sum, if OPEN { before } else { after }, data_filling);
        });
        counter.wipe();
        let full = Ghash::tag(&self.key, sum, lengths);
        let mut tag = [0; TAG];
        tag.copy_from_slice(&full[..TAG]);
        tag
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize> Aead
    for KalynaGcm<BLOCK, KEY, KEYS, TAG>
{
    type Key = [u8; KEY];
    type Nonce = [u8; BLOCK];
    type Tag = [u8; TAG];

    const TAG_LENGTH: usize = TAG;
    /// The length in bits has to fit 64 of them.
    const MAX_MESSAGE: u64 = (1 << 61) - BLOCK as u64;

    fn new(key: &[u8; KEY]) -> Self {
        Self::with_reading(key, KalynaGcmReading::Standard)
    }

    fn check(aad: usize, data: usize) -> Result<()> {
        if aad == 0 && data == 0 {
            return Err(Error::Parameter("this standard has no tag for an empty message without associated data"));
        }
        Ok(())
    }

    fn seal_data(&self, nonce: &[u8; BLOCK], aad: &[u8], data: InOut<'_>) -> [u8; TAG] {
        self.run::<false>(nonce, aad, data)
    }

    fn open_data(&self, nonce: &[u8; BLOCK], aad: &[u8], data: InOut<'_>, _: &[u8]) -> [u8; TAG] {
        self.run::<true>(nonce, aad, data)
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize> fmt::Debug
    for KalynaGcm<BLOCK, KEY, KEYS, TAG>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kalyna{}_{}Gcm(..)", 8 * BLOCK, 8 * KEY)
    }
}

//! CCM (DSTU 7624:2014, section 13).

use crate::aead::Aead;
use crate::cipher::kalyna::ghash::Filling;
use crate::cipher::kalyna::{ENGINES, Kalyna, stream};
use crate::cipher::modes::{self, BlockCipher};
use crate::mem::{InOut, Wipe, wiping_stack};
use crate::{Error, Result};
use core::fmt;

/// How the input of the code is laid out, and what of the counter counts. All agree where message and associated data are
/// whole blocks, neither is empty, both are shorter than 256 bytes and no carry leaves a part of the counter; data of
/// others opens under the reading it was made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KalynaCcmReading {
    /// The text of the standard (section 13.2).
    #[default]
    Standard,
    /// UAPKI and cryptonite: lengths are one byte, so that the code does not tell lengths apart that differ by 256; the
    /// block with the length of the associated data is there without any; the highest bit of the flags says whether there
    /// is a message; the counter is the whole block. This is for reading old data.
    Uapki,
    /// Bouncy Castle 1.85: associated data comes right behind its length if both fit a block, else the length has a block
    /// of its own; parts of blocks are filled up with zeros; the tag has a block of key stream of its own, which limits it
    /// to a block; the counter is the whole block.
    BouncyCastle,
    /// Bouncy Castle up to 1.84: as later, but only the first byte of the counter counts, so that the key stream repeats
    /// after 256 blocks, and without associated data the code covers neither the initial value nor the length. (It took
    /// whole blocks only, and associated data of a block or more.) This is for reading old data.
    BouncyCastle184,
}

impl KalynaCcmReading {
    fn is_bouncy_castle(self) -> bool {
        matches!(self, Self::BouncyCastle | Self::BouncyCastle184)
    }

    /// Bytes of the counter that count.
    fn counter(self, block: usize) -> usize {
        match self {
            Self::Standard => block / 2,
            Self::Uapki | Self::BouncyCastle => block,
            Self::BouncyCastle184 => 1,
        }
    }

    fn filling(self) -> Filling {
        if self.is_bouncy_castle() { Filling::Zeros } else { Filling::Marked }
    }
}

/// Kalyna in CCM, with a tag of `TAG` bytes (8, 16, 32, 48 or 64, at most the block) and length fields of `LENGTH` bytes
/// (4, 6 or 8). Used through its aliases, such as [`Kalyna128_128Ccm`], which have the values of the standard's examples.
///
/// It follows the text of the standard: lengths are fields of `LENGTH` bytes, and the highest bit of the flags says
/// whether there is associated data. [`Self::with_reading`] opens what other implementations make of it.
///
/// ```
/// use outpace::aead::{Aead, Kalyna128_128Ccm};
///
/// let key = Kalyna128_128Ccm::new(&[7; 16]); // a real key is random
/// let mut data = *b"attack at dawn";
/// let tag = key.seal_in_place(&[0; 16], b"to: bob", &mut data);
/// key.open_in_place(&[0; 16], b"to: bob", &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct KalynaCcm<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize, const LENGTH: usize> {
    key: Kalyna<BLOCK, KEY, KEYS>,
    reading: KalynaCcmReading,
}

/// Block and key of 128 bits, tag of 128, lengths of 32.
pub type Kalyna128_128Ccm = KalynaCcm<16, 16, 11, 16, 4>;
/// Block of 128 bits, key of 256, tag of 128, lengths of 32.
pub type Kalyna128_256Ccm = KalynaCcm<16, 32, 15, 16, 4>;
/// Block and key of 256 bits, tag of 128, lengths of 32.
pub type Kalyna256_256Ccm = KalynaCcm<32, 32, 15, 16, 4>;
/// Block of 256 bits, key of 512, tag of 256, lengths of 48.
pub type Kalyna256_512Ccm = KalynaCcm<32, 64, 19, 32, 6>;
/// Block and key of 512 bits, tag of 512, lengths of 64.
pub type Kalyna512_512Ccm = KalynaCcm<64, 64, 19, 64, 8>;

/// The block chaining code of section 13.2 so far.
struct Chain<'k, const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    key: &'k Kalyna<BLOCK, KEY, KEYS>,
    state: [u8; BLOCK],
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> Chain<'_, BLOCK, KEY, KEYS> {
    /// Takes whole blocks, and a last one filled up.
    fn take(&mut self, data: &[u8], filling: Filling) {
        let (blocks, rest) = data.split_at(data.len() / BLOCK * BLOCK);
        self.key.chain(&mut self.state, modes::Chain::Mac(blocks));
        if !rest.is_empty() {
            stream::add(&mut self.state, rest);
            if let Filling::Marked = filling {
                self.state[rest.len()] ^= 0x80;
            }
            self.key.encrypt_bytes(&mut self.state);
        }
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> Drop for Chain<'_, BLOCK, KEY, KEYS> {
    fn drop(&mut self) {
        self.state.wipe();
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize, const LENGTH: usize>
    KalynaCcm<BLOCK, KEY, KEYS, TAG, LENGTH>
{
    /// The flags: the code of the tag's length, and the length of the length.
    const FLAGS: u8 = {
        let code = match TAG {
            8 => 2,
            16 => 3,
            32 => 4,
            48 => 5,
            64 => 6,
            _ => panic!("a tag has 8, 16, 32, 48 or 64 bytes"),
        };
        assert!(TAG <= BLOCK && matches!(LENGTH, 4 | 6 | 8));
        code << 4 | (LENGTH - 1) as u8
    };

    /// A key for data that was made with another reading of the standard.
    #[must_use]
    pub fn with_reading(key: &[u8; KEY], reading: KalynaCcmReading) -> Self {
        wiping_stack::<7168, _>(|| Self { key: Kalyna::with_engine(key, ENGINES.get()), reading })
    }

    /// A length, as far as it is hashed, in the bytes at the start of a block.
    fn length(&self, len: usize) -> [u8; BLOCK] {
        let mut field = [0; BLOCK];
        let bytes = if self.reading == KalynaCcmReading::Uapki { 1 } else { LENGTH };
        field[..bytes].copy_from_slice(&(len as u64).to_le_bytes()[..bytes]);
        field
    }

    /// The code over G1 (initial value, length of the message, flags), G2 (length of the associated data) and the
    /// associated data, so that these fill whole blocks.
    fn begin(&self, nonce: &[u8; BLOCK], aad: &[u8], len: usize) -> Chain<'_, BLOCK, KEY, KEYS> {
        use KalynaCcmReading::{BouncyCastle184, Uapki};

        let mut chain = Chain { key: &self.key, state: [0; BLOCK] };
        if aad.is_empty() && self.reading == BouncyCastle184 {
            return chain;
        }
        let field = BLOCK - LENGTH - 1;
        chain.state[..field].copy_from_slice(&nonce[..field]);
        chain.state[field..BLOCK - 1].copy_from_slice(&self.length(len)[..LENGTH]);
        let flagged = !aad.is_empty() || self.reading == Uapki;
        chain.state[BLOCK - 1] = Self::FLAGS | if flagged { 0x80 } else { 0 };
        self.key.encrypt_bytes(&mut chain.state);
        if flagged {
            // The length, then zeros: so many that the data ends with a block, or (Bouncy Castle) that it begins one.
            let before = match self.reading {
                Uapki => BLOCK - aad.len() % BLOCK,
                reading if !reading.is_bouncy_castle() => (LENGTH + aad.len()).next_multiple_of(BLOCK) - aad.len(),
                _ if LENGTH + aad.len() <= BLOCK => LENGTH,
                _ => BLOCK,
            };
            let mut block = self.length(aad.len());
            let mut filled = before;
            if before > BLOCK {
                chain.take(&block, Filling::Zeros);
                (block, filled) = ([0; BLOCK], before - BLOCK);
            }
            let (head, whole) = aad.split_at(aad.len().min(BLOCK - filled));
            block[filled..filled + head.len()].copy_from_slice(head);
            chain.take(&block, Filling::Zeros);
            chain.take(whole, Filling::Zeros);
        }
        chain
    }

    fn run<const OPEN: bool>(&self, nonce: &[u8; BLOCK], aad: &[u8], data: InOut<'_>) -> [u8; TAG] {
        let mut chain = self.begin(nonce, aad, data.len());
        let mut counter = *nonce;
        self.key.encrypt_bytes(&mut counter);
        let (width, filling) = (self.reading.counter(BLOCK), self.reading.filling());
        stream::increment(&mut counter, width);

        let used = data.len() % BLOCK;
        let whole = data.len() - used;
        let (body, mut last) = data.split_at(whole);
        stream::process(&self.key, &mut counter, width, body, |before, after| {
            chain.take(if OPEN { after } else { before }, filling);
        });
        // The last bytes and the tag share what is left of the key stream, less than three blocks, or have each their own.
        let mut text = [0; 192];
        let text = &mut text[..used + TAG];
        last.read(0, &mut text[..used]);
        if !OPEN {
            chain.take(&text[..used], filling);
            text[used..].copy_from_slice(&chain.state[..TAG]);
        }
        let (apart, together) = text.split_at_mut(if self.reading.is_bouncy_castle() { used } else { 0 });
        for part in [apart, together] {
            stream::process(&self.key, &mut counter, width, InOut::in_place(part), |_, _| {});
        }
        last.write(0, &text[..used]);
        let mut tag = [0; TAG];
        if OPEN {
            chain.take(&text[..used], filling);
            // `text` has the key stream of the tag here.
            tag.copy_from_slice(&chain.state[..TAG]);
            stream::add(&mut tag, &text[used..]);
        } else {
            tag.copy_from_slice(&text[used..]);
        }
        text.wipe();
        counter.wipe();
        tag
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize, const LENGTH: usize> Aead
    for KalynaCcm<BLOCK, KEY, KEYS, TAG, LENGTH>
{
    type Key = [u8; KEY];
    type Nonce = [u8; BLOCK];
    type Tag = [u8; TAG];

    const TAG_LENGTH: usize = TAG;
    const MAX_MESSAGE: u64 = if LENGTH == 8 { (1 << 61) - 1 } else { (1 << (8 * LENGTH)) - 1 };

    fn new(key: &[u8; KEY]) -> Self {
        Self::with_reading(key, KalynaCcmReading::Standard)
    }

    fn check(aad: usize, data: usize) -> Result<()> {
        if data == 0 {
            return Err(Error::Parameter("this standard has no tag for an empty message"));
        }
        if aad as u64 > Self::MAX_MESSAGE {
            return Err(Error::Limit("the associated data is longer than this mode allows"));
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

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize, const LENGTH: usize> fmt::Debug
    for KalynaCcm<BLOCK, KEY, KEYS, TAG, LENGTH>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kalyna{}_{}Ccm(..)", 8 * BLOCK, 8 * KEY)
    }
}

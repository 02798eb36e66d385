//! CCM (DSTU 7624:2014, section 13).

use crate::aead::Aead;
use crate::cipher::kalyna::{Kalyna, stream};
use crate::mem::{InOut, Wipe};
use crate::{Error, Result};

/// Kalyna in CCM, with a tag of `TAG` bytes (8, 16, 32, 48 or 64, at most the block) and length fields of `LENGTH` bytes
/// (4, 6 or 8). Used through its aliases, such as [`Kalyna128_128Ccm`], which have the values of the standard's examples.
///
/// It follows the text of the standard: lengths are fields of `LENGTH` bytes, and the highest bit of the flags says
/// whether there is associated data. (UAPKI writes lengths as one byte and sets that bit for a message that is not empty:
/// the two agree where both parts are there, shorter than 256 bytes, and the associated data leaves room for its length
/// field in its last block.)
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
    /// Takes whole blocks, and a last one filled up with a one bit and zeros.
    fn take(&mut self, data: &[u8]) {
        for block in data.chunks(BLOCK) {
            stream::add(&mut self.state, block);
            if let Some(byte) = self.state.get_mut(block.len()) {
                *byte ^= 0x80;
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

    /// The code over G1 (initial value, length of the message, flags), G2 (length of the associated data) and the
    /// associated data, so that these fill whole blocks.
    fn begin(&self, nonce: &[u8; BLOCK], aad: &[u8], len: usize) -> Chain<'_, BLOCK, KEY, KEYS> {
        let mut chain = Chain { key: &self.key, state: *nonce };
        let field = BLOCK - LENGTH - 1;
        chain.state[field..BLOCK - 1].copy_from_slice(&(len as u64).to_le_bytes()[..LENGTH]);
        chain.state[BLOCK - 1] = Self::FLAGS | if aad.is_empty() { 0 } else { 0x80 };
        self.key.encrypt_bytes(&mut chain.state);
        if !aad.is_empty() {
            // Zeros between the length and the data, which so ends with a block.
            let before = (LENGTH + aad.len()).next_multiple_of(BLOCK) - aad.len();
            let mut block = [0; BLOCK];
            block[..LENGTH].copy_from_slice(&(aad.len() as u64).to_le_bytes()[..LENGTH]);
            let mut filled = before;
            if before > BLOCK {
                chain.take(&block);
                (block, filled) = ([0; BLOCK], before - BLOCK);
            }
            let (head, whole) = aad.split_at((BLOCK - filled % BLOCK) % BLOCK);
            if filled > 0 {
                block[BLOCK - head.len()..].copy_from_slice(head);
                chain.take(&block);
            }
            chain.take(whole);
        }
        chain
    }

    fn run<const OPEN: bool>(&self, nonce: &[u8; BLOCK], aad: &[u8], data: InOut<'_>) -> [u8; TAG] {
        let mut chain = self.begin(nonce, aad, data.len());
        let mut counter = *nonce;
        self.key.encrypt_bytes(&mut counter);
        let width = BLOCK / 2;
        stream::increment(&mut counter, width);

        let used = data.len() % BLOCK;
        let whole = data.len() - used;
        let (body, mut last) = data.split_at(whole);
        stream::process(&self.key, &mut counter, width, body, |before, after| {
            chain.take(if OPEN { after } else { before });
        });
        // The last bytes and the tag share what is left of the key stream: less than three blocks.
        let mut text = [0; 192];
        let text = &mut text[..used + TAG];
        last.read(0, &mut text[..used]);
        if !OPEN {
            chain.take(&text[..used]);
            text[used..].copy_from_slice(&chain.state[..TAG]);
        }
        stream::process(&self.key, &mut counter, width, InOut::in_place(text), |_, _| {});
        last.write(0, &text[..used]);
        let mut tag = [0; TAG];
        if OPEN {
            chain.take(&text[..used]);
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
        Self { key: Kalyna::new(key) }
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

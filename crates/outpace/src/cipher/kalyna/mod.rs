//! Kalyna (DSTU 7624:2014), the block cipher of Ukraine: blocks of 128, 256 or 512 bits, keys as long or twice as long.
//!
//! The standard is published in English as R. Oliynykov et al., "A New Encryption Standard of Ukraine: The Kalyna Block
//! Cipher", IACR ePrint 2015/650. A state has eight rows and a column of 64 bits for each eight bytes of the block; a
//! round is SubBytes (four S-boxes, by row), ShiftRows and MixColumns (a circulant over GF(2^8)). The first and last
//! round keys are added to the columns modulo 2^64, the others XORed.
//!
//! | type | block, key (bytes) | rounds |
//! | --- | --- | --- |
//! | [`Kalyna128_128`] | 16, 16 | 10 |
//! | [`Kalyna128_256`] | 16, 32 | 14 |
//! | [`Kalyna256_256`] | 32, 32 | 14 |
//! | [`Kalyna256_512`] | 32, 64 | 18 |
//! | [`Kalyna512_512`] | 64, 64 | 18 |
//!
//! ```
//! use outpace::cipher::kalyna::Kalyna128_128;
//! use outpace::cipher::modes::Ctr;
//!
//! let key = Kalyna128_128::new(&[7; 16]);
//! let mut data = *b"attack at dawn, or somewhat later";
//! Ctr::new(&key, &[1; 16]).apply(&mut data);
//! Ctr::new(&key, &[1; 16]).apply(&mut data);
//! assert_eq!(&data, b"attack at dawn, or somewhat later");
//! ```
//!
//! The modes of the standard:
//!
//! | mode | here |
//! | --- | --- |
//! | 1 ECB (single blocks) | [`BlockCipher`], [`hazmat`](crate::hazmat) |
//! | 2 CTR | [`modes::Ctr`](super::modes::Ctr) |
//! | 3 CFB | [`Cfb`] |
//! | 4 CMAC | [`Cmac`] |
//! | 5 CBC | [`modes::Cbc`](super::modes::Cbc) |
//! | 6 OFB | [`modes::Ofb`](super::modes::Ofb) |
//! | 7 GCM, GMAC | [`aead::KalynaGcm`](crate::aead::KalynaGcm), [`Gmac`] |
//! | 8 CCM | [`aead::KalynaCcm`](crate::aead::KalynaCcm) |
//! | 9 XTS | [`Xts`] |
//! | 10 KW | [`KeyWrap`] |
//!
//! Where other implementations read the standard in another way, data of theirs opens under a named reading:
//!
//! | | UAPKI, cryptonite | Bouncy Castle |
//! | --- | --- | --- |
//! | GCM, GMAC | [`KalynaGcmReading::Uapki`] | [`KalynaGcmReading::BouncyCastle`] |
//! | CCM | [`Uapki`](crate::aead::KalynaCcmReading::Uapki) | [`BouncyCastle`](crate::aead::KalynaCcmReading::BouncyCastle), [`BouncyCastle184`](crate::aead::KalynaCcmReading::BouncyCastle184) |
//! | CFB | as here | [`KalynaCfbReading::BouncyCastle`] |
//! | KW, padded | [`KalynaWrapReading::Uapki`] | not there |
//! | ECB, CTR, CMAC, CBC, OFB, XTS, KW | as here | as here, as far as it goes (CMAC, XTS: whole blocks) |
//!
//! Side channels: no branch and no address depends on key or data, in any kernel; the usual implementations look up
//! tables and leak through the cache. Time depends on the number of blocks. Round keys are wiped on drop.

mod cfb;
pub(crate) mod field;
pub(crate) mod ghash;
#[cfg(outpace_ct)]
pub(crate) mod leaks;
mod mac;
#[cfg(test)]
mod mode_tests;
pub(crate) mod portable;
mod schedule;
pub(crate) mod stream;
pub(crate) mod tables;
#[cfg(test)]
pub(crate) mod tests;
mod wrap;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;
mod xts;

pub use cfb::{Cfb, KalynaCfbReading};
pub use ghash::KalynaGcmReading;
pub use mac::{Cmac, CmacState, Gmac, GmacState};
pub use wrap::{KalynaWrapReading, KeyWrap};
pub use xts::Xts;

use super::modes::{BlockCipher, Chain};
use crate::cpu::Dispatch;
use crate::mem::{InOut, Secret, Wipe, wiping_stack};
use core::fmt;
#[cfg(target_arch = "x86_64")]
use x86_64::{avx2, avx512};

/// 64 bytes: four, two or one blocks, as words. In column form word q is column q; in row form byte q of word r is row r
/// of column q. [`transpose`] goes from one to the other.
pub(crate) type Unit = [u64; 8];

/// The round keys of a cipher. It goes by reference: a copy would wait until what is stored before it, the last result, is in
/// the cache.
pub(crate) struct Keys<'k> {
    /// The size of the block in words: 2, 4 or 8.
    pub(crate) columns: usize,
    /// As [`schedule::expand`] leaves them.
    pub(crate) units: &'k [Unit],
    /// As [`Engine::serial`] leaves them.
    pub(crate) serial: &'k [[u8; 16]],
}

/// The jobs of a kernel. `columns`, 2, 4 or 8, is the size of the block in words.
#[derive(Clone, Copy)]
pub(crate) struct Engine {
    /// One round without a key, on units in column form.
    pub(crate) rounds: fn(&mut [Unit], usize),
    /// [`transpose`], on each unit.
    pub(crate) transpose: fn(&mut [Unit]),
    /// Another form of the round keys for blocks of 128 bits: for those that come one by one, if this kernel has a way of
    /// its own for them.
    pub(crate) serial: fn(&[Unit], &mut [[u8; 16]]),
    /// Encrypts whole blocks.
    pub(crate) encrypt: fn(&Keys<'_>, &mut [u8]),
    /// Decrypts whole blocks.
    pub(crate) decrypt: fn(&Keys<'_>, &mut [u8]),
    /// [`Chain::each`], with a state of a block.
    pub(crate) chain: fn(&Keys<'_>, &mut [u8], Chain<'_>),
}

pub(crate) static ENGINES: Dispatch<Engine> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2::KERNEL,
    portable::KERNEL,
]);

/// A key of Kalyna, expanded: blocks of `BLOCK` bytes, keys of `KEY` bytes and `KEYS` round keys. Only the five sizes of
/// the standard can be made, through their names, such as [`Kalyna128_128`].
pub struct Kalyna<const BLOCK: usize, const KEY: usize, const KEYS: usize> {
    keys: Secret<[Unit; KEYS]>,
    serial: Secret<[[u8; 16]; KEYS]>,
    engine: Engine,
}

/// Block of 128 bits, key of 128 bits.
pub type Kalyna128_128 = Kalyna<16, 16, 11>;
/// Block of 128 bits, key of 256 bits.
pub type Kalyna128_256 = Kalyna<16, 32, 15>;
/// Block of 256 bits, key of 256 bits.
pub type Kalyna256_256 = Kalyna<32, 32, 15>;
/// Block of 256 bits, key of 512 bits.
pub type Kalyna256_512 = Kalyna<32, 64, 19>;
/// Block of 512 bits, key of 512 bits.
pub type Kalyna512_512 = Kalyna<64, 64, 19>;

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> Kalyna<BLOCK, KEY, KEYS> {
    const COLUMNS: usize = BLOCK / 8;

    /// Expands a key.
    #[must_use]
    pub fn new(key: &[u8; KEY]) -> Self {
        wiping_stack::<5120, _>(|| Self::with_engine(key, ENGINES.get()))
    }

    pub(crate) fn with_engine(key: &[u8; KEY], engine: Engine) -> Self {
        const {
            let rounds = match KEY {
                16 => 10,
                32 => 14,
                _ => 18,
            };
            assert!(matches!(BLOCK, 16 | 32 | 64) && (KEY == BLOCK || KEY == 2 * BLOCK) && KEY <= 64);
            assert!(KEYS == rounds + 1);
        }
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let mut keys = Secret::new([[0; 8]; KEYS]);
        schedule::expand(&engine, Self::COLUMNS, &words[..KEY / 8], &mut *keys);
        words.wipe();
        let mut serial = Secret::new([[0; 16]; KEYS]);
        if BLOCK == 16 {
            (engine.serial)(&*keys, &mut *serial);
        }
        Self { keys, serial, engine }
    }

    #[inline]
    fn keys(&self) -> Keys<'_> {
        Keys { columns: Self::COLUMNS, units: &*self.keys, serial: &*self.serial }
    }

    /// Encrypts each block of `BLOCK` bytes on its own.
    #[inline]
    pub(crate) fn encrypt_bytes(&self, data: &mut [u8]) {
        debug_assert_eq!(data.len() % BLOCK, 0);
        (self.engine.encrypt)(&self.keys(), data);
    }

    /// Decrypts each block of `BLOCK` bytes on its own.
    #[inline]
    pub(crate) fn decrypt_bytes(&self, data: &mut [u8]) {
        debug_assert_eq!(data.len() % BLOCK, 0);
        (self.engine.decrypt)(&self.keys(), data);
    }
}

/// In the counter mode of this standard the initial value is encrypted first, and the block that follows is a
/// little-endian number.
impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> BlockCipher for Kalyna<BLOCK, KEY, KEYS> {
    type Block = [u8; BLOCK];
    const ZERO: [u8; BLOCK] = [0; BLOCK];

    #[inline]
    fn encrypt_blocks(&self, blocks: &mut [[u8; BLOCK]]) {
        self.encrypt_bytes(blocks.as_flattened_mut());
    }

    #[inline]
    fn decrypt_blocks(&self, blocks: &mut [[u8; BLOCK]]) {
        self.decrypt_bytes(blocks.as_flattened_mut());
    }

    #[inline]
    fn chain(&self, state: &mut [u8; BLOCK], mode: Chain<'_>) {
        (self.engine.chain)(&self.keys(), state, mode);
    }

    fn first_counter(&self, iv: &[u8; BLOCK]) -> [u8; BLOCK] {
        let mut counter = *iv;
        self.encrypt_bytes(&mut counter);
        stream::increment(&mut counter, BLOCK);
        counter
    }

    fn xor_keystream(&self, counter: &mut [u8; BLOCK], data: InOut<'_>) {
        stream::process(self, counter, BLOCK, data, |_, _| {});
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> Clone for Kalyna<BLOCK, KEY, KEYS> {
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), serial: self.serial.clone(), engine: self.engine }
    }
}

impl<const BLOCK: usize, const KEY: usize, const KEYS: usize> fmt::Debug for Kalyna<BLOCK, KEY, KEYS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kalyna{}_{}(..)", 8 * BLOCK, 8 * KEY)
    }
}

/// Exchanges rows and columns: byte q of word r with byte r of word q.
pub(crate) fn transpose(unit: &mut Unit) {
    for (step, bits, mask) in
        [(1, 8, 0x00ff_00ff_00ff_00ff_u64), (2, 16, 0x0000_ffff_0000_ffff), (4, 32, 0x0000_0000_ffff_ffff)]
    {
        for i in 0..8 {
            if i & step == 0 {
                let (a, b) = (unit[i], unit[i + step]);
                unit[i] = a & mask | (b & mask) << bits;
                unit[i + step] = a >> bits & mask | b & !mask;
            }
        }
    }
}

//! The polynomial hash of GCM and GMAC (DSTU 7624:2014, section 12).

use super::field::{PRODUCTS, Powers, SumOfProducts, absorb, powers};
use super::{Kalyna, Unit};
use crate::mem::{Secret, Wipe};

/// How parts that are not whole blocks are hashed, in GCM and in [`Gmac`](super::Gmac), and what of the
/// counter counts. All agree on whole blocks (and on the counter but for one initial value in 2⁶⁴), and only there do the
/// examples of the standard decide; data of others opens under the reading it was made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KalynaGcmReading {
    /// The text of the standard (section 12.2, annex B.2): a one bit and zeros behind associated data and ciphertext,
    /// and the true lengths.
    #[default]
    Standard,
    /// UAPKI (and cryptonite, where it does not read memory that was never written): zeros behind the associated data, a
    /// one bit and zeros behind the ciphertext, and the length of the ciphertext *with* them. A ciphertext and the same
    /// with the filling written out have one tag, so this is for reading old data.
    Uapki,
    /// Bouncy Castle: zeros behind both, and the true lengths; the counter is the whole block, and not 64 bits of it.
    BouncyCastle,
}

impl KalynaGcmReading {
    /// How parts of blocks are filled up: of associated data, and of the ciphertext or of a
    /// message of GMAC.
    pub(crate) fn fillings(self) -> (Filling, Filling) {
        match self {
            Self::Standard => (Filling::Marked, Filling::Marked),
            Self::Uapki => (Filling::Zeros, Filling::Marked),
            Self::BouncyCastle => (Filling::Zeros, Filling::Zeros),
        }
    }
}

/// A part of the input that does not fill its last block: how it is filled up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filling {
    /// A one bit, then zeros (annex B.2).
    Marked,
    /// Zeros alone.
    Zeros,
}

/// The hash key, the encryption of the zero block, as powers.
#[derive(Clone)]
pub(crate) struct Ghash {
    powers: Secret<Powers>,
    products: SumOfProducts,
}

impl Ghash {
    pub(crate) fn new<const BLOCK: usize, const KEY: usize, const KEYS: usize>(key: &Kalyna<BLOCK, KEY, KEYS>) -> Self {
        Self::with_products(key, PRODUCTS.get())
    }

    pub(crate) fn with_products<const BLOCK: usize, const KEY: usize, const KEYS: usize>(
        key: &Kalyna<BLOCK, KEY, KEYS>,
        products: SumOfProducts,
    ) -> Self {
        let mut h = [0; BLOCK];
        key.encrypt_bytes(&mut h);
        let powers = Secret::new(powers(products, BLOCK / 8, &h));
        h.wipe();
        Self { powers, products }
    }

    pub(crate) fn take_blocks<const BLOCK: usize>(&self, sum: &mut Unit, blocks: &[[u8; BLOCK]]) {
        absorb(self.products, BLOCK / 8, &self.powers, sum, blocks.as_flattened());
    }

    /// Takes a part of the input: whole blocks, and a last one filled up.
    pub(crate) fn take<const BLOCK: usize>(&self, sum: &mut Unit, data: &[u8], filling: Filling) {
        let (blocks, rest) = data.as_chunks::<BLOCK>();
        self.take_blocks(sum, blocks);
        if !rest.is_empty() {
            let mut last = [0; BLOCK];
            last[..rest.len()].copy_from_slice(rest);
            if filling == Filling::Marked {
                last[rest.len()] = 0x80;
            }
            absorb(self.products, BLOCK / 8, &self.powers, sum, &last);
        }
    }

    /// Encrypts the sum with the lengths of both parts, in bits, each in a half of the block.
    pub(crate) fn tag<const BLOCK: usize, const KEY: usize, const KEYS: usize>(
        key: &Kalyna<BLOCK, KEY, KEYS>,
        mut sum: Unit,
        lengths: [u64; 2],
    ) -> [u8; BLOCK] {
        sum[0] ^= lengths[0];
        sum[BLOCK / 16] ^= lengths[1];
        let mut tag = [0; BLOCK];
        for (bytes, word) in tag.as_chunks_mut().0.iter_mut().zip(sum) {
            *bytes = word.to_le_bytes();
        }
        key.encrypt_bytes(&mut tag);
        tag
    }
}

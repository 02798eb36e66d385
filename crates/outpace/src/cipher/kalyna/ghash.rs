//! The polynomial hash of GCM and GMAC (DSTU 7624:2014, section 12).

use super::field::{PRODUCTS, Powers, SumOfProducts, absorb, powers};
use super::{Kalyna, Unit};
use crate::mem::{Secret, Wipe};

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

    /// Takes a part of the input: whole blocks, and a last one filled up.
    pub(crate) fn take<const BLOCK: usize>(&self, sum: &mut Unit, data: &[u8], filling: Filling) {
        let (blocks, rest) = data.as_chunks::<BLOCK>();
        absorb(self.products, BLOCK / 8, &self.powers, sum, blocks.as_flattened());
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

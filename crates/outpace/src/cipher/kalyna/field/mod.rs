//! The fields of GCM and XTS: GF(2^128), GF(2^256) and GF(2^512), one for each size of block.
//!
//! An element is the block as a little-endian number, bit i standing for x^i. The polynomials are x^128 + x^7 + x^2 +
//! x + 1, x^256 + x^10 + x^5 + x^2 + 1 and x^512 + x^8 + x^5 + x^2 + 1 (DSTU 7624:2014, annex A).

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::Unit;
use crate::cpu::Dispatch;
use crate::mem::Wipe;
#[cfg(target_arch = "x86_64")]
use x86_64::{avx512, pclmul};

/// How many powers of the hash key are kept: as many products are summed before the sum is reduced.
pub(crate) const POWERS: usize = 8;

/// The product of two elements as a polynomial, twice as long: in the first 2 n words for elements of n words.
pub(super) type Product = [u64; 16];

/// `H, H^2, …` of an element, each in the first words.
pub(crate) type Powers = [Unit; POWERS];

/// Takes whole blocks of `columns` words, at most [`POWERS`], of which there are `n`, and returns the sum of block i times
/// power n - i, not reduced. `first` is XORed to the first block.
pub(crate) type SumOfProducts = fn(columns: usize, powers: &Powers, first: &Unit, blocks: &[u8]) -> Product;

pub(crate) static PRODUCTS: Dispatch<SumOfProducts> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    pclmul::KERNEL,
    portable::KERNEL,
]);

/// The powers of `h`.
pub(crate) fn powers(sum_of_products: SumOfProducts, columns: usize, h: &[u8]) -> Powers {
    let mut all = [[0; 8]; POWERS];
    for (word, bytes) in all[0].iter_mut().zip(h.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    for i in 1..POWERS {
        let mut product = sum_of_products(columns, &all, &all[i - 1], &[0; 64][..8 * columns]);
        all[i] = reduce(columns, &product);
        product.wipe();
    }
    all
}

/// `sum = (sum + block) · H` for each of the whole blocks in `data`.
pub(crate) fn absorb(sum_of_products: SumOfProducts, columns: usize, powers: &Powers, sum: &mut Unit, data: &[u8]) {
    debug_assert_eq!(data.len() % (8 * columns), 0);
    for blocks in data.chunks(8 * columns * POWERS) {
        *sum = reduce(columns, &sum_of_products(columns, powers, sum, blocks));
    }
}

/// The rest of a product by the polynomial of the field.
fn reduce(columns: usize, product: &Product) -> Unit {
    match columns {
        2 => reduce_by::<2, 1, 2, 7>(product),
        4 => reduce_by::<4, 2, 5, 10>(product),
        _ => reduce_by::<8, 2, 5, 8>(product),
    }
}

/// Modulo x^(64 W) + x^C + x^B + x^A + 1.
#[inline(always)]
fn reduce_by<const W: usize, const A: u32, const B: u32, const C: u32>(product: &Product) -> Unit {
    let mut rest = [0; 8];
    let fold = |high: u64| high ^ (high << A) ^ (high << B) ^ (high << C);
    let over = |high: u64| (high >> (64 - A)) ^ (high >> (64 - B)) ^ (high >> (64 - C));
    let mut carry = 0;
    for i in 0..W {
        let high = product[W + i];
        rest[i] = product[i] ^ fold(high) ^ carry;
        carry = over(high);
    }
    // At most C bits stand above the top; their fold stays in the first word.
    rest[0] ^= fold(carry);
    rest
}

/// x times the element.
#[inline]
pub(crate) fn double<const W: usize>(element: &mut [u64; W]) {
    const { assert!(matches!(W, 2 | 4 | 8)) };
    let low = match W {
        2 => 0x87,
        4 => 0x425,
        _ => 0x125,
    };
    // The top bit as a mask, by an arithmetic shift.
    let carry = ((element[W - 1] as i64) >> 63) as u64 & low;
    for i in (1..W).rev() {
        element[i] = element[i] << 1 | element[i - 1] >> 63;
    }
    element[0] = element[0] << 1 ^ carry;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;
    use testkit::Rng;

    /// The product one bit at a time.
    fn slow<const W: usize>(a: &Unit, b: &Unit) -> Unit {
        let mut shifted: [u64; W] = a[..W].try_into().unwrap();
        let mut sum = [0; 8];
        for i in 0..64 * W {
            if b[i / 64] >> (i % 64) & 1 == 1 {
                sum.iter_mut().zip(&shifted).for_each(|(s, x)| *s ^= x);
            }
            double(&mut shifted);
        }
        sum
    }

    fn size<const W: usize>() {
        let mut rng = Rng::new(W as u64);
        for (name, products) in PRODUCTS.all() {
            for round in 0..20 {
                // All ones once, for the carries.
                let mut word = || if round == 0 { u64::MAX } else { rng.u64() };
                let (mut h, mut sum) = ([0; 8], [0; 8]);
                h[..W].iter_mut().for_each(|w| *w = word());
                sum[..W].iter_mut().for_each(|w| *w = word());
                let data: Vec<u64> = (0..W * 21).map(|_| word()).collect();
                let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).collect();
                let h_bytes: Vec<u8> = h[..W].iter().flat_map(|w| w.to_le_bytes()).collect();
                let powers = powers(products, W, &h_bytes);
                for blocks in 0..=21 {
                    let mut expected = sum;
                    for block in data[..W * blocks].chunks(W) {
                        expected.iter_mut().zip(block).for_each(|(s, x)| *s ^= x);
                        expected = slow::<W>(&expected, &h);
                    }
                    let mut got = sum;
                    absorb(products, W, &powers, &mut got, &bytes[..8 * W * blocks]);
                    assert_eq!(got, expected, "{name} {W} {blocks}");
                }
            }
        }
    }

    #[test]
    fn equals_one_bit_at_a_time() {
        size::<2>();
        size::<4>();
        size::<8>();
    }
}

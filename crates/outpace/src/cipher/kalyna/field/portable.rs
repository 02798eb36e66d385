//! Products of polynomials over GF(2) by integer multiplication with holes: three zeros behind each bit keep the carries
//! apart, so the bits that count can be masked out. Only the low half of a 64-bit product is right that way; the high
//! half is the low half of the product of the reversed words. (The method of T. Pornin's BearSSL.)

use super::{Powers, Product, SumOfProducts};
use crate::cipher::kalyna::Unit;
use crate::cpu::Kernel;

pub(super) const KERNEL: Kernel<SumOfProducts> = Kernel::portable(sum_of_products);

fn sum_of_products(columns: usize, powers: &Powers, first: &Unit, blocks: &[u8]) -> Product {
    let mut sum = [0; 16];
    let n = blocks.len() / (8 * columns);
    for (i, block) in blocks.chunks_exact(8 * columns).enumerate() {
        let power = &powers[n - 1 - i];
        for (j, bytes) in block.as_chunks().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes) ^ if i == 0 { first[j] } else { 0 };
            let reversed = word.reverse_bits();
            for (k, p) in power[..columns].iter().enumerate() {
                sum[j + k] ^= low(word, *p);
                sum[j + k + 1] ^= low(reversed, p.reverse_bits()).reverse_bits() >> 1;
            }
        }
    }
    sum
}

/// The low half of the product.
fn low(a: u64, b: u64) -> u64 {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    let parts = |x: u64| [0, 1, 2, 3].map(|i| x & EVERY_FOURTH << i);
    let (a, b) = (parts(a), parts(b));
    let mut product = 0;
    for i in 0..4 {
        let mut sum = 0;
        for j in 0..4 {
            sum ^= a[j].wrapping_mul(b[(i + 4 - j) % 4]);
        }
        product |= sum & EVERY_FOURTH << i;
    }
    product
}

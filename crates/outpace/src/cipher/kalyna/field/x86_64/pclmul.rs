//! PCLMULQDQ, one product of two words at a time, summed by position over all blocks before anything is carried.
//!
//! Floor: n^2 products for a block of n words at one a cycle: 0.25, 0.5 and 1 cycle a byte for 2, 4 and 8 words.

use crate::cipher::kalyna::Unit;
use crate::cipher::kalyna::field::{Powers, Product, SumOfProducts};
use crate::cpu::{Features, Kernel};
use crate::simd::{load128, load128_u64, store128_u64};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<SumOfProducts> =
    // SAFETY: `sum_of_products` is built for exactly the features named here.
    unsafe {
        Kernel::new("pclmul", Features::PCLMUL.and(Features::SSE41), |columns, powers, first, blocks| {
            sum_of_products(columns, powers, first, blocks)
        })
    };

#[target_feature(enable = "pclmulqdq,sse4.1")]
fn sum_of_products(columns: usize, powers: &Powers, first: &Unit, blocks: &[u8]) -> Product {
    match columns {
        2 => sum_of::<1>(powers, first, blocks),
        4 => sum_of::<2>(powers, first, blocks),
        _ => sum_of::<4>(powers, first, blocks),
    }
}

/// For blocks of `P` pairs of words.
#[inline]
#[target_feature(enable = "pclmulqdq,sse4.1")]
fn sum_of<const P: usize>(powers: &Powers, first: &Unit, blocks: &[u8]) -> Product {
    // even[p]: at word 2 p; odd[p]: at word 2 p + 1.
    let mut even = [_mm_setzero_si128(); 8];
    let mut odd = even;
    let n = blocks.len() / (16 * P);
    let mut first = first.as_chunks::<2>().0.iter();
    for (pairs, power) in blocks.as_chunks::<16>().0.chunks_exact(P).zip(powers[..n].iter().rev()) {
        let power = power.as_chunks::<2>().0;
        for i in 0..P {
            let mut a = load128(&pairs[i]);
            if let Some(words) = first.next() {
                a = _mm_xor_si128(a, load128_u64(words));
            }
            for j in 0..P {
                let b = load128_u64(&power[j]);
                even[i + j] = _mm_xor_si128(even[i + j], _mm_clmulepi64_si128::<0x00>(a, b));
                even[i + j + 1] = _mm_xor_si128(even[i + j + 1], _mm_clmulepi64_si128::<0x11>(a, b));
                let across = _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(a, b), _mm_clmulepi64_si128::<0x10>(a, b));
                odd[i + j] = _mm_xor_si128(odd[i + j], across);
            }
        }
        if P < 4 {
            // Only the first block has something to take in.
            first = [].iter();
        }
    }
    let mut product = [0; 16];
    let mut above = _mm_setzero_si128();
    for (p, words) in product.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let below = _mm_unpacklo_epi64(_mm_unpackhi_epi64(above, above), odd[p]);
        store128_u64(words, _mm_xor_si128(even[p], below));
        above = odd[p];
    }
    product
}

//! PCLMULQDQ, up to eight blocks between two reductions.
//!
//! Floor: four products a block: 4 cycles at one a cycle, 8 on Zen 4.

use super::super::{Ops, Powers};
use super::POLYNOMIAL;
use crate::cpu::{Features, Kernel};
use crate::simd::{load128, store128};
use core::arch::x86_64::*;

pub(in super::super) const KERNEL: Kernel<Ops> = {
    let ops = Ops {
        group: (1, 8),
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        expand: |h, n, powers| unsafe { expand(h, n, powers) },
        // SAFETY: as above.
        update: |powers, sum, blocks| unsafe { update(powers, sum, blocks) },
    };
    // SAFETY: both functions are built for exactly the features named here.
    unsafe { Kernel::new("pclmul", Features::PCLMUL.and(Features::SSE41), ops) }
};

/// A product, or a sum of them, to be reduced: lower, middle and upper part, each 64 bits above the one before.
type Product = [__m128i; 3];

#[inline]
#[target_feature(enable = "pclmulqdq,sse4.1")]
fn multiply_add(sum: &mut Product, a: __m128i, b: __m128i) {
    let middle = _mm_xor_si128(_mm_clmulepi64_si128::<0x01>(a, b), _mm_clmulepi64_si128::<0x10>(a, b));
    sum[0] = _mm_xor_si128(sum[0], _mm_clmulepi64_si128::<0x00>(a, b));
    sum[1] = _mm_xor_si128(sum[1], middle);
    sum[2] = _mm_xor_si128(sum[2], _mm_clmulepi64_si128::<0x11>(a, b));
}

/// Divided by x¹²⁸: the lower 64 bits go out by adding a multiple of the polynomial, then the next.
#[inline]
#[target_feature(enable = "pclmulqdq,sse4.1")]
fn reduce([low, middle, high]: Product) -> __m128i {
    let polynomial = _mm_set1_epi64x(POLYNOMIAL);
    let mut low = _mm_xor_si128(low, _mm_slli_si128::<8>(middle));
    let high = _mm_xor_si128(high, _mm_srli_si128::<8>(middle));
    for _ in 0..2 {
        let out = _mm_clmulepi64_si128::<0x00>(low, polynomial);
        low = _mm_xor_si128(_mm_shuffle_epi32::<0x4e>(low), out);
    }
    _mm_xor_si128(high, low)
}

#[target_feature(enable = "pclmulqdq,sse4.1")]
fn expand(h: &[u8; 16], n: usize, powers: &mut Powers) {
    let h = load128(h);
    let mut power = h;
    store128(&mut powers[n - 1], power);
    for next in powers[..n - 1].iter_mut().rev() {
        let mut product = [_mm_setzero_si128(); 3];
        multiply_add(&mut product, power, h);
        power = reduce(product);
        store128(next, power);
    }
}

#[target_feature(enable = "pclmulqdq,sse4.1")]
fn update(powers: &[[u8; 16]], sum: &mut [u8; 16], blocks: &[[u8; 16]]) {
    let mut s = load128(sum);
    for group in blocks.chunks_exact(powers.len()) {
        let mut product = [_mm_setzero_si128(); 3];
        for (block, power) in group.iter().zip(powers) {
            multiply_add(&mut product, _mm_xor_si128(load128(block), s), load128(power));
            s = _mm_setzero_si128();
        }
        s = reduce(product);
    }
    store128(sum, s);
}

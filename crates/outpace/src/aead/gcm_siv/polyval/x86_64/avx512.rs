//! VPCLMULQDQ at 512 bits: four to sixteen blocks between two reductions.
//!
//! Floor: four products for four blocks: 1 cycle a block at one a cycle, 2 on Zen 4; the chain from one reduction to the
//! next, 30 cycles, is as long as sixteen blocks take there.

use super::super::{Ops, Powers};
use super::POLYNOMIAL;
use crate::cpu::{Features, Kernel};
use crate::simd::{load128, load512, store128, store512, ternlog512};
use core::arch::x86_64::*;

pub(in super::super) const KERNEL: Kernel<Ops> = {
    let ops = Ops {
        group: (4, 16),
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        expand: |h, n, powers| unsafe { expand(h, n, powers) },
        // SAFETY: as above.
        update: |powers, sum, blocks| unsafe { update(powers, sum, blocks) },
    };
    // SAFETY: both functions are built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512.and(Features::VPCLMUL), ops) }
};

/// Products, or sums of them, to be reduced: lower, middle (in two) and upper part, each 64 bits above the one before.
type Product = [__m512i; 4];

#[inline]
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
fn multiply(a: __m512i, b: __m512i) -> Product {
    [
        _mm512_clmulepi64_epi128::<0x00>(a, b),
        _mm512_clmulepi64_epi128::<0x01>(a, b),
        _mm512_clmulepi64_epi128::<0x10>(a, b),
        _mm512_clmulepi64_epi128::<0x11>(a, b),
    ]
}

/// Divided by x¹²⁸: the lower 64 bits go out by adding a multiple of the polynomial, then the next.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
fn reduce([low, a, b, high]: Product) -> __m512i {
    let polynomial = _mm512_set1_epi64(POLYNOMIAL);
    let middle = _mm512_xor_si512(a, b);
    let low = _mm512_xor_si512(low, _mm512_bslli_epi128::<8>(middle));
    let out = _mm512_clmulepi64_epi128::<0x00>(low, polynomial);
    let low = _mm512_xor_si512(_mm512_shuffle_epi32::<0x4e>(low), out);
    let out = _mm512_clmulepi64_epi128::<0x00>(low, polynomial);
    let high = ternlog512::<0x96>(high, _mm512_bsrli_epi128::<8>(middle), _mm512_shuffle_epi32::<0x4e>(low));
    _mm512_xor_si512(high, out)
}

/// 4, 8 or 16 powers.
#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
fn expand(h: &[u8; 16], n: usize, powers: &mut Powers) {
    let h = _mm512_broadcast_i32x4(load128(h));
    let square = reduce(multiply(h, h));
    let pair = _mm512_mask_blend_epi64(0x33, h, square);
    // In the lower half the third and fourth power.
    let upper = reduce(multiply(pair, square));
    let four = _mm512_mask_blend_epi64(0x0f, pair, upper);
    let (vectors, _) = powers.as_flattened_mut().as_chunks_mut::<64>();
    let last = n / 4 - 1;
    store512(&mut vectors[last], four);
    if last > 0 {
        let fourth = _mm512_shuffle_i64x2::<0>(four, four);
        let eight = reduce(multiply(four, fourth));
        store512(&mut vectors[last - 1], eight);
        if last > 1 {
            let eighth = _mm512_shuffle_i64x2::<0>(eight, eight);
            store512(&mut vectors[last - 2], reduce(multiply(four, eighth)));
            store512(&mut vectors[last - 3], reduce(multiply(eight, eighth)));
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,vpclmulqdq")]
fn update(powers: &[[u8; 16]], sum: &mut [u8; 16], blocks: &[[u8; 16]]) {
    let (powers, _) = powers.as_flattened().as_chunks::<64>();
    let mut s = _mm512_zextsi128_si512(load128(sum));
    for group in blocks.as_flattened().chunks_exact(64 * powers.len()) {
        let mut product = [_mm512_setzero_si512(); 4];
        for (block, power) in group.as_chunks::<64>().0.iter().zip(powers) {
            let one = multiply(_mm512_xor_si512(load512(block), s), load512(power));
            product = core::array::from_fn(|i| _mm512_xor_si512(product[i], one[i]));
            s = _mm512_setzero_si512();
        }
        let lanes = reduce(product);
        let half = _mm256_xor_si256(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64::<1>(lanes));
        let whole = _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
        s = _mm512_zextsi128_si512(whole);
    }
    store128(sum, _mm512_castsi512_si128(s));
}

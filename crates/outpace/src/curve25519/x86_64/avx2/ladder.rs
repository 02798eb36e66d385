//! X25519 for one pair: the four coordinates of the ladder in four lanes.
//!
//! One step is RFC 7748's, in two levels of four products each, and one product by the constant x1 between them:
//!
//! | lane | 0 | 1 | 2 | 3 |
//! | --- | --- | --- | --- | --- |
//! | state | x2 | z2 | x3 | z3 |
//! | 1 | A·A = AA | B·B = BB | C·B | D·A |
//! | between | | AA + a24·E | | x1·(DA − CB) |
//! | 2 | AA·BB | E·(AA + a24·E) | (DA + CB)² | (DA − CB)·(x1·(DA − CB)) |
//!
//! with A, B = x2 ± z2, C, D = x3 ± z3, E = AA − BB. An exchange of the two points is one of A with C and of B with D
//! where they are squared: DA and CB change places, and what is made of them stays the same.
//!
//! The product by x1 has its ten columns side by side in three vectors: a multiplication of each limb, in every lane, by
//! four of the 10 by 10 multiples of x1's limbs that a product is made of, which never change.
//!
//! Floor per step: two products, 57 instructions for the one by x1, and some 210 between them: 250 cycles on three ports,
//! about as many by what waits for what.

use super::lanes::{EMPTY, Factor, Four, TWO_P, all, carried, each_limb, gather, limbs, scatter};
use super::product::product;
use crate::curve25519::field::{Field, Words};
use crate::mem::ct;
use core::arch::x86_64::*;

/// What limb `j` of the other factor is multiplied by: `[j][column / 4]`, column modulo 4 in lanes.
type Multiples = [[__m256i; 3]; 10];

#[target_feature(enable = "avx2")]
fn multiples(x: &[u64; 10]) -> Multiples {
    core::array::from_fn(|j| {
        let mut row = [0; 12];
        for (column, word) in row.iter_mut().take(10).enumerate() {
            let i = (column + 10 - j) % 10;
            let folded = if i + j >= 10 { 19 } else { 1 };
            *word = (x[i] as i64 * folded) << (i & j & 1);
        }
        let [a, b, c, d, e, f, g, h, k, l, ..] = row;
        [_mm256_setr_epi64x(a, b, c, d), _mm256_setr_epi64x(e, f, g, h), _mm256_setr_epi64x(k, l, 0, 0)]
    })
}

#[target_feature(enable = "avx2")]
pub(super) fn ladder(scalar: &Words, u: &Words) -> Words {
    let x1 = limbs(u);
    let (zero, mut one) = ([0; 10], [0; 10]);
    one[0] = 1;
    let mut state = gather(&[one, zero, x1, one]);
    let multiples = multiples(&x1);

    // What is subtracted in lanes 1 and 3 is complemented; the bias has the 1 that makes it a negation.
    let bias = TWO_P.map(|b| b as i64 + 1).map(|b| _mm256_setr_epi64x(0, b, 0, b));
    let odd = _mm256_setr_epi64x(0, -1, 0, -1);
    let a24 = _mm256_setr_epi64x(0, 121_665, 0, 0);

    let (mut left, mut right) = (EMPTY, Factor::EMPTY);
    let mut last = 0;
    for bit in (0..255).rev() {
        let now = scalar[bit / 64] >> (bit % 64) & 1;
        // Words of a vector: the points exchanged are four words apart.
        let exchange = ct::barrier(now ^ last).wrapping_mul(0x0000_0004_0000_0004) as i64;
        last = now;
        let exchange = _mm256_setr_epi64x(exchange, exchange, 0, 0);
        let first = _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), exchange);
        let second = _mm256_xor_si256(_mm256_setr_epi32(0, 1, 2, 3, 2, 3, 0, 1), exchange);
        each_limb!(i => {
            let swapped = _mm256_shuffle_epi32::<0b01_00_11_10>(state[i]);
            let signed = _mm256_add_epi64(_mm256_xor_si256(state[i], odd), bias[i]);
            let sums = _mm256_add_epi64(swapped, signed);
            left[i] = _mm256_permutevar8x32_epi32(sums, first); // A, B, C, D
            right.set(i, _mm256_permutevar8x32_epi32(sums, second)); // A, B, B, A
        });
        let products = product(&left, &right); // AA, BB, CB, DA

        let mut factors = EMPTY;
        each_limb!(i => {
            let p = _mm256_castsi256_pd(products[i]);
            let first = _mm256_castpd_si256(_mm256_permute_pd::<0b1100>(p)); // AA, AA, DA, DA
            let second = _mm256_castpd_si256(_mm256_permute_pd::<0b0011>(p)); // BB, BB, CB, CB
            let signed = _mm256_add_epi64(_mm256_xor_si256(second, odd), bias[i]);
            let sums = _mm256_add_epi64(first, signed); // AA + BB, E, DA + CB, DA − CB
            left[i] = _mm256_blend_epi32::<0b0000_0011>(sums, first);
            let b = _mm256_blend_epi32::<0b1111_0000>(_mm256_castpd_si256(_mm256_permute_pd::<0b0001>(p)), sums);
            factors[i] = _mm256_add_epi64(b, _mm256_mul_epu32(sums, a24)); // BB, AA + a24·E, DA + CB
        });
        let columns = by_x1(&left, &multiples);
        each_limb!(i => { factors[i] = _mm256_blend_epi32::<0b1100_0000>(factors[i], columns[i]); });
        let factors = carried(&factors);
        each_limb!(i => { right.set(i, factors[i]); });
        state = product(&left, &right);
    }
    // A clamped scalar is even, so no exchange is owed.
    let [x2, z2, ..] = scatter(&state);
    x2.mul(&z2.invert()).to_words()
}

/// In lane 3, the columns of x1 times what is there: below 10·(3.01·2^26)·(1.01·38·2^25) < 2^62.
#[inline]
#[target_feature(enable = "avx2")]
fn by_x1(factor: &Four, multiples: &Multiples) -> Four {
    let mut sums = [all(0); 3];
    each_limb!(j => {
        let limb = _mm256_permute4x64_epi64::<0b11_11_11_11>(factor[j]);
        let [a, b, c] = &mut sums;
        *a = _mm256_add_epi64(*a, _mm256_mul_epu32(limb, multiples[j][0]));
        *b = _mm256_add_epi64(*b, _mm256_mul_epu32(limb, multiples[j][1]));
        *c = _mm256_add_epi64(*c, _mm256_mul_epu32(limb, multiples[j][2]));
    });
    let [a, b, c] = sums;
    [
        _mm256_permute4x64_epi64::<0b00_00_00_00>(a),
        _mm256_permute4x64_epi64::<0b01_01_01_01>(a),
        _mm256_permute4x64_epi64::<0b10_10_10_10>(a),
        a,
        _mm256_permute4x64_epi64::<0b00_00_00_00>(b),
        _mm256_permute4x64_epi64::<0b01_01_01_01>(b),
        _mm256_permute4x64_epi64::<0b10_10_10_10>(b),
        b,
        _mm256_permute4x64_epi64::<0b00_00_00_00>(c),
        _mm256_permute4x64_epi64::<0b01_01_01_01>(c),
    ]
}

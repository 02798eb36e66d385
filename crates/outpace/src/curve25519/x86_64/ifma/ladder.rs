//! X25519 for one pair: the four coordinates of the ladder in four lanes.
//!
//! One step is RFC 7748's, in three levels of four products each:
//!
//! | lane | 0 | 1 | 2 | 3 |
//! | --- | --- | --- | --- | --- |
//! | state | x2 | z2 | x3 | z3 |
//! | 1 | A·A = AA | B·B = BB | C·B | D·A |
//! | 2 | AA·BB | E·a24 | (DA + CB)² | (DA − CB)² |
//! | 3 | x2 | E·(AA + a24·E) | x3 | x1·(DA − CB)² |
//!
//! with A, B = x2 ± z2, C, D = x3 ± z3, E = AA − BB. The exchange of the two points costs nothing: it is part of the
//! permutation that brings x and z together, whose indices are computed from the bits of the scalar.
//!
//! Floor per step: 150 multiplications and about 270 other instructions on three ports, 140 cycles; each level waits
//! for the one before (about 42 cycles, of which 25 are the issue of 50 multiplications).

use super::lanes::{BIAS, carried, limbs, product, ymm};
use super::points::{gather, scatter};
use crate::curve25519::field::{Field, Words};
use crate::mem::ct;
use crate::simd::ternlog256;
use core::arch::x86_64::*;

/// `bias` in lanes 1 and 3, where something is subtracted: p·2^11, and the 1 that makes a complement a negation.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn odd_bias() -> [__m256i; 5] {
    BIAS.map(|b| _mm256_setr_epi64x(0, b as i64 + 1, 0, b as i64 + 1))
}

#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn ladder(scalar: &Words, u: &Words) -> Words {
    let x1 = limbs(u);
    let (zero, one) = ([0; 5], [1, 0, 0, 0, 0]);
    let mut state = gather(&[one, zero, x1, one]);

    let bias = odd_bias();
    let odd = _mm256_setr_epi64x(0, -1, 0, -1);
    let keep_1 = _mm256_setr_epi64x(0, -1, -1, -1);
    let (even_index, odd_index) = (_mm256_setr_epi64x(0, 0, 2, 2), _mm256_setr_epi64x(1, 1, 3, 3));
    let factors = gather(&[one, zero, one, x1]);
    let a24 = gather(&[zero, [121_665, 0, 0, 0, 0], zero, zero]);

    let mut last = 0;
    for i in (0..255).rev() {
        let bit = scalar[i / 64] >> (i % 64) & 1;
        // Moving the indices by 2 exchanges the points.
        let exchange = _mm256_set1_epi64x(ct::barrier((bit ^ last) << 1) as i64);
        last = bit;
        let (even, odds) = (_mm256_xor_si256(even_index, exchange), _mm256_xor_si256(odd_index, exchange));

        let sums: [__m256i; 5] = core::array::from_fn(|i| {
            let x = _mm256_permutexvar_epi64(even, state[i]);
            let z = _mm256_permutexvar_epi64(odds, state[i]);
            _mm256_add_epi64(_mm256_add_epi64(x, bias[i]), _mm256_xor_si256(z, odd))
        });
        let left = carried!(ymm; sums); // A, B, C, D
        let right = left.map(|l| _mm256_permute4x64_epi64::<0b00_01_01_00>(l)); // A, B, B, A
        let squares = product!(ymm; left, right); // AA, BB, CB, DA

        let first = squares.map(|c| within_halves::<LANES_0033>(c)); // AA, AA, DA, DA
        let second = squares.map(|c| within_halves::<LANES_1122>(c)); // BB, BB, CB, CB
        let sums: [__m256i; 5] = core::array::from_fn(|i| {
            // AA, AA − BB, DA + CB, DA − CB
            let signed = ternlog256::<0x78>(odd, second[i], keep_1);
            _mm256_add_epi64(_mm256_add_epi64(first[i], bias[i]), signed)
        });
        let left = carried!(ymm; sums);
        let right: [__m256i; 5] = core::array::from_fn(|i| _mm256_blend_epi32::<0b0000_0011>(sums[i], second[i]));
        let right = carried!(ymm; right);
        let right: [__m256i; 5] = core::array::from_fn(|i| _mm256_blend_epi32::<0b0000_1100>(right[i], a24[i]));
        let squares = product!(ymm; left, right); // AA·BB, a24·E, (DA + CB)², (DA − CB)²

        let sums: [__m256i; 5] =
            core::array::from_fn(|i| _mm256_mask_add_epi64(squares[i], 0b0010, squares[i], first[i]));
        let right: [__m256i; 5] = core::array::from_fn(|i| _mm256_blend_epi32::<0b0000_1100>(factors[i], left[i]));
        let left = carried!(ymm; sums);
        state = product!(ymm; left, right);
    }
    // A clamped scalar is even, so no exchange is owed.
    let [x2, z2, ..] = scatter(&carried!(ymm; state));
    x2.mul(&z2.invert()).to_words()
}

/// Lanes 0, 0, 3, 3.
const LANES_0033: i32 = 0b1100;

/// Lanes 1, 1, 2, 2.
const LANES_1122: i32 = 0b0011;

/// Lane i & 2 | bit i of `SELECT` as lane i: VPERMILPD, one cycle on either of two ports. The compiler would make a VPERMQ
/// of it, which takes three, and all ten of a step the same port.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn within_halves<const SELECT: i32>(v: __m256i) -> __m256i {
    // The sanitizer has no model of assembly.
    #[cfg(outpace_ct = "msan")]
    return _mm256_castpd_si256(_mm256_permute_pd::<SELECT>(_mm256_castsi256_pd(v)));
    #[cfg(not(outpace_ct = "msan"))]
    {
        let out;
        // SAFETY: registers alone; AVX-512VL is there wherever this function is.
        unsafe {
            core::arch::asm!(
                "vpermilpd {out}, {v}, {select}",
                out = lateout(ymm_reg) out, v = in(ymm_reg) v, select = const SELECT,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        out
    }
}

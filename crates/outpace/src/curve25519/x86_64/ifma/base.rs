//! Multiples of the base point: eight lanes add up eight digits each.
//!
//! The scalar has 64 digits of radix 16, each with a table of its own (1…8 times 16^i·B), so there are no doublings.
//! Lane j takes digits j, 8 + j, 16 + j, …: eight rounds of one mixed addition in every lane, after which the eight
//! sums are added up. Tables are read whole, with the wanted entry kept under a mask register.
//!
//! Floor of a round: 350 multiplications, 120 masked loads and about 500 other instructions on two ports, 485 cycles.

use super::lanes::{BIAS, carried, limbs, product8, zmm};
use super::points::{self, Four};
use crate::curve25519::field::Words;
use crate::curve25519::scalar::radix_16;
use crate::curve25519::tables::BASE;
use crate::mem::{Secret, ct};
use crate::simd::load512_u64;
use core::arch::x86_64::*;

/// Five vectors of eight lanes.
type Eight = [__m512i; 5];

/// `[round][entry][coordinate][limb][lane]`: y + x, y − x, 2dxy of the multiples in [`BASE`].
static TABLE: [[[[[u64; 8]; 5]; 3]; 8]; 8] = {
    let mut out = [[[[[0; 8]; 5]; 3]; 8]; 8];
    let mut i = 0;
    while i < 64 * 8 * 3 {
        let (digit, entry, coordinate) = (i / 24, i / 3 % 8, i % 3);
        let limbs = limbs(&BASE[digit][entry][coordinate]);
        let mut limb = 0;
        while limb < 5 {
            out[digit / 8][entry][coordinate][limb][digit % 8] = limbs[limb];
            limb += 1;
        }
        i += 1;
    }
    out
};

/// 1/d in limbs.
const D_INVERSE: [u64; 5] = limbs(&crate::curve25519::tables::D_INVERSE);

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn sum(a: &Eight, b: &Eight) -> Eight {
    core::array::from_fn(|i| _mm512_add_epi64(a[i], b[i]))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn difference(a: &Eight, b: &Eight) -> Eight {
    core::array::from_fn(|i| _mm512_sub_epi64(_mm512_add_epi64(a[i], zmm::all(BIAS[i])), b[i]))
}

/// In each lane the digit's multiple: y + x, y − x, ±2dxy, limbs below 2^52.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn select(table: &[[[[u64; 8]; 5]; 3]; 8], digits: __m512i) -> [Eight; 3] {
    let size = _mm512_abs_epi64(digits);
    let (zero, one) = (zmm::all(0), zmm::all(1));
    let start = [one, zero, zero, zero, zero];
    let mut found = [start, start, [zero; 5]];
    for (entry, index) in table.iter().zip(1..) {
        let here = _mm512_cmpeq_epi64_mask(size, _mm512_set1_epi64(index));
        for (f, e) in found.iter_mut().zip(entry) {
            for (f, e) in f.iter_mut().zip(e) {
                *f = _mm512_mask_mov_epi64(*f, here, load512_u64(e));
            }
        }
    }
    let negative = _mm512_cmplt_epi64_mask(digits, zero);
    let [plus, minus, t2d] = found;
    [
        core::array::from_fn(|i| _mm512_mask_mov_epi64(plus[i], negative, minus[i])),
        core::array::from_fn(|i| _mm512_mask_mov_epi64(minus[i], negative, plus[i])),
        // 2p − t
        core::array::from_fn(|i| _mm512_mask_sub_epi64(t2d[i], negative, zmm::all(BIAS[i] >> 10), t2d[i])),
    ]
}

/// `scalar·B`; the scalar is below 2^255.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn base(scalar: &Words) -> Four {
    let digits = Secret::new(radix_16(scalar).map(|d| ct::barrier(d as u64) as i64));
    let (digits, _) = digits.as_chunks::<8>();
    let mut digits = digits.iter().zip(&TABLE).map(|(d, table)| {
        let [a, b, c, d, e, f, g, h] = *d;
        (_mm512_setr_epi64(a, b, c, d, e, f, g, h), table)
    });

    // The first points as they are: with Z = 2, X and Y are a difference and a sum, and T = 2dxy/d.
    let zero = zmm::all(0);
    let mut x = [zero; 5];
    let mut y = x;
    let mut t = x;
    if let Some((digits, table)) = digits.next() {
        let [plus, minus, t2d] = select(table, digits);
        (x, y) = (difference(&plus, &minus), sum(&plus, &minus));
        t = product8!(t2d, D_INVERSE.map(|limb| zmm::all(limb)));
    }
    let mut z = [zmm::all(2), zero, zero, zero, zero];

    for (digits, table) in digits {
        let [plus, minus, t2d] = select(table, digits);
        let a = carried!(zmm; difference(&y, &x));
        let a = product8!(a, minus);
        let b = carried!(zmm; sum(&y, &x));
        let b = product8!(b, plus);
        let c = carried!(zmm; t);
        let c = product8!(c, t2d);
        let d = sum(&z, &z);
        let e = carried!(zmm; difference(&b, &a));
        let h = carried!(zmm; sum(&b, &a));
        let f = carried!(zmm; difference(&d, &c));
        let g = carried!(zmm; sum(&d, &c));
        x = product8!(e, f);
        y = product8!(h, g);
        t = product8!(e, h);
        z = product8!(f, g);
    }
    merge(&[x, y, t, z])
}

/// The sum of the points in the eight lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn merge(point: &[Eight; 4]) -> Four {
    // One point per register of four lanes: a transposition of four by eight, limb by limb.
    let mut points: [Four; 8] = [[_mm256_setzero_si256(); 5]; 8];
    for i in 0..5 {
        let [x, y, t, z] = [point[0][i], point[1][i], point[2][i], point[3][i]];
        let (xy0, xy1) = (_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y));
        let (tz0, tz1) = (_mm512_unpacklo_epi64(t, z), _mm512_unpackhi_epi64(t, z));
        // Quarters: xy0 has points 0, 2, 4, 6, each with X and Y.
        let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
        let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
        for (j, (xy, tz)) in [(xy0, tz0), (xy1, tz1)].into_iter().enumerate() {
            let (a, b) = (_mm512_permutex2var_epi64(xy, low, tz), _mm512_permutex2var_epi64(xy, high, tz));
            points[j][i] = _mm512_castsi512_si256(a);
            points[2 + j][i] = _mm512_extracti64x4_epi64::<1>(a);
            points[4 + j][i] = _mm512_castsi512_si256(b);
            points[6 + j][i] = _mm512_extracti64x4_epi64::<1>(b);
        }
    }
    points::sum(&points)
}

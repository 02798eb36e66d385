//! Multiples of the base point.
//!
//! A scalar has 64 digits of radix 16, each with a table of its own (1…8 times 16^i·B), so there are no doublings.
//! Tables are read whole, with the wanted entry kept under a mask register.
//!
//! For one scalar, lane j takes digits j, 8 + j, 16 + j, …: eight rounds of one mixed addition in every lane, after
//! which the eight sums are added up. For eight scalars, each has a lane and there are 64 rounds.
//!
//! Floor of a round: 350 multiplications, 120 masked loads and about 400 other instructions on two ports, 435 cycles.

use super::eight::{Eight, Points, difference, sum};
use super::lanes::{BIAS, limbs, product8, zmm};
use super::points::Four;
use crate::curve25519::field::Words;
use crate::curve25519::scalar::radix_16;
use crate::curve25519::tables::{BASE, D_INVERSE};
use crate::mem::{Secret, ct};
use crate::simd::load512_u64;
use core::arch::x86_64::*;

/// `[limb][lane]` of a coordinate.
type Limbs = [[u64; 8]; 5];

/// `[round][entry][coordinate][limb][lane]`: y + x, y − x, 2dxy of the multiples in [`BASE`].
static TABLE: [[[Limbs; 3]; 8]; 8] = {
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

/// In each lane the digit's multiple: y + x, y − x, ±2dxy, limbs below 2^52. `$load` makes a vector of a coordinate's
/// limb in a table.
macro_rules! select {
    ($table:expr, $digits:expr, $load:expr) => {{
        let digits: __m512i = $digits;
        let size = _mm512_abs_epi64(digits);
        let (zero, one) = (zmm::all(0), zmm::all(1));
        let start = [one, zero, zero, zero, zero];
        let mut found = [start, start, [zero; 5]];
        for (entry, index) in $table.iter().zip(1..) {
            let here = _mm512_cmpeq_epi64_mask(size, _mm512_set1_epi64(index));
            for (f, e) in found.iter_mut().zip(entry) {
                for (f, e) in f.iter_mut().zip(e) {
                    *f = _mm512_mask_mov_epi64(*f, here, $load(e));
                }
            }
        }
        let negative = _mm512_cmplt_epi64_mask(digits, zero);
        let [plus, minus, t2d] = found;
        let niels: [Eight; 3] = [
            core::array::from_fn(|i| _mm512_mask_mov_epi64(plus[i], negative, minus[i])),
            core::array::from_fn(|i| _mm512_mask_mov_epi64(minus[i], negative, plus[i])),
            // 2p − t
            core::array::from_fn(|i| _mm512_mask_sub_epi64(t2d[i], negative, zmm::all(BIAS[i] >> 10), t2d[i])),
        ];
        niels
    }};
}

/// The points given by y + x, y − x, 2dxy: with Z = 2, X and Y are a difference and a sum, and T = 2dxy/d.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn start([plus, minus, t2d]: &[Eight; 3]) -> Points {
    let zero = zmm::all(0);
    let d_inverse = super::eight::all(&limbs(&D_INVERSE));
    Points {
        x: difference(plus, minus),
        y: sum(plus, minus),
        t: product8!(*t2d, d_inverse),
        z: [zmm::all(2), zero, zero, zero, zero],
    }
}

/// Digits as the lanes take them.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn lanes(digits: [i8; 8]) -> __m512i {
    let [a, b, c, d, e, f, g, h] = digits.map(|d| ct::barrier(d as u64) as i64);
    _mm512_setr_epi64(a, b, c, d, e, f, g, h)
}

/// `scalar·B`; the scalar is below 2^255.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn base(scalar: &Words) -> Four {
    let digits = Secret::new(radix_16(scalar));
    let (rounds, _) = digits.as_chunks::<8>();
    let mut points = start(&select!(&TABLE[0], lanes(rounds[0]), |e| load512_u64(e)));
    for (round, table) in rounds.iter().zip(&TABLE).skip(1) {
        points.add_niels(&select!(table, lanes(*round), |e| load512_u64(e)));
    }
    points.merge()
}

/// `scalar·B` for eight scalars below 2^255.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn base_8(scalars: &[Words; 8]) -> Points {
    let digits = Secret::new(scalars.each_ref().map(radix_16));
    let round = |i: usize| lanes(digits.each_ref().map(|d| d[i]));
    let mut points = start(&select!(&TABLE[0], round(0), |e: &[u64; 8]| zmm::all(e[0])));
    for i in 1..64 {
        points.add_niels(&select!(&TABLE[i / 8], round(i), |e: &[u64; 8]| zmm::all(e[i % 8])));
    }
    points
}

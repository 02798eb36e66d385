//! Multiples of the base point.
//!
//! A scalar has 64 digits of radix 16, each with a table of its own (1…8 times 16^i·B), so there are no doublings.
//! Tables are read whole; the index of an entry is in a register, never in an address.
//!
//! For one scalar, lane j takes digits j, 8 + j, 16 + j, …: eight rounds of one mixed addition in every lane, after
//! which the eight sums are added up. For eight scalars, each has a lane and there are 64 rounds.
//!
//! Floor of a round: 350 multiplications, 120 permutations (15 for eight scalars) and about 400 other instructions, two in
//! a cycle: 435 cycles (380).

use super::eight::{Eight, Points, difference, sum};
use super::lanes::{BIAS, limbs, product8, zmm};
use super::points::Four;
use crate::curve25519::field::Words;
use crate::curve25519::scalar::radix_16;
use crate::curve25519::tables::{BASE, D_INVERSE};
use crate::mem::{Secret, ct};
use crate::simd::load512_u64;
use core::arch::x86_64::*;

/// `[digit][coordinate][limb][entry]`: y + x, y − x, 2dxy of the multiples in [`BASE`]. The eight entries of a limb are a
/// register, from which a permutation takes what a digit wants.
static TABLE: [[[[u64; 8]; 5]; 3]; 64] = {
    let mut out = [[[[0; 8]; 5]; 3]; 64];
    let mut i = 0;
    while i < 64 * 8 * 3 {
        let (digit, entry, coordinate) = (i / 24, i / 3 % 8, i % 3);
        let limbs = limbs(&BASE[digit][entry][coordinate]);
        let mut limb = 0;
        while limb < 5 {
            out[digit][coordinate][limb][entry] = limbs[limb];
            limb += 1;
        }
        i += 1;
    }
    out
};

/// In each lane the digit's multiple, y + x, y − x, ±2dxy, limbs below 2^52, from those tables of which the lane has one:
/// a table for each lane, or one for all.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn select(tables: &[[[[u64; 8]; 5]; 3]], digits: __m512i) -> [Eight; 3] {
    let size = _mm512_abs_epi64(digits);
    let (zero, one) = (zmm::all(0), zmm::all(1));
    let (some, index) = (_mm512_test_epi64_mask(size, size), _mm512_sub_epi64(size, one));
    let lanes = if tables.len() == 1 { u8::MAX } else { 1 };
    let start = [one, zero, zero, zero, zero];
    let mut found = [start, start, [zero; 5]];
    for (i, table) in tables.iter().enumerate() {
        for (f, t) in found.as_flattened_mut().iter_mut().zip(table.as_flattened()) {
            *f = _mm512_mask_permutexvar_epi64(*f, some & lanes << i, index, load512_u64(t));
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
    let (tables, _) = TABLE.as_chunks::<8>();
    let mut points = start(&select(&tables[0], lanes(rounds[0])));
    for (round, tables) in rounds.iter().zip(tables).skip(1) {
        points.add_niels(&select(tables, lanes(*round)));
    }
    points.merge()
}

/// `scalar·B` for eight scalars below 2^255.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn base_8(scalars: &[Words; 8]) -> Points {
    let digits = Secret::new(scalars.each_ref().map(radix_16));
    let round = |i: usize| lanes(digits.each_ref().map(|d| d[i]));
    let mut points = start(&select(&TABLE[..1], round(0)));
    for (i, table) in TABLE.iter().enumerate().skip(1) {
        points.add_niels(&select(core::slice::from_ref(table), round(i)));
    }
    points
}

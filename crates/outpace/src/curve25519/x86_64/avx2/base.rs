//! Multiples of the base point.
//!
//! A scalar has 64 digits of radix 16, each with a table of its own (1…8 times 16^i·B), so there are no doublings.
//! Tables are read whole, with the wanted entry kept under a mask.
//!
//! For one scalar, lane j takes digits j, 4 + j, 8 + j, …: sixteen rounds of one mixed addition in every lane, after
//! which the four sums are added up. For four scalars, each has a lane and there are 64 rounds.
//!
//! Floor of a round: seven products, and some 450 instructions to choose and prepare what is added: 725 cycles on three
//! ports, 560 on four.

use super::lanes::{EMPTY, Factor, Four, TWO_P, all, carried, difference, everywhere, limbs};
use super::point::sum;
use super::points::Points;
use super::product::mul;
use crate::curve25519::field::Words;
use crate::curve25519::scalar::radix_16;
use crate::curve25519::tables::{BASE, D_INVERSE};
use crate::mem::{Secret, ct};
use crate::simd::load256_u64;
use core::arch::x86_64::*;

/// `[pair of limbs][lane]` of a coordinate: an even limb in the lower half of a lane, the next in the upper.
type Pairs = [[u64; 4]; 5];

/// `[round][entry][coordinate]`: y + x, y − x, 2dxy of the multiples in [`BASE`].
static TABLE: [[[Pairs; 3]; 8]; 16] = {
    let mut out = [[[[[0; 4]; 5]; 3]; 8]; 16];
    let mut i = 0;
    while i < 64 * 8 * 3 {
        let (digit, entry, coordinate) = (i / 24, i / 3 % 8, i % 3);
        let limbs = limbs(&BASE[digit][entry][coordinate]);
        let mut pair = 0;
        while pair < 5 {
            out[digit / 4][entry][coordinate][pair][digit % 4] = limbs[2 * pair] | limbs[2 * pair + 1] << 32;
            pair += 1;
        }
        i += 1;
    }
    out
};

/// In each lane the digit's multiple: y + x, y − x, ±2dxy, limbs below 2.1 units. A lane has a part of the table of its
/// own, or all have that of `lane`.
#[inline]
#[target_feature(enable = "avx2")]
fn select(niels: &mut [Factor; 3], table: &[[Pairs; 3]; 8], digits: [i8; 4], lane: Option<usize>) {
    let digits = ct::barrier(u64::from(u32::from_le_bytes(digits.map(|d| d as u8))));
    let digits = _mm256_cvtepi8_epi64(_mm_cvtsi64_si128(digits as i64));
    let negative = _mm256_cmpgt_epi64(all(0), digits);
    let size = _mm256_sub_epi64(_mm256_xor_si256(digits, negative), negative);
    let one = _mm256_and_si256(_mm256_cmpeq_epi64(size, all(0)), all(1));
    let zero = all(0);
    let start = [one, zero, zero, zero, zero];
    let mut found = [start, start, [zero; 5]];
    for (coordinate, found) in found.iter_mut().enumerate() {
        for i in 0..8 {
            let here = _mm256_cmpeq_epi64(size, _mm256_set1_epi64x(i as i64 + 1));
            for pair in 0..5 {
                let entry = &table[i][coordinate][pair];
                let entry = match lane {
                    Some(lane) => all(entry[lane]),
                    None => load256_u64(entry),
                };
                found[pair] = _mm256_or_si256(found[pair], _mm256_and_si256(entry, here));
            }
        }
    }
    let [plus, minus, t2d] = found;
    for i in 0..5 {
        // For a negative digit the first two change places, and the third its sign: 2p − t = 2p + 1 + ¬t, in both halves
        // of a lane.
        let exchange = _mm256_and_si256(_mm256_xor_si256(plus[i], minus[i]), negative);
        let bias = all((TWO_P[2 * i] + 1) | (TWO_P[2 * i + 1] + 1) << 32);
        let t2d = _mm256_add_epi32(_mm256_xor_si256(t2d[i], negative), _mm256_and_si256(bias, negative));
        let pairs = [_mm256_xor_si256(plus[i], exchange), _mm256_xor_si256(minus[i], exchange), t2d];
        for (factor, pair) in niels.iter_mut().zip(pairs) {
            factor.set_pair(i, pair);
        }
    }
}

/// The points given by y + x, y − x, 2dxy: with Z = 2, X and Y are a difference and a sum, and T = 2dxy/d.
#[target_feature(enable = "avx2")]
fn start(points: &mut Points, [plus, minus, t2d]: &[Factor; 3]) {
    let (plus, minus) = (plus.limbs(), minus.limbs());
    points.x = carried(&core::array::from_fn(|i| difference(i, plus[i], minus[i])));
    points.y = carried(&core::array::from_fn(|i| _mm256_add_epi64(plus[i], minus[i])));
    mul(&mut points.t, &everywhere(&limbs(&D_INVERSE)), t2d);
    points.z = EMPTY;
    points.z[0] = all(2);
}

/// `scalar·B`, X, Y, T, Z in lanes; the scalar is below 2^255.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn base(scalar: &Words) -> Four {
    let digits = Secret::new(radix_16(scalar));
    let (rounds, _) = digits.as_chunks::<4>();
    let (mut points, mut niels) = (Points::EMPTY, [Factor::EMPTY; 3]);
    for (i, (round, table)) in rounds.iter().zip(&TABLE).enumerate() {
        select(&mut niels, table, *round, None);
        if i == 0 {
            start(&mut points, &niels);
        } else {
            points.add_niels(&niels);
        }
    }
    sum(&points.apart())
}

/// `scalar·B` for four scalars below 2^255.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn base_4(points: &mut Points, scalars: &[Words; 4]) {
    let digits = Secret::new(scalars.each_ref().map(radix_16));
    let mut niels = [Factor::EMPTY; 3];
    for i in 0..64 {
        select(&mut niels, &TABLE[i / 4], digits.each_ref().map(|d| d[i]), Some(i % 4));
        if i == 0 {
            start(points, &niels);
        } else {
            points.add_niels(&niels);
        }
    }
}

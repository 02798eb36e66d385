//! Batches: eight independent jobs in eight lanes.

use super::eight::{
    Cached, Eight, GROUPS, Points, Row, all, difference, from_words, invert, mul, square_n, sum, to_words, zeros,
};
use super::lanes::{BIAS, carried, limbs, product8, zmm};
use super::{base, ladder, ladder8, points};
use crate::curve25519::edwards::Affine;
use crate::curve25519::field::{Words, words};
use crate::curve25519::many::{TERMS, Term};
use crate::curve25519::scalar::radix_16;
use crate::curve25519::tables::{D, SQRT_M1};
use crate::mem::Secret;
use core::arch::x86_64::*;

/// From how many jobs on eight lanes, some of them idle, are faster than one job after the other.
const WORTH_IT: usize = 3;

/// X25519 of clamped scalars and as many points.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn agree(scalars: &[Words], points: &[Words], shared: &mut [Words]) {
    for ((scalars, points), shared) in
        scalars.chunks(8 * GROUPS).zip(points.chunks(8 * GROUPS)).zip(shared.chunks_mut(8 * GROUPS))
    {
        let (mut x, mut z) = ([all(&[0; 5]); GROUPS], [all(&[0; 5]); GROUPS]);
        let mut groups = 0;
        for ((scalars, points), shared) in scalars.chunks(8).zip(points.chunks(8)).zip(shared.chunks_mut(8)) {
            if scalars.len() < WORTH_IT {
                for ((scalar, point), shared) in scalars.iter().zip(points).zip(shared) {
                    *shared = ladder::ladder(scalar, point);
                }
                continue;
            }
            let (mut k, mut u) = (Secret::new([[0; 4]; 8]), [[0; 4]; 8]);
            k[..scalars.len()].copy_from_slice(scalars);
            u[..points.len()].copy_from_slice(points);
            (x[groups], z[groups]) = ladder8::ladder(&k, &u);
            groups += 1;
        }
        invert(&mut z[..groups]);
        for ((x, z), shared) in x[..groups].iter().zip(&z).zip(shared.chunks_mut(8)) {
            shared.copy_from_slice(&to_words(&mul(x, z))[..shared.len()]);
        }
    }
}

/// Multiples of the base point.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn base(scalars: &[Words], points: &mut [Affine]) {
    for (scalars, points) in scalars.chunks(8 * GROUPS).zip(points.chunks_mut(8 * GROUPS)) {
        let empty = [all(&[0; 5]); GROUPS];
        let (mut x, mut y, mut z, mut groups) = (empty, empty, empty, 0);
        for (scalars, points) in scalars.chunks(8).zip(points.chunks_mut(8)) {
            if scalars.len() < WORTH_IT {
                for (scalar, point) in scalars.iter().zip(points) {
                    *point = super::base_affine(scalar);
                }
                continue;
            }
            let mut k = Secret::new([[0; 4]; 8]);
            k[..scalars.len()].copy_from_slice(scalars);
            let multiples = base::base_8(&k);
            x[groups] = carried!(zmm; multiples.x);
            y[groups] = carried!(zmm; multiples.y);
            z[groups] = carried!(zmm; multiples.z);
            groups += 1;
        }
        invert(&mut z[..groups]);
        for (i, points) in points.chunks_mut(8).take(groups).enumerate() {
            let (x, y) = (to_words(&mul(&x[i], &z[i])), to_words(&mul(&y[i], &z[i])));
            for ((point, x), y) in points.iter_mut().zip(x).zip(y) {
                *point = Affine { x, y };
            }
        }
    }
}

/// The points with these encodings; `false` if one of them is none.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn decode_vartime(encoded: &[[u8; 32]], points: &mut [Affine]) -> bool {
    let mut valid = true;
    for (encoded, points) in encoded.chunks(8).zip(points.chunks_mut(8)) {
        let mut lanes = [Affine::IDENTITY.y; 8];
        for (lane, encoded) in lanes.iter_mut().zip(encoded) {
            *lane = words(encoded);
        }
        for (point, decoded) in points.iter_mut().zip(decode_8_vartime(&lanes)) {
            valid &= decoded.is_some();
            *point = decoded.unwrap_or(Affine::IDENTITY);
        }
    }
    valid
}

/// RFC 8032, section 5.1.3, with the leniency of ZIP 215, in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn decode_8_vartime(encoded: &[Words; 8]) -> [Option<Affine>; 8] {
    let one = all(&[1, 0, 0, 0, 0]);
    let y = from_words(encoded);
    // x² = u/v with u = y² − 1, v = dy² + 1; x = u·v³·(u·v⁷)^((p − 5)/8), up to a root of −1.
    let y2 = square_n(&y, 1);
    let u = carried!(zmm; difference(&y2, &one));
    let v = product8!(y2, all(&limbs(&D)));
    let v = carried!(zmm; sum(&v, &one));
    let v3 = mul(&square_n(&v, 1), &v);
    let uv3 = mul(&u, &v3);
    let root = pow_p58(&mul(&mul(&u, &square_n(&v3, 1)), &v));
    let x = mul(&uv3, &root);
    let check = mul(&square_n(&x, 1), &v);
    let right = zeros(&carried!(zmm; difference(&check, &u)));
    let opposite = zeros(&carried!(zmm; sum(&check, &u)));
    let other = mul(&x, &all(&limbs(&SQRT_M1)));
    let (x, y) = (to_words(&core::array::from_fn(|i| _mm512_mask_mov_epi64(x[i], !right, other[i]))), to_words(&y));
    core::array::from_fn(|i| {
        let point = Affine { x: x[i], y: y[i] };
        let point = if point.x[0] & 1 == encoded[i][3] >> 63 { point } else { point.negate() };
        ((right | opposite) >> i & 1 == 1).then_some(point)
    })
}

/// `x^((p − 5) / 8)`, by the chain of the portable field.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn pow_p58(x: &Eight) -> Eight {
    let x2 = square_n(x, 1);
    let x9 = mul(&square_n(&x2, 2), x);
    let x11 = mul(&x9, &x2);
    let e5 = mul(&square_n(&x11, 1), &x9);
    let e10 = mul(&square_n(&e5, 5), &e5);
    let e20 = mul(&square_n(&e10, 10), &e10);
    let e40 = mul(&square_n(&e20, 20), &e20);
    let e50 = mul(&square_n(&e40, 10), &e10);
    let e100 = mul(&square_n(&e50, 50), &e50);
    let e200 = mul(&square_n(&e100, 100), &e100);
    let e250 = mul(&square_n(&e200, 50), &e50);
    mul(&square_n(&e250, 2), x)
}

/// Whether eight times the sum of the terms and of `base·B` is the identity: eight terms to a group, digits of radix 16,
/// one accumulator in each lane, all lanes added up at the end.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn combination_vartime(terms: &[Term], base: &Words) -> bool {
    const SETS: usize = TERMS / 8;
    // 1…8 times each point.
    let mut tables = [[[Row::IDENTITY; 8]; 8]; SETS];
    let mut digits = [[[0i8; 8]; 64]; SETS];
    let mut tops = [0; SETS];
    for (g, terms) in terms.chunks(8).enumerate() {
        let mut points = [Affine::IDENTITY; 8];
        for (lane, (scalar, point)) in terms.iter().enumerate() {
            points[lane] = *point;
            for (i, digit) in radix_16(scalar).into_iter().enumerate() {
                digits[g][i][lane] = digit;
                if digit != 0 {
                    tops[g] = tops[g].max(i);
                }
            }
        }
        let mut multiple = Points::from_affine(&points);
        let once = multiple.cache();
        once.store_rows(&mut tables[g][0]);
        for rows in &mut tables[g][1..] {
            multiple.add_cached(&once);
            multiple.cache().store_rows(rows);
        }
    }
    let used = terms.len().div_ceil(8);
    let mut sums = Points::from_affine(&[Affine::IDENTITY; 8]);
    let top = tops.into_iter().max().unwrap_or(0);
    for i in (0..=top).rev() {
        if i < top {
            for with_t in [false, false, false, true] {
                sums.double(with_t);
            }
        }
        for g in (0..used).filter(|g| tops[*g] >= i) {
            sums.add_cached(&select(&tables[g], digits[g][i]));
        }
    }
    points::is_small_order_sum_vartime(&sums.merge(), &base::base(base))
}

/// What the lanes' digits take from the tables of eight terms. A row for each term and multiple is read, of the digits'
/// choice: they are public, and a scan of all rows would be most of an addition.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn select(table: &[[Row; 8]; 8], digits: [i8; 8]) -> Cached {
    let identity = Row::IDENTITY;
    let rows = core::array::from_fn(|lane| match digits[lane].unsigned_abs() {
        0 => &identity,
        size => &table[usize::from(size) - 1][lane],
    });
    let negative = digits.iter().enumerate().fold(0, |mask, (lane, digit)| mask | u8::from(*digit < 0) << lane);
    let Cached { plus, minus, t2d, z2 } = Cached::from_rows(&rows);
    Cached {
        plus: core::array::from_fn(|i| _mm512_mask_mov_epi64(plus[i], negative, minus[i])),
        minus: core::array::from_fn(|i| _mm512_mask_mov_epi64(minus[i], negative, plus[i])),
        // 2p − t
        t2d: core::array::from_fn(|i| _mm512_mask_sub_epi64(t2d[i], negative, zmm::all(BIAS[i] >> 10), t2d[i])),
        z2,
    }
}

//! Batches: four independent jobs in four lanes.

use super::base::base_4;
use super::ladder::ladder;
use super::lanes::{EMPTY, Factor, Four, all, carried, difference, everywhere, gather, limbs, scatter};
use super::points::Points;
use super::product::{mul, square};
use crate::curve25519::edwards::Affine;
use crate::curve25519::field::{Fe, Field, Words, words};
use crate::curve25519::many::invert_many;
use crate::curve25519::tables::{D, SQRT_M1};
use crate::mem::{Secret, ct};
use core::arch::x86_64::*;

/// From how many jobs on four lanes, one of them idle, are faster than one job after the other.
const WORTH_IT: usize = 3;

/// How many of `n` jobs to do in lanes.
const fn in_lanes(n: usize) -> usize {
    if n % 4 < WORTH_IT { n - n % 4 } else { n }
}

/// X25519 of clamped scalars and as many points.
#[target_feature(enable = "avx2")]
pub(super) fn agree(scalars: &[Words], points: &[Words], shared: &mut [Words]) {
    for ((scalars, points), shared) in scalars.chunks(8).zip(points.chunks(8)).zip(shared.chunks_mut(8)) {
        let n = in_lanes(scalars.len());
        for ((scalar, point), shared) in scalars.iter().zip(points).zip(&mut *shared).skip(n) {
            *shared = ladder(scalar, point);
        }
        let (mut k, mut u) = (Secret::new([[0; 4]; 8]), [[0; 4]; 8]);
        k[..n].copy_from_slice(&scalars[..n]);
        u[..n].copy_from_slice(&points[..n]);
        let (mut x, mut z) = ([Fe::ONE; 8], [Fe::ONE; 8]);
        for i in 0..n.div_ceil(4) {
            let lanes = 4 * i..4 * i + 4;
            let [x4, z4] = ladder_4(&k.as_chunks().0[i], &u.as_chunks().0[i]);
            x[lanes.clone()].copy_from_slice(&x4);
            z[lanes].copy_from_slice(&z4);
        }
        if n > 0 {
            invert_many(&mut z);
        }
        for (i, shared) in shared[..n].iter_mut().enumerate() {
            *shared = x[i].mul(&z[i]).to_words();
        }
    }
}

/// The ladder of RFC 7748 in each lane: x2 and z2. An exchange of the two points is one of A with C and of B with D where
/// they are squared: DA and CB change places, and what is made of them stays the same.
#[inline]
#[target_feature(enable = "avx2")]
fn ladder_4(scalars: &[Words; 4], u: &[Words; 4]) -> [[Fe; 4]; 2] {
    let start = gather(&u.each_ref().map(limbs));
    let mut x1 = Factor::EMPTY;
    x1.set_all(&start);
    let mut one = EMPTY;
    one[0] = all(1);
    let (mut x2, mut z2, mut x3, mut z3) = (one, EMPTY, start, one);
    let a24 = all(121_665);
    let (mut a, mut b, mut c, mut d) = (Factor::EMPTY, Factor::EMPTY, EMPTY, EMPTY);
    let (mut aa, mut bb, mut cb, mut da) = (EMPTY, EMPTY, EMPTY, EMPTY);
    let mut last = all(0);
    for bit in (0..255).rev() {
        let word = scalars.each_ref().map(|k| ct::barrier(k[bit / 64]) as i64);
        let word = _mm256_setr_epi64x(word[0], word[1], word[2], word[3]);
        let now = _mm256_cmpgt_epi64(all(0), _mm256_sll_epi64(word, _mm_cvtsi32_si128(63 - bit as i32 % 64)));
        let exchange = _mm256_xor_si256(now, last);
        last = now;
        for i in 0..10 {
            let (sum2, less2) = (_mm256_add_epi64(x2[i], z2[i]), difference(i, x2[i], z2[i]));
            let (sum3, less3) = (_mm256_add_epi64(x3[i], z3[i]), difference(i, x3[i], z3[i]));
            a.set(i, sum2);
            b.set(i, less2);
            c[i] = sum3;
            d[i] = less3;
            aa[i] = _mm256_blendv_epi8(sum2, sum3, exchange);
            bb[i] = _mm256_blendv_epi8(less2, less3, exchange);
        }
        mul(&mut da, &d, &a);
        mul(&mut cb, &c, &b);
        square(&mut c, &aa);
        square(&mut d, &bb);
        let (aa, bb) = (&c, &d);
        // E, and AA + a24·E
        let mut sums = EMPTY;
        for i in 0..10 {
            x2[i] = difference(i, aa[i], bb[i]);
            sums[i] = _mm256_add_epi64(aa[i], _mm256_mul_epu32(x2[i], a24));
        }
        a.set_all(&carried(&sums));
        mul(&mut z2, &x2, &a);
        b.set_all(bb);
        mul(&mut x2, aa, &b);
        for i in 0..10 {
            c[i] = _mm256_add_epi64(da[i], cb[i]);
            d[i] = difference(i, da[i], cb[i]);
        }
        square(&mut x3, &c);
        square(&mut c, &d);
        mul(&mut z3, &c, &x1);
    }
    // Clamped scalars are even, so no exchange is owed.
    [scatter(&x2), scatter(&z2)]
}

/// Multiples of the base point.
#[target_feature(enable = "avx2")]
pub(super) fn base(scalars: &[Words], points: &mut [Affine]) {
    for (scalars, points) in scalars.chunks(8).zip(points.chunks_mut(8)) {
        let n = in_lanes(scalars.len());
        for (scalar, point) in scalars.iter().zip(&mut *points).skip(n) {
            *point = super::base(scalar);
        }
        let mut k = Secret::new([[0; 4]; 8]);
        k[..n].copy_from_slice(&scalars[..n]);
        let [mut x, mut y, mut z] = [[Fe::ONE; 8]; 3];
        let mut sums = Points::EMPTY;
        for i in 0..n.div_ceil(4) {
            base_4(&mut sums, &k.as_chunks().0[i]);
            let lanes = 4 * i..4 * i + 4;
            x[lanes.clone()].copy_from_slice(&scatter(&sums.x));
            y[lanes.clone()].copy_from_slice(&scatter(&sums.y));
            z[lanes].copy_from_slice(&scatter(&sums.z));
        }
        if n > 0 {
            invert_many(&mut z);
        }
        for (i, point) in points[..n].iter_mut().enumerate() {
            *point = Affine { x: x[i].mul(&z[i]).to_words(), y: y[i].mul(&z[i]).to_words() };
        }
    }
}

/// The points with these encodings; `false` if one of them is none.
#[target_feature(enable = "avx2")]
pub(super) fn decode_vartime(encoded: &[[u8; 32]], points: &mut [Affine]) -> bool {
    let mut valid = true;
    for (encoded, points) in encoded.chunks(4).zip(points.chunks_mut(4)) {
        let mut lanes = [Affine::IDENTITY.y; 4];
        for (lane, encoded) in lanes.iter_mut().zip(encoded) {
            *lane = words(encoded);
        }
        for (point, decoded) in points.iter_mut().zip(decode_4_vartime(&lanes)) {
            valid &= decoded.is_some();
            *point = decoded.unwrap_or(Affine::IDENTITY);
        }
    }
    valid
}

/// RFC 8032, section 5.1.3, with the leniency of ZIP 215, in each lane.
#[target_feature(enable = "avx2")]
fn decode_4_vartime(encoded: &[Words; 4]) -> [Option<Affine>; 4] {
    let y = gather(&encoded.each_ref().map(limbs));
    let (mut v, mut y2) = (EMPTY, EMPTY);
    // x² = u/v with u = y² − 1, v = dy² + 1; x = u·v³·(u·v⁷)^((p − 5)/8), up to a root of −1.
    square(&mut y2, &y);
    let mut d = Factor::EMPTY;
    d.set_all(&everywhere(&limbs(&D)));
    mul(&mut v, &y2, &d);
    v[0] = _mm256_add_epi64(v[0], all(1));
    let mut u = EMPTY;
    for (i, limb) in u.iter_mut().enumerate() {
        *limb = difference(i, y2[i], all(u64::from(i == 0)));
    }
    let v3 = times(&squared_n(&v, 1), &v);
    let uv3 = times(&u, &v3);
    let root = pow_p58(&times(&times(&u, &squared_n(&v3, 1)), &v));
    let x = times(&uv3, &root);
    let check = times(&squared_n(&x, 1), &v);
    let (x, y, u, check) = (scatter(&x), scatter(&y), scatter(&carried(&u)), scatter(&check));
    core::array::from_fn(|i| {
        let mut x = x[i];
        if check[i].sub(&u[i]).to_words() != [0; 4] {
            if check[i].add(&u[i]).to_words() != [0; 4] {
                return None;
            }
            x = x.mul(&Field::from_words(&SQRT_M1));
        }
        let point = Affine { x: x.to_words(), y: y[i].to_words() };
        Some(if point.x[0] & 1 == encoded[i][3] >> 63 { point } else { point.negate() })
    })
}

/// The product of limbs below 3.3 units.
#[target_feature(enable = "avx2")]
fn times(a: &Four, b: &Four) -> Four {
    let (mut out, mut right) = (EMPTY, Factor::EMPTY);
    right.set_all(b);
    mul(&mut out, a, &right);
    out
}

/// Squared `n` times.
#[target_feature(enable = "avx2")]
fn squared_n(x: &Four, n: u32) -> Four {
    let (mut x, mut out) = (*x, EMPTY);
    for _ in 0..n / 2 {
        square(&mut out, &x);
        square(&mut x, &out);
    }
    if n % 2 == 1 {
        square(&mut out, &x);
        return out;
    }
    x
}

/// `x^((p − 5) / 8)`, by the chain of the portable field.
#[target_feature(enable = "avx2")]
fn pow_p58(x: &Four) -> Four {
    let x2 = squared_n(x, 1);
    let x9 = times(&squared_n(&x2, 2), x);
    let x11 = times(&x9, &x2);
    let e5 = times(&squared_n(&x11, 1), &x9);
    let e10 = times(&squared_n(&e5, 5), &e5);
    let e20 = times(&squared_n(&e10, 10), &e10);
    let e40 = times(&squared_n(&e20, 20), &e20);
    let e50 = times(&squared_n(&e40, 10), &e10);
    let e100 = times(&squared_n(&e50, 50), &e50);
    let e200 = times(&squared_n(&e100, 100), &e100);
    let e250 = times(&squared_n(&e200, 50), &e50);
    times(&squared_n(&e250, 2), x)
}

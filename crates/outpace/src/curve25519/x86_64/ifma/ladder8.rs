//! X25519 for eight pairs, one in each lane.
//!
//! Limbs of 52 bits, the width of VPMADD52, so that halves of products need no shifts and what is above 2^260 = 32·19
//! folds by the same instruction: fewer instructions than with 51 bits, in longer chains, for which eight lanes have the
//! time. Five vectors are either *limbs*, ready to be multiplied, or *columns*, as a product leaves them:
//!
//! - Of limbs 0 to 3 the lowest 52 bits count alone: what is above them has been handed on and is left standing. Limb 4 is
//!   below 2^47 + 2^12. So limbs may be multiplied, moved, and nothing else.
//! - A product has columns below 11·2^52, whatever its factors. One of them may be subtracted from something that has
//!   [`BIAS`] added, before a carry brings limbs again.
//!
//! Floor of a step: 473 multiplications and 260 other instructions of 512 bits, two in a cycle, 367 cycles; where one
//! multiplication starts in a cycle, as on Zen 4, 473. Chains that wait for each other stand apart.

use super::eight::{Eight, all, sum};
use super::lanes;
use super::lanes::zmm;
use crate::curve25519::field::Words;
use crate::mem::{Secret, ct};
use crate::simd::{load256_u64, load512_u64, transpose8};
use core::arch::x86_64::*;

/// The lowest 52 bits.
const MASK: u64 = (1 << 52) - 1;

/// Those below bit 255 in the last limb.
const LAST: u64 = (1 << 47) - 1;

/// p·2^10 in columns, above those of a product: added before a subtraction, it keeps every lane positive.
const BIAS: [u64; 5] = [(MASK - 18) << 10, MASK << 10, MASK << 10, MASK << 10, LAST << 10];

/// What a square starts from to have [`BIAS`] added: it doubles all columns but the first.
const HALF_BIAS: [u64; 5] = [BIAS[0], BIAS[1] / 2, BIAS[2] / 2, BIAS[3] / 2, BIAS[4] / 2];

/// `a` + what `b` has above 52 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn add_carry(a: __m512i, b: __m512i) -> __m512i {
    zmm::add(a, _mm512_srli_epi64::<52>(b))
}

/// The columns of the product of two fives of limbs, added to `start`.
macro_rules! product {
    ($a:expr, $b:expr; $start:expr) => {{
        let (a, b, [c0, c1, c2, c3, c4], zero) = ($a, $b, $start, zmm::zero());
        let mut c = [c0, c1, c2, c3, c4, zero, zero, zero, zero, zero];
        // What the upper columns fold into is needed last.
        for j in (0..5).rev() {
            for i in 0..5 {
                c[i + j + 1] = zmm::high(c[i + j + 1], a[i], b[j]);
            }
            for i in 0..5 {
                c[i + j] = zmm::low(c[i + j], a[i], b[j]);
            }
        }
        folded!(c)
    }};
}

/// The columns of a square of limbs, added to `start`, of which all but the first are doubled.
macro_rules! square {
    ($a:expr; $start:expr) => {{
        let (a, [c0, c1, c2, c3, c4], zero) = ($a, $start, zmm::zero());
        let mut c = [c0, c1, c2, c3, c4, zero, zero, zero, zero, zero];
        for j in (1..5).rev() {
            for i in 0..j {
                c[i + j + 1] = zmm::high(c[i + j + 1], a[i], a[j]);
                c[i + j] = zmm::low(c[i + j], a[i], a[j]);
            }
        }
        for column in &mut c[1..9] {
            *column = zmm::add(*column, *column);
        }
        for i in 0..5 {
            c[2 * i] = zmm::low(c[2 * i], a[i], a[i]);
            c[2 * i + 1] = zmm::high(c[2 * i + 1], a[i], a[i]);
        }
        folded!(c)
    }};
}

/// Columns 5 to 9, carried and multiplied by 2^260 = 32·19, into the lower ones. The last is below 2^42 + 2^9, its product
/// below 2^52.
macro_rules! folded {
    ($c:expr) => {{
        let (mut c, factor) = ($c, zmm::all(32 * 19));
        for i in 5..9 {
            c[i - 5] = zmm::low(c[i - 5], c[i], factor);
            c[i - 4] = zmm::high(c[i - 4], c[i], factor);
            c[i + 1] = add_carry(c[i + 1], c[i]);
        }
        [c[0], c[1], c[2], c[3], zmm::low(c[4], c[9], factor)]
    }};
}

/// Limbs from columns: what is above bit 255 goes 19 times to the first, then each hands on what it has above 52 bits.
macro_rules! carried {
    ($c:expr) => {{
        let mut c = $c;
        let top = _mm512_srli_epi64::<47>(c[4]);
        c[4] = zmm::and(c[4], zmm::all(LAST));
        c[0] = zmm::low(c[0], top, zmm::all(19));
        for i in 0..4 {
            c[i + 1] = add_carry(c[i + 1], c[i]);
        }
        c
    }};
}

/// Limbs of `AA + a24·E`.
macro_rules! a24_sum {
    ($aa:expr, $e:expr) => {{
        let (a24, mut f) = (zmm::all(121_665), $aa);
        for i in 0..5 {
            f[i] = zmm::low(f[i], $e[i], a24);
        }
        f[0] = zmm::low(f[0], zmm::high(zmm::all(0), $e[4], a24), zmm::all(32 * 19));
        for i in 0..4 {
            f[i + 1] = zmm::high(f[i + 1], $e[i], a24);
        }
        carried!(f)
    }};
}

/// The ladder of RFC 7748 in each lane, of clamped scalars: numerators and denominators, as limbs of 51 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn ladder(scalars: &[Words; 8], u: &[Words; 8]) -> (Eight, Eight) {
    let x1 = from_words(u);
    let scalars: Secret<[[u64; 8]; 4]> = Secret::new(core::array::from_fn(|i| scalars.each_ref().map(|k| k[i])));
    let (zero, bias, half_bias) = ([zmm::zero(); 5], all(&BIAS), all(&HALF_BIAS));
    // Bit 254 is set and bits 0 to 2 are not, which leaves doublings.
    let (mut x3, mut z3) = (sum(&x1, &bias), all(&[1, 0, 0, 0, 0]));
    let (mut x2, mut z2) = doubled(&x3, &z3);
    let mut last = u8::MAX;
    for i in (3..254).rev() {
        let bits = _mm512_test_epi64_mask(load512_u64(&scalars[i / 64]), zmm::all(1 << (i % 64)));
        let exchange = ct::barrier(u64::from(bits ^ last)) as u8;
        last = bits;
        let (c, d) = (carried!(sum(&x3, &z3)), carried!(minus(&x3, &z3)));
        let (a, b) = (carried!(sum(&x2, &z2)), carried!(minus(&x2, &z2)));
        // An exchange of the points leaves DA + CB as it is, and of DA − CB the square.
        let da = product!(d, a; bias);
        let a = first(exchange, &a, &c);
        let cb = product!(c, b; zero);
        let b = first(exchange, &b, &d);
        let aa = square!(a; half_bias);
        let difference = carried!(minus(&da, &cb));
        let bb = square!(b; zero);
        let sum = carried!(sum(&da, &cb));
        let bb_limbs = carried!(bb);
        let w = carried!(square!(difference; zero));
        let e = carried!(minus(&aa, &bb));
        let f = a24_sum!(aa, e);
        x3 = square!(sum; half_bias);
        z3 = product!(w, x1; zero);
        let aa = carried!(aa);
        z2 = product!(e, f; zero);
        x2 = product!(aa, bb_limbs; bias);
    }
    let exchange = ct::barrier(u64::from(last)) as u8;
    (x2, z2) = (first(exchange, &x2, &x3), first(exchange, &z2, &z3));
    for _ in 0..3 {
        (x2, z2) = doubled(&x2, &z2);
    }
    (limbs_of_51(&x2), limbs_of_51(&z2))
}

/// `a − b` of what has [`BIAS`] added and what has not.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn minus(a: &Eight, b: &Eight) -> Eight {
    core::array::from_fn(|i| _mm512_sub_epi64(a[i], b[i]))
}

/// In each lane `a`, or `c` after an exchange.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn first(exchange: __mmask8, a: &Eight, c: &Eight) -> Eight {
    core::array::from_fn(|i| _mm512_mask_mov_epi64(a[i], exchange, c[i]))
}

/// A step of the ladder without its addition.
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn doubled(x: &Eight, z: &Eight) -> (Eight, Eight) {
    let (zero, bias, half_bias) = ([zmm::zero(); 5], all(&BIAS), all(&HALF_BIAS));
    let aa = square!(carried!(sum(x, z)); half_bias);
    let bb = square!(carried!(minus(x, z)); zero);
    let e = carried!(minus(&aa, &bb));
    let f = a24_sum!(aa, e);
    (product!(carried!(aa), carried!(bb); bias), product!(e, f; zero))
}

/// Limbs of the integers modulo 2^255, one in each lane, with nothing above 52 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn from_words(elements: &[Words; 8]) -> Eight {
    let [a, b, c, d, ..] = transpose8(elements.each_ref().map(|e| _mm512_zextsi256_si512(load256_u64(e))));
    let limb = |low, high| zmm::and(_mm512_or_si512(low, high), zmm::all(MASK));
    [
        zmm::and(a, zmm::all(MASK)),
        limb(_mm512_srli_epi64::<52>(a), _mm512_slli_epi64::<12>(b)),
        limb(_mm512_srli_epi64::<40>(b), _mm512_slli_epi64::<24>(c)),
        limb(_mm512_srli_epi64::<28>(c), _mm512_slli_epi64::<36>(d)),
        zmm::and(_mm512_srli_epi64::<16>(d), zmm::all(LAST)),
    ]
}

/// Columns as limbs of 51 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn limbs_of_51(columns: &Eight) -> Eight {
    let [a, b, c, d, e] = carried!(*columns);
    let [a, b, c, d] = [a, b, c, d].map(|l| zmm::and(l, zmm::all(MASK)));
    let limb = |low, high| zmm::and(_mm512_or_si512(low, high), zmm::all(lanes::MASK));
    [
        zmm::and(a, zmm::all(lanes::MASK)),
        limb(_mm512_srli_epi64::<51>(a), _mm512_slli_epi64::<1>(b)),
        limb(_mm512_srli_epi64::<50>(b), _mm512_slli_epi64::<2>(c)),
        limb(_mm512_srli_epi64::<49>(c), _mm512_slli_epi64::<3>(d)),
        _mm512_or_si512(_mm512_srli_epi64::<48>(d), _mm512_slli_epi64::<4>(e)),
    ]
}

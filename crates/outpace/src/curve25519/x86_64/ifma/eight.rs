//! Eight points in eight lanes: the formulas of the portable kernel, coordinate by coordinate.

use super::lanes::{BIAS, MASK, carried, limbs, product8, square8, zmm};
use super::points::Four;
use crate::curve25519::edwards::Affine;
use crate::curve25519::field::Words;
use crate::curve25519::tables::D2;
use crate::simd::{load256_u64, load512_u64, store256_u64, store512_u64, transpose8};
use core::arch::x86_64::*;

/// Five vectors of eight lanes.
pub(super) type Eight = [__m512i; 5];

/// Limbs of the integers modulo 2^255, one in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn from_words(elements: &[Words; 8]) -> Eight {
    let [a, b, c, d, ..] = transpose8(elements.each_ref().map(|e| _mm512_zextsi256_si512(load256_u64(e))));
    let mask = zmm::all(MASK);
    let limb = |low, high| _mm512_and_si512(_mm512_or_si512(low, high), mask);
    [
        _mm512_and_si512(a, mask),
        limb(_mm512_srli_epi64::<51>(a), _mm512_slli_epi64::<13>(b)),
        limb(_mm512_srli_epi64::<38>(b), _mm512_slli_epi64::<26>(c)),
        limb(_mm512_srli_epi64::<25>(c), _mm512_slli_epi64::<39>(d)),
        _mm512_and_si512(_mm512_srli_epi64::<12>(d), mask),
    ]
}

/// Limbs of the representatives in [0, p).
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn canonical(limbs: &Eight) -> Eight {
    // What a sequence of carries hands out at the end: with 19 more at the start, whether the element is at least p.
    let carry =
        |x: &Eight, start| x.iter().fold(start, |carry, l| _mm512_srli_epi64::<51>(_mm512_add_epi64(*l, carry)));
    let above = carry(limbs, zmm::all(19));
    let mut carry = zmm::low(zmm::all(0), above, zmm::all(19));
    limbs.map(|limb| {
        let limb = _mm512_add_epi64(limb, carry);
        carry = _mm512_srli_epi64::<51>(limb);
        _mm512_and_si512(limb, zmm::all(MASK))
    })
}

/// The words of each lane, canonical.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn to_words(limbs: &Eight) -> [Words; 8] {
    let [a, b, c, d, e] = canonical(limbs);
    let zero = zmm::all(0);
    let rows = transpose8([
        _mm512_or_si512(a, _mm512_slli_epi64::<51>(b)),
        _mm512_or_si512(_mm512_srli_epi64::<13>(b), _mm512_slli_epi64::<38>(c)),
        _mm512_or_si512(_mm512_srli_epi64::<26>(c), _mm512_slli_epi64::<25>(d)),
        _mm512_or_si512(_mm512_srli_epi64::<39>(d), _mm512_slli_epi64::<12>(e)),
        zero,
        zero,
        zero,
        zero,
    ]);
    rows.map(|row| {
        let mut words = [0; 4];
        store256_u64(&mut words, _mm512_castsi512_si256(row));
        words
    })
}

/// The lanes that are zero.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn zeros(limbs: &Eight) -> __mmask8 {
    let [a, b, c, d, e] = canonical(limbs);
    let any = _mm512_or_si512(_mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d)), e);
    _mm512_testn_epi64_mask(any, any)
}

/// How many vectors are inverted at once.
pub(super) const GROUPS: usize = 4;

/// Replaces all elements of at most [`GROUPS`] vectors by their inverses, zero by zero, with one inversion: Montgomery's
/// trick, lane by lane and then over a tree of the lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn invert(vectors: &mut [Eight]) {
    let one = all(&[1, 0, 0, 0, 0]);
    let (mut zero, mut before, mut product) = ([0; GROUPS], [one; GROUPS], one);
    for (i, v) in vectors.iter_mut().enumerate() {
        // Something invertible in the place of every zero.
        zero[i] = zeros(v);
        *v = core::array::from_fn(|j| _mm512_mask_mov_epi64(v[j], zero[i], one[j]));
        before[i] = product;
        product = mul(&product, v);
    }
    let mut inverse = invert_lanes(&product);
    for (i, v) in vectors.iter_mut().enumerate().rev() {
        let inverted = mul(&inverse, &before[i]);
        inverse = mul(&inverse, v);
        *v = inverted.map(|l| _mm512_maskz_mov_epi64(!zero[i], l));
    }
}

/// The inverses of eight elements, none of them zero.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn invert_lanes(lanes: &Eight) -> Eight {
    let neighbours = lanes.map(|l| _mm512_permutex_epi64::<0b10_11_00_01>(l));
    let pairs = mul(lanes, &neighbours);
    let other_pairs = pairs.map(|l| _mm512_permutex_epi64::<0b01_00_11_10>(l));
    let halves = mul(&pairs, &other_pairs);
    let other_halves = halves.map(|l| _mm512_shuffle_i64x2::<0b01_00_11_10>(l, l));
    let [product, ..] = to_words(&mul(&halves, &other_halves));
    let others = mul(&mul(&neighbours, &other_pairs), &other_halves);
    mul(&others, &all(&limbs(&crate::curve25519::invert::invert(&product))))
}

/// The same element in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn all(element: &[u64; 5]) -> Eight {
    core::array::from_fn(|i| zmm::all(element[i]))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn sum(a: &Eight, b: &Eight) -> Eight {
    core::array::from_fn(|i| _mm512_add_epi64(a[i], b[i]))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn difference(a: &Eight, b: &Eight) -> Eight {
    core::array::from_fn(|i| _mm512_sub_epi64(_mm512_add_epi64(a[i], zmm::all(BIAS[i])), b[i]))
}

/// Limbs squared `n` times.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn square_n(x: &Eight, n: u32) -> Eight {
    let mut x = *x;
    for _ in 0..n {
        let square = square8!(x);
        x = carried!(zmm; square);
    }
    x
}

/// The product of limbs, as limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn mul(a: &Eight, b: &Eight) -> Eight {
    let product = product8!(*a, *b);
    carried!(zmm; product)
}

/// Extended coordinates, in columns.
#[derive(Clone, Copy)]
pub(super) struct Points {
    pub(super) x: Eight,
    pub(super) y: Eight,
    pub(super) t: Eight,
    pub(super) z: Eight,
}

/// Points prepared for addition: Y + X, Y − X, 2dT, 2Z, as limbs below 2^52.
#[derive(Clone, Copy)]
pub(super) struct Cached {
    pub(super) plus: Eight,
    pub(super) minus: Eight,
    pub(super) t2d: Eight,
    pub(super) z2: Eight,
}

/// One of them, as words to be moved: limbs 0 to 7, 8 to 15 and 12 to 19 of the four.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Row([[u64; 8]; 3]);

impl Row {
    /// 1, 1, 0, 2
    pub(super) const IDENTITY: Self =
        Self([[1, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 2], [0, 0, 0, 2, 0, 0, 0, 0]]);
}

impl Cached {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn store_rows(&self, rows: &mut [Row; 8]) {
        let limbs = [self.plus, self.minus, self.t2d, self.z2];
        let limbs = limbs.as_flattened();
        for (i, start) in [0, 8, 12].into_iter().enumerate() {
            for (row, words) in rows.iter_mut().zip(transpose8(core::array::from_fn(|j| limbs[start + j]))) {
                store512_u64(&mut row.0[i], words);
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn from_rows(rows: &[&Row; 8]) -> Self {
        let [l, m, h] = core::array::from_fn(|i| transpose8(rows.map(|row| load512_u64(&row.0[i]))));
        Self {
            plus: [l[0], l[1], l[2], l[3], l[4]],
            minus: [l[5], l[6], l[7], m[0], m[1]],
            t2d: [m[2], m[3], m[4], m[5], m[6]],
            z2: [h[3], h[4], h[5], h[6], h[7]],
        }
    }
}

impl Points {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn from_affine(points: &[Affine; 8]) -> Self {
        let (x, y) = (from_words(&points.map(|p| p.x)), from_words(&points.map(|p| p.y)));
        Self { x, y, t: product8!(x, y), z: all(&[1, 0, 0, 0, 0]) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn cache(&self) -> Cached {
        let t = carried!(zmm; self.t);
        Cached {
            plus: carried!(zmm; sum(&self.y, &self.x)),
            minus: carried!(zmm; difference(&self.y, &self.x)),
            t2d: mul(&t, &all(&limbs(&D2))),
            z2: carried!(zmm; sum(&self.z, &self.z)),
        }
    }

    /// From E, F, G, H in columns.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    fn finish(&mut self, e: &Eight, f: &Eight, g: &Eight, h: &Eight, with_t: bool) {
        let (e, f) = (carried!(zmm; *e), carried!(zmm; *f));
        let (g, h) = (carried!(zmm; *g), carried!(zmm; *h));
        self.x = product8!(e, f);
        self.y = product8!(h, g);
        self.z = product8!(f, g);
        if with_t {
            self.t = product8!(e, h);
        }
    }

    /// Adds affine points, given as y + x, y − x, 2dxy.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn add_niels(&mut self, [plus, minus, t2d]: &[Eight; 3]) {
        let d = sum(&self.z, &self.z);
        self.add(plus, minus, t2d, &d);
    }

    /// Adds prepared points.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn add_cached(&mut self, other: &Cached) {
        let z = carried!(zmm; self.z);
        let d = product8!(z, other.z2);
        self.add(&other.plus, &other.minus, &other.t2d, &d);
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    fn add(&mut self, plus: &Eight, minus: &Eight, t2d: &Eight, d: &Eight) {
        let a = carried!(zmm; difference(&self.y, &self.x));
        let a = product8!(a, *minus);
        let b = carried!(zmm; sum(&self.y, &self.x));
        let b = product8!(b, *plus);
        let c = carried!(zmm; self.t);
        let c = product8!(c, *t2d);
        self.finish(&difference(&b, &a), &difference(d, &c), &sum(d, &c), &sum(&b, &a), true);
    }

    /// Doubles; T is not read, and written only if wanted.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn double(&mut self, with_t: bool) {
        let (x, y) = (carried!(zmm; self.x), carried!(zmm; self.y));
        let (z, xy) = (carried!(zmm; self.z), carried!(zmm; sum(&self.x, &self.y)));
        let a = square8!(x);
        let b = square8!(y);
        let c = square8!(z);
        let d = square8!(xy);
        let h = sum(&a, &b);
        let g = difference(&a, &b);
        // 2C + A − B is below 2^63, as a sum of products below 2^60 and the bias of 2^62 must be.
        self.finish(&difference(&h, &d), &sum(&sum(&c, &c), &g), &g, &h, with_t);
    }

    /// The sum of the eight points.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn merge(&self) -> Four {
        // One point per register of four lanes: a transposition of four by eight, limb by limb.
        let mut points: [Four; 8] = [[_mm256_setzero_si256(); 5]; 8];
        for i in 0..5 {
            let (xy0, xy1) = (_mm512_unpacklo_epi64(self.x[i], self.y[i]), _mm512_unpackhi_epi64(self.x[i], self.y[i]));
            let (tz0, tz1) = (_mm512_unpacklo_epi64(self.t[i], self.z[i]), _mm512_unpackhi_epi64(self.t[i], self.z[i]));
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
        super::points::sum(&points)
    }
}

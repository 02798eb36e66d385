//! Eight points in eight lanes: the formulas of the portable kernel, coordinate by coordinate.

use super::lanes::{BIAS, carried, limbs, product8, zmm};
use super::points::Four;
use crate::curve25519::edwards::Affine;
use crate::curve25519::field::Fe;
use crate::curve25519::tables::D2;
use crate::simd::store512_u64;
use core::arch::x86_64::*;

/// Five vectors of eight lanes.
pub(super) type Eight = [__m512i; 5];

/// Limbs with one element in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn gather(elements: &[[u64; 5]; 8]) -> Eight {
    core::array::from_fn(|i| {
        let [a, b, c, d, e, f, g, h] = elements.each_ref().map(|limbs| limbs[i] as i64);
        _mm512_setr_epi64(a, b, c, d, e, f, g, h)
    })
}

/// The elements in the lanes of limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn scatter(limbs: &Eight) -> [Fe; 8] {
    let mut out = [[0; 5]; 8];
    for (i, limb) in limbs.iter().enumerate() {
        let mut lanes = [0; 8];
        store512_u64(&mut lanes, *limb);
        for (element, lane) in out.iter_mut().zip(lanes) {
            element[i] = lane;
        }
    }
    out.map(Fe::from_limbs)
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
        let square = product8!(x, x);
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

impl Points {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(super) fn from_affine(points: &[Affine; 8]) -> Self {
        let (x, y) = (gather(&points.map(|p| limbs(&p.x))), gather(&points.map(|p| limbs(&p.y))));
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
        let a = product8!(x, x);
        let b = product8!(y, y);
        let c = product8!(z, z);
        let d = product8!(xy, xy);
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

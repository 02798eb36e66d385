//! Four points in four lanes: the formulas of the portable kernel, coordinate by coordinate.

use super::lanes::{EMPTY, Factor, Four, difference};
use super::product::mul;
use crate::simd::transpose4;
use core::arch::x86_64::*;

/// Extended coordinates, carried (Z may be twice that), and where their sums are put.
pub(super) struct Points {
    pub(super) x: Four,
    pub(super) y: Four,
    pub(super) t: Four,
    pub(super) z: Four,
    left: [Four; 2],
    right: [Factor; 2],
}

impl Points {
    pub(super) const EMPTY: Self =
        Self { x: EMPTY, y: EMPTY, t: EMPTY, z: EMPTY, left: [EMPTY; 2], right: [Factor::EMPTY; 2] };

    /// Adds affine points, given as y + x, y − x, 2dxy.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn add_niels(&mut self, [plus, minus, t2d]: &[Factor; 3]) {
        let [less, more] = &mut self.left;
        for i in 0..10 {
            less[i] = difference(i, self.y[i], self.x[i]);
            more[i] = _mm256_add_epi64(self.y[i], self.x[i]);
        }
        mul(&mut self.x, less, minus);
        mul(&mut self.y, more, plus);
        mul(less, &self.t, t2d);
        for i in 0..10 {
            self.t[i] = less[i];
            self.z[i] = _mm256_add_epi64(self.z[i], self.z[i]);
        }
        self.finish();
    }

    /// The four products at the end of each formula, from A, B, C, D in the place of X, Y, T, Z; D may be a sum of two.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn finish(&mut self) {
        let Self { x: a, y: b, t: c, z: d, left: [f, h], right: [e, g] } = self;
        for i in 0..10 {
            e.set(i, difference(i, b[i], a[i]));
            f[i] = difference(i, d[i], c[i]);
            g.set(i, _mm256_add_epi64(d[i], c[i]));
            h[i] = _mm256_add_epi64(b[i], a[i]);
        }
        mul(a, f, e);
        mul(b, h, g);
        mul(c, h, e);
        mul(d, f, g);
    }

    /// The four points, each in four lanes, X, Y, T, Z.
    #[target_feature(enable = "avx2")]
    pub(super) fn apart(&self) -> [Four; 4] {
        let mut points = [EMPTY; 4];
        for i in 0..10 {
            let [a, b, c, d] = transpose4([self.x[i], self.y[i], self.t[i], self.z[i]]);
            (points[0][i], points[1][i], points[2][i], points[3][i]) = (a, b, c, d);
        }
        points
    }
}

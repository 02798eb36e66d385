//! Constants of the curve and multiples of the base point, all computed by the compiler from the curve's definition.
//!
//! Nothing here is typed in but the numbers that RFC 8032, section 5.1, defines the curve by: −121665/121666 and 4/5.

use super::edwards::Niels;
use super::field::{Fe, Words};

const fn small(value: u64) -> Fe {
    Fe::of(&[value, 0, 0, 0])
}

const fn square_n(mut x: Fe, n: u32) -> Fe {
    let mut i = 0;
    while i < n {
        x = x.squared();
        i += 1;
    }
    x
}

/// `x^(2^250 − 1)` and `x^11`.
const fn pow_250(x: Fe) -> (Fe, Fe) {
    let x2 = x.squared();
    let x9 = square_n(x2, 2).times(x);
    let x11 = x9.times(x2);
    let e5 = x11.squared().times(x9);
    let e10 = square_n(e5, 5).times(e5);
    let e20 = square_n(e10, 10).times(e10);
    let e40 = square_n(e20, 20).times(e20);
    let e50 = square_n(e40, 10).times(e10);
    let e100 = square_n(e50, 50).times(e50);
    let e200 = square_n(e100, 100).times(e100);
    (square_n(e200, 50).times(e50), x11)
}

const fn invert(x: Fe) -> Fe {
    let (e250, x11) = pow_250(x);
    square_n(e250, 5).times(x11)
}

const D_ELEMENT: Fe = Fe::ZERO.minus(small(121_665)).times(invert(small(121_666)));
const D2_ELEMENT: Fe = D_ELEMENT.plus(D_ELEMENT);
/// 2^((p − 1)/4): 2 is no square modulo p, so this is a root of −1.
const SQRT_M1_ELEMENT: Fe = {
    // (p − 1)/4 = 2^253 − 5 = 8·(2^250 − 1) + 3
    let two = small(2);
    square_n(pow_250(two).0, 3).times(small(8))
};

/// d = −121665/121666.
pub(crate) const D: Words = D_ELEMENT.canonical();
/// 1/d.
#[cfg(target_arch = "x86_64")]
pub(crate) const D_INVERSE: Words = invert(D_ELEMENT).canonical();
/// 2d.
pub(crate) const D2: Words = D2_ELEMENT.canonical();
/// A square root of −1.
pub(crate) const SQRT_M1: Words = SQRT_M1_ELEMENT.canonical();

#[derive(Clone, Copy)]
struct Point {
    x: Fe,
    y: Fe,
    z: Fe,
    t: Fe,
}

impl Point {
    const IDENTITY: Self = Self { x: Fe::ZERO, y: Fe::ONE, z: Fe::ONE, t: Fe::ZERO };

    /// y = 4/5, x even.
    const fn base() -> Self {
        let y = small(4).times(invert(small(5)));
        let y2 = y.squared();
        let u = y2.minus(Fe::ONE);
        let v = y2.times(D_ELEMENT).plus(Fe::ONE);
        let v3 = v.squared().times(v);
        let inner = u.times(v3.squared()).times(v);
        let root = square_n(pow_250(inner).0, 2).times(inner);
        let mut x = u.times(v3).times(root);
        let check = x.squared().times(v).minus(u).canonical();
        if check[0] | check[1] | check[2] | check[3] != 0 {
            x = x.times(SQRT_M1_ELEMENT);
        }
        if x.canonical()[0] & 1 == 1 {
            x = Fe::ZERO.minus(x);
        }
        Self { x, y, z: Fe::ONE, t: x.times(y) }
    }

    const fn add(&self, other: &Self) -> Self {
        let a = self.y.minus(self.x).times(other.y.minus(other.x));
        let b = self.y.plus(self.x).times(other.y.plus(other.x));
        let c = self.t.times(other.t).times(D2_ELEMENT);
        let d = self.z.times(other.z);
        let d = d.plus(d);
        let (e, f, g, h) = (b.minus(a), d.minus(c), d.plus(c), b.plus(a));
        Self { x: e.times(f), y: g.times(h), z: f.times(g), t: e.times(h) }
    }
}

/// Each of `points` made affine, with one inversion (Montgomery's trick).
const fn prepare<const N: usize>(points: &[Point; N]) -> [Niels; N] {
    let mut products = [Fe::ONE; N];
    let mut product = Fe::ONE;
    let mut i = 0;
    while i < N {
        products[i] = product;
        product = product.times(points[i].z);
        i += 1;
    }
    let mut inverse = invert(product);
    let mut out = [[[0; 4]; 3]; N];
    while i > 0 {
        i -= 1;
        let z = inverse.times(products[i]);
        inverse = inverse.times(points[i].z);
        let (x, y) = (points[i].x.times(z), points[i].y.times(z));
        out[i] = [y.plus(x).canonical(), y.minus(x).canonical(), x.times(y).times(D2_ELEMENT).canonical()];
    }
    out
}

/// Entry `[i][j]` is (j + 1)·16^i·B.
pub(crate) static BASE: [[Niels; 8]; 64] = {
    let mut out = [[[[0; 4]; 3]; 8]; 64];
    let mut start = Point::base();
    let mut i = 0;
    while i < 64 {
        let mut row = [Point::IDENTITY; 8];
        let mut multiple = start;
        let mut j = 0;
        while j < 8 {
            row[j] = multiple;
            multiple = multiple.add(&start);
            j += 1;
        }
        out[i] = prepare(&row);
        start = row[7].add(&row[7]);
        i += 1;
    }
    out
};

/// Entry `[i]` is (2i + 1)·B.
pub(crate) static BASE_ODD: [Niels; 64] = {
    let base = Point::base();
    let twice = base.add(&base);
    let mut row = [base; 64];
    let mut i = 1;
    while i < 64 {
        row[i] = row[i - 1].add(&twice);
        i += 1;
    }
    prepare(&row)
};

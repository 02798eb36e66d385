//! Points of the twisted Edwards curve −x² + y² = 1 + d·x²·y² (RFC 8032, section 5.1), over any kernel's field.
//!
//! Coordinates and formulas are those of Hisil, Wong, Carter and Dawson, "Twisted Edwards Curves Revisited" (2008):
//! extended (X : Y : Z : T) with x = X/Z, y = Y/Z, T = XY/Z. They are complete on this curve: no input needs a case.

use super::field::{Field, Words, bytes, words};
use super::many::{TERMS, Term, invert_many};
use super::scalar::{naf_vartime, radix_16};
use super::tables::{BASE, BASE_ODD, D2, SQRT_M1};
use crate::mem::ct::{self, Choice};

/// An affine point, both coordinates canonical (or x = p for 0): how points travel between kernels.
#[derive(Clone, Copy)]
pub(crate) struct Affine {
    pub(crate) x: Words,
    pub(crate) y: Words,
}

/// p.
pub(crate) const P: Words = [0u64.wrapping_sub(19), u64::MAX, u64::MAX, u64::MAX >> 1];

/// p − x for x ≤ p.
#[inline(always)]
pub(crate) fn minus(x: &Words) -> Words {
    let (mut out, mut borrow) = ([0; 4], 0);
    for i in 0..4 {
        let (a, b1) = P[i].overflowing_sub(x[i]);
        let (a, b2) = a.overflowing_sub(borrow);
        out[i] = a;
        borrow = u64::from(b1) | u64::from(b2);
    }
    out
}

impl Affine {
    pub(crate) const IDENTITY: Self = Self { x: [0; 4], y: [1, 0, 0, 0] };

    /// The opposite. Zero as a coordinate x becomes p, which every field takes for the same.
    pub(crate) fn negate(&self) -> Self {
        Self { x: minus(&self.x), y: self.y }
    }

    /// The encoding: y, and the lowest bit of x in the highest.
    pub(crate) fn encode(&self) -> [u8; 32] {
        let mut out = self.y;
        out[3] |= self.x[0] << 63;
        bytes(&out)
    }
}

/// Extended coordinates.
#[derive(Clone, Copy)]
pub(crate) struct Point<F> {
    pub(crate) x: F,
    pub(crate) y: F,
    pub(crate) z: F,
    pub(crate) t: F,
}

/// A point prepared for addition: Y + X, Y − X, 2Z, 2dT.
#[derive(Clone, Copy)]
struct Cached<F> {
    plus: F,
    minus: F,
    z2: F,
    t2d: F,
}

/// An affine point prepared for addition, as the tables hold it: y + x, y − x, 2dxy, all canonical.
pub(crate) type Niels = [Words; 3];

impl<F: Field> Point<F> {
    #[inline(always)]
    pub(crate) fn identity() -> Self {
        Self::from_affine(&Affine::IDENTITY)
    }

    #[inline(always)]
    pub(crate) fn from_affine(point: &Affine) -> Self {
        let (x, y) = (F::from_words(&point.x), F::from_words(&point.y));
        Self { x, y, z: F::from_words(&[1, 0, 0, 0]), t: x.mul(&y) }
    }

    #[inline(always)]
    fn cache(&self) -> Cached<F> {
        Cached {
            plus: self.y.add(&self.x),
            minus: self.y.sub(&self.x),
            z2: self.z.add(&self.z),
            t2d: self.t.mul(&F::from_words(&D2)),
        }
    }

    /// From the four products of every formula: E, F, G, H.
    #[inline(always)]
    fn finish(e: F, f: F, g: F, h: F, with_t: bool) -> Self {
        Self { x: e.mul(&f), y: g.mul(&h), z: f.mul(&g), t: if with_t { e.mul(&h) } else { e } }
    }

    /// `self ± other`. `with_t` says whether T is computed: only an addition needs it next.
    #[inline(always)]
    fn add_cached(&self, other: &Cached<F>, negate: bool, with_t: bool) -> Self {
        let (plus, minus) = if negate { (other.minus, other.plus) } else { (other.plus, other.minus) };
        let a = self.y.sub(&self.x).mul(&minus);
        let b = self.y.add(&self.x).mul(&plus);
        let c = self.t.mul(&other.t2d);
        let d = self.z.mul(&other.z2);
        let (f, g) = if negate { (d.add(&c), d.sub(&c)) } else { (d.sub(&c), d.add(&c)) };
        Self::finish(b.sub(&a), f, g, b.add(&a), with_t)
    }

    /// `self ± other`.
    #[inline(always)]
    fn add_niels(&self, other: &[F; 3], negate: bool, with_t: bool) -> Self {
        let [plus, minus, t2d] = *other;
        let (plus, minus) = if negate { (minus, plus) } else { (plus, minus) };
        let a = self.y.sub(&self.x).mul(&minus);
        let b = self.y.add(&self.x).mul(&plus);
        let c = self.t.mul(&t2d);
        let d = self.z.add(&self.z);
        let (f, g) = if negate { (d.add(&c), d.sub(&c)) } else { (d.sub(&c), d.add(&c)) };
        Self::finish(b.sub(&a), f, g, b.add(&a), with_t)
    }

    /// The double. T of `self` is not read.
    #[inline(always)]
    fn double(&self, with_t: bool) -> Self {
        let a = self.x.square();
        let b = self.y.square();
        let c = self.z.square();
        let h = a.add(&b);
        let e = h.sub(&self.x.add(&self.y).square());
        let g = a.sub(&b);
        let f = c.add(&c).add(&g);
        Self::finish(e, f, g, h, with_t)
    }

    /// x and y, canonical.
    #[inline(always)]
    pub(crate) fn to_affine(self) -> Affine {
        let inverse = self.z.invert();
        Affine { x: self.x.mul(&inverse).to_words(), y: self.y.mul(&inverse).to_words() }
    }

    /// The coordinate u = (1 + y)/(1 − y) of the image on Curve25519 (RFC 7748, section 4.1); 0 for the identity.
    #[inline(always)]
    pub(crate) fn to_montgomery_u(self) -> Words {
        self.z.add(&self.y).mul(&self.z.sub(&self.y).invert()).to_words()
    }

    /// Whether eight times the point is the identity. Variable time.
    #[inline(always)]
    pub(crate) fn is_small_order_vartime(&self) -> bool {
        let p = self.double(false).double(false).double(false);
        p.x.to_words() == [0; 4] && p.y.sub(&p.z).to_words() == [0; 4]
    }

    #[inline(always)]
    pub(crate) fn add_affine(&self, other: &Affine, negate: bool) -> Self {
        self.add_cached(&Self::from_affine(other).cache(), negate, true)
    }
}

/// `scalar·B` for the base point B; the scalar is below 2^255. All 64 digits index tables of their own, which hold
/// 1…8 times 16^i·B: no doublings.
///
/// `select` finds `digit` times the first entry of a table, in constant time.
#[inline(always)]
pub(crate) fn base<F: Field>(scalar: &Words, select: impl Fn(&[Niels; 8], &i8) -> Niels) -> Point<F> {
    let digits = radix_16(scalar);
    let mut sum = Point::identity();
    for (digit, table) in digits.iter().zip(&BASE) {
        sum = sum.add_niels(&select(table, digit).map(|w| F::from_words(&w)), false, true);
    }
    sum
}

/// `digit` times the first entry, by reading the whole table.
pub(crate) fn select(table: &[Niels; 8], digit: &i8) -> Niels {
    let sign = digit >> 7;
    let size = u64::from(((digit ^ sign) - sign) as u8);
    let mut found = ct::lookup(table, size.wrapping_sub(1));
    // Zero times is the neutral element: y + x and y - x are one, and 2dxy is zero.
    let none = Choice::is_zero(size).mask() & 1;
    found[0][0] |= none;
    found[1][0] |= none;
    let negative = Choice::from_bit(sign as u64);
    let opposite = minus(&found[2]);
    let [plus, minus, t2d] = &mut found;
    ct::swap(plus, minus, negative);
    ct::assign(t2d, &opposite, negative);
    found
}

/// A, 3A, …, 15A.
#[inline(always)]
fn odd_multiples<F: Field>(point: &Affine) -> [Cached<F>; 8] {
    let mut multiple = Point::from_affine(point);
    let twice = multiple.double(true).cache();
    core::array::from_fn(|i| {
        if i > 0 {
            multiple = multiple.add_cached(&twice, false, true);
        }
        multiple.cache()
    })
}

/// `a·A + b·B` for the base point B, by interleaved non-adjacent forms. Variable time.
#[inline(always)]
pub(crate) fn double_base_vartime<F: Field>(a: &Words, point: &Affine, b: &Words) -> Point<F> {
    let (a, b) = (naf_vartime(a, 5), naf_vartime(b, 8));
    let table = odd_multiples(point);
    let mut sum = Point::identity();
    let Some(top) = (0..256).rev().find(|i| a[*i] != 0 || b[*i] != 0) else {
        return sum;
    };
    for i in (0..=top).rev() {
        sum = sum.double(a[i] != 0 || b[i] != 0);
        if a[i] != 0 {
            sum = sum.add_cached(&table[usize::from(a[i].unsigned_abs() / 2)], a[i] < 0, b[i] != 0 || i == 0);
        }
        if b[i] != 0 {
            let entry = BASE_ODD[usize::from(b[i].unsigned_abs() / 2)].map(|w| F::from_words(&w));
            sum = sum.add_niels(&entry, b[i] < 0, i == 0);
        }
    }
    sum
}

/// Whether eight times the sum of all multiples and of `base·B` is the identity, by interleaved non-adjacent forms.
/// At most [`TERMS`] terms. Variable time.
#[inline(always)]
pub(crate) fn combination_vartime<F: Field>(terms: &[Term], base: &Words) -> bool {
    let mut digits = [[0; 256]; TERMS];
    let mut tables = [[Point::<F>::identity().cache(); 8]; TERMS];
    for ((digits, table), (scalar, point)) in digits.iter_mut().zip(&mut tables).zip(terms) {
        *digits = naf_vartime(scalar, 5);
        *table = odd_multiples(point);
    }
    let b = naf_vartime(base, 8);
    let mut sum = Point::identity();
    for i in (0..256).rev() {
        sum = sum.double(true);
        for (digits, table) in digits.iter().zip(&tables).take(terms.len()) {
            if digits[i] != 0 {
                sum = sum.add_cached(&table[usize::from(digits[i].unsigned_abs() / 2)], digits[i] < 0, true);
            }
        }
        if b[i] != 0 {
            let entry = BASE_ODD[usize::from(b[i].unsigned_abs() / 2)].map(|w| F::from_words(&w));
            sum = sum.add_niels(&entry, b[i] < 0, true);
        }
    }
    sum.is_small_order_vartime()
}

/// The points with these encodings, by the rules of [`decode_vartime`]; `false` if one of them is none.
#[inline(always)]
pub(crate) fn decode_many_vartime<F: Field>(encoded: &[[u8; 32]], points: &mut [Affine]) -> bool {
    encoded.iter().zip(points).all(|(encoded, point)| {
        let decoded = decode_vartime::<F>(encoded);
        *point = decoded.unwrap_or(Affine::IDENTITY);
        decoded.is_some()
    })
}

/// Multiples of the base point, eight to an inversion.
#[inline(always)]
pub(crate) fn base_many<F: Field>(
    scalars: &[Words],
    points: &mut [Affine],
    select: impl Fn(&[Niels; 8], &i8) -> Niels + Copy,
) {
    for (scalars, points) in scalars.chunks(8).zip(points.chunks_mut(8)) {
        let mut sums = [Point::<F>::identity(); 8];
        for (sum, scalar) in sums.iter_mut().zip(scalars) {
            *sum = base(scalar, select);
        }
        let mut inverses = sums.map(|sum| sum.z);
        invert_many(&mut inverses);
        for ((point, sum), inverse) in points.iter_mut().zip(&sums).zip(inverses) {
            *point = Affine { x: sum.x.mul(&inverse).to_words(), y: sum.y.mul(&inverse).to_words() };
        }
    }
}

/// Whether `8·(a·A + b·B − R)` is the identity. Variable time.
#[inline(always)]
pub(crate) fn cofactored_vartime<F: Field>(a: &Words, point: &Affine, b: &Words, r: &Affine) -> bool {
    let sum = double_base_vartime::<F>(a, point, b);
    let sum = Point { t: sum.x.mul(&sum.y), x: sum.x.mul(&sum.z), y: sum.y.mul(&sum.z), z: sum.z.square() };
    sum.add_affine(r, true).is_small_order_vartime()
}

/// The point with this encoding, if there is one. As ZIP-215 wants, y need not be below p, and x = 0 may be called
/// negative. Variable time.
#[inline(always)]
pub(crate) fn decode_vartime<F: Field>(encoded: &[u8; 32]) -> Option<Affine> {
    let encoded = words(encoded);
    let y = F::from_words(&encoded);
    let one = F::from_words(&[1, 0, 0, 0]);
    // x² = u/v with u = y² − 1, v = dy² + 1.
    let y2 = y.square();
    let u = y2.sub(&one);
    let v = y2.mul(&F::from_words(&super::tables::D)).add(&one);
    // RFC 8032, section 5.1.3: x = u·v³·(u·v⁷)^((p − 5)/8), up to a root of −1.
    let v3 = v.square().mul(&v);
    let mut x = u.mul(&v3).mul(&u.mul(&v3.square()).mul(&v).pow_p58());
    let check = x.square().mul(&v);
    if check.sub(&u).to_words() != [0; 4] {
        if check.add(&u).to_words() != [0; 4] {
            return None;
        }
        x = x.mul(&F::from_words(&SQRT_M1));
    }
    let point = Affine { x: x.to_words(), y: y.to_words() };
    Some(if point.x[0] & 1 == encoded[3] >> 63 { point } else { point.negate() })
}

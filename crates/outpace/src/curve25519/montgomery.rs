//! The Montgomery ladder on Curve25519 (RFC 7748, section 5), over any kernel's field.

use super::field::{Field, Words};
use super::many::invert_many;
use crate::mem::ct::Choice;

/// (A − 2)/4 for A = 486662, the RFC's `a24`.
const A24: Words = [121_665, 0, 0, 0];

/// A scalar as RFC 7748, section 5, decodes it: the lowest three bits and the highest cleared, the next highest set.
pub(crate) const fn clamp(scalar: &Words) -> Words {
    [scalar[0] & !7, scalar[1], scalar[2], scalar[3] & (u64::MAX >> 1) | 1 << 62]
}

/// The coordinate u of `scalar` (clamped, below 2^255) times a point with coordinate u; 0 for the identity.
#[inline(always)]
pub(crate) fn ladder<F: Field>(scalar: &Words, u: &Words) -> Words {
    let [x, z] = projective::<F>(scalar, u);
    x.mul(&z.invert()).to_words()
}

/// The same as a fraction.
#[inline(always)]
fn projective<F: Field>(scalar: &Words, u: &Words) -> [F; 2] {
    let x1 = F::from_words(u);
    let (zero, one) = (F::from_words(&[0; 4]), F::from_words(&[1, 0, 0, 0]));
    let a24 = F::from_words(&A24);
    let (mut x2, mut z2, mut x3, mut z3) = (one, zero, x1, one);
    let mut last = 0;
    for i in (0..255).rev() {
        let bit = scalar[i / 64] >> (i % 64) & 1;
        let exchange = Choice::from_bit(bit ^ last);
        F::swap(&mut x2, &mut x3, exchange);
        F::swap(&mut z2, &mut z3, exchange);
        last = bit;
        let (a, b) = (x2.add(&z2), x2.sub(&z2));
        let (c, d) = (x3.add(&z3), x3.sub(&z3));
        let (da, cb) = (d.mul(&a), c.mul(&b));
        let (aa, bb) = (a.square(), b.square());
        let e = aa.sub(&bb);
        x3 = da.add(&cb).square();
        z3 = x1.mul(&da.sub(&cb).square());
        x2 = aa.mul(&bb);
        z2 = e.mul(&aa.add(&e.mul(&a24)));
    }
    // A clamped scalar is even, so no exchange is owed.
    [x2, z2]
}

/// [`ladder`] for each pair, eight to an inversion.
#[inline(always)]
pub(crate) fn ladder_many<F: Field>(scalars: &[Words], u: &[Words], out: &mut [Words]) {
    for ((scalars, u), out) in scalars.chunks(8).zip(u.chunks(8)).zip(out.chunks_mut(8)) {
        let mut results = [[F::from_words(&[0; 4]); 2]; 8];
        for ((result, scalar), u) in results.iter_mut().zip(scalars).zip(u) {
            *result = projective(scalar, u);
        }
        let mut inverses = results.map(|[_, z]| z);
        invert_many(&mut inverses);
        for ((out, [x, _]), inverse) in out.iter_mut().zip(results).zip(inverses) {
            *out = x.mul(&inverse).to_words();
        }
    }
}

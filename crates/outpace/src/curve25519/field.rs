//! The field of 2^255 − 19: what a kernel's field must offer, and the portable one.
//!
//! The portable field is the verified code of `fiat-crypto` (unsaturated, five limbs of 51 bits). Every value between
//! operations is carried ("tight" in its terms), so any sum, difference or product may be the input of any other.

use crate::mem::ct::{self, Choice};
use fiat_crypto::curve25519_64::{
    fiat_25519_add, fiat_25519_carry, fiat_25519_carry_mul, fiat_25519_carry_square, fiat_25519_from_bytes,
    fiat_25519_loose_field_element as Loose, fiat_25519_sub, fiat_25519_tight_field_element as Tight,
    fiat_25519_to_bytes,
};

/// An integer below 2^256 in four words, the lowest first: how field elements travel between kernels.
pub(crate) type Words = [u64; 4];

/// The words of a little-endian byte string.
#[inline]
pub(crate) const fn words(bytes: &[u8; 32]) -> Words {
    let mut out = [0; 4];
    let mut i = 0;
    while i < 32 {
        out[i / 8] |= (bytes[i] as u64) << (i % 8 * 8);
        i += 1;
    }
    out
}

/// The inverse of [`words`].
#[inline]
pub(crate) const fn bytes(words: &Words) -> [u8; 32] {
    let mut out = [0; 32];
    let mut i = 0;
    while i < 32 {
        out[i] = (words[i / 8] >> (i % 8 * 8)) as u8;
        i += 1;
    }
    out
}

/// Arithmetic modulo 2^255 − 19, in constant time.
pub(crate) trait Field: Copy {
    /// The element with these words, taken modulo 2^255 (the highest bit is ignored) and then modulo the prime.
    fn from_words(words: &Words) -> Self;
    /// The one representative in [0, p).
    fn to_words(&self) -> Words;
    /// Sum.
    fn add(&self, other: &Self) -> Self;
    /// Difference.
    fn sub(&self, other: &Self) -> Self;
    /// Product.
    fn mul(&self, other: &Self) -> Self;
    /// Squared `n` times.
    fn square_n(&self, n: u32) -> Self;
    /// Exchanges the two for yes.
    fn swap(a: &mut Self, b: &mut Self, choice: Choice);

    /// The square.
    #[inline(always)]
    fn square(&self) -> Self {
        self.square_n(1)
    }

    /// `self^((p − 5) / 8)`, the core of every square root: 2^252 − 3 as an addition chain.
    #[inline(always)]
    fn pow_p58(&self) -> Self {
        let x2 = self.square();
        let x9 = x2.square_n(2).mul(self);
        let x11 = x9.mul(&x2);
        let e5 = x11.square().mul(&x9); // 2^5 − 1
        let e10 = e5.square_n(5).mul(&e5);
        let e20 = e10.square_n(10).mul(&e10);
        let e40 = e20.square_n(20).mul(&e20);
        let e50 = e40.square_n(10).mul(&e10);
        let e100 = e50.square_n(50).mul(&e50);
        let e200 = e100.square_n(100).mul(&e100);
        let e250 = e200.square_n(50).mul(&e50);
        e250.square_n(2).mul(self)
    }

    /// The inverse; of zero, zero.
    #[inline(always)]
    fn invert(&self) -> Self {
        Self::from_words(&super::invert::invert(&self.to_words()))
    }
}

/// The portable field element.
#[derive(Clone, Copy)]
pub(crate) struct Fe([u64; 5]);

impl Fe {
    pub(crate) const ZERO: Self = Self([0; 5]);
    pub(crate) const ONE: Self = Self([1, 0, 0, 0, 0]);

    /// Five limbs of 51 bits, each at most a little longer (up to 2^51·1.1).
    pub(crate) const fn from_limbs(limbs: [u64; 5]) -> Self {
        Self(limbs)
    }

    pub(crate) const fn of(words: &Words) -> Self {
        let mut bytes = bytes(words);
        bytes[31] &= 0x7f;
        let mut out = Tight([0; 5]);
        fiat_25519_from_bytes(&mut out, &bytes);
        Self(out.0)
    }

    pub(crate) const fn canonical(self) -> Words {
        let mut out = [0; 32];
        fiat_25519_to_bytes(&mut out, &Tight(self.0));
        words(&out)
    }

    const fn carried(loose: &Loose) -> Self {
        let mut out = Tight([0; 5]);
        fiat_25519_carry(&mut out, loose);
        Self(out.0)
    }

    pub(crate) const fn plus(self, other: Self) -> Self {
        let mut out = Loose([0; 5]);
        fiat_25519_add(&mut out, &Tight(self.0), &Tight(other.0));
        Self::carried(&out)
    }

    pub(crate) const fn minus(self, other: Self) -> Self {
        let mut out = Loose([0; 5]);
        fiat_25519_sub(&mut out, &Tight(self.0), &Tight(other.0));
        Self::carried(&out)
    }

    pub(crate) const fn times(self, other: Self) -> Self {
        let mut out = Tight([0; 5]);
        fiat_25519_carry_mul(&mut out, &Loose(self.0), &Loose(other.0));
        Self(out.0)
    }

    pub(crate) const fn squared(self) -> Self {
        let mut out = Tight([0; 5]);
        fiat_25519_carry_square(&mut out, &Loose(self.0));
        Self(out.0)
    }
}

impl Field for Fe {
    #[inline]
    fn from_words(words: &Words) -> Self {
        Self::of(words)
    }

    #[inline]
    fn to_words(&self) -> Words {
        self.canonical()
    }

    #[inline]
    fn add(&self, other: &Self) -> Self {
        self.plus(*other)
    }

    #[inline]
    fn sub(&self, other: &Self) -> Self {
        self.minus(*other)
    }

    #[inline]
    fn mul(&self, other: &Self) -> Self {
        self.times(*other)
    }

    #[inline]
    fn square_n(&self, n: u32) -> Self {
        let mut x = *self;
        for _ in 0..n {
            x = x.squared();
        }
        x
    }

    #[inline]
    fn swap(a: &mut Self, b: &mut Self, choice: Choice) {
        ct::swap(&mut a.0, &mut b.0, choice);
    }
}

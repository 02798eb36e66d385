//! Integers modulo the group order L = 2^252 + 27742317777372353535851937790883648493, and recodings of scalars.
//!
//! Multiplication is the verified Montgomery code of `fiat-crypto`, which divides a product by 2^256: one of the factors
//! has its Montgomery form, so the other and the product need none. It wants inputs below L: longer integers are cut into
//! pieces of 252 bits, each of which is.

use super::field::{Words, bytes, words};
use crate::mem::Wipe;
use fiat_crypto::curve25519_scalar_64::{
    fiat_25519_scalar_add, fiat_25519_scalar_montgomery_domain_field_element as Mont, fiat_25519_scalar_mul,
    fiat_25519_scalar_non_montgomery_domain_field_element as Plain, fiat_25519_scalar_to_montgomery,
};

/// L.
pub(crate) const ORDER: Words = [0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0, 0x1000_0000_0000_0000];

const TOP: u64 = (1 << 60) - 1;

/// An integer modulo L, always reduced.
#[derive(Clone, Copy)]
pub(crate) struct Scalar(Words);

const fn to_mont(x: Words) -> Mont {
    let mut out = Mont([0; 4]);
    fiat_25519_scalar_to_montgomery(&mut out, &Plain(x));
    out
}

/// `x·form + c`, where `form` is the Montgomery form of a factor.
fn mul_add(x: Words, form: &Mont, c: Words) -> Words {
    let (mut product, mut sum) = (Mont([0; 4]), Mont([0; 4]));
    fiat_25519_scalar_mul(&mut product, &Mont(x), form);
    fiat_25519_scalar_add(&mut sum, &product, &Mont(c));
    sum.0
}

/// 2^252.
const SHIFT_252: Mont = {
    let shift = to_mont([0, 0, 0, 1 << 59]); // 2^251, below L
    let mut out = Mont([0; 4]);
    fiat_25519_scalar_add(&mut out, &shift, &shift);
    out
};

impl Wipe for Scalar {
    fn wipe(&mut self) {
        self.0.wipe();
    }
}

impl Scalar {
    /// Any 256-bit integer modulo L.
    pub(crate) fn reduce(x: &Words) -> Self {
        Self::reduce_wide(&[x[0], x[1], x[2], x[3], 0, 0, 0, 0])
    }

    /// Any 512-bit integer modulo L.
    pub(crate) fn reduce_wide(x: &[u64; 8]) -> Self {
        let low = [x[0], x[1], x[2], x[3] & TOP];
        let middle =
            [x[3] >> 60 | x[4] << 4, x[4] >> 60 | x[5] << 4, x[5] >> 60 | x[6] << 4, (x[6] >> 60 | x[7] << 4) & TOP];
        let high = [x[7] >> 56, 0, 0, 0];
        // Horner's rule in 2^252.
        Self(mul_add(mul_add(high, &SHIFT_252, middle), &SHIFT_252, low))
    }

    /// The little-endian integer modulo L.
    pub(crate) fn from_hash(digest: &[u8; 64]) -> Self {
        let (chunks, _) = digest.as_chunks::<8>();
        Self::reduce_wide(&core::array::from_fn(|i| u64::from_le_bytes(chunks[i])))
    }

    /// The little-endian integer, if it is below L. Variable time.
    pub(crate) fn from_canonical_vartime(encoded: &[u8; 32]) -> Option<Self> {
        let x = words(encoded);
        x.iter().rev().lt(ORDER.iter().rev()).then_some(Self(x))
    }

    /// These words, which are below L.
    pub(crate) const fn of(reduced: Words) -> Self {
        Self(reduced)
    }

    pub(crate) const fn words(&self) -> &Words {
        &self.0
    }

    pub(crate) const fn to_bytes(self) -> [u8; 32] {
        bytes(&self.0)
    }

    /// `self·b + c`.
    pub(crate) fn mul_add(&self, b: &Self, c: &Self) -> Self {
        Self(mul_add(self.0, &to_mont(b.0), c.0))
    }
}

/// The 64 digits of a scalar below 2^255 in radix 16, lowest first, each in [−8, 8].
#[inline]
pub(crate) fn radix_16(scalar: &Words) -> [i8; 64] {
    let mut digits = [0i8; 64];
    let mut carry = 0;
    for (i, digit) in digits.iter_mut().enumerate() {
        let value = (scalar[i / 16] >> (i % 16 * 4) & 15) as i8 + carry;
        // The last one keeps what it has: at most 7 + 1.
        carry = if i == 63 { 0 } else { (value + 8) >> 4 };
        *digit = value - (carry << 4);
    }
    digits
}

/// The non-adjacent form of width `w`: each non-zero digit is odd, below 2^(w−1) in size, and followed by w − 1 zeros.
/// The scalar is below 2^255. Variable time.
pub(crate) fn naf_vartime(scalar: &Words, w: u32) -> [i8; 256] {
    let mut digits = [0i8; 256];
    let (width, mask) = (1i64 << w, (1u64 << w) - 1);
    let mut carry = 0;
    let mut i = 0;
    while i < 256 {
        let (word, bit) = (i / 64, i % 64);
        let mut window = scalar[word] >> bit;
        if bit + w as usize > 64 && word < 3 {
            window |= scalar[word + 1] << (64 - bit);
        }
        let window = carry + (window & mask) as i64;
        if window & 1 == 0 {
            // An even window: its lowest bit, carry included, is zero.
            i += 1;
            continue;
        }
        if window < width / 2 {
            carry = 0;
            digits[i] = window as i8;
        } else {
            carry = 1;
            digits[i] = (window - width) as i8;
        }
        i += w as usize;
    }
    digits
}

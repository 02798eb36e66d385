//! GHASH in 512-bit registers.
//!
//! It follows S. Gueron and M. Kounavis, "Intel carry-less multiplication instruction and its usage for computing the GCM
//! mode": blocks are byte-reversed, so that the field is bit-reversed, and the powers of H carry a factor x that makes up
//! for the missing bit of reversed products. Sums of products are reduced once, by two folds with 0xc2 << 56.

use super::{FOLD, HIGHEST};
use crate::aead::gcm::{KeyData, POWERS};
use crate::simd::{load128, load512_partial};
use core::arch::x86_64::*;

/// Sums of the three parts of products: of the low halves, the high halves, and across.
#[derive(Clone, Copy)]
pub(in crate::aead) struct Sum {
    pub(super) low: __m512i,
    pub(super) cross: __m512i,
    pub(super) high: __m512i,
}

impl Sum {
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(super) fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Self { low: zero, cross: zero, high: zero }
    }

    /// `x` times `h` in each lane.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(in crate::aead) fn product(x: __m512i, h: __m512i) -> Self {
        let a = _mm512_clmulepi64_epi128::<0x01>(x, h);
        let b = _mm512_clmulepi64_epi128::<0x10>(x, h);
        Self {
            low: _mm512_clmulepi64_epi128::<0x00>(x, h),
            cross: _mm512_xor_si512(a, b),
            high: _mm512_clmulepi64_epi128::<0x11>(x, h),
        }
    }

    /// Plus `x` times `h`.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(in crate::aead) fn add(&mut self, x: __m512i, h: __m512i) {
        let a = _mm512_clmulepi64_epi128::<0x01>(x, h);
        let b = _mm512_clmulepi64_epi128::<0x10>(x, h);
        self.low = _mm512_xor_si512(self.low, _mm512_clmulepi64_epi128::<0x00>(x, h));
        self.cross = _mm512_xor_si512(_mm512_xor_si512(self.cross, a), b);
        self.high = _mm512_xor_si512(self.high, _mm512_clmulepi64_epi128::<0x11>(x, h));
    }

    /// Each lane modulo the polynomial.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(in crate::aead) fn reduce(self) -> __m512i {
        let middle = _mm512_xor_si512(self.cross, fold(self.low));
        _mm512_xor_si512(self.high, fold(middle))
    }
}

/// The lower half of each lane's product moved 64 bits up, to where it is congruent.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn fold(x: __m512i) -> __m512i {
    let product = _mm512_clmulepi64_epi128::<0x00>(x, factor());
    _mm512_xor_si512(product, _mm512_shuffle_epi32::<0b0100_1110>(x))
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn factor() -> __m512i {
    _mm512_set1_epi64(FOLD)
}

/// XOR of the four lanes.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(in crate::aead) fn lanes(x: __m512i) -> __m128i {
    let half = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64::<1>(x));
    _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}

/// Product of one lane.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn multiply(x: __m512i, h: __m512i) -> __m512i {
    Sum::product(x, h).reduce()
}

/// The order of bytes in each lane turned round.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn reversal() -> __m512i {
    _mm512_broadcast_i32x4(_mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f))
}

/// H^`n`, in all lanes.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn power(key: &KeyData, n: usize) -> __m512i {
    _mm512_broadcast_i32x4(load128(&key.powers[HIGHEST - n]))
}

/// Four powers, from H^`first` down; zeros after H¹.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn powers(key: &KeyData, first: usize) -> __m512i {
    powers_in(&key.powers, first)
}

/// The same, of a table without its key.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(in crate::aead) fn powers_in(table: &[[u8; 16]; POWERS], first: usize) -> __m512i {
    debug_assert!(first <= HIGHEST);
    // SAFETY: the table has `HIGHEST` powers and four entries more.
    unsafe { _mm512_loadu_si512(table.as_ptr().add(HIGHEST - first).cast()) }
}

#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn set_powers(table: &mut [[u8; 16]; POWERS], first: usize, values: __m512i) {
    debug_assert!((4..=HIGHEST).contains(&first));
    // SAFETY: as above.
    unsafe { _mm512_storeu_si512(table.as_mut_ptr().add(HIGHEST - first).cast(), values) };
}

/// Up to the first multiple of four from `highest` on, given the H of the standard.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn set_all_powers(data: &mut KeyData, h: __m128i, highest: usize) {
    // Times x: one bit up, and the bit that falls out folded to 1 + x + x² + x⁷.
    let h = _mm_shuffle_epi8(h, _mm512_castsi512_si128(reversal()));
    let carries = _mm_srli_epi64::<63>(h);
    let doubled = _mm_or_si128(_mm_slli_epi64::<1>(h), _mm_bslli_si128::<8>(carries));
    let top = _mm_srai_epi32::<31>(_mm_shuffle_epi32::<0xff>(h));
    let h1 = _mm_xor_si128(doubled, _mm_and_si128(top, _mm_set_epi64x(FOLD, 1)));
    powers_of(&mut data.powers, h1, highest);
}

/// The same given H¹.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(in crate::aead) fn powers_of(data: &mut [[u8; 16]; POWERS], h1: __m128i, highest: usize) {
    let one = _mm512_castsi128_si512(h1);
    let h2 = _mm512_castsi512_si128(multiply(one, one));
    let two = _mm512_castsi256_si512(_mm256_set_m128i(h1, h2));
    let h43 = _mm512_castsi512_si256(multiply(two, _mm512_broadcast_i32x4(h2)));
    let p4 = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(h43), _mm512_castsi512_si256(two));
    set_powers(data, 4, p4);
    if highest > 4 {
        let h4 = _mm512_broadcast_i32x4(_mm512_castsi512_si128(p4));
        let p8 = multiply(p4, h4);
        set_powers(data, 8, p8);
        if highest > 8 {
            let h8 = _mm512_broadcast_i32x4(_mm512_castsi512_si128(p8));
            let p12 = multiply(p8, h4);
            set_powers(data, 12, p12);
            set_powers(data, 16, multiply(p8, h8));
            set_powers(data, 20, multiply(p12, h8));
        }
    }
}

/// The state of the hash after `data`, the last block with zeros behind it.
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn absorb(key: &KeyData, mut state: __m128i, mut data: &[u8]) -> __m128i {
    while !data.is_empty() {
        let (now, later) = data.split_at(data.len().min(256));
        let first = now.len().div_ceil(16);
        let mut sum = Sum::zero();
        for (v, part) in now.chunks(64).enumerate() {
            let mut x = _mm512_shuffle_epi8(load512_partial(part), reversal());
            if v == 0 {
                x = _mm512_xor_si512(x, _mm512_zextsi128_si512(state));
            }
            sum.add(x, powers(key, first - 4 * v));
        }
        state = lanes(sum.reduce());
        data = later;
    }
    state
}

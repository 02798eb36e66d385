//! The field in lanes: four elements side by side, one per 64-bit lane of a ymm register.
//!
//! Ten limbs of 26 and 25 bits in turn (radix 2^25.5), since VPMULUDQ multiplies 32 bits. Limb i weighs 2^⌈25.5·i⌉: the
//! product of two odd limbs counts twice, and what lies from column 10 up folds back with 2^255 = 19.
//!
//! A *unit* is 2^26 for an even limb and 2^25 for an odd one. Carrying leaves limbs below 1.01 units, a sum of two such
//! stays below 2.02, and a difference, to which 2p is added so that no lane is negative, below 3.01. A product takes a
//! left factor below 4.1 units and a right one below 3.3, as 19 times it must fit into 32 bits. Its columns are below
//! 4.1·3.3·(77·2^52 + 95·2^51) < 2^63: column 0, the largest, adds one product of even limbs, 19 times four such, and 38
//! times five of odd limbs.
//!
//! Floor of a product: 100 multiplications at two a cycle, in all 245 instructions at three a cycle on Intel's cores,
//! 82 cycles, and at four, of which not all overlap, on AMD's: 62 and measured 73. Compilers spill the ten sums, so rows
//! are assembly. They go through memory, and so each product can be a call; what is copied on the way costs as much as
//! what is computed, so functions write where a product reads.

use crate::curve25519::field::{Fe, Words};
use crate::simd::store256_u64;
use core::arch::x86_64::*;

/// The same for each of ten limbs, unrolled, so that a vector of limbs may stay in registers.
macro_rules! each_limb {
    ($i:ident => $body:block) => {
        each_limb!($i => $body, 0 1 2 3 4 5 6 7 8 9)
    };
    ($i:ident => $body:block, $($n:literal)*) => {
        $({
            let $i = $n;
            $body
        })*
    };
}

pub(super) use each_limb;

/// Ten vectors of four lanes.
pub(super) type Four = [__m256i; 10];

/// The right factor of a product: limbs after their multiples by 19, so that a row of the product is a window of ten. The
/// upper half of a lane is ignored.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Factor {
    times19: Four,
    plain: Four,
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn all(value: u64) -> __m256i {
    _mm256_set1_epi64x(value as i64)
}

/// Limbs with the same element in every lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn everywhere(element: &[u64; 10]) -> Four {
    core::array::from_fn(|i| all(element[i]))
}

/// The number of bits of limb `i`.
const fn width(i: usize) -> u32 {
    26 - (i % 2) as u32
}

/// The limbs of an integer below 2^255.
pub(super) const fn limbs(x: &Words) -> [u64; 10] {
    let mut out = [0; 10];
    let (mut i, mut bit) = (0, 0);
    while i < 10 {
        let (word, shift) = (bit / 64, bit % 64);
        let mut limb = x[word] >> shift;
        if shift + 26 > 64 && word < 3 {
            limb |= x[word + 1] << (64 - shift);
        }
        out[i] = limb & ((1 << width(i)) - 1);
        bit += width(i) as usize;
        i += 1;
    }
    out
}

/// Limbs with one element in each lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn gather(elements: &[[u64; 10]; 4]) -> Four {
    core::array::from_fn(|i| {
        let [a, b, c, d] = elements;
        _mm256_setr_epi64x(a[i] as i64, b[i] as i64, c[i] as i64, d[i] as i64)
    })
}

/// The elements in the lanes of carried limbs.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn scatter(limbs: &Four) -> [Fe; 4] {
    let mut out = [[0; 5]; 4];
    for (i, pair) in limbs.as_chunks::<2>().0.iter().enumerate() {
        let mut lanes = [0; 4];
        store256_u64(&mut lanes, _mm256_add_epi64(pair[0], _mm256_slli_epi64::<26>(pair[1])));
        for (element, lane) in out.iter_mut().zip(lanes) {
            element[i] = lane;
        }
    }
    out.map(Fe::from_limbs)
}

/// 2p.
pub(super) const TWO_P: [u64; 10] = {
    let mut out = [0; 10];
    let mut i = 0;
    while i < 10 {
        out[i] = 2 * ((1 << width(i)) - if i == 0 { 19 } else { 1 });
        i += 1;
    }
    out
};

/// Nothing yet: a place for limbs to be written to.
pub(super) const EMPTY: Four = {
    // SAFETY: zeros are a value of every type of integers.
    unsafe { core::mem::zeroed() }
};

impl Factor {
    pub(super) const EMPTY: Self = Self { times19: EMPTY, plain: EMPTY };

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn set(&mut self, i: usize, limb: __m256i) {
        self.plain[i] = limb;
        self.times19[i] = _mm256_mul_epu32(limb, all(19));
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn limbs(&self) -> Four {
        core::array::from_fn(|i| _mm256_and_si256(self.plain[i], all(u64::from(u32::MAX))))
    }

    /// Limbs `2i` and `2i + 1` from the halves of each lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn set_pair(&mut self, i: usize, pair: __m256i) {
        self.set(2 * i, pair);
        self.set(2 * i + 1, _mm256_srli_epi64::<32>(pair));
    }

    /// Limbs from the halves of each lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn set_pairs(&mut self, pairs: &[__m256i; 5]) {
        for (i, pair) in pairs.iter().enumerate() {
            self.set_pair(i, *pair);
        }
    }

    /// Pairs of limbs, which have nothing above their lower halves.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn pairs(&self) -> [__m256i; 5] {
        let mut pairs = [all(0); 5];
        for (pair, limbs) in pairs.iter_mut().zip(self.plain.as_chunks::<2>().0) {
            *pair = _mm256_or_si256(limbs[0], _mm256_slli_epi64::<32>(limbs[1]));
        }
        pairs
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn set_all(&mut self, limbs: &Four) {
        for (i, limb) in limbs.iter().enumerate() {
            self.set(i, *limb);
        }
    }
}

/// Limb `i` of a + 2p − b.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn difference(i: usize, a: __m256i, b: __m256i) -> __m256i {
    _mm256_sub_epi64(_mm256_add_epi64(a, all(TWO_P[i])), b)
}

/// Limbs from columns below 2^63: two chains of carries, from limb 0 and from limb 5. Afterwards limbs 1 and 6 may be
/// longer than their width, by a 2^7th.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn carried(columns: &Four) -> Four {
    let [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9] = *columns;
    let (c0, c1) = carry_26(c0, c1);
    let (c5, c6) = carry_25(c5, c6);
    let (c1, c2) = carry_25(c1, c2);
    let (c6, c7) = carry_26(c6, c7);
    let (c2, c3) = carry_26(c2, c3);
    let (c7, c8) = carry_25(c7, c8);
    let (c3, c4) = carry_25(c3, c4);
    let (c8, c9) = carry_26(c8, c9);
    let (c4, c5) = carry_26(c4, c5);
    // 19 = 16 + 2 + 1, since the carry has 38 bits.
    let (c9, over) = carry_25(c9, all(0));
    let c0 = _mm256_add_epi64(c0, _mm256_add_epi64(over, opaque(over)));
    let c0 = _mm256_add_epi64(c0, _mm256_add_epi64(over, _mm256_slli_epi64::<4>(over)));
    let (c5, c6) = carry_25(c5, c6);
    let (c0, c1) = carry_26(c0, c1);
    [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9]
}

/// Limbs below 1.01 units from sums of limbs, below 2^32: one carry from each to the next.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn settled(sums: &Four) -> Four {
    let mut out = EMPTY;
    each_limb!(i => {
        let even = i % 2 == 0;
        let (kept, under) = if even { ((1 << 26) - 1, _mm256_srli_epi64::<25>(sums[(i + 9) % 10])) } else {
            ((1 << 25) - 1, _mm256_srli_epi64::<26>(sums[i - 1]))
        };
        let under = if i == 0 { _mm256_mul_epu32(under, all(19)) } else { under };
        out[i] = _mm256_add_epi64(_mm256_and_si256(sums[i], all(kept)), under);
    });
    out
}

/// What a limb of 26 bits keeps, and what the next becomes.
#[inline]
#[target_feature(enable = "avx2")]
fn carry_26(limb: __m256i, next: __m256i) -> (__m256i, __m256i) {
    (_mm256_and_si256(limb, all((1 << 26) - 1)), _mm256_add_epi64(next, _mm256_srli_epi64::<26>(limb)))
}

/// The same for 25 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn carry_25(limb: __m256i, next: __m256i) -> (__m256i, __m256i) {
    (_mm256_and_si256(limb, all((1 << 25) - 1)), _mm256_add_epi64(next, _mm256_srli_epi64::<25>(limb)))
}

/// The same, of which the compiler no longer knows anything: it would make two multiplications of
/// 19 = 16 + 2 + 1.
#[inline]
#[target_feature(enable = "avx2")]
fn opaque(a: __m256i) -> __m256i {
    // The sanitizer has no model of assembly.
    #[cfg(not(outpace_ct = "msan"))]
    let a = {
        let mut a = a;
        // SAFETY: no instructions; the operand is only claimed to be changed.
        unsafe { core::arch::asm!("/* {0} */", inout(ymm_reg) a, options(pure, nomem, nostack, preserves_flags)) };
        a
    };
    a
}

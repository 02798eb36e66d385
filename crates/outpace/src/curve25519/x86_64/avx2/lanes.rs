//! The field in lanes: four elements side by side, one per 64-bit lane of a ymm register.
//!
//! Ten limbs of 26 and 25 bits in turn (radix 2^25.5), since VPMULUDQ multiplies 32 bits. Limb i weighs 2^⌈25.5·i⌉: the
//! product of two odd limbs counts twice, and what lies from column 10 up folds back with 2^255 = 19.
//!
//! A *unit* is 2^26 for an even limb and 2^25 for an odd one. Carrying leaves limbs below 1.01 units, a sum of two such
//! stays below 2.02, and a difference, to which 2p is added so that no lane is negative, below 3.01. A product takes a
//! left factor below 4.1 units and a right one below 3.3, as 19 times it must fit into 32 bits. Its columns are below
//! 4.1·3.3·(77·2^52 + 95·2^49) < 2^63: column 0, the largest, adds one product of even limbs, 19 times four such, and 38
//! times five of odd limbs.
//!
//! Floor of a product: 100 multiplications at two a cycle, in all 245 instructions at three a cycle on Intel's cores,
//! 82 cycles, and at four, of which not all overlap, on AMD's: 62 and measured 73. Compilers spill the ten sums, so rows
//! are assembly. They go through memory, and so each product can be a call; what is copied on the way costs as much as
//! what is computed, so functions write where a product reads.

use crate::curve25519::field::{Fe, Words};
use crate::simd::store256_u64;
use core::arch::asm;
use core::arch::x86_64::*;

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
        unsafe { asm!("/* {0} */", inout(ymm_reg) a, options(pure, nomem, nostack, preserves_flags)) };
        a
    };
    a
}

/// One multiplication of a row: column += limb · word of the window.
macro_rules! term {
    ($column:literal, $limb:literal, $at:literal) => {
        concat!("vpmuludq {t}, {", $limb, "}, [{b} + ", $at, "]\n vpaddq {", $column, "}, {", $column, "}, {t}\n")
    };
}

/// The row of the odd limb at `a`, with the window of limb 0, 2, … at `b`.
macro_rules! odd_row {
    () => {
        concat!(
            "vmovdqa {x}, [{a}]\n vpaddq {x2}, {x}, {x}\n sub {b}, 64\n",
            term!("c0", "x2", "32"),
            term!("c1", "x", "64"),
            term!("c2", "x2", "96"),
            term!("c3", "x", "128"),
            term!("c4", "x2", "160"),
            term!("c5", "x", "192"),
            term!("c6", "x2", "224"),
            term!("c7", "x", "256"),
            term!("c8", "x2", "288"),
            term!("c9", "x", "320")
        )
    };
}

/// The row of the even limb after `a`, and with it two limbs further.
macro_rules! even_row {
    () => {
        concat!(
            "vmovdqa {x}, [{a} + 32]\n add {a}, 64\n",
            term!("c0", "x", "0"),
            term!("c1", "x", "32"),
            term!("c2", "x", "64"),
            term!("c3", "x", "96"),
            term!("c4", "x", "128"),
            term!("c5", "x", "160"),
            term!("c6", "x", "192"),
            term!("c7", "x", "224"),
            term!("c8", "x", "256"),
            term!("c9", "x", "288")
        )
    };
}

/// out = a·b, carried.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn mul(out: &mut Four, a: &Four, b: &Factor) {
    let (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9);
    // The sanitizer does not see into assembly: what goes in is made public there, what comes out secret.
    #[cfg(outpace_ct = "msan")]
    let (a, b) = (&crate::mem::taint::published(*a), &crate::mem::taint::published(*b));
    // c0…c9 = Σ aᵢ·(window of aᵢ): words 10 − i … 19 − i of the factor.
    // SAFETY: reads `a` and `b` from end to end; no other memory; AVX2 is there wherever this function is.
    unsafe {
        asm!(
            "vmovdqa {x}, [{a}]",
            "vpmuludq {c0}, {x}, [{b}]",
            "vpmuludq {c1}, {x}, [{b} + 32]",
            "vpmuludq {c2}, {x}, [{b} + 64]",
            "vpmuludq {c3}, {x}, [{b} + 96]",
            "vpmuludq {c4}, {x}, [{b} + 128]",
            "vpmuludq {c5}, {x}, [{b} + 160]",
            "vpmuludq {c6}, {x}, [{b} + 192]",
            "vpmuludq {c7}, {x}, [{b} + 224]",
            "vpmuludq {c8}, {x}, [{b} + 256]",
            "vpmuludq {c9}, {x}, [{b} + 288]",
            "add {a}, 32",
            odd_row!(),
            ".rept 4",
            even_row!(),
            odd_row!(),
            ".endr",
            a = inout(reg) a => _, b = inout(reg) core::ptr::from_ref(b).byte_add(size_of::<Four>()) => _,
            c0 = out(ymm_reg) c0, c1 = out(ymm_reg) c1, c2 = out(ymm_reg) c2, c3 = out(ymm_reg) c3,
            c4 = out(ymm_reg) c4, c5 = out(ymm_reg) c5, c6 = out(ymm_reg) c6, c7 = out(ymm_reg) c7,
            c8 = out(ymm_reg) c8, c9 = out(ymm_reg) c9,
            x = out(ymm_reg) _, x2 = out(ymm_reg) _, t = out(ymm_reg) _,
            options(pure, readonly, nostack),
        );
    }
    *out = carried(&[c0, c1, c2, c3, c4, c5, c6, c7, c8, c9]);
    #[cfg(outpace_ct = "msan")]
    crate::mem::taint::secret(out);
}

//! The field in lanes: one element per 64-bit lane, four lanes in a ymm register or eight in a zmm register.
//!
//! Five limbs of 51 bits, as in the portable field. VPMADD52 multiplies the lowest 52 bits of two lanes and adds the low
//! or the high 52 bits of the product, so factors have limbs below 2^52; and the high half of limbs i and j weighs
//! 2^(51(i + j) + 52) = 2·2^51(i + j + 1), so it counts twice in the next column.
//!
//! Five vectors are either *limbs*, below 2^51 + 2^18 and ready to be multiplied, or *columns*, as a product leaves
//! them before carrying. A product has columns below 2^61 (at most (1 + 19·4)·2^52 from low halves, and twice
//! 19·5·2^50 from high ones), so a few of them may be added or subtracted before one carry brings limbs again.
//!
//! The operations are macros over a module of instructions, [`ymm`] or [`zmm`]: a function of this many registers is
//! not always inlined, and then passes them through memory.

use crate::curve25519::field::Words;

/// Four lanes.
pub(super) mod ymm {
    use core::arch::x86_64::*;

    type Vector = __m256i;

    /// Zero, of which the compiler does not know it: it would clear a register by VPXORD for every sum that starts, which
    /// takes a port when the register is one of the upper sixteen, where a copy takes none.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn zero() -> Vector {
        opaque(all(0))
    }

    /// The same, of which the compiler no longer knows anything.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    fn opaque(a: Vector) -> Vector {
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

    /// 2a, of which the compiler does not know it: it would make a multiplication by 19 of every fold, which takes two
    /// VPMULUDQ and waits longer.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn twice(a: Vector) -> Vector {
        let a = opaque(a);
        add(a, a)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn add(a: Vector, b: Vector) -> Vector {
        _mm256_add_epi64(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn and(a: Vector, b: Vector) -> Vector {
        _mm256_and_si256(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn shl4(a: Vector) -> Vector {
        _mm256_slli_epi64::<4>(a)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn shr51(a: Vector) -> Vector {
        _mm256_srli_epi64::<51>(a)
    }

    /// `sum` + the low 52 bits of a·b.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn low(sum: Vector, a: Vector, b: Vector) -> Vector {
        _mm256_madd52lo_epu64(sum, a, b)
    }

    /// `sum` + the high 52 bits of a·b.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn high(sum: Vector, a: Vector, b: Vector) -> Vector {
        _mm256_madd52hi_epu64(sum, a, b)
    }

    /// The same value in every lane.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn all(value: u64) -> Vector {
        _mm256_set1_epi64x(value as i64)
    }
}

/// Eight lanes.
pub(super) mod zmm {
    use core::arch::x86_64::*;

    type Vector = __m512i;

    /// Zero, of which the compiler does not know it: it would clear a register by VPXORD for every sum that starts, which
    /// takes a port when the register is one of the upper sixteen, where a copy takes none.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn zero() -> Vector {
        opaque(all(0))
    }

    /// The same, of which the compiler no longer knows anything.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    fn opaque(a: Vector) -> Vector {
        // The sanitizer has no model of assembly.
        #[cfg(not(outpace_ct = "msan"))]
        let a = {
            let mut a = a;
            // SAFETY: no instructions; the operand is only claimed to be changed.
            unsafe { core::arch::asm!("/* {0} */", inout(zmm_reg) a, options(pure, nomem, nostack, preserves_flags)) };
            a
        };
        a
    }

    /// 2a, of which the compiler does not know it: it would make multiplications of sums of multiples, which take two
    /// VPMULUDQ and wait longer.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn twice(a: Vector) -> Vector {
        let a = opaque(a);
        add(a, a)
    }

    /// 9a, not by a multiplication either.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn nine_times(a: Vector) -> Vector {
        add(opaque(_mm512_slli_epi64::<3>(a)), a)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn add(a: Vector, b: Vector) -> Vector {
        _mm512_add_epi64(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn and(a: Vector, b: Vector) -> Vector {
        _mm512_and_si512(a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn shr51(a: Vector) -> Vector {
        _mm512_srli_epi64::<51>(a)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn low(sum: Vector, a: Vector, b: Vector) -> Vector {
        _mm512_madd52lo_epu64(sum, a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn high(sum: Vector, a: Vector, b: Vector) -> Vector {
        _mm512_madd52hi_epu64(sum, a, b)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
    pub(in super::super) fn all(value: u64) -> Vector {
        _mm512_set1_epi64(value as i64)
    }
}

/// The lowest 51 bits.
pub(super) const MASK: u64 = (1 << 51) - 1;

/// The limbs of an integer below 2^255.
pub(super) const fn limbs(x: &Words) -> [u64; 5] {
    [
        x[0] & MASK,
        (x[0] >> 51 | x[1] << 13) & MASK,
        (x[1] >> 38 | x[2] << 26) & MASK,
        (x[2] >> 25 | x[3] << 39) & MASK,
        x[3] >> 12 & MASK,
    ]
}

/// p·2^11 in columns, each above 2^61: added before a subtraction, it keeps every lane positive.
pub(super) const BIAS: [u64; 5] = [((1 << 51) - 19) << 11, MASK << 11, MASK << 11, MASK << 11, MASK << 11];

/// The columns of the product of two fives of limbs, folded by 2^255 = 19.
macro_rules! product {
    ($v:ident; $a:expr, $b:expr) => {{
        let ([a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4]) = ($a, $b);
        let zero = $v::zero();
        // Columns from 5 up first: what they fold into is needed last.
        let h4 = $v::high(zero, a0, b4);
        let l5 = $v::low(zero, a1, b4);
        let h5 = $v::high(zero, a1, b4);
        let l6 = $v::low(zero, a2, b4);
        let h6 = $v::high(zero, a2, b4);
        let l7 = $v::low(zero, a3, b4);
        let h7 = $v::high(zero, a3, b4);
        let l8 = $v::low(zero, a4, b4);
        let h8 = $v::high(zero, a4, b4);
        let h4 = $v::high(h4, a1, b3);
        let l5 = $v::low(l5, a2, b3);
        let h5 = $v::high(h5, a2, b3);
        let l6 = $v::low(l6, a3, b3);
        let h6 = $v::high(h6, a3, b3);
        let l7 = $v::low(l7, a4, b3);
        let h7 = $v::high(h7, a4, b3);
        let h4 = $v::high(h4, a2, b2);
        let l5 = $v::low(l5, a3, b2);
        let h5 = $v::high(h5, a3, b2);
        let l6 = $v::low(l6, a4, b2);
        let h6 = $v::high(h6, a4, b2);
        let h4 = $v::high(h4, a3, b1);
        let l5 = $v::low(l5, a4, b1);
        let h5 = $v::high(h5, a4, b1);
        let h4 = $v::high(h4, a4, b0);
        let c9 = $v::twice(h8);
        let c8 = $v::add($v::add(h7, h7), l8);
        let c7 = $v::add($v::add(h6, h6), l7);
        let c6 = $v::add($v::add(h5, h5), l6);
        let c5 = $v::add($v::add(h4, h4), l5);
        let t3 = $v::low(zero, a0, b3);
        let h3 = $v::high(zero, a0, b3);
        let t4 = $v::low(zero, a0, b4);
        let t2 = $v::low(zero, a0, b2);
        let h2 = $v::high(zero, a0, b2);
        let t1 = $v::low(zero, a0, b1);
        let h1 = $v::high(zero, a0, b1);
        let t0 = $v::low(zero, a0, b0);
        let h0 = $v::high(zero, a0, b0);
        let t4 = $v::low(t4, a1, b3);
        let t3 = $v::low(t3, a1, b2);
        let h3 = $v::high(h3, a1, b2);
        let t2 = $v::low(t2, a1, b1);
        let h2 = $v::high(h2, a1, b1);
        let t1 = $v::low(t1, a1, b0);
        let h1 = $v::high(h1, a1, b0);
        let t4 = $v::low(t4, a2, b2);
        let t3 = $v::low(t3, a2, b1);
        let h3 = $v::high(h3, a2, b1);
        let t2 = $v::low(t2, a2, b0);
        let h2 = $v::high(h2, a2, b0);
        let t4 = $v::low(t4, a3, b1);
        let t3 = $v::low(t3, a3, b0);
        let h3 = $v::high(h3, a3, b0);
        let t4 = $v::low(t4, a4, b0);
        // 19c = 16c + 2c + c
        let f0 = $v::add($v::add($v::shl4(c5), c5), $v::twice(c5));
        let f1 = $v::add($v::add($v::shl4(c6), c6), $v::twice(c6));
        let f2 = $v::add($v::add($v::shl4(c7), c7), $v::twice(c7));
        let f3 = $v::add($v::add($v::shl4(c8), c8), $v::twice(c8));
        let f4 = $v::add($v::add($v::shl4(c9), c9), $v::twice(c9));
        [
            $v::add(t0, f0),
            $v::add($v::add(t1, f1), $v::add(h0, h0)),
            $v::add($v::add(t2, f2), $v::add(h1, h1)),
            $v::add($v::add(t3, f3), $v::add(h2, h2)),
            $v::add($v::add(t4, f4), $v::add(h3, h3)),
        ]
    }};
}

/// As `product`, for eight lanes, where other products fill the waiting time: fewer instructions in longer chains. High
/// halves are added up first, doubled, and low halves added to that; folds start the sums of the columns they go to,
/// 19c as twice 9c, and c.
macro_rules! product8 {
    ($a:expr, $b:expr) => {{
        let ([a0, a1, a2, a3, a4], [b0, b1, b2, b3, b4]) = ($a, $b);
        let zero = zmm::zero();
        let h4 = zmm::high(zero, a0, b4);
        let h5 = zmm::high(zero, a1, b4);
        let h6 = zmm::high(zero, a2, b4);
        let h7 = zmm::high(zero, a3, b4);
        let h8 = zmm::high(zero, a4, b4);
        let h4 = zmm::high(h4, a1, b3);
        let h5 = zmm::high(h5, a2, b3);
        let h6 = zmm::high(h6, a3, b3);
        let h7 = zmm::high(h7, a4, b3);
        let h4 = zmm::high(h4, a2, b2);
        let h5 = zmm::high(h5, a3, b2);
        let h6 = zmm::high(h6, a4, b2);
        let h4 = zmm::high(h4, a3, b1);
        let h5 = zmm::high(h5, a4, b1);
        let h4 = zmm::high(h4, a4, b0);
        let c9 = zmm::twice(h8);
        let c8 = zmm::low(zmm::add(h7, h7), a4, b4);
        let c7 = zmm::low(zmm::add(h6, h6), a3, b4);
        let c6 = zmm::low(zmm::add(h5, h5), a2, b4);
        let c5 = zmm::low(zmm::add(h4, h4), a1, b4);
        let c7 = zmm::low(c7, a4, b3);
        let c6 = zmm::low(c6, a3, b3);
        let c5 = zmm::low(c5, a2, b3);
        let c6 = zmm::low(c6, a4, b2);
        let c5 = zmm::low(c5, a3, b2);
        let c5 = zmm::low(c5, a4, b1);
        let h3 = zmm::high(zmm::nine_times(c9), a0, b3);
        let h2 = zmm::high(zmm::nine_times(c8), a0, b2);
        let h1 = zmm::high(zmm::nine_times(c7), a0, b1);
        let h0 = zmm::high(zmm::nine_times(c6), a0, b0);
        let h3 = zmm::high(h3, a1, b2);
        let h2 = zmm::high(h2, a1, b1);
        let h1 = zmm::high(h1, a1, b0);
        let h3 = zmm::high(h3, a2, b1);
        let h2 = zmm::high(h2, a2, b0);
        let h3 = zmm::high(h3, a3, b0);
        let t0 = zmm::add(zmm::twice(zmm::nine_times(c5)), c5);
        let t1 = zmm::low(zmm::add(zmm::add(h0, h0), c6), a0, b1);
        let t2 = zmm::low(zmm::add(zmm::add(h1, h1), c7), a0, b2);
        let t3 = zmm::low(zmm::add(zmm::add(h2, h2), c8), a0, b3);
        let t4 = zmm::low(zmm::add(zmm::add(h3, h3), c9), a0, b4);
        let t4 = zmm::low(t4, a1, b3);
        let t3 = zmm::low(t3, a1, b2);
        let t2 = zmm::low(t2, a1, b1);
        let t1 = zmm::low(t1, a1, b0);
        let t4 = zmm::low(t4, a2, b2);
        let t3 = zmm::low(t3, a2, b1);
        let t2 = zmm::low(t2, a2, b0);
        let t4 = zmm::low(t4, a3, b1);
        let t3 = zmm::low(t3, a3, b0);
        let t4 = zmm::low(t4, a4, b0);
        [zmm::low(t0, a0, b0), t1, t2, t3, t4]
    }};
}

/// As `product8`, of five limbs and themselves: products of two limbs are added up once and doubled.
macro_rules! square8 {
    ($a:expr) => {{
        let [a0, a1, a2, a3, a4] = $a;
        let zero = zmm::zero();
        let h4 = zmm::high(zero, a0, a4);
        let h5 = zmm::high(zero, a1, a4);
        let h6 = zmm::high(zero, a2, a4);
        let h7 = zmm::high(zero, a3, a4);
        let h8 = zmm::high(zero, a4, a4);
        let h4 = zmm::high(h4, a1, a3);
        let h5 = zmm::high(h5, a2, a3);
        // Halves of columns, but for the low halves of squares.
        let x8 = zmm::add(h7, h7);
        let x7 = zmm::low(zmm::add(h6, h6), a3, a4);
        let x6 = zmm::low(zmm::add(h5, h5), a2, a4);
        let x5 = zmm::low(zmm::add(h4, h4), a1, a4);
        let x7 = zmm::high(x7, a3, a3);
        let x5 = zmm::low(x5, a2, a3);
        let x5 = zmm::high(x5, a2, a2);
        let c9 = zmm::twice(h8);
        let c8 = zmm::low(zmm::add(x8, x8), a4, a4);
        let c7 = zmm::add(x7, x7);
        let c6 = zmm::low(zmm::add(x6, x6), a3, a3);
        let c5 = zmm::add(x5, x5);
        let h1 = zmm::high(zero, a0, a1);
        let h2 = zmm::high(zero, a0, a2);
        let h3 = zmm::high(zero, a0, a3);
        let h3 = zmm::high(h3, a1, a2);
        let x1 = zmm::low(zero, a0, a1);
        let x2 = zmm::low(zmm::add(h1, h1), a0, a2);
        let x3 = zmm::low(zmm::add(h2, h2), a0, a3);
        let x4 = zmm::low(zmm::add(h3, h3), a0, a4);
        let x1 = zmm::high(x1, a0, a0);
        let x3 = zmm::low(x3, a1, a2);
        let x3 = zmm::high(x3, a1, a1);
        let x4 = zmm::low(x4, a1, a3);
        let t0 = zmm::low(zmm::add(zmm::twice(zmm::nine_times(c5)), c5), a0, a0);
        let x1 = zmm::add(x1, zmm::nine_times(c6));
        let x2 = zmm::add(x2, zmm::nine_times(c7));
        let x3 = zmm::add(x3, zmm::nine_times(c8));
        let x4 = zmm::add(x4, zmm::nine_times(c9));
        [
            t0,
            zmm::add(zmm::add(x1, x1), c6),
            zmm::low(zmm::add(zmm::add(x2, x2), c7), a1, a1),
            zmm::add(zmm::add(x3, x3), c8),
            zmm::low(zmm::add(zmm::add(x4, x4), c9), a2, a2),
        ]
    }};
}

/// Limbs from columns: every column keeps 51 bits and hands the rest to the next, the last 19 times to the first.
macro_rules! carried {
    ($v:ident; $c:expr) => {{
        let [c0, c1, c2, c3, c4] = $c;
        let mask = $v::all(crate::curve25519::x86_64::ifma::lanes::MASK);
        let top = $v::shr51(c4);
        [
            $v::low($v::and(c0, mask), top, $v::all(19)),
            $v::add($v::and(c1, mask), $v::shr51(c0)),
            $v::add($v::and(c2, mask), $v::shr51(c1)),
            $v::add($v::and(c3, mask), $v::shr51(c2)),
            $v::add($v::and(c4, mask), $v::shr51(c3)),
        ]
    }};
}

pub(super) use {carried, product, product8, square8};

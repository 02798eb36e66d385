//! Choosing, comparing and looking up by secret values, without a branch or an address that depends on them.
//!
//! LLVM has been seen turning `(a & m) | (b & !m)` into a load through a selected pointer once it knew that `m` is all
//! ones or all zeros. So every mask passes through [`barrier`], an empty assembly statement after which the compiler
//! knows nothing of the value, and every select in this module re-passes it.

use crate::{Error, Result};

/// The same value, of which the compiler no longer knows anything.
#[inline(always)]
#[must_use]
pub(crate) fn barrier(value: u64) -> u64 {
    // The sanitizer has no model of assembly. Nor does it follow carries: a mask made by negation has lost its mark in
    // all bits but one, and gets it back here, whatever it was made of.
    #[cfg(outpace_ct = "msan")]
    return super::taint::hidden(value);
    #[cfg(all(not(outpace_ct = "msan"), target_pointer_width = "64"))]
    {
        let mut value = value;
        // SAFETY: no instructions; the operand is only claimed to be changed.
        unsafe { core::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags)) };
        value
    }
    // No register holds all of it.
    #[cfg(all(not(outpace_ct = "msan"), not(target_pointer_width = "64")))]
    {
        let (mut low, mut high) = (value as u32, (value >> 32) as u32);
        // SAFETY: as above.
        unsafe {
            core::arch::asm!("/* {0} {1} */", inout(reg) low, inout(reg) high, options(pure, nomem, nostack, preserves_flags));
        }
        u64::from(high) << 32 | u64::from(low)
    }
}

/// A secret yes or no: a mask of all ones or all zeros.
#[derive(Clone, Copy)]
#[must_use]
pub(crate) struct Choice(u64);

impl Choice {
    /// Yes if the lowest bit of `bit` is one.
    #[inline(always)]
    pub(crate) fn from_bit(bit: u64) -> Self {
        Self(barrier((bit & 1).wrapping_neg()))
    }

    /// Yes if `value` is zero.
    #[inline(always)]
    pub(crate) fn is_zero(value: u64) -> Self {
        // The top bit of (v | -v) is clear for zero alone.
        Self::from_bit(!(value | value.wrapping_neg()) >> 63)
    }

    /// Both.
    #[inline(always)]
    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// All ones for yes, zero for no.
    #[inline(always)]
    #[must_use]
    pub(crate) fn mask(self) -> u64 {
        barrier(self.0)
    }

    /// Makes the answer public: from here on the program may branch on it. Each call is a decision to review.
    #[inline(always)]
    #[must_use]
    pub(crate) fn declassify(self) -> bool {
        #[cfg(outpace_ct)]
        return super::taint::published(self.0) != 0;
        #[cfg(not(outpace_ct))]
        {
            barrier(self.0) != 0
        }
    }
}

/// Whether `a` and `b` have the same bytes. Their lengths are public.
#[inline]
pub(crate) fn eq(a: &[u8], b: &[u8]) -> Choice {
    if a.len() != b.len() {
        return Choice(0);
    }
    let mut difference = 0u64;
    let (a8, a1) = a.as_chunks::<8>();
    let (b8, b1) = b.as_chunks::<8>();
    for (x, y) in a8.iter().zip(b8) {
        difference |= barrier(u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y));
    }
    for (x, y) in a1.iter().zip(b1) {
        difference |= barrier(u64::from(x ^ y));
    }
    Choice::is_zero(difference)
}

/// Whether a tag is the expected one; the answer is public, the place of a difference is not.
#[inline]
pub(crate) fn verify(expected: &[u8], tag: &[u8]) -> Result<()> {
    if eq(expected, tag).declassify() { Ok(()) } else { Err(Error::Authentication) }
}

/// `a` for yes, `b` for no.
#[inline(always)]
pub(crate) fn select_u64(choice: Choice, a: u64, b: u64) -> u64 {
    b ^ (choice.mask() & (a ^ b))
}

/// Copies `source` over `target` for yes; leaves it for no.
#[inline(always)]
pub(crate) fn assign<const N: usize>(target: &mut [u64; N], source: &[u64; N], choice: Choice) {
    for (t, s) in target.iter_mut().zip(source) {
        *t = select_u64(choice, *s, *t);
    }
}

/// Exchanges `a` and `b` for yes.
#[inline(always)]
pub(crate) fn swap<const N: usize>(a: &mut [u64; N], b: &mut [u64; N], choice: Choice) {
    for (x, y) in a.iter_mut().zip(b) {
        let difference = choice.mask() & (*x ^ *y);
        *x ^= difference;
        *y ^= difference;
    }
}

/// Entry `index` of `table`, reading all of it; zeros if `index` is beyond the end. An entry is `M` rows of `N` words.
#[inline]
pub(crate) fn lookup<const M: usize, const N: usize>(table: &[[[u64; N]; M]], index: u64) -> [[u64; N]; M] {
    let mut found = [[0; N]; M];
    for (i, entry) in (0u64..).zip(table) {
        let mask = Choice::is_zero(i ^ index).mask();
        for (f, e) in found.as_flattened_mut().iter_mut().zip(entry.as_flattened()) {
            *f |= e & mask;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality() {
        for len in 0..40 {
            let a = std::vec![0x5a_u8; len];
            assert!(eq(&a, &a).declassify());
            for i in 0..len {
                for bit in 0..8 {
                    let mut b = a.clone();
                    b[i] ^= 1 << bit;
                    assert!(!eq(&a, &b).declassify(), "{len} {i} {bit}");
                }
            }
            assert!(!eq(&a, &std::vec![0x5a_u8; len + 1]).declassify());
        }
    }

    #[test]
    fn choices() {
        let (yes, no) = (Choice::from_bit(3), Choice::from_bit(2));
        assert!(yes.declassify() && !no.declassify());
        assert!(!yes.and(no).declassify() && yes.and(yes).declassify());
        assert_eq!((select_u64(yes, 1, 2), select_u64(no, 1, 2)), (1, 2));
        for v in [0u64, 1, 2, 1 << 63, u64::MAX] {
            assert_eq!(Choice::is_zero(v).declassify(), v == 0);
        }
        let (mut a, mut b) = ([1, 2], [3, 4]);
        swap(&mut a, &mut b, no);
        assert_eq!((a, b), ([1, 2], [3, 4]));
        swap(&mut a, &mut b, yes);
        assert_eq!((a, b), ([3, 4], [1, 2]));
        assign(&mut a, &b, no);
        assert_eq!(a, [3, 4]);
        assign(&mut a, &b, yes);
        assert_eq!(a, [1, 2]);
    }

    #[test]
    fn lookups() {
        let table = [[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]]];
        for i in 0..3 {
            assert_eq!(lookup(&table, i as u64), table[i]);
        }
        assert_eq!(lookup(&table, 3), [[0; 3]]);
    }
}

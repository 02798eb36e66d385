//! The division steps of an inversion, for any x86-64: conditional moves instead of masks.
//!
//! Seven of the 15 instructions of a step need one of two ports: 3.5 cycles. Measured: 5.4.

use core::arch::asm;

/// `N` division steps on the packed words of f and g; `zeta` is −(δ + 1/2).
///
/// With zeta negative and g odd, (zeta, f, g) becomes (−zeta − 2, g, (g − f)/2); else zeta − 1, f, and half of g + f or g,
/// whichever is even.
#[inline(always)]
pub(crate) fn run<const N: u32>(zeta: &mut i64, fuv: &mut i64, gqr: &mut i64) {
    let (mut z, mut f, mut g) = (*zeta, *fuv, *gqr);
    // The sanitizer does not see into assembly: what goes in is made public there, what comes out secret.
    #[cfg(outpace_ct = "msan")]
    {
        (z, f, g) = crate::mem::taint::published((z, f, g));
    }
    // One more than zeta: what it becomes, should g be odd and zeta negative, is then −z, known as soon as z − 1 is.
    z = z.wrapping_add(1);
    // e = ±f, the minus for a negative zeta, and then g + e; w = the next f, n = one more than the next zeta, should g be
    // odd.
    // SAFETY: registers alone.
    unsafe {
        asm!(
            ".rept {N}",
            "mov {e}, {f}",
            "neg {e}",
            "mov {n}, {z}",
            "neg {n}",
            "mov {w}, {f}",
            "dec {z}",
            "cmovns {e}, {f}",
            "cmovns {n}, {z}",
            "cmovs {w}, {g}",
            "add {e}, {g}",
            "test {g:l}, 1",
            "cmovnz {f}, {w}",
            "cmovnz {z}, {n}",
            "cmovnz {g}, {e}",
            "sar {g}, 1",
            ".endr",
            N = const N,
            z = inout(reg) z, f = inout(reg) f, g = inout(reg) g,
            e = out(reg) _, n = out(reg) _, w = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    z = z.wrapping_sub(1);
    #[cfg(outpace_ct = "msan")]
    {
        (z, f, g) = crate::mem::taint::hidden((z, f, g));
    }
    (*zeta, *fuv, *gqr) = (z, f, g);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve25519::invert::portable_run;
    use testkit::Rng;

    #[test]
    fn as_the_portable_steps() {
        let mut rng = Rng::new(1);
        for _ in 0..1000 {
            let start = (-(rng.below(40) as i64) + 20, rng.u64() as i64 >> 2 | 1, rng.u64() as i64 >> 2);
            let (mut a, mut b) = (start, start);
            run::<20>(&mut a.0, &mut a.1, &mut a.2);
            portable_run::<20>(&mut b.0, &mut b.1, &mut b.2);
            assert_eq!(a, b, "{start:x?}");
        }
    }
}

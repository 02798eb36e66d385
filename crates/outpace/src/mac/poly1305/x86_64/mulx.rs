//! A block of Poly1305 (RFC 8439 section 2.5) in general registers, for kernels that take two chains beside the rounds of
//! a cipher: of two such chains the compiler would keep words in memory, and carries too.
//!
//! Some 26 operations and 15 cycles from one accumulator to the next; two chains take 21 for two blocks.

#[cfg(outpace_ct = "msan")]
use super::super::{State, portable};

/// r0, r1 and 5/4 r1.
pub(crate) type Multiplier = [u64; 3];

/// h = (h + m + 2^128) r mod 2^130 - 5, partly reduced, as `portable::block`.
#[inline]
#[target_feature(enable = "bmi2")]
pub(crate) fn block(h: &mut [u64; 3], r: &Multiplier, m: &[u8; 16]) {
    #[cfg(outpace_ct = "msan")]
    {
        let mut state = State { r: [r[0], r[1]], s: [0; 2], h: *h };
        portable::block(&mut state, m, 1);
        *h = state.h;
    }
    // d0 = b a, d1 = h1 (its carry in d), d2 = h2. h2 is at most 7, r0 and s1 are below 2^61: neither b + h2 s1 nor d2
    // overflows.
    // SAFETY: reads `r` and `m`.
    #[cfg(not(outpace_ct = "msan"))]
    unsafe {
        core::arch::asm!(
            "mov rdx, [{m}]",
            "add rdx, {h0}",
            "adc {h1}, [{m} + 8]",
            "mov {c}, [{r} + 16]",
            "adc {h2}, 1",
            "mulx {b}, {a}, [{r}]",
            "mulx {d}, {h0}, [{r} + 8]",
            "imul {c}, {h2}",
            "mov rdx, {h1}",
            "add {b}, {c}",
            "mulx {e}, {c}, [{r} + 16]",
            "mulx rdx, {h1}, [{r}]",
            "imul {h2}, [{r}]",
            "add {a}, {c}",
            "adc {b}, {e}",
            "add {h1}, {h0}",
            "adc {d}, rdx",
            "add {h1}, {b}",
            "adc {h2}, {d}",
            // 2^130 = 5.
            "mov {b}, {h2}",
            "and {h2}, 3",
            "shr {b}, 2",
            "lea {b}, [{b} + 4 * {b}]",
            "add {a}, {b}",
            "adc {h1}, 0",
            "adc {h2}, 0",
            m = in(reg) m,
            r = in(reg) r,
            h0 = inout(reg) h[0] => _,
            h1 = inout(reg) h[1],
            h2 = inout(reg) h[2],
            a = out(reg) h[0],
            b = out(reg) _,
            c = out(reg) _,
            d = out(reg) _,
            e = out(reg) _,
            out("rdx") _,
            options(readonly, nostack)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{State, portable};
    use crate::cpu::Features;
    use testkit::Rng;

    /// The largest words and many others.
    #[test]
    fn as_portable() {
        if !Features::BMI2.can_be_tested() {
            return;
        }
        let mut rng = Rng::new(44);
        for i in 0..2000_u32 {
            let mut word = |bit: u32| if i >> bit & 1 == 1 { u64::MAX } else { rng.u64() };
            let h = [word(0), word(1), word(2) % 7];
            let mut state = State::from_words([word(3), word(4)], [0; 2]);
            state.h = h;
            let m = (u128::from(word(5)) << 64 | u128::from(word(6))).to_le_bytes();
            let mut h = h;
            let [r0, r1] = state.r;
            // SAFETY: the CPU has BMI2.
            unsafe { super::block(&mut h, &[r0, r1, r1 + (r1 >> 2)], &m) };
            portable::block(&mut state, &m, 1);
            assert_eq!(h, state.h, "{i}");
        }
    }
}

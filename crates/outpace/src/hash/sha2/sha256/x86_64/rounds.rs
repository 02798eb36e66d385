//! The rounds of SHA-256 in scalar registers, four at a time, alone or with a step of a schedule between their
//! instructions.

use crate::hash::sha2::rounds::{mov_ror, rorx, round};
use crate::hash::sha2::sha256::State;

/// W + K of sixteen rounds: four times four words of each of a few blocks.
pub(super) type Sixteen<const N: usize> = [[u32; N]; 4];

/// The working variables, a to h at round 0, and what a round leaves to the next.
pub(super) struct Rounds<const BMI2: bool> {
    pub(super) v: [u32; 8],
    /// b ^ c: Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, and a ^ b is b ^ c one round later.
    pub(super) b_xor_c: u32,
}

/// Rounds 4I to 4I + 3, see [`round`]: the rounds, I, the macro that rotates, eight slots for each round, and operands:
/// the address of the `words` W + K, the offset of these rounds' `row`, and those of the slots.
macro_rules! four_rounds {
    ($rounds:ident, $i:expr, $rotate:ident, $s0:tt $s1:tt $s2:tt $s3:tt, $($operands:tt)*) => {{
        let [a, b, c, d, e, f, g, h] = const { $crate::hash::sha2::places(4 * $i) };
        let v = &mut $rounds.v;
        core::arch::asm!(
            round!($rotate [6 11 25] [2 13 22] "[{words} + {row}]"
                ["{a:e}" "{b:e}" "{c:e}" "{d:e}" "{e:e}" "{f:e}" "{g:e}" "{h:e}" "{m:e}" "{x:e}"]
                ["{y:e}" "{t:e}" "{u:e}"] $s0),
            round!($rotate [6 11 25] [2 13 22] "[{words} + {row} + 4]"
                ["{h:e}" "{a:e}" "{b:e}" "{c:e}" "{d:e}" "{e:e}" "{f:e}" "{g:e}" "{x:e}" "{m:e}"]
                ["{y:e}" "{t:e}" "{u:e}"] $s1),
            round!($rotate [6 11 25] [2 13 22] "[{words} + {row} + 8]"
                ["{g:e}" "{h:e}" "{a:e}" "{b:e}" "{c:e}" "{d:e}" "{e:e}" "{f:e}" "{m:e}" "{x:e}"]
                ["{y:e}" "{t:e}" "{u:e}"] $s2),
            round!($rotate [6 11 25] [2 13 22] "[{words} + {row} + 12]"
                ["{f:e}" "{g:e}" "{h:e}" "{a:e}" "{b:e}" "{c:e}" "{d:e}" "{e:e}" "{x:e}" "{m:e}"]
                ["{y:e}" "{t:e}" "{u:e}"] $s3),
            a = inout(reg) v[a], b = inout(reg) v[b], c = inout(reg) v[c], d = inout(reg) v[d],
            e = inout(reg) v[e], f = inout(reg) v[f], g = inout(reg) v[g], h = inout(reg) v[h],
            m = inout(reg) $rounds.b_xor_c, x = out(reg) _, y = out(reg) _, t = out(reg) _, u = out(reg) _,
            $($operands)*
        );
    }};
}
pub(super) use four_rounds;

impl<const BMI2: bool> Rounds<BMI2> {
    #[inline(always)]
    pub(super) fn new(state: &State) -> Self {
        Self { v: *state, b_xor_c: state[1] ^ state[2] }
    }

    /// Adds the working variables to the state. Call after a multiple of eight rounds, when each is in its place again.
    #[inline(always)]
    pub(super) fn finish(self, state: &mut State) {
        for (s, v) in state.iter_mut().zip(self.v) {
            *s = s.wrapping_add(v);
        }
    }

    /// Sixteen rounds of the block whose words begin at `at`.
    ///
    /// # Safety
    /// The CPU has BMI2 if `BMI2` says so.
    #[inline(always)]
    pub(super) unsafe fn sixteen<const N: usize>(&mut self, words: &Sixteen<N>, at: usize) {
        // SAFETY: handed on.
        unsafe {
            self.four::<0, N>(words, at);
            self.four::<1, N>(words, at);
            self.four::<2, N>(words, at);
            self.four::<3, N>(words, at);
        }
    }

    /// # Safety
    /// As above.
    #[inline(always)]
    unsafe fn four<const I: usize, const N: usize>(&mut self, words: &Sixteen<N>, at: usize) {
        assert!(at + 4 <= N);
        let words = words.as_flattened()[at..].as_ptr();
        // SAFETY: reads four of the borrowed words, inside them by the assertion; writes registers.
        unsafe {
            if BMI2 {
                four_rounds!(self, I, rorx, ["" "" "" "" "" "" "" ""] ["" "" "" "" "" "" "" ""] ["" "" "" "" "" "" "" ""]
                    ["" "" "" "" "" "" "" ""], words = in(reg) words, row = const 4 * N * I, options(nostack, readonly));
            } else {
                four_rounds!(self, I, mov_ror, ["" "" "" "" "" "" "" ""] ["" "" "" "" "" "" "" ""]
                    ["" "" "" "" "" "" "" ""] ["" "" "" "" "" "" "" ""],
                    words = in(reg) words, row = const 4 * N * I, options(nostack, readonly));
            }
        }
    }
}

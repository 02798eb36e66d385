//! Two rounds for four ALUs, alone or with a step of the schedule between their instructions.
//!
//! Floor: see [`round`](crate::hash::sha2::rounds). The step's vector instructions are spread evenly, because in one piece
//! they keep the ALUs waiting; 23 of them leave no room in six instructions a cycle. Measured on Zen 4: 6.0 cycles a round,
//! 6.3 with the step.

use super::{Rounds, Sixteen};
use crate::hash::sha2::rounds::{rorx, round};
use core::arch::x86_64::__m256i;

/// Rounds 2I and 2I + 1 of sixteen, see [`round`]: the rounds, I, the macro that rotates, eight slots for each round, and
/// operands: the address of the `words` W + K, the offsets of these rounds' `first` and `second`, and those of the slots.
macro_rules! two_rounds {
    ($rounds:ident, $i:expr, $rotate:ident, $s0:tt $s1:tt, $($operands:tt)*) => {{
        let [a, b, c, d, e, f, g, h] = const { $crate::hash::sha2::places(2 * $i) };
        let v = &mut $rounds.v;
        core::arch::asm!(
            round!($rotate [14 18 41] [28 34 39] "[{words} + {first}]"
                ["{a}" "{b}" "{c}" "{d}" "{e}" "{f}" "{g}" "{h}" "{m}" "{x}"] ["{y}" "{t}" "{u}"] $s0),
            round!($rotate [14 18 41] [28 34 39] "[{words} + {second}]"
                ["{h}" "{a}" "{b}" "{c}" "{d}" "{e}" "{f}" "{g}" "{x}" "{m}"] ["{y}" "{t}" "{u}"] $s1),
            a = in(reg) v[a], b = in(reg) v[b], c = inout(reg) v[c], d = inout(reg) v[d],
            e = in(reg) v[e], f = in(reg) v[f], g = inout(reg) v[g], h = inout(reg) v[h],
            m = inout(reg) $rounds.b_xor_c, x = out(reg) _, y = out(reg) _, t = out(reg) _, u = out(reg) _,
            $($operands)*
        );
    }};
}
pub(in super::super) use two_rounds;

impl<const FOUR: bool> Rounds<FOUR> {
    /// Rounds 2I and 2I + 1 modulo 16, of the block whose words begin at `at`: two of the `N`.
    #[inline(always)]
    pub(super) fn two_in_few<const I: usize, const N: usize>(&mut self, words: &Sixteen<N>, at: usize) {
        assert!(at + 2 <= N);
        // SAFETY: reads two words of `words`, inside it by the assertion; writes registers.
        unsafe {
            two_rounds!(self, I, rorx, ["" "" "" "" "" "" "" ""] ["" "" "" "" "" "" "" ""],
                words = in(reg) words.as_flattened()[at..].as_ptr(), first = const 8 * I * N, second = const 8 * (I * N + 1),
                options(nostack, readonly));
        }
    }

    /// The same for the first of two blocks, and the words that are used sixteen rounds later, of both, with the constants
    /// `k` added.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(in super::super) fn two_and_step<const I: usize>(
        &mut self,
        wk: &mut [Sixteen<4>; 2],
        w: &mut [__m256i; 8],
        k: __m256i,
        rotate_bytes: __m256i,
    ) {
        let [w1, w4, w5, w7] = [1, 4, 5, 7].map(|i| w[(I + i) % 8]);
        // SAFETY: reads two words of the first sixteen and writes pair I of the second, all borrowed.
        unsafe {
            two_rounds!(self, I, rorx,
                ["vpalignr {v}, {w1}, {w0}, 8" "vpsrlq {z}, {v}, 1" "vpsllq {s}, {v}, 63"
                 "vpxor {z}, {z}, {s}\nvpshufb {s}, {v}, {bytes}" "vpsrlq {v}, {v}, 7" "vpxor {z}, {z}, {s}\nvpxor {v}, {v}, {z}"
                 "vpaddq {w0}, {w0}, {v}" "vpalignr {v}, {w5}, {w4}, 8\nvpaddq {w0}, {w0}, {v}"]
                ["vpsrlq {v}, {w7}, 19\nvpsllq {z}, {w7}, 45" "vpxor {v}, {v}, {z}\nvpsrlq {z}, {w7}, 61"
                 "vpsllq {s}, {w7}, 3\nvpxor {z}, {z}, {s}" "vpsrlq {s}, {w7}, 6" "vpxor {v}, {v}, {z}"
                 "vpxor {v}, {v}, {s}\nvpaddq {w0}, {w0}, {v}" "vpaddq {v}, {w0}, {k}" "vmovdqu [{words} + {later}], {v}"],
            words = in(reg) wk.as_mut_ptr(), first = const 32 * I, second = const 32 * I + 8, later = const 256 + 32 * I,
            w0 = inout(ymm_reg) w[I], w1 = in(ymm_reg) w1, w4 = in(ymm_reg) w4, w5 = in(ymm_reg) w5,
            w7 = in(ymm_reg) w7, k = in(ymm_reg) k, v = out(ymm_reg) _, z = out(ymm_reg) _, s = out(ymm_reg) _,
            bytes = in(ymm_reg) rotate_bytes, options(nostack));
        }
    }
}

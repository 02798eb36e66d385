//! Two rounds for four ALUs, alone or with a step of the schedule between their instructions.
//!
//! Floor: 23 operations on four ALUs, 5.75 cycles a round. Measured on Zen 4: 6.0, in the best of some hundred orders. The
//! step's vector instructions are spread evenly, because in one piece they keep the ALUs waiting; 23 of them leave no room
//! in six instructions a cycle: 6.3.

use super::{Rounds, Sixteen, places};
use core::arch::x86_64::__m256i;

/// ```text
/// y = Ch(e, f, g) = ((f ^ g) & e) ^ g        t = Σ1(e)        h += wk + y
/// d += h + t         h += t + Maj(a, b, c) + Σ0(a)
/// ```
/// and the same with the names moved on by one. Registers: the eight variables, b ^ c (`m`), which becomes a ^ b in `x` and
/// after the second round is in `m` again, three temporaries and the address of the words. In the slots: vector
/// instructions with operands of their own.
macro_rules! two_rounds {
    ($rounds:ident, $places:expr, [$s00:literal $s01:literal $s02:literal $s03:literal $s04:literal $s05:literal $s06:literal $s07:literal $s08:literal $s09:literal $s10:literal $s11:literal $s12:literal $s13:literal $s14:literal $s15:literal $s16:literal $s17:literal $s18:literal $s19:literal $s20:literal $s21:literal $s22:literal], $($operands:tt)*) => {{
        let [a, b, c, d, e, f, g, h] = $places;
        let v = &mut $rounds.v;
        core::arch::asm!(
                "add {h}, [{words} + {first}]",
                "rorx {u}, {e}, 18",
                "mov {y}, {f}",
                $s00,
                "xor {y}, {g}",
                "and {y}, {e}",
                $s01,
                "rorx {t}, {e}, 14",
                "xor {t}, {u}",
                $s02,
                "rorx {u}, {e}, 41",
                "mov {x}, {a}",
                $s03,
                "xor {x}, {b}",
                "xor {y}, {g}",
                $s04,
                "xor {t}, {u}",
                "rorx {u}, {a}, 34",
                $s05,
                "and {m}, {x}",
                "add {h}, {y}",
                $s06,
                "xor {m}, {b}",
                "add {d}, {h}",
                $s07,
                "add {d}, {t}",
                "add {h}, {t}",
                $s08,
                "add {h}, {m}",
                "rorx {t}, {a}, 28",
                $s09,
                "xor {t}, {u}",
                "rorx {u}, {a}, 39",
                $s10,
                "xor {t}, {u}",
                "add {h}, {t}",
                $s11,
                "add {g}, [{words} + {second}]",
                "rorx {u}, {d}, 18",
                "mov {y}, {e}",
                $s12,
                "xor {y}, {f}",
                "and {y}, {d}",
                $s13,
                "rorx {t}, {d}, 14",
                "xor {t}, {u}",
                $s14,
                "rorx {u}, {d}, 41",
                "mov {m}, {h}",
                $s15,
                "xor {m}, {a}",
                "xor {y}, {f}",
                $s16,
                "xor {t}, {u}",
                "rorx {u}, {h}, 34",
                $s17,
                "and {x}, {m}",
                "add {g}, {y}",
                $s18,
                "xor {x}, {a}",
                "add {c}, {g}",
                $s19,
                "add {c}, {t}",
                "add {g}, {t}",
                $s20,
                "add {g}, {x}",
                "rorx {t}, {h}, 28",
                $s21,
                "xor {t}, {u}",
                "rorx {u}, {h}, 39",
                $s22,
                "xor {t}, {u}",
                "add {g}, {t}",
                a = in(reg) v[a], b = in(reg) v[b], c = inout(reg) v[c], d = inout(reg) v[d],
                e = in(reg) v[e], f = in(reg) v[f], g = inout(reg) v[g], h = inout(reg) v[h],
                m = inout(reg) $rounds.b_xor_c, x = out(reg) _, y = out(reg) _, t = out(reg) _, u = out(reg) _,
                $($operands)*
        );
    }};
}

impl<const FOUR: bool> Rounds<FOUR> {
    /// Rounds 2I and 2I + 1 modulo 16, of the block whose words begin at `at`: two of the `N`.
    #[inline(always)]
    pub(super) fn two_in_few<const I: usize, const N: usize>(&mut self, words: &Sixteen<N>, at: usize) {
        assert!(at + 2 <= N);
        // SAFETY: reads two words of `words`, inside it by the assertion; writes registers.
        unsafe {
            two_rounds!(self, const { places(2 * I) },
                ["" "" "" "" "" "" "" "" "" "" "" "" "" "" "" "" "" "" "" "" "" "" ""],
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
            two_rounds!(self, const { places(2 * I) }, [
            "vpalignr {v}, {w1}, {w0}, 8" "vpsrlq {z}, {v}, 1" "vpsllq {s}, {v}, 63" "vpxor {z}, {z}, {s}"
            "vpshufb {s}, {v}, {bytes}" "vpsrlq {v}, {v}, 7" "vpxor {z}, {z}, {s}" "vpxor {v}, {v}, {z}"
            "vpaddq {w0}, {w0}, {v}" "vpalignr {v}, {w5}, {w4}, 8" "vpaddq {w0}, {w0}, {v}"
            "vpsrlq {v}, {w7}, 19" "vpsllq {z}, {w7}, 45" "vpxor {v}, {v}, {z}" "vpsrlq {z}, {w7}, 61"
            "vpsllq {s}, {w7}, 3" "vpxor {z}, {z}, {s}" "vpsrlq {s}, {w7}, 6" "vpxor {v}, {v}, {z}"
            "vpxor {v}, {v}, {s}" "vpaddq {w0}, {w0}, {v}" "vpaddq {v}, {w0}, {k}"
            "vmovdqu [{words} + {later}], {v}"
            ], words = in(reg) wk.as_mut_ptr(), first = const 32 * I, second = const 32 * I + 8, later = const 256 + 32 * I,
            w0 = inout(ymm_reg) w[I], w1 = in(ymm_reg) w1, w4 = in(ymm_reg) w4, w5 = in(ymm_reg) w5,
            w7 = in(ymm_reg) w7, k = in(ymm_reg) k, v = out(ymm_reg) _, z = out(ymm_reg) _, s = out(ymm_reg) _,
            bytes = in(ymm_reg) rotate_bytes, options(nostack));
        }
    }
}

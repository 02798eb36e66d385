//! The 80 rounds of SHA-512 in scalar registers, with RORX and without a carried dependency longer than four operations.
//!
//! Floor on Golden Cove: 25 operations a round on five ports, six of them rotations that only two of the ports take: five
//! cycles, 400 a block. Measured: 6.4 cycles a round. The compiler joins the additions in an order that makes the chain
//! from e to e two operations longer, and the order of the instructions decides how they are spread over the ports; so the
//! round is written in assembly, in the best of some thousand orders that were timed.

use crate::hash::sha2::sha512::State;

/// The working variables, a to h at round 0, and what a round leaves to the next.
pub(super) struct Rounds {
    v: [u64; 8],
    /// b ^ c: Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, and a ^ b is b ^ c one round later.
    #[cfg(not(outpace_ct = "msan"))]
    b_xor_c: u64,
    /// Σ0 of the round before, not yet added to a.
    #[cfg(not(outpace_ct = "msan"))]
    sum0: u64,
}

impl Rounds {
    #[inline(always)]
    pub(super) fn new(state: &State) -> Self {
        Self {
            v: *state,
            #[cfg(not(outpace_ct = "msan"))]
            b_xor_c: state[1] ^ state[2],
            #[cfg(not(outpace_ct = "msan"))]
            sum0: 0,
        }
    }

    /// Adds the working variables to the state. Call after a multiple of eight rounds, when each is in its place again.
    #[inline(always)]
    pub(super) fn finish(self, state: &mut State) {
        for (s, v) in state.iter_mut().zip(self.v) {
            *s = s.wrapping_add(v);
        }
        #[cfg(not(outpace_ct = "msan"))]
        {
            state[0] = state[0].wrapping_add(self.sum0);
        }
    }

    /// Two rounds, 2I and 2I + 1 modulo 16, of the block whose words begin at `at`.
    #[inline(always)]
    pub(super) fn two<const I: usize, const N: usize>(&mut self, words: &[u64; N], at: usize) {
        match I % 4 {
            0 => {
                self.round::<0>(&words[at]);
                self.round::<1>(&words[at + 1]);
            }
            1 => {
                self.round::<2>(&words[at]);
                self.round::<3>(&words[at + 1]);
            }
            2 => {
                self.round::<4>(&words[at]);
                self.round::<5>(&words[at + 1]);
            }
            _ => {
                self.round::<6>(&words[at]);
                self.round::<7>(&words[at + 1]);
            }
        }
    }

    /// Sixteen rounds for each item, of the block whose words begin at `at`.
    #[inline(always)]
    pub(super) fn sixteen<const N: usize>(&mut self, words: &[[[u64; N]; 8]], at: usize) {
        for words in words {
            self.two::<0, N>(&words[0], at);
            self.two::<1, N>(&words[1], at);
            self.two::<2, N>(&words[2], at);
            self.two::<3, N>(&words[3], at);
            self.two::<4, N>(&words[4], at);
            self.two::<5, N>(&words[5], at);
            self.two::<6, N>(&words[6], at);
            self.two::<7, N>(&words[7], at);
        }
    }

    /// Round `I` modulo 8, with W + K of the round.
    ///
    /// ```text
    /// y = Ch(e, f, g) = ((f ^ g) & e) ^ g        t = Σ1(e)        h += wk
    /// d += h + y + t     h += y + t + Maj(a, b, c)     sum0 = Σ0(a), after the old sum0 was added to a
    /// ```
    /// Registers: the eight variables (c is not touched), b ^ c, which becomes a ^ b in another register, sum0, two
    /// temporaries and the address of `wk`.
    #[cfg(not(outpace_ct = "msan"))]
    #[inline(always)]
    pub(super) fn round<const I: usize>(&mut self, wk: &u64) {
        let [a, b, _, d, e, f, g, h] = const { places(I) };
        let a_xor_b: u64;
        // SAFETY: reads `wk`, which is borrowed, and writes registers.
        unsafe {
            core::arch::asm!(
                "add {h}, [{wk}]",
                "mov {y}, {f}",
                "add {d}, {h}",
                "rorx {t}, {e}, 14",
                "xor {y}, {g}",
                "rorx {x}, {e}, 41",
                "xor {t}, {x}",
                "and {y}, {e}",
                "add {a}, {s}",
                "xor {y}, {g}",
                "add {d}, {y}",
                "add {h}, {y}",
                "mov {x}, {a}",
                "rorx {y}, {e}, 18",
                "rorx {s}, {a}, 28",
                "xor {x}, {b}",
                "xor {t}, {y}",
                "add {d}, {t}",
                "and {m}, {x}",
                "xor {m}, {b}",
                "add {h}, {t}",
                "add {h}, {m}",
                "rorx {y}, {a}, 34",
                "xor {s}, {y}",
                "rorx {t}, {a}, 39",
                "xor {s}, {t}",
                a = inout(reg) self.v[a], b = in(reg) self.v[b], d = inout(reg) self.v[d],
                e = in(reg) self.v[e], f = in(reg) self.v[f], g = in(reg) self.v[g], h = inout(reg) self.v[h],
                s = inout(reg) self.sum0, m = inout(reg) self.b_xor_c => _, x = out(reg) a_xor_b,
                y = out(reg) _, t = out(reg) _, wk = in(reg) wk,
                options(nostack, readonly),
            );
        }
        self.b_xor_c = a_xor_b;
    }

    /// The same without assembly, which the sanitizer cannot follow.
    #[cfg(outpace_ct = "msan")]
    pub(super) fn round<const I: usize>(&mut self, wk: &u64) {
        let places = const { places(I) };
        let [a, b, c, d, e, f, g, h] = places.map(|i| self.v[i]);
        let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
        let t1 = h.wrapping_add(sum1).wrapping_add((e & f) ^ (!e & g)).wrapping_add(*wk);
        let sum0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
        self.v[places[3]] = d.wrapping_add(t1);
        self.v[places[7]] = t1.wrapping_add(sum0).wrapping_add((a & b) ^ (a & c) ^ (b & c));
    }
}

/// Where a to h are in round `i`: they stay in their registers, the names move on.
const fn places(i: usize) -> [usize; 8] {
    let mut places = [0; 8];
    let mut j = 0;
    while j < 8 {
        places[j] = (j + 16 - i % 8) % 8;
        j += 1;
    }
    places
}

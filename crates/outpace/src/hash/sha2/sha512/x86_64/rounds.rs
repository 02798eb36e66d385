//! The 80 rounds of SHA-512 in scalar registers, with RORX and without a carried dependency longer than four operations.
//!
//! Floor on Golden Cove: 25 operations a round on five ports, six of them rotations that only two of the ports take: five
//! cycles, 400 a block. Measured: 6.4 cycles a round. The compiler joins the additions in an order that makes the chain
//! from e to e two operations longer, and the order of the instructions decides how they are spread over the ports; so the
//! round is written in assembly, in the best of some thousand orders that were timed.
//!
//! With four ALUs (`FOUR`) the number of operations is the floor: see [`four`].

#[cfg(not(outpace_ct = "msan"))]
mod four;
#[cfg(not(outpace_ct = "msan"))]
pub(super) use four::two_rounds;

use crate::hash::sha2::places;
use crate::hash::sha2::sha512::State;

/// W + K of sixteen rounds: eight times two words of each of a few blocks.
pub(super) type Sixteen<const N: usize> = [[u64; N]; 8];

/// K of sixteen rounds.
pub(super) type Constants = Sixteen<2>;

/// The working variables, a to h at round 0, and what a round leaves to the next.
pub(super) struct Rounds<const FOUR: bool> {
    pub(super) v: [u64; 8],
    /// b ^ c: Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, and a ^ b is b ^ c one round later.
    #[cfg(not(outpace_ct = "msan"))]
    pub(super) b_xor_c: u64,
    /// Σ0 of the round before, not yet added to a; nothing if `FOUR`.
    #[cfg(not(outpace_ct = "msan"))]
    sum0: u64,
}

impl<const FOUR: bool> Rounds<FOUR> {
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
    pub(super) fn two<const I: usize, const N: usize>(&mut self, words: &Sixteen<N>, at: usize) {
        assert!(at + 2 <= N);
        #[cfg(not(outpace_ct = "msan"))]
        if FOUR {
            return self.two_in_few::<I, N>(words, at);
        }
        self.round::<I, 0, N>(words, at);
        self.round::<I, 1, N>(words, at);
    }

    /// Sixteen rounds of the block whose words begin at `at`.
    #[inline(always)]
    pub(super) fn sixteen<const N: usize>(&mut self, words: &Sixteen<N>, at: usize) {
        self.two::<0, N>(words, at);
        self.two::<1, N>(words, at);
        self.two::<2, N>(words, at);
        self.two::<3, N>(words, at);
        self.two::<4, N>(words, at);
        self.two::<5, N>(words, at);
        self.two::<6, N>(words, at);
        self.two::<7, N>(words, at);
    }

    /// Round 2I + J modulo 16; wk, its W + K, is word J of pair I.
    /// ```text
    /// y = Ch(e, f, g) = ((f ^ g) & e) ^ g        t = Σ1(e)        h += wk
    /// d += h + y + t     h += y + t + Maj(a, b, c)     sum0 = Σ0(a), after the old sum0 was added to a
    /// ```
    /// Registers: the eight variables (c is not touched), b ^ c, which becomes a ^ b in another register, sum0, two
    /// temporaries and the address of the words.
    #[cfg(not(outpace_ct = "msan"))]
    #[inline(always)]
    fn round<const I: usize, const J: usize, const N: usize>(&mut self, words: &Sixteen<N>, at: usize) {
        let [a, b, _, d, e, f, g, h] = const { places(2 * I + J) };
        let a_xor_b: u64;
        // SAFETY: reads a word of `words`, which is borrowed: `two` has checked `at`. Writes registers.
        unsafe {
            core::arch::asm!(
                "add {h}, [{words} + {offset}]",
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
                y = out(reg) _, t = out(reg) _, words = in(reg) words.as_flattened()[at..].as_ptr(), offset = const 8 * (I * N + J),
                options(nostack, readonly),
            );
        }
        self.b_xor_c = a_xor_b;
    }

    /// The rounds without assembly, which the sanitizer cannot follow.
    #[cfg(outpace_ct = "msan")]
    fn round<const I: usize, const J: usize, const N: usize>(&mut self, words: &Sixteen<N>, at: usize) {
        let places = const { places(2 * I + J) };
        let [a, b, c, d, e, f, g, h] = places.map(|i| self.v[i]);
        let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
        let t1 = h.wrapping_add(sum1).wrapping_add((e & f) ^ (!e & g)).wrapping_add(words[I][at + J]);
        let sum0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
        self.v[places[3]] = d.wrapping_add(t1);
        self.v[places[7]] = t1.wrapping_add(sum0).wrapping_add((a & b) ^ (a & c) ^ (b & c));
    }
}

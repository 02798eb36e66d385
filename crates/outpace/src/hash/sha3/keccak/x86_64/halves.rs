//! Rounds in the order that suits CPUs whose 512-bit instructions take two passes, for eight states in zmm registers or
//! four in ymm.
//!
//! Zen 4 does any logic on four pipes of 256 bits and rotates on two of them. A round is 95 operations: 47.5 cycles with
//! zmm registers, if each found a pipe when its turn comes. Two things are in the way:
//!
//! - A VPTERNLOG of which a source is ready later than the destination has a latency of 2 and takes its pipe twice, as
//!   measured: 1 cycle instead of 1/2. So the operand that comes last is the one that is overwritten; if it is needed
//!   again, its copy is, as a move between registers takes no pipe.
//! - The pipe of an operation is chosen when it is dispatched, long before its operands are ready. With twenty operations
//!   between a value and its use nothing is lost by that, with eight a tenth, with four a quarter; and all lanes wait
//!   for θ, which is chains of parity, rotation and sum, five beside each other. Were all 95 operations of one cycle and
//!   for any pipe, an order like the one below would take 51 cycles.
//!
//! The order below is one of more than a million tried on the CPU: 54 cycles with a round's share of the absorption, and
//! the compiler's about 60; with ymm registers 29. How operations fall to the pipes also depends on what ran before, and
//! stays so for a whole call: so two orders were timed in turns, and the better one is that with less in the mean over
//! many such starts. This one takes the same from each; one that was chosen with less regard to that took 54 from some
//! and 57 from others. Two groups of eight in turns, most lanes in memory, take 52, but 55 with the stores of the next
//! paragraph beside them. θ of ternary operations alone, five fewer a round, takes 56.
//!
//! More than half of what the CPU can start is left meanwhile. With it the next block of each message is brought together
//! in general registers, a word of each in a round; through vector registers that takes 55 cycles a block.

use crate::hash::sha3::keccak::{Columns, RC};
use core::arch::x86_64::*;
use core::marker::PhantomData;

macro_rules! mov {
    ($v:literal $to:literal $a:literal) => {
        concat!("vmovdqa64 ", $v, $to, ", ", $v, $a, "\n")
    };
}

macro_rules! rol {
    ($v:literal $to:literal $a:literal, $n:literal) => {
        concat!("vprolq ", $v, $to, ", ", $v, $a, ", ", $n, "\n")
    };
}

macro_rules! xor {
    ($v:literal $to:literal $a:literal $b:literal) => {
        concat!("vpxorq ", $v, $to, ", ", $v, $a, ", ", $v, $b, "\n")
    };
}

/// The XOR of all three, 0x96, or a step of χ: 0xd2 to its first lane, 0xa6 and 0x9c to one of the others.
macro_rules! tern {
    ($v:literal $to:literal $a:literal $b:literal, $table:literal) => {
        concat!("vpternlogq ", $v, $to, ", ", $v, $a, ", ", $v, $b, ", ", $table, "\n")
    };
}

/// The round's constant, the same for all states.
macro_rules! iota {
    ($v:literal $to:literal $a:literal, $broadcast:literal) => {
        concat!("vpxorq ", $v, $to, ", ", $v, $a, ", qword ptr [{rc} + 8*{i}]{{", $broadcast, "}}\n")
    };
}

/// 24 rounds on the lanes `$s` and the parities of their columns `$c`, in registers `$v`, to whose words `$to` broadcasts.
/// Before each, `$before`, which may use the operands `$operand`.
///
/// Registers: lane i in number i, the parity of column x in number 25 + x, two more; `i` counts the rounds.
macro_rules! rounds {
    ($s:ident, $c:ident, $v:literal, $to:literal, [$($before:expr),*], [$($operand:tt)*]) => {
        let [
            mut s0, mut s1, mut s2, mut s3, mut s4, mut s5, mut s6, mut s7, mut s8, mut s9, mut s10, mut s11, mut
            s12, mut s13, mut s14, mut s15, mut s16, mut s17, mut s18, mut s19, mut s20, mut s21, mut s22, mut s23, mut
            s24,
        ] = $s;
        let [mut c0, mut c1, mut c2, mut c3, mut c4] = $c;
        core::arch::asm!(
            ".p2align 6",
            "2:",
            $($before,)*
            rol!($v 30 27, 1), rol!($v 31 26, 1), xor!($v 31 31 29), rol!($v 29 29, 1), xor!($v 27 29 27),
            xor!($v 3 3 27), rol!($v 29 28, 1), xor!($v 15 15 31), xor!($v 30 30 25), xor!($v 26 29 26),
            rol!($v 25 25, 1), xor!($v 25 25 28), xor!($v 2 2 26), xor!($v 8 8 27), rol!($v 8 8, 55),
            xor!($v 5 5 31), rol!($v 2 2, 62), xor!($v 11 11 30), xor!($v 21 21 30), xor!($v 23 23 27),
            rol!($v 11 11, 10), xor!($v 16 16 30), rol!($v 21 21, 2), xor!($v 14 14 25), xor!($v 9 9 25),
            xor!($v 22 22 26), rol!($v 9 9, 20), rol!($v 15 15, 41), rol!($v 22 22, 61), rol!($v 14 14, 39),
            xor!($v 4 4 25), rol!($v 4 4, 27), rol!($v 16 16, 45), rol!($v 5 5, 36), mov!($v 28 21),
            tern!($v 28 2 8, 0xd2), xor!($v 17 17 26), rol!($v 3 3, 28), mov!($v 29 3), tern!($v 29 9 22, 0xa6),
            xor!($v 10 10 31), xor!($v 19 19 25), xor!($v 18 18 27), xor!($v 7 7 26), rol!($v 10 10, 3),
            xor!($v 13 13 27), rol!($v 17 17, 15), xor!($v 1 1 30), xor!($v 6 6 30), rol!($v 13 13, 25),
            rol!($v 7 7, 6), mov!($v 27 14), tern!($v 27 15 21, 0xd2), mov!($v 30 15), tern!($v 30 21 2, 0xd2),
            mov!($v 21 14), tern!($v 21 2 8, 0x9c), rol!($v 2 23, 56), tern!($v 14 15 8, 0xa6), rol!($v 1 1, 1),
            rol!($v 8 18, 21), mov!($v 15 10), tern!($v 15 16 22, 0xd2), rol!($v 6 6, 44),
            tern!($v 22 3 16, 0xa6), mov!($v 18 17), tern!($v 18 5 11, 0x9c), mov!($v 23 10),
            tern!($v 23 3 9, 0x9c), mov!($v 3 1), tern!($v 3 7 13, 0xd2), tern!($v 10 16 9, 0xa6),
            xor!($v 9 12 26), rol!($v 12 19, 8), xor!($v 16 20 31), rol!($v 9 9, 43), mov!($v 19 2),
            tern!($v 19 4 17, 0xa6), mov!($v 20 5), tern!($v 20 2 4, 0x9c), mov!($v 26 19),
            tern!($v 26 22 30, 0x96), rol!($v 16 16, 18), tern!($v 2 11 17, 0x9c), tern!($v 5 11 4, 0xa6),
            xor!($v 4 24 25), xor!($v 0 0 31), mov!($v 11 16), tern!($v 11 1 12, 0xa6), rol!($v 4 4, 14),
            mov!($v 17 4), tern!($v 17 0 6, 0xd2), mov!($v 24 16), tern!($v 24 1 7, 0xd2), mov!($v 1 12),
            tern!($v 1 7 13, 0x9c), mov!($v 7 20), tern!($v 7 28 29, 0x96), tern!($v 16 13 12, 0x9c),
            mov!($v 12 2), tern!($v 12 15 27, 0x96), mov!($v 13 4), tern!($v 13 9 8, 0x9c), mov!($v 25 13),
            tern!($v 25 16 12, 0x96), iota!($v 12 0, $to), tern!($v 4 0 8, 0xa6), mov!($v 0 17),
            tern!($v 0 24 7, 0x96), tern!($v 12 6 9, 0xd2), mov!($v 7 12), tern!($v 7 5 21, 0x96),
            tern!($v 7 23 3, 0x96), tern!($v 9 8 6, 0xa6), mov!($v 6 9), tern!($v 6 10 1, 0x96),
            tern!($v 6 14 18, 0x96), mov!($v 8 4), tern!($v 8 26 11, 0x96), mov!($v 26 6), mov!($v 6 10),
            mov!($v 10 3), mov!($v 3 4), mov!($v 4 17), mov!($v 17 2), mov!($v 2 13), mov!($v 13 11),
            mov!($v 11 1), mov!($v 1 9), mov!($v 9 29), mov!($v 29 0), mov!($v 0 12), mov!($v 12 16),
            mov!($v 16 18), mov!($v 18 19), mov!($v 19 20), mov!($v 20 21), mov!($v 21 14), mov!($v 14 24),
            mov!($v 24 28), mov!($v 28 8), mov!($v 8 22), mov!($v 22 27), mov!($v 27 25), mov!($v 25 7),
            mov!($v 7 15), mov!($v 15 5), mov!($v 5 23), mov!($v 23 30),
            "add {i}, 1",
            "cmp {i}, 24",
            "jb 2b",
            rc = in(reg) &RC,
            i = inout(reg) 0usize => _,
            $($operand)*
            inout("zmm0") s0, inout("zmm1") s1, inout("zmm2") s2, inout("zmm3") s3,
            inout("zmm4") s4, inout("zmm5") s5, inout("zmm6") s6, inout("zmm7") s7,
            inout("zmm8") s8, inout("zmm9") s9, inout("zmm10") s10, inout("zmm11") s11,
            inout("zmm12") s12, inout("zmm13") s13, inout("zmm14") s14, inout("zmm15") s15,
            inout("zmm16") s16, inout("zmm17") s17, inout("zmm18") s18, inout("zmm19") s19,
            inout("zmm20") s20, inout("zmm21") s21, inout("zmm22") s22, inout("zmm23") s23,
            inout("zmm24") s24,
            inout("zmm25") c0, inout("zmm26") c1, inout("zmm27") c2, inout("zmm28") c3, inout("zmm29") c4,
            out("zmm30") _, out("zmm31") _,
            options(nostack),
        );
        $s = [
            s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22,
            s23, s24,
        ];
        $c = [c0, c1, c2, c3, c4];
    };
}

/// The word at `at` of message `$m`.
macro_rules! copy {
    ($m:literal) => {
        concat!(
            "mov {word}, [{starts} + 8*",
            $m,
            "]\n",
            "mov {word}, [{word} + {at}]\n",
            "mov [{to} + 8*",
            $m,
            "], {word}\n",
        )
    };
}
/// Eight messages, of which `rounds512_bringing` brings words together.
pub(super) struct Messages<'a> {
    starts: [*const u8; 8],
    /// That of the shortest.
    len: usize,
    borrowed: PhantomData<&'a [u8]>,
}

impl<'a> Messages<'a> {
    pub(super) fn new(messages: &[&'a [u8]; 8]) -> Self {
        let len = messages.iter().map(|m| m.len()).fold(usize::MAX, usize::min);
        Self { starts: messages.map(<[u8]>::as_ptr), len, borrowed: PhantomData }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

/// Meanwhile row i of `to` gets word i of the `words` (at most as many as there are rows) that each message has from byte
/// `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn rounds512_bringing(
    mut s: [__m512i; 25],
    mut c: [__m512i; 5],
    messages: &Messages<'_>,
    at: usize,
    words: usize,
    to: &mut Columns,
) -> ([__m512i; 25], [__m512i; 5]) {
    assert!(words <= to.0.len() && at <= messages.len && 8 * words <= messages.len - at);
    // SAFETY: reads RC. In round i, if that is less than `words`, reads word i behind `at` of each message, which has as
    // many as was just asserted, and writes row i of `to`, which has moved by as many.
    unsafe {
        rounds!(
            s,
            c,
            "zmm",
            "1to8",
            [
                "cmp {i}, {words}",
                "jae 3f",
                copy!(0),
                copy!(1),
                copy!(2),
                copy!(3),
                copy!(4),
                copy!(5),
                copy!(6),
                copy!(7),
                "add {at}, 8",
                "add {to}, 64",
                "3:"
            ],
            [
                words = in(reg) words,
                starts = in(reg) &messages.starts,
                at = inout(reg) at => _,
                to = inout(reg) to.0.as_mut_ptr() => _,
                word = out(reg) _,
            ]
        );
    }
    (s, c)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn rounds512(mut s: [__m512i; 25], mut c: [__m512i; 5]) -> [__m512i; 25] {
    // SAFETY: reads RC.
    unsafe {
        rounds!(s, c, "zmm", "1to8", [], []);
    }
    let _ = c;
    s
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn rounds256(mut s: [__m256i; 25], mut c: [__m256i; 5]) -> [__m256i; 25] {
    // SAFETY: reads RC.
    unsafe {
        rounds!(s, c, "ymm", "1to4", [], []);
    }
    let _ = c;
    s
}

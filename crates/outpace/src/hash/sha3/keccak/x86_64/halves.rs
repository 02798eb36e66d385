//! Rounds in the order that suits CPUs whose 512-bit instructions take two passes, for eight states in zmm registers or
//! four in ymm.
//!
//! Zen 4 does any logic on four pipes of 256 bits and rotates on two of them. A round is 95 operations: 48 cycles with zmm
//! registers, if each found a pipe when its turn comes. It does not, because pipes are chosen ahead, and short chains wait
//! behind each other: 8 chains of an XOR, a rotation and a ternary operation fill the pipes, 5 take 13 % longer, and θ has
//! 5. What helps is to write the operations of a chain beside each other, to put some χ between the rotations of other
//! rows, and to make parities of two-operand XORs too, which need not wait for a third. The order below is the one that
//! took least in the mean of those tried on the CPU: 55 cycles, and the compiler's 60; with ymm registers 30. A move
//! between registers takes none.
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

/// The XOR of all three, 0x96, or a step of χ: 0xd2 to its first lane, 0xc6 and 0x9c to one of the others.
macro_rules! tern {
    ($v:literal $to:literal $a:literal $b:literal, $table:literal) => {
        concat!("vpternlogq ", $v, $to, ", ", $v, $a, ", ", $v, $b, ", ", $table, "\n")
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
            rol!($v 30 29, 1), rol!($v 31 25, 1), xor!($v 31 31 28), rol!($v 28 28, 1), xor!($v 4 4 31),
            rol!($v 4 4, 27), xor!($v 30 30 27), xor!($v 3 3 30), xor!($v 23 23 30), xor!($v 9 9 31),
            rol!($v 27 27, 1), xor!($v 25 27 25), xor!($v 28 28 26), rol!($v 3 3, 28), xor!($v 11 11 25),
            rol!($v 26 26, 1), xor!($v 29 26 29), rol!($v 23 23, 56), xor!($v 16 16 25), xor!($v 22 22 28),
            xor!($v 17 17 28), rol!($v 17 17, 15), xor!($v 5 5 29), rol!($v 5 5, 36), rol!($v 9 9, 20),
            rol!($v 11 11, 10), mov!($v 26 11), tern!($v 26 17 23, 0xd2), xor!($v 0 0 29), xor!($v 10 10 29),
            rol!($v 16 16, 45), mov!($v 27 23), tern!($v 27 4 5, 0xd2), rol!($v 22 22, 61), tern!($v 23 17 4, 0xc6),
            rol!($v 10 10, 3), xor!($v 24 24 31), rol!($v 24 24, 14), tern!($v 17 5 11, 0x9c),
            tern!($v 4 5 11, 0xd2), xor!($v 18 18 30), xor!($v 6 6 25), mov!($v 11 10), tern!($v 11 16 22, 0xd2),
            xor!($v 19 19 31), xor!($v 13 13 30), xor!($v 12 12 28), xor!($v 1 1 25), rol!($v 18 18, 21),
            xor!($v 20 20 29), rol!($v 6 6, 44), xor!($v 7 7 28), mov!($v 5 9), tern!($v 5 10 16, 0xd2),
            tern!($v 10 3 9, 0x9c), rol!($v 20 20, 18), rol!($v 12 12, 43), xor!($v 28 2 28), xor!($v 30 8 30),
            rol!($v 1 1, 1), rol!($v 19 19, 8), tern!($v 9 22 3, 0x9c), xor!($v 25 21 25), rol!($v 13 13, 25),
            rol!($v 30 30, 55), rol!($v 7 7, 6), mov!($v 2 12), tern!($v 2 18 24, 0xd2), tern!($v 16 22 3, 0xd2),
            rol!($v 28 28, 62), xor!($v 31 14 31), xor!($v 29 15 29), mov!($v 15 0), tern!($v 15 6 12, 0xd2),
            mov!($v 3 18), tern!($v 3 24 0, 0xd2), rol!($v 25 25, 2), mov!($v 14 7), tern!($v 14 13 19, 0xd2),
            tern!($v 24 0 6, 0xd2), tern!($v 6 12 18, 0xd2), mov!($v 18 20), tern!($v 18 1 7, 0xd2),
            rol!($v 31 31, 39), rol!($v 29 29, 41), tern!($v 7 1 13, 0xc6),
            concat!("vpxorq ", $v, "0, ", $v, "15, qword ptr [{rc} + 8*{i}]{{", $to, "}}"), mov!($v 22 31),
            tern!($v 22 29 25, 0xd2), mov!($v 21 30), tern!($v 21 31 29, 0xd2), tern!($v 13 19 20, 0xd2),
            tern!($v 19 20 1, 0xd2), tern!($v 29 25 28, 0xd2), tern!($v 31 28 30, 0x9c), tern!($v 25 28 30, 0xd2),
            mov!($v 30 4), tern!($v 30 10 0, 0x96), tern!($v 30 7 31, 0x96), xor!($v 28 17 5), xor!($v 1 27 9),
            xor!($v 1 1 24), xor!($v 28 28 6), tern!($v 1 18 25, 0x96), tern!($v 28 14 21, 0x96), xor!($v 20 23 16),
            mov!($v 15 26), tern!($v 15 11 2, 0x96), tern!($v 15 13 22, 0x96), xor!($v 20 20 3),
            tern!($v 20 19 29, 0x96), mov!($v 8 16), mov!($v 12 13), mov!($v 13 19), mov!($v 16 17), mov!($v 17 26),
            mov!($v 19 27), mov!($v 26 28), mov!($v 27 15), mov!($v 15 4), mov!($v 4 24), mov!($v 24 25),
            mov!($v 25 30), mov!($v 28 20), mov!($v 20 31), mov!($v 30 1), mov!($v 1 6), mov!($v 6 5),
            mov!($v 5 10), mov!($v 10 7), mov!($v 7 11), mov!($v 11 14), mov!($v 14 18), mov!($v 18 23),
            mov!($v 23 29), mov!($v 29 30),
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

//! SHA-512 with AVX-512 for cores that are short of ALUs: the rounds in xmm registers, e in the lower half and in the upper
//! half the a of two rounds before; the schedule beside them in scalar registers.
//!
//! Both halves of a round are the same sum of a rotation triple, a choice by three bits and old variables. One instruction
//! serves both, and the lag of a takes everything but e itself off the chain from e to e:
//!
//! ```text
//! e(t+1) = e(t-3) + W + K + a(t-3) + Σ1(e(t)) + Ch(e(t), e(t-1), e(t-2))
//! a(t-1) = -a(t-5) + e(t-1) + Σ0(a(t-2)) + Maj(a(t-2), a(t-3), a(t-4))
//! ```
//! With v(t) = (e(t), a(t-2)) the variables before Σ are v(t-3) and v(t-1) with its halves exchanged.
//!
//! Floor on Zen 4: a chain of five cycles a round (three rotations on two pipes, two cycles each, a ternary function, an
//! addition), 400 a block; 13 vector operations for four pipes and 14 scalar ones for four ALUs fit beside it, whereas
//! scalar rounds alone take 23 operations and end at six cycles. Measured: 445 a block, 5.3 a round with the schedule and
//! 5.0 without. The pipes seem to be given to vector instructions before it is known which of them will wait: every
//! instruction more or less in a round moves the others, and half a one costs nearly as much as three. That is why the
//! schedule is scalar (in ymm registers the same rounds take 5.6 cycles at best, in zmm registers 5.9), why K is added here,
//! which leaves it 14 instructions, and why the order is one that was found by timing some thousand.
//!
//! Not for Golden Cove, unmeasured there: a model of its predecessor sees 7 cycles a round, for want of a fourth pipe.

#[cfg(outpace_ct = "msan")]
use super::avx2;
use crate::hash::sha2::sha512::State;
#[cfg(not(outpace_ct = "msan"))]
use crate::{hash::sha2::sha512::K, mem::Secret};
#[cfg(not(outpace_ct = "msan"))]
use core::arch::x86_64::*;

/// v(t + 1) in the place of v(t - 3), from v(t), v(t - 1), v(t - 2) and that; `t` is t modulo 16. Between its instructions
/// stand others.
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! round {
    ($v0:literal $v1:literal $v2:literal $v3:literal, $t:literal) => {
        round!($v0 $v1 $v2 $v3, $t, ["", "", "", "", "", "", "", "", "", "", "", "", "", ""])
    };
    ($v0:literal $v1:literal $v2:literal $v3:literal, $t:literal, [$s00:expr, $s01:expr, $s02:expr, $s03:expr, $s04:expr, $s05:expr, $s06:expr, $s07:expr, $s08:expr, $s09:expr, $s10:expr, $s11:expr, $s12:expr, $s13:expr]) => {
        concat!(
            "vmovdqa xmm7, ", $v0, "\n",
            "vpternlogq xmm7{{k1}}, ", $v1, ", ", $v2, ", 0xca\n", $s00,
            "vprorvq xmm6, ", $v0, ", xmm10\n", $s01,
            "vprorvq xmm5, ", $v0, ", xmm9\n", $s02,
            "vprorvq xmm4, ", $v0, ", xmm11\n", $s03,
            "vpternlogq xmm7{{k2}}, ", $v1, ", ", $v2, ", 0xe8\n", $s04,
            "vpsubq ", $v3, "{{k2}}, xmm8, ", $v3, "\n", $s05,
            "vpshufd xmm12, ", $v1, ", 0x4e\n", $s06,
            "vpaddq ", $v3, "{{k1}}, ", $v3, ", qword ptr [{w} + 8 * ", $t, "]{{1to2}}\n", $s07,
            "vpaddq ", $v3, "{{k1}}, ", $v3, ", qword ptr [{k} + 8 * ", $t, "]{{1to2}}\n", $s08,
            "vpaddq ", $v3, ", ", $v3, ", xmm12\n", $s09,
            "vpternlogq xmm4, xmm6, xmm5, 0x96\n", $s10,
            "vpaddq ", $v3, ", ", $v3, ", xmm7\n", $s11,
            "vpaddq ", $v3, ", ", $v3, ", xmm4\n", $s12, $s13,
        )
    };
}

/// Round t, and W(t + 16) in the place of W(t): `t1` and `t9` are the places of W(t + 1) and W(t + 9), `y` is W(t + 14)
/// and becomes W(t + 16).
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! round_and_word {
    ($v0:literal $v1:literal $v2:literal $v3:literal, $t:literal $t1:literal $t9:literal, $y:literal) => {
        round!($v0 $v1 $v2 $v3, $t, [
            concat!("rorx {x}, [{w} + 8 * ", $t1, "], 1\n"),
            concat!("rorx {z}, [{w} + 8 * ", $t1, "], 8\n"),
            "xor {x}, {z}\n",
            concat!("shrx {z}, [{w} + 8 * ", $t1, "], {seven}\n"),
            "xor {x}, {z}\n",
            concat!("rorx {s}, ", $y, ", 19\n"),
            concat!("rorx {z}, ", $y, ", 61\n"),
            "xor {s}, {z}\n",
            concat!("shr ", $y, ", 6\n"),
            concat!("add {x}, [{w} + 8 * ", $t, "]\n"),
            concat!("xor {s}, ", $y, "\n"),
            concat!("add {x}, [{w} + 8 * ", $t9, "]\n"),
            concat!("lea ", $y, ", [{x} + {s}]\n"),
            concat!("mov [{w} + 8 * ", $t, "], ", $y, "\n")
        ])
    };
}

/// Round t, and word t modulo 16 of the next block in the place of W(t), and in `y`.
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! round_and_load {
    ($v0:literal $v1:literal $v2:literal $v3:literal, $t:literal $t1:literal $t9:literal, $y:literal) => {
        concat!(
            round!($v0 $v1 $v2 $v3, $t),
            "mov ", $y, ", [{block} + 8 * ", $t, "]\n", "bswap ", $y, "\n", "mov [{w} + 8 * ", $t, "], ", $y, "\n",
        )
    };
}

/// Sixteen rounds, and something after the first and the second.
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! sixteen {
    ($round:ident, $first:literal, $second:literal) => {
        concat!(
            $round!("xmm0" "xmm3" "xmm2" "xmm1", 0 1 9, "{y0}"), $first,
            $round!("xmm1" "xmm0" "xmm3" "xmm2", 1 2 10, "{y1}"), $second,
            $round!("xmm2" "xmm1" "xmm0" "xmm3", 2 3 11, "{y0}"),
            $round!("xmm3" "xmm2" "xmm1" "xmm0", 3 4 12, "{y1}"),
            $round!("xmm0" "xmm3" "xmm2" "xmm1", 4 5 13, "{y0}"),
            $round!("xmm1" "xmm0" "xmm3" "xmm2", 5 6 14, "{y1}"),
            $round!("xmm2" "xmm1" "xmm0" "xmm3", 6 7 15, "{y0}"),
            $round!("xmm3" "xmm2" "xmm1" "xmm0", 7 8 0, "{y1}"),
            $round!("xmm0" "xmm3" "xmm2" "xmm1", 8 9 1, "{y0}"),
            $round!("xmm1" "xmm0" "xmm3" "xmm2", 9 10 2, "{y1}"),
            $round!("xmm2" "xmm1" "xmm0" "xmm3", 10 11 3, "{y0}"),
            $round!("xmm3" "xmm2" "xmm1" "xmm0", 11 12 4, "{y1}"),
            $round!("xmm0" "xmm3" "xmm2" "xmm1", 12 13 5, "{y0}"),
            $round!("xmm1" "xmm0" "xmm3" "xmm2", 13 14 6, "{y1}"),
            $round!("xmm2" "xmm1" "xmm0" "xmm3", 14 15 7, "{y0}"),
            $round!("xmm3" "xmm2" "xmm1" "xmm0", 15 0 8, "{y1}"),
        )
    };
}

#[cfg(not(outpace_ct = "msan"))]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,lzcnt")]
pub(super) fn compress(state: &mut State, blocks: &[[u8; 128]]) {
    let Some(first) = blocks.first() else { return };
    let mut w = Secret::new([0; 16]);
    for (w, bytes) in w.iter_mut().zip(first.as_chunks().0) {
        *w = u64::from_be_bytes(*bytes);
    }
    let pair = |low: u64, high: u64| _mm_set_epi64x(high as i64, low as i64);
    let [mut a, mut b, c, d, e, f, mut g, mut h] = state.map(|word| pair(word, word));
    let (mut ec, mut fd) = (_mm_unpacklo_epi64(e, c), _mm_unpacklo_epi64(f, d));
    // Registers: v(t) to v(t - 3) go round in xmm0 to xmm3, temporaries in xmm4 to xmm7 and xmm12, constants in xmm8 to
    // xmm11; in xmm16 to xmm21 the state, of which g and h are used in the lower half and a and b in the upper.
    // SAFETY: this function has the instructions. Reads the blocks, 128 bytes each from the start of their slice (after the
    // last, that one again), and the 80 constants, sixteen at a time; reads and writes `w`.
    unsafe {
        core::arch::asm!(
            "mov {n:e}, 1", "kmovb k1, {n:e}", "mov {n:e}, 2", "kmovb k2, {n:e}",
            // Both loops are jumped to: else it depends on where the text lies whether a block takes 1 % longer (Zen 4).
            "jmp 2f",
            ".p2align 6",
            "2:",
            "vmovdqa64 xmm0, xmm16", "vmovdqa64 xmm3, xmm17", "vmovdqa64 xmm2, xmm18", "vmovdqa64 xmm1, xmm19",
            // b and a are known, and what would give them is not.
            sixteen!(round_and_word, "vmovdqa64 xmm1{{k2}}, xmm20\n", "vmovdqa64 xmm2{{k2}}, xmm21\n"),
            "mov {n:e}, 3",
            "jmp 3f",
            ".p2align 6",
            "3:",
            "sub {k}, -128",
            sixteen!(round_and_word, "", ""),
            "dec {n:e}",
            "jnz 3b",
            "sub {k}, -128",
            "lea {x}, [{block} + 128]",
            "dec {count}",
            "cmovnz {block}, {x}",
            sixteen!(round_and_load, "", ""),
            "sub {k}, 512",
            "vpaddq xmm16, xmm16, xmm0", "vpaddq xmm17, xmm17, xmm3", "vpaddq xmm18, xmm18, xmm2", "vpaddq xmm19, xmm19, xmm1",
            // The last two a; the lower halves are of no use.
            round!("xmm0" "xmm3" "xmm2" "xmm1", 0), round!("xmm1" "xmm0" "xmm3" "xmm2", 1),
            "vpaddq xmm20, xmm20, xmm1", "vpaddq xmm21, xmm21, xmm2",
            "test {count}, {count}",
            "jnz 2b",
            w = in(reg) w.as_mut_ptr(), k = inout(reg) K.as_ptr() => _, block = inout(reg) blocks.as_ptr() => _,
            count = inout(reg) blocks.len() => _, y0 = inout(reg) w[14] => _, y1 = inout(reg) w[15] => _, seven = in(reg) 7u64,
            n = out(reg) _, x = out(reg) _, z = out(reg) _, s = out(reg) _, out("k1") _, out("k2") _,
            inout("xmm16") ec, inout("xmm17") fd, inout("xmm18") g, inout("xmm19") h, inout("xmm20") b, inout("xmm21") a,
            in("xmm8") _mm_setzero_si128(), in("xmm9") pair(14, 28), in("xmm10") pair(18, 34), in("xmm11") pair(41, 39),
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _, out("xmm6") _,
            out("xmm7") _, out("xmm12") _, options(nostack),
        );
    }
    let low = |v| _mm_cvtsi128_si64(v) as u64;
    let high = |v| _mm_extract_epi64::<1>(v) as u64;
    *state = [high(a), high(b), high(ec), high(fd), low(ec), low(fd), low(g), low(h)];
}

/// The rounds without assembly, which the sanitizer cannot follow.
#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,lzcnt")]
pub(super) fn compress(state: &mut State, blocks: &[[u8; 128]]) {
    avx2::compress::<true>(state, blocks);
}

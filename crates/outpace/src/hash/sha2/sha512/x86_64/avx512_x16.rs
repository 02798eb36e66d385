//! SHA-512 on sixteen messages, for cores that execute 512-bit instructions as two halves: two groups of eight, one word of
//! each message in a lane, step by step beside each other; the words of the next blocks beside them in scalar registers.
//!
//! Floor on Zen 4: the operations of [`avx512_x8`] at two a cycle, 1032 cycles for eight blocks. One group alone does not
//! reach it in any order (1175 at best): an instruction is bound to a pipe before it is known when it can start, and with
//! few independent ones some pipe idles. Two groups come near in the plain order, an instruction of the one and the same of
//! the other (1060 to 1075); in the best of some thousand orders they take 1050. That includes the turning of blocks into
//! lanes, which scalar loads and stores do beside the rounds: 15 cycles, where shuffles with nothing beside them take a
//! hundred. A block that all messages have in common, as the padding of equal lengths, has one schedule, in scalar registers.
//!
//! Tried: half of one group's schedule in scalar registers too, which leaves the pipes 9 % less to do, by count. The rest
//! of that schedule is then in ymm registers, or is every other word of it; 56 instructions more a round take back what
//! the pipes gain (1053 and 1200).

use super::avx512_x8;
use crate::cpu::{Features, Kernel};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2::sha512::State;

/// Works on the first eight alone if the other slices are empty.
pub(crate) const KERNEL: Kernel<LaneKernel<State, 128>> = {
    let compress = |states: &mut [State; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe {
        Kernel::new("avx512-halves", Features::AVX512.and(Features::BMI2), LaneKernel { width: MAX_LANES, compress })
    }
    .suited_to(Features::HALVES)
};

#[cfg(not(outpace_ct = "msan"))]
use in_step::compress as compress_sixteen;

#[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
fn compress(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]) {
    if blocks[8..].iter().all(|blocks| blocks.is_empty()) {
        let ([states, _], [blocks, _]) = (states.as_chunks_mut::<8>().0, blocks.as_chunks::<8>().0) else {
            unreachable!("two groups")
        };
        return avx512_x8::compress(states, blocks);
    }
    compress_sixteen(states, blocks);
}

/// Without assembly, which the sanitizer cannot follow.
#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress_sixteen(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]) {
    for (states, blocks) in states.as_chunks_mut().0.iter_mut().zip(blocks.as_chunks().0) {
        avx512_x8::compress(states, blocks);
    }
}

#[cfg(not(outpace_ct = "msan"))]
mod in_step {
    use super::avx512_x8;
    use crate::hash::many::MAX_LANES;
    use crate::hash::sha2::sha512::{K, State};
    use crate::mem::{Secret, Wipe};
    use crate::simd::{load512_u64, store512_u64, transpose8};
    use core::arch::x86_64::*;
    use core::mem::MaybeUninit;

    /// Adds word t to h.
    macro_rules! word {
        ($group:literal, $h:literal, $t:literal, $at:literal) => {
            concat!("vpaddq ", $group, $h, ", ", $group, $h, ", [{w} + 128 * ", $t, $at, "]\n")
        };
    }

    /// For words that are in K already.
    macro_rules! no_word {
        ($group:literal, $h:literal, $t:literal, $at:literal) => {
            ""
        };
    }

    /// Round t of both groups: a to h of the one are in zmm0 to zmm7, of the other in zmm10 to zmm17. Between its instructions
    /// stand others.
    #[rustfmt::skip]
    macro_rules! round {
        ($w:ident $a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $t:literal $t1:literal $t9:literal $t14:literal) => {
            round!($w $a $b $c $d $e $f $g $h, $t, ["", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ""])
        };
        ($w:ident $a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $t:literal, [$s00:expr, $s01:expr, $s02:expr, $s03:expr, $s04:expr, $s05:expr, $s06:expr, $s07:expr, $s08:expr, $s09:expr, $s10:expr, $s11:expr, $s12:expr, $s13:expr, $s14:expr, $s15:expr]) => { concat!(
            "vprorq zmm8, zmm1", $e, ", 14\n",
            "vprorq zmm9, zmm", $e, ", 14\n", $s00,
            "vprorq zmm18, zmm", $e, ", 18\n",
            "vprorq zmm19, zmm1", $e, ", 18\n", $s01,
            "vprorq zmm20, zmm", $e, ", 41\n",
            "vprorq zmm21, zmm1", $e, ", 41\n",
            $w!("zmm", $h, $t, ""), $s02,
            $w!("zmm1", $h, $t, " + 64"),
            "vpaddq zmm", $h, ", zmm", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n", $s03,
            "vpaddq zmm1", $h, ", zmm1", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
            "vmovdqa64 zmm22, zmm", $e, "\n", $s04,
            "vpternlogq zmm22, zmm", $f, ", zmm", $g, ", 0xca\n",
            "vmovdqa64 zmm23, zmm1", $e, "\n",
            "vpternlogq zmm23, zmm1", $f, ", zmm1", $g, ", 0xca\n", $s05,
            "vpternlogq zmm9, zmm18, zmm20, 0x96\n",
            "vpternlogq zmm8, zmm19, zmm21, 0x96\n", $s06,
            "vpaddq zmm", $h, ", zmm", $h, ", zmm22\n",
            "vpaddq zmm1", $h, ", zmm1", $h, ", zmm23\n",
            "vprorq zmm24, zmm", $a, ", 28\n", $s07,
            "vprorq zmm25, zmm1", $a, ", 28\n",
            "vprorq zmm26, zmm", $a, ", 34\n", $s08,
            "vprorq zmm27, zmm1", $a, ", 34\n",
            "vprorq zmm28, zmm", $a, ", 39\n", $s09,
            "vprorq zmm29, zmm1", $a, ", 39\n",
            "vpaddq zmm", $h, ", zmm", $h, ", zmm9\n",
            "vpaddq zmm1", $h, ", zmm1", $h, ", zmm8\n", $s10,
            "vmovdqa64 zmm30, zmm", $a, "\n",
            "vpternlogq zmm30, zmm", $b, ", zmm", $c, ", 0xe8\n", $s11,
            "vmovdqa64 zmm31, zmm1", $a, "\n",
            "vpternlogq zmm31, zmm1", $b, ", zmm1", $c, ", 0xe8\n", $s12,
            "vpternlogq zmm24, zmm26, zmm28, 0x96\n",
            "vpternlogq zmm25, zmm27, zmm29, 0x96\n",
            "vpaddq zmm", $d, ", zmm", $d, ", zmm", $h, "\n", $s13,
            "vpaddq zmm1", $d, ", zmm1", $d, ", zmm1", $h, "\n",
            "vpaddq zmm30, zmm30, zmm24\n", $s14,
            "vpaddq zmm31, zmm31, zmm25\n",
            "vpaddq zmm", $h, ", zmm", $h, ", zmm30\n",
            "vpaddq zmm1", $h, ", zmm1", $h, ", zmm31\n", $s15,
        ) };
    }

    /// The same, W(t + 16) in the place of W(t), and word t of the next blocks of four messages.
    #[rustfmt::skip]
    macro_rules! round_and_words {
        ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $t:literal $t1:literal $t9:literal $t14:literal) => { concat!(
            "vprorq zmm8, zmm", $e, ", 14\n",
            "vmovdqa64 zmm9, [{w} + 128 * ", $t1, "]\n",
            "vmovdqa64 zmm18, [{w} + 128 * ", $t1, " + 64]\n",
            "vprorq zmm19, zmm", $e, ", 18\n",
            "vprorq zmm20, zmm9, 1\n",
            "vprorq zmm21, zmm18, 1\n",
            "mov {x}, [{p0} + {off} + 8 * ", $t, "]\n",
            "vprorq zmm22, zmm", $e, ", 41\n",
            "vprorq zmm23, zmm1", $e, ", 14\n",
            "vprorq zmm24, zmm1", $e, ", 18\n",
            "vprorq zmm25, zmm1", $e, ", 41\n",
            "vpaddq zmm", $h, ", zmm", $h, ", [{w} + 128 * ", $t, "]\n",
            "bswap {x}\n",
            "vpaddq zmm1", $h, ", zmm1", $h, ", [{w} + 128 * ", $t, " + 64]\n",
            "vprorq zmm26, zmm9, 8\n",
            "vprorq zmm27, zmm18, 8\n",
            "vpaddq zmm", $h, ", zmm", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
            "vpaddq zmm1", $h, ", zmm1", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
            "mov [{next} + 128 * ", $t, "], {x}\n",
            "vpsrlq zmm9, zmm9, 7\n",
            "vpsrlq zmm18, zmm18, 7\n",
            "vmovdqa64 zmm28, zmm", $e, "\n",
            "vpternlogq zmm28, zmm", $f, ", zmm", $g, ", 0xca\n",
            "vmovdqa64 zmm29, zmm1", $e, "\n",
            "vpternlogq zmm29, zmm1", $f, ", zmm1", $g, ", 0xca\n",
            "vpternlogq zmm21, zmm27, zmm18, 0x96\n",
            "mov {x}, [{p1} + {off} + 8 * ", $t, "]\n",
            "vpternlogq zmm20, zmm26, zmm9, 0x96\n",
            "vpternlogq zmm8, zmm19, zmm22, 0x96\n",
            "vpaddq zmm1", $h, ", zmm1", $h, ", zmm29\n",
            "vpternlogq zmm23, zmm24, zmm25, 0x96\n",
            "vpaddq zmm20, zmm20, [{w} + 128 * ", $t, "]\n",
            "bswap {x}\n",
            "vpaddq zmm21, zmm21, [{w} + 128 * ", $t, " + 64]\n",
            "vmovdqa64 zmm30, [{w} + 128 * ", $t14, "]\n",
            "vpaddq zmm", $h, ", zmm", $h, ", zmm28\n",
            "vmovdqa64 zmm31, [{w} + 128 * ", $t14, " + 64]\n",
            "vpaddq zmm20, zmm20, [{w} + 128 * ", $t9, "]\n",
            "mov [{next} + 128 * ", $t, " + 8], {x}\n",
            "vpaddq zmm21, zmm21, [{w} + 128 * ", $t9, " + 64]\n",
            "vprorq zmm18, zmm", $a, ", 28\n",
            "vprorq zmm27, zmm1", $a, ", 28\n",
            "vprorq zmm26, zmm", $a, ", 34\n",
            "vprorq zmm9, zmm1", $a, ", 34\n",
            "vprorq zmm19, zmm", $a, ", 39\n",
            "mov {x}, [{p2} + {off} + 8 * ", $t, "]\n",
            "vprorq zmm22, zmm1", $a, ", 39\n",
            "vprorq zmm29, zmm30, 19\n",
            "vprorq zmm24, zmm31, 19\n",
            "vpaddq zmm", $h, ", zmm", $h, ", zmm8\n",
            "vpaddq zmm1", $h, ", zmm1", $h, ", zmm23\n",
            "bswap {x}\n",
            "vprorq zmm25, zmm30, 61\n",
            "vprorq zmm28, zmm31, 61\n",
            "vmovdqa64 zmm8, zmm", $a, "\n",
            "vpternlogq zmm8, zmm", $b, ", zmm", $c, ", 0xe8\n",
            "vmovdqa64 zmm23, zmm1", $a, "\n",
            "vpternlogq zmm23, zmm1", $b, ", zmm1", $c, ", 0xe8\n",
            "vpsrlq zmm30, zmm30, 6\n",
            "mov [{next} + 128 * ", $t, " + 16], {x}\n",
            "vpsrlq zmm31, zmm31, 6\n",
            "vpternlogq zmm18, zmm26, zmm19, 0x96\n",
            "vpternlogq zmm27, zmm9, zmm22, 0x96\n",
            "vpternlogq zmm29, zmm25, zmm30, 0x96\n",
            "vpternlogq zmm24, zmm28, zmm31, 0x96\n",
            "mov {x}, [{p3} + {off} + 8 * ", $t, "]\n",
            "vpaddq zmm", $d, ", zmm", $d, ", zmm", $h, "\n",
            "vpaddq zmm1", $d, ", zmm1", $d, ", zmm1", $h, "\n",
            "vpaddq zmm8, zmm8, zmm18\n",
            "vpaddq zmm23, zmm23, zmm27\n",
            "vpaddq zmm20, zmm20, zmm29\n",
            "bswap {x}\n",
            "vpaddq zmm21, zmm21, zmm24\n",
            "vpaddq zmm", $h, ", zmm", $h, ", zmm8\n",
            "vpaddq zmm1", $h, ", zmm1", $h, ", zmm23\n",
            "vmovdqa64 [{w} + 128 * ", $t, "], zmm20\n",
            "vmovdqa64 [{w} + 128 * ", $t, " + 64], zmm21\n",
            "mov [{next} + 128 * ", $t, " + 24], {x}\n",
        ) };
    }

    /// Round t, and W(t + 16), without and with K, in the places of W(t).
    #[rustfmt::skip]
    macro_rules! round_and_word {
        ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $t:literal $t1:literal $t9:literal $t14:literal) => {
            round!(no_word $a $b $c $d $e $f $g $h, $t, [
                concat!("rorx {x}, [{w} + 8 * ", $t1, "], 1\n"),
                concat!("rorx {y}, [{w} + 8 * ", $t1, "], 8\n"),
                concat!("shrx {z}, [{w} + 8 * ", $t1, "], {seven}\n"),
                "xor {x}, {y}\n",
                "xor {x}, {z}\n",
                concat!("rorx {v}, [{w} + 8 * ", $t14, "], 19\n"),
                concat!("rorx {y}, [{w} + 8 * ", $t14, "], 61\n"),
                concat!("shrx {z}, [{w} + 8 * ", $t14, "], {six}\n"),
                "xor {v}, {y}\n",
                "xor {v}, {z}\n",
                concat!("add {x}, [{w} + 8 * ", $t, "]\n"),
                concat!("add {x}, [{w} + 8 * ", $t9, "]\n"),
                "add {x}, {v}\n",
                concat!("mov [{w} + 8 * ", $t, "], {x}\n"),
                concat!("add {x}, [{constants} + 8 * ", $t, " + 128]\n"),
                concat!("mov [{k} + 8 * ", $t, "], {x}\n")
            ])
        };
    }

    #[rustfmt::skip]
    macro_rules! sixteen {
        ($round:ident $($w:ident)?) => { concat!(
            $round!($($w)? 0 1 2 3 4 5 6 7, 0 1 9 14),
            $round!($($w)? 7 0 1 2 3 4 5 6, 1 2 10 15),
            $round!($($w)? 6 7 0 1 2 3 4 5, 2 3 11 0),
            $round!($($w)? 5 6 7 0 1 2 3 4, 3 4 12 1),
            $round!($($w)? 4 5 6 7 0 1 2 3, 4 5 13 2),
            $round!($($w)? 3 4 5 6 7 0 1 2, 5 6 14 3),
            $round!($($w)? 2 3 4 5 6 7 0 1, 6 7 15 4),
            $round!($($w)? 1 2 3 4 5 6 7 0, 7 8 0 5),
            $round!($($w)? 0 1 2 3 4 5 6 7, 8 9 1 6),
            $round!($($w)? 7 0 1 2 3 4 5 6, 9 10 2 7),
            $round!($($w)? 6 7 0 1 2 3 4 5, 10 11 3 8),
            $round!($($w)? 5 6 7 0 1 2 3 4, 11 12 4 9),
            $round!($($w)? 4 5 6 7 0 1 2 3, 12 13 5 10),
            $round!($($w)? 3 4 5 6 7 0 1 2, 13 14 6 11),
            $round!($($w)? 2 3 4 5 6 7 0 1, 14 15 7 12),
            $round!($($w)? 1 2 3 4 5 6 7 0, 15 0 8 13),
        ) };
    }

    /// An instruction for each variable of both groups and its place in memory.
    macro_rules! variables {
        ($each:ident) => {
            variables!($each, 0 0, 1 1, 2 2, 3 3, 4 4, 5 5, 6 6, 7 7, 10 8, 11 9, 12 10, 13 11, 14 12, 15 13, 16 14, 17 15)
        };
        ($each:ident, $($register:literal $i:literal),*) => {
            concat!($( $each!($register, $i) ),*)
        };
    }
    macro_rules! load {
        ($register:literal, $i:literal) => {
            concat!("vmovdqu64 zmm", $register, ", [{s} + 64 * ", $i, "]\n")
        };
    }
    macro_rules! add {
        ($register:literal, $i:literal) => {
            concat!("vpaddq zmm", $register, ", zmm", $register, ", [{s} + 64 * ", $i, "]\n")
        };
    }
    macro_rules! store {
        ($register:literal, $i:literal) => {
            concat!("vmovdqu64 [{s} + 64 * ", $i, "], zmm", $register, "\n")
        };
    }

    /// The working variables of both groups.
    type Variables = [[__m512i; 8]; 2];

    #[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
    pub(super) fn compress(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]) {
        let n = blocks.iter().map(|b| b.len()).min().unwrap_or(0);
        if n == 0 {
            return;
        }
        let states = states.as_chunks_mut::<8>().0;
        let mut s = Secret::new(
            [0, 1].map(|group: usize| transpose8(core::array::from_fn(|lane| load512_u64(&states[group][lane])))),
        );
        if blocks.iter().all(|b| core::ptr::eq(*b, blocks[0])) {
            blocks[0].iter().for_each(|block| alike(&mut s, block));
        } else {
            different(&mut s, blocks, n);
        }
        for (states, s) in states.iter_mut().zip(*s) {
            for (state, s) in states.iter_mut().zip(transpose8(s)) {
                store512_u64(state, s);
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn different(s: &mut Variables, blocks: &[&[[u8; 128]]; MAX_LANES], n: usize) {
        assert!(n > 0 && blocks.iter().all(|b| b.len() >= n));
        // The words of these blocks and of the next.
        let mut w = MaybeUninit::<[[[__m512i; 2]; 16]; 2]>::uninit();
        let now = w.as_mut_ptr().cast::<[__m512i; 2]>();
        for (group, blocks) in blocks.as_chunks().0.iter().enumerate() {
            avx512_x8::words(blocks, 0, |t, word| {
                // SAFETY: one of sixteen times two places.
                unsafe { now.add(t).cast::<__m512i>().add(group).write(word) };
            });
        }
        let messages = blocks.map(|blocks| blocks.as_ptr());
        // Registers: the variables, temporaries in the others. `off` is where the next blocks are in their messages; after
        // the last block that one again.
        // SAFETY: this function has the instructions. Reads `n` blocks of each message, the 80 constants and `messages`; reads
        // and writes `s`, the first half of `w`, and the second after it was written.
        unsafe {
            core::arch::asm!(
                variables!(load),
                ".p2align 6",
                "2:",
                "mov {i:e}, 4",
                ".p2align 6",
                "3:",
                "mov {p0}, [{messages}]", "mov {p1}, [{messages} + 8]",
                "mov {p2}, [{messages} + 16]", "mov {p3}, [{messages} + 24]",
                sixteen!(round_and_words),
                "sub {k}, -128", "add {messages}, 32", "add {next}, 32",
                "dec {i}",
                "jnz 3b",
                sixteen!(round word),
                variables!(add), variables!(store),
                "sub {k}, 512", "add {messages}, -128", "add {next}, -128",
                "xchg {w}, {next}",
                "lea {x}, [{off} + 128]",
                "dec {n}",
                "cmp {n}, 1",
                "cmova {off}, {x}",
                "test {n}, {n}",
                "jnz 2b",
                w = inout(reg) now => _, next = inout(reg) now.add(16) => _, k = inout(reg) K.as_ptr() => _,
                messages = inout(reg) messages.as_ptr() => _, s = in(reg) s.as_mut_ptr(), n = inout(reg) n => _,
                off = inout(reg) if n > 1 { 128_usize } else { 0 } => _, i = out(reg) _, x = out(reg) _,
                p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
                out("zmm30") _, out("zmm31") _,
                options(nostack),
            );
            // Sixteen rounds, four times, have written a quarter of the second half each.
            w.assume_init_mut().wipe();
        }
    }

    /// A block that all messages have in common: its words are the same in every lane.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
    fn alike(s: &mut Variables, block: &[u8; 128]) {
        // W and W + K of sixteen rounds.
        let mut words = Secret::new([[0; 16]; 2]);
        let [w, wk] = &mut *words;
        for (t, bytes) in block.as_chunks().0.iter().enumerate() {
            w[t] = u64::from_be_bytes(*bytes);
            wk[t] = w[t].wrapping_add(K[t]);
        }
        // SAFETY: this function has the instructions. Reads the 80 constants, reads and writes `w`, `wk` and `s`.
        unsafe {
            core::arch::asm!(
                variables!(load),
                "mov {i:e}, 4",
                ".p2align 6",
                "2:",
                sixteen!(round_and_word),
                "sub {constants}, -128",
                "dec {i}",
                "jnz 2b",
                sixteen!(round no_word),
                variables!(add), variables!(store),
                k = in(reg) wk.as_mut_ptr(), w = in(reg) w.as_mut_ptr(), constants = inout(reg) K.as_ptr() => _,
                s = in(reg) s.as_mut_ptr(), i = out(reg) _, six = in(reg) 6_u64, seven = in(reg) 7_u64,
                x = out(reg) _, y = out(reg) _, z = out(reg) _, v = out(reg) _,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
                out("zmm30") _, out("zmm31") _,
                options(nostack),
            );
        }
    }
}

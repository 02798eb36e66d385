//! GCM for cores that run 512-bit instructions in halves (Zen 4): the laps of a long message after the first, 512 bytes at a
//! time, beside the hash of the 512 before.
//!
//! Four registers of blocks wait for each other: 12 rounds of four take 58 cycles and not 48. Eight do not, and have one
//! reduction. What they need of other operations (sums, permutations, data, 90 in all) would fit beside them on the other
//! two pipes, but a pipe is chosen when an operation enters the scheduler, and each one that goes to the first two delays
//! AES by a cycle. Which ones do depends on the order they come in. So the steps of the hash were spread among the rounds
//! at random and moved about, some million times for each of the two orders below, and the fastest of them kept.
//!
//! Floor for 512 bytes of AES-256: 96 + 24 products + 2 to reduce, 122 cycles, 0.238 a byte, and two more rounds in the first
//! 4 KiB: 0.240 of 64 KiB. Measured between 16 and 64 KiB: 126; in all 16 KiB take 0.278 and 64 KiB 0.254. AES-128: 64 + 26,
//! 90 and 0.176; 104 and 0.212.
//!
//! Of such a loop (all of it 126), AES alone takes 98, with all but the products 99, with the products alone 123; each kind
//! of the other operations costs 1 to 2. Loads that broadcast round keys cost 2: copied four times each, and with an order
//! searched again (for the mean over random states of the pipes), the loop takes 124 (AES-128: 99). That saves 1.5 % (4 %)
//! of 64 KiB, but copies, wiping and runs of a lap cost 170 cycles, more than it saves of 16 KiB.
//!
//! Tried, and no faster: to reduce by shifts, on the pipes that are free (floor 120, took 130: it adds 15 operations); all
//! that changes with the lap in one place, at the carry (127). In the first lap: the first round for four blocks with one
//! AESENC, as it changes one column only (7 cycles more for 256 bytes, 2 less if done a chunk ahead, but 35 more for a
//! message), and the second from its S-boxes as well, with the columns put in place by VPSHUFB (15 more). The results of
//! VPTERNLOG in the operand that is ready last, or values used no sooner than 20 operations after they are made: the same
//! after a search.

use super::field::{Sum, factor, power, reversal};
use super::halves::{Hashed, Kept, LAP, Pair, crossed, lane_powers, order};
use crate::aead::gcm::KeyData;
use crate::cipher::aes::RoundKeys;
use crate::mem::Wipe;
use core::arch::x86_64::*;
use core::hint::black_box;

/// AESENC on all blocks.
macro_rules! round {
    ($r:literal) => {
        concat!("vbroadcasti32x4 zmm8, xmmword ptr [{keys} + 16*", $r, "]\n", aes!("vaesenc"))
    };
}

macro_rules! last_round {
    () => {
        concat!("vbroadcasti32x4 zmm8, xmmword ptr [{keys} + 16*{rounds}]\n", aes!("vaesenclast"))
    };
}

macro_rules! aes {
    ($name:literal) => {
        aes!($name, 0 1 2 3 4 5 6 7)
    };
    ($name:literal, $($v:literal)*) => {
        concat!($($name, " zmm", $v, ", zmm", $v, ", zmm8\n"),*)
    };
}

macro_rules! mov {
    ($to:literal $a:literal) => {
        concat!("vmovdqa64 zmm", $to, ", zmm", $a)
    };
}

macro_rules! xor {
    ($to:literal $a:literal $b:literal) => {
        concat!("vpxorq zmm", $to, ", zmm", $a, ", zmm", $b)
    };
}

/// The XOR of all three.
macro_rules! sum {
    ($to:literal $a:literal $b:literal) => {
        concat!("vpternlogq zmm", $to, ", zmm", $a, ", zmm", $b, ", 0x96")
    };
}

/// The low halves of two registers of blocks, in the place of the order of their bytes.
macro_rules! lows {
    ($order:literal $a:literal $b:literal) => {
        concat!("vpermi2b zmm", $order, ", zmm", $a, ", zmm", $b)
    };
}

/// The high halves, in the place of the first.
macro_rules! highs {
    ($a:literal $b:literal) => {
        concat!("vpermt2b zmm", $a, ", zmm25, zmm", $b)
    };
}

/// Adds the low half of each lane.
macro_rules! plus {
    ($to:literal $a:literal) => {
        concat!("vpxorq zmm", $to, "{{k1}}, zmm", $to, ", zmm", $a)
    };
}

macro_rules! swap {
    ($to:literal $a:literal) => {
        concat!("vpshufd zmm", $to, ", zmm", $a, ", 0x4e")
    };
}

/// Times number `$h` of the powers, or the factor of a fold.
macro_rules! product {
    ($to:literal $a:literal, $h:literal, $halves:literal) => {
        concat!("vpclmulqdq zmm", $to, ", zmm", $a, ", zmmword ptr [{powers} + 64*", $h, "], ", $halves)
    };
    ($to:literal $a:literal) => {
        concat!("vpclmulqdq zmm", $to, ", zmm", $a, ", zmm26, 0")
    };
}

/// The data XORed with the stream, and ciphertext in `$c`. With `within`, the results are stored by lines.
macro_rules! data {
    ($([$v:literal $c:literal])*) => {
        concat!(
            ".if {open}\n",
            $("vmovdqu64 zmm", $c, ", zmmword ptr [{input} + 64*", $v, "]\n",)*
            $("vpxorq zmm", $v, ", zmm", $v, ", zmm", $c, "\n",)*
            "test {within:e}, {within:e}\njnz 2f\n",
            $("vmovdqu64 zmmword ptr [{output} + 64*", $v, "], zmm", $v, "\n",)*
            "jmp 3f\n2:\n",
            lines!(0 1 2 3 4 5 6 7),
            ".else\n",
            $("vpxorq zmm", $c, ", zmm", $v, ", zmmword ptr [{input} + 64*", $v, "]\n",)*
            "test {within:e}, {within:e}\njnz 2f\n",
            $("vmovdqu64 zmmword ptr [{output} + 64*", $v, "], zmm", $c, "\n",)*
            "jmp 3f\n2:\n",
            lines!(10 11 12 13 14 15 16 17),
            ".endif\n3:",
        )
    };
}

/// Stores eight registers so that no store is in two lines; `within` bytes belong to the first.
macro_rules! lines {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal) => {
        concat!(
            "vpbroadcastb zmm8, {within:e}\n",
            "vpaddb zmm8, zmm8, zmmword ptr [{numbers}]\n",
            "mov {mask}, -1\nshrx {mask}, {mask}, {within}\nkmovq k3, {mask}\nknotq k2, k3\n",
            "lea {mask}, [{output} + {within}]\n",
            "vpermb zmm21, zmm8, zmm", $a, "\nvmovdqu8 zmmword ptr [{mask} - 64]{{k2}}, zmm21\n",
            lines!([0 $a $b] [1 $b $c] [2 $c $d] [3 $d $e] [4 $e $f] [5 $f $g] [6 $g $h]),
            "vpermb zmm21, zmm8, zmm", $h, "\nvmovdqu8 zmmword ptr [{mask} + 448]{{k3}}, zmm21\n",
        )
    };
    ($([$i:literal $a:literal $b:literal])*) => {
        concat!($(
            "vmovdqa64 zmm21, zmm8\nvpermi2b zmm21, zmm", $a, ", zmm", $b, "\n",
            "vmovdqa64 zmmword ptr [{mask} + 64*", $i, "], zmm21\n",
        )*)
    };
}

/// Registers: AES 0-7 with the round key in 8; the blocks to be hashed 10-17; their sums of products 18-20; those of the
/// group before 9, 27, 28; what is written to those at the end.
macro_rules! group {
    ([$($name:ident = $operand:expr),*], $within:ident, $x:ident, $blocks:ident, $sum:ident, [$($step:expr),* $(,)?]) => {
        let [x0, x1, x2, x3, x4, x5, x6, x7] = $x;
        let [mut c0, mut c1, mut c2, mut c3, mut c4, mut c5, mut c6, mut c7] = *$blocks;
        core::arch::asm!(
            $($step,)*
            data!([0 10] [1 11] [2 12] [3 13] [4 14] [5 15] [6 16] [7 17]),
            mov!(9 18), mov!(27 19), mov!(28 20),
            $($name = in(reg) $operand,)*
            rounds = const R,
            open = const OPEN as usize,
            within = in(reg) $within,
            numbers = in(reg) &NUMBERS,
            mask = out(reg) _,
            in("k1") 0x55u8, out("k2") _, out("k3") _,
            inout("zmm0") x0 => _, inout("zmm1") x1 => _, inout("zmm2") x2 => _, inout("zmm3") x3 => _,
            inout("zmm4") x4 => _, inout("zmm5") x5 => _, inout("zmm6") x6 => _, inout("zmm7") x7 => _,
            inout("zmm10") c0, inout("zmm11") c1, inout("zmm12") c2, inout("zmm13") c3,
            inout("zmm14") c4, inout("zmm15") c5, inout("zmm16") c6, inout("zmm17") c7,
            inout("zmm9") $sum.low, inout("zmm27") $sum.cross, inout("zmm28") $sum.high,
            in("zmm24") order::<15>(), in("zmm25") order::<7>(), in("zmm26") factor(),
            out("zmm8") _, out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _,
            out("zmm23") _, out("zmm30") _, out("zmm31") _,
            options(nostack),
        );
        *$blocks = [c0, c1, c2, c3, c4, c5, c6, c7];
    };
}

/// The bytes of a page. A store to two pages stops all others for 40 cycles; to two lines, it is one like others.
const PAGE: usize = 4096;

const NUMBERS: [u8; 64] = {
    let mut numbers = [0; 64];
    let mut i = 0;
    while i < 64 {
        numbers[i] = i as u8;
        i += 1;
    }
    numbers
};

/// If the place of a register among these 512 bytes is in two pages, how many bytes are in the first of its lines.
fn within(output: *const u8) -> usize {
    let left = output.addr().wrapping_neg();
    if left % PAGE < 512 { left % 64 } else { 0 }
}

/// Encrypts or decrypts 512 bytes, given their blocks after two rounds; meanwhile reduces `sum`, the sums of products of the
/// group before that in `blocks`, and replaces it by those of the latter.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
unsafe fn group<const R: usize, const OPEN: bool>(
    keys: &RoundKeys,
    powers: &[__m512i; 12],
    x: [__m512i; 8],
    blocks: &mut [__m512i; 8],
    sum: &mut Sum,
    input: *const u8,
    output: *mut u8,
) {
    let within = within(output);
    // SAFETY: reads keys and powers; the caller gives 512 bytes on both sides.
    unsafe {
        if R == 14 {
            group!(
                [keys = keys, powers = powers, input = input, output = output],
                within,
                x,
                blocks,
                sum,
                [
                    round!(3),
                    mov!(30 24),
                    product!(22 9),
                    round!(4),
                    lows!(30 12 13),
                    highs!(12 13),
                    xor!(13 12 30),
                    mov!(31 24),
                    product!(19 13, 5, 0x00),
                    product!(13 13, 5, 0x11),
                    round!(5),
                    product!(18 30, 3, 0x00),
                    swap!(21 9),
                    round!(6),
                    product!(30 30, 3, 0x11),
                    lows!(31 14 15),
                    highs!(14 15),
                    sum!(27 28 9),
                    sum!(27 21 22),
                    xor!(18 30 18),
                    xor!(15 14 31),
                    mov!(30 24),
                    lows!(30 16 17),
                    product!(20 12, 4, 0x00),
                    product!(22 27),
                    product!(12 12, 4, 0x11),
                    product!(23 31, 6, 0x00),
                    product!(31 31, 6, 0x11),
                    sum!(18 31 23),
                    mov!(31 24),
                    round!(7),
                    xor!(20 12 20),
                    product!(23 14, 7, 0x00),
                    product!(14 14, 7, 0x11),
                    round!(8),
                    sum!(20 14 23),
                    product!(23 15, 8, 0x00),
                    product!(15 15, 8, 0x11),
                    round!(9),
                    xor!(19 13 19),
                    round!(10),
                    swap!(21 27),
                    lows!(31 10 11),
                    highs!(10 11),
                    highs!(16 17),
                    sum!(19 15 23),
                    product!(23 30, 9, 0x00),
                    xor!(17 16 30),
                    product!(30 30, 9, 0x11),
                    sum!(28 21 22),
                    plus!(31 28),
                    sum!(18 30 23),
                    swap!(21 28),
                    product!(23 16, 10, 0x00),
                    product!(16 16, 10, 0x11),
                    sum!(20 16 23),
                    product!(23 17, 11, 0x00),
                    plus!(10 21),
                    xor!(11 10 31),
                    product!(17 17, 11, 0x11),
                    round!(11),
                    round!(12),
                    sum!(19 17 23),
                    product!(23 31, 0, 0x00),
                    product!(31 31, 0, 0x11),
                    sum!(18 31 23),
                    product!(23 10, 1, 0x00),
                    product!(10 10, 1, 0x11),
                    round!(13),
                    sum!(20 10 23),
                    product!(23 11, 2, 0x00),
                    product!(11 11, 2, 0x11),
                    last_round!(),
                    sum!(19 11 23),
                ]
            );
        } else {
            group!(
                [keys = keys, powers = powers, input = input, output = output],
                within,
                x,
                blocks,
                sum,
                [
                    mov!(31 24),
                    round!(3),
                    sum!(27 28 9),
                    mov!(30 24),
                    lows!(30 12 13),
                    product!(22 9),
                    product!(18 30, 3, 0x00),
                    round!(4),
                    highs!(12 13),
                    product!(20 12, 4, 0x00),
                    lows!(31 14 15),
                    xor!(13 12 30),
                    product!(12 12, 4, 0x11),
                    product!(23 31, 6, 0x00),
                    product!(30 30, 3, 0x11),
                    swap!(21 9),
                    sum!(27 21 22),
                    product!(19 13, 5, 0x00),
                    highs!(14 15),
                    xor!(18 30 18),
                    round!(5),
                    round!(6),
                    round!(7),
                    mov!(30 24),
                    xor!(15 14 31),
                    product!(31 31, 6, 0x11),
                    sum!(18 31 23),
                    product!(23 14, 7, 0x00),
                    mov!(31 24),
                    xor!(20 12 20),
                    product!(22 27),
                    product!(13 13, 5, 0x11),
                    product!(14 14, 7, 0x11),
                    sum!(20 14 23),
                    xor!(19 13 19),
                    swap!(21 27),
                    round!(8),
                    lows!(30 16 17),
                    lows!(31 10 11),
                    product!(23 15, 8, 0x00),
                    product!(15 15, 8, 0x11),
                    sum!(19 15 23),
                    round!(9),
                    product!(23 30, 9, 0x00),
                    highs!(16 17),
                    sum!(28 21 22),
                    xor!(17 16 30),
                    product!(30 30, 9, 0x11),
                    highs!(10 11),
                    sum!(18 30 23),
                    plus!(31 28),
                    product!(23 16, 10, 0x00),
                    ".if {rounds} > 10",
                    round!(10),
                    round!(11),
                    ".endif",
                    last_round!(),
                    swap!(21 28),
                    product!(16 16, 10, 0x11),
                    plus!(10 21),
                    sum!(20 16 23),
                    product!(23 17, 11, 0x00),
                    product!(17 17, 11, 0x11),
                    sum!(19 17 23),
                    xor!(11 10 31),
                    product!(23 31, 0, 0x00),
                    product!(31 31, 0, 0x11),
                    sum!(18 31 23),
                    product!(23 10, 1, 0x00),
                    product!(10 10, 1, 0x11),
                    sum!(20 10 23),
                    product!(23 11, 2, 0x00),
                    product!(11 11, 2, 0x11),
                    sum!(19 11 23),
                ]
            );
        }
    }
}

/// Encrypts or decrypts the chunks from number `from` to before `to`, of which there is an even number, and takes the one in
/// `hashed` into the hash; leaves the last of them there.
///
/// # Safety
/// That many chunks may be read and written.
#[inline(never)]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
pub(super) unsafe fn groups<const R: usize, const OPEN: bool>(
    key: &KeyData,
    kept: &mut Kept<'_>,
    (from, to): (usize, usize),
    input: *const u8,
    output: *mut u8,
    hashed: &mut Hashed,
) {
    let [h4, h8, h12, h16, h20] = [4, 8, 12, 16, 20].map(|n| power(key, n));
    let [h24, h28, h32] = [h4, h8, h12].map(|h| Sum::product(h, h20).reduce());
    let pairs = [(h32, h28), (h24, h20), (h16, h12), (h8, h4)].map(|(a, b)| Pair::powers(a, b));
    let mut powers = [h4; 12];
    for (powers, pair) in powers.as_chunks_mut().0.iter_mut().zip(pairs) {
        *powers = [pair.low, pair.high, pair.both()];
    }
    let [a, b, c, d] = hashed.blocks;
    let first = _mm512_xor_si512(a, _mm512_shuffle_epi8(hashed.state, reversal()));
    let none = _mm512_setzero_si512();
    let mut blocks = [none, none, none, none, first, b, c, d];
    let mut sum = Sum::zero();
    // SAFETY: the caller says so.
    unsafe {
        for i in (from..to).step_by(2) {
            // Hidden, so that no round keys or states are put in registers ahead of the loop, and those on the stack.
            let (keys, kept) = (black_box(&key.round_keys), black_box(&mut *kept));
            let ([a, b, c, d], [e, f, g, h]) = (kept.chunk(keys, i), kept.chunk(keys, i + 1));
            let x = [a, b, c, d, e, f, g, h];
            group::<R, OPEN>(keys, &powers, x, &mut blocks, &mut sum, input.add(256 * i), output.add(256 * i));
            if i + LAP >= to {
                kept.forget(i);
                kept.forget(i + 1);
            }
        }
    }
    powers.wipe();
    let state = Sum { cross: crossed(&sum), ..sum }.reduce();
    let [a, b, c, d, rest @ ..] = blocks;
    let state = Hashed { blocks: [a, b, c, d], state }.sum(&lane_powers(black_box(key))).reduce();
    *hashed = Hashed { blocks: rest, state };
}

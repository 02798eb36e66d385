//! ChaCha20 (RFC 8439 section 2.3) for cores that run 512-bit instructions in halves (Zen 4).
//!
//! A rotation takes two cycles there and a shift one, so the chain of a block is 320 cycles, or 240 if
//! x ^= y, x <<<= n is computed as (x <<< n) ^ (y << n) ^ (y >> 32 - n): x is ready long before y. That takes five
//! operations in place of three, so it is for the shortest messages: two blocks, one in each half of a register. Six blocks
//! in three sets of registers take 400 cycles in the usual form, eight in 512-bit registers 480.
//!
//! Sixteen blocks in columns take 600 cycles where 480 would do: an operation is bound to one of two schedulers, of two
//! pipes each, before it is known when it can start, and four chains of dependent operations leave little to choose from.
//! Rows beside them fill the gaps: eight more blocks take 300 cycles in place of 480. Better are two groups of columns
//! beside each other, in all 32 registers: 1040 cycles for thirty-two blocks, of which 960 are the floor. The ALUs are free
//! meanwhile.

use super::super::{Apply, State};
use super::avx512::{self, columns_start, rows_finish, rows_of, rows_start};
use crate::cpu::{Features, Kernel};
use crate::mem::{Secret, Wipe};
use crate::simd;
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Apply> = {
    let run: Apply = |state, data| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { apply(state, data) }
    };
    // SAFETY: `apply` is built for exactly the features named here.
    unsafe { Kernel::new("avx512-halves", avx512::NEEDS, run) }.suited_to(Features::HALVES)
};

/// One step of a quarter round on `[[__m256i; 4]; N]`, N sets of two blocks in rows.
macro_rules! pairs_half {
    ($v:ident, $target:literal, $with:literal, $onto:literal, $by:literal, $rest:literal) => {
        for set in &mut $v {
            let turned = _mm256_rol_epi32::<$by>(set[$onto]);
            set[$target] = _mm256_add_epi32(set[$target], set[$with]);
            set[$onto] = if N == 1 {
                let (left, right) = (_mm256_slli_epi32::<$by>(set[$target]), _mm256_srli_epi32::<$rest>(set[$target]));
                simd::ternlog256::<0x96>(turned, left, right)
            } else {
                _mm256_rol_epi32::<$by>(_mm256_xor_si256(set[$onto], set[$target]))
            };
        }
    };
}

/// A round on them, of columns or of diagonals.
macro_rules! pairs_round {
    ($v:ident, columns) => {
        $crate::cipher::chacha20::x86_64::halves::pairs_round!($v, 0x93, 0x39);
    };
    ($v:ident, diagonals) => {
        $crate::cipher::chacha20::x86_64::halves::pairs_round!($v, 0x39, 0x93);
    };
    ($v:ident, $left:literal, $right:literal) => {
        $crate::cipher::chacha20::x86_64::halves::pairs_half!($v, 0, 1, 3, 16, 16);
        $crate::cipher::chacha20::x86_64::halves::pairs_half!($v, 2, 3, 1, 12, 20);
        $crate::cipher::chacha20::x86_64::halves::pairs_half!($v, 0, 1, 3, 8, 24);
        $crate::cipher::chacha20::x86_64::halves::pairs_half!($v, 2, 3, 1, 7, 25);
        for set in &mut $v {
            set[0] = _mm256_shuffle_epi32::<$left>(set[0]);
            set[3] = _mm256_shuffle_epi32::<0x4e>(set[3]);
            set[2] = _mm256_shuffle_epi32::<$right>(set[2]);
        }
    };
}

/// What 2 N blocks in rows start with, the first of them `ahead` of what is given.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn pairs_start<const N: usize>(start: [__m128i; 4], ahead: i32) -> [[__m256i; 4]; N] {
    let mut start = [start.map(|row| _mm256_broadcastsi128_si256(row)); N];
    for n in 0..N {
        let k = ahead + 2 * n as i32;
        start[n][3] = _mm256_add_epi32(start[n][3], _mm256_setr_epi32(k, 0, 0, 0, k + 1, 0, 0, 0));
    }
    start
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn pairs_finish<const N: usize>(mut v: [[__m256i; 4]; N], start: [[__m256i; 4]; N]) -> [[__m256i; 4]; N] {
    for n in 0..N {
        for i in 0..4 {
            v[n][i] = _mm256_add_epi32(v[n][i], start[n][i]);
        }
    }
    v
}

/// 2 N blocks of key stream. Each set is two blocks in rows: of the first the low halves, of the second the high ones.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn pairs<const N: usize>(start: [__m128i; 4]) -> [[__m256i; 4]; N] {
    let start = pairs_start::<N>(start, 0);
    let mut v = start;
    for _ in 0..10 {
        pairs_round!(v, columns);
        pairs_round!(v, diagonals);
    }
    pairs_finish(v, start)
}

/// The two blocks of a set.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn pair([a, b, c, d]: [__m256i; 4]) -> [__m512i; 2] {
    let (low, high) = (_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x31>(a, b));
    let (low, high) = (_mm512_castsi256_si512(low), _mm512_castsi256_si512(high));
    [
        _mm512_inserti64x4::<1>(low, _mm256_permute2x128_si256::<0x20>(c, d)),
        _mm512_inserti64x4::<1>(high, _mm256_permute2x128_si256::<0x31>(c, d)),
    ]
}

/// One step of a quarter round on each of some words, in 512-bit registers.
macro_rules! half {
    ($v:expr, $by:literal, $([$target:literal, $with:literal, $onto:literal]),*) => { $(
        $v[$target] = _mm512_add_epi32($v[$target], $v[$with]);
        $v[$onto] = _mm512_rol_epi32::<$by>(_mm512_xor_si512($v[$onto], $v[$target]));
    )* };
}

/// `half` on two groups of columns. They take all registers, so the compiler would move and spill.
macro_rules! groups_half {
    ($v:ident, $w:ident, $by:literal, $([$target:literal, $with:literal, $onto:literal]),*) => {
        // SAFETY: changes these registers alone.
        #[cfg(not(outpace_ct = "msan"))]
        unsafe {
            core::arch::asm!(
                $(
                    concat!("vpaddd {v", $target, "}, {v", $target, "}, {v", $with, "}"),
                    concat!("vpxord {v", $onto, "}, {v", $onto, "}, {v", $target, "}"),
                )*
                $(concat!("vprold {v", $onto, "}, {v", $onto, "}, ", $by),)*
                $(
                    concat!("vpaddd {w", $target, "}, {w", $target, "}, {w", $with, "}"),
                    concat!("vpxord {w", $onto, "}, {w", $onto, "}, {w", $target, "}"),
                )*
                $(concat!("vprold {w", $onto, "}, {w", $onto, "}, ", $by),)*
                "/* {v0} {v1} {v2} {v3} {v4} {v5} {v6} {v7} {v8} {v9} {v10} {v11} {v12} {v13} {v14} {v15} */",
                "/* {w0} {w1} {w2} {w3} {w4} {w5} {w6} {w7} {w8} {w9} {w10} {w11} {w12} {w13} {w14} {w15} */",
                v0 = inout(zmm_reg) $v[0], w0 = inout(zmm_reg) $w[0],
                v1 = inout(zmm_reg) $v[1], w1 = inout(zmm_reg) $w[1],
                v2 = inout(zmm_reg) $v[2], w2 = inout(zmm_reg) $w[2],
                v3 = inout(zmm_reg) $v[3], w3 = inout(zmm_reg) $w[3],
                v4 = inout(zmm_reg) $v[4], w4 = inout(zmm_reg) $w[4],
                v5 = inout(zmm_reg) $v[5], w5 = inout(zmm_reg) $w[5],
                v6 = inout(zmm_reg) $v[6], w6 = inout(zmm_reg) $w[6],
                v7 = inout(zmm_reg) $v[7], w7 = inout(zmm_reg) $w[7],
                v8 = inout(zmm_reg) $v[8], w8 = inout(zmm_reg) $w[8],
                v9 = inout(zmm_reg) $v[9], w9 = inout(zmm_reg) $w[9],
                v10 = inout(zmm_reg) $v[10], w10 = inout(zmm_reg) $w[10],
                v11 = inout(zmm_reg) $v[11], w11 = inout(zmm_reg) $w[11],
                v12 = inout(zmm_reg) $v[12], w12 = inout(zmm_reg) $w[12],
                v13 = inout(zmm_reg) $v[13], w13 = inout(zmm_reg) $w[13],
                v14 = inout(zmm_reg) $v[14], w14 = inout(zmm_reg) $w[14],
                v15 = inout(zmm_reg) $v[15], w15 = inout(zmm_reg) $w[15],
                options(nomem, nostack, preserves_flags)
            );
        }
        #[cfg(outpace_ct = "msan")]
        {
            $crate::cipher::chacha20::x86_64::halves::half!($v, $by, $([$target, $with, $onto]),*);
            $crate::cipher::chacha20::x86_64::halves::half!($w, $by, $([$target, $with, $onto]),*);
        }
    };
}

/// A round on two groups of columns, and other work behind two of its steps.
macro_rules! groups_round {
    ($v:ident, $w:ident, $([$a:literal, $b:literal, $c:literal, $d:literal]),*; $s0:block $s1:block) => {
        $crate::cipher::chacha20::x86_64::halves::groups_half!($v, $w, 16, $([$a, $b, $d]),*);
        $s0
        $crate::cipher::chacha20::x86_64::halves::groups_half!($v, $w, 12, $([$c, $d, $b]),*);
        $crate::cipher::chacha20::x86_64::halves::groups_half!($v, $w, 8, $([$a, $b, $d]),*);
        $s1
        $crate::cipher::chacha20::x86_64::halves::groups_half!($v, $w, 7, $([$c, $d, $b]),*);
    };
}

/// Two rounds on two groups of columns, `[__m512i; 16]` each, and other work, in general registers, at four places.
macro_rules! groups_double_round {
    ($v:ident, $w:ident, $s0:block $s1:block $s2:block $s3:block) => {
        $crate::cipher::chacha20::x86_64::halves::groups_round!(
            $v, $w, [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]; $s0 $s1
        );
        $crate::cipher::chacha20::x86_64::halves::groups_round!(
            $v, $w, [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]; $s2 $s3
        );
    };
}

/// A round on `[__m512i; 16]`, sixteen blocks in columns, with other work behind each of its steps.
macro_rules! columns_round_beside {
    ($v:ident, $([$a:literal, $b:literal, $c:literal, $d:literal]),*; $s0:block $s1:block $s2:block $s3:block) => {
        half!($v, 16, $([$a, $b, $d]),*);
        $s0
        half!($v, 12, $([$c, $d, $b]),*);
        $s1
        half!($v, 8, $([$a, $b, $d]),*);
        $s2
        half!($v, 7, $([$c, $d, $b]),*);
        $s3
    };
}

/// The first of two rounds.
macro_rules! column_round_beside {
    ($v:ident, $s0:block $s1:block $s2:block $s3:block) => {
        columns_round_beside!($v, [0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]; $s0 $s1 $s2 $s3);
    };
}

/// The second of two rounds.
macro_rules! diagonal_round_beside {
    ($v:ident, $s0:block $s1:block $s2:block $s3:block) => {
        columns_round_beside!($v, [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]; $s0 $s1 $s2 $s3);
    };
}

/// Half a round on `[[__m512i; 4]; N]`, N sets of four blocks in rows, behind what is done with the columns.
macro_rules! rows_half {
    ($columns:ident, $sets:ident, $by0:literal, $by1:literal $(, $left:literal, $right:literal)?) => {
        simd::pin(&mut $columns);
        for set in &mut $sets {
            half!(set, $by0, [0, 1, 3]);
        }
        for set in &mut $sets {
            half!(set, $by1, [2, 3, 1]);
        }
        for set in &mut $sets {
            $(
                set[0] = _mm512_shuffle_epi32::<$left>(set[0]);
                set[3] = _mm512_shuffle_epi32::<0x4e>(set[3]);
                set[2] = _mm512_shuffle_epi32::<$right>(set[2]);
            )?
            simd::pin(set);
        }
    };
}

/// 4 N blocks of key stream in rows, and half of the rounds of the sixteen blocks behind them in columns.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn rows_and_half_of_columns<const N: usize>(
    state: &mut State,
    half_done: &mut [__m512i; 16],
) -> [[__m512i; 4]; N] {
    let start = rows_of(state);
    let mut sets = rows_start::<N>(start);
    state.advance(4 * N as u32);
    let mut columns = columns_start(state);
    macro_rules! beside {
        ($round:ident) => {
            rows_half!(columns, sets, 16, 12);
            $round!(columns, { rows_half!(columns, sets, 8, 7, 0x93, 0x39); } { rows_half!(columns, sets, 16, 12); }
                { rows_half!(columns, sets, 8, 7, 0x39, 0x93); } {});
        };
    }
    for _ in 0..5 {
        beside!(column_round_beside);
        beside!(diagonal_round_beside);
    }
    *half_done = columns;
    rows_finish(sets, start)
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,lzcnt")]
fn apply(state: &State, data: &mut [u8]) {
    let mut state = Secret::new(*state);
    let (parts, rest) = data.as_chunks_mut::<2048>();
    for part in parts {
        double_pass(&mut state, part);
    }
    if rest.len() > 128 {
        avx512::apply(&state, rest);
    } else if !rest.is_empty() {
        let [set] = pairs::<1>(rows_of(&state));
        let mut stream = pair(set);
        for (chunk, key) in rest.chunks_mut(64).zip(stream) {
            let sum = _mm512_xor_si512(simd::load512_partial(chunk), key);
            simd::store512_partial(chunk, sum);
        }
        stream.wipe();
    }
}

/// Thirty-two blocks, in two groups of columns.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2,lzcnt")]
fn double_pass(state: &mut State, part: &mut [u8; 2048]) {
    let mut v = columns_start(state);
    state.advance(16);
    let mut w = columns_start(state);
    state.advance(16);
    let (v0, w0) = (v[12], w[12]);
    for _ in 0..10 {
        groups_double_round!(v, w, {} {} {} {});
    }
    let (first, second) = part.split_at_mut(1024);
    macro_rules! finish {
        ($v:ident, $counters:ident, $part:ident) => {
            for i in 0..16 {
                let start = if i == 12 { $counters } else { _mm512_set1_epi32(state.0[i].cast_signed()) };
                $v[i] = _mm512_add_epi32($v[i], start);
            }
            let stream = simd::transpose16($v);
            for (block, key) in $part.as_chunks_mut().0.iter_mut().zip(stream) {
                simd::store512(block, _mm512_xor_si512(simd::load512(block), key));
            }
        };
    }
    finish!(v, v0, first);
    finish!(w, w0, second);
}

pub(crate) use {
    column_round_beside, columns_round_beside, diagonal_round_beside, groups_double_round, groups_half, groups_round,
    half, pairs_half, pairs_round,
};

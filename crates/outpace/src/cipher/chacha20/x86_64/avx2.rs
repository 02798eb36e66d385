//! ChaCha20 (RFC 8439 section 2.3) in 256-bit registers: register i holds word i of eight blocks, or, for few blocks, one
//! row of two.
//!
//! AVX2 has no rotation: by 16 and 8 it is a byte shuffle, by 12 and 7 two shifts and an or. So 1280 operations for 512
//! bytes: on three ports (Intel) 427 cycles, 0.83 cycles a byte; on four (AMD) 320, but there a byte shuffle takes two
//! cycles, the four quarter rounds that do not depend on each other are 16 cycles deep, and as all four want the two ports
//! of shifts and shuffles at once, twenty rounds take 500 cycles, 0.98 cycles a byte, in whatever order they are written.
//! A few blocks in rows are bound by the depth: 280 cycles (Intel) or 320 (AMD) for two blocks.
//!
//! The rounds leave the other ports and half of the decoder idle: [`Beside`] is for those.

use super::super::{Apply, Beside, Blocks, State};
use crate::cpu::{Features, Kernel};
use crate::mem::{Secret, Wipe};
use crate::simd;
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Apply> =
    // SAFETY: `apply` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2.and(Features::BMI2), |state, data| apply(state, data)) };

/// What the assembly of two rounds keeps in memory.
#[repr(C, align(32))]
struct Memory {
    /// Byte shuffles: rotations of words by 16 and by 8.
    rotations: [[u8; 32]; 2],
    /// c0, c1, c2, c3: the words 8 to 11, two of which are always here.
    c: [[u32; 8]; 4],
}

const ROTATE_16: [u8; 32] = rotation(2);
const ROTATE_8: [u8; 32] = rotation(3);

/// Byte i of the result is byte (i + by) mod 4 of the same word.
const fn rotation(by: u8) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        bytes[i as usize] = (i & 12) | ((i + by) & 3);
        i += 1;
    }
    bytes
}

/// Two quarter rounds beside each other, on the named operands. One temporary is enough: processors rename it.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! two_quarter_rounds {
    ($($names:ident)*) => {
        concat!(half!($($names)*, "[{m}]", 12, 20), half!($($names)*, "[{m} + 32]", 7, 25))
    };
}

/// Half of them: d is rotated by a byte shuffle, b by two shifts.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! half {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $shuffle:literal, $left:literal, $right:literal) => {
        concat!(
            instruction!("vpaddd", $a, $a, $b),
            instruction!("vpaddd", $e, $e, $f),
            instruction!("vpxor", $d, $d, $a),
            instruction!("vpxor", $h, $h, $e),
            instruction!("vpshufb", $d, $d, $shuffle),
            instruction!("vpshufb", $h, $h, $shuffle),
            instruction!("vpaddd", $c, $c, $d),
            instruction!("vpaddd", $g, $g, $h),
            instruction!("vpxor", $b, $b, $c),
            instruction!("vpxor", $f, $f, $g),
            instruction!("vpslld", t, $b, $left),
            instruction!("vpsrld", $b, $b, $right),
            instruction!("vpor", $b, $b, t),
            instruction!("vpslld", t, $f, $left),
            instruction!("vpsrld", $f, $f, $right),
            instruction!("vpor", $f, $f, t),
        )
    };
}

#[cfg(not(outpace_ct = "msan"))]
macro_rules! instruction {
    ($name:literal, $to:ident, $one:ident, $other:ident) => {
        concat!($name, " {", stringify!($to), "}, {", stringify!($one), "}, {", stringify!($other), "}\n")
    };
    ($name:literal, $to:ident, $one:ident, $other:literal) => {
        concat!($name, " {", stringify!($to), "}, {", stringify!($one), "}, ", $other, "\n")
    };
}

/// Words 0 to 7 and 12 to 15 of eight blocks, and of 8 to 11 those that are not in memory: `c` is the first two between
/// double rounds.
struct Columns {
    a: [__m256i; 4],
    b: [__m256i; 4],
    c: [__m256i; 2],
    d: [__m256i; 4],
}

/// Two rounds: columns, then diagonals. Sixteen registers hold fourteen words and a temporary; c0, c1 and c2, c3 take
/// turns in two of them.
#[cfg(not(outpace_ct = "msan"))]
#[inline]
#[target_feature(enable = "avx2")]
fn double_round(v: &mut Columns, memory: &mut Memory) {
    let Columns { a: [a0, a1, a2, a3], b: [b0, b1, b2, b3], c: [c0, c1], d: [d0, d1, d2, d3] } = v;
    // SAFETY: reads and writes `memory`, which is borrowed and aligned, and registers.
    unsafe {
        core::arch::asm!(
            two_quarter_rounds!(a0 b0 c0 d0 a1 b1 c1 d1),
            "vmovdqa [{m} + 64], {c0}", "vmovdqa [{m} + 96], {c1}",
            "vmovdqa {c0}, [{m} + 128]", "vmovdqa {c1}, [{m} + 160]",
            two_quarter_rounds!(a2 b2 c0 d2 a3 b3 c1 d3),
            two_quarter_rounds!(a0 b1 c0 d3 a1 b2 c1 d0),
            "vmovdqa [{m} + 128], {c0}", "vmovdqa [{m} + 160], {c1}",
            "vmovdqa {c0}, [{m} + 64]", "vmovdqa {c1}, [{m} + 96]",
            two_quarter_rounds!(a2 b3 c0 d1 a3 b0 c1 d2),
            a0 = inout(ymm_reg) *a0, a1 = inout(ymm_reg) *a1, a2 = inout(ymm_reg) *a2, a3 = inout(ymm_reg) *a3,
            b0 = inout(ymm_reg) *b0, b1 = inout(ymm_reg) *b1, b2 = inout(ymm_reg) *b2, b3 = inout(ymm_reg) *b3,
            d0 = inout(ymm_reg) *d0, d1 = inout(ymm_reg) *d1, d2 = inout(ymm_reg) *d2, d3 = inout(ymm_reg) *d3,
            c0 = inout(ymm_reg) *c0, c1 = inout(ymm_reg) *c1, t = out(ymm_reg) _, m = in(reg) memory,
            options(nostack, preserves_flags),
        );
    }
}

/// The same without assembly, which the sanitizer cannot follow.
#[cfg(outpace_ct = "msan")]
#[inline]
#[target_feature(enable = "avx2")]
fn double_round(v: &mut Columns, memory: &mut Memory) {
    let Columns { a: [a0, a1, a2, a3], b: [b0, b1, b2, b3], c: [c0, c1], d: [d0, d1, d2, d3] } = *v;
    let [c2, c3] = [simd::load256_u32(&memory.c[2]), simd::load256_u32(&memory.c[3])];
    let mut w = [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3];
    for [a, b, c, d] in [
        [0, 4, 8, 12],
        [1, 5, 9, 13],
        [2, 6, 10, 14],
        [3, 7, 11, 15],
        [0, 5, 10, 15],
        [1, 6, 11, 12],
        [2, 7, 8, 13],
        [3, 4, 9, 14],
    ] {
        [w[a], w[b], w[c], w[d]] = quarter_rounds([w[a], w[b], w[c], w[d]], masks());
    }
    let [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3] = w;
    *v = Columns { a: [a0, a1, a2, a3], b: [b0, b1, b2, b3], c: [c0, c1], d: [d0, d1, d2, d3] };
    simd::store256_u32(&mut memory.c[2], c2);
    simd::store256_u32(&mut memory.c[3], c3);
}

/// Word i of eight blocks; the block counter counts along the lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn start(state: &State, i: usize) -> __m256i {
    let word = _mm256_set1_epi32(state.0[i].cast_signed());
    if i == 12 { _mm256_add_epi32(word, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)) } else { word }
}

/// Eight blocks of key stream, or that added (exclusive or) to what is there.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn columns<B: Beside, const ADD: bool>(state: &State, stream: &mut [[u8; 64]; 8], beside: &mut B) {
    let four = |i: usize| [start(state, i), start(state, i + 1), start(state, i + 2), start(state, i + 3)];
    let mut memory =
        Memory { rotations: [ROTATE_16, ROTATE_8], c: [[0; 8], [0; 8], [state.0[10]; 8], [state.0[11]; 8]] };
    let mut v = Columns { a: four(0), b: four(4), c: [start(state, 8), start(state, 9)], d: four(12) };
    let mut now = beside.begin();
    for _ in 0..10 {
        double_round(&mut v, &mut memory);
        B::step(&mut now);
    }
    let c = [v.c[0], v.c[1], simd::load256_u32(&memory.c[2]), simd::load256_u32(&memory.c[3])];
    memory.c.wipe();
    for (half, [low, high]) in [[v.a, v.b], [c, v.d]].into_iter().enumerate() {
        // In each 128-bit lane: four words of one block.
        let [low, high] = [(low, 8 * half), (high, 8 * half + 4)].map(|(v, i)| {
            let sum = |j: usize| _mm256_add_epi32(v[j], start(state, i + j));
            let [a, b, c, d] = [sum(0), sum(1), sum(2), sum(3)];
            let (ab0, ab1) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            let (cd0, cd1) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            [
                _mm256_unpacklo_epi64(ab0, cd0),
                _mm256_unpackhi_epi64(ab0, cd0),
                _mm256_unpacklo_epi64(ab1, cd1),
                _mm256_unpackhi_epi64(ab1, cd1),
            ]
        });
        for j in 0..4 {
            store_halves::<ADD>(low[j], high[j], stream, [j, j + 4], half);
        }
    }
    beside.end(now);
}

/// The two 128-bit lanes are of two blocks: the half numbered `half` of each.
#[inline]
#[target_feature(enable = "avx2")]
fn store_halves<const ADD: bool>(
    low: __m256i,
    high: __m256i,
    stream: &mut [[u8; 64]],
    blocks: [usize; 2],
    half: usize,
) {
    let halves = [_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high)];
    for (block, value) in blocks.into_iter().zip(halves) {
        let bytes = stream[block][32 * half..].first_chunk_mut().expect("a half of a block");
        simd::store256(bytes, if ADD { _mm256_xor_si256(value, simd::load256(bytes)) } else { value });
    }
}

/// The byte shuffles, as values that the compiler does not know: it would replace each by two other shuffles.
#[inline]
#[target_feature(enable = "avx2")]
fn masks() -> [__m256i; 2] {
    let (mut by_16, mut by_8) = (simd::load256(&ROTATE_16), simd::load256(&ROTATE_8));
    if !cfg!(outpace_ct = "msan") {
        // SAFETY: an empty template.
        unsafe {
            core::arch::asm!("/* {0} {1} */", inout(ymm_reg) by_16, inout(ymm_reg) by_8,
                options(pure, nomem, nostack, preserves_flags));
        }
    }
    [by_16, by_8]
}

/// Quarter rounds in each column.
#[inline]
#[target_feature(enable = "avx2")]
fn quarter_rounds([mut a, mut b, mut c, mut d]: [__m256i; 4], [by_16, by_8]: [__m256i; 2]) -> [__m256i; 4] {
    a = _mm256_add_epi32(a, b);
    d = _mm256_shuffle_epi8(_mm256_xor_si256(d, a), by_16);
    c = _mm256_add_epi32(c, d);
    b = _mm256_xor_si256(b, c);
    b = _mm256_or_si256(_mm256_slli_epi32::<12>(b), _mm256_srli_epi32::<20>(b));
    a = _mm256_add_epi32(a, b);
    d = _mm256_shuffle_epi8(_mm256_xor_si256(d, a), by_8);
    c = _mm256_add_epi32(c, d);
    b = _mm256_xor_si256(b, c);
    b = _mm256_or_si256(_mm256_slli_epi32::<7>(b), _mm256_srli_epi32::<25>(b));
    [a, b, c, d]
}

/// 2 N blocks of key stream in rows.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn rows<const N: usize, B: Beside>(state: &State, stream: &mut [[u8; 64]], beside: &mut B) {
    const { assert!(N <= 3, "three sets of rows leave registers for temporaries") };
    let mut start = [[_mm256_setzero_si256(); 4]; N];
    for (n, set) in (0..).zip(&mut start) {
        for (row, words) in set.iter_mut().zip(state.0.as_chunks::<4>().0) {
            *row = _mm256_broadcastsi128_si256(simd::load128_u32(words));
        }
        set[3] = _mm256_add_epi32(set[3], _mm256_setr_epi32(2 * n, 0, 0, 0, 2 * n + 1, 0, 0, 0));
    }
    let masks = masks();
    let mut sets = start;
    let mut now = beside.begin();
    for _ in 0..10 {
        for set in &mut sets {
            let [a, b, c, d] = quarter_rounds(*set, masks);
            // b is the last of a round and the first that the next one needs, so the others turn.
            let (a, c) = (_mm256_shuffle_epi32::<0x93>(a), _mm256_shuffle_epi32::<0x39>(c));
            *set = [a, b, c, _mm256_shuffle_epi32::<0x4e>(d)];
        }
        for set in &mut sets {
            let [a, b, c, d] = quarter_rounds(*set, masks);
            let (a, c) = (_mm256_shuffle_epi32::<0x39>(a), _mm256_shuffle_epi32::<0x93>(c));
            *set = [a, b, c, _mm256_shuffle_epi32::<0x4e>(d)];
        }
        B::step(&mut now);
    }
    for n in 0..N {
        let sum = |r: usize| _mm256_add_epi32(sets[n][r], start[n][r]);
        store_halves::<false>(sum(0), sum(1), stream, [2 * n, 2 * n + 1], 0);
        store_halves::<false>(sum(2), sum(3), stream, [2 * n, 2 * n + 1], 1);
    }
    beside.end(now);
}

/// At least `blocks` blocks of key stream, at most eight, in the cheapest way.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
pub(crate) fn stream<B: Beside>(state: &State, blocks: usize, stream: &mut [[u8; 64]], beside: &mut B) {
    match blocks {
        ..=2 => rows::<1, B>(state, stream, beside),
        3..=4 => rows::<2, B>(state, stream, beside),
        5..=6 => rows::<3, B>(state, stream, beside),
        _ => columns::<B, false>(state, stream.first_chunk_mut().expect("the caller has room"), beside),
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn apply(state: &State, data: &mut [u8]) {
    if data.len() <= 128 {
        let mut key = Secret::new(Blocks::<2>::ZERO);
        if !data.is_empty() {
            stream(state, data.len().div_ceil(64), &mut key.0, &mut ());
        }
        return key.add_to(data);
    }
    let mut state = Secret::new(*state);
    let (blocks, _) = data.as_chunks_mut::<64>();
    let (passes, _) = blocks.as_chunks_mut::<8>();
    for pass in &mut *passes {
        columns::<_, true>(&state, pass, &mut ());
        state.advance(8);
    }
    let done = 512 * passes.len();
    if done < data.len() {
        let mut key = Secret::new(Blocks::<8>::ZERO);
        stream(&state, (data.len() - done).div_ceil(64), &mut key.0, &mut ());
        key.add_to(&mut data[done..]);
    }
}

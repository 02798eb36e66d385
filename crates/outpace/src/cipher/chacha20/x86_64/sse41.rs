//! ChaCha20 (RFC 8439 section 2.3) in 128-bit registers: register i holds word i of four blocks, or, for few blocks, one
//! row of one.
//!
//! The same as the AVX2 kernel at half the width, with its floors, 320 to 500 cycles, for 256 bytes: 1.25 to 1.97 cycles a
//! byte. Instructions overwrite an operand here, so a rotation by shifts takes a copy more; cores of this age eliminate
//! those or have a port to spare for them.

use super::super::{Apply, Beside, Blocks, SIGMA, State};
use crate::cpu::{Features, Kernel};
use crate::mem::{Secret, Wipe};
use crate::simd;
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Apply> =
    // SAFETY: `apply` is built for exactly the features named here.
    unsafe { Kernel::new("sse4.1", Features::SSE41, |state, data| apply(state, data)) };

/// What the assembly of two rounds keeps in memory.
#[repr(C, align(16))]
struct Memory {
    /// Byte shuffles: rotations of words by 16 and by 8.
    rotations: [[u8; 16]; 2],
    /// c0, c1, c2, c3: the words 8 to 11, two of which are always here.
    c: [[u32; 4]; 4],
}

const ROTATE_16: [u8; 16] = rotation(2);
const ROTATE_8: [u8; 16] = rotation(3);

/// Byte i of the result is byte (i + by) mod 4 of the same word.
const fn rotation(by: u8) -> [u8; 16] {
    let mut bytes = [0; 16];
    let mut i = 0;
    while i < 16 {
        bytes[i as usize] = (i & 12) | ((i + by) & 3);
        i += 1;
    }
    bytes
}

/// Two quarter rounds beside each other, on the named operands. One temporary is enough: processors rename it.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! two_quarter_rounds {
    ($($names:ident)*) => {
        concat!(half!($($names)*, "[{m}]", 12, 20), half!($($names)*, "[{m} + 16]", 7, 25))
    };
}

/// Half of them: d is rotated by a byte shuffle, b by two shifts.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! half {
    ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $shuffle:literal, $left:literal, $right:literal) => {
        concat!(
            instruction!("paddd", $a, $b),
            instruction!("paddd", $e, $f),
            instruction!("pxor", $d, $a),
            instruction!("pxor", $h, $e),
            instruction!("pshufb", $d, $shuffle),
            instruction!("pshufb", $h, $shuffle),
            instruction!("paddd", $c, $d),
            instruction!("paddd", $g, $h),
            instruction!("pxor", $b, $c),
            instruction!("pxor", $f, $g),
            instruction!("movdqa", t, $b),
            instruction!("pslld", t, $left),
            instruction!("psrld", $b, $right),
            instruction!("por", $b, t),
            instruction!("movdqa", t, $f),
            instruction!("pslld", t, $left),
            instruction!("psrld", $f, $right),
            instruction!("por", $f, t),
        )
    };
}

#[cfg(not(outpace_ct = "msan"))]
macro_rules! instruction {
    ($name:literal, $to:ident, $from:ident) => {
        concat!($name, " {", stringify!($to), "}, {", stringify!($from), "}\n")
    };
    ($name:literal, $to:ident, $from:literal) => {
        concat!($name, " {", stringify!($to), "}, ", $from, "\n")
    };
}

/// Words 0 to 7 and 12 to 15 of four blocks, and of 8 to 11 those that are not in memory: `c` is the first two between
/// double rounds.
struct Columns {
    a: [__m128i; 4],
    b: [__m128i; 4],
    c: [__m128i; 2],
    d: [__m128i; 4],
}

/// Two rounds: columns, then diagonals. Sixteen registers hold fourteen words and a temporary; c0, c1 and c2, c3 take
/// turns in two of them.
#[cfg(not(outpace_ct = "msan"))]
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
fn double_round(v: &mut Columns, memory: &mut Memory) {
    let Columns { a: [a0, a1, a2, a3], b: [b0, b1, b2, b3], c: [c0, c1], d: [d0, d1, d2, d3] } = v;
    // SAFETY: reads and writes `memory`, which is borrowed and aligned, and registers.
    unsafe {
        core::arch::asm!(
            two_quarter_rounds!(a0 b0 c0 d0 a1 b1 c1 d1),
            "movdqa [{m} + 32], {c0}", "movdqa [{m} + 48], {c1}",
            "movdqa {c0}, [{m} + 64]", "movdqa {c1}, [{m} + 80]",
            two_quarter_rounds!(a2 b2 c0 d2 a3 b3 c1 d3),
            two_quarter_rounds!(a0 b1 c0 d3 a1 b2 c1 d0),
            "movdqa [{m} + 64], {c0}", "movdqa [{m} + 80], {c1}",
            "movdqa {c0}, [{m} + 32]", "movdqa {c1}, [{m} + 48]",
            two_quarter_rounds!(a2 b3 c0 d1 a3 b0 c1 d2),
            a0 = inout(xmm_reg) *a0, a1 = inout(xmm_reg) *a1, a2 = inout(xmm_reg) *a2, a3 = inout(xmm_reg) *a3,
            b0 = inout(xmm_reg) *b0, b1 = inout(xmm_reg) *b1, b2 = inout(xmm_reg) *b2, b3 = inout(xmm_reg) *b3,
            d0 = inout(xmm_reg) *d0, d1 = inout(xmm_reg) *d1, d2 = inout(xmm_reg) *d2, d3 = inout(xmm_reg) *d3,
            c0 = inout(xmm_reg) *c0, c1 = inout(xmm_reg) *c1, t = out(xmm_reg) _, m = in(reg) memory,
            options(nostack, preserves_flags),
        );
    }
}

/// The same without assembly, which the sanitizer cannot follow.
#[cfg(outpace_ct = "msan")]
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
fn double_round(v: &mut Columns, memory: &mut Memory) {
    let Columns { a: [a0, a1, a2, a3], b: [b0, b1, b2, b3], c: [c0, c1], d: [d0, d1, d2, d3] } = *v;
    let [c2, c3] = [simd::load128_u32(&memory.c[2]), simd::load128_u32(&memory.c[3])];
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
    simd::store128_u32(&mut memory.c[2], c2);
    simd::store128_u32(&mut memory.c[3], c3);
}

/// Word i of four blocks; the block counter counts along the lanes.
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
fn start(state: &State, i: usize) -> __m128i {
    let word = _mm_set1_epi32(state.0[i].cast_signed());
    if i == 12 { _mm_add_epi32(word, _mm_setr_epi32(0, 1, 2, 3)) } else { word }
}

/// Four blocks of key stream, or that added (exclusive or) to what is there.
#[inline(never)]
#[target_feature(enable = "ssse3,sse4.1")]
fn columns<B: Beside, const ADD: bool>(state: &State, stream: &mut [[u8; 64]; 4], beside: &mut B) {
    let four = |i: usize| [start(state, i), start(state, i + 1), start(state, i + 2), start(state, i + 3)];
    let mut memory =
        Memory { rotations: [ROTATE_16, ROTATE_8], c: [[0; 4], [0; 4], [state.0[10]; 4], [state.0[11]; 4]] };
    let mut v = Columns { a: four(0), b: four(4), c: [start(state, 8), start(state, 9)], d: four(12) };
    let mut now = beside.begin();
    for _ in 0..10 {
        double_round(&mut v, &mut memory);
        B::step(&mut now);
    }
    let c = [v.c[0], v.c[1], simd::load128_u32(&memory.c[2]), simd::load128_u32(&memory.c[3])];
    memory.c.wipe();
    for (i, v) in [v.a, v.b, c, v.d].into_iter().enumerate() {
        let sum = |j: usize| _mm_add_epi32(v[j], start(state, 4 * i + j));
        let [a, b, c, d] = [sum(0), sum(1), sum(2), sum(3)];
        let (ab0, ab1) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        let (cd0, cd1) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
        store_quarter::<ADD>(_mm_unpacklo_epi64(ab0, cd0), stream, 0, i);
        store_quarter::<ADD>(_mm_unpackhi_epi64(ab0, cd0), stream, 1, i);
        store_quarter::<ADD>(_mm_unpacklo_epi64(ab1, cd1), stream, 2, i);
        store_quarter::<ADD>(_mm_unpackhi_epi64(ab1, cd1), stream, 3, i);
    }
    beside.end(now);
}

#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
fn store_quarter<const ADD: bool>(row: __m128i, stream: &mut [[u8; 64]], block: usize, i: usize) {
    let bytes = stream[block][16 * i..].first_chunk_mut().expect("a quarter of a block");
    simd::store128(bytes, if ADD { _mm_xor_si128(row, simd::load128(bytes)) } else { row });
}

/// The byte shuffles, as values that the compiler does not know: it would replace each by two other shuffles.
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
fn masks() -> [__m128i; 2] {
    let (mut by_16, mut by_8) = (simd::load128(&ROTATE_16), simd::load128(&ROTATE_8));
    if !cfg!(outpace_ct = "msan") {
        // SAFETY: an empty template.
        unsafe {
            core::arch::asm!("/* {0} {1} */", inout(xmm_reg) by_16, inout(xmm_reg) by_8,
                options(pure, nomem, nostack, preserves_flags));
        }
    }
    [by_16, by_8]
}

/// Quarter rounds in each column.
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
fn quarter_rounds([mut a, mut b, mut c, mut d]: [__m128i; 4], [by_16, by_8]: [__m128i; 2]) -> [__m128i; 4] {
    a = _mm_add_epi32(a, b);
    d = _mm_shuffle_epi8(_mm_xor_si128(d, a), by_16);
    c = _mm_add_epi32(c, d);
    b = _mm_xor_si128(b, c);
    b = _mm_or_si128(_mm_slli_epi32::<12>(b), _mm_srli_epi32::<20>(b));
    a = _mm_add_epi32(a, b);
    d = _mm_shuffle_epi8(_mm_xor_si128(d, a), by_8);
    c = _mm_add_epi32(c, d);
    b = _mm_xor_si128(b, c);
    b = _mm_or_si128(_mm_slli_epi32::<7>(b), _mm_srli_epi32::<25>(b));
    [a, b, c, d]
}

/// N blocks of key stream in rows.
#[inline(never)]
#[target_feature(enable = "ssse3,sse4.1")]
fn rows<const N: usize, B: Beside>(state: &State, stream: &mut [[u8; 64]], beside: &mut B) {
    const { assert!(N <= 3, "three sets of rows leave registers for temporaries") };
    let mut start = [[_mm_setzero_si128(); 4]; N];
    for (n, set) in (0..).zip(&mut start) {
        for (row, words) in set.iter_mut().zip(state.0.as_chunks::<4>().0) {
            *row = simd::load128_u32(words);
        }
        set[3] = _mm_add_epi32(set[3], _mm_setr_epi32(n, 0, 0, 0));
    }
    let masks = masks();
    let mut sets = start;
    let mut now = beside.begin();
    for _ in 0..10 {
        for set in &mut sets {
            let [a, b, c, d] = quarter_rounds(*set, masks);
            // b is the last of a round and the first that the next one needs, so the others turn.
            let (a, c) = (_mm_shuffle_epi32::<0x93>(a), _mm_shuffle_epi32::<0x39>(c));
            *set = [a, b, c, _mm_shuffle_epi32::<0x4e>(d)];
        }
        for set in &mut sets {
            let [a, b, c, d] = quarter_rounds(*set, masks);
            let (a, c) = (_mm_shuffle_epi32::<0x39>(a), _mm_shuffle_epi32::<0x93>(c));
            *set = [a, b, c, _mm_shuffle_epi32::<0x4e>(d)];
        }
        B::step(&mut now);
    }
    for n in 0..N {
        for i in 0..4 {
            store_quarter::<false>(_mm_add_epi32(sets[n][i], start[n][i]), stream, n, i);
        }
    }
    beside.end(now);
}

/// The initial state, stored by rows, so that it can be loaded by rows at once.
#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn initial(key: &[u32; 8], nonce: &[u32; 3]) -> Secret<State> {
    let mut state = Secret::new(State([0; 16]));
    let [one, two, three, four] = state.0.as_chunks_mut::<4>().0 else { unreachable!() };
    let [low, high] = key.as_chunks::<4>().0 else { unreachable!() };
    simd::store128_u32(one, simd::load128_u32(&SIGMA));
    simd::store128_u32(two, simd::load128_u32(low));
    simd::store128_u32(three, simd::load128_u32(high));
    let [a, b, c] = nonce.map(u32::cast_signed);
    simd::store128_u32(four, _mm_setr_epi32(0, a, b, c));
    state
}

/// At least `blocks` blocks of key stream, at most four, in the cheapest way.
#[inline]
#[target_feature(enable = "ssse3,sse4.1")]
pub(crate) fn stream<B: Beside>(state: &State, blocks: usize, stream: &mut [[u8; 64]], beside: &mut B) {
    match blocks {
        ..=1 => rows::<1, B>(state, stream, beside),
        2 => rows::<2, B>(state, stream, beside),
        3 => rows::<3, B>(state, stream, beside),
        _ => columns::<B, false>(state, stream.first_chunk_mut().expect("the caller has room"), beside),
    }
}

#[target_feature(enable = "ssse3,sse4.1")]
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
    let (passes, _) = blocks.as_chunks_mut::<4>();
    for pass in &mut *passes {
        columns::<_, true>(&state, pass, &mut ());
        state.advance(4);
    }
    let done = 256 * passes.len();
    if done < data.len() {
        let mut key = Secret::new(Blocks::<4>::ZERO);
        stream(&state, (data.len() - done).div_ceil(64), &mut key.0, &mut ());
        key.add_to(&mut data[done..]);
    }
}

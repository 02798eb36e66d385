//! Loads and stores on arrays, and the few instructions that the leak checker has no rule for.
//!
//! Helpers take `&[u8; N]`, never slices: the length is the type's business. Under `--cfg outpace_ct="msan"` the
//! wrapped instructions hide their inputs from the sanitizer, which would otherwise report them, and mark their result
//! as secret, whatever went in.

mod transpose;

pub(crate) use transpose::{transpose_lanes, transpose4, transpose8, transpose8_u32};

use core::arch::x86_64::*;

macro_rules! memory {
    ($feature:literal, $vector:ty, $loadu:ident, $storeu:ident, $($load:ident, $store:ident: $array:ty;)*) => { $(
        #[inline]
        #[target_feature(enable = $feature)]
        pub(crate) fn $load(source: &$array) -> $vector {
            const { assert!(size_of::<$array>() == size_of::<$vector>()) };
            // SAFETY: reads exactly the borrowed array, unaligned.
            unsafe { $loadu(core::ptr::from_ref(source).cast()) }
        }
        #[inline]
        #[target_feature(enable = $feature)]
        pub(crate) fn $store(target: &mut $array, value: $vector) {
            // SAFETY: writes exactly the borrowed array, unaligned.
            unsafe { $storeu(core::ptr::from_mut(target).cast(), value) }
        }
    )* };
}

memory!("sse2", __m128i, _mm_loadu_si128, _mm_storeu_si128,
    load128, store128: [u8; 16]; load128_u32, store128_u32: [u32; 4]; load128_u64, store128_u64: [u64; 2];);
memory!("avx", __m256i, _mm256_loadu_si256, _mm256_storeu_si256,
    load256, store256: [u8; 32]; load256_u32, store256_u32: [u32; 8]; load256_u64, store256_u64: [u64; 4];);
memory!("avx512f", __m512i, _mm512_loadu_si512, _mm512_storeu_si512,
    load512, store512: [u8; 64]; load512_u32, store512_u32: [u32; 16]; load512_u64, store512_u64: [u64; 8];);

/// The first `source.len()` (at most 64) bytes, the rest zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn load512_partial(source: &[u8]) -> __m512i {
    static ZEROS: [u8; 64] = [0; 64];
    // An empty slice may be nowhere in memory, and to load nothing from there takes 135 cycles (Zen 4).
    let start = if source.is_empty() { ZEROS.as_ptr() } else { source.as_ptr() };
    // SAFETY: the mask covers the slice and no more; masked-off bytes are not touched.
    unsafe { _mm512_maskz_loadu_epi8(head(source.len()), start.cast()) }
}

/// Writes the first `target.len()` (at most 64) bytes of `value`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn store512_partial(target: &mut [u8], value: __m512i) {
    // SAFETY: as above.
    unsafe { _mm512_mask_storeu_epi8(target.as_mut_ptr().cast(), head(target.len()), value) }
}

/// A mask of the lowest `n` of 64 lanes (all of them from 64 on).
#[inline(always)]
const fn head(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Calls an instruction that the sanitizer has no rule for.
macro_rules! unmodelled {
    ($call:expr, $($input:ident),*) => {{
        #[cfg(outpace_ct = "msan")]
        let result = {
            $(let $input = crate::mem::taint::published($input);)*
            crate::mem::taint::hidden($call)
        };
        #[cfg(not(outpace_ct = "msan"))]
        let result = $call;
        result
    }};
}

/// VPERMILPS: in each half, the words of `table` that the lowest two bits of the words of `indices` name.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn permutevar256(table: __m256i, indices: __m256i) -> __m256i {
    unmodelled!(_mm256_castps_si256(_mm256_permutevar_ps(_mm256_castsi256_ps(table), indices)), table, indices)
}

/// VPTERNLOG: the boolean function of three inputs whose truth table is `IMM`, index `a << 2 | b << 1 | c`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn ternlog128<const IMM: i32>(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    unmodelled!(_mm_ternarylogic_epi64::<IMM>(a, b, c), a, b, c)
}

/// As [`ternlog128`].
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn ternlog256<const IMM: i32>(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    unmodelled!(_mm256_ternarylogic_epi64::<IMM>(a, b, c), a, b, c)
}

/// As [`ternlog128`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn ternlog512<const IMM: i32>(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    unmodelled!(_mm512_ternarylogic_epi64::<IMM>(a, b, c), a, b, c)
}

/// VPERMI2B: byte i of the result is byte `index[i] & 127` of the 128 bytes `low`, `high`.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
pub(crate) fn permi2b512(low: __m512i, index: __m512i, high: __m512i) -> __m512i {
    unmodelled!(_mm512_permutex2var_epi8(low, index, high), low, index, high)
}

/// What makes these values comes before this place, what uses them behind it: chains that are written beside each other
/// stay so, where the compiler would put one behind the other.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn pin<const N: usize>(values: &mut [__m512i; N]) {
    for value in values {
        // SAFETY: the statement has no instructions.
        #[cfg(not(outpace_ct = "msan"))]
        unsafe {
            core::arch::asm!("/* {} */", inout(zmm_reg) * value, options(nomem, nostack, preserves_flags));
        }
        #[cfg(outpace_ct = "msan")]
        let _ = value;
    }
}

/// As [`pin`], one value.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn pin256(value: __m256i) -> __m256i {
    // SAFETY: the statement has no instructions.
    #[cfg(not(outpace_ct = "msan"))]
    unsafe {
        let pinned;
        core::arch::asm!("/* {} */", inout(ymm_reg) value => pinned, options(nomem, nostack, preserves_flags));
        pinned
    }
    #[cfg(outpace_ct = "msan")]
    value
}

/// As [`pin`], one value.
#[inline]
pub(crate) fn pin128(value: __m128i) -> __m128i {
    // SAFETY: the statement has no instructions.
    #[cfg(not(outpace_ct = "msan"))]
    unsafe {
        let pinned;
        core::arch::asm!("/* {} */", inout(xmm_reg) value => pinned, options(nomem, nostack, preserves_flags));
        pinned
    }
    #[cfg(outpace_ct = "msan")]
    value
}

/// Rows to columns: word j of row i becomes word i of row j.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn transpose16(rows: [__m512i; 16]) -> [__m512i; 16] {
    let mut r = rows;
    // Pairs of words, then pairs of pairs, inside each 128-bit lane: lane l of r[4i + j] then holds word 4l + j of the
    // rows 4i..4i + 4.
    for rows in r.as_chunks_mut::<4>().0 {
        *rows = quad(*rows);
    }
    // Then the lanes themselves, a 4 by 4 transposition for each j.
    let mut out = r;
    for j in 0..4 {
        let (a, b, c, d) = (r[j], r[4 + j], r[8 + j], r[12 + j]);
        let (ab0, ab1) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
        let (cd0, cd1) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
        out[j] = _mm512_shuffle_i32x4::<0x88>(ab0, cd0);
        out[4 + j] = _mm512_shuffle_i32x4::<0x88>(ab1, cd1);
        out[8 + j] = _mm512_shuffle_i32x4::<0xdd>(ab0, cd0);
        out[12 + j] = _mm512_shuffle_i32x4::<0xdd>(ab1, cd1);
    }
    out
}

/// Rows of eight words to columns: word j of row i becomes word i of column j.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn columns8(rows: &[[u32; 8]; 16]) -> [__m512i; 8] {
    // Rows i and i + 4 share a register, so that a step on 128-bit lanes at the end puts the rows in order.
    let pair = |i: usize| {
        let low = _mm512_castsi256_si512(load256_u32(&rows[i]));
        _mm512_inserti64x4::<1>(low, load256_u32(&rows[i + 4]))
    };
    let (upper, lower) = (quad([pair(0), pair(1), pair(2), pair(3)]), quad([pair(8), pair(9), pair(10), pair(11)]));
    core::array::from_fn(|j| {
        let (upper, lower) = (upper[j % 4], lower[j % 4]);
        if j < 4 { _mm512_shuffle_i32x4::<0x88>(upper, lower) } else { _mm512_shuffle_i32x4::<0xdd>(upper, lower) }
    })
}

/// The way back from [`columns8`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn rows8(columns: [__m512i; 8]) -> [[u32; 8]; 16] {
    let [a, b, c, d, e, f, g, h] = columns;
    // Lanes: four rows of the one, the same rows of the other, and again for the next four rows.
    let mix = |x, y, upper: bool| {
        let both = if upper { _mm512_shuffle_i32x4::<0xee>(x, y) } else { _mm512_shuffle_i32x4::<0x44>(x, y) };
        _mm512_shuffle_i32x4::<0xd8>(both, both)
    };
    let mut rows = [[0; 8]; 16];
    for (upper, rows) in [false, true].into_iter().zip(rows.as_chunks_mut::<8>().0) {
        let quads = quad([mix(a, e, upper), mix(b, f, upper), mix(c, g, upper), mix(d, h, upper)]);
        for (i, pair) in quads.into_iter().enumerate() {
            store256_u32(&mut rows[i], _mm512_castsi512_si256(pair));
            store256_u32(&mut rows[i + 4], _mm512_extracti64x4_epi64::<1>(pair));
        }
    }
    rows
}

/// The 4 by 4 transposition of words within each 128-bit lane.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn quad([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ab0, ab1) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
    let (cd0, cd1) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
    [
        _mm512_unpacklo_epi64(ab0, cd0),
        _mm512_unpackhi_epi64(ab0, cd0),
        _mm512_unpacklo_epi64(ab1, cd1),
        _mm512_unpackhi_epi64(ab1, cd1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_loads_and_stores() {
        #[target_feature(enable = "avx512f,avx512bw")]
        fn run(bytes: &[u8; 64]) {
            for n in 0..=64 {
                let (mut all, mut some) = ([9u8; 64], [9u8; 64]);
                let loaded = load512_partial(&bytes[..n]);
                store512(&mut all, loaded);
                store512_partial(&mut some[..n], loaded);
                assert!(all[..n] == bytes[..n] && all[n..].iter().all(|b| *b == 0), "{n}");
                assert!(some[..n] == bytes[..n] && some[n..].iter().all(|b| *b == 9), "{n}");
            }
        }
        if crate::cpu::Features::AVX512.can_be_tested() {
            // SAFETY: just checked.
            unsafe { run(&core::array::from_fn(|i| i as u8 + 1)) };
        }
    }

    #[test]
    fn ternary_logic_order() {
        #[target_feature(enable = "avx512f,avx512vl")]
        fn run() {
            let (a, b, c) = (
                _mm_set1_epi8(0b1111_0000_u8 as i8),
                _mm_set1_epi8(0b1100_1100_u8 as i8),
                _mm_set1_epi8(0b1010_1010_u8 as i8),
            );
            let mut out = [0; 16];
            store128(&mut out, ternlog128::<0xca>(a, b, c)); // a ? b : c
            assert_eq!(out, [0xca; 16]);
        }
        if crate::cpu::Features::AVX512.can_be_tested() {
            // SAFETY: just checked.
            unsafe { run() };
        }
    }

    #[test]
    fn transposition() {
        #[target_feature(enable = "avx512f")]
        fn run(rows: &mut [[u32; 16]; 16]) {
            let out = transpose16(core::array::from_fn(|i| load512_u32(&rows[i])));
            for (row, v) in rows.iter_mut().zip(out) {
                store512_u32(row, v);
            }
        }
        if crate::cpu::Features::AVX512.can_be_tested() {
            let mut rows: [[u32; 16]; 16] = core::array::from_fn(|i| core::array::from_fn(|j| (100 * i + j) as u32));
            // SAFETY: just checked.
            unsafe { run(&mut rows) };
            assert!((0..16).all(|i| (0..16).all(|j| rows[i][j] == (100 * j + i) as u32)));
        }
    }

    #[test]
    fn columns_and_rows() {
        #[target_feature(enable = "avx512f")]
        fn run(rows: &[[u32; 8]; 16]) {
            let columns = columns8(rows);
            for (j, column) in columns.into_iter().enumerate() {
                let mut words = [0; 16];
                store512_u32(&mut words, column);
                assert!((0..16).all(|i| words[i] == rows[i][j]), "{j}");
            }
            assert_eq!(rows8(columns), *rows);
        }
        if crate::cpu::Features::AVX512.can_be_tested() {
            // SAFETY: just checked.
            unsafe { run(&core::array::from_fn(|i| core::array::from_fn(|j| (100 * i + j) as u32))) };
        }
    }
}

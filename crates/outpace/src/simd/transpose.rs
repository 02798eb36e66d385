//! Rows to columns: word j of row i becomes word i of row j. What lane kernels do to the blocks of their messages.

use core::arch::x86_64::*;

/// Eight rows of eight 64-bit words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn transpose8(r: [__m512i; 8]) -> [__m512i; 8] {
    // Pairs of words inside each 128-bit lane: lane l of `even[i]` holds word 2l of the rows 2i and 2i + 1.
    let even: [__m512i; 4] = core::array::from_fn(|i| _mm512_unpacklo_epi64(r[2 * i], r[2 * i + 1]));
    let odd: [__m512i; 4] = core::array::from_fn(|i| _mm512_unpackhi_epi64(r[2 * i], r[2 * i + 1]));
    let [c0, c2, c4, c6] = transpose_lanes(even);
    let [c1, c3, c5, c7] = transpose_lanes(odd);
    [c0, c1, c2, c3, c4, c5, c6, c7]
}

/// Four rows of four 128-bit lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn transpose_lanes([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let (ab0, ab1) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b));
    let (cd0, cd1) = (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xdd>(c, d));
    [
        _mm512_shuffle_i64x2::<0x88>(ab0, cd0),
        _mm512_shuffle_i64x2::<0x88>(ab1, cd1),
        _mm512_shuffle_i64x2::<0xdd>(ab0, cd0),
        _mm512_shuffle_i64x2::<0xdd>(ab1, cd1),
    ]
}

/// Four rows of four 64-bit words.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn transpose4([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let (ab0, ab1) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let (cd0, cd1) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    [
        _mm256_permute2x128_si256::<0x20>(ab0, cd0),
        _mm256_permute2x128_si256::<0x20>(ab1, cd1),
        _mm256_permute2x128_si256::<0x31>(ab0, cd0),
        _mm256_permute2x128_si256::<0x31>(ab1, cd1),
    ]
}

/// Eight rows of eight 32-bit words.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn transpose8_u32(r: [__m256i; 8]) -> [__m256i; 8] {
    // Pairs of words inside each 128-bit lane; the rest is the transposition of four rows of 64-bit pairs, twice.
    let low: [__m256i; 4] = core::array::from_fn(|i| _mm256_unpacklo_epi32(r[2 * i], r[2 * i + 1]));
    let high: [__m256i; 4] = core::array::from_fn(|i| _mm256_unpackhi_epi32(r[2 * i], r[2 * i + 1]));
    let [c0, c1, c4, c5] = transpose4(low);
    let [c2, c3, c6, c7] = transpose4(high);
    [c0, c1, c2, c3, c4, c5, c6, c7]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Features;
    use crate::simd::{load256_u32, load256_u64, load512_u64, store256_u32, store256_u64, store512_u64};

    fn check<W: Copy + TryFrom<usize> + PartialEq + Default, const N: usize>(run: impl FnOnce(&mut [[W; N]; N])) {
        let word = |i: usize, j: usize| W::try_from(100 * i + j).unwrap_or_default();
        let mut rows: [[W; N]; N] = core::array::from_fn(|i| core::array::from_fn(|j| word(i, j)));
        run(&mut rows);
        assert!((0..N).all(|i| (0..N).all(|j| rows[i][j] == word(j, i))));
    }

    #[test]
    fn rows_to_columns() {
        #[target_feature(enable = "avx2")]
        fn four(rows: &mut [[u64; 4]; 4]) {
            let out = transpose4(rows.each_ref().map(|r| load256_u64(r)));
            rows.iter_mut().zip(out).for_each(|(row, v)| store256_u64(row, v));
        }
        #[target_feature(enable = "avx2")]
        fn eight_u32(rows: &mut [[u32; 8]; 8]) {
            let out = transpose8_u32(rows.each_ref().map(|r| load256_u32(r)));
            rows.iter_mut().zip(out).for_each(|(row, v)| store256_u32(row, v));
        }
        #[target_feature(enable = "avx512f")]
        fn eight(rows: &mut [[u64; 8]; 8]) {
            let out = transpose8(rows.each_ref().map(|r| load512_u64(r)));
            rows.iter_mut().zip(out).for_each(|(row, v)| store512_u64(row, v));
        }
        if Features::AVX2.can_be_tested() {
            // SAFETY: just checked.
            check(|rows| unsafe { four(rows) });
            // SAFETY: just checked.
            check(|rows| unsafe { eight_u32(rows) });
        }
        if Features::AVX512.can_be_tested() {
            // SAFETY: just checked.
            check(|rows| unsafe { eight(rows) });
        }
    }
}

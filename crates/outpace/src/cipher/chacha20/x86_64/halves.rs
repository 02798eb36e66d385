//! ChaCha20 (RFC 8439 section 2.3) for cores that run 512-bit instructions in halves (Zen 4).
//!
//! A rotation takes two cycles there and a shift one, so the chain of a block is 320 cycles, or 240 if
//! x ^= y, x <<<= n is computed as (x <<< n) ^ (y << n) ^ (y >> 32 - n): x is ready long before y. That takes five
//! operations in place of three, so it is for the shortest messages: two blocks, one in each half of a register.

use crate::simd;
use core::arch::x86_64::*;

/// One step of a quarter round on rows of two blocks.
macro_rules! pair_half {
    ($v:ident, $target:literal, $with:literal, $onto:literal, $by:literal, $rest:literal) => {
        let turned = _mm256_rol_epi32::<$by>($v[$onto]);
        $v[$target] = _mm256_add_epi32($v[$target], $v[$with]);
        let (left, right) = (_mm256_slli_epi32::<$by>($v[$target]), _mm256_srli_epi32::<$rest>($v[$target]));
        $v[$onto] = simd::ternlog256::<0x96>(turned, left, right);
    };
}

macro_rules! pair_quarter_rounds {
    ($v:ident) => {
        pair_half!($v, 0, 1, 3, 16, 16);
        pair_half!($v, 2, 3, 1, 12, 20);
        pair_half!($v, 0, 1, 3, 8, 24);
        pair_half!($v, 2, 3, 1, 7, 25);
    };
}

/// Two blocks of key stream: the rows of the first in the low halves, of the second in the high ones.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn pair(start: [__m128i; 4]) -> [__m256i; 4] {
    let mut start = start.map(|row| _mm256_broadcastsi128_si256(row));
    start[3] = _mm256_add_epi32(start[3], _mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0));
    let mut v = start;
    for _ in 0..10 {
        pair_quarter_rounds!(v);
        v = [
            _mm256_shuffle_epi32::<0x93>(v[0]),
            v[1],
            _mm256_shuffle_epi32::<0x39>(v[2]),
            _mm256_shuffle_epi32::<0x4e>(v[3]),
        ];
        pair_quarter_rounds!(v);
        v = [
            _mm256_shuffle_epi32::<0x39>(v[0]),
            v[1],
            _mm256_shuffle_epi32::<0x93>(v[2]),
            _mm256_shuffle_epi32::<0x4e>(v[3]),
        ];
    }
    for i in 0..4 {
        v[i] = _mm256_add_epi32(v[i], start[i]);
    }
    v
}

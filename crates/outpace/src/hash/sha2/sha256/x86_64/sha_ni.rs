//! SHA-256 with SHA-NI ("Intel SHA Extensions", 2013): four rounds take two SHA256RNDS2.
//!
//! Floor on Golden Cove: SHA256RNDS2 has a latency of 4 cycles and each waits for the one before: 32 of them, 128
//! cycles a block. The schedule (SHA256MSG1, SHA256MSG2) fits beside it.
//!
//! With AVX-512 the end of a message is padded in registers: bytes stored one way and loaded another would wait for the
//! store to leave the core, half as long as a block takes.

use crate::cpu::{Features, Kernel};
use crate::hash::sha2::sha256::{K, State};
use crate::hash::sha2::{Compress, Finish, Nest, Sha2Kernel};
use crate::simd::{load128, load128_u32, store128_u32};
use core::arch::x86_64::*;

const NEEDS: Features = Features::SHA.and(Features::SSE41);

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 64>> = {
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("sha-ni", NEEDS, Sha2Kernel::of_blocks(COMPRESS)) }
};

pub(crate) const KERNEL_AVX512: Kernel<Sha2Kernel<State, 64>> = {
    // SAFETY: reached only through the kernel below, so on a CPU that has its features.
    let finish: Finish<State, 64> = |state, blocks, rest, total| unsafe { finish(state, blocks, rest, total) };
    let nest: Nest<State, 64> = |state, blocks, rest, total, outer, outer_total| {
        // SAFETY: likewise.
        unsafe { nest(state, blocks, rest, total, outer, outer_total) }
    };
    let kernel = Sha2Kernel { compress: COMPRESS, finish: Some(finish), nest: Some(nest) };
    // SAFETY: the three functions are built for exactly the features named here.
    unsafe { Kernel::new("sha-ni+avx512", NEEDS.and(Features::AVX512), kernel) }
};

// SAFETY: only the kernels above use it, so it runs on CPUs that have their features.
const COMPRESS: Compress<State, 64> = |state, blocks| unsafe { compress(state, blocks) };

#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
fn compress(state: &mut State, blocks: &[[u8; 64]]) {
    let mut registers = load(state);
    for block in blocks {
        registers = rounds(registers, words(block));
    }
    store(state, registers);
}

#[target_feature(enable = "sha,sse2,ssse3,sse4.1,avx512f,avx512bw,avx512vl")]
fn finish(state: &mut State, blocks: &[[u8; 64]], rest: &[u8], total: u128) {
    store(state, end(load(state), blocks, rest, total));
}

#[target_feature(enable = "sha,sse2,ssse3,sse4.1,avx512f,avx512bw,avx512vl")]
fn nest(state: &mut State, blocks: &[[u8; 64]], rest: &[u8], total: u128, outer: &State, outer_total: u128) {
    let (first, second) = in_order(end(load(state), blocks, rest, total));
    // The digest fills half a block: its words are the words of the message, the padding is a constant and the length.
    let last = [first, second, _mm_set_epi32(0, 0, 0, i32::MIN), length(outer_total)];
    store(state, rounds(load(outer), last));
}

/// Whole blocks, then the rest with its padding.
#[inline]
#[target_feature(enable = "sha,sse2,ssse3,sse4.1,avx512f,avx512bw,avx512vl")]
fn end(mut registers: (__m128i, __m128i), blocks: &[[u8; 64]], rest: &[u8], total: u128) -> (__m128i, __m128i) {
    // SHA-NI has no VEX form. Where somebody left the upper halves of the registers in use, each change between the two
    // encodings costs the CPU so much that a block takes a hundred times as long (measured).
    _mm256_zeroupper();
    for block in blocks {
        registers = rounds(registers, words(block));
    }
    debug_assert!(rest.len() < 64);
    // One bit per byte: those of the rest, and the one after it.
    let (data, one) = ((1u64 << (rest.len() & 63)) - 1, 1u64 << (rest.len() & 63));
    let mut last = [_mm_setzero_si128(); 4];
    for (i, quarter) in last.iter_mut().enumerate() {
        let one_bit = _mm_maskz_set1_epi8((one >> (16 * i)) as u16, 0x80_u8 as i8);
        // SAFETY: the mask covers only bytes of `rest`; the others are not touched.
        let bytes = unsafe {
            _mm_mask_loadu_epi8(one_bit, (data >> (16 * i)) as u16, rest.as_ptr().wrapping_add(16 * i).cast())
        };
        *quarter = big_endian(bytes);
    }
    if rest.len() > 55 {
        registers = rounds(registers, last);
        last = [_mm_setzero_si128(); 4];
    }
    last[3] = _mm_or_si128(last[3], length(total));
    rounds(registers, last)
}

/// The last four words of a message of so many bytes.
#[inline]
#[target_feature(enable = "sse2")]
fn length(total: u128) -> __m128i {
    let bits = (total << 3) as u64;
    _mm_set_epi32(bits as u32 as i32, (bits >> 32) as i32, 0, 0)
}

/// The state as SHA256RNDS2 wants it: (a, b, e, f) and (c, d, g, h), first in the highest lane.
#[inline]
#[target_feature(enable = "sse2,ssse3,sse4.1")]
fn load(state: &State) -> (__m128i, __m128i) {
    let [low, high] = state.as_chunks::<4>().0 else { unreachable!("eight words") };
    let badc = _mm_shuffle_epi32::<0b1011_0001>(load128_u32(low));
    let hgfe = _mm_shuffle_epi32::<0b0001_1011>(load128_u32(high));
    (_mm_alignr_epi8::<8>(badc, hgfe), _mm_blend_epi16::<0xf0>(hgfe, badc))
}

#[inline]
#[target_feature(enable = "sse2,ssse3,sse4.1")]
fn store(state: &mut State, registers: (__m128i, __m128i)) {
    let [low, high] = state.as_chunks_mut::<4>().0 else { unreachable!("eight words") };
    let (abcd, efgh) = in_order(registers);
    store128_u32(low, abcd);
    store128_u32(high, efgh);
}

/// The words of the state from a to h, a in the lowest lane.
#[inline]
#[target_feature(enable = "sse2,ssse3,sse4.1")]
fn in_order((abef, cdgh): (__m128i, __m128i)) -> (__m128i, __m128i) {
    let feba = _mm_shuffle_epi32::<0b0001_1011>(abef);
    let dchg = _mm_shuffle_epi32::<0b1011_0001>(cdgh);
    (_mm_blend_epi16::<0xf0>(feba, dchg), _mm_alignr_epi8::<8>(dchg, feba))
}

#[inline]
#[target_feature(enable = "sse2,ssse3")]
fn big_endian(bytes: __m128i) -> __m128i {
    _mm_shuffle_epi8(bytes, _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203))
}

#[inline]
#[target_feature(enable = "sse2,ssse3")]
fn words(block: &[u8; 64]) -> [__m128i; 4] {
    let quarters = block.as_chunks::<16>().0;
    [
        big_endian(load128(&quarters[0])),
        big_endian(load128(&quarters[1])),
        big_endian(load128(&quarters[2])),
        big_endian(load128(&quarters[3])),
    ]
}

/// Section 6.2.2 for one block, whose words are `w`.
///
/// The rounds are written out: the order of the instructions within a group of four decides whether the schedule gets
/// in the way of the SHA256RNDS2 chain (4 % of the throughput when a compiler orders a rolled loop).
#[inline]
#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
#[expect(unused_assignments, reason = "the last groups make no further words")]
fn rounds((abef_before, cdgh_before): (__m128i, __m128i), mut w: [__m128i; 4]) -> (__m128i, __m128i) {
    let (mut abef, mut cdgh) = (abef_before, cdgh_before);
    // Each: rounds 4t to 4t + 3; finishes the next four words and begins those that take the previous ones' place.
    macro_rules! four_rounds {
        ($($t:literal)*) => { $(
            let (previous, now, next) = (($t + 3) % 4, $t % 4, ($t + 1) % 4);
            let wk = _mm_add_epi32(w[now], load128_u32(&K.as_chunks::<4>().0[$t]));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
            let upper = _mm_shuffle_epi32::<0b0000_1110>(wk);
            if $t >= 3 && $t < 15 {
                let sum = _mm_add_epi32(w[next], _mm_alignr_epi8::<4>(w[now], w[previous]));
                w[next] = _mm_sha256msg2_epu32(sum, w[now]);
            }
            if $t >= 1 && $t < 13 {
                w[previous] = _mm_sha256msg1_epu32(w[previous], w[now]);
            }
            abef = _mm_sha256rnds2_epu32(abef, cdgh, upper);
        )* };
    }
    four_rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    (_mm_add_epi32(abef, abef_before), _mm_add_epi32(cdgh, cdgh_before))
}

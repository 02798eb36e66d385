//! SHA-256 with SHA-NI ("Intel SHA Extensions", 2013): four rounds take two SHA256RNDS2.
//!
//! Floor on Golden Cove and Zen 4: SHA256RNDS2 has a latency of 4 cycles and each waits for the one before: 32 of them, 128
//! cycles a block. The schedule (SHA256MSG1, SHA256MSG2) fits beside it. Two messages that do not wait for each other take
//! less: Zen 4 starts a SHA256RNDS2 each cycle, so that two blocks take 130 cycles at once, and short messages in a row
//! overlap as far as the CPU looks ahead (64 bytes: 274 cycles alone, 200 in a row), which is to say, the fewer instructions,
//! the further.
//!
//! With AVX-512 the end of a message is padded in registers: bytes stored one way and loaded another would wait for the
//! store to leave the core, half as long as a block takes.

use crate::cpu::{Features, Kernel};
use crate::hash::sha2::sha256::{K, State};
use crate::hash::sha2::{Compress, Finish, Nest, Pair, Sha2Kernel};
use crate::simd::{load128, load128_u32, store128_u32};
use core::arch::x86_64::*;

/// The working variables as SHA256RNDS2 wants them: (a, b, e, f) and (c, d, g, h), first in the highest lane.
pub(super) type Variables = (__m128i, __m128i);

pub(super) const NEEDS: Features = Features::SHA.and(Features::SSE41);

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 64>> = {
    // SAFETY: the two functions are built for exactly the features named here.
    unsafe { Kernel::new("sha-ni", NEEDS, Sha2Kernel { pair: Some(PAIR), ..Sha2Kernel::of_blocks(COMPRESS) }) }
};

pub(crate) const KERNEL_AVX512: Kernel<Sha2Kernel<State, 64>> = {
    // SAFETY: reached only through the kernel below, so on a CPU that has its features.
    let finish: Finish<State, 64> =
        |state, blocks, rest, total| unsafe { end::<false>(state, blocks, rest, total, &[0; 8], 0) };
    let nest: Nest<State, 64> = |state, blocks, rest, total, outer, outer_total| {
        // SAFETY: likewise.
        unsafe { end::<true>(state, blocks, rest, total, outer, outer_total) }
    };
    let kernel = Sha2Kernel { compress: COMPRESS, finish: Some(finish), nest: Some(nest), pair: Some(PAIR) };
    // SAFETY: the three functions are built for exactly the features named here.
    unsafe { Kernel::new("sha-ni+avx512", NEEDS.and(Features::AVX512), kernel) }
};

// SAFETY: only the kernels above use it, so it runs on CPUs that have their features.
const COMPRESS: Compress<State, 64> = |state, blocks| unsafe { compress(state, blocks) };
// SAFETY: likewise.
const PAIR: Pair<State, 64> = |states, blocks| unsafe { pair(states, blocks) };

#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
fn compress(state: &mut State, blocks: &[[u8; 64]]) {
    let mut registers = load(state);
    for block in blocks {
        registers = rounds(registers, words(block));
    }
    store(state, registers);
}

#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
fn pair([first, second]: [&mut State; 2], blocks: [&[u8; 64]; 2]) {
    let before = [load(first), load(second)];
    let ([mut a, mut b], [mut wa, mut wb]) = (before, blocks.map(|block| words(block)));
    macro_rules! steps {
        ($($t:literal)*) => { $(
            four_rounds::<$t>(&mut a, &mut wa);
            four_rounds::<$t>(&mut b, &mut wb);
        )* };
    }
    steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    store(first, sum(a, before[0]));
    store(second, sum(b, before[1]));
}

/// Whole blocks, then the rest with its padding; and then, if there is one, the outer message that ends with the digest.
/// (As one function for each: between functions the registers would go through memory.)
#[target_feature(enable = "sha,sse2,ssse3,sse4.1,avx512f,avx512bw,avx512vl")]
fn end<const NESTED: bool>(
    state: &mut State,
    blocks: &[[u8; 64]],
    rest: &[u8],
    total: u128,
    outer: &State,
    outer_total: u128,
) {
    // SHA-NI has no VEX form. Where somebody left the upper halves of the registers in use, each change between the two
    // encodings costs the CPU so much that a block takes a hundred times as long (measured).
    _mm256_zeroupper();
    let mut registers = load(state);
    if let (false, [block], [], 64) = (NESTED, blocks, rest, total) {
        // The fewer instructions, the earlier does the CPU begin the next message beside this one.
        return store(state, rounds_of(rounds(registers, words(block)), &PADDING_OF_64));
    }
    for block in blocks {
        registers = rounds(registers, words(block));
    }
    let zero = _mm_setzero_si128();
    let mut last = match rest.as_chunks::<16>() {
        ([], []) => [one_bit(), zero, zero, zero],
        ([a], []) => [quarter(a), one_bit(), zero, zero],
        ([a, b], []) => [quarter(a), quarter(b), one_bit(), zero],
        _ => {
            let last = partial(rest);
            if rest.len() > 55 {
                registers = rounds(registers, last);
                [zero; 4]
            } else {
                last
            }
        }
    };
    last[3] = _mm_or_si128(last[3], length(total));
    registers = rounds(registers, last);
    if NESTED {
        let (first, second) = in_order(registers);
        // The digest fills half a block: its words are the words of the message.
        registers = rounds(load(outer), [first, second, one_bit(), length(outer_total)]);
    }
    store(state, registers);
}

/// The words of less than a block and the bit after it.
#[inline]
#[target_feature(enable = "sse2,ssse3,avx512f,avx512bw,avx512vl")]
fn partial(rest: &[u8]) -> [__m128i; 4] {
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
    last
}

/// The four words that follow a message of whole words.
#[inline]
#[target_feature(enable = "sse2")]
fn one_bit() -> __m128i {
    _mm_set_epi32(0, 0, 0, i32::MIN)
}

/// The last four words of a message of so many bytes.
#[inline]
#[target_feature(enable = "sse2")]
fn length(total: u128) -> __m128i {
    let bits = (total << 3) as u64;
    _mm_set_epi32(bits as u32 as i32, (bits >> 32) as i32, 0, 0)
}

#[inline]
#[target_feature(enable = "sse2,ssse3,sse4.1")]
pub(super) fn load(state: &State) -> Variables {
    let [low, high] = state.as_chunks::<4>().0 else { unreachable!("eight words") };
    let badc = _mm_shuffle_epi32::<0b1011_0001>(load128_u32(low));
    let hgfe = _mm_shuffle_epi32::<0b0001_1011>(load128_u32(high));
    (_mm_alignr_epi8::<8>(badc, hgfe), _mm_blend_epi16::<0xf0>(hgfe, badc))
}

#[inline]
#[target_feature(enable = "sse2,ssse3,sse4.1")]
pub(super) fn store(state: &mut State, registers: Variables) {
    let [low, high] = state.as_chunks_mut::<4>().0 else { unreachable!("eight words") };
    let (abcd, efgh) = in_order(registers);
    store128_u32(low, abcd);
    store128_u32(high, efgh);
}

/// The words of the state from a to h, a in the lowest lane.
#[inline]
#[target_feature(enable = "sse2,ssse3,sse4.1")]
fn in_order((abef, cdgh): Variables) -> Variables {
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
fn quarter(bytes: &[u8; 16]) -> __m128i {
    big_endian(load128(bytes))
}

#[inline]
#[target_feature(enable = "sse2,ssse3")]
pub(super) fn words(block: &[u8; 64]) -> [__m128i; 4] {
    let [a, b, c, d] = block.as_chunks().0 else { unreachable!("four quarters") };
    [quarter(a), quarter(b), quarter(c), quarter(d)]
}

/// Section 6.2.2 for one block, whose words are `w`.
#[inline]
#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
fn rounds(before: Variables, mut w: [__m128i; 4]) -> Variables {
    let mut now = before;
    macro_rules! steps {
        ($($t:literal)*) => { $( four_rounds::<$t>(&mut now, &mut w); )* };
    }
    steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    sum(now, before)
}

/// The same for a block whose schedule is known, by that and the constants.
#[inline]
#[target_feature(enable = "sha,sse2")]
fn rounds_of(before: Variables, wk: &[u32; 64]) -> Variables {
    let (mut abef, mut cdgh) = before;
    for wk in wk.as_chunks::<4>().0 {
        let wk = load128_u32(wk);
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0b0000_1110>(wk));
    }
    sum((abef, cdgh), before)
}

#[inline]
#[target_feature(enable = "sse2")]
pub(super) fn sum(a: Variables, b: Variables) -> Variables {
    (_mm_add_epi32(a.0, b.0), _mm_add_epi32(a.1, b.1))
}

/// The schedule and the constants of the second block of a message of 64 bytes, which is all padding.
static PADDING_OF_64: [u32; 64] = {
    let mut w = [0u32; 64];
    (w[0], w[15]) = (1 << 31, 8 * 64);
    let mut t = 16;
    while t < 64 {
        let sigma0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
        let sigma1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
        w[t] = sigma1.wrapping_add(w[t - 7]).wrapping_add(sigma0).wrapping_add(w[t - 16]);
        t += 1;
    }
    let mut t = 0;
    while t < 64 {
        w[t] = w[t].wrapping_add(K[t]);
        t += 1;
    }
    w
};

/// Rounds 4T to 4T + 3 by the words in place T mod 4; finishes the next four words and begins those that take the previous
/// ones' place.
///
/// The order of the instructions decides whether the schedule gets in the way of the SHA256RNDS2 chain (4 % of the
/// throughput when a compiler orders a rolled loop).
#[inline]
#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
pub(super) fn four_rounds<const T: usize>((abef, cdgh): &mut Variables, w: &mut [__m128i; 4]) {
    let (previous, now, next) = ((T + 3) % 4, T % 4, (T + 1) % 4);
    let wk = _mm_add_epi32(w[now], load128_u32(&K.as_chunks::<4>().0[T]));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, wk);
    let upper = _mm_shuffle_epi32::<0b0000_1110>(wk);
    if 3 <= T && T < 15 {
        let sum = _mm_add_epi32(w[next], _mm_alignr_epi8::<4>(w[now], w[previous]));
        w[next] = _mm_sha256msg2_epu32(sum, w[now]);
    }
    if 1 <= T && T < 13 {
        w[previous] = _mm_sha256msg1_epu32(w[previous], w[now]);
    }
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, upper);
}

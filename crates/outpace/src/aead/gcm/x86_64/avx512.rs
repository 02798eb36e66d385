//! GCM on VAES and VPCLMULQDQ at 512 bits: four blocks to a register.
//!
//! A message is handled in chunks of 16 blocks, whose ciphertext is hashed while the next is encrypted, and a tail of 0
//! to 15 blocks (16 if that is the message). The tail has as many registers as it needs, all encrypted side by side; the
//! first counter block, whose encryption masks the tag, is in the lane behind the last block. What came before the
//! tail (hash or associated data) and the block of lengths are in one further register, and all of it is reduced once.
//! So a short message takes one AES latency (42 cycles for AES-256) and one GHASH latency (about 30).
//!
//! A key: its schedule with H behind it, and three products in a row until there are eight powers: on Zen 4, whose
//! AESENCLAST and VPCLMULQDQ take 4 cycles and which begins one of the latter every other cycle, 48 (AES-256: 60) + 8 + 65
//! cycles; the other twelve powers take no part in a short message. Measured with a message of 64 bytes, 297 (335).

use super::chunks::{ahead, broadcast, chunks, counters, round_key, steps};
use super::field::{Sum, absorb, lanes, powers, reversal, set_all_powers};
use super::{HIGHEST, by_kind, four, halves};
use crate::aead::gcm::{Direction, KeyData, Ops, SHORT, SHORT_AAD, advance};
use crate::cipher::aes::x86_64::schedule;
use crate::cpu::{Features, Kernel};
use crate::mem::{InOut, Secret};
use crate::simd::{load128, load512_partial, store128};
use core::arch::x86_64::*;

pub(super) const NEEDS: Features = Features::AVX512
    .and(Features::VAES)
    .and(Features::VPCLMUL)
    .and(Features::AES)
    .and(Features::PCLMUL)
    .and(Features::BMI2);

pub(in crate::aead::gcm) const KERNEL: Kernel<Ops> = {
    // SAFETY: all functions are built for exactly the features named here.
    unsafe { Kernel::new("avx512", NEEDS, ops::<false>()) }
};

/// # Safety
/// They may be called only on a CPU that has `NEEDS`, and those of `HALVES` only on one that has what [`halves`] needs.
pub(super) const unsafe fn ops<const HALVES: bool>() -> Ops {
    // SAFETY: the features are there, says the caller.
    unsafe {
        Ops {
            expand: |key| expand(key),
            message: |key, direction, j0, aad, data| message::<HALVES>(key, direction, j0, aad, data),
            message_once: |key, direction, j0, aad, data| message_once::<HALVES>(key, direction, j0, aad, data),
            hash: |key, state, data| hash(key, state, data),
            crypt: |key, direction, counter, state, data| crypt::<HALVES>(key, direction, counter, state, data),
            four: Some(|key, direction, messages| four::four(key, direction, messages)),
        }
    }
}

#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn expand(key: &[u8]) -> KeyData {
    // SAFETY: this function has the features.
    unsafe { expand_needed(key, HIGHEST) }
}

/// Prepares a key, with the powers of H up to the first multiple of four from `highest` on. Inlined, so that the result
/// is written once.
///
/// # Safety
/// The CPU must have the features of the kernel.
#[inline(always)]
unsafe fn expand_needed(key: &[u8], highest: usize) -> KeyData {
    let mut data = KeyData::empty(key.len());
    // SAFETY: the features are there, says the caller.
    unsafe {
        let h = schedule::expand(key, &mut data.round_keys);
        set_all_powers(&mut data, h, highest);
    }
    data
}

/// Encrypts or decrypts whole chunks from `data` on, and before them the blocks that bring the counter to 2 modulo 16. Takes
/// the ciphertext into the state of the hash, and says how many bytes that were.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
unsafe fn bulk<const R: usize, const OPEN: bool, const HALVES: bool>(
    key: &KeyData,
    counter: &mut __m512i,
    mut state: __m128i,
    mut input: *const u8,
    mut output: *mut u8,
    len: usize,
) -> (__m128i, usize) {
    let count = _mm_cvtsi128_si32(_mm512_castsi512_si128(*counter)) as usize;
    let before = 2usize.wrapping_sub(count) % 16;
    // SAFETY: `before` blocks, and `n` times 256 bytes after them, are within the `len` bytes that may be read and
    // written.
    unsafe {
        if before > 0 && 16 * before <= len {
            let around = Around::state(state, before);
            state = tails::<R, OPEN>(key, *counter, &around, input, output, 16 * before);
            (input, output) = (input.add(16 * before), output.add(16 * before));
            *counter = ahead(*counter, before);
        }
        let n = len.saturating_sub(16 * before) / 256;
        if n == 0 {
            return (state, if 16 * before <= len { 16 * before } else { 0 });
        }
        state = if HALVES {
            halves::chunks::<R, OPEN>(key, *counter, state, input, output, n)
        } else {
            chunks::<R, OPEN>(key, *counter, state, input, output, n)
        };
        *counter = ahead(*counter, 16 * n);
        (state, 16 * before + 256 * n)
    }
}

/// What a tail adds to its own blocks.
struct Around {
    /// Blocks that come before the tail in three lanes, and in the last the one that comes after it.
    blocks: __m512i,
    /// The powers of H for the first of them and for the tail's first block. They are numbers, because this is handed over
    /// in memory, which nobody wipes.
    before: usize,
    first: usize,
    /// The counter block whose encryption is added, in all lanes, if `masked`.
    j0: __m512i,
    masked: bool,
}

impl Around {
    /// Nothing but the state of the hash, before a tail of `blocks`.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    fn state(state: __m128i, blocks: usize) -> Self {
        Self {
            blocks: _mm512_zextsi128_si512(state),
            before: blocks,
            first: blocks,
            j0: _mm512_setzero_si512(),
            masked: false,
        }
    }
}

/// The last `len` ≤ 256 bytes, in `V` registers: one more than are filled by whole and partial blocks. Returns the hash of
/// all, plus the encrypted `j0`.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
unsafe fn tail<const R: usize, const OPEN: bool, const V: usize>(
    key: &KeyData,
    counter: __m512i,
    around: &Around,
    input: *const u8,
    output: *mut u8,
    len: usize,
) -> __m128i {
    let keys = &key.round_keys;
    // The lane of the last register behind the data.
    let lane = len.div_ceil(16) - 4 * (V - 1);
    let lane: u64 = if around.masked { 0xffff << (16 * lane) } else { 0 };
    let mut x = [_mm512_setzero_si512(); V];
    let first = round_key(keys, 0);
    let mut c = counter;
    for v in 0..V {
        let mut block = _mm512_shuffle_epi8(c, reversal());
        if v == V - 1 {
            block = _mm512_mask_mov_epi8(block, lane, around.j0);
        }
        x[v] = _mm512_xor_si512(block, first);
        c = _mm512_add_epi32(c, steps(4, 4, 4, 4));
    }
    for r in 1..R {
        let round = round_key(keys, r);
        for v in 0..V {
            x[v] = _mm512_aesenc_epi128(x[v], round);
        }
    }
    // What comes after has the power 1.
    let h1 = load128(&key.powers[HIGHEST - 1]);
    let mut sum = Sum::product(around.blocks, _mm512_inserti32x4::<3>(powers(key, around.before), h1));
    let last = round_key(keys, R);
    // A block that ends within it, or at its end, may leave the last register to `j0` alone.
    let masks: [u64; V] =
        core::array::from_fn(
            |v| if v + 2 < V { u64::MAX } else { _bzhi_u64(u64::MAX, len.saturating_sub(64 * v) as u32) },
        );
    let mut data = [_mm512_setzero_si512(); V];
    for v in 0..V {
        // SAFETY: the masks cover `len` bytes in all.
        data[v] = unsafe { _mm512_maskz_loadu_epi8(masks[v], input.wrapping_add(64 * v).cast()) };
        x[v] = _mm512_aesenclast_epi128(x[v], _mm512_xor_si512(last, data[v]));
    }
    sum.high = _mm512_xor_si512(sum.high, _mm512_maskz_shuffle_epi8(lane, x[V - 1], reversal()));
    for v in 0..V {
        // SAFETY: as above, and all input has been read.
        unsafe { _mm512_mask_storeu_epi8(output.wrapping_add(64 * v).cast(), masks[v], x[v]) };
        let ciphertext = if OPEN { data[v] } else { _mm512_maskz_mov_epi8(masks[v], x[v]) };
        sum.add(_mm512_shuffle_epi8(ciphertext, reversal()), powers(key, around.first - 4 * v));
    }
    lanes(sum.reduce())
}

/// A tail of any length.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
unsafe fn tails<const R: usize, const OPEN: bool>(
    key: &KeyData,
    counter: __m512i,
    around: &Around,
    input: *const u8,
    output: *mut u8,
    len: usize,
) -> __m128i {
    // SAFETY: `len` bytes may be read and written, says the caller.
    unsafe {
        match len.div_ceil(16) / 4 {
            0 => tail::<R, OPEN, 1>(key, counter, around, input, output, len),
            1 => tail::<R, OPEN, 2>(key, counter, around, input, output, len),
            2 => tail::<R, OPEN, 3>(key, counter, around, input, output, len),
            3 => tail::<R, OPEN, 4>(key, counter, around, input, output, len),
            _ => tail::<R, OPEN, 5>(key, counter, around, input, output, len),
        }
    }
}

#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn message<const HALVES: bool>(key: &KeyData, direction: Direction, j0: u128, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    by_kind!(key, direction, whole[HALVES](key, j0, aad, data))
}

#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn message_once<const HALVES: bool>(
    key: &[u8],
    direction: Direction,
    j0: u128,
    aad: &[u8],
    data: InOut<'_>,
) -> [u8; 16] {
    let short = data.len() <= SHORT && aad.len() <= SHORT_AAD;
    let highest = if short { aad.len().div_ceil(16) + data.len().div_ceil(16) + 1 } else { HIGHEST };
    // SAFETY: this function has the features.
    let prepared = Secret::new(unsafe { expand_needed(key, highest) });
    message::<HALVES>(&prepared, direction, j0, aad, data)
}

/// SP 800-38D, sections 7.1 and 7.2.
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn whole<const R: usize, const OPEN: bool, const HALVES: bool>(
    key: &KeyData,
    j0: u128,
    aad: &[u8],
    mut data: InOut<'_>,
) -> [u8; 16] {
    let (mut len, mut input, mut output) = (data.len(), data.input(), data.output());
    let j0 = broadcast(j0);
    let mut counter = counters(j0);
    let lengths = _mm_set_epi64x((aad.len() as i64) << 3, (len as i64) << 3);
    let (before, before_first, first);
    if len <= SHORT && aad.len() <= SHORT_AAD {
        first = len.div_ceil(16) + 1;
        before_first = first + aad.len().div_ceil(16);
        before = _mm512_shuffle_epi8(load512_partial(aad), reversal());
    } else {
        let mut state = absorb(key, _mm_setzero_si128(), aad);
        if len > SHORT {
            // SAFETY: `done` bytes of `len` were there.
            unsafe {
                let done;
                (state, done) = bulk::<R, OPEN, HALVES>(key, &mut counter, state, input, output, len);
                (input, output) = (input.add(done), output.add(done));
                len -= done;
            }
        }
        first = len.div_ceil(16) + 1;
        before_first = first;
        before = _mm512_zextsi128_si512(state);
    }
    let around =
        Around { blocks: _mm512_inserti32x4::<3>(before, lengths), before: before_first, first, j0, masked: true };
    // SAFETY: `len` bytes are left.
    let hash = unsafe { tails::<R, OPEN>(key, counter, &around, input, output, len) };
    let mut tag = [0; 16];
    store128(&mut tag, _mm_shuffle_epi8(hash, _mm512_castsi512_si128(reversal())));
    tag
}

#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn hash(key: &KeyData, state: &mut [u8; 16], data: &[u8]) {
    let reversal = _mm512_castsi512_si128(reversal());
    let before = _mm_shuffle_epi8(load128(state), reversal);
    store128(state, _mm_shuffle_epi8(absorb(key, before, data), reversal));
}

#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn crypt<const HALVES: bool>(
    key: &KeyData,
    direction: Direction,
    counter: &mut u128,
    state: &mut [u8; 16],
    data: InOut<'_>,
) {
    by_kind!(key, direction, blocks[HALVES](key, counter, state, data))
}

#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn blocks<const R: usize, const OPEN: bool, const HALVES: bool>(
    key: &KeyData,
    counter: &mut u128,
    state: &mut [u8; 16],
    mut data: InOut<'_>,
) {
    let (len, input, output) = (data.len(), data.input(), data.output());
    let reverse = _mm512_castsi512_si128(reversal());
    let mut hash = _mm_shuffle_epi8(load128(state), reverse);
    let mut next = _mm512_add_epi32(_mm512_shuffle_epi8(broadcast(*counter), reversal()), steps(0, 1, 2, 3));
    // SAFETY: of the `len` bytes, `done` are done, and the rest is left.
    unsafe {
        let mut done = 0;
        if len >= 256 {
            (hash, done) = bulk::<R, OPEN, HALVES>(key, &mut next, hash, input, output, len);
        }
        let left = len - done;
        if left > 0 {
            let around = Around::state(hash, left / 16);
            hash = tails::<R, OPEN>(key, next, &around, input.add(done), output.add(done), left);
        }
    }
    store128(state, _mm_shuffle_epi8(hash, reverse));
    *counter = advance(*counter, len / 16);
}

//! GCM on VAES and VPCLMULQDQ at 512 bits: four blocks to a register.
//!
//! GHASH follows S. Gueron and M. Kounavis, "Intel carry-less multiplication instruction and its usage for computing the
//! GCM mode": blocks are byte-reversed, so that the field is bit-reversed, and the powers of H carry a factor x that makes
//! up for the missing bit of reversed products. Sums of products are reduced once, by two folds with 0xc2 << 56.
//!
//! A message is handled in chunks of 16 blocks, whose ciphertext is hashed while the next is encrypted, and a tail of 0
//! to 15 blocks (16 if that is the message). The tail has as many registers as it needs, all encrypted side by side; the
//! first counter block, whose encryption masks the tag, is in the lane behind the last block. What came before the
//! tail (hash or associated data) and the block of lengths are in one further register, and all of it is reduced once.
//! So a short message takes one AES latency (42 cycles for AES-256) and one GHASH latency (about 30).
//!
//! Floor: VAESENC runs on port 0 alone, so 14 cycles for 64 bytes of AES-256: 0.219 cycles a byte. With AES-128 ports 0
//! and 5 are the limit: 22 operations for 64 bytes, 0.172 cycles a byte.
//!
//! A key: its schedule with H behind it, and three products in a row until there are eight powers: on Zen 4, whose
//! AESENCLAST and VPCLMULQDQ take 4 cycles and which begins one of the latter every other cycle, 48 (AES-256: 60) + 8 + 65
//! cycles; the other twelve powers take no part in a short message. Measured with a message of 64 bytes, 297 (335).

use super::{FOLD, HIGHEST, four, halves};
use crate::aead::gcm::{Direction, KeyData, Ops, SHORT, SHORT_AAD, advance};
use crate::cipher::aes::RoundKeys;
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

/// Sums of the three parts of products: of the low halves, the high halves, and across.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub(super) low: __m512i,
    pub(super) cross: __m512i,
    pub(super) high: __m512i,
}

impl Sum {
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(super) fn zero() -> Self {
        let zero = _mm512_setzero_si512();
        Self { low: zero, cross: zero, high: zero }
    }

    /// `x` times `h` in each lane.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(super) fn product(x: __m512i, h: __m512i) -> Self {
        let a = _mm512_clmulepi64_epi128::<0x01>(x, h);
        let b = _mm512_clmulepi64_epi128::<0x10>(x, h);
        Self {
            low: _mm512_clmulepi64_epi128::<0x00>(x, h),
            cross: _mm512_xor_si512(a, b),
            high: _mm512_clmulepi64_epi128::<0x11>(x, h),
        }
    }

    /// Plus `x` times `h`.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(super) fn add(&mut self, x: __m512i, h: __m512i) {
        let a = _mm512_clmulepi64_epi128::<0x01>(x, h);
        let b = _mm512_clmulepi64_epi128::<0x10>(x, h);
        self.low = _mm512_xor_si512(self.low, _mm512_clmulepi64_epi128::<0x00>(x, h));
        self.cross = _mm512_xor_si512(_mm512_xor_si512(self.cross, a), b);
        self.high = _mm512_xor_si512(self.high, _mm512_clmulepi64_epi128::<0x11>(x, h));
    }

    /// Each lane modulo the polynomial.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(super) fn reduce(self) -> __m512i {
        let middle = _mm512_xor_si512(self.cross, fold(self.low));
        _mm512_xor_si512(self.high, fold(middle))
    }
}

/// The lower half of each lane's product moved 64 bits up, to where it is congruent.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn fold(x: __m512i) -> __m512i {
    let product = _mm512_clmulepi64_epi128::<0x00>(x, _mm512_set1_epi64(FOLD));
    _mm512_xor_si512(product, _mm512_shuffle_epi32::<0b0100_1110>(x))
}

/// XOR of the four lanes.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn lanes(x: __m512i) -> __m128i {
    let half = _mm256_xor_si256(_mm512_castsi512_si256(x), _mm512_extracti64x4_epi64::<1>(x));
    _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half))
}

/// Product of one lane.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn multiply(x: __m512i, h: __m512i) -> __m512i {
    Sum::product(x, h).reduce()
}

/// The order of bytes in each lane turned round.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn reversal() -> __m512i {
    _mm512_broadcast_i32x4(_mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f))
}

#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn round_key(keys: &RoundKeys, i: usize) -> __m512i {
    _mm512_broadcast_i32x4(load128(&keys.keys[i]))
}

/// Four powers, from H^`first` down; zeros after H¹.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn powers(key: &KeyData, first: usize) -> __m512i {
    debug_assert!(first <= HIGHEST);
    // SAFETY: the table has `HIGHEST` powers and four entries more.
    unsafe { _mm512_loadu_si512(key.powers.as_ptr().add(HIGHEST - first).cast()) }
}

#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn set_powers(key: &mut KeyData, first: usize, values: __m512i) {
    debug_assert!((4..=HIGHEST).contains(&first));
    // SAFETY: as above.
    unsafe { _mm512_storeu_si512(key.powers.as_mut_ptr().add(HIGHEST - first).cast(), values) };
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

/// Up to the first multiple of four from `highest` on, given the H of the standard.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn set_all_powers(data: &mut KeyData, h: __m128i, highest: usize) {
    // Times x: one bit up, and the bit that falls out folded to 1 + x + x² + x⁷.
    let h = _mm_shuffle_epi8(h, _mm512_castsi512_si128(reversal()));
    let carries = _mm_srli_epi64::<63>(h);
    let doubled = _mm_or_si128(_mm_slli_epi64::<1>(h), _mm_bslli_si128::<8>(carries));
    let top = _mm_srai_epi32::<31>(_mm_shuffle_epi32::<0xff>(h));
    let h1 = _mm_xor_si128(doubled, _mm_and_si128(top, _mm_set_epi64x(FOLD, 1)));

    let one = _mm512_castsi128_si512(h1);
    let h2 = _mm512_castsi512_si128(multiply(one, one));
    let two = _mm512_castsi256_si512(_mm256_set_m128i(h1, h2));
    let h43 = _mm512_castsi512_si256(multiply(two, _mm512_broadcast_i32x4(h2)));
    let p4 = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(h43), _mm512_castsi512_si256(two));
    set_powers(data, 4, p4);
    if highest > 4 {
        let h4 = _mm512_broadcast_i32x4(_mm512_castsi512_si128(p4));
        let p8 = multiply(p4, h4);
        set_powers(data, 8, p8);
        if highest > 8 {
            let h8 = _mm512_broadcast_i32x4(_mm512_castsi512_si128(p8));
            let p12 = multiply(p8, h4);
            set_powers(data, 12, p12);
            set_powers(data, 16, multiply(p8, h8));
            set_powers(data, 20, multiply(p12, h8));
        }
    }
}

/// This many blocks further on.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn ahead(counter: __m512i, blocks: usize) -> __m512i {
    let n = blocks as i32;
    _mm512_add_epi32(counter, steps(n, n, n, n))
}

/// What is added to the counts of four blocks.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn steps(a: i32, b: i32, c: i32, d: i32) -> __m512i {
    _mm512_set_epi32(0, 0, 0, d, 0, 0, 0, c, 0, 0, 0, b, 0, 0, 0, a)
}

/// The counters of a chunk, whose first is 2 modulo 16, as it is from the first on with a nonce of 96 bits. So the counts
/// differ in their last four bits only, but for the last two, which have the upper bits of the next chunk.
pub(super) struct Counters {
    /// The count without its last four bits, as a number.
    pub(super) base: __m512i,
    /// The same as a block.
    block: __m512i,
}

impl Counters {
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(super) fn new(counter: __m512i) -> Self {
        let base = _mm512_and_si512(counter, _mm512_broadcast_i32x4(_mm_set_epi32(-1, -1, -1, !15)));
        Self { base, block: _mm512_shuffle_epi8(base, reversal()) }
    }

    /// The blocks of this chunk plus `key`; on to the next.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    pub(super) fn next(&mut self, key: __m512i) -> [__m512i; 4] {
        let count = |a, b, c, d| {
            let byte = |n: i64| n << 56;
            _mm512_xor_si512(key, _mm512_set_epi64(byte(d), 0, byte(c), 0, byte(b), 0, byte(a), 0))
        };
        let now = self.block;
        self.base = _mm512_add_epi32(self.base, steps(16, 16, 16, 16));
        self.block = _mm512_shuffle_epi8(self.base, reversal());
        let carried = _mm512_mask_mov_epi64(now, 0xf0, self.block);
        [
            _mm512_xor_si512(now, count(2, 3, 4, 5)),
            _mm512_xor_si512(now, count(6, 7, 8, 9)),
            _mm512_xor_si512(now, count(10, 11, 12, 13)),
            _mm512_xor_si512(carried, count(14, 15, 0, 1)),
        ]
    }
}

/// `a` and `b`, which the compiler now takes to depend on each other: what uses `b` stays behind what made `a`.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn tie(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    // The sanitizer has no model of assembly and would raise a false alarm.
    #[cfg(not(outpace_ct = "msan"))]
    let (a, b) = {
        let (mut a, mut b) = (a, b);
        // a = a, b = b, in any registers. No precondition.
        // SAFETY: no instructions; the operands are only claimed to be changed.
        unsafe {
            core::arch::asm!("/* {0} {1} */", inout(zmm_reg) a, inout(zmm_reg) b,
                options(pure, nomem, nostack, preserves_flags));
        }
        (a, b)
    };
    (a, b)
}

#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn round(keys: &RoundKeys, r: usize, x: &mut [__m512i; 4]) {
    let key = round_key(keys, r);
    for x in x {
        *x = _mm512_aesenc_epi128(*x, key);
    }
}

/// Encrypts or decrypts 16 blocks; meanwhile, with `HASH`, multiplies the 16 blocks in `hashed` by H¹⁶, H¹², H⁸ and H⁴.
/// Returns the blocks to be hashed next.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
unsafe fn chunk<const R: usize, const OPEN: bool, const HASH: bool>(
    keys: &RoundKeys,
    counters: &mut Counters,
    input: *const u8,
    output: *mut u8,
    hashed: &[__m512i; 4],
    h: &[__m512i; 4],
) -> [__m512i; 4] {
    let mut x = counters.next(round_key(keys, 0));
    let (mut sum, mut reduced) = (Sum::zero(), _mm512_setzero_si512());
    // Left alone, the compiler puts all of the hash before the first round, where it waits for its input and keeps the
    // rounds behind it out of the scheduler: hence the ties.
    let apart = (R - 4) / 3;
    for v in 0..4 {
        round(keys, 1 + apart * v, &mut x);
        if HASH {
            let block;
            (x[3], block) = tie(x[3], hashed[v]);
            sum.add(block, h[v]);
        }
        let until = if v < 3 { 1 + apart * (v + 1) } else { R - 1 };
        for r in 2 + apart * v..until {
            round(keys, r, &mut x);
        }
    }
    if HASH {
        (x[3], sum.low) = tie(x[3], sum.low);
        sum.cross = _mm512_xor_si512(sum.cross, fold(sum.low));
    }
    round(keys, R - 1, &mut x);
    if HASH {
        (x[3], sum.cross) = tie(x[3], sum.cross);
        reduced = _mm512_xor_si512(sum.high, fold(sum.cross));
    }
    let key = round_key(keys, R);
    let mut next = [_mm512_setzero_si512(); 4];
    for v in 0..4 {
        // SAFETY: the caller gives 256 bytes on both sides.
        let data = unsafe { _mm512_loadu_si512(input.add(64 * v).cast()) };
        let result = _mm512_aesenclast_epi128(x[v], _mm512_xor_si512(key, data));
        next[v] = if OPEN { data } else { result };
        // SAFETY: as above; these 64 bytes of input have been read.
        unsafe { _mm512_storeu_si512(output.add(64 * v).cast(), result) };
    }
    for x in &mut next {
        *x = _mm512_shuffle_epi8(*x, reversal());
    }
    next[0] = _mm512_xor_si512(next[0], reduced);
    next
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
            let around = Around::state(key, state, before);
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

/// Encrypts or decrypts `n` ≥ 1 chunks of 16 blocks, and takes the ciphertext into the state of the hash. The counter is 2
/// modulo 16.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
unsafe fn chunks<const R: usize, const OPEN: bool>(
    key: &KeyData,
    counter: __m512i,
    state: __m128i,
    mut input: *const u8,
    mut output: *mut u8,
    n: usize,
) -> __m128i {
    let keys = &key.round_keys;
    // Within the loop each lane has its own sum, four blocks apart; so all lanes multiply by the same powers.
    let h = [16, 12, 8, 4].map(|n| _mm512_broadcast_i32x4(load128(&key.powers[HIGHEST - n])));
    let none = [_mm512_setzero_si512(); 4];
    let mut counters = Counters::new(counter);
    // SAFETY: `n` times 256 bytes may be read and written.
    unsafe {
        let mut hashed = chunk::<R, OPEN, false>(keys, &mut counters, input, output, &none, &h);
        hashed[0] = _mm512_xor_si512(hashed[0], _mm512_zextsi128_si512(state));
        for _ in 1..n {
            (input, output) = (input.add(256), output.add(256));
            hashed = chunk::<R, OPEN, true>(keys, &mut counters, input, output, &hashed, &h);
        }
        let mut sum = Sum::zero();
        for v in 0..4 {
            sum.add(hashed[v], powers(key, 16 - 4 * v));
        }
        lanes(sum.reduce())
    }
}

/// What a tail adds to its own blocks.
struct Around {
    /// Blocks that come before the tail, and those that come after it, with their powers of H.
    blocks: __m512i,
    powers: __m512i,
    /// The power of H for the tail's first block.
    first: usize,
    /// The counter block whose encryption is added, in all lanes, if `masked`.
    j0: __m512i,
    masked: bool,
}

impl Around {
    /// Nothing but the state of the hash, before a tail of `blocks`.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
    fn state(key: &KeyData, state: __m128i, blocks: usize) -> Self {
        Self {
            blocks: _mm512_zextsi128_si512(state),
            powers: powers(key, blocks),
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
    let mut sum = Sum::product(around.blocks, around.powers);
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

/// The counters of the next four blocks, as numbers, given the block before them, in all lanes.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn counters(j0: __m512i) -> __m512i {
    _mm512_add_epi32(_mm512_shuffle_epi8(j0, reversal()), steps(1, 2, 3, 4))
}

#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn broadcast(block: u128) -> __m512i {
    _mm512_broadcast_i32x4(_mm_set_epi64x((block >> 64) as i64, block as i64))
}

#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn message<const HALVES: bool>(key: &KeyData, direction: Direction, j0: u128, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    match (key.round_keys.rounds, direction) {
        (10, Direction::Seal) => whole::<10, false, HALVES>(key, j0, aad, data),
        (12, Direction::Seal) => whole::<12, false, HALVES>(key, j0, aad, data),
        (_, Direction::Seal) => whole::<14, false, HALVES>(key, j0, aad, data),
        (10, Direction::Open) => whole::<10, true, HALVES>(key, j0, aad, data),
        (12, Direction::Open) => whole::<12, true, HALVES>(key, j0, aad, data),
        (_, Direction::Open) => whole::<14, true, HALVES>(key, j0, aad, data),
    }
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
    // The block of lengths has the last lane and the power 1.
    let h1 = load128(&key.powers[HIGHEST - 1]);
    let around = Around {
        blocks: _mm512_inserti32x4::<3>(before, lengths),
        powers: _mm512_inserti32x4::<3>(powers(key, before_first), h1),
        first,
        j0,
        masked: true,
    };
    // SAFETY: `len` bytes are left.
    let hash = unsafe { tails::<R, OPEN>(key, counter, &around, input, output, len) };
    let mut tag = [0; 16];
    store128(&mut tag, _mm_shuffle_epi8(hash, _mm512_castsi512_si128(reversal())));
    tag
}

/// The state of the hash after `data`, the last block with zeros behind it.
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn absorb(key: &KeyData, mut state: __m128i, mut data: &[u8]) -> __m128i {
    while !data.is_empty() {
        let (now, later) = data.split_at(data.len().min(256));
        let first = now.len().div_ceil(16);
        let mut sum = Sum::zero();
        for (v, part) in now.chunks(64).enumerate() {
            let mut x = _mm512_shuffle_epi8(load512_partial(part), reversal());
            if v == 0 {
                x = _mm512_xor_si512(x, _mm512_zextsi128_si512(state));
            }
            sum.add(x, powers(key, first - 4 * v));
        }
        state = lanes(sum.reduce());
        data = later;
    }
    state
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
    match (key.round_keys.rounds, direction) {
        (10, Direction::Seal) => blocks::<10, false, HALVES>(key, counter, state, data),
        (12, Direction::Seal) => blocks::<12, false, HALVES>(key, counter, state, data),
        (_, Direction::Seal) => blocks::<14, false, HALVES>(key, counter, state, data),
        (10, Direction::Open) => blocks::<10, true, HALVES>(key, counter, state, data),
        (12, Direction::Open) => blocks::<12, true, HALVES>(key, counter, state, data),
        (_, Direction::Open) => blocks::<14, true, HALVES>(key, counter, state, data),
    }
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
            let around = Around::state(key, hash, left / 16);
            hash = tails::<R, OPEN>(key, next, &around, input.add(done), output.add(done), left);
        }
    }
    store128(state, _mm_shuffle_epi8(hash, reverse));
    *counter = advance(*counter, len / 16);
}

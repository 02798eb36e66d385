//! Chunks of 16 blocks: counters, rounds, and the loop for cores that have ports for 512 bits (Golden Cove).
//!
//! Floor: VAESENC runs on port 0 alone, so 14 cycles for 64 bytes of AES-256: 0.219 cycles a byte. With AES-128 ports 0
//! and 5 are the limit: 22 operations for 64 bytes, 0.172 cycles a byte.

use super::field::{Sum, fold, lanes, power, powers, reversal};
use crate::aead::gcm::KeyData;
use crate::cipher::aes::RoundKeys;
use crate::simd::load128;
use core::arch::x86_64::*;

#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn round_key(keys: &RoundKeys, i: usize) -> __m512i {
    _mm512_broadcast_i32x4(load128(&keys.keys[i]))
}

/// This many blocks further on.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn ahead(counter: __m512i, blocks: usize) -> __m512i {
    let n = blocks as i32;
    _mm512_add_epi32(counter, steps(n, n, n, n))
}

/// What is added to the counts of four blocks.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) fn steps(a: i32, b: i32, c: i32, d: i32) -> __m512i {
    _mm512_set_epi32(0, 0, 0, d, 0, 0, 0, c, 0, 0, 0, b, 0, 0, 0, a)
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

/// The last round, which takes the 256 bytes from input to output. Returns the ciphertext.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) unsafe fn last_round<const R: usize, const OPEN: bool>(
    keys: &RoundKeys,
    x: [__m512i; 4],
    input: *const u8,
    output: *mut u8,
) -> [__m512i; 4] {
    let key = round_key(keys, R);
    let mut ciphertext = [key; 4];
    for v in 0..4 {
        // SAFETY: the caller gives 256 bytes on both sides.
        let data = unsafe { _mm512_loadu_si512(input.add(64 * v).cast()) };
        let result = _mm512_aesenclast_epi128(x[v], _mm512_xor_si512(key, data));
        ciphertext[v] = if OPEN { data } else { result };
        // SAFETY: as above; these 64 bytes of input have been read.
        unsafe { _mm512_storeu_si512(output.add(64 * v).cast(), result) };
    }
    ciphertext
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
    // Round keys are loaded for each chunk: those that the compiler would keep for the next it would keep on the stack, and
    // the first two are the key.
    let keys = core::hint::black_box(keys);
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
    // SAFETY: the caller gives 256 bytes on both sides.
    let mut next = unsafe { last_round::<R, OPEN>(keys, x, input, output) };
    for x in &mut next {
        *x = _mm512_shuffle_epi8(*x, reversal());
    }
    next[0] = _mm512_xor_si512(next[0], reduced);
    next
}

/// Encrypts or decrypts `n` ≥ 1 chunks of 16 blocks, and takes the ciphertext into the state of the hash. The counter is 2
/// modulo 16.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
pub(super) unsafe fn chunks<const R: usize, const OPEN: bool>(
    key: &KeyData,
    counter: __m512i,
    state: __m128i,
    mut input: *const u8,
    mut output: *mut u8,
    n: usize,
) -> __m128i {
    let keys = &key.round_keys;
    // Within the loop each lane has its own sum, four blocks apart; so all lanes multiply by the same powers.
    let h = [16, 12, 8, 4].map(|n| power(key, n));
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

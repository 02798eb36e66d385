//! GCM for cores that run 512-bit instructions in halves (Zen 4): the chunks of a long message. Everything else goes as on
//! other cores.
//!
//! Here VAESENC and VPCLMULQDQ share two of four pipes. Whatever their order, n of one and m of the other take n + m
//! cycles (measured, with chains that do not wait), so each one less is a cycle less:
//!
//! *Hash.* Three products for a block, by Karatsuba's formula. VPERMI2B puts the low halves of two blocks into one lane and
//! their high halves into another, with the bytes reversed, so that the sums of halves need no more shuffles.
//!
//! *Counters.* Only the last byte of the counter changes within 256 blocks. ShiftRows and MixColumns bring each of the
//! counter's four bytes to a column of its own, so that after two rounds the state is a sum of four terms, each of which
//! depends on one of those bytes (D. Bernstein and P. Schwabe, "New AES software speed records", save most of two rounds by
//! the first byte). The states after two rounds of the first 256 blocks are kept; later blocks add to them what the higher bytes
//! have changed, which is the same for all 256. The indices are the counter's, which are public.
//!
//! Floor for 256 bytes of AES-256: 56 + 12 products + 2 to reduce, 70 cycles; 54 with AES-128. That is the first lap of 4 KiB
//! of a long message, or a whole shorter one; [`groups`](super::groups) do the rest.
//!
//! Tried as well, and no faster: the steps of the hash at the beginning or the end of a chunk, those of the later half of
//! it first.

use super::avx512;
use super::chunks::{Counters, last_round, round, round_key, steps};
use super::field::{Sum, fold, lanes, power, powers, reversal};
#[cfg(not(outpace_ct = "msan"))]
use super::groups::groups;
use crate::aead::gcm::{KeyData, Ops};
use crate::cipher::aes::RoundKeys;
use crate::cpu::{Features, Kernel};
use crate::mem::Wipe;
use crate::simd::{load512, permi2b512, pin};
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

pub(in crate::aead::gcm) const KERNEL: Kernel<Ops> = {
    // SAFETY: all functions are built for no more than the features named here.
    unsafe { Kernel::new("avx512-halves", avx512::NEEDS.and(Features::VBMI), avx512::ops::<true>()) }
        .suited_to(Features::HALVES)
};

/// From this number of chunks on it pays to keep states, and to wipe them.
const LONG: usize = 40;
/// Chunks of 16 blocks until the last byte of the counter is the same again.
pub(super) const LAP: usize = 16;

/// Puts the low halves of two registers of blocks into one, byte by byte from the end of them, with `LAST` = 15; the high
/// ones with 7.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn order<const LAST: usize>() -> __m512i {
    const fn bytes(last: usize) -> [u8; 64] {
        let mut order = [0; 64];
        let mut i = 0;
        while i < 64 {
            order[i] = (i / 16 * 16 + i % 16 / 8 * 64 + last - i % 8) as u8;
            i += 1;
        }
        order
    }
    load512(const { &bytes(LAST) })
}

/// Of two registers the low halves of all blocks, and the high halves.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) low: __m512i,
    pub(super) high: __m512i,
}

impl Pair {
    /// Given blocks, whose bytes are to be reversed.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    fn blocks(a: __m512i, b: __m512i) -> Self {
        Self { low: permi2b512(a, order::<15>(), b), high: permi2b512(a, order::<7>(), b) }
    }

    /// Given numbers.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    pub(super) fn powers(a: __m512i, b: __m512i) -> Self {
        Self { low: _mm512_unpacklo_epi64(a, b), high: _mm512_unpackhi_epi64(a, b) }
    }

    /// Plus a number in each lane of the first register.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    fn plus(self, x: __m512i) -> Self {
        Self {
            low: _mm512_xor_si512(self.low, _mm512_maskz_mov_epi64(0x55, x)),
            high: _mm512_xor_si512(self.high, _mm512_maskz_unpackhi_epi64(0x55, x, x)),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    pub(super) fn both(self) -> __m512i {
        _mm512_xor_si512(self.low, self.high)
    }

    /// Adds both products in each lane; of `cross` those of the sums of halves, which [`crossed`] completes.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    fn add_products(self, h: &Self, sum: &mut Sum) {
        let add = |sum, x, h| {
            let (a, b) = (_mm512_clmulepi64_epi128::<0x00>(x, h), _mm512_clmulepi64_epi128::<0x11>(x, h));
            _mm512_xor_si512(_mm512_xor_si512(sum, a), b)
        };
        sum.low = add(sum.low, self.low, h.low);
        sum.cross = add(sum.cross, self.both(), h.both());
        sum.high = add(sum.high, self.high, h.high);
    }
}

/// (a + b)(c + d) less ac and bd.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
pub(super) fn crossed(sum: &Sum) -> __m512i {
    _mm512_xor_si512(_mm512_xor_si512(sum.cross, sum.low), sum.high)
}

/// A chunk of ciphertext, and the state of the hash before it; each lane has its own.
pub(super) struct Hashed {
    pub(super) blocks: [__m512i; 4],
    pub(super) state: __m512i,
}

impl Hashed {
    /// The sums of the products with H¹⁶, H¹², H⁸ and H⁴, or the other powers given.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    pub(super) fn sum(&self, h: &[Pair; 2]) -> Sum {
        let [a, b, c, d] = self.blocks;
        let mut sum = Sum::zero();
        Pair::blocks(a, b).plus(self.state).add_products(&h[0], &mut sum);
        Pair::blocks(c, d).add_products(&h[1], &mut sum);
        Sum { cross: crossed(&sum), ..sum }
    }
}

/// The hash of a chunk in six steps.
struct Hashing<'a> {
    chunk: &'a Hashed,
    h: &'a [Pair; 2],
    /// What the next step needs.
    pair: Pair,
    sum: Sum,
    state: __m512i,
}

impl<'a> Hashing<'a> {
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    fn new(chunk: &'a Hashed, h: &'a [Pair; 2]) -> Self {
        let [low, high, ..] = chunk.blocks;
        Self { chunk, h, pair: Pair { low, high }, sum: Sum::zero(), state: chunk.state }
    }

    /// Stays where it is written. The last step leaves the new state.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    fn step(&mut self, step: usize) {
        let Self { chunk: Hashed { blocks: [.., c, d], .. }, h, pair, sum, state } = self;
        let mut values = [pair.low, pair.high, sum.low, sum.cross, sum.high];
        pin(&mut values);
        [pair.low, pair.high, sum.low, sum.cross, sum.high] = values;
        match step {
            0 => *pair = Pair::blocks(pair.low, pair.high).plus(*state),
            1 => {
                pair.add_products(&h[0], sum);
                *pair = Pair { low: *c, high: *d };
            }
            2 => *pair = Pair::blocks(pair.low, pair.high),
            3 => {
                pair.add_products(&h[1], sum);
                sum.cross = crossed(sum);
            }
            4 => sum.cross = _mm512_xor_si512(sum.cross, fold(sum.low)),
            _ => *state = _mm512_xor_si512(sum.high, fold(sum.cross)),
        }
    }
}

/// Goes on with 16 blocks after two rounds, to what is encrypted or decrypted; meanwhile, with `HASH`, hashes the chunk
/// before. Returns the chunk to be hashed next.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
unsafe fn chunk<const R: usize, const OPEN: bool, const HASH: bool>(
    keys: &RoundKeys,
    mut x: [__m512i; 4],
    input: *const u8,
    output: *mut u8,
    before: &Hashed,
    h: &[Pair; 2],
) -> Hashed {
    let mut hashing = Hashing::new(before, h);
    // Ciphertext that has just been made takes a while to arrive, and so does each step of the hash. All steps are put
    // between rounds, as far apart as they can be: what waits in front of the scheduler keeps the rounds behind it out.
    macro_rules! rounds { ($($r:literal)*) => { $(
        if $r < R {
            round(keys, $r, &mut x);
            pin(&mut x);
            let (step, next) = (($r - 3) * 6 / (R - 3), ($r - 2) * 6 / (R - 3));
            if HASH && step < next {
                hashing.step(step);
            }
        }
    )* } }
    rounds!(3 4 5 6 7 8 9 10 11 12 13);
    // SAFETY: the caller gives 256 bytes on both sides.
    let blocks = unsafe { last_round::<R, OPEN>(keys, x, input, output) };
    Hashed { blocks, state: hashing.state }
}

/// The states after two rounds of the first 256 blocks, and what the higher bytes of the counter change in them.
pub(super) struct Kept<'a> {
    states: &'a mut [[__m512i; 4]; LAP],
    /// The counter, with a last byte of zero.
    base: __m512i,
    /// The chunk whose last two blocks carry to the higher bytes.
    carries: usize,
    /// The states of the blocks with a last byte of zero in the first lap, in the second, and in the next.
    starts: [__m512i; 2],
    next: __m512i,
    /// What this lap changes, and what it will after the carry.
    change: __m512i,
    after: __m512i,
}

impl<'a> Kept<'a> {
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    fn new(keys: &RoundKeys, counter: __m512i, states: &'a mut [[__m512i; 4]; LAP]) -> Self {
        let carries = (242 - _mm_cvtsi128_si32(_mm512_castsi512_si128(counter)) as usize % 256) / 16;
        let base = _mm512_and_si512(counter, _mm512_broadcast_i32x4(_mm_set_epi32(-1, -1, -1, !255)));
        let starts = [Self::start(keys, base, 0), Self::start(keys, base, 1)];
        let zero = _mm512_setzero_si512();
        Self { states, base, carries, starts, next: starts[1], change: zero, after: zero }
    }

    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    fn start(keys: &RoundKeys, base: __m512i, lap: usize) -> __m512i {
        let n = (256 * lap) as i32;
        let x = _mm512_shuffle_epi8(_mm512_add_epi32(base, steps(n, n, n, n)), reversal());
        let x = _mm512_xor_si512(x, round_key(keys, 0));
        _mm512_aesenc_epi128(_mm512_aesenc_epi128(x, round_key(keys, 1)), round_key(keys, 2))
    }

    /// Chunk `i` after two rounds.
    #[inline]
    #[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
    pub(super) fn chunk(&mut self, keys: &RoundKeys, i: usize) -> [__m512i; 4] {
        let (lap, i) = (i / LAP, i % LAP);
        if i == 0 {
            self.change = _mm512_xor_si512(self.next, self.starts[0]);
            self.next = Self::start(keys, self.base, lap + 1);
            self.after = _mm512_xor_si512(self.next, self.starts[1]);
        }
        let (most, mut last) = (self.change, self.change);
        if i == self.carries {
            last = _mm512_mask_mov_epi64(last, 0xf0, self.after);
            self.change = self.after;
        }
        let [a, b, c, d] = self.states[i];
        [(a, most), (b, most), (c, most), (d, last)].map(|(x, change)| _mm512_xor_si512(x, change))
    }

    /// Wipes the states of chunk `i`.
    #[inline]
    pub(super) fn forget(&mut self, i: usize) {
        self.states[i % LAP].wipe();
    }

    /// All but the states.
    fn wipe(&mut self) {
        self.starts.wipe();
        for state in [&mut self.next, &mut self.change, &mut self.after] {
            state.wipe();
        }
    }
}

/// The next 16 blocks after two rounds.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
fn two_rounds(keys: &RoundKeys, counters: &mut Counters) -> [__m512i; 4] {
    // Hidden, so that the first round key is not kept on the stack, for want of registers, by the loop this is in.
    let mut x = counters.next(round_key(core::hint::black_box(keys), 0));
    round(keys, 1, &mut x);
    round(keys, 2, &mut x);
    x
}

/// Encrypts or decrypts `n` ≥ 1 chunks of 16 blocks, and takes the ciphertext into the state of the hash. The counter is 2
/// modulo 16.
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
pub(super) unsafe fn chunks<const R: usize, const OPEN: bool>(
    key: &KeyData,
    counter: __m512i,
    state: __m128i,
    input: *const u8,
    output: *mut u8,
    n: usize,
) -> __m128i {
    let keys = &key.round_keys;
    let zero = _mm512_setzero_si512();
    let mut counters = Counters::new(counter);
    let mut states = [MaybeUninit::<[__m512i; 4]>::uninit(); LAP];
    let keep = n >= LONG;
    // SAFETY: `n` times 256 bytes may be read and written; all states are written before any is read.
    unsafe {
        let x = two_rounds(keys, &mut counters);
        if keep {
            states[0].write(x);
        }
        let h = lane_powers(key);
        let none = Hashed { blocks: [zero; 4], state: zero };
        let mut hashed = chunk::<R, OPEN, false>(keys, x, input, output, &none, &h);
        hashed.state = _mm512_zextsi128_si512(state);
        // The laps take an even number of chunks. They are behind the loop, since around a call in it round keys and powers
        // would be on the stack.
        let from = if keep { LAP + n % 2 } else { n };
        for i in 1..from {
            let x = two_rounds(keys, &mut counters);
            if keep && i < LAP {
                states[i].write(x);
            }
            hashed = chunk::<R, OPEN, true>(keys, x, input.add(256 * i), output.add(256 * i), &hashed, &h);
        }
        if keep {
            let mut kept = Kept::new(keys, counter, &mut *(&raw mut states).cast());
            if from > LAP {
                kept.chunk(keys, LAP);
            }
            #[cfg(not(outpace_ct = "msan"))]
            {
                let mut between = Hashed { ..hashed };
                groups::<R, OPEN>(key, &mut kept, (from, n), input, output, &mut between);
                hashed = Hashed { ..between };
                between.state.wipe();
            }
            // The sanitizer cannot look into groups.
            #[cfg(outpace_ct = "msan")]
            for i in from..n {
                let x = kept.chunk(keys, i);
                hashed = chunk::<R, OPEN, true>(keys, x, input.add(256 * i), output.add(256 * i), &hashed, &h);
                if i + LAP >= n {
                    kept.forget(i);
                }
            }
            kept.wipe();
        }
        let key = core::hint::black_box(key);
        let [a, b, c, d] = [16, 12, 8, 4].map(|n| powers(key, n));
        lanes(hashed.sum(&[Pair::powers(a, b), Pair::powers(c, d)]).reduce())
    }
}

/// Within loops each lane has its own sum, four blocks apart; so all lanes multiply by the same powers.
#[inline]
#[target_feature(enable = "avx512vl,avx512bw,avx512dq,avx512vbmi,vaes,vpclmulqdq,bmi2")]
pub(super) fn lane_powers(key: &KeyData) -> [Pair; 2] {
    let [a, b, c, d] = [16, 12, 8, 4].map(|n| power(key, n));
    [Pair::powers(a, b), Pair::powers(c, d)]
}

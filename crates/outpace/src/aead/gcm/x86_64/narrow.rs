//! GCM in registers of one or two blocks, eight of them side by side; [`Vector`] says which.
//!
//! GHASH is done as in the AVX-512 kernel: byte-reversed blocks, powers of H with a factor x, products summed over eight
//! registers and reduced once. A chunk of eight registers is hashed while the next is encrypted (when opening, while it
//! is decrypted itself). What is left goes through registers as well, only the last part of one through a buffer.
//!
//! Everything here is inlined into the functions of the kernels, which name the CPU features.

use super::{FOLD, HIGHEST};
use crate::aead::gcm::{KeyData, advance};
use crate::cipher::aes::RoundKeys;
use crate::cipher::aes::x86_64::schedule;
use crate::mem::InOut;
use crate::simd::store128;
use core::arch::x86_64::*;

/// A register of blocks, one to a lane.
///
/// # Safety
/// All functions may be called only on a CPU that has the features of the kernel; `load` and `store` only with a pointer
/// to `16 * BLOCKS` bytes.
pub(super) trait Vector: Copy {
    /// Lanes.
    const BLOCKS: usize;
    unsafe fn load(from: *const u8) -> Self;
    unsafe fn store(self, to: *mut u8);
    /// `block` in each lane.
    unsafe fn broadcast(block: __m128i) -> Self;
    /// `block` in the first lane, zeros in the others.
    unsafe fn first(block: __m128i) -> Self;
    /// XOR of all lanes.
    unsafe fn sum_lanes(self) -> __m128i;
    /// The halves of each lane exchanged.
    unsafe fn swap(self) -> Self;
    /// Powers of `h`, from that of `BLOCKS` down to the first.
    unsafe fn first_powers(h: __m128i) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// Sums of 32-bit numbers.
    unsafe fn add(self, other: Self) -> Self;
    /// The bytes of each lane in the order given for one.
    unsafe fn shuffle(self, order: __m128i) -> Self;
    unsafe fn aesenc(self, key: Self) -> Self;
    unsafe fn aesenclast(self, key: Self) -> Self;
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self;
}

/// Registers in a chunk.
const N: usize = 8;

const REVERSED: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
/// For the counters of up to two lanes.
const LANE_NUMBERS: [u32; 8] = [0, 0, 0, 0, 1, 0, 0, 0];

/// Sums of the three parts of products.
struct Sum<V> {
    low: V,
    cross: V,
    high: V,
}

impl<V: Vector> Sum<V> {
    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the features are there, says the caller. So in all of this file.
        let zero = unsafe { V::first(_mm_setzero_si128()) };
        Self { low: zero, cross: zero, high: zero }
    }

    #[inline(always)]
    unsafe fn product(x: V, h: V) -> Self {
        // SAFETY: as above.
        unsafe {
            let cross = x.clmul::<0x01>(h).xor(x.clmul::<0x10>(h));
            Self { low: x.clmul::<0x00>(h), cross, high: x.clmul::<0x11>(h) }
        }
    }

    #[inline(always)]
    unsafe fn add(&mut self, x: V, h: V) {
        // SAFETY: as above.
        unsafe {
            self.low = self.low.xor(x.clmul::<0x00>(h));
            self.cross = self.cross.xor(x.clmul::<0x01>(h)).xor(x.clmul::<0x10>(h));
            self.high = self.high.xor(x.clmul::<0x11>(h));
        }
    }

    /// The sum of all lanes modulo the polynomial.
    #[inline(always)]
    unsafe fn reduce(self) -> __m128i {
        // SAFETY: as above.
        unsafe {
            let (low, cross, high) = (self.low.sum_lanes(), self.cross.sum_lanes(), self.high.sum_lanes());
            Sum { low, cross, high }.reduce_each()
        }
    }

    /// Each lane modulo the polynomial.
    #[inline(always)]
    unsafe fn reduce_each(self) -> V {
        // SAFETY: as above.
        unsafe {
            let middle = self.cross.xor(fold(self.low));
            self.high.xor(fold(middle))
        }
    }
}

#[inline(always)]
pub(super) unsafe fn square(x: __m128i) -> __m128i {
    // SAFETY: as above.
    unsafe { Sum::product(x, x).reduce_each() }
}

/// A half of each product moved 64 bits down.
#[inline(always)]
unsafe fn fold<V: Vector>(x: V) -> V {
    // SAFETY: as above.
    unsafe { x.clmul::<0x00>(V::broadcast(_mm_set1_epi64x(FOLD))).xor(x.swap()) }
}

#[inline(always)]
unsafe fn block(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline(always)]
unsafe fn reversed(x: __m128i) -> __m128i {
    // SAFETY: as above.
    unsafe { _mm_shuffle_epi8(x, block(&REVERSED)) }
}

/// Powers of H for one register, from H^`first` down; zeros after H¹.
#[inline(always)]
unsafe fn powers<V: Vector>(key: &KeyData, first: usize) -> V {
    debug_assert!(first <= HIGHEST);
    // SAFETY: there are entries behind the last power for a whole register.
    unsafe { V::load(key.powers.as_ptr().add(HIGHEST - first).cast()) }
}

/// Prepares a key, with the powers of H up to the first multiple of `V::BLOCKS` from `highest` on.
#[inline(always)]
pub(super) unsafe fn expand<V: Vector>(key: &[u8], highest: usize) -> KeyData {
    let mut data = KeyData::empty(key.len());
    // SAFETY: as above.
    unsafe {
        let h = reversed(schedule::expand(key, &mut data.round_keys));
        // Times x: one bit up, and the bit that falls out folded.
        let doubled = _mm_or_si128(_mm_slli_epi64::<1>(h), _mm_slli_si128::<8>(_mm_srli_epi64::<63>(h)));
        let top = _mm_srai_epi32::<31>(_mm_shuffle_epi32::<0xff>(h));
        let h = _mm_xor_si128(doubled, _mm_and_si128(top, _mm_set_epi64x(FOLD, 1)));
        // Where register n of the table begins, with H^(n * BLOCKS).
        let table = data.powers.as_mut_ptr();
        let place = |n: usize| table.add(HIGHEST - V::BLOCKS * n);
        V::first_powers(h).store(place(1).cast());
        // Halving the exponent keeps the chains short.
        for n in 2..=highest.div_ceil(V::BLOCKS) {
            let (a, b) = (V::load(place(n.div_ceil(2)).cast()), V::broadcast(block(&*place(n / 2))));
            Sum::product(a, b).reduce_each().store(place(n).cast());
        }
    }
    data
}

/// AES of each lane, and after each of the first `R` − 1 rounds a step of `meanwhile`.
#[inline(always)]
unsafe fn rounds<V: Vector, const R: usize, const M: usize>(
    keys: &RoundKeys,
    mut x: [V; M],
    meanwhile: &mut impl Meanwhile,
) -> [V; M] {
    // SAFETY: as above.
    unsafe {
        let key = V::broadcast(block(&keys.keys[0]));
        for x in &mut x {
            *x = x.xor(key);
        }
        for r in 1..R {
            let key = V::broadcast(block(&keys.keys[r]));
            for x in &mut x {
                *x = x.aesenc(key);
            }
            meanwhile.step(r - 1);
        }
        let key = V::broadcast(block(&keys.keys[R]));
        for x in &mut x {
            *x = x.aesenclast(key);
        }
        x
    }
}

/// What is done between the rounds of AES. Not a closure, since those cannot be told to be inlined.
trait Meanwhile {
    unsafe fn step(&mut self, step: usize);
}

impl Meanwhile for () {
    #[inline(always)]
    unsafe fn step(&mut self, _: usize) {}
}

/// Hashes a chunk, a register in each step.
struct HashChunk<'k, V> {
    key: &'k KeyData,
    state: __m128i,
    from: *const u8,
    sum: Sum<V>,
}

impl<'k, V: Vector> HashChunk<'k, V> {
    #[inline(always)]
    unsafe fn new(key: &'k KeyData, state: __m128i, from: *const u8) -> Self {
        // SAFETY: as above.
        Self { key, state, from, sum: unsafe { Sum::zero() } }
    }

    #[inline(always)]
    unsafe fn all(mut self) -> __m128i {
        // SAFETY: as above.
        unsafe {
            for v in 0..N {
                self.step(v);
            }
            self.sum.reduce()
        }
    }
}

impl<V: Vector> Meanwhile for HashChunk<'_, V> {
    #[inline(always)]
    unsafe fn step(&mut self, step: usize) {
        if step >= N {
            return;
        }
        // SAFETY: as above; the chunk has N registers.
        unsafe {
            let mut x = V::load(self.from.add(16 * V::BLOCKS * step)).shuffle(block(&REVERSED));
            if step == 0 {
                x = x.xor(V::first(self.state));
            }
            self.sum.add(x, powers(self.key, V::BLOCKS * (N - step)));
        }
    }
}

impl Vector for __m128i {
    const BLOCKS: usize = 1;
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 16 bytes, says the caller; so in the next.
        unsafe { _mm_loadu_si128(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn broadcast(block: __m128i) -> Self {
        block
    }
    #[inline(always)]
    unsafe fn first(block: __m128i) -> Self {
        block
    }
    #[inline(always)]
    unsafe fn sum_lanes(self) -> __m128i {
        self
    }
    #[inline(always)]
    unsafe fn swap(self) -> Self {
        // SAFETY: the features are there, says the caller; so in the rest.
        unsafe { _mm_shuffle_epi32::<0b0100_1110>(self) }
    }
    #[inline(always)]
    unsafe fn first_powers(h: __m128i) -> Self {
        h
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm_xor_si128(self, other) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm_add_epi32(self, other) }
    }
    #[inline(always)]
    unsafe fn shuffle(self, order: __m128i) -> Self {
        // SAFETY: as above.
        unsafe { _mm_shuffle_epi8(self, order) }
    }
    #[inline(always)]
    unsafe fn aesenc(self, key: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm_aesenc_si128(self, key) }
    }
    #[inline(always)]
    unsafe fn aesenclast(self, key: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm_aesenclast_si128(self, key) }
    }
    #[inline(always)]
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm_clmulepi64_si128::<HALVES>(self, other) }
    }
}

/// Counter blocks, in order, one to a lane: big-endian 32-bit counts that wrap (SP 800-38D, section 6.2).
struct Counter<V>(V);

impl<V: Vector> Counter<V> {
    /// From the block `ahead` after this one on.
    #[inline(always)]
    unsafe fn new(block: __m128i, ahead: i32) -> Self {
        // SAFETY: as above.
        unsafe {
            let start = _mm_add_epi32(reversed(block), _mm_set_epi32(0, 0, 0, ahead));
            Self(V::broadcast(start).add(V::load(LANE_NUMBERS.as_ptr().cast())))
        }
    }

    #[inline(always)]
    unsafe fn next<const M: usize>(&mut self) -> [V; M] {
        // SAFETY: as above.
        unsafe {
            let step = V::broadcast(_mm_set_epi32(0, 0, 0, V::BLOCKS as i32));
            let mut blocks = [self.0; M];
            for x in &mut blocks {
                *x = self.0.shuffle(block(&REVERSED));
                self.0 = self.0.add(step);
            }
            blocks
        }
    }
}

/// Encrypts or decrypts whole chunks, and takes the ciphertext into the hash. Seal hashes the chunk before the one it
/// encrypts, open the one it decrypts.
#[inline(always)]
unsafe fn bulk<V: Vector, const R: usize, const OPEN: bool>(
    key: &KeyData,
    counter: &mut Counter<V>,
    mut state: __m128i,
    input: *const u8,
    output: *mut u8,
    chunks: usize,
) -> __m128i {
    let size = 16 * V::BLOCKS;
    // SAFETY: as above; `chunks` times N registers may be read and written.
    unsafe {
        for chunk in 0..chunks {
            let (input, output) = (input.add(N * size * chunk), output.add(N * size * chunk));
            let blocks = counter.next::<N>();
            let x = if OPEN || chunk > 0 {
                let from = if OPEN { input } else { output.sub(N * size).cast_const() };
                let mut hash = HashChunk::<V>::new(key, state, from);
                let x = rounds::<V, R, N>(&key.round_keys, blocks, &mut hash);
                state = hash.sum.reduce();
                x
            } else {
                rounds::<V, R, N>(&key.round_keys, blocks, &mut ())
            };
            for v in 0..N {
                x[v].xor(V::load(input.add(size * v))).store(output.add(size * v));
            }
        }
        if !OPEN && chunks > 0 {
            let last = output.add(N * size * (chunks - 1)).cast_const();
            state = HashChunk::<V>::new(key, state, last).all();
        }
    }
    state
}

/// One register from `len` bytes, or from fewer and zeros behind them.
#[inline(always)]
unsafe fn load_part<V: Vector>(from: *const u8, len: usize) -> V {
    // SAFETY: `len` bytes are there.
    unsafe {
        if len >= 16 * V::BLOCKS {
            return V::load(from);
        }
        let mut buffer = [0; 32];
        core::ptr::copy_nonoverlapping(from, buffer.as_mut_ptr(), len);
        V::load(buffer.as_ptr())
    }
}

/// Writes the first `len` bytes, or all; returns the register with zeros behind them.
#[inline(always)]
unsafe fn store_part<V: Vector>(x: V, to: *mut u8, len: usize) -> V {
    // SAFETY: as above.
    unsafe {
        if len >= 16 * V::BLOCKS {
            x.store(to);
            return x;
        }
        let mut buffer = [0; 32];
        x.store(buffer.as_mut_ptr());
        core::ptr::copy_nonoverlapping(buffer.as_ptr(), to, len);
        buffer[len..].fill(0);
        V::load(buffer.as_ptr())
    }
}

/// The rest of a message, no longer than a chunk; then `last`, if there is one. Returns the hash of all.
#[inline(always)]
unsafe fn tail<V: Vector, const R: usize, const OPEN: bool>(
    key: &KeyData,
    counter: &mut Counter<V>,
    state: __m128i,
    input: *const u8,
    output: *mut u8,
    len: usize,
    last: Option<__m128i>,
) -> __m128i {
    let size = 16 * V::BLOCKS;
    let blocks = len.div_ceil(16) + usize::from(last.is_some());
    // SAFETY: as above; `len` bytes may be read and written.
    unsafe {
        let mut state = V::first(state);
        let mut sum = Sum::<V>::zero();
        let mut done = 0;
        while done < len {
            // Four registers at a time: enough for the latency of AES, not too many for a short message.
            let x = rounds::<V, R, 4>(&key.round_keys, counter.next(), &mut ());
            for x in x {
                if done < len {
                    let left = len - done;
                    let data: V = load_part(input.add(done), left);
                    let result = store_part(data.xor(x), output.add(done), left);
                    let ciphertext = if OPEN { data } else { result };
                    sum.add(ciphertext.shuffle(block(&REVERSED)).xor(state), powers(key, blocks - done / 16));
                    state = V::first(_mm_setzero_si128());
                    done += size.min(left);
                }
            }
        }
        if let Some(last) = last {
            sum.add(V::first(last).xor(state), powers(key, 1));
        }
        sum.reduce()
    }
}

/// The state of the hash after `data`, the last block with zeros behind it.
#[inline(always)]
unsafe fn absorb<V: Vector>(key: &KeyData, mut state: __m128i, data: &[u8]) -> __m128i {
    // SAFETY: as above; each register is within `data`.
    unsafe {
        for now in data.chunks(16 * V::BLOCKS * N) {
            let first = now.len().div_ceil(16);
            let mut sum = Sum::<V>::zero();
            for (v, part) in now.chunks(16 * V::BLOCKS).enumerate() {
                let mut x = load_part::<V>(part.as_ptr(), part.len()).shuffle(block(&REVERSED));
                if v == 0 {
                    x = x.xor(V::first(state));
                }
                sum.add(x, powers(key, first - V::BLOCKS * v));
            }
            state = sum.reduce();
        }
    }
    state
}

#[inline(always)]
unsafe fn register(number: u128) -> __m128i {
    // SAFETY: as above.
    unsafe { _mm_set_epi64x((number >> 64) as i64, number as i64) }
}

/// A whole message: see `Ops::message`.
#[inline(always)]
pub(super) unsafe fn message<V: Vector, const OPEN: bool>(
    key: &KeyData,
    j0: u128,
    aad: &[u8],
    data: InOut<'_>,
) -> [u8; 16] {
    // SAFETY: as above.
    unsafe {
        match key.round_keys.rounds {
            10 => whole::<V, 10, OPEN>(key, j0, aad, data),
            12 => whole::<V, 12, OPEN>(key, j0, aad, data),
            _ => whole::<V, 14, OPEN>(key, j0, aad, data),
        }
    }
}

/// SP 800-38D, sections 7.1 and 7.2.
#[inline(always)]
unsafe fn whole<V: Vector, const R: usize, const OPEN: bool>(
    key: &KeyData,
    j0: u128,
    aad: &[u8],
    mut data: InOut<'_>,
) -> [u8; 16] {
    let (len, input, output) = (data.len(), data.input(), data.output());
    let chunk = 16 * V::BLOCKS * N;
    let (chunks, left) = (len / chunk, len % chunk);
    // SAFETY: as above; the pointers stay within `data`.
    unsafe {
        let j0 = register(j0);
        let mut counter = Counter::<V>::new(j0, 1);
        let [mask] = rounds::<__m128i, R, 1>(&key.round_keys, [j0], &mut ());
        let mut state = absorb::<V>(key, _mm_setzero_si128(), aad);
        state = bulk::<V, R, OPEN>(key, &mut counter, state, input, output, chunks);
        let (input, output) = (input.add(chunk * chunks), output.add(chunk * chunks));
        let lengths = _mm_set_epi64x((aad.len() as i64) << 3, (len as i64) << 3);
        let hash = tail::<V, R, OPEN>(key, &mut counter, state, input, output, left, Some(lengths));
        let mut tag = [0; 16];
        store128(&mut tag, _mm_xor_si128(reversed(hash), mask));
        tag
    }
}

/// See `Ops::hash`.
#[inline(always)]
pub(super) unsafe fn hash<V: Vector>(key: &KeyData, state: &mut [u8; 16], data: &[u8]) {
    // SAFETY: as above.
    unsafe {
        let after = absorb::<V>(key, reversed(block(state)), data);
        store128(state, reversed(after));
    }
}

/// See `Ops::crypt`.
#[inline(always)]
pub(super) unsafe fn crypt<V: Vector, const OPEN: bool>(
    key: &KeyData,
    counter: &mut u128,
    state: &mut [u8; 16],
    data: InOut<'_>,
) {
    // SAFETY: as above.
    unsafe {
        match key.round_keys.rounds {
            10 => blocks::<V, 10, OPEN>(key, counter, state, data),
            12 => blocks::<V, 12, OPEN>(key, counter, state, data),
            _ => blocks::<V, 14, OPEN>(key, counter, state, data),
        }
    }
}

#[inline(always)]
unsafe fn blocks<V: Vector, const R: usize, const OPEN: bool>(
    key: &KeyData,
    counter: &mut u128,
    state: &mut [u8; 16],
    mut data: InOut<'_>,
) {
    let (len, input, output) = (data.len(), data.input(), data.output());
    let chunk = 16 * V::BLOCKS * N;
    let (chunks, left) = (len / chunk, len % chunk);
    // SAFETY: as above; the pointers stay within `data`.
    unsafe {
        let mut next = Counter::<V>::new(register(*counter), 0);
        let mut hash = bulk::<V, R, OPEN>(key, &mut next, reversed(block(state)), input, output, chunks);
        if left > 0 {
            let (input, output) = (input.add(chunk * chunks), output.add(chunk * chunks));
            hash = tail::<V, R, OPEN>(key, &mut next, hash, input, output, left, None);
        }
        store128(state, reversed(hash));
    }
    *counter = advance(*counter, len / 16);
}

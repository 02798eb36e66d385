//! GCM in registers of one or two blocks, eight of them side by side; [`Vector`] says which.
//!
//! GHASH is done as in the AVX-512 kernel: byte-reversed blocks, powers of H with a factor x, products summed over eight
//! registers and reduced once. A chunk of eight registers is hashed while the next is encrypted (when opening, while it
//! is decrypted itself). What is left goes through registers as well.
//!
//! Everything here is inlined into the functions of the kernels, which name the CPU features.

use super::{FOLD, HIGHEST};
use crate::aead::gcm::{KeyData, advance};
use crate::cipher::aes::x86_64::schedule;
use crate::cipher::aes::x86_64::vector::{Meanwhile, Vector, block, lane_numbers, register, rounds};
use crate::mem::InOut;
use crate::simd::store128;
use core::arch::x86_64::*;

/// Registers in a chunk.
const N: usize = 8;

const REVERSED: [u8; 16] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/// Sums of the three parts of products.
pub(in crate::aead) struct Sum<V> {
    low: V,
    cross: V,
    high: V,
}

impl<V: Vector> Sum<V> {
    #[inline(always)]
    pub(in crate::aead) unsafe fn zero() -> Self {
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
    pub(in crate::aead) unsafe fn add(&mut self, x: V, h: V) {
        // SAFETY: as above.
        unsafe {
            self.low = self.low.xor(x.clmul::<0x00>(h));
            self.cross = self.cross.xor(x.clmul::<0x01>(h)).xor(x.clmul::<0x10>(h));
            self.high = self.high.xor(x.clmul::<0x11>(h));
        }
    }

    /// The sum of all lanes modulo the polynomial.
    #[inline(always)]
    pub(in crate::aead) unsafe fn reduce(self) -> __m128i {
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

/// The product of each lane.
#[inline(always)]
unsafe fn multiply<V: Vector>(x: V, h: V) -> V {
    // SAFETY: as above.
    unsafe { Sum::product(x, h).reduce_each() }
}

/// A half of each product moved 64 bits down.
#[inline(always)]
unsafe fn fold<V: Vector>(x: V) -> V {
    // SAFETY: as above.
    unsafe { x.clmul::<0x00>(V::broadcast(_mm_set1_epi64x(FOLD))).xor(x.swap()) }
}

#[inline(always)]
unsafe fn reversed(x: __m128i) -> __m128i {
    // SAFETY: as above.
    unsafe { _mm_shuffle_epi8(x, block(&REVERSED)) }
}

/// Powers of H for one register, from H^`first` down; zeros after H¹, behind which `end` points.
#[inline(always)]
pub(in crate::aead) unsafe fn powers<V: Vector>(end: *const [u8; 16], first: usize) -> V {
    // SAFETY: the table has so many, says the caller, and zeros behind the last for a whole register.
    unsafe { V::load(end.sub(first).cast()) }
}

/// Given H¹, the powers up to the first multiple of `V::BLOCKS` from `highest` on.
#[inline(always)]
pub(in crate::aead) unsafe fn set_powers<V: Vector>(end: *mut [u8; 16], h: __m128i, highest: usize) {
    // SAFETY: as above.
    unsafe {
        // Where register n of the table begins, with H^(n * BLOCKS).
        let place = |n: usize| end.sub(V::BLOCKS * n);
        let square = multiply(h, h);
        let first = match V::BLOCKS {
            1 => [h; 4],
            2 => [square, h, h, h],
            _ => [multiply(square, square), multiply(square, h), square, h],
        };
        V::lanes(first).store(place(1).cast());
        // Halving the exponent keeps the chains short.
        for n in 2..=highest.div_ceil(V::BLOCKS) {
            let (a, b) = (V::load(place(n.div_ceil(2)).cast()), V::broadcast(block(&*place(n / 2))));
            multiply(a, b).store(place(n).cast());
        }
    }
}

/// Behind H¹.
#[inline(always)]
fn end(key: &KeyData) -> *const [u8; 16] {
    key.powers[HIGHEST..].as_ptr()
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
        set_powers::<V>(data.powers.as_mut_ptr().add(HIGHEST), h, highest);
    }
    data
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
            self.sum.add(x, powers(end(self.key), V::BLOCKS * (N - step)));
        }
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
            Self(V::broadcast(start).add(lane_numbers()))
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
                    let data = V::load_part(input.add(done), left);
                    let result = data.xor(x).store_part(output.add(done), left);
                    let ciphertext = if OPEN { data } else { result };
                    sum.add(ciphertext.shuffle(block(&REVERSED)).xor(state), powers(end(key), blocks - done / 16));
                    state = V::first(_mm_setzero_si128());
                    done += size.min(left);
                }
            }
        }
        if let Some(last) = last {
            sum.add(V::first(last).xor(state), powers(end(key), 1));
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
                let mut x = V::load_part(part.as_ptr(), part.len()).shuffle(block(&REVERSED));
                if v == 0 {
                    x = x.xor(V::first(state));
                }
                sum.add(x, powers(end(key), first - V::BLOCKS * v));
            }
            state = sum.reduce();
        }
    }
    state
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

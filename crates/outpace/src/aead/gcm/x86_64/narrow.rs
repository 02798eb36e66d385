//! GCM in registers of one or two blocks, eight of them side by side; [`Vector`] says which.
//!
//! GHASH is done as in the AVX-512 kernel: byte-reversed blocks, powers of H with a factor x, products summed over eight
//! registers and reduced once. A chunk of eight registers is hashed while the next is encrypted (when opening, while it
//! is decrypted itself), step by step between the rounds; left to itself, the compiler puts all of the one behind all of
//! the other, block by block, which takes a third longer. What is left goes through registers as well.
//!
//! Everything here is inlined into the functions of the kernels, which name the CPU features.

use super::{FOLD, HIGHEST};
use crate::aead::gcm::{KeyData, advance};
use crate::cipher::aes::RoundKeys;
use crate::cipher::aes::x86_64::schedule;
use crate::cipher::aes::x86_64::vector::{Vector, block, lane_numbers, register, rounds};
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

/// Hashes a chunk, in small steps with three products for a block: by Karatsuba's formula `both` has those of the sums of
/// halves. The register that waits for the state comes last.
struct HashChunk<'k, V> {
    key: &'k KeyData,
    state: __m128i,
    from: *const u8,
    x: V,
    low: V,
    both: V,
    high: V,
}

impl<'k, V: Vector> HashChunk<'k, V> {
    #[inline(always)]
    unsafe fn new(key: &'k KeyData, state: __m128i, from: *const u8) -> Self {
        // SAFETY: as above.
        let zero = unsafe { V::first(_mm_setzero_si128()) };
        Self { key, state, from, x: zero, low: zero, both: zero, high: zero }
    }

    /// After all steps.
    #[inline(always)]
    unsafe fn reduce(self) -> __m128i {
        // SAFETY: as above.
        unsafe { Sum { low: self.low, cross: self.both.xor(self.low).xor(self.high), high: self.high }.reduce() }
    }

    /// Instead of all steps.
    #[inline(always)]
    unsafe fn at_once(self) -> __m128i {
        // SAFETY: as above; the chunk has N registers.
        unsafe {
            let mut sum = Sum::<V>::zero();
            for v in 0..N {
                let mut x = V::load(self.from.add(16 * V::BLOCKS * v)).shuffle(block(&REVERSED));
                if v == 0 {
                    x = x.xor(V::first(self.state));
                }
                sum.add(x, powers(end(self.key), V::BLOCKS * (N - v)));
            }
            sum.reduce()
        }
    }

    /// Part `part` of `parts`, as many as there are steps or more.
    #[inline(always)]
    unsafe fn part(&mut self, part: usize, parts: usize) {
        debug_assert!(parts >= 4 * N);
        let step = 4 * N * part / parts;
        if step == 4 * N * (part + 1) / parts {
            return;
        }
        // SAFETY: as above.
        unsafe {
            let v = (step / 4 + 1) % N;
            let h: V = powers(end(self.key), V::BLOCKS * (N - v));
            match step % 4 {
                0 => {
                    self.x = V::load(self.from.add(16 * V::BLOCKS * v)).shuffle(block(&REVERSED));
                    if v == 0 {
                        self.x = self.x.xor(V::first(self.state));
                    }
                    self.x = self.x.pin();
                }
                1 => self.low = self.low.xor(self.x.clmul::<0x00>(h)).pin(),
                2 => self.high = self.high.xor(self.x.clmul::<0x11>(h)).pin(),
                _ => {
                    let product = self.x.xor(self.x.swap()).clmul::<0x00>(h.xor(h.swap()));
                    self.both = self.both.xor(product).pin();
                }
            }
        }
    }
}

/// As [`rounds`], with all of `hash` evenly between the instructions.
#[inline(always)]
unsafe fn rounds_beside<V: Vector, const R: usize, const M: usize>(
    keys: &RoundKeys,
    mut x: [V; M],
    hash: &mut HashChunk<'_, V>,
) -> [V; M] {
    // SAFETY: as above.
    unsafe {
        let key = V::broadcast(block(&keys.keys[0]));
        for x in &mut x {
            *x = x.xor(key);
        }
        // A loop of this size would stay one.
        macro_rules! round {
            ($($r:literal)*) => {$(
                if $r < R {
                    let key = V::broadcast(block(&keys.keys[$r]));
                    round!(@ $r, key, 0);
                    round!(@ $r, key, 1);
                    round!(@ $r, key, 2);
                    round!(@ $r, key, 3);
                }
            )*};
            (@ $r:literal, $key:ident, $quarter:literal) => {
                for x in x.iter_mut().skip($quarter).step_by(4) {
                    *x = x.aesenc($key).pin();
                }
                hash.part(4 * $r - 4 + $quarter, 4 * R - 4);
            };
        }
        round!(1 2 3 4 5 6 7 8 9 10 11 12 13);
        let key = V::broadcast(block(&keys.keys[R]));
        for x in &mut x {
            *x = x.aesenclast(key);
        }
        x
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

/// What is known of the state of the hash after whole chunks.
enum Hashed<'k, V> {
    All(__m128i),
    /// The last one is to be hashed.
    But(HashChunk<'k, V>),
}

impl<V: Vector> Hashed<'_, V> {
    #[inline(always)]
    unsafe fn state(self) -> __m128i {
        match self {
            Self::All(state) => state,
            // SAFETY: as above.
            Self::But(chunk) => unsafe { chunk.at_once() },
        }
    }
}

/// Encrypts or decrypts whole chunks, and takes the ciphertext into the hash. Seal hashes the chunk before the one it
/// encrypts and leaves the last, open the one it decrypts.
#[inline(always)]
unsafe fn bulk<'k, V: Vector, const R: usize, const OPEN: bool>(
    key: &'k KeyData,
    counter: &mut Counter<V>,
    mut state: __m128i,
    input: *const u8,
    output: *mut u8,
    chunks: usize,
) -> Hashed<'k, V> {
    let size = 16 * V::BLOCKS;
    // SAFETY: as above; `chunks` times N registers may be read and written.
    unsafe {
        for chunk in 0..chunks {
            let (input, output) = (input.add(N * size * chunk), output.add(N * size * chunk));
            let blocks = counter.next::<N>();
            let x = if OPEN || chunk > 0 {
                let from = if OPEN { input } else { output.sub(N * size).cast_const() };
                let mut hash = HashChunk::<V>::new(key, state, from);
                let x = rounds_beside::<V, R, N>(&key.round_keys, blocks, &mut hash);
                state = hash.reduce();
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
            return Hashed::But(HashChunk::new(key, state, last));
        }
    }
    Hashed::All(state)
}

/// The rest of a message: how far it is done, and how many blocks there are to hash.
struct Rest<'k, V, const OPEN: bool> {
    key: &'k KeyData,
    input: *const u8,
    output: *mut u8,
    len: usize,
    done: usize,
    blocks: usize,
    state: V,
    sum: Sum<V>,
}

impl<V: Vector, const OPEN: bool> Rest<'_, V, OPEN> {
    /// As much as there is of the next four registers, given their stream.
    #[inline(always)]
    unsafe fn take(&mut self, stream: [V; 4]) {
        // SAFETY: as above; `len` bytes may be read and written.
        unsafe {
            for x in stream {
                if self.done < self.len {
                    let left = self.len - self.done;
                    let data = V::load_part(self.input.add(self.done), left);
                    let result = data.xor(x).store_part(self.output.add(self.done), left);
                    let ciphertext = if OPEN { data } else { result };
                    let h = powers(end(self.key), self.blocks - self.done / 16);
                    self.sum.add(ciphertext.shuffle(block(&REVERSED)).xor(self.state), h);
                    self.state = V::first(_mm_setzero_si128());
                    self.done += left.min(16 * V::BLOCKS);
                }
            }
        }
    }
}

/// The rest of a message, no longer than a chunk; then `last`, if there is one. Returns the hash of all.
#[inline(always)]
unsafe fn tail<V: Vector, const R: usize, const OPEN: bool>(
    key: &KeyData,
    counter: &mut Counter<V>,
    hashed: Hashed<'_, V>,
    input: *const u8,
    output: *mut u8,
    len: usize,
    last: Option<__m128i>,
) -> __m128i {
    let blocks = len.div_ceil(16) + usize::from(last.is_some());
    // SAFETY: as above; `len` bytes may be read and written.
    unsafe {
        let mut rest = Rest::<V, OPEN> {
            key,
            input,
            output,
            len,
            done: 0,
            blocks,
            state: V::first(_mm_setzero_si128()),
            sum: Sum::zero(),
        };
        match hashed {
            Hashed::But(mut chunk) if len > 0 => {
                let x: [V; 4] = rounds_beside::<V, R, 4>(&key.round_keys, counter.next(), &mut chunk);
                rest.state = V::first(chunk.reduce());
                rest.take(x);
            }
            hashed => rest.state = V::first(hashed.state()),
        }
        while rest.done < len {
            // Four registers at a time: enough for the latency of AES, not too many for a short message.
            rest.take(rounds::<V, R, 4>(&key.round_keys, counter.next(), &mut ()));
        }
        let Rest { mut sum, state, .. } = rest;
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
        let state = absorb::<V>(key, _mm_setzero_si128(), aad);
        let hashed = bulk::<V, R, OPEN>(key, &mut counter, state, input, output, chunks);
        let (input, output) = (input.add(chunk * chunks), output.add(chunk * chunks));
        let lengths = _mm_set_epi64x((aad.len() as i64) << 3, (len as i64) << 3);
        let hash = tail::<V, R, OPEN>(key, &mut counter, hashed, input, output, left, Some(lengths));
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
        let hashed = bulk::<V, R, OPEN>(key, &mut next, reversed(block(state)), input, output, chunks);
        let hash = if left > 0 {
            let (input, output) = (input.add(chunk * chunks), output.add(chunk * chunks));
            tail::<V, R, OPEN>(key, &mut next, hashed, input, output, left, None)
        } else {
            hashed.state()
        };
        store128(state, reversed(hash));
    }
    *counter = advance(*counter, len / 16);
}

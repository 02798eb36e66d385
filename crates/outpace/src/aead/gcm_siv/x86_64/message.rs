//! A message in registers of one, two or four blocks, eight of them side by side; [`Vector`] says which.
//!
//! POLYVAL is done as GHASH is, without its order of bytes and its factor x: products with powers of the key, summed over
//! eight registers and reduced once. To seal, the hash comes first and then the stream. When a message is opened, a chunk of
//! eight registers is hashed while the next is decrypted.
//!
//! Floor of a long message for a register of AES-256 on Zen 4, two AESENC (one at 512 bits) in a cycle and a product in two:
//! 7 (14) cycles for the stream, 8 for the hash, one after the other when it is sealed. Beside them each message has a
//! chain of about 60 cycles for the keys, 75 to 100 for powers and schedule, and 60 for the tag.
//!
//! Everything here is inlined into the functions of the kernels, which name the CPU features.

use crate::aead::gcm::x86_64::narrow::{Sum, powers, set_powers};
use crate::cipher::aes::RoundKeys;
use crate::cipher::aes::x86_64::schedule;
use crate::cipher::aes::x86_64::vector::{Meanwhile, Vector, lane_numbers, register, rounds};
use crate::mem::{InOut, Secret, Wipe};
use crate::simd::{load128, store128};
use core::arch::x86_64::*;

/// Registers in a chunk.
const N: usize = 8;

/// Powers of the key for POLYVAL: a chunk and the lengths, and zeros behind the first.
type Powers<V> = [V; N + 2];

/// The keys of one nonce (section 4): half of each of four or six blocks. `end` is the end of the powers.
#[inline(always)]
unsafe fn derive<V: Vector, const K: usize, const R: usize>(
    generator: &RoundKeys,
    nonce: __m128i,
    end: *mut [u8; 16],
    highest: usize,
    cipher: &mut RoundKeys,
) {
    // SAFETY: the features are there, says the caller. So in all of this file.
    unsafe {
        let block = |i| _mm_or_si128(_mm_slli_si128::<4>(nonce), register(i));
        let mut raw = Secret::new([[0; 16]; 2]);
        let h;
        if K == 16 {
            let [a, b, c, d] = rounds::<__m128i, R, 4>(generator, [0, 1, 2, 3].map(block), &mut ());
            h = _mm_unpacklo_epi64(a, b);
            store128(&mut raw[0], _mm_unpacklo_epi64(c, d));
        } else {
            let [a, b, c, d, e, f] = rounds::<__m128i, R, 6>(generator, [0, 1, 2, 3, 4, 5].map(block), &mut ());
            h = _mm_unpacklo_epi64(a, b);
            store128(&mut raw[0], _mm_unpacklo_epi64(c, d));
            store128(&mut raw[1], _mm_unpacklo_epi64(e, f));
        }
        set_powers::<V>(end, h, highest);
        // The encryption of zeros is not used, and not computed.
        let _ = schedule::expand(&raw.as_flattened()[..K], cipher);
    }
}

/// Hashes a chunk, a register in each step.
struct HashChunk<V> {
    end: *const [u8; 16],
    state: __m128i,
    from: *const u8,
    sum: Sum<V>,
}

impl<V: Vector> HashChunk<V> {
    #[inline(always)]
    unsafe fn new(end: *const [u8; 16], state: __m128i, from: *const u8) -> Self {
        // SAFETY: as above.
        Self { end, state, from, sum: unsafe { Sum::zero() } }
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

impl<V: Vector> Meanwhile for HashChunk<V> {
    #[inline(always)]
    unsafe fn step(&mut self, step: usize) {
        if step >= N {
            return;
        }
        // SAFETY: as above; the chunk has N registers.
        unsafe {
            let mut x = V::load(self.from.add(16 * V::BLOCKS * step));
            if step == 0 {
                x = x.xor(V::first(self.state));
            }
            self.sum.add(x, powers(self.end, V::BLOCKS * (N - step)));
        }
    }
}

/// The state of the hash after whole or partial blocks, zeros behind the last.
#[inline(always)]
unsafe fn absorb<V: Vector>(end: *const [u8; 16], mut state: __m128i, data: &[u8]) -> __m128i {
    // SAFETY: as above; each register is within `data`.
    unsafe {
        for now in data.chunks(16 * V::BLOCKS * N) {
            let mut sum = Sum::<V>::zero();
            add_part(&mut sum, end, V::first(state), now.as_ptr(), now.len(), now.len().div_ceil(16));
            state = sum.reduce();
        }
    }
    state
}

/// Adds `len` bytes, and the state before them, times powers from H^`first` down.
#[inline(always)]
unsafe fn add_part<V: Vector>(
    sum: &mut Sum<V>,
    end: *const [u8; 16],
    mut state: V,
    from: *const u8,
    len: usize,
    first: usize,
) {
    let size = 16 * V::BLOCKS;
    // SAFETY: as above.
    unsafe {
        for v in 0..len.div_ceil(size) {
            let x = V::load_part(from.add(size * v), len - size * v).xor(state);
            sum.add(x, powers(end, first - V::BLOCKS * v));
            state = V::first(_mm_setzero_si128());
        }
    }
}

/// Counter blocks, in order, one to a lane: the first 32 bits count, and wrap.
struct Counter<V>(V);

impl<V: Vector> Counter<V> {
    /// It begins at the tag, with its last bit set (section 4).
    #[inline(always)]
    unsafe fn new(tag: __m128i) -> Self {
        // SAFETY: as above.
        unsafe { Self(V::broadcast(_mm_or_si128(tag, register(1 << 127))).add(lane_numbers())) }
    }

    #[inline(always)]
    unsafe fn next<const M: usize>(&mut self) -> [V; M] {
        // SAFETY: as above.
        unsafe {
            let step = V::broadcast(register(V::BLOCKS as u128));
            let mut blocks = [self.0; M];
            for x in &mut blocks {
                *x = self.0;
                self.0 = self.0.add(step);
            }
            blocks
        }
    }
}

/// A chunk XORed with the stream.
#[inline(always)]
unsafe fn crypt<V: Vector, const R: usize>(
    keys: &RoundKeys,
    counter: &mut Counter<V>,
    input: *const u8,
    output: *mut u8,
    meanwhile: &mut impl Meanwhile,
) {
    let size = 16 * V::BLOCKS;
    // SAFETY: as above; N registers may be read and written.
    unsafe {
        let x = rounds::<V, R, N>(keys, counter.next::<N>(), meanwhile);
        for v in 0..N {
            x[v].xor(V::load(input.add(size * v))).store(output.add(size * v));
        }
    }
}

/// `len` bytes, no more than half a chunk; returns the registers of output, zeros behind it.
#[inline(always)]
unsafe fn crypt_part<V: Vector, const R: usize>(
    keys: &RoundKeys,
    counter: &mut Counter<V>,
    input: *const u8,
    output: *mut u8,
    len: usize,
    meanwhile: &mut impl Meanwhile,
) -> [V; N / 2] {
    let size = 16 * V::BLOCKS;
    // SAFETY: as above; `len` bytes may be read and written.
    unsafe {
        let mut x = rounds::<V, R, { N / 2 }>(keys, counter.next(), meanwhile);
        for v in 0..N / 2 {
            if size * v < len {
                let data = V::load_part(input.add(size * v), len - size * v);
                x[v] = x[v].xor(data).store_part(output.add(size * v), len - size * v);
            }
        }
        x
    }
}

/// RFC 8452, sections 4 and 5; see [`super::Message`].
#[inline(always)]
pub(super) unsafe fn message<V: Vector + Wipe, const K: usize, const R: usize, const OPEN: bool>(
    generator: &RoundKeys,
    nonce: &[u8; 12],
    aad: &[u8],
    mut data: InOut<'_>,
    tag: &[u8; 16],
) -> [u8; 16] {
    let (len, input, output) = (data.len(), data.input(), data.output());
    let size = 16 * V::BLOCKS;
    let (chunks, left) = (len / (N * size), len % (N * size));
    let whole = len - left;
    // Blocks after the chunks; the last has the lengths.
    let rest = left.div_ceil(16) + 1;
    let mut cipher = Secret::new(RoundKeys::empty(K));
    // SAFETY: as above; the pointers stay within `data`, and within the powers.
    unsafe {
        let mut table: Secret<Powers<V>> = Secret::new([V::first(_mm_setzero_si128()); N + 2]);
        let end = table.as_mut_ptr().add(N + 1).cast::<[u8; 16]>();
        let nonce = register(super::super::nonce_block(nonce));
        let longest = (if len.max(aad.len()) < N * size { aad.len().div_ceil(16) } else { N * V::BLOCKS }).max(rest);
        derive::<V, K, R>(generator, nonce, end, longest, &mut cipher);
        let (end, cipher) = (end.cast_const(), &*cipher);
        let mut state = absorb::<V>(end, _mm_setzero_si128(), aad);
        let mut sum = Sum::<V>::zero();
        if OPEN {
            let mut counter = Counter::<V>::new(load128(tag));
            for chunk in 0..chunks {
                let (input, output) = (input.add(N * size * chunk), output.add(N * size * chunk));
                if chunk > 0 {
                    let mut hash = HashChunk::<V>::new(end, state, output.sub(N * size));
                    crypt::<V, R>(cipher, &mut counter, input, output, &mut hash);
                    state = hash.sum.reduce();
                } else {
                    crypt::<V, R>(cipher, &mut counter, input, output, &mut ());
                }
            }
            if chunks > 0 {
                state = HashChunk::<V>::new(end, state, output.add(whole - N * size)).all();
            }
            let mut done = 0;
            while done < left {
                let (input, output) = (input.add(whole + done), output.add(whole + done));
                let x = crypt_part::<V, R>(cipher, &mut counter, input, output, left - done, &mut ());
                for v in 0..N / 2 {
                    if done + size * v < left {
                        let x = if done + v == 0 { x[v].xor(V::first(state)) } else { x[v] };
                        sum.add(x, powers(end, rest - done / 16 - V::BLOCKS * v));
                    }
                }
                done += N / 2 * size;
            }
        } else {
            for chunk in 0..chunks {
                state = HashChunk::<V>::new(end, state, input.add(N * size * chunk)).all();
            }
            add_part(&mut sum, end, V::first(state), input.add(whole), left, rest);
        }
        let lengths = _mm_set_epi64x((len as i64) << 3, (aad.len() as i64) << 3);
        let last = if left > 0 { lengths } else { _mm_xor_si128(lengths, state) };
        sum.add(V::first(last), powers(end, 1));
        let hash = _mm_and_si128(_mm_xor_si128(sum.reduce(), nonce), register(u128::MAX >> 1));
        let [made] = rounds::<__m128i, R, 1>(cipher, [hash], &mut ());
        if !OPEN {
            let mut counter = Counter::<V>::new(made);
            for chunk in 0..chunks {
                let (input, output) = (input.add(N * size * chunk), output.add(N * size * chunk));
                crypt::<V, R>(cipher, &mut counter, input, output, &mut ());
            }
            let mut done = whole;
            while done < len {
                crypt_part::<V, R>(cipher, &mut counter, input.add(done), output.add(done), len - done, &mut ());
                done += N / 2 * size;
            }
        }
        let mut tag = [0; 16];
        store128(&mut tag, made);
        tag
    }
}

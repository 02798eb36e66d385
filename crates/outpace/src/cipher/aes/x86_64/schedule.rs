//! The key schedule of FIPS 197, section 5.2, without AESKEYGENASSIST, which takes a dozen cycles.
//!
//! In the sequence of the round keys of AES-128, or of every other one of AES-256, each is the prefix sums (XORs) of the
//! words of the one before it, plus a word tₙ = SubWord(…) ⊕ Rcon to all four of them. Prefix sums of prefix sums, four
//! times, are the identity. So of the last words wₙ it is known that wₙ = tₙ ⊕ wₙ₋₄, and of the others that key n is
//!
//! (wₙ ⊕ wₙ₋₁ ⊕ wₙ₋₂ ⊕ wₙ₋₃, wₙ ⊕ wₙ₋₂, wₙ ⊕ wₙ₋₁, wₙ).
//!
//! AESENCLAST on four equal columns is SubWord of each, since ShiftRows moves nothing then, and adds its key, here wₙ₋₄ ⊕
//! Rcon. RotWord stays out of it, if word n is kept turned back n times. What is left of the chain is that one
//! instruction a key: 30 to 40 cycles for AES-128 and 39 to 52 for AES-256, depending on the CPU.
//!
//! Everything here is inlined into the functions of the kernels, which name the CPU features.

use crate::cipher::aes::RoundKeys;
use crate::simd::{load128, store128};
use core::arch::x86_64::*;

/// The round keys of a key of 16, 24 or 32 bytes, in the order of the standard. Returns the encryption of zeros, whose
/// rounds take each key as it appears; what is not used of it is not computed.
///
/// # Safety
/// The CPU must have AES-NI, SSSE3 and SSE4.1.
#[inline(always)]
pub(crate) unsafe fn expand(key: &[u8], out: &mut RoundKeys) -> __m128i {
    // SAFETY: the features are there, says the caller. So in all of this file.
    unsafe {
        match key.len() {
            16 => {
                expand128(key.first_chunk().unwrap_or(&[0; 16]), &mut out.keys);
                encrypt_zeros::<10>(out)
            }
            24 => {
                expand192(key.first_chunk().unwrap_or(&[0; 24]), &mut out.keys);
                encrypt_zeros::<12>(out)
            }
            _ => {
                expand256(key.first_chunk().unwrap_or(&[0; 32]), &mut out.keys);
                encrypt_zeros::<14>(out)
            }
        }
    }
}

#[inline(always)]
unsafe fn encrypt_zeros<const R: usize>(keys: &RoundKeys) -> __m128i {
    // SAFETY: as above.
    unsafe {
        let mut x = load128(&keys.keys[0]);
        for i in 1..R {
            x = _mm_aesenc_si128(x, load128(&keys.keys[i]));
        }
        _mm_aesenclast_si128(x, load128(&keys.keys[R]))
    }
}

const RCON: [u32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// RotWord in each word, `N` times.
#[inline(always)]
unsafe fn turn<const N: usize>(x: __m128i) -> __m128i {
    // SAFETY: as above.
    unsafe {
        match N % 4 {
            0 => x,
            1 => _mm_shuffle_epi8(x, _mm_set_epi32(0x0c0f_0e0d, 0x080b_0a09, 0x0407_0605, 0x0003_0201)),
            2 => _mm_shuffle_epi8(x, _mm_set_epi32(0x0d0c_0f0e, 0x0908_0b0a, 0x0504_0706, 0x0100_0302)),
            _ => _mm_shuffle_epi8(x, _mm_set_epi32(0x0e0d_0c0f, 0x0a09_080b, 0x0605_0407, 0x0201_0003)),
        }
    }
}

/// What the next key of a sequence is made of.
struct Sequence {
    /// The last words of the four keys before it, in all columns, that of key n turned back n times.
    turned: [__m128i; 4],
    /// Those of the three before it as they are.
    words: [__m128i; 3],
}

impl Sequence {
    /// What precedes key 1, given key 0.
    #[inline(always)]
    unsafe fn new(key: __m128i) -> Self {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (_mm_shuffle_epi32::<0x00>(key), _mm_shuffle_epi32::<0x55>(key));
            let (c, d) = (_mm_shuffle_epi32::<0xaa>(key), _mm_shuffle_epi32::<0xff>(key));
            let (cd, bd) = (_mm_xor_si128(c, d), _mm_xor_si128(b, d));
            let all = _mm_xor_si128(_mm_xor_si128(a, b), cd);
            Self { turned: [turn::<3>(all), turn::<2>(bd), turn::<1>(cd), d], words: [bd, cd, d] }
        }
    }

    /// The last word there is.
    #[inline(always)]
    fn last(&self) -> __m128i {
        self.turned[3]
    }

    /// Key `N`, whose t is made of `from`, the last word of this sequence or another.
    #[inline(always)]
    unsafe fn next<const N: usize>(&mut self, from: __m128i, rcon: u32) -> __m128i {
        // SAFETY: as above.
        unsafe {
            let [t4, t3, t2, t1] = self.turned;
            let rcon = _mm_set1_epi32(rcon.rotate_left(8 * N as u32) as i32);
            let turned = _mm_aesenclast_si128(from, _mm_xor_si128(t4, rcon));
            let word = turn::<N>(turned);
            let [w3, w2, w1] = self.words;
            *self = Self { turned: [t3, t2, t1, turned], words: [w2, w1, word] };
            let w1 = _mm_and_si128(w1, _mm_set_epi32(0, -1, 0, -1));
            let w2 = _mm_and_si128(w2, _mm_set_epi32(0, 0, -1, -1));
            let w3 = _mm_and_si128(w3, _mm_set_epi32(0, 0, 0, -1));
            _mm_xor_si128(word, _mm_xor_si128(_mm_xor_si128(w1, w2), w3))
        }
    }
}

#[inline(always)]
unsafe fn expand128(key: &[u8; 16], out: &mut [[u8; 16]; 15]) {
    // SAFETY: as above.
    unsafe {
        store128(&mut out[0], load128(key));
        let mut keys = Sequence::new(load128(key));
        macro_rules! next {
            ($($n:literal)*) => { $( store128(&mut out[$n], keys.next::<$n>(keys.last(), RCON[$n - 1])); )* };
        }
        next!(1 2 3 4 5 6 7 8 9 10);
    }
}

#[inline(always)]
unsafe fn expand256(key: &[u8; 32], out: &mut [[u8; 16]; 15]) {
    let [low, high] = key.as_chunks::<16>().0 else { return };
    // SAFETY: as above.
    unsafe {
        store128(&mut out[0], load128(low));
        store128(&mut out[1], load128(high));
        let (mut even, mut odd) = (Sequence::new(load128(low)), Sequence::new(load128(high)));
        macro_rules! next {
            ($($n:literal)*) => { $(
                store128(&mut out[2 * $n], even.next::<$n>(odd.last(), RCON[$n - 1]));
                store128(&mut out[2 * $n + 1], odd.next::<$n>(even.last(), 0));
            )* };
        }
        next!(1 2 3 4 5 6);
        store128(&mut out[14], even.next::<7>(odd.last(), RCON[6]));
    }
}

/// Four and two words at a time, one after the other.
#[inline(always)]
unsafe fn expand192(key: &[u8; 24], out: &mut [[u8; 16]; 15]) {
    let words = out.as_flattened_mut().as_chunks_mut::<8>().0;
    let mut all = [[0; 16]; 2];
    // SAFETY: as above.
    unsafe {
        let mut four = load128(key.first_chunk().unwrap_or(&[0; 16]));
        let mut two = load128(key.last_chunk().unwrap_or(&[0; 16])); // in its upper half
        for i in 0..9 {
            if i > 0 {
                let turned = _mm_shuffle_epi8(two, _mm_set1_epi32(0x0c0f_0e0d));
                let t = _mm_aesenclast_si128(turned, _mm_set1_epi32(RCON[i - 1] as i32));
                // Each word XORed with all words before it.
                let sums = _mm_xor_si128(four, _mm_slli_si128::<4>(four));
                four = _mm_xor_si128(_mm_xor_si128(sums, _mm_slli_si128::<8>(sums)), t);
                let upper = _mm_xor_si128(two, _mm_slli_epi64::<32>(two));
                two = _mm_xor_si128(upper, _mm_shuffle_epi32::<0xff>(four));
            }
            store128(&mut all[0], four);
            store128(&mut all[1], two);
            // Words 6i to 6i + 5; the last two of all are beyond the thirteenth round key.
            let [_, last] = all[1].as_chunks::<8>().0 else { return };
            words[3 * i..3 * i + 2].copy_from_slice(all[0].as_chunks().0);
            words[3 * i + 2] = *last;
        }
    }
    crate::mem::Wipe::wipe(&mut all);
}

//! ChaCha20-Poly1305 (RFC 8439 section 2.8) for cores that run 512-bit instructions in halves (Zen 4).
//!
//! *Up to 64 bytes* two blocks are made in the form with the shortest chain, 240 cycles in place of 320; Poly1305 takes
//! 15 a block. Longer messages go as on other cores.

use super::super::{Ops, lengths};
use super::avx512::{self, absorb_padded, crypt, crypt_last, words};
use crate::cipher::chacha20::SIGMA;
use crate::cipher::chacha20::x86_64::halves::pair;
use crate::cpu::{Features, Kernel};
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::{InOut, Secret};
use crate::simd;
use core::arch::x86_64::*;

pub(in super::super) const KERNEL: Kernel<Ops> = {
    let ops = Ops {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        seal: |key, nonce, aad, data| unsafe { message::<false>(key, nonce, aad, data) },
        // SAFETY: as above.
        open: |key, nonce, aad, data| unsafe { message::<true>(key, nonce, aad, data) },
    };
    let needs = Features::AVX512.and(Features::IFMA).and(Features::VBMI).and(Features::BMI2);
    // SAFETY: `message` is built for exactly the features named here.
    unsafe { Kernel::new("avx512-halves", needs, ops) }.suited_to(Features::HALVES)
};

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn message<const OPEN: bool>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    match data.len() {
        0..=64 => shortest::<OPEN>(key, nonce, aad, data),
        _ => avx512::message::<OPEN>(key, nonce, aad, data),
    }
}

/// At most one block.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn shortest<const OPEN: bool>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], mut data: InOut<'_>) -> [u8; 16] {
    let [low, high] = key.as_chunks::<4>().0 else { unreachable!() };
    let [a, b, c, d] = pair([
        simd::load128_u32(&SIGMA),
        simd::load128_u32(low),
        simd::load128_u32(high),
        _mm_setr_epi32(0, nonce[0].cast_signed(), nonce[1].cast_signed(), nonce[2].cast_signed()),
    ]);
    let mut mac = Mac::from_words(words(_mm256_castsi256_si128(a)), words(_mm256_castsi256_si128(b)));
    let (ab, cd) = (_mm256_permute2x128_si256::<0x31>(a, b), _mm256_permute2x128_si256::<0x31>(c, d));
    let stream = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(ab), cd);
    let mut ciphertext = [0; 64];
    if data.len() == 64 {
        simd::store512(&mut ciphertext, crypt::<OPEN>(&mut data, 0, stream));
    } else if data.len() != 0 {
        simd::store512(&mut ciphertext, crypt_last::<OPEN>(&mut data, 0, stream));
    }
    absorb_padded(&mut mac, aad);
    for m in &ciphertext.as_chunks::<16>().0[..data.len().div_ceil(16)] {
        poly1305::block(&mut mac, m, 1);
    }
    poly1305::block(&mut mac, &lengths(aad.len(), data.len()), 1);
    let mac = Secret::new(mac);
    poly1305::tag(&mac)
}

//! ChaCha20-Poly1305 (RFC 8439 section 2.8), 15 to 24 blocks, to open: what is authenticated is known before key stream is.
//!
//! Associated data and the first 25 blocks of Poly1305 are taken in general registers beside the rounds, where they cost
//! nothing, see `lockstep`. The others, with that of the lengths as the last, fill five to nine vectors to the end; in the
//! first of them, lanes that stand for what has been taken are zero. Four vectors are multiplied by r^32 to r^8; those
//! between, with what is carried over, by at most r^32 to r^8; the last by r^8 to r. Each vector is read before what is
//! decrypted is written over it.
//!
//! The floor are 18 cycles a vector for VPMADD52 and a shift, which have two pipes, and 90 from the last but one to the
//! tag, which hide most of the transposition: 230 for eight vectors, and 840 for the rounds. All takes 1180.

use super::super::lengths;
use super::lockstep::{AHEAD, Place, rounds_ahead};
use super::middle::{Sum, crypt_blocks, four, limbs, quads, stride, two};
use crate::mac::poly1305::x86_64::ifma;
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::InOut;
use crate::simd;
use core::arch::x86_64::*;

/// A bit for each of eight blocks, the first the lowest, where `ifma::split` puts them.
#[inline]
#[target_feature(enable = "bmi2")]
fn lanes(blocks: u8) -> __mmask8 {
    (_pdep_u32(blocks.into(), 0x55) | _pdep_u32(u32::from(blocks) >> 4, 0xaa)) as __mmask8
}

/// Input that is not yet overwritten.
///
/// # Safety
/// There are 128 bytes from `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn load(data: &InOut<'_>, at: usize) -> [__m512i; 2] {
    // SAFETY: the caller's; the bytes are initialised.
    unsafe {
        let from = data.input().add(at);
        [_mm512_loadu_si512(from.cast()), _mm512_loadu_si512(from.add(64).cast())]
    }
}

/// 8 to 12 times 128 bytes.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
pub(super) fn open(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], mut data: InOut<'_>) -> [u8; 16] {
    let len = data.len();
    assert!(len > 128 * 7 && len <= 128 * 12);
    let blocks = len.div_ceil(16);
    let vectors = (blocks + 1 - AHEAD).div_ceil(8);
    // So many are in the first vector.
    let taken = 8 * vectors - (blocks + 1 - AHEAD);
    let start = 16 * (AHEAD - taken);
    macro_rules! vector {
        ($v:expr) => {
            // SAFETY: the last but one vector ends with the last but seventh block.
            ifma::split(unsafe { load(&data, start + 128 * $v) })
        };
    }
    // SAFETY: so it has.
    let mut place = unsafe { Place::new() };
    let work = place.work(key, nonce);
    let (z, h) = rounds_ahead(work, aad, &data);
    let mut q = quads(z);
    // Else both of what is transposed and what is not would be kept, in memory that nobody wipes.
    simd::pin(&mut q);

    let m = vector!(0).map(|limb| _mm512_maskz_mov_epi64(lanes(0xff << taken), limb));
    let h = ifma::limbs(h).map(|limb| _mm512_maskz_set1_epi64(lanes(1 << taken), limb.cast_signed()));
    let mut c = Sum::zero();
    c.add(&vector!(1), &stride(work, 3));
    c.pin();
    crypt_blocks(&mut data, 0, four(&q, 0));
    c.add(&vector!(2), &stride(work, 2));
    c.pin();
    c.add(&vector!(3), &stride(work, 1));
    c.pin();
    crypt_blocks(&mut data, 256, four(&q, 1));
    let m = ifma::add(&h, &m);
    let p = stride(work, 4);
    c.add(&m, &p);
    c.add_top(&m, &p);
    c.pin();
    crypt_blocks(&mut data, 512, four(&q, 2));
    let mut columns = ifma::carry(c.columns());
    simd::pin(&mut columns);

    // SAFETY: from the last but sixth block on; four are whole, and the mask leaves out what is beyond the end.
    let last = unsafe {
        let from = data.input().add(16 * (blocks - 7));
        let mask = _bzhi_u64(u64::MAX, (len - 16 * (blocks - 3)) as u32);
        let rest = _mm512_maskz_loadu_epi8(mask, from.add(64).cast());
        let lengths = simd::load128(&lengths(aad.len(), len));
        [_mm512_loadu_si512(from.cast()), _mm512_inserti32x4::<3>(rest, lengths)]
    };
    let mut h = ifma::fold(columns);
    simd::pin(&mut h);
    if vectors > 5 {
        let mut c = Sum::zero();
        for v in 5..vectors - 1 {
            c.add(&vector!(v), &stride(work, vectors - 1 - v));
            c.pin();
        }
        let m = ifma::add(&h, &vector!(4));
        let p = stride(work, vectors - 5);
        c.add(&m, &p);
        c.add_top(&m, &p);
        h = ifma::fold(ifma::carry(c.columns()));
        simd::pin(&mut h);
    }
    crypt_blocks(&mut data, 768, four(&q, 3));
    let m = ifma::add(&h, &ifma::split(last));
    let order = simd::load512_u64(&ifma::ORDER);
    let p = limbs(work.powers.map(|row| _mm512_permutexvar_epi64(order, simd::load512_u64(&row))));
    let mut c = Sum::zero();
    c.add(&m, &p);
    c.add_top(&m, &p);
    c.pin();
    crypt_blocks(&mut data, 1024, two(work, 0));
    crypt_blocks(&mut data, 1152, two(work, 1));
    crypt_blocks(&mut data, 1280, two(work, 2));
    crypt_blocks(&mut data, 1408, two(work, 3));
    poly1305::tag(&Mac { r: [0; 2], s: work.s, h: ifma::collect(ifma::sums(c.columns())) })
}

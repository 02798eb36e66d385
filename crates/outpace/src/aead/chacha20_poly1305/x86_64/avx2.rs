//! ChaCha20-Poly1305 (RFC 8439 section 2.8) with ChaCha20 in AVX2 and Poly1305 in general registers beside it.
//!
//! Eight blocks a pass, and during each double round Poly1305 on four of its own blocks from the pass before. The vector
//! operations fill three ports, 0.83 cycles a byte, and Poly1305's multiplications use two of them, so the floor is about
//! 1.1 cycles a byte.

use super::super::{Ops, lengths};
use crate::cipher::chacha20::State;
use crate::cipher::chacha20::x86_64::avx2::{columns, columns_finish, columns_start, double_round_256, rows};
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
    // SAFETY: `message` is built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2.and(Features::BMI2), ops) }
};

/// Xors data with at least as much key stream and keeps the ciphertext, zeros behind it up to a whole block of Poly1305.
#[inline]
#[target_feature(enable = "avx2")]
fn crypt<const OPEN: bool>(mut data: InOut<'_>, stream: &[[u8; 64]], kept: &mut [[u8; 64]; 8]) {
    let (stream, kept) = (stream.as_flattened().as_chunks::<32>().0, kept.as_flattened_mut().as_chunks_mut::<32>().0);
    assert!(data.len() <= 32 * stream.len() && data.len() <= 32 * kept.len());
    let whole = data.len() / 32;
    for i in 0..whole {
        // SAFETY: 32 (i + 1) is at most the length of the data, which is initialised and not referred to elsewhere.
        let (from, to) = unsafe {
            let from = _mm256_loadu_si256(data.input().add(32 * i).cast());
            let to = _mm256_xor_si256(from, simd::load256(&stream[i]));
            _mm256_storeu_si256(data.output().add(32 * i).cast(), to);
            (from, to)
        };
        simd::store256(&mut kept[i], if OPEN { from } else { to });
    }
    let n = data.len() - 32 * whole;
    if n > 0 {
        let (mut from, mut to) = ([0; 32], [0; 32]);
        data.read(32 * whole, &mut from[..n]);
        for i in 0..n {
            to[i] = from[i] ^ stream[whole][i];
        }
        data.write(32 * whole, &to[..n]);
        kept[whole] = if OPEN { from } else { to };
    }
}

#[inline(always)]
fn absorb(mac: &mut Mac, blocks: &[[u8; 16]]) {
    for m in blocks {
        poly1305::block(mac, m, 1);
    }
}

/// Associated data and zeros up to a whole block.
#[inline(always)]
fn absorb_padded(mac: &mut Mac, bytes: &[u8]) {
    let (blocks, rest) = bytes.as_chunks::<16>();
    absorb(mac, blocks);
    if !rest.is_empty() {
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        poly1305::block(mac, &last, 1);
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn message<const OPEN: bool>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    let len = data.len();
    let mut state = Secret::new(State::new(key, 0, nonce));
    let mut stream = Secret::new([[0; 64]; 8]);
    let first = if len <= 3 * 64 {
        rows(&state, stream.first_chunk_mut().expect("four of eight"));
        3
    } else {
        columns(&state, &mut stream);
        7
    };
    let mut mac = Secret::new(Mac::new(stream[0].first_chunk().expect("a key is half a block")));
    absorb_padded(&mut mac, aad);
    let mut kept = [[0; 64]; 8];
    let mut held = len.min(64 * first);
    let (part, mut rest) = data.split_at(held);
    crypt::<OPEN>(part, &stream[1..=first], &mut kept);

    while rest.len() > 0 {
        // What is held is whole blocks here.
        state.advance(8);
        let n = rest.len().min(512);
        let (mut quads, _) = kept.as_flattened()[..held].as_chunks::<64>();
        if n > 256 {
            let mut v = columns_start(&state);
            for _ in 0..10 {
                double_round_256!(v);
                if let Some((quad, others)) = quads.split_first() {
                    absorb(&mut mac, quad.as_chunks().0);
                    quads = others;
                }
            }
            columns_finish(v, &state, &mut stream);
        } else {
            absorb(&mut mac, quads.as_flattened().as_chunks().0);
            rows(&state, stream.first_chunk_mut().expect("four of eight"));
        }
        let (part, other) = rest.split_at(n);
        crypt::<OPEN>(part, &*stream, &mut kept);
        (held, rest) = (n, other);
    }
    absorb(&mut mac, &kept.as_flattened().as_chunks().0[..held.div_ceil(16)]);
    poly1305::block(&mut mac, &lengths(aad.len(), len), 1);
    poly1305::tag(&mac)
}

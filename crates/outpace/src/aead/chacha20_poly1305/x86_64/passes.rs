//! ChaCha20-Poly1305 (RFC 8439 section 2.8) in passes: vectors make key stream, and beside their rounds general registers
//! take Poly1305 over the ciphertext of the pass before, which costs next to nothing there: its fourteen cycles a block
//! are mostly waiting, and the instructions of both fit into what a core decodes.
//!
//! The first pass makes the one-time key as well and the last one is as short as it can be, so that little is left for
//! Poly1305 alone.

use super::super::lengths;
use crate::cipher::chacha20::{Beside, Blocks, State};
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::{InOut, Secret};
use core::marker::PhantomData;

/// A width of vectors.
pub(super) trait Width {
    /// Blocks of ChaCha20 in a pass, at most eight.
    const PASS: usize;

    /// At least `blocks` blocks of key stream, at most `PASS`.
    ///
    /// # Safety
    /// The CPU has the features of this width.
    unsafe fn stream<B: Beside>(state: &State, blocks: usize, stream: &mut [[u8; 64]], beside: &mut B);
}

/// Poly1305 beside the rounds.
struct Ahead<'a, W> {
    mac: &'a mut Mac,
    blocks: &'a [[u8; 16]],
    width: PhantomData<W>,
}

impl<'a, W: Width> Beside for Ahead<'a, W> {
    type Now = (Mac, &'a [[u8; 16]]);

    #[inline(always)]
    fn begin(&self) -> Self::Now {
        (Mac { ..*self.mac }, self.blocks)
    }

    /// Three of the thirty-two blocks of eight blocks of ChaCha20, two of the sixteen of four.
    #[inline(always)]
    fn step((mac, blocks): &mut Self::Now) {
        let n = (4 * W::PASS).div_ceil(11);
        if let Some((now, later)) = blocks.split_at_checked(n) {
            absorb(mac, now);
            *blocks = later;
        }
    }

    #[inline(always)]
    fn end(&mut self, (mac, blocks): Self::Now) {
        self.mac.h = mac.h;
        self.blocks = blocks;
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
    poly1305::absorb(mac, blocks.as_flattened());
    if !rest.is_empty() {
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        poly1305::block(mac, &last, 1);
    }
}

/// Xors data with at least as much key stream and keeps the ciphertext, zeros behind it up to a whole block of ChaCha20.
#[inline(always)]
fn crypt<const OPEN: bool>(mut data: InOut<'_>, stream: &[[u8; 64]], kept: &mut [[u8; 64]]) {
    let whole = data.len() / 64;
    let n = data.len() % 64;
    for i in 0..whole {
        let mut from = [0; 64];
        data.read(64 * i, &mut from);
        let to = core::array::from_fn(|j| from[j] ^ stream[i][j]);
        data.write(64 * i, &to);
        kept[i] = if OPEN { from } else { to };
    }
    if n > 0 {
        let (mut from, mut to) = ([0; 64], [0; 64]);
        data.read(64 * whole, &mut from[..n]);
        for i in 0..n {
            to[i] = from[i] ^ stream[whole][i];
        }
        data.write(64 * whole, &to[..n]);
        kept[whole] = if OPEN { from } else { to };
    }
}

/// Seals, or opens, and returns the tag; `state` is the initial one, at block 0.
///
/// # Safety
/// The CPU has the features of `W`.
#[inline(always)]
pub(super) unsafe fn message<W: Width, const OPEN: bool>(
    mut state: Secret<State>,
    aad: &[u8],
    data: InOut<'_>,
) -> [u8; 16] {
    let len = data.len();
    let mut stream = Secret::new(Blocks::<8>::ZERO);
    let first = len.div_ceil(64).min(W::PASS - 1);
    // SAFETY: the caller's.
    unsafe { W::stream(&state, 1 + first, &mut stream.0, &mut ()) };
    let mut mac = Secret::new(Mac::new(stream.0[0].first_chunk().expect("a key is half a block")));
    absorb_padded(&mut mac, aad);
    let mut kept = Blocks::<8>::ZERO;
    let (part, mut rest) = data.split_at(len.min(64 * first));
    let mut held = part.len();
    crypt::<OPEN>(part, &stream.0[1..], &mut kept.0);

    while rest.len() > 0 {
        // What is held is whole blocks here.
        state.advance(W::PASS as u32);
        let n = rest.len().min(64 * W::PASS);
        let blocks = &kept.0.as_flattened().as_chunks().0[..held / 16];
        let mut ahead = Ahead::<W> { mac: &mut mac, blocks, width: PhantomData };
        // SAFETY: the caller's.
        unsafe { W::stream(&state, n.div_ceil(64), &mut stream.0, &mut ahead) };
        absorb(ahead.mac, ahead.blocks);
        let (part, other) = rest.split_at(n);
        crypt::<OPEN>(part, &stream.0, &mut kept.0);
        (held, rest) = (n, other);
    }
    absorb(&mut mac, &kept.0.as_flattened().as_chunks().0[..held.div_ceil(16)]);
    poly1305::block(&mut mac, &lengths(aad.len(), len), 1);
    poly1305::tag(&mac)
}

//! RFC 8439 section 2.8, step by step.

use super::{Ops, lengths};
use crate::cipher::chacha20::{State, portable};
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::{InOut, Secret};

pub(super) const OPS: Ops = Ops { seal: message::<false>, open: message::<true> };

/// Absorbs `bytes`, and zeros up to a whole block.
fn absorb_padded(mac: &mut Mac, bytes: &[u8]) {
    for chunk in bytes.chunks(16) {
        let mut block = [0; 16];
        block[..chunk.len()].copy_from_slice(chunk);
        poly1305::block(mac, &block, 1);
    }
}

fn message<const OPEN: bool>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    let last = lengths(aad.len(), data.len());
    let mut state = Secret::new(State::new(key, 0, nonce));
    let one_time = Secret::new(portable::block(&state));
    let mut mac = Secret::new(Mac::new(one_time.first_chunk().expect("64 bytes have 32 first ones")));
    absorb_padded(&mut mac, aad);
    data.for_each_block::<64>(|block, n| {
        state.advance(1);
        if OPEN {
            absorb_padded(&mut mac, &block[..n]);
        }
        let stream = Secret::new(portable::block(&state));
        for (byte, key) in block[..n].iter_mut().zip(*stream) {
            *byte ^= key;
        }
        if !OPEN {
            absorb_padded(&mut mac, &block[..n]);
        }
    });
    poly1305::block(&mut mac, &last, 1);
    poly1305::tag(&mac)
}

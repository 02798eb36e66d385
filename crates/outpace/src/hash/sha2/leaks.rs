//! What the leak checker runs: hash a secret message with every kernel.

use crate::hash::many::MAX_LANES;
use crate::hash::sha2::{sha256, sha512};
use crate::hash::{Hash, Output as _};
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[
    Check::new("hash/sha256", || {
        for (_, kernel) in sha256::BLOCKS.all() {
            let (mut state, blocks) = ([7; 8], [[3; 64]; 3]);
            taint::secret(&state);
            taint::secret(&blocks);
            (kernel.compress)(&mut state, &blocks);
            let mut outer = [9; 8];
            taint::secret(&outer);
            if let Some(pair) = kernel.pair {
                pair([&mut state, &mut outer], [&blocks[0], &blocks[1]]);
            }
            kernel.finish::<sha256::Words32>(&mut state, &blocks[..1], &[], 64);
            for rest in [0, 1, 55, 56, 63] {
                if let Some(nest) = kernel.nest {
                    nest(&mut state, &blocks, &blocks[0][..rest], 192 + rest as u128, &outer, 96);
                }
                kernel.finish::<sha256::Words32>(&mut state, &blocks, &blocks[0][..rest], 192 + rest as u128);
            }
            core::hint::black_box(&state);
        }
    }),
    Check::new("hash/sha256-many", || {
        for (_, many) in sha256::LANES.all() {
            let (mut states, blocks) = ([[7; 8]; MAX_LANES], [[3; 64]; 3]);
            taint::secret(&states);
            taint::secret(&blocks);
            (many.compress)(&mut states, &[&blocks; MAX_LANES]);
            core::hint::black_box(&states);
        }
    }),
    Check::new("hash/sha2-in-pieces-and-many", || {
        pieces_and_many::<sha256::Sha256>();
        pieces_and_many::<sha512::Sha512>();
    }),
    Check::new("hash/sha512", || {
        for (_, kernel) in sha512::BLOCKS.all() {
            let (mut state, blocks) = ([7; 8], [[3; 128]; 7]);
            taint::secret(&state);
            taint::secret(&blocks);
            for n in 0..=blocks.len() {
                (kernel.compress)(&mut state, &blocks[..n]);
            }
            for rest in [0, 1, 64, 111, 112, 127] {
                kernel.finish::<sha512::Words64>(&mut state, &blocks[..1], &blocks[0][..rest], 128 + rest as u128);
            }
            core::hint::black_box(&state);
        }
    }),
    Check::new("hash/sha512-many", || {
        for (_, many) in sha512::LANES.all() {
            let (mut states, blocks) = ([[7; 8]; MAX_LANES], [[3; 128]; 3]);
            taint::secret(&states);
            taint::secret(&blocks);
            (many.compress)(&mut states, &[&blocks; MAX_LANES]);
            core::hint::black_box(&states);
        }
    }),
];

/// What lies around the kernels: buffering, and the lanes in step, in turns, and too few for a kernel.
fn pieces_and_many<H: Hash>() {
    let data = [3; 300];
    taint::secret(&data);
    let mut hash = H::new();
    for piece in [&data[..], &data[..1], &data[..0], &data[..129]] {
        hash.update(piece);
    }
    core::hint::black_box(hash.finish());
    let mut messages = [&data[..]; 40];
    for (i, message) in messages[16..].iter_mut().enumerate() {
        *message = &data[..11 * i];
    }
    for count in [1, 16, 40] {
        let mut digests = [H::Output::ZERO; 40];
        assert!(H::digest_many(&messages[..count], &mut digests[..count]).is_ok());
        core::hint::black_box(&digests);
    }
}

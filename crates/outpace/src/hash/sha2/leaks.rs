//! What the leak checker runs: hash a secret message with every kernel.

use crate::hash::many::MAX_LANES;
use crate::hash::sha2::{sha256, sha512};
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[
    Check::new("hash/sha256", || {
        for (_, kernel) in sha256::BLOCKS.all() {
            let (mut state, blocks) = ([7; 8], [[3; 64]; 3]);
            taint::secret(&state);
            taint::secret(&blocks);
            (kernel.compress)(&mut state, &blocks);
            for rest in [0, 1, 55, 56, 63] {
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
    Check::new("hash/sha512", || {
        for (_, kernel) in sha512::BLOCKS.all() {
            let (mut state, blocks) = ([7; 8], [[3; 128]; 7]);
            taint::secret(&state);
            taint::secret(&blocks);
            for n in 0..=blocks.len() {
                (kernel.compress)(&mut state, &blocks[..n]);
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

//! What the leak checker runs: hash a secret message from a secret state with every kernel.

use super::{State, blake2b, blake2s};
use crate::hash::many::MAX_LANES;
use crate::leaks::Check;
use crate::mem::taint;

/// The counter and the flag are public, as lengths are.
fn state<W: Copy>(word: W) -> State<W> {
    let state = State { h: [word; 8], t: 0, f: 0 };
    taint::secret(&state.h);
    state
}

pub(crate) const CHECKS: &[Check] = &[
    Check::new("hash/blake2b", || {
        for (_, compress) in blake2b::COMPRESS.all() {
            let (mut state, blocks) = (state(7), [[3; 128]; 3]);
            taint::secret(&blocks);
            compress(&mut state, &blocks);
            core::hint::black_box(&state);
        }
    }),
    Check::new("hash/blake2b-many", || {
        for (_, many) in blake2b::LANES.all() {
            let (mut states, blocks) = ([state(7); MAX_LANES], [[3; 128]; 3]);
            taint::secret(&blocks);
            (many.compress)(&mut states, &[&blocks; MAX_LANES]);
            core::hint::black_box(&states);
        }
    }),
    Check::new("hash/blake2s", || {
        for (_, compress) in blake2s::COMPRESS.all() {
            let (mut state, blocks) = (state(7), [[3; 64]; 3]);
            taint::secret(&blocks);
            compress(&mut state, &blocks);
            core::hint::black_box(&state);
        }
    }),
    Check::new("hash/blake2s-many", || {
        for (_, many) in blake2s::LANES.all() {
            let (mut states, blocks) = ([state(7); MAX_LANES], [[3; 64]; 3]);
            taint::secret(&blocks);
            (many.compress)(&mut states, &[&blocks; MAX_LANES]);
            core::hint::black_box(&states);
        }
    }),
];

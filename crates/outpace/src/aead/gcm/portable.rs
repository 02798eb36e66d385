//! GCM as in SP 800-38D, on AES without tables and GHASH without tables.

use super::ghash::GHash;
use super::{Direction, KeyData, Ops, lengths};
use crate::cipher::aes::portable::{Expanded, expand_key};
use crate::mem::{InOut, Secret};

pub(super) const OPS: Ops = Ops { expand, message, message_once, hash, crypt, four: None };

/// Keeps H as it is, as the only power.
fn expand(key: &[u8]) -> KeyData {
    let mut data = KeyData::empty(key.len());
    expand_key(key, &mut data.round_keys);
    let mut h = [[0; 16]];
    Expanded::new(&data.round_keys).encrypt(&mut h);
    data.powers[0] = h[0];
    data
}

/// Section 7.1, algorithm 4, and section 7.2, algorithm 5.
fn message(key: &KeyData, direction: Direction, j0: u128, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    let keys = Expanded::new(&key.round_keys);
    let ghash = GHash::new(&key.powers[0]);
    let lengths = lengths(aad.len() as u64, data.len() as u64);
    let mut state = [0; 16];
    ghash.update(&mut state, aad);
    gctr(&keys, &ghash, direction, increment(j0.swap_bytes(), 1), &mut state, data);
    ghash.update(&mut state, &lengths);
    let mut mask = [j0.to_le_bytes()];
    keys.encrypt(&mut mask);
    (u128::from_le_bytes(state) ^ u128::from_le_bytes(mask[0])).to_le_bytes()
}

fn message_once(key: &[u8], direction: Direction, j0: u128, aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    message(&Secret::new(expand(key)), direction, j0, aad, data)
}

fn hash(key: &KeyData, state: &mut [u8; 16], data: &[u8]) {
    GHash::new(&key.powers[0]).update(state, data);
}

fn crypt(key: &KeyData, direction: Direction, counter: &mut u128, state: &mut [u8; 16], data: InOut<'_>) {
    let ghash = GHash::new(&key.powers[0]);
    let next = gctr(&Expanded::new(&key.round_keys), &ghash, direction, counter.swap_bytes(), state, data);
    *counter = next.swap_bytes();
}

/// Counter mode, section 6.5, with the ciphertext taken into the hash. The counter block is a big-endian number here;
/// the one to go on with is returned.
fn gctr(
    keys: &Expanded,
    ghash: &GHash,
    direction: Direction,
    mut counter: u128,
    state: &mut [u8; 16],
    data: InOut<'_>,
) -> u128 {
    data.for_each_block::<64>(|blocks, n| {
        if direction == Direction::Open {
            ghash.update(state, &blocks[..n]);
        }
        keys.xor_keystream(|i| increment(counter, i as u32).to_be_bytes(), blocks);
        if direction == Direction::Seal {
            ghash.update(state, &blocks[..n]);
        }
        counter = increment(counter, n.div_ceil(16) as u32);
    });
    counter
}

/// Section 6.2: the last 32 bits count, modulo 2³².
fn increment(counter: u128, by: u32) -> u128 {
    counter >> 32 << 32 | u128::from((counter as u32).wrapping_add(by))
}

//! Key expansion (DSTU 7624:2014, section 6.4; ePrint 2015/650, section 3.3), on words instead of bytes.

use super::{Engine, Unit};
use crate::mem::Wipe;

/// Most round keys of even number: those of the sizes with 18 rounds.
const MOST: usize = 10;

/// The round keys for `key`, two to eight words. The first and the last, which are added, are in column form; those
/// between, which are XORed, in row form; each repeated as often as blocks fit in a unit.
pub(super) fn expand(engine: &Engine, columns: usize, key: &[u64], keys: &mut [Unit]) {
    debug_assert!(columns.is_power_of_two() && key.len().is_power_of_two());
    let mut kt = intermediate(engine, columns, key);

    // All round keys of even number at once: two rounds on the words of the key, turned by one for each, between
    // additions of the intermediate key plus 2^i in each of its 16-bit parts.
    let count = keys.len() / 2 + 1;
    let used = count * columns;
    let mut tweaks = [[0u64; 8]; MOST];
    let mut state = [[0u64; 8]; MOST];
    let units = used.div_ceil(8);
    {
        let (tweaks, state) = (tweaks.as_flattened_mut(), state.as_flattened_mut());
        for i in 0..count {
            let start = if key.len() == columns { i } else { i % 2 * columns + i / 2 };
            for w in 0..columns {
                let at = i * columns + w;
                tweaks[at] = kt[w].wrapping_add(0x0001_0001_0001_0001 << i);
                state[at] = key[(start + w) & (key.len() - 1)].wrapping_add(tweaks[at]);
            }
        }
    }
    (engine.rounds)(&mut state[..units], columns);
    combine(&mut state, &tweaks, |a, b| a ^ b);
    (engine.rounds)(&mut state[..units], columns);
    combine(&mut state, &tweaks, u64::wrapping_add);

    let last = keys.len() - 1;
    for (i, even) in state.as_flattened()[..used].chunks_exact(columns).enumerate() {
        // The key of odd number is the one before, turned left by 2 · columns + 3 bytes.
        let (words, bits) = ((2 * columns + 3) / 8, (2 * columns + 3) % 8 * 8);
        for (w, word) in keys[2 * i].iter_mut().enumerate() {
            *word = even[w & (columns - 1)];
        }
        if let Some(odd) = keys.get_mut(2 * i + 1) {
            for (w, word) in odd.iter_mut().enumerate() {
                *word =
                    even[(w + words) & (columns - 1)] >> bits | even[(w + words + 1) & (columns - 1)] << (64 - bits);
            }
        }
    }
    (engine.transpose)(&mut keys[1..last]);
    kt.wipe();
    tweaks.wipe();
    state.wipe();
}

/// The intermediate key: a constant through three rounds, the halves of the key (or twice the whole) between them.
fn intermediate(engine: &Engine, columns: usize, key: &[u64]) -> Unit {
    let (alpha, omega) = (&key[..columns], &key[key.len() - columns..]);
    let mut state = [[0; 8]];
    state[0][0] = (columns + key.len() + 1) as u64;
    add(&mut state[0], alpha);
    (engine.rounds)(&mut state, columns);
    for (word, key) in state[0].iter_mut().zip(omega) {
        *word ^= key;
    }
    (engine.rounds)(&mut state, columns);
    add(&mut state[0], alpha);
    (engine.rounds)(&mut state, columns);
    let [kt] = state;
    kt
}

fn add(state: &mut Unit, key: &[u64]) {
    for (word, key) in state.iter_mut().zip(key) {
        *word = word.wrapping_add(*key);
    }
}

fn combine(state: &mut [Unit; MOST], with: &[Unit; MOST], op: impl Fn(u64, u64) -> u64) {
    for (word, with) in state.as_flattened_mut().iter_mut().zip(with.as_flattened()) {
        *word = op(*word, *with);
    }
}

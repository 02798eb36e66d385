//! Kupyna in the bit slices of Kalyna's portable round: P and Q side by side, each as one or two units of eight columns.

use super::{Engine, State, p_constant, q_constant, rounds, turn};
use crate::cipher::kalyna::portable::{FORWARD, mix, substitute};
use crate::cipher::kalyna::{Unit, transpose};
use crate::cpu::Kernel;
use crate::mem::Wipe;

pub(crate) const KERNEL: Kernel<Engine> = Kernel::portable(ENGINE);
pub(super) const ENGINE: Engine = Engine { compress, output };

fn compress(state: &mut State, columns: usize, data: &[u8]) {
    let mut both = [[0; 8]; 4];
    for block in data.chunks_exact(8 * columns) {
        // P in the first units, Q in the last.
        let words = both.as_flattened_mut();
        for (q, bytes) in block.as_chunks().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            words[q] = state[q] ^ word;
            words[16 + q] = word;
        }
        permute(&mut both, columns);
        for q in 0..columns {
            state[q] ^= both.as_flattened()[q] ^ both.as_flattened()[16 + q];
        }
    }
    both.wipe();
}

fn output(state: &mut State, columns: usize) {
    let mut both = [[0; 8]; 4];
    both.as_flattened_mut()[..columns].copy_from_slice(&state[..columns]);
    permute(&mut both, columns);
    for q in 0..columns {
        state[q] ^= both.as_flattened()[q];
    }
    both.wipe();
}

/// P on the first two units and Q on the last two, in column form.
fn permute(both: &mut [Unit; 4], columns: usize) {
    for round in 0..rounds(columns) {
        let words = both.as_flattened_mut();
        for q in 0..columns {
            words[q] ^= u64::from(p_constant(q, round));
            words[16 + q] = words[16 + q].wrapping_add(q_constant(columns, q, round));
        }
        both.iter_mut().for_each(transpose);
        substitute(both, &FORWARD);
        for pair in both.as_chunks_mut::<2>().0 {
            for i in 0..8 {
                let bits = 8 * turn(columns, i) as u32;
                if columns == 8 {
                    pair[0][i] = pair[0][i].rotate_left(bits);
                } else {
                    let row = u128::from(pair[0][i]) | u128::from(pair[1][i]) << 64;
                    let row = row.rotate_left(bits);
                    (pair[0][i], pair[1][i]) = (row as u64, (row >> 64) as u64);
                }
            }
        }
        both.iter_mut().for_each(mix);
        both.iter_mut().for_each(transpose);
    }
}

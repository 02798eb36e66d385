//! Kupyna with the AVX2 round of Kalyna: P and Q in one group of 256 bytes, half of it unused for blocks of 64 bytes. The
//! state is in column form between rounds, where the constants are added. Floor: that of a group, 8 times 23 cycles a
//! round, and about 40 for the way to rows and back.

use crate::cipher::kalyna::x86_64::avx2::{GROUP, round_of_group};
use crate::cpu::{Features, Kernel};
use crate::hash::kupyna::{Engine, State, p_constant, q_constant, rounds};
use crate::mem::Wipe;

pub(crate) const KERNEL: Kernel<Engine> = {
    let engine = Engine {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        compress: |state, columns, data| unsafe { compress(state, columns, data) },
        // SAFETY: likewise.
        output: |state, columns| unsafe { output(state, columns) },
    };
    // SAFETY: both functions are built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2, engine) }
};

/// P in the first half, Q in the second.
type Group = [[u64; 16]; 2];

/// What is added to the words of the group in each round: the constants of P as numbers for XOR, those of Q for addition.
const fn constants<const ROUNDS: usize>(columns: usize) -> [Group; ROUNDS] {
    let mut all = [[[0; 16]; 2]; ROUNDS];
    let mut n = 0;
    while n < ROUNDS * columns {
        let (round, q) = (n / columns, n % columns);
        all[round][0][q] = p_constant(q, round) as u64;
        all[round][1][q] = q_constant(columns, q, round);
        n += 1;
    }
    all
}

static SHORT: [Group; rounds(8)] = constants(8);
static LONG: [Group; rounds(16)] = constants(16);

#[target_feature(enable = "avx2")]
fn compress(state: &mut State, columns: usize, data: &[u8]) {
    let mut group = [[0; 16]; 2];
    for block in data.chunks_exact(8 * columns) {
        for (q, bytes) in block.as_chunks().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            (group[0][q], group[1][q]) = (state[q] ^ word, word);
        }
        permute(&mut group, columns);
        for q in 0..columns {
            state[q] ^= group[0][q] ^ group[1][q];
        }
    }
    group.wipe();
}

#[target_feature(enable = "avx2")]
fn output(state: &mut State, columns: usize) {
    let mut group = [*state, [0; 16]];
    permute(&mut group, columns);
    for q in 0..columns {
        state[q] ^= group[0][q];
    }
    group.wipe();
}

/// P on the first half and Q on the second.
#[target_feature(enable = "avx2")]
fn permute(group: &mut Group, columns: usize) {
    let mut bytes = [0; GROUP];
    for constants in if columns == 8 { &SHORT[..] } else { &LONG[..] } {
        for q in 0..16 {
            group[0][q] ^= constants[0][q];
            group[1][q] = group[1][q].wrapping_add(constants[1][q]);
        }
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(group.as_flattened()) {
            *bytes = word.to_le_bytes();
        }
        if columns == 8 {
            round_of_group::<8>(&mut bytes);
        } else {
            round_of_group::<16>(&mut bytes);
        }
        for (word, bytes) in group.as_flattened_mut().iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
    }
    bytes.wipe();
}

//! The round in bit slices: no table is read at a secret index, on any CPU.
//!
//! State: a [`Unit`] in row form (byte q of word r is row r of column q), so that ShiftRows is a rotation inside a word
//! and the linear layer works on whole words. For SubBytes the rows of one S-box, of four units, are turned into eight
//! words of equal bits. The S-box is then the sum over its sixteen lines h of [high nibble = h] · line(low nibble), where
//! every line is one of the sums of the sixteen products of the low bits; those sums are built once, in four groups.
//! The addresses in these groups come from the public S-box alone.

use super::tables::{INVERSE_MDS, INVERSE_SBOX, MDS, REDUCTION, SBOX};
use super::{Engine, Keys, Unit, transpose};
use crate::cpu::Kernel;
use crate::mem::Wipe;

pub(crate) const KERNEL: Kernel<Engine> = Kernel::portable(ENGINE);
pub(super) const ENGINE: Engine = Engine {
    rounds,
    transpose: |units| units.iter_mut().for_each(transpose),
    serial: |_, _| {},
    encrypt,
    decrypt,
    chain: |keys, state, mode| mode.each(state, |block| encrypt(keys, block)),
};

/// Units that go through the S-boxes together: two rows of each fill the 64 lanes of a word.
const BATCH: usize = 4;

/// For each S-box, each value h of the high nibble and each bit b of the result: bit j says whether bit b of the S-box at
/// 16 h + j is one.
pub(crate) type Lines = [[[u16; 8]; 16]; 4];

pub(crate) static FORWARD: Lines = lines(&SBOX);
static BACKWARD: Lines = lines(&INVERSE_SBOX);

const fn lines(boxes: &[[u8; 256]; 4]) -> Lines {
    let mut all = [[[0; 8]; 16]; 4];
    let mut i = 0;
    while i < 4 * 256 * 8 {
        let (k, x, b) = (i / 2048, i / 8 % 256, i % 8);
        all[k][x / 16][b] |= ((boxes[k][x] >> b & 1) as u16) << (x % 16);
        i += 1;
    }
    all
}

fn rounds(units: &mut [Unit], columns: usize) {
    for batch in units.chunks_mut(BATCH) {
        with_batch(batch, |state| {
            state.iter_mut().for_each(transpose);
            round(state, columns);
            state.iter_mut().for_each(transpose);
        });
    }
}

fn encrypt(&Keys { units: keys, columns, .. }: &Keys<'_>, data: &mut [u8]) {
    let (first, last) = (&keys[0], &keys[keys.len() - 1]);
    each_batch(data, |state| {
        for unit in state.iter_mut() {
            combine(unit, first, u64::wrapping_add);
            transpose(unit);
        }
        for (i, key) in keys[1..].iter().enumerate() {
            round(state, columns);
            if i + 2 < keys.len() {
                state.iter_mut().for_each(|unit| combine(unit, key, |a, b| a ^ b));
            }
        }
        for unit in state.iter_mut() {
            transpose(unit);
            combine(unit, last, u64::wrapping_add);
        }
    });
}

fn decrypt(&Keys { units: keys, columns, .. }: &Keys<'_>, data: &mut [u8]) {
    let (first, last) = (&keys[0], &keys[keys.len() - 1]);
    each_batch(data, |state| {
        for unit in state.iter_mut() {
            combine(unit, last, u64::wrapping_sub);
            transpose(unit);
        }
        for (i, key) in keys[..keys.len() - 1].iter().enumerate().rev() {
            inverse_round(state, columns);
            if i > 0 {
                state.iter_mut().for_each(|unit| combine(unit, key, |a, b| a ^ b));
            }
        }
        for unit in state.iter_mut() {
            transpose(unit);
            combine(unit, first, u64::wrapping_sub);
        }
    });
}

/// Runs `body` on every batch of `data` as words of eight bytes, a last part filled up with zeros.
fn each_batch(data: &mut [u8], body: impl Fn(&mut [Unit; BATCH])) {
    let mut state = [[0u64; 8]; BATCH];
    for bytes in data.chunks_mut(64 * BATCH) {
        let words = state.as_flattened_mut();
        words.fill(0);
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        body(&mut state);
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(state.as_flattened()) {
            *bytes = word.to_le_bytes();
        }
    }
    state.wipe();
}

/// Runs `body` on up to a batch of units.
fn with_batch(units: &mut [Unit], body: impl Fn(&mut [Unit; BATCH])) {
    let mut state = [[0; 8]; BATCH];
    state[..units.len()].copy_from_slice(units);
    body(&mut state);
    units.copy_from_slice(&state[..units.len()]);
    state.wipe();
}

fn combine(unit: &mut Unit, key: &Unit, with: impl Fn(u64, u64) -> u64) {
    for (word, key) in unit.iter_mut().zip(key) {
        *word = with(*word, *key);
    }
}

/// SubBytes, ShiftRows, MixColumns.
pub(super) fn round(state: &mut [Unit; BATCH], columns: usize) {
    substitute(state, &FORWARD);
    for unit in state {
        for (i, row) in unit.iter_mut().enumerate() {
            *row = rotate(*row, columns, i * columns / 8);
        }
        mix(unit);
    }
}

/// The inverses in the opposite order.
fn inverse_round(state: &mut [Unit; BATCH], columns: usize) {
    for unit in state.iter_mut() {
        unmix(unit);
        for (i, row) in unit.iter_mut().enumerate() {
            *row = rotate(*row, columns, (columns - i * columns / 8) % columns);
        }
    }
    substitute(state, &BACKWARD);
}

/// Moves each byte `by` columns to the right inside its block of `columns` (2, 4 or 8) bytes.
fn rotate(row: u64, columns: usize, by: usize) -> u64 {
    let bits = 8 * by as u32;
    match columns {
        2 if by == 1 => (row & 0x00ff_00ff_00ff_00ff) << 8 | row >> 8 & 0x00ff_00ff_00ff_00ff,
        4 => {
            let (low, high) = (row as u32, (row >> 32) as u32);
            u64::from(low.rotate_left(bits)) | u64::from(high.rotate_left(bits)) << 32
        }
        8 => row.rotate_left(bits),
        _ => row,
    }
}

/// Twice each byte.
fn double(x: u64) -> u64 {
    ((x & 0x7f7f_7f7f_7f7f_7f7f) << 1) ^ ((x >> 7 & 0x0101_0101_0101_0101) * u64::from(REDUCTION))
}

/// MixColumns, by [`MDS`] = [1, 1, 5, 1, 8, 6, 7, 4]: the terms grouped as x + 2 y + 4 z with y from x and z from x and 2 x.
pub(crate) fn mix(unit: &mut Unit) {
    const { assert!(matches!(MDS, [1, 1, 5, 1, 8, 6, 7, 4])) };
    let x = *unit;
    let y = x.map(double);
    let three: Unit = core::array::from_fn(|i| x[i] ^ x[(i + 1) % 8] ^ x[(i + 2) % 8]);
    for (i, row) in unit.iter_mut().enumerate() {
        let at = |d: usize| (i + d) % 8;
        let z = three[at(5)] ^ x[at(2)] ^ y[at(4)];
        *row = three[i] ^ x[at(3)] ^ x[at(6)] ^ y[at(5)] ^ y[at(6)] ^ double(double(z));
    }
}

/// The inverse of MixColumns, by the bits of its coefficients, the highest first.
fn unmix(unit: &mut Unit) {
    let x = *unit;
    let mut sum = [0; 8];
    add_bit::<7>(&x, &mut sum);
    add_bit::<6>(&x, &mut sum);
    add_bit::<5>(&x, &mut sum);
    add_bit::<4>(&x, &mut sum);
    add_bit::<3>(&x, &mut sum);
    add_bit::<2>(&x, &mut sum);
    add_bit::<1>(&x, &mut sum);
    add_bit::<0>(&x, &mut sum);
    *unit = sum;
}

/// Doubles the sum and adds the terms whose coefficient has this bit.
#[inline(always)]
fn add_bit<const BIT: u32>(x: &Unit, sum: &mut Unit) {
    *sum = sum.map(double);
    for (d, coefficient) in INVERSE_MDS.iter().enumerate() {
        if coefficient >> BIT & 1 == 1 {
            for i in 0..8 {
                sum[i] ^= x[(i + d) % 8];
            }
        }
    }
}

/// SubBytes on four units in row form.
pub(crate) fn substitute(state: &mut [Unit; BATCH], boxes: &Lines) {
    for (k, lines) in boxes.iter().enumerate() {
        let mut w: [u64; 8] = core::array::from_fn(|i| state[i % BATCH][k + i / BATCH * 4]);
        slice(&mut w);
        w = apply(&w, lines);
        slice(&mut w);
        for (i, word) in w.iter().enumerate() {
            state[i % BATCH][k + i / BATCH * 4] = *word;
        }
    }
}

/// Bytes to bit slices and back: exchanges the number of the word with the number of the bit in each byte.
fn slice(w: &mut [u64; 8]) {
    for (step, mask) in [(1, 0x5555_5555_5555_5555_u64), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)] {
        for i in 0..8 {
            if i & step == 0 {
                let (a, b) = (w[i], w[i + step]);
                w[i] = a & mask | (b & mask) << step;
                w[i + step] = a >> step & mask | b & !mask;
            }
        }
    }
}

/// One S-box on 64 values in bit slices.
fn apply(x: &[u64; 8], lines: &[[u16; 8]; 16]) -> [u64; 8] {
    let low = products(&[x[0], x[1], x[2], x[3]]);
    let high = products(&[x[4], x[5], x[6], x[7]]);
    // sums[t][m]: the sum of those products of the low bits, among numbers 4 t .. 4 t + 4, that m has bits for.
    let mut sums = [[0u64; 16]; 4];
    for (t, group) in sums.iter_mut().enumerate() {
        for m in 1..16usize {
            group[m] = group[m & (m - 1)] | low[4 * t + m.trailing_zeros() as usize];
        }
    }
    let mut result = [0; 8];
    for (line, on) in lines.iter().zip(&high) {
        for (bit, m) in result.iter_mut().zip(line) {
            let m = usize::from(*m);
            *bit |= on & (sums[0][m & 15] | sums[1][m >> 4 & 15] | sums[2][m >> 8 & 15] | sums[3][m >> 12]);
        }
    }
    result
}

/// All sixteen products of four bits or their complements: number j is one where the bits spell j.
fn products(x: &[u64; 4]) -> [u64; 16] {
    let pair = |a: u64, b: u64| [!(a | b), a & !b, b & !a, a & b];
    let (low, high) = (pair(x[0], x[1]), pair(x[2], x[3]));
    core::array::from_fn(|j| low[j % 4] & high[j / 4])
}

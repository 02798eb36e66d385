//! RFC 8439 section 2.3, one block at a time, on arrays of four words so that a compiler may use whatever vectors the target has.

use super::State;
use crate::mem::Secret;

type Row = [u32; 4];

fn add(a: Row, b: Row) -> Row {
    core::array::from_fn(|i| a[i].wrapping_add(b[i]))
}

fn xor_rotate<const N: u32>(a: Row, b: Row) -> Row {
    core::array::from_fn(|i| (a[i] ^ b[i]).rotate_left(N))
}

fn turn<const N: usize>(a: Row) -> Row {
    core::array::from_fn(|i| a[(i + N) % 4])
}

/// Four quarter rounds side by side: the columns, or the diagonals once the rows have been turned.
fn quarter_rounds([mut a, mut b, mut c, mut d]: [Row; 4]) -> [Row; 4] {
    a = add(a, b);
    d = xor_rotate::<16>(d, a);
    c = add(c, d);
    b = xor_rotate::<12>(b, c);
    a = add(a, b);
    d = xor_rotate::<8>(d, a);
    c = add(c, d);
    b = xor_rotate::<7>(b, c);
    [a, b, c, d]
}

/// The twenty rounds, without the final addition of the initial state.
fn rounds(state: &State) -> [Row; 4] {
    let mut rows: [Row; 4] = core::array::from_fn(|i| core::array::from_fn(|j| state.0[4 * i + j]));
    for _ in 0..10 {
        let [a, b, c, d] = quarter_rounds(rows);
        let [a, b, c, d] = quarter_rounds([a, turn::<1>(b), turn::<2>(c), turn::<3>(d)]);
        rows = [a, turn::<3>(b), turn::<2>(c), turn::<1>(d)];
    }
    rows
}

/// The ChaCha20 block function: 64 bytes of key stream.
pub(crate) fn block(state: &State) -> [u8; 64] {
    let rows = rounds(state);
    let mut out = [0; 64];
    for (i, bytes) in out.chunks_exact_mut(4).enumerate() {
        let word = rows[i / 4][i % 4].wrapping_add(state.0[i]);
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// HChaCha20: the first and last row after the rounds.
pub(super) fn hchacha20(state: &State) -> [u32; 8] {
    let [a, _, _, d] = rounds(state);
    core::array::from_fn(|i| if i < 4 { a[i] } else { d[i - 4] })
}

pub(crate) fn apply(state: &State, data: &mut [u8]) {
    let mut state = Secret::new(*state);
    for chunk in data.chunks_mut(64) {
        for (byte, key) in chunk.iter_mut().zip(block(&state)) {
            *byte ^= key;
        }
        state.advance(1);
    }
}

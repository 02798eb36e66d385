//! The key stream of the counter modes: encryptions of a little-endian counter.

use super::Kalyna;
use crate::mem::{InOut, Wipe};

/// Bytes of key stream made at a time: what the widest kernel works on at once.
const CHUNK: usize = 1024;

/// XORs the encryptions of `counter` and of those after it to `data`, and leaves the counter that comes next. Only the
/// first `width` bytes of it (8, 16, 32 or 64) count; a carry out of them is lost.
///
/// `each` sees the bytes before and after, in pieces that are whole blocks but for the last.
#[inline]
pub(crate) fn process<const BLOCK: usize, const KEY: usize, const KEYS: usize>(
    key: &Kalyna<BLOCK, KEY, KEYS>,
    counter: &mut [u8; BLOCK],
    width: usize,
    data: InOut<'_>,
    mut each: impl FnMut(&[u8], &[u8]),
) {
    let mut stream = [0; CHUNK];
    let mut chunk = [0; CHUNK];
    let (mut rest, mut used) = (data, 0);
    while rest.len() > 0 {
        let n = rest.len().min(CHUNK);
        let (mut part, next) = rest.split_at(n);
        let blocks = n.next_multiple_of(BLOCK);
        fill(&mut stream[..blocks], counter, width);
        key.encrypt_bytes(&mut stream[..blocks]);
        part.read(0, &mut chunk[..n]);
        add(&mut stream[..n], &chunk[..n]);
        part.write(0, &stream[..n]);
        each(&chunk[..n], &stream[..n]);
        (rest, used) = (next, used.max(blocks));
    }
    stream[..used].wipe();
    chunk[..used].wipe();
}

/// Writes the counter and its successors, and moves it on to the next.
fn fill<const BLOCK: usize>(stream: &mut [u8], counter: &mut [u8; BLOCK], width: usize) {
    for block in stream.as_chunks_mut::<BLOCK>().0 {
        *block = *counter;
        increment(counter, width);
    }
}

/// Adds one to the number in the first `width` bytes. The counter is a result of the cipher, so no branch on the carry.
#[inline]
pub(crate) fn increment<const BLOCK: usize>(counter: &mut [u8; BLOCK], width: usize) {
    let mut carry = 1;
    for bytes in counter[..width].as_chunks_mut().0 {
        let (sum, overflow) = u64::from_le_bytes(*bytes).overflowing_add(carry);
        *bytes = sum.to_le_bytes();
        carry = u64::from(overflow);
    }
}

/// XORs `stream` to `data`, of the same length.
#[inline]
pub(crate) fn add(data: &mut [u8], stream: &[u8]) {
    for (byte, s) in data.iter_mut().zip(stream) {
        *byte ^= s;
    }
}

//! The key stream of the counter modes: encryptions of a little-endian counter.

use super::Kalyna;
use crate::mem::{InOut, Wipe};

/// Bytes of key stream made at a time: what the widest kernel works on at once.
const CHUNK: usize = 1024;

/// XORs the encryptions of `counter` and of those after it to `data`, and leaves the counter that comes next. Only the
/// first `width` bytes of it (1, 8, 16, 32 or 64) count; a carry out of them is lost.
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
    match BLOCK {
        16 => fill_words::<2>(stream, counter, width / 8),
        32 => fill_words::<4>(stream, counter, width / 8),
        _ => fill_words::<8>(stream, counter, width / 8),
    }
}

fn fill_words<const W: usize>(stream: &mut [u8], counter: &mut [u8], width: usize) {
    let mut words = load::<W>(counter);
    // A loop for each width, so that each is straight code.
    if width == W {
        each_block(stream, &mut words, W);
    } else if width == 1 {
        each_block(stream, &mut words, 1);
    } else {
        each_block(stream, &mut words, width);
    }
    store(counter, &words);
}

#[inline(always)]
fn each_block<const W: usize>(stream: &mut [u8], words: &mut [u64; W], width: usize) {
    for block in stream.chunks_exact_mut(8 * W) {
        store(block, words);
        advance(words, width);
    }
}

/// Adds one to the number in the first `width` words, or in the first byte if there is none. The counter is a result of the cipher, so no branch on the carry.
#[inline(always)]
fn advance<const W: usize>(words: &mut [u64; W], width: usize) {
    let mut carry = 1;
    for word in &mut words[..width] {
        let (sum, overflow) = word.overflowing_add(carry);
        (*word, carry) = (sum, u64::from(overflow));
    }
    if width == 0 {
        words[0] = words[0] & !0xff | words[0].wrapping_add(1) & 0xff;
    }
}

/// Adds one to the number in the first `width` bytes.
pub(crate) fn increment<const BLOCK: usize>(counter: &mut [u8; BLOCK], width: usize) {
    let mut words = load::<8>(counter);
    advance(&mut words, width / 8);
    store(counter, &words);
}

/// The first words of `bytes`, as far as they go.
#[inline(always)]
pub(crate) fn load<const W: usize>(bytes: &[u8]) -> [u64; W] {
    let mut words = [0; W];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// The other way.
#[inline(always)]
pub(crate) fn store<const W: usize>(bytes: &mut [u8], words: &[u64; W]) {
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

/// XORs `stream` to `data`, of the same length.
#[inline]
pub(crate) fn add(data: &mut [u8], stream: &[u8]) {
    for (byte, s) in data.iter_mut().zip(stream) {
        *byte ^= s;
    }
}

//! Cutting input into blocks.

use crate::mem::Wipe;

/// Input that does not fill a block yet.
#[derive(Clone)]
pub(crate) struct BlockBuffer<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> BlockBuffer<N> {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; N], len: 0 }
    }

    /// Takes `data` and hands on every block that is full by then: first the kept bytes made whole, then whole blocks
    /// straight from `data`. If `LAST` is kept back (BLAKE2 must know its last block), a block is handed on only once a
    /// byte follows it.
    #[inline]
    pub(crate) fn feed<const KEEP_LAST: bool>(&mut self, mut data: &[u8], mut full: impl FnMut(&[[u8; N]])) {
        let keep = usize::from(KEEP_LAST);
        if self.len > 0 {
            let n = data.len().min(N - self.len);
            self.bytes[self.len..self.len + n].copy_from_slice(&data[..n]);
            self.len += n;
            data = &data[n..];
            if self.len < N || data.len() < keep {
                return;
            }
            full(core::slice::from_ref(&self.bytes));
            self.len = 0;
        }
        let (blocks, rest) = split::<N, KEEP_LAST>(data);
        if !blocks.is_empty() {
            full(blocks);
        }
        self.bytes[..rest.len()].copy_from_slice(rest);
        self.len = rest.len();
    }

    /// The bytes that wait.
    pub(crate) fn pending(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The whole blocks of `data`, and what is left: less than a block, or up to one if the last is kept back.
#[inline]
pub(crate) fn split<const N: usize, const KEEP_LAST: bool>(data: &[u8]) -> (&[[u8; N]], &[u8]) {
    let whole = if KEEP_LAST { data.len().saturating_sub(1) / N } else { data.len() / N };
    let (blocks, rest) = data.split_at(whole * N);
    (blocks.as_chunks().0, rest)
}

impl<const N: usize> Drop for BlockBuffer<N> {
    #[inline]
    fn drop(&mut self) {
        self.bytes.wipe();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn run<const KEEP_LAST: bool>(pieces: &[&[u8]]) -> (Vec<u8>, Vec<u8>) {
        let mut buffer = BlockBuffer::<4>::new();
        let mut out = Vec::new();
        for piece in pieces {
            buffer.feed::<KEEP_LAST>(piece, |blocks| out.extend_from_slice(blocks.as_flattened()));
        }
        (out, buffer.pending().to_vec())
    }

    #[test]
    fn every_pair_of_splits() {
        let data: Vec<u8> = (0..23).collect();
        for len in 0..=data.len() {
            for a in 0..=len {
                for b in a..=len {
                    let pieces = [&data[..a], &data[a..b], &data[b..len]];
                    let (out, rest) = run::<false>(&pieces);
                    assert_eq!((out.len(), [out, rest].concat()), (len / 4 * 4, data[..len].to_vec()));
                    let (out, rest) = run::<true>(&pieces);
                    assert_eq!(
                        (out.len(), [out, rest].concat()),
                        (len.saturating_sub(1) / 4 * 4, data[..len].to_vec())
                    );
                }
            }
        }
    }
}

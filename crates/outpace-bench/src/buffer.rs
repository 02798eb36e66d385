//! Buffers that start on a cache line, so that no side wins or loses by where the allocator put its bytes.

use std::ops::{Deref, DerefMut};

use crate::stats::Random;

const LINE: usize = 64;

/// `length` bytes starting on a 64-byte boundary.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

impl Buffer {
    pub fn zeroed(length: usize) -> Self {
        let bytes = vec![0; length + LINE];
        let start = bytes.as_ptr().align_offset(LINE);
        assert!(start < LINE, "bytes can be aligned");
        Self { bytes, start, length }
    }

    /// Bytes that look random and are the same in every run.
    pub fn patterned(length: usize, seed: u64) -> Self {
        let mut buffer = Self::zeroed(length);
        let mut random = Random::new(seed);
        for word in buffer.chunks_mut(8) {
            let length = word.len();
            word.copy_from_slice(&random.next().to_le_bytes()[..length]);
        }
        buffer
    }
}

/// Patterned bytes as an array: keys, nonces, seeds.
pub fn patterned<const N: usize>(seed: u64) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&Buffer::patterned(N, seed));
    bytes
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        let mut copy = Self::zeroed(self.length);
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.length]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_start_on_a_line_also_as_copies() {
        for length in [0, 1, 63, 64, 1350] {
            let buffer = Buffer::patterned(length, 7);
            let copy = buffer.clone();
            assert_eq!((buffer.len(), buffer.as_ptr().align_offset(LINE)), (length, 0));
            assert_eq!((&*copy, copy.as_ptr().align_offset(LINE)), (&*buffer, 0));
        }
    }
}

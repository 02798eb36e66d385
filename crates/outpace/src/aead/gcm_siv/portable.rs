//! GCM-SIV by the block cipher and the portable product of GHASH.

use super::nonce_block;
use crate::aead::gcm::{Direction, multiply};
use crate::cipher::aes::Forward;
use crate::mem::{InOut, Secret, Wipe};

/// POLYVAL (section 3): GHASH with its bytes the other way round, under the key times x (appendix A).
struct Polyval {
    h: u128,
    sum: u128,
}

impl Polyval {
    fn new(h: [u8; 16]) -> Self {
        let h = u128::from_le_bytes(h);
        Self { h: h >> 1 ^ ((h & 1).wrapping_neg() & 0xe1 << 120), sum: 0 }
    }

    /// Blocks; zeros follow the last.
    fn add(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(16) {
            let mut block = [0; 16];
            block[..part.len()].copy_from_slice(part);
            self.sum = multiply(self.sum ^ u128::from_le_bytes(block), self.h);
        }
    }
}

impl Drop for Polyval {
    fn drop(&mut self) {
        self.h.wipe();
        self.sum.wipe();
    }
}

/// Sections 4 and 5; see [`super::Message`].
pub(super) fn message<const K: usize>(
    generator: &Forward<K>,
    direction: Direction,
    nonce: &[u8; 12],
    aad: &[u8],
    mut data: InOut<'_>,
    tag: &[u8; 16],
) -> [u8; 16] {
    let nonce = nonce_block(nonce);
    // The keys: half of each of four or six blocks.
    let mut blocks = Secret::new(core::array::from_fn::<_, 6, _>(|i| (nonce << 32 | i as u128).to_le_bytes()));
    generator.encrypt_blocks(&mut blocks[..2 + K / 8]);
    let mut keys = Secret::new([[0; 8]; 6]);
    for (half, block) in keys.iter_mut().zip(blocks.iter()) {
        half.copy_from_slice(&block[..8]);
    }
    let (h, key) = keys.as_flattened().split_at(16);
    let mut polyval = Polyval::new(h.try_into().expect("16 bytes"));
    let mut cipher = generator.sibling();
    cipher.rekey(key[..K].try_into().expect("K bytes"));

    polyval.add(aad);
    let (len, mut bytes) = (data.len(), Secret::new([0; 16 * WIDTH]));
    match direction {
        Direction::Seal => {
            for at in (0..len).step_by(bytes.len()) {
                let n = bytes.len().min(len - at);
                data.read(at, &mut bytes[..n]);
                polyval.add(&bytes[..n]);
            }
        }
        Direction::Open => stream(&cipher, tag, data.reborrow(), |plain| polyval.add(plain)),
    }
    polyval.add(&(u128::from(aad.len() as u64 * 8) | u128::from(len as u64 * 8) << 64).to_le_bytes());
    let mut made = [((polyval.sum ^ nonce) & !LAST).to_le_bytes()];
    cipher.encrypt_blocks(&mut made);
    if direction == Direction::Seal {
        stream(&cipher, &made[0], data, |_| ());
    }
    made[0]
}

/// The last bit of a block.
const LAST: u128 = 1 << 127;

/// Blocks that are given to the cipher at a time.
const WIDTH: usize = 32;

/// Counter mode begins at the tag, with its last bit set, and counts in the first 32 bits. `f` sees what comes out.
fn stream<const K: usize>(cipher: &Forward<K>, tag: &[u8; 16], data: InOut<'_>, mut f: impl FnMut(&[u8])) {
    let start = u128::from_le_bytes(*tag) | LAST;
    let (upper, mut count) = (start & !u128::from(u32::MAX), start as u32);
    let mut stream = Secret::new([[0; 16]; WIDTH]);
    data.for_each_block::<{ 16 * WIDTH }>(|bytes, n| {
        let stream = &mut stream[..n.div_ceil(16)];
        for block in &mut *stream {
            *block = (upper | u128::from(count)).to_le_bytes();
            count = count.wrapping_add(1);
        }
        cipher.encrypt_blocks(stream);
        for (byte, stream) in bytes[..n].iter_mut().zip(stream.as_flattened()) {
            *byte ^= stream;
        }
        f(&bytes[..n]);
    });
}

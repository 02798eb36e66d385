//! What the modes need beside blocks and counter mode.

use super::{Expanded, decrypt, encrypt};
use crate::cipher::aes::{RoundKeys, double};
use crate::mem::{InOut, Secret, Wipe};

/// Blocks that XTS works on at a time.
const CHUNK: usize = 32;

/// IEEE 1619, section 5.3.
pub(super) fn xts<const INVERSE: bool>(
    first: Option<&RoundKeys>,
    keys: &RoundKeys,
    tweak: &mut [u8; 16],
    data: InOut<'_>,
    _: bool,
) {
    if let Some(first) = first {
        encrypt(first, InOut::in_place(tweak));
    }
    let mut t = u128::from_le_bytes(*tweak);
    data.for_each_block::<{ 16 * CHUNK }>(|bytes, n| {
        let blocks = &mut bytes[..n].as_chunks_mut::<16>().0;
        let mut tweaks = Secret::new([0; CHUNK]);
        for (block, tweak) in blocks.iter_mut().zip(tweaks.iter_mut()) {
            *tweak = t;
            add(block, &t.to_le_bytes());
            t = double(t);
        }
        let crypt = if INVERSE { decrypt } else { encrypt };
        crypt(keys, InOut::in_place(blocks.as_flattened_mut()));
        for (block, tweak) in blocks.iter_mut().zip(tweaks.iter()) {
            add(block, &tweak.to_le_bytes());
        }
    });
    *tweak = t.to_le_bytes();
    t.wipe();
}

pub(super) fn mac(keys: &RoundKeys, chain: &mut [u8; 16], blocks: &[[u8; 16]]) {
    let keys = Expanded::new(keys);
    for block in blocks {
        add(chain, block);
        keys.encrypt(core::slice::from_mut(chain));
    }
}

/// The encryption of the chain waits for that of the next counter, beside it.
pub(super) fn ccm<const OPEN: bool>(keys: &RoundKeys, chain: &mut [u8; 16], counter: &mut [u8; 16], data: InOut<'_>) {
    let keys = Expanded::new(keys);
    let mut next = u128::from_be_bytes(*counter);
    let mut pair = Secret::new([*chain, [0; 16]]);
    let mut waiting = false;
    data.for_each_block::<16>(|block, n| {
        pair[1] = next.to_be_bytes();
        next = next.wrapping_add(1);
        let before = pair[0];
        keys.encrypt(&mut *pair);
        if !waiting {
            pair[0] = before;
        }
        waiting = true;
        let input = *block;
        for (b, s) in block[..n].iter_mut().zip(&pair[1]) {
            *b ^= s;
        }
        add(&mut pair[0], if OPEN { block } else { &input });
    });
    if waiting {
        keys.encrypt(&mut pair[..1]);
    }
    *chain = pair[0];
    *counter = next.to_be_bytes();
}

/// SP 800-38F, section 6.1.
pub(super) fn wrap(keys: &RoundKeys, start: &mut [u8; 8], words: &mut [[u8; 8]]) {
    let keys = Expanded::new(keys);
    let mut a = u64::from_be_bytes(*start);
    let mut block = Secret::new([0; 16]);
    let mut t = 0;
    for _ in 0..6 {
        for word in &mut *words {
            t += 1;
            block[..8].copy_from_slice(&a.to_be_bytes());
            block[8..].copy_from_slice(word);
            keys.encrypt(core::slice::from_mut(&mut *block));
            let [high, low] = block.as_chunks::<8>().0 else { unreachable!("two halves of a block") };
            (a, *word) = (u64::from_be_bytes(*high) ^ t, *low);
        }
    }
    *start = a.to_be_bytes();
}

/// Section 6.1, inverse.
pub(super) fn unwrap(keys: &RoundKeys, start: &mut [u8; 8], words: &mut [[u8; 8]]) {
    let keys = Expanded::new(keys);
    let mut a = u64::from_be_bytes(*start);
    let mut block = Secret::new([0; 16]);
    let mut t = 6 * words.len() as u64;
    for _ in 0..6 {
        for word in words.iter_mut().rev() {
            block[..8].copy_from_slice(&(a ^ t).to_be_bytes());
            block[8..].copy_from_slice(word);
            keys.decrypt(core::slice::from_mut(&mut *block));
            let [high, low] = block.as_chunks::<8>().0 else { unreachable!("two halves of a block") };
            (a, *word) = (u64::from_be_bytes(*high), *low);
            t -= 1;
        }
    }
    *start = a.to_be_bytes();
}

fn add(to: &mut [u8; 16], with: &[u8; 16]) {
    *to = (u128::from_ne_bytes(*to) ^ u128::from_ne_bytes(*with)).to_ne_bytes();
}

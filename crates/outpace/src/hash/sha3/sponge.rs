//! The sponge (FIPS 202, section 4): absorb, pad, squeeze.

use super::keccak::{Keccak, State};
use crate::hash::block::{BlockBuffer, split};
use crate::mem::Secret;

/// The two bits that FIPS 202 puts behind the message of a SHA-3 function, and the first one of its padding.
pub(crate) const SHA3: u8 = 0b0110;
/// The four bits behind that of a SHAKE.
pub(crate) const SHAKE: u8 = 0b1_1111;
/// The two bits behind that of a cSHAKE (SP 800-185, section 3.3).
pub(crate) const CSHAKE: u8 = 0b0100;

/// A sponge that takes `RATE` bytes at a time.
#[derive(Clone)]
pub(crate) struct Sponge<const RATE: usize> {
    state: Secret<State>,
    buffer: BlockBuffer<RATE>,
    keccak: Keccak,
}

impl<const RATE: usize> Sponge<RATE> {
    #[inline]
    pub(crate) fn new() -> Self {
        Self::from_state(&[0; 25], Keccak::get())
    }

    /// Continues from a state into which whole blocks were absorbed.
    #[inline]
    pub(crate) fn from_state(state: &State, keccak: Keccak) -> Self {
        Self { state: Secret::new(*state), buffer: BlockBuffer::new(), keccak }
    }

    #[inline]
    pub(crate) fn absorb(&mut self, data: &[u8]) {
        let (state, keccak) = (&mut *self.state, self.keccak);
        self.buffer.feed::<false>(data, |blocks| keccak.absorb(state, blocks));
    }

    /// Absorbs zeros up to the end of the block (`bytepad`, SP 800-185, section 2.3.3).
    pub(crate) fn fill_block(&mut self) {
        let pending = self.buffer.pending().len();
        if pending > 0 {
            self.absorb(&[0; RATE][pending..]);
        }
    }

    /// The state, after whole blocks.
    pub(crate) fn state(&self) -> &State {
        debug_assert!(self.buffer.pending().is_empty());
        &self.state
    }

    /// Ends the input: `suffix` is the domain's bits and the first bit of the padding 10*1.
    #[inline]
    pub(crate) fn finish(mut self, suffix: u8) -> Squeeze<RATE> {
        absorb_last::<RATE>(&mut self.state, self.keccak, self.buffer.pending(), suffix);
        Squeeze { state: self.state, taken: 0, keccak: self.keccak }
    }

    /// Ends the input likewise and writes all the output there is to be: the state stays where it is, and is of no more use.
    #[inline]
    pub(crate) fn end(&mut self, suffix: u8, out: &mut [u8]) {
        absorb_last::<RATE>(&mut self.state, self.keccak, self.buffer.pending(), suffix);
        let mut pieces = out.chunks_mut(RATE);
        if let Some(first) = pieces.next() {
            read(&*self.state, first);
        }
        for piece in pieces {
            (self.keccak.permute)(&mut self.state);
            read(&*self.state, piece);
        }
    }

    /// All input at once, from a state into which whole blocks were absorbed.
    #[inline]
    pub(crate) fn once(state: &State, keccak: Keccak, data: &[u8], suffix: u8) -> Squeeze<RATE> {
        let mut state = Secret::new(*state);
        let (blocks, rest) = split::<RATE, false>(data);
        if !blocks.is_empty() {
            keccak.absorb(&mut state, blocks);
        }
        absorb_last::<RATE>(&mut state, keccak, rest, suffix);
        Squeeze { state, taken: 0, keccak }
    }
}

/// Absorbs the last bytes of a message, the domain's bits and the padding 10*1 (section 5.1), straight into the state.
#[inline]
fn absorb_last<const RATE: usize>(state: &mut State, keccak: Keccak, rest: &[u8], suffix: u8) {
    let (words, tail) = rest.as_chunks::<8>();
    for (lane, word) in state.iter_mut().zip(words) {
        *lane ^= u64::from_le_bytes(*word);
    }
    // rest fills less than a block, so there is a lane left for its last bytes.
    if let Some(lane) = state.get_mut(words.len()) {
        *lane ^= tail.iter().rfold(u64::from(suffix), |word, byte| word << 8 | u64::from(*byte));
    }
    state[RATE / 8 - 1] ^= 0x80 << 56;
    (keccak.permute)(state);
}

/// Fills the zeroed `block` likewise.
pub(super) fn pad<const RATE: usize>(block: &mut [u8; RATE], rest: &[u8], suffix: u8) {
    block[..rest.len()].copy_from_slice(rest);
    block[rest.len()] = suffix;
    block[RATE - 1] |= 0x80;
}

/// The first bytes of a state, at most as many as `state` has of it.
#[inline]
pub(super) fn read(state: &[u64], out: &mut [u8]) {
    let (words, rest) = out.as_chunks_mut::<8>();
    let mut lanes = state.iter();
    for (word, lane) in words.iter_mut().zip(&mut lanes) {
        *word = lane.to_le_bytes();
    }
    if let Some(lane) = lanes.next() {
        rest.copy_from_slice(&lane.to_le_bytes()[..rest.len()]);
    }
}

/// The squeezing half of a sponge: as many bytes as are asked for, in pieces of any length.
#[derive(Clone)]
pub(crate) struct Squeeze<const RATE: usize> {
    state: Secret<State>,
    /// How many bytes of the state's outer part are given out.
    taken: usize,
    keccak: Keccak,
}

impl<const RATE: usize> Squeeze<RATE> {
    /// The state; its first `RATE` bytes are the first output.
    #[inline]
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn squeeze(&mut self, mut out: &mut [u8]) {
        if self.taken > 0 {
            let mut bytes = Secret::new([0; RATE]);
            read(&*self.state, &mut *bytes);
            let n = out.len().min(RATE - self.taken);
            out[..n].copy_from_slice(&bytes[self.taken..self.taken + n]);
            out = &mut out[n..];
            self.taken += n;
        }
        while !out.is_empty() {
            if self.taken == RATE {
                (self.keccak.permute)(&mut self.state);
            }
            let n = out.len().min(RATE);
            read(&*self.state, &mut out[..n]);
            out = &mut out[n..];
            self.taken = n;
        }
    }
}

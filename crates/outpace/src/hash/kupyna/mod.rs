//! Kupyna (DSTU 7564:2014), the hash function of Ukraine, on the round of [Kalyna](crate::cipher::kalyna).
//!
//! Published in English as R. Oliynykov et al., "A New Standard of Ukraine: The Kupyna Hash Function", IACR ePrint
//! 2015/885. The state has 8 columns of 64 bits ([`Kupyna256`]) or 16 ([`Kupyna384`], [`Kupyna512`]); a block m takes h to
//! P(h + m) + Q(m) + h, where P XORs a constant to the columns in each of its 10 or 14 rounds and Q adds one. The digest is
//! the end of P(h) + h. No kernel looks up a table: time depends on the length of the input alone.

#[cfg(outpace_ct)]
pub(crate) mod leaks;
mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::block::BlockBuffer;
use super::{Hash, Nested};
use crate::cpu::Dispatch;
use crate::mem::Secret;
use core::fmt;
#[cfg(target_arch = "x86_64")]
use x86_64::{avx2, avx512};

/// The chaining value: 8 words, or 16, as columns.
pub(crate) type State = [u64; 16];

/// The jobs of a kernel. `columns` is 8 or 16.
#[derive(Clone, Copy)]
pub(crate) struct Engine {
    /// Takes whole blocks into the state.
    pub(crate) compress: fn(&mut State, usize, &[u8]),
    /// The output transformation: P of the state, XORed to it.
    pub(crate) output: fn(&mut State, usize),
}

pub(crate) static ENGINES: Dispatch<Engine> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2::KERNEL,
    portable::KERNEL,
]);

/// Rounds of P and Q.
pub(crate) const fn rounds(columns: usize) -> usize {
    if columns == 8 { 10 } else { 14 }
}

/// How far row `i` turns to the right.
pub(crate) const fn turn(columns: usize, i: usize) -> usize {
    if columns == 16 && i == 7 { 11 } else { i }
}

/// What P XORs to row 0 of column `q` in a round.
pub(crate) const fn p_constant(q: usize, round: usize) -> u8 {
    (q << 4 ^ round) as u8
}

/// What Q adds to column `q` of `columns` in a round.
pub(crate) const fn q_constant(columns: usize, q: usize, round: usize) -> u64 {
    0x00f0_f0f0_f0f0_f0f3 | ((((columns - 1 - q) << 4) ^ round) as u64) << 56
}

/// A running Kupyna state with blocks of `BLOCK` bytes and a digest of `N`. Used through its aliases, such as
/// [`Kupyna256`].
#[derive(Clone)]
pub struct Kupyna<const BLOCK: usize, const N: usize> {
    state: Secret<State>,
    buffer: BlockBuffer<BLOCK>,
    /// Bytes so far.
    total: u128,
    engine: Engine,
}

/// Kupyna-256.
///
/// ```
/// use outpace::hash::{Hash, Kupyna256};
///
/// assert_eq!(Kupyna256::digest(b"")[..4], [0xcd, 0x51, 0x01, 0xd1]);
/// ```
pub type Kupyna256 = Kupyna<64, 32>;
/// Kupyna-384.
pub type Kupyna384 = Kupyna<128, 48>;
/// Kupyna-512.
pub type Kupyna512 = Kupyna<128, 64>;

impl<const BLOCK: usize, const N: usize> Kupyna<BLOCK, N> {
    const COLUMNS: usize = BLOCK / 8;

    pub(crate) fn with_engine(engine: Engine) -> Self {
        const { assert!(matches!((BLOCK, N), (64, 32) | (128, 48) | (128, 64))) };
        let mut state = Secret::new([0; 16]);
        state[0] = BLOCK as u64;
        Self { state, buffer: BlockBuffer::new(), total: 0, engine }
    }

    /// A one bit, zeros, and the number of bits in 96 bits, so that what was taken since is whole blocks. `bytes` is the
    /// number that is written.
    pub(crate) fn pad(&mut self, bytes: u128) {
        let waiting = self.buffer.pending().len();
        let mut padding = [0; 256];
        padding[0] = 0x80;
        let len = (waiting + 1 + 12).next_multiple_of(BLOCK) - waiting;
        padding[len - 12..len].copy_from_slice(&(8 * bytes).to_le_bytes()[..12]);
        self.update(&padding[..len]);
    }
}

impl<const BLOCK: usize, const N: usize> Nested<[u8; N]> for Kupyna<BLOCK, N> {
    fn end(&mut self) -> [u8; N] {
        self.pad(self.total);
        (self.engine.output)(&mut self.state, Self::COLUMNS);
        let mut digest = [0; N];
        let end = &self.state[..Self::COLUMNS][Self::COLUMNS - N / 8..];
        for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(end) {
            *bytes = word.to_le_bytes();
        }
        digest
    }
}

impl<const BLOCK: usize, const N: usize> Hash for Kupyna<BLOCK, N> {
    type Output = [u8; N];

    const NAME: &'static str = match N {
        32 => "Kupyna-256",
        48 => "Kupyna-384",
        _ => "Kupyna-512",
    };
    const BLOCK: usize = BLOCK;

    fn new() -> Self {
        Self::with_engine(ENGINES.get())
    }

    fn update(&mut self, data: &[u8]) {
        self.total += data.len() as u128;
        let Self { state, buffer, engine, .. } = self;
        buffer.feed::<false>(data, |blocks| (engine.compress)(state, Self::COLUMNS, blocks.as_flattened()));
    }

    fn finish(mut self) -> [u8; N] {
        self.end()
    }
}

impl<const BLOCK: usize, const N: usize> fmt::Debug for Kupyna<BLOCK, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..)", Self::NAME)
    }
}

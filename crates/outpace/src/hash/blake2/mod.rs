//! BLAKE2 (RFC 7693), with the key, salt and personalisation of its parameter block.
//!
//! BLAKE2b works on 64-bit words and gives up to 64 bytes, BLAKE2s on 32-bit words and gives up to 32. [`Blake2b`] and
//! [`Blake2s`] take every parameter at run time through a builder; [`Blake2b512`] and [`Blake2s256`] are the plain
//! functions at full length and implement [`Hash`]. Tree hashing is not offered. Time and addresses depend on the lengths
//! of input, key and output alone.

pub(crate) mod blake2b;
pub(crate) mod blake2s;
mod builder;
#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
mod staging;
#[cfg(test)]
mod tests;

pub use blake2b::{Blake2b, Blake2b512};
pub use blake2s::{Blake2s, Blake2s256};
pub use builder::Builder;

use super::block::{BlockBuffer, split};
use super::many::{self, Lanes, MAX_LANES};
use super::{Hash, Nested, Output};
use crate::Result;
use crate::error::check_len;
use crate::mem::{Secret, Wipe, ct};
use core::fmt;
use core::marker::PhantomData;

/// One of the two functions. `N` is the length of a block.
pub trait Words<const N: usize>: Clone + 'static {
    /// Eight of these are the chaining value.
    type Word: Copy + Wipe + 'static;
    /// Salt and personalisation: two words each.
    type Salt: AsRef<[u8]> + Copy + fmt::Debug;
    /// No salt, no personalisation.
    const ZERO_SALT: Self::Salt;
    /// The name in the standard.
    const NAME: &'static str;
    /// The longest output and the longest key.
    const MAX: usize;

    /// The state before any input, for an output of `out` bytes and a key of `key` bytes (RFC 7693, section 2.5).
    fn start(out: u8, key: u8, salt: &Self::Salt, personal: &Self::Salt) -> State<Self::Word>;

    /// The best compression function for this CPU.
    fn compress() -> Compress<Self::Word, N>;

    /// Writes the chaining value, least significant byte first, as far as `out` reaches.
    fn write(state: &State<Self::Word>, out: &mut [u8]);

    /// How many messages `compress_lanes` works on at once; 1 if there is no kernel for it here.
    fn width() -> usize;

    /// The compression function on as many messages.
    fn compress_lanes(states: &mut [State<Self::Word>; MAX_LANES], blocks: &[&[[u8; N]]; MAX_LANES]);
}

/// Takes whole blocks into a state; each counts as `N` bytes.
pub(crate) type Compress<W, const N: usize> = fn(&mut State<W>, &[[u8; N]]);

/// The chaining value and what goes into a compression beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State<W> {
    pub(crate) h: [W; 8],
    /// Bytes taken so far, modulo the counter's length.
    pub(crate) t: u128,
    /// All ones if the next block is the last, else zero.
    pub(crate) f: u64,
}

impl<W> State<W> {
    /// The next block is the last: a kernel will count it as `N` bytes, and the counter must then be `total`.
    fn last<const N: usize>(&mut self, total: u128) {
        self.t = total.wrapping_sub(N as u128);
        self.f = u64::MAX;
    }
}

impl<W: Wipe> Wipe for State<W> {
    #[inline]
    fn wipe(&mut self) {
        self.h.wipe();
        self.t.wipe();
        self.f.wipe();
    }
}

/// The message words of each round (RFC 7693, section 2.7).
#[rustfmt::skip]
pub(crate) const SIGMA: [[u8; 16]; 10] = [
    [ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15],
    [14, 10,  4,  8,  9, 15, 13,  6,  1, 12,  0,  2, 11,  7,  5,  3],
    [11,  8, 12,  0,  5,  2, 15, 13, 10, 14,  3,  6,  7,  1,  9,  4],
    [ 7,  9,  3,  1, 13, 12, 11, 14,  2,  6,  5, 10,  4,  0, 15,  8],
    [ 9,  0,  5,  7,  2,  4, 10, 15, 14,  1, 11, 12,  6,  8,  3, 13],
    [ 2, 12,  6, 10,  0, 11,  8,  3,  4, 13,  7,  5, 15, 14,  1,  9],
    [12,  5,  1, 15, 14, 13,  4, 10,  0,  7,  6,  3,  9,  2,  8, 11],
    [13, 11,  7, 14, 12,  1,  3,  9,  5,  0, 15,  4,  8,  6,  2, 10],
    [ 6, 15, 14,  9, 11,  3,  0,  8, 12,  2, 13,  7,  1,  4, 10,  5],
    [10,  2,  8,  4,  7,  6,  1,  5, 15, 11,  9, 14,  3, 12, 13,  0],
];

/// A running state before its output length is known.
#[derive(Clone)]
struct Running<W: Words<N>, const N: usize> {
    state: Secret<State<W::Word>>,
    /// Up to a whole block waits: only the last one is compressed with the final flag.
    buffer: BlockBuffer<N>,
    compress: Compress<W::Word, N>,
}

impl<W: Words<N>, const N: usize> Running<W, N> {
    #[inline]
    fn new(state: State<W::Word>) -> Self {
        Self { state: Secret::new(state), buffer: BlockBuffer::new(), compress: W::compress() }
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        let (state, compress) = (&mut *self.state, self.compress);
        self.buffer.feed::<true>(data, |blocks| compress(state, blocks));
    }

    #[inline]
    fn finish(&mut self, out: &mut [u8]) {
        let mut last = Secret::new([0; N]);
        let rest = self.buffer.pending();
        last[..rest.len()].copy_from_slice(rest);
        let total = self.state.t.wrapping_add(rest.len() as u128);
        self.state.last::<N>(total);
        (self.compress)(&mut self.state, core::slice::from_ref(&*last));
        W::write(&self.state, out);
    }
}

/// A running state whose parameters were chosen at run time. Used through its aliases, [`Blake2b`] and [`Blake2s`].
#[derive(Clone)]
pub struct Blake2<W: Words<N>, const N: usize> {
    running: Running<W, N>,
    out: usize,
}

impl<W: Words<N>, const N: usize> Blake2<W, N> {
    /// Starts choosing parameters: the longest output, and neither key nor salt nor personalisation, unless said.
    #[must_use]
    pub const fn builder<'k>() -> Builder<'k, W, N> {
        Builder::new()
    }

    /// Takes the next piece of input, of any length.
    #[inline]
    pub fn update(&mut self, data: &[u8]) {
        self.running.update(data);
    }

    /// How many bytes [`finish`](Self::finish) writes.
    #[must_use]
    pub const fn output_len(&self) -> usize {
        self.out
    }

    /// Writes the digest (with a key: the authentication code) of all input.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) if `out` has not the length that was built; nothing is written.
    pub fn finish(mut self, out: &mut [u8]) -> Result<()> {
        check_len("output", self.out, out.len())?;
        self.running.finish(out);
        Ok(())
    }

    /// Compares the authentication code of all input with `tag`, in constant time.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) if `tag` has not the length that was built, [`Error::Authentication`](crate::Error::Authentication) if it is not the code.
    pub fn verify(mut self, tag: &[u8]) -> Result<()> {
        check_len("tag", self.out, tag.len())?;
        let mut own = Secret::new([0u8; 64]);
        self.running.finish(&mut own[..self.out]);
        ct::verify(&own[..self.out], tag)
    }
}

impl<W: Words<N>, const N: usize> fmt::Debug for Blake2<W, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..)", W::NAME)
    }
}

/// A plain function of fixed output length.
pub trait Variant<const N: usize>: Clone + 'static {
    /// BLAKE2b or BLAKE2s.
    type Words: Words<N>;
    /// The digest.
    type Output: Output;
    /// The name with the length in bits.
    const NAME: &'static str;
    /// The state before any input.
    const START: State<<Self::Words as Words<N>>::Word>;
}

/// A plain function of fixed output length, running. Used through its aliases, [`Blake2b512`] and [`Blake2s256`].
#[derive(Clone)]
pub struct Fixed<V: Variant<N>, const N: usize>(Running<V::Words, N>);

impl<V: Variant<N>, const N: usize> Nested<V::Output> for Fixed<V, N> {
    #[inline]
    fn end(&mut self) -> V::Output {
        let mut out = V::Output::ZERO;
        self.0.finish(out.as_mut());
        out
    }
}

impl<V: Variant<N>, const N: usize> Hash for Fixed<V, N> {
    type Output = V::Output;

    const NAME: &'static str = V::NAME;
    const BLOCK: usize = N;

    #[inline]
    fn new() -> Self {
        Self(Running::new(V::START))
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    #[inline]
    fn finish(mut self) -> V::Output {
        self.end()
    }

    #[inline]
    fn digest(data: &[u8]) -> V::Output {
        let compress = V::Words::compress();
        let mut state = Secret::new(V::START);
        let (blocks, rest) = split::<N, true>(data);
        if !blocks.is_empty() {
            compress(&mut state, blocks);
        }
        state.last::<N>(data.len() as u128);
        if let Ok(whole) = <&[u8; N]>::try_from(rest) {
            compress(&mut state, core::slice::from_ref(whole));
        } else {
            let mut last = Secret::new([0; N]);
            last[..rest.len()].copy_from_slice(rest);
            compress(&mut state, core::slice::from_ref(&*last));
        }
        let mut out = V::Output::ZERO;
        V::Words::write(&state, out.as_mut());
        out
    }

    fn digest_many(messages: &[&[u8]], digests: &mut [V::Output]) -> Result<()> {
        let places = digests.len();
        many::digest_many::<N, Many<V>>(messages, places, |i, state| {
            V::Words::write(state, digests[i].as_mut());
        })
    }
}

impl<V: Variant<N>, const N: usize> fmt::Debug for Fixed<V, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..)", V::NAME)
    }
}

/// How the lanes of `digest_many` see a variant.
struct Many<V>(PhantomData<V>);

impl<V: Variant<N>, const N: usize> Lanes<N> for Many<V> {
    type State = State<<V::Words as Words<N>>::Word>;

    const START: Self::State = V::START;
    const KEEP_LAST: bool = true;

    fn pad(state: &mut Self::State, rest: &[u8], total: usize, blocks: &mut [[u8; N]]) {
        state.last::<N>(total as u128);
        blocks[0][..rest.len()].copy_from_slice(rest);
    }

    fn width(_: usize) -> usize {
        V::Words::width()
    }

    fn run(states: &mut [Self::State; MAX_LANES], blocks: &[&[[u8; N]]; MAX_LANES]) {
        V::Words::compress_lanes(states, blocks);
    }

    fn run_one(state: &mut Self::State, blocks: &[[u8; N]]) {
        V::Words::compress()(state, blocks);
    }
}

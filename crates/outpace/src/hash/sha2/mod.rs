//! SHA-2 (FIPS 180-4): Merkle–Damgård over a compression function of 32- or 64-bit words.
//!
//! The family is one struct: [`Sha2`] does buffering and padding (section 5), a [`Variant`] says which words, initial
//! value (section 5.3) and output length. Input may be as long as the standard allows. Time and addresses depend on the
//! length of the input alone.

#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
mod rounds;
pub(crate) mod sha256;
pub(crate) mod sha512;
#[cfg(test)]
mod tests;

pub use sha256::{Sha224, Sha256};
pub use sha512::{Sha384, Sha512, Sha512_224, Sha512_256};

use super::block::{BlockBuffer, split};
use super::many::{self, LaneKernel, Lanes, MAX_LANES, Whole};
use super::{Hash, Nested, Output};
use crate::Result;
use crate::mem::{Secret, Wipe};
use core::fmt;
use core::marker::PhantomData;

/// What the 32-bit and the 64-bit half of the family do differently. `N` is the length of a block.
pub trait Words<const N: usize>: Clone + 'static {
    /// The chaining state: eight words.
    type State: Copy + Wipe + 'static;
    /// Bytes of the length field at the end of the padding.
    const LENGTH: usize;

    /// The best kernel for this CPU.
    fn kernel() -> Sha2Kernel<Self::State, N>;

    /// Writes the state, most significant byte first, as far as `out` reaches.
    fn write(state: &Self::State, out: &mut [u8]);

    /// The best kernel for many messages at once.
    fn lanes() -> LaneKernel<Self::State, N>;

    /// How many of so many messages it is to work on at once; 1 if there is no such kernel here.
    fn width(messages: usize) -> usize;

    /// From how many messages on that is faster than one after the other.
    fn least() -> usize {
        (Self::width(MAX_LANES) / 4 + 1).max(2)
    }
}

/// Takes whole blocks into a state.
pub(crate) type Compress<State, const N: usize> = fn(&mut State, &[[u8; N]]);

/// Takes whole blocks, then the rest of the message (less than a block) and the padding of a message of so many bytes.
pub(crate) type Finish<State, const N: usize> = fn(&mut State, &[[u8; N]], &[u8], u128);

/// As [`Finish`], and then the digest as the end of another message: that one's state, and its length with the digest.
/// The result is in the first state.
pub(crate) type Nest<State, const N: usize> = fn(&mut State, &[[u8; N]], &[u8], u128, &State, u128);

/// Takes one block into each of two states.
pub(crate) type Pair<State, const N: usize> = fn([&mut State; 2], [&[u8; N]; 2]);

/// What is dispatched.
#[derive(Debug)]
pub struct Sha2Kernel<State, const N: usize> {
    /// The middle of a message.
    pub(crate) compress: Compress<State, N>,
    /// The end of a message in one call, for kernels that keep the state and the padding in registers.
    pub(crate) finish: Option<Finish<State, N>>,
    /// The end of a message and its digest as the end of another, for kernels that keep the digest in registers too. It
    /// is for digests as long as the state.
    pub(crate) nest: Option<Nest<State, N>>,
    /// Two blocks that do not wait for each other, for kernels that work on both at once.
    pub(crate) pair: Option<Pair<State, N>>,
}

impl<State, const N: usize> Clone for Sha2Kernel<State, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<State, const N: usize> Copy for Sha2Kernel<State, N> {}

impl<State, const N: usize> Sha2Kernel<State, N> {
    /// A kernel without an end of its own: the padding is made in memory.
    pub(crate) const fn of_blocks(compress: Compress<State, N>) -> Self {
        Self { compress, finish: None, nest: None, pair: None }
    }

    #[inline]
    fn finish<W: Words<N, State = State>>(&self, state: &mut State, blocks: &[[u8; N]], rest: &[u8], total: u128) {
        if let Some(finish) = self.finish {
            return finish(state, blocks, rest, total);
        }
        if !blocks.is_empty() {
            (self.compress)(state, blocks);
        }
        let mut last = Secret::new([[0; N]; 2]);
        let last = &mut last[..ends::<W, N>(rest.len())];
        pad::<W, N>(rest, total, last);
        (self.compress)(state, last);
    }
}

/// One function of the family.
pub trait Variant<const N: usize>: Clone + 'static {
    /// The half of the family.
    type Words: Words<N>;
    /// The digest.
    type Output: Output;
    /// The name in the standard.
    const NAME: &'static str;
    /// The initial value, section 5.3.
    const START: State<Self, N>;
}

type State<V, const N: usize> = <<V as Variant<N>>::Words as Words<N>>::State;

/// A running SHA-2 state. Used through its aliases, such as [`Sha256`].
#[derive(Clone)]
pub struct Sha2<V: Variant<N>, const N: usize> {
    state: Secret<State<V, N>>,
    buffer: BlockBuffer<N>,
    total: u128,
    kernel: Sha2Kernel<State<V, N>, N>,
}

impl<V: Variant<N>, const N: usize> Hash for Sha2<V, N> {
    type Output = V::Output;

    const NAME: &'static str = V::NAME;
    const BLOCK: usize = N;

    #[inline]
    fn new() -> Self {
        Self { state: Secret::new(V::START), buffer: BlockBuffer::new(), total: 0, kernel: V::Words::kernel() }
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.total += data.len() as u128;
        let (state, compress) = (&mut *self.state, self.kernel.compress);
        self.buffer.feed::<false>(data, |blocks| compress(state, blocks));
    }

    #[inline]
    fn finish(mut self) -> V::Output {
        self.end()
    }

    #[inline]
    fn digest(data: &[u8]) -> V::Output {
        let mut state = Secret::new(V::START);
        absorb_all::<V, N>(&mut state, data);
        output::<V, N>(&state)
    }

    fn digest_many(messages: &[&[u8]], digests: &mut [V::Output]) -> Result<()> {
        let places = digests.len();
        many::digest_many::<N, Many<V>>(messages, places, |i, state| digests[i] = output::<V, N>(state))
    }
}

impl<V: Variant<N>, const N: usize> Nested<V::Output> for Sha2<V, N> {
    #[inline]
    fn finish_nested(&self, data: &[u8], outer: &Self) -> V::Output {
        let pending = self.buffer.pending();
        let (blocks, rest) = if data.is_empty() { (&[][..], pending) } else { split::<N, false>(data) };
        if !(data.is_empty() || pending.is_empty()) || !outer.buffer.pending().is_empty() {
            let mut inner = self.clone();
            let mut outer = outer.clone();
            inner.update(data);
            outer.update((*Secret::new(inner.end())).as_ref());
            return outer.end();
        }
        // Only the two states are copied: with their empty buffers they would take as long as a third of a block.
        let mut state = Secret::new(*self.state);
        let (total, length) = (self.total + data.len() as u128, size_of::<V::Output>());
        let outer_total = outer.total + length as u128;
        match self.kernel.nest {
            Some(nest) if length == size_of::<State<V, N>>() => {
                nest(&mut state, blocks, rest, total, &outer.state, outer_total);
            }
            _ => {
                self.kernel.finish::<V::Words>(&mut state, blocks, rest, total);
                let inner = output::<V, N>(&state);
                *state = *outer.state;
                self.kernel.finish::<V::Words>(&mut state, &[], inner.as_ref(), outer_total);
            }
        }
        output::<V, N>(&state)
    }

    #[inline]
    fn after_blocks(first: &[u8], second: &[u8]) -> (Self, Self) {
        assert!(first.len() == N && second.len() == N, "two blocks");
        let kernel = V::Words::kernel();
        let after = |state: &State<V, N>| Self {
            state: Secret::new(*state),
            buffer: BlockBuffer::new(),
            total: N as u128,
            kernel,
        };
        let (first, second) = (first.as_chunks().0, second.as_chunks().0);
        let mut states = Secret::new([V::START; 2]);
        let [one, other] = &mut *states;
        if let Some(pair) = kernel.pair {
            pair([one, other], [&first[0], &second[0]]);
        } else {
            (kernel.compress)(one, first);
            (kernel.compress)(other, second);
        }
        (after(one), after(other))
    }

    #[inline]
    fn end(&mut self) -> V::Output {
        self.kernel.finish::<V::Words>(&mut self.state, &[], self.buffer.pending(), self.total);
        output::<V, N>(&self.state)
    }
}

/// Takes a whole message and its padding.
#[inline]
fn absorb_all<V: Variant<N>, const N: usize>(state: &mut State<V, N>, message: &[u8]) {
    let (blocks, rest) = split::<N, false>(message);
    V::Words::kernel().finish::<V::Words>(state, blocks, rest, message.len() as u128);
}

/// How many blocks so many last bytes of a message take with their padding (section 5.1).
#[inline]
const fn ends<W: Words<N>, const N: usize>(rest: usize) -> usize {
    if rest + 1 + W::LENGTH <= N { 1 } else { 2 }
}

/// Writes the end of a message into as many zeroed blocks: its last bytes, a one bit, zeros, and its length in bits.
#[inline]
fn pad<W: Words<N>, const N: usize>(rest: &[u8], total: u128, blocks: &mut [[u8; N]]) {
    let bytes = blocks.as_flattened_mut();
    bytes[..rest.len()].copy_from_slice(rest);
    bytes[rest.len()] = 0x80;
    let (length, end) = ((total << 3).to_be_bytes(), bytes.len());
    bytes[end - W::LENGTH..].copy_from_slice(&length[16 - W::LENGTH..]);
}

#[inline]
fn output<V: Variant<N>, const N: usize>(state: &State<V, N>) -> V::Output {
    let mut out = V::Output::ZERO;
    V::Words::write(state, out.as_mut());
    out
}

impl<V: Variant<N>, const N: usize> fmt::Debug for Sha2<V, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..)", V::NAME)
    }
}

/// How the lanes of `digest_many` see a variant.
struct Many<V>(PhantomData<V>);

impl<V: Variant<N>, const N: usize> Lanes<N> for Many<V> {
    type State = State<V, N>;

    const START: Self::State = V::START;
    const KEEP_LAST: bool = false;

    fn ends(rest: usize) -> usize {
        ends::<V::Words, N>(rest)
    }

    fn pad(_: &mut Self::State, rest: &[u8], total: usize, blocks: &mut [[u8; N]]) {
        pad::<V::Words, N>(rest, total as u128, blocks);
    }

    fn width(messages: usize) -> usize {
        V::Words::width(messages)
    }

    fn least() -> usize {
        V::Words::least()
    }

    fn run(states: &mut [Self::State; MAX_LANES], blocks: &[&[[u8; N]]; MAX_LANES]) {
        (V::Words::lanes().compress)(states, blocks);
    }

    fn whole(width: usize) -> Option<Whole<Self::State, N>> {
        let lanes = V::Words::lanes();
        lanes.whole.filter(|_| width == lanes.width)
    }

    fn run_one(state: &mut Self::State, blocks: &[[u8; N]]) {
        (V::Words::kernel().compress)(state, blocks);
    }

    fn one(state: &mut Self::State, message: &[u8]) {
        absorb_all::<V, N>(state, message);
    }
}

/// Where a to h are in round `i`: they stay in their registers, the names move on.
#[cfg(target_arch = "x86_64")]
const fn places(i: usize) -> [usize; 8] {
    let mut places = [0; 8];
    let mut j = 0;
    while j < 8 {
        places[j] = (j + 16 - i % 8) % 8;
        j += 1;
    }
    places
}

//! SHA-3 and SHAKE (FIPS 202), cSHAKE (SP 800-185): sponges over Keccak-f[1600].
//!
//! | type | rate (bytes) | output (bytes) |
//! | --- | --- | --- |
//! | [`Sha3_224`], [`Sha3_256`], [`Sha3_384`], [`Sha3_512`] | 144, 136, 104, 72 | 28, 32, 48, 64 |
//! | [`Shake128`], [`Shake256`] | 168, 136 | any number |
//! | [`CShake128`], [`CShake256`] | 168, 136 | any number |
//!
//! Input and output are whole bytes, of any length. Time and addresses depend on the lengths alone: the permutation is
//! rotations and logic in a fixed order.

pub(crate) mod keccak;
#[cfg(outpace_ct)]
pub(crate) mod leaks;
mod shake;
pub(crate) mod sp800_185;
pub(crate) mod sponge;
#[cfg(test)]
mod tests;

#[cfg(test)]
use shake::{CShake, Shake};
pub use shake::{CShake128, CShake256, Shake128, Shake256, Xof};

use super::many::{self, Lanes, MAX_LANES};
use super::{Hash, Nested, Output};
use crate::Result;
use crate::error::check_len;
use crate::mem::Secret;
use core::fmt;
use core::marker::PhantomData;
use keccak::{Columns, EIGHT, FOUR, Keccak, ManyKernel, Rate, State};
use sponge::Sponge;

/// One function of the family, with blocks of `RATE` bytes.
pub trait Variant<const RATE: usize>: Clone + 'static {
    /// The digest.
    type Output: Output;
    /// The name in the standard.
    const NAME: &'static str;
}

/// A running SHA-3 state. Used through its aliases, such as [`Sha3_256`].
#[derive(Clone)]
pub struct Sha3<V: Variant<RATE>, const RATE: usize> {
    sponge: Sponge<RATE>,
    variant: PhantomData<V>,
}

/// SHA3-224 (FIPS 202, section 6.1).
///
/// ```
/// use outpace::hash::{Hash, Sha3_224};
///
/// assert_eq!(Sha3_224::digest(b"abc")[..4], [0xe6, 0x42, 0x82, 0x4c]);
/// ```
pub type Sha3_224 = Sha3<V224, 144>;

/// SHA3-256 (FIPS 202, section 6.1).
///
/// ```
/// use outpace::hash::{Hash, Sha3_256};
///
/// assert_eq!(Sha3_256::digest(b"abc")[..4], [0x3a, 0x98, 0x5d, 0xa7]);
/// ```
pub type Sha3_256 = Sha3<V256, 136>;

/// SHA3-384 (FIPS 202, section 6.1).
///
/// ```
/// use outpace::hash::{Hash, Sha3_384};
///
/// assert_eq!(Sha3_384::digest(b"abc")[..4], [0xec, 0x01, 0x49, 0x82]);
/// ```
pub type Sha3_384 = Sha3<V384, 104>;

/// SHA3-512 (FIPS 202, section 6.1).
///
/// ```
/// use outpace::hash::{Hash, Sha3_512};
///
/// assert_eq!(Sha3_512::digest(b"abc")[..4], [0xb7, 0x51, 0x85, 0x0b]);
/// ```
pub type Sha3_512 = Sha3<V512, 72>;

/// The parameters of SHA3-224.
#[derive(Clone, Debug)]
pub struct V224;
/// The parameters of SHA3-256.
#[derive(Clone, Debug)]
pub struct V256;
/// The parameters of SHA3-384.
#[derive(Clone, Debug)]
pub struct V384;
/// The parameters of SHA3-512.
#[derive(Clone, Debug)]
pub struct V512;

impl Variant<144> for V224 {
    type Output = [u8; 28];
    const NAME: &'static str = "SHA3-224";
}

impl Variant<136> for V256 {
    type Output = [u8; 32];
    const NAME: &'static str = "SHA3-256";
}

impl Variant<104> for V384 {
    type Output = [u8; 48];
    const NAME: &'static str = "SHA3-384";
}

impl Variant<72> for V512 {
    type Output = [u8; 64];
    const NAME: &'static str = "SHA3-512";
}

impl<V: Variant<RATE>, const RATE: usize> Nested<V::Output> for Sha3<V, RATE> {
    #[inline]
    fn end(&mut self) -> V::Output {
        let mut out = V::Output::ZERO;
        self.sponge.end(sponge::SHA3, out.as_mut());
        out
    }
}

impl<V: Variant<RATE>, const RATE: usize> Hash for Sha3<V, RATE> {
    type Output = V::Output;

    const NAME: &'static str = V::NAME;
    const BLOCK: usize = RATE;

    #[inline]
    fn new() -> Self {
        Self { sponge: Sponge::new(), variant: PhantomData }
    }

    #[inline]
    fn update(&mut self, data: &[u8]) {
        self.sponge.absorb(data);
    }

    #[inline]
    fn finish(mut self) -> V::Output {
        self.end()
    }

    #[inline]
    fn digest(data: &[u8]) -> V::Output {
        output::<V, RATE>(Sponge::<RATE>::once(&[0; 25], Keccak::get(), data, sponge::SHA3).state())
    }

    fn digest_many(messages: &[&[u8]], digests: &mut [V::Output]) -> Result<()> {
        check_len("digests", messages.len(), digests.len())?;
        let done = in_step::<V, RATE>(messages, digests);
        let (messages, digests) = (&messages[done..], &mut digests[done..]);
        // The kernel for eight costs half as much again as the one for four.
        let few = match messages.len() % 8 {
            n @ 2..=4 if EIGHT.get().width == 8 => n,
            _ => 0,
        };
        let (most, last) = messages.split_at(messages.len() - few);
        let (most_digests, last_digests) = digests.split_at_mut(most.len());
        many::digest_many::<RATE, Many<V, 8>>(most, most.len(), |i, s| most_digests[i] = output::<V, RATE>(s))?;
        many::digest_many::<RATE, Many<V, 4>>(last, last.len(), |i, s| last_digests[i] = output::<V, RATE>(s))
    }
}

/// Groups of eight messages of one length, as long as such come next, if there is a kernel for them. Says how many
/// messages they were.
fn in_step<V: Variant<RATE>, const RATE: usize>(messages: &[&[u8]], digests: &mut [V::Output]) -> usize {
    let (groups, digests) = (messages.as_chunks::<8>().0, digests.as_chunks_mut::<8>().0);
    let Some(run) = EIGHT.get().in_step.filter(|_| !groups.is_empty()) else { return 0 };
    let mut columns = Secret::new(Columns::ZERO);
    let mut done = 0;
    for (group, digests) in groups.iter().zip(digests) {
        if group.iter().any(|message| message.len() != group[0].len()) {
            break;
        }
        run(&mut columns, const { Rate::of::<RATE>() }, sponge::SHA3, group);
        for (state, digest) in columns.0.iter().zip(digests) {
            sponge::read(state, digest.as_mut());
        }
        done += group.len();
    }
    done
}

#[inline]
fn output<V: Variant<RATE>, const RATE: usize>(state: &State) -> V::Output {
    let mut out = V::Output::ZERO;
    sponge::read(state, out.as_mut());
    out
}

impl<V: Variant<RATE>, const RATE: usize> fmt::Debug for Sha3<V, RATE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(..)", V::NAME)
    }
}

/// How the lanes of `digest_many` see a variant: at most `AT_MOST` of them.
struct Many<V, const AT_MOST: usize>(PhantomData<V>);

impl<V, const AT_MOST: usize> Many<V, AT_MOST> {
    /// The widest kernel.
    fn kernel() -> ManyKernel {
        let (four, eight) = (FOUR.get(), EIGHT.get());
        if AT_MOST == 8 && eight.width == 8 { eight } else { four }
    }
}

impl<V: Variant<RATE>, const RATE: usize, const AT_MOST: usize> Lanes<RATE> for Many<V, AT_MOST> {
    type State = State;

    const START: State = [0; 25];
    const KEEP_LAST: bool = false;

    fn pad(_: &mut State, rest: &[u8], _: usize, blocks: &mut [[u8; RATE]]) {
        sponge::pad(&mut blocks[0], rest, sponge::SHA3);
    }

    fn width(_: usize) -> usize {
        Self::kernel().width
    }

    /// Four states take hardly longer than one with AVX-512, and twice as long with AVX2.
    fn least() -> usize {
        if EIGHT.get().width == 8 { 2 } else { 3 }
    }

    fn run(states: &mut [State; MAX_LANES], blocks: &[&[[u8; RATE]]; MAX_LANES]) {
        Self::kernel().absorb(states, blocks);
    }

    fn run_one(state: &mut State, blocks: &[[u8; RATE]]) {
        Keccak::get().absorb(state, blocks);
    }
}

//! Many messages side by side: each lane of a kernel works on a message of its own and takes the next when it is done.

use super::block::split;
use crate::Result;
use crate::error::check_len;
use crate::mem::{Secret, Wipe};

/// The widest kernel.
pub(crate) const MAX_LANES: usize = 16;

/// One implementation of the side by side work on states `S` and blocks of `N` bytes.
#[derive(Clone, Copy)]
pub(crate) struct LaneKernel<S: 'static, const N: usize> {
    /// How many messages at once; 1 where there is no kernel for more.
    pub(crate) width: usize,
    /// Takes equally many blocks into each of the first `width` states.
    pub(crate) compress: fn(&mut [S; MAX_LANES], &[&[[u8; N]]; MAX_LANES]),
}

/// What a hash with blocks of `N` bytes says so that its messages can be run in lanes.
pub(crate) trait Lanes<const N: usize>: Sized {
    /// The chaining state of one message.
    type State: Copy + Wipe;

    /// The state before any input.
    const START: Self::State;
    /// Whether the last block is special even when it is full.
    const KEEP_LAST: bool;

    /// Pads the last bytes of a message of `total` bytes into one or two blocks, says how many, and marks the state if
    /// the function needs to know that they are the last.
    fn pad(state: &mut Self::State, rest: &[u8], total: usize, blocks: &mut [[u8; N]; 2]) -> usize;

    /// How many lanes `run` works on for so many messages: at most [`MAX_LANES`]; 1 means there is no kernel for more.
    fn width(messages: usize) -> usize;

    /// From how many messages on `run` is faster than one message after the other: at least two.
    fn least() -> usize {
        (Self::width(MAX_LANES) / 4 + 1).max(2)
    }

    /// Takes equally many blocks into each of the states, as many as `width` said; the other slices are empty.
    fn run(states: &mut [Self::State; MAX_LANES], blocks: &[&[[u8; N]]; MAX_LANES]);

    /// Takes blocks into one state.
    fn run_one(state: &mut Self::State, blocks: &[[u8; N]]);

    /// Takes a whole message into one state.
    fn one(state: &mut Self::State, message: &[u8]) {
        let (blocks, rest) = cut::<N, Self>(message);
        if !blocks.is_empty() {
            Self::run_one(state, blocks);
        }
        let mut end = Secret::new([[0; N]; 2]);
        let n = Self::pad(state, rest, message.len(), &mut end);
        Self::run_one(state, &end[..n]);
    }
}

/// A message on its way through a lane.
#[derive(Clone, Copy)]
struct Lane<'a, const N: usize> {
    /// Which message; `None` for an idle lane.
    message: Option<usize>,
    /// Its whole blocks that are still to be done.
    blocks: &'a [[u8; N]],
    /// What follows the blocks, until it is padded.
    rest: Option<&'a [u8]>,
    /// The part of the padded end that is still to be done.
    end: (usize, usize),
}

impl<'a, const N: usize> Lane<'a, N> {
    const IDLE: Self = Self { message: None, blocks: &[], rest: None, end: (0, 0) };

    fn new<L: Lanes<N>>(index: usize, message: &'a [u8]) -> Self {
        let (blocks, rest) = cut::<N, L>(message);
        Self { message: Some(index), blocks, rest: Some(rest), end: (0, 0) }
    }

    /// Pads the end of the message into `end` when its turn has come.
    fn prepare<L: Lanes<N>>(&mut self, state: &mut L::State, messages: &[&[u8]], end: &mut [[u8; N]; 2]) {
        if self.blocks.is_empty()
            && let (Some(index), Some(rest)) = (self.message, self.rest.take())
        {
            *end = [[0; N]; 2];
            self.end = (0, L::pad(state, rest, messages[index].len(), end));
        }
    }

    /// The blocks to do next; none if the lane is idle.
    fn next<'b>(&self, end: &'b [[u8; N]; 2]) -> &'b [[u8; N]]
    where
        'a: 'b,
    {
        if self.blocks.is_empty() { &end[self.end.0..self.end.1] } else { self.blocks }
    }

    /// The first `n` of the blocks to do next are done. If that ends the message, says which it was.
    fn advance(&mut self, n: usize) -> Option<usize> {
        if self.blocks.is_empty() {
            self.end.0 += n;
        } else {
            self.blocks = &self.blocks[n..];
        }
        if self.blocks.is_empty() && self.rest.is_none() && self.end.0 == self.end.1 {
            self.message.take()
        } else {
            None
        }
    }
}

fn cut<const N: usize, L: Lanes<N>>(message: &[u8]) -> (&[[u8; N]], &[u8]) {
    if L::KEEP_LAST { split::<N, true>(message) } else { split::<N, false>(message) }
}

/// `finish(i, state)` is called once for each message with its last state.
pub(crate) fn digest_many<const N: usize, L: Lanes<N>>(
    messages: &[&[u8]],
    places: usize,
    mut finish: impl FnMut(usize, &L::State),
) -> Result<()> {
    check_len("digests", messages.len(), places)?;
    if messages.len().min(L::width(messages.len())) < L::least() {
        for (i, message) in messages.iter().enumerate() {
            let mut state = Secret::new(L::START);
            L::one(&mut state, message);
            finish(i, &state);
        }
        return Ok(());
    }

    let mut states = Secret::new([L::START; MAX_LANES]);
    let mut first = 0;
    while let left = messages.len() - first
        && left > 0
        && let Some(group) = messages.get(first..first + L::width(left))
        && group.iter().all(|message| message.len() == group[0].len())
    {
        in_step::<N, L>(group, &mut states);
        for (state, i) in states.iter().zip(first..first + group.len()) {
            finish(i, state);
        }
        first += group.len();
    }
    if first < messages.len() {
        in_turns::<N, L>(messages, first, &mut states, finish);
    }
    Ok(())
}

/// As many messages of one length as there are lanes: the usual batch, with nothing to decide per lane.
fn in_step<const N: usize, L: Lanes<N>>(group: &[&[u8]], states: &mut [L::State; MAX_LANES]) {
    states[..group.len()].fill(L::START);
    let (mut next, mut rest) = ([&[][..]; MAX_LANES], [&[][..]; MAX_LANES]);
    for ((message, next), rest) in group.iter().zip(&mut next).zip(&mut rest) {
        (*next, *rest) = cut::<N, L>(message);
    }
    if !next[0].is_empty() {
        L::run(states, &next);
    }
    // Ends that hold no message bytes are alike, unless padding them marks the state.
    if rest[0].is_empty() && !L::KEEP_LAST {
        let mut end = [[0; N]; 2];
        let n = L::pad(&mut states[0], &[], group[0].len(), &mut end);
        next[..group.len()].fill(&end[..n]);
        return L::run(states, &next);
    }
    let mut ends = Secret::new([[[0; N]; 2]; MAX_LANES]);
    for (i, end) in ends[..group.len()].iter_mut().enumerate() {
        let n = L::pad(&mut states[i], rest[i], group[i].len(), end);
        next[i] = &end[..n];
    }
    L::run(states, &next);
}

/// Messages of any lengths, from the one with index `first` on.
fn in_turns<const N: usize, L: Lanes<N>>(
    messages: &[&[u8]],
    first: usize,
    states: &mut [L::State; MAX_LANES],
    mut finish: impl FnMut(usize, &L::State),
) {
    // The padded end of the message in each lane.
    let mut ends = Secret::new([[[0; N]; 2]; MAX_LANES]);
    let mut lanes = [Lane::<N>::IDLE; MAX_LANES];
    let mut waiting = messages.iter().enumerate().skip(first);
    let most = L::width(messages.len() - first);
    loop {
        // Busy lanes stay in front of idle ones.
        let mut busy = 0;
        for i in 0..most {
            if lanes[i].message.is_none()
                && let Some((message, bytes)) = waiting.next()
            {
                states[i] = L::START;
                lanes[i] = Lane::new::<L>(message, bytes);
            }
            lanes[i].prepare::<L>(&mut states[i], messages, &mut ends[i]);
            if lanes[i].message.is_some() {
                if i > busy {
                    // Copied, not swapped: that would leave a third copy on the stack.
                    (lanes[busy], lanes[i]) = (lanes[i], Lane::IDLE);
                    states.copy_within(i..=i, busy);
                    ends.copy_within(i..=i, busy);
                }
                busy += 1;
            }
        }
        if busy < L::least() {
            break;
        }
        // The next blocks of each lane, cut to the shortest; an idle lane repeats the work of a busy one.
        let width = L::width(busy);
        let mut next: [&[[u8; N]]; MAX_LANES] = core::array::from_fn(|i| lanes[i].next(&ends[i]));
        let (mut n, mut spare): (usize, &[[u8; N]]) = (usize::MAX, &[]);
        for blocks in &next[..width] {
            if !blocks.is_empty() && blocks.len() < n {
                (n, spare) = (blocks.len(), blocks);
            }
        }
        for (i, blocks) in next.iter_mut().enumerate() {
            *blocks = match i {
                _ if i >= width => &[],
                _ if blocks.is_empty() => spare,
                _ => &blocks[..n],
            };
        }
        L::run(states, &next);

        for (lane, state) in lanes[..width].iter_mut().zip(&*states) {
            if lane.message.is_some()
                && let Some(index) = lane.advance(n)
            {
                finish(index, state);
            }
        }
    }

    // A kernel costs the same however few of its lanes are used, so the last few messages go one by one.
    for ((lane, state), end) in lanes.iter_mut().zip(states).zip(&mut *ends) {
        while lane.message.is_some() {
            lane.prepare::<L>(state, messages, end);
            let blocks = lane.next(end);
            L::run_one(state, blocks);
            if let Some(index) = lane.advance(blocks.len()) {
                finish(index, state);
            }
        }
    }
}

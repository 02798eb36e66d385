//! Many messages side by side: each lane of a kernel works on a message of its own and takes the next when it is done.

use super::block::split;
use crate::Result;
use crate::error::check_len;
use crate::mem::{Room, Secret, Wipe};

/// The widest kernel.
pub(crate) const MAX_LANES: usize = 16;

/// One implementation of the side by side work on states `S` and blocks of `N` bytes.
#[derive(Clone, Copy, Debug)]
pub struct LaneKernel<S: 'static, const N: usize> {
    /// How many messages at once; 1 where there is no kernel for more.
    pub(crate) width: usize,
    /// Takes equally many blocks into each of the first `width` states.
    pub(crate) compress: Compress<S, N>,
    /// Whole messages of one length in all lanes, for kernels that keep the states in registers between their parts.
    pub(crate) whole: Option<Whole<S, N>>,
}

/// Takes equally many blocks into each of the first states.
pub(crate) type Compress<S, const N: usize> = fn(&mut [S; MAX_LANES], &[&[[u8; N]]; MAX_LANES]);

/// Takes equally many blocks, which may be none, and then equally many others into states that are all the same before.
pub(crate) type Whole<S, const N: usize> = fn(&mut [S; MAX_LANES], &[&[[u8; N]]; MAX_LANES], &[&[[u8; N]]; MAX_LANES]);

impl<S, const N: usize> LaneKernel<S, N> {
    /// A kernel that knows blocks only.
    pub(crate) const fn of_blocks(width: usize, compress: Compress<S, N>) -> Self {
        Self { width, compress, whole: None }
    }
}

/// What a hash with blocks of `N` bytes says so that its messages can be run in lanes.
pub(crate) trait Lanes<const N: usize>: Sized {
    /// The chaining state of one message.
    type State: Copy + Wipe;

    /// The state before any input.
    const START: Self::State;
    /// Whether the last block is special even when it is full.
    const KEEP_LAST: bool;

    /// How many blocks so many last bytes become with their padding: at most two.
    fn ends(_rest: usize) -> usize {
        1
    }

    /// Pads the last bytes of a message of `total` bytes into as many zeroed blocks, and marks the state if the function
    /// needs to know that they are the last.
    fn pad(state: &mut Self::State, rest: &[u8], total: usize, blocks: &mut [[u8; N]]);

    /// How many lanes `run` works on for so many messages: at most [`MAX_LANES`]; 1 means there is no kernel for more.
    fn width(messages: usize) -> usize;

    /// From how many messages on `run` is faster than one message after the other: at least two.
    fn least() -> usize {
        (Self::width(MAX_LANES) / 4 + 1).max(2)
    }

    /// Takes equally many blocks into each of the states, as many as `width` said; the other slices are empty.
    fn run(states: &mut [Self::State; MAX_LANES], blocks: &[&[[u8; N]]; MAX_LANES]);

    /// The kernel for whole messages in so many lanes, if there is one. It is not for hashes whose padding marks the state.
    fn whole(_width: usize) -> Option<Whole<Self::State, N>> {
        None
    }

    /// Takes blocks into one state.
    fn run_one(state: &mut Self::State, blocks: &[[u8; N]]);

    /// Takes a whole message into one state.
    fn one(state: &mut Self::State, message: &[u8]) {
        let (blocks, rest) = cut::<N, Self>(message);
        if !blocks.is_empty() {
            Self::run_one(state, blocks);
        }
        let mut end = Secret::new([[0; N]; 2]);
        let end = &mut end[..Self::ends(rest.len())];
        Self::pad(state, rest, message.len(), end);
        Self::run_one(state, end);
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
            self.end = (0, L::ends(rest.len()));
            L::pad(state, rest, messages[index].len(), &mut end[..self.end.1]);
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

    let mut room = Room::<L::State, MAX_LANES>::new();
    let mut first = 0;
    while let left = &messages[first..]
        && left.len() >= L::least()
        && let group = &left[..L::width(left.len()).min(left.len())]
        && group.iter().all(|message| message.len() == group[0].len())
    {
        let states = room.fill(L::START);
        in_step::<N, L>(group, states);
        for (state, i) in states.iter().zip(first..first + group.len()) {
            finish(i, state);
        }
        first += group.len();
    }
    if first < messages.len() {
        in_turns::<N, L>(messages, first, room.fill(L::START), finish);
    }
    Ok(())
}

/// As many messages of one length as there are lanes, or fewer: the usual batch, with nothing to decide per lane. Idle
/// lanes repeat the first.
fn in_step<const N: usize, L: Lanes<N>>(group: &[&[u8]], states: &mut [L::State; MAX_LANES]) {
    let (width, total) = (L::width(group.len()), group[0].len());
    let message = |lane: usize| group.get(lane).unwrap_or(&group[0]);
    let blocks: [&[[u8; N]]; MAX_LANES] =
        core::array::from_fn(|lane| if lane < width { cut::<N, L>(message(lane)).0 } else { &[] });
    let whole = L::whole(width);
    if whole.is_none() && !blocks[0].is_empty() {
        L::run(states, &blocks);
    }
    let rest = total - N * blocks[0].len();
    // Ends that hold no message bytes are alike, unless padding them marks the state.
    let alike = rest == 0 && !L::KEEP_LAST;
    let n = L::ends(rest);
    let mut room = Room::<[u8; N], { 2 * MAX_LANES }>::new();
    let padded = room.front(if alike { n } else { n * width }, [0; N]);
    for ((lane, end), state) in padded.chunks_exact_mut(n).enumerate().zip(&mut *states) {
        L::pad(state, &message(lane)[total - rest..], total, end);
    }
    let padded = &*padded;
    let ends: [&[[u8; N]]; MAX_LANES] = core::array::from_fn(|lane| match lane {
        _ if lane >= width => &[][..],
        _ if alike => padded,
        _ => &padded[n * lane..][..n],
    });
    match whole {
        Some(whole) => whole(states, &blocks, &ends),
        None => L::run(states, &ends),
    }
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

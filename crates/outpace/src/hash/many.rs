//! Many messages side by side: each lane of a kernel works on a message of its own and takes the next when it is done.

use super::block::split;
use crate::Result;
use crate::error::check_len;

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
pub(crate) trait Lanes<const N: usize> {
    /// The chaining state of one message.
    type State: Copy;

    /// The state before any input.
    const START: Self::State;
    /// Whether the last block is special even when it is full.
    const KEEP_LAST: bool;

    /// Pads the last bytes of a message of `total` bytes into one or two blocks, says how many, and marks the state if
    /// the function needs to know that they are the last.
    fn pad(state: &mut Self::State, rest: &[u8], total: usize, blocks: &mut [[u8; N]; 2]) -> usize;

    /// How many lanes `run` works on: at most [`MAX_LANES`]; 1 means there is no kernel for more.
    fn width() -> usize;

    /// Takes equally many blocks into each of the first `width` states.
    fn run(states: &mut [Self::State; MAX_LANES], blocks: &[&[[u8; N]]; MAX_LANES]);

    /// Takes blocks into one state.
    fn run_one(state: &mut Self::State, blocks: &[[u8; N]]);
}

/// A message on its way through a lane.
struct Job<'a, const N: usize> {
    /// Which message.
    index: usize,
    /// Its whole blocks that are still to be done.
    blocks: &'a [[u8; N]],
    /// What follows the blocks, until it is padded.
    rest: Option<&'a [u8]>,
    /// The padded end, and which part of it is still to be done.
    end: [[u8; N]; 2],
    end_from: usize,
    end_to: usize,
}

impl<'a, const N: usize> Job<'a, N> {
    fn new<L: Lanes<N>>(index: usize, message: &'a [u8]) -> Self {
        let (blocks, rest) = if L::KEEP_LAST { split::<N, true>(message) } else { split::<N, false>(message) };
        Self { index, blocks, rest: Some(rest), end: [[0; N]; 2], end_from: 0, end_to: 0 }
    }

    /// The blocks to do next; pads the end when its turn has come. Empty when the message is done.
    fn next<L: Lanes<N>>(&mut self, state: &mut L::State, total: usize) -> &[[u8; N]] {
        if !self.blocks.is_empty() {
            return self.blocks;
        }
        if let Some(rest) = self.rest.take() {
            self.end_to = L::pad(state, rest, total, &mut self.end);
        }
        &self.end[self.end_from..self.end_to]
    }

    /// `n` of the blocks that `next` gave are done.
    fn advance(&mut self, n: usize) {
        if self.blocks.is_empty() {
            self.end_from += n;
        } else {
            self.blocks = &self.blocks[n..];
        }
    }

    fn done(&self) -> bool {
        self.blocks.is_empty() && self.rest.is_none() && self.end_from == self.end_to
    }
}

/// `finish(i, state)` is called once for each message with its last state.
pub(crate) fn digest_many<const N: usize, L: Lanes<N>>(
    messages: &[&[u8]],
    places: usize,
    mut finish: impl FnMut(usize, &L::State),
) -> Result<()> {
    check_len("digests", messages.len(), places)?;
    let width = L::width();
    let mut states = [L::START; MAX_LANES];
    let mut lanes: [Option<Job<'_, N>>; MAX_LANES] = [const { None }; MAX_LANES];
    let mut waiting = messages.iter().enumerate();

    loop {
        // Fill the free lanes.
        let mut busy = 0;
        for (lane, state) in lanes.iter_mut().zip(&mut states).take(width) {
            if lane.is_none()
                && let Some((i, message)) = waiting.next()
            {
                *state = L::START;
                *lane = Some(Job::new::<L>(i, message));
            }
            busy += usize::from(lane.is_some());
        }
        if busy == 0 {
            return Ok(());
        }
        // A kernel costs the same however many of its lanes are used; the last few messages are faster one by one.
        if busy * 4 <= width.max(4) {
            for (lane, state) in lanes.iter_mut().zip(&mut states) {
                if let Some(mut job) = lane.take() {
                    while !job.done() {
                        let blocks = job.next::<L>(state, messages[job.index].len());
                        L::run_one(state, blocks);
                        let n = blocks.len();
                        job.advance(n);
                    }
                    finish(job.index, state);
                }
            }
            continue;
        }

        // The next blocks of each lane, cut to the shortest; an idle lane repeats the work of a busy one.
        let mut next: [&[[u8; N]]; MAX_LANES] = [&[]; MAX_LANES];
        for ((lane, state), next) in lanes.iter_mut().zip(&mut states).zip(&mut next) {
            if let Some(job) = lane {
                let total = messages[job.index].len();
                *next = job.next::<L>(state, total);
            }
        }
        let spare = next.iter().copied().filter(|b| !b.is_empty()).min_by_key(|b| b.len()).unwrap_or(&[]);
        let n = spare.len();
        for next in &mut next {
            *next = if next.is_empty() { spare } else { &next[..n] };
        }
        L::run(&mut states, &next);

        for (lane, state) in lanes.iter_mut().zip(&states) {
            if let Some(job) = lane {
                job.advance(n);
                if job.done() {
                    finish(job.index, state);
                    *lane = None;
                }
            }
        }
    }
}

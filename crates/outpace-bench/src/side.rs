//! One contender of one cell: its state, the operation that is timed, and the bytes it is judged by.

use std::hint::black_box;

use crate::buffer::Buffer;

/// A contender of a cell, ready to run.
pub struct Side {
    work: Box<dyn Work>,
}

trait Work {
    fn run(&mut self, times: u64);
    fn output(&mut self) -> Vec<u8>;
    fn accepts(&mut self, output: &[u8]) -> Option<bool>;
}

impl Side {
    /// `operation` is timed; `output` shows the result of the last operation and is not.
    ///
    /// The operation is compiled into its own loop, so the price of a call through a pointer is paid once per batch and
    /// by nobody in particular. Everything it works on lives in `state`.
    pub fn new<S: 'static>(
        state: S,
        operation: impl FnMut(&mut S) + 'static,
        output: impl Fn(&S) -> Vec<u8> + 'static,
    ) -> Self {
        Self { work: Box::new(Plain { state, operation, output, accept: |_: &mut S, _: &[u8]| None }) }
    }

    /// Like [`Side::new`] for operations with random results: `accept` says whether this side takes another's output.
    pub fn judging<S: 'static>(
        state: S,
        operation: impl FnMut(&mut S) + 'static,
        output: impl Fn(&S) -> Vec<u8> + 'static,
        mut accept: impl FnMut(&mut S, &[u8]) -> bool + 'static,
    ) -> Self {
        let accept = move |state: &mut S, bytes: &[u8]| Some(accept(state, bytes));
        Self { work: Box::new(Plain { state, operation, output, accept }) }
    }

    pub fn run(&mut self, times: u64) {
        self.work.run(times);
    }

    pub fn output(&mut self) -> Vec<u8> {
        self.work.output()
    }

    /// Whether this side accepts what another put out; `None` when it cannot judge.
    pub fn accepts(&mut self, output: &[u8]) -> Option<bool> {
        self.work.accepts(output)
    }
}

/// A side that fills a buffer with random bytes.
pub fn filling(length: usize, fill: impl Fn(&mut [u8]) -> bool + 'static) -> Side {
    let operation = move |buffer: &mut Buffer| assert!(fill(buffer), "the generator works");
    Side::new(Buffer::zeroed(length), operation, |buffer| buffer.to_vec())
}

struct Plain<S, F, G, H> {
    state: S,
    operation: F,
    output: G,
    accept: H,
}

impl<S, F, G, H> Work for Plain<S, F, G, H>
where
    F: FnMut(&mut S),
    G: Fn(&S) -> Vec<u8>,
    H: FnMut(&mut S, &[u8]) -> Option<bool>,
{
    fn run(&mut self, times: u64) {
        for _ in 0..times {
            (self.operation)(black_box(&mut self.state));
        }
        black_box(&mut self.state);
    }

    fn output(&mut self) -> Vec<u8> {
        (self.output)(&self.state)
    }

    fn accepts(&mut self, output: &[u8]) -> Option<bool> {
        (self.accept)(&mut self.state, output)
    }
}

//! The generator of one thread.

use super::entropy;
use super::os::{Machine, Private};
use crate::Result;
use crate::cipher::aes::Aes256;
use crate::cipher::chacha20::{Apply, KERNELS, State, words};
use crate::cipher::modes::BlockCipher as _;
use crate::cpu::Features;
use crate::mem::{InOut, Secret, Wipe};
use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};
use std::time::{Duration, Instant};

/// One batch: a new key and what is handed out.
const BATCH: usize = 1024;
const KEY: usize = 32;
/// From here on a request gets a key and a key stream of its own instead of a copy of the batch.
const LONG: usize = 512;
/// A long request is served in pieces of this, each with its own key: far below the limits of both ciphers.
const PIECE: usize = 1 << 30;
/// A seed is used for this much, and this long.
const VOLUME: u64 = 1 << 20;
const TIME: Duration = Duration::from_secs(1);

/// All secrets of the generator. Zeros, as a fresh page or one emptied by a fork has, mean: no seed.
#[repr(C)]
pub(super) struct Pool {
    /// Not zero if there is a seed. Atomic because a fork in a signal handler can clear it between any two instructions.
    seeded: AtomicU64,
    /// How far the batch has been handed out and wiped.
    at: usize,
    key: [u32; 8],
    batch: [u8; BATCH],
}

impl Wipe for Pool {
    fn wipe(&mut self) {
        self.seeded.store(0, Ordering::Relaxed);
        self.key.wipe();
        self.batch.wipe();
    }
}

/// Where seeds come from; the tests put something else here.
type Source = fn(&mut [u8]) -> Result<()>;

/// What makes the key stream of a long request.
#[derive(Clone, Copy)]
enum Long {
    /// AES-256 in counter mode, where it is an instruction: then it is faster than ChaCha20.
    Aes,
    ChaCha20,
}

struct Generator {
    pool: Private<Pool>,
    source: Source,
    apply: Apply,
    long: Long,
    machine: Machine,
    /// Bytes given since the last seed.
    given: u64,
    since: Instant,
}

std::thread_local! {
    static GENERATOR: RefCell<Option<Generator>> = const { RefCell::new(None) };
}

#[inline]
pub(super) fn fill(out: &mut [u8]) -> Result<()> {
    let filled = GENERATOR.try_with(|cell| {
        // Borrowed already: a signal handler interrupted this very function.
        let mut slot = cell.try_borrow_mut().ok()?;
        let generator = match &mut *slot {
            Some(generator) => generator,
            None => slot.insert(Generator::new(entropy)?),
        };
        Some(generator.fill(out))
    });
    match filled {
        Ok(Some(result)) => result,
        // A thread that is being taken down, or no page to be had.
        _ => entropy(out),
    }
}

impl Generator {
    /// `None` if there is no memory for it.
    #[cold]
    fn new(source: Source) -> Option<Self> {
        let pool = Private::<Pool>::new()?;
        let machine = Machine::now(!pool.wiped_on_fork());
        let long = if Features::detected().contains(Features::AES) { Long::Aes } else { Long::ChaCha20 };
        Some(Self { pool, source, apply: KERNELS.get(), long, machine, given: 0, since: Instant::now() })
    }

    #[inline]
    fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        if self.pool.seeded() && !self.machine.changed() && self.pool.give(out) && self.pool.seeded() {
            return Ok(());
        }
        self.fill_slowly(out)
    }

    #[inline(never)]
    fn fill_slowly(&mut self, out: &mut [u8]) -> Result<()> {
        loop {
            if !self.pool.seeded() || self.machine.changed() {
                self.seed().inspect_err(|_| out.fill(0))?;
            }
            self.fill_seeded(out)?;
            // Still the process that began? See `Pool::seeded`.
            if self.pool.seeded() {
                return Ok(());
            }
        }
    }

    fn fill_seeded(&mut self, out: &mut [u8]) -> Result<()> {
        let mut filled = 0;
        while filled < out.len() {
            let rest = &mut out[filled..];
            let n = if rest.len() < LONG { rest.len().min(BATCH - self.pool.at) } else { rest.len().min(PIECE) };
            let done = if n == 0 {
                false
            } else if n < LONG {
                self.pool.give(&mut rest[..n])
            } else {
                self.pool.stream(self.long, self.apply, &mut rest[..n])
            };
            if done {
                filled += n;
            } else if let Err(error) = self.next_batch() {
                out.wipe();
                return Err(error);
            }
        }
        self.given += out.len() as u64;
        Ok(())
    }

    /// The batch is used up: a good moment to look at the clock.
    fn next_batch(&mut self) -> Result<()> {
        self.given += BATCH as u64;
        if self.given > VOLUME || self.since.elapsed() > TIME {
            return self.seed();
        }
        self.pool.refill(self.apply);
        Ok(())
    }

    #[cold]
    fn seed(&mut self) -> Result<()> {
        // The state of the machine is read first: if it changes meanwhile, the next call sees that.
        self.machine = Machine::now(!self.pool.wiped_on_fork());
        self.pool.seeded.store(0, Ordering::Relaxed);
        let mut seed = Secret::new([0; KEY]);
        (self.source)(&mut *seed)?;
        self.pool.mix(&seed, self.apply);
        self.given = 0;
        self.since = Instant::now();
        Ok(())
    }
}

impl Pool {
    /// Hands out of the batch, if it has that much left.
    #[inline]
    fn give(&mut self, out: &mut [u8]) -> bool {
        let Some(source) = self.batch.get_mut(self.at..).and_then(|left| left.get_mut(..out.len())) else {
            return false;
        };
        out.copy_from_slice(source);
        source.wipe();
        self.at += out.len();
        true
    }

    /// Fills `out` under a key of its own, taken from the batch, if that has 32 bytes left.
    fn stream(&mut self, long: Long, apply: Apply, out: &mut [u8]) -> bool {
        let mut key = Secret::new([0; KEY]);
        if !self.give(&mut *key) {
            return false;
        }
        out.fill(0);
        match long {
            Long::Aes => Aes256::new(&key).xor_keystream(&mut [0; 16], InOut::in_place(out)),
            Long::ChaCha20 => apply(&Secret::new(State::new(&words(&*key), 0, &[0; 3])), out),
        }
        true
    }

    /// The key makes a batch and is replaced by the first bytes of it.
    fn refill(&mut self, apply: Apply) {
        let state = Secret::new(State::new(&self.key, 0, &[0; 3]));
        self.batch.fill(0);
        apply(&state, &mut self.batch);
        self.key = words(&self.batch[..KEY]);
        self.batch[..KEY].wipe();
        self.at = KEY;
    }

    /// A new seed on top of the old key.
    fn mix(&mut self, seed: &[u8; KEY], apply: Apply) {
        for (key, word) in self.key.iter_mut().zip(words::<8>(seed)) {
            *key ^= word;
        }
        self.refill(apply);
        self.seeded.store(1, Ordering::Relaxed);
    }

    #[inline]
    fn seeded(&self) -> bool {
        compiler_fence(Ordering::SeqCst);
        let seeded = self.seeded.load(Ordering::Relaxed) != 0;
        compiler_fence(Ordering::SeqCst);
        seeded
    }

    #[cfg(test)]
    pub(super) fn fill_for_test(&mut self) {
        self.mix(&[1; KEY], KERNELS.get());
    }

    #[cfg(test)]
    pub(super) fn is_empty_for_test(&self) -> bool {
        !self.seeded() && self.at == 0 && self.key == [0; 8] && self.batch == [0; BATCH]
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

//! The generator of one thread.

use super::entropy;
use super::os::{self, Machine, Private};
use crate::Result;
use crate::cipher::aes::Forward;
use crate::cipher::chacha20::{Apply, KERNELS, State, words};
use crate::cpu::Features;
use crate::mem::{InOut, Secret, Wipe, wiping_stack};
use core::cell::RefCell;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

/// One batch: a new key and what is handed out.
const BATCH: usize = 2048;
const KEY: usize = 32;
/// From here on a request gets a key and a key stream of its own instead of a copy of the batch.
const LONG: usize = 512;
/// A seed is used for this much: far below the limits of both ciphers.
const VOLUME: usize = 1 << 20;
/// Bytes of stack below which no cipher goes. They leave keys and key stream there that are erased in the pool; to wipe this
/// takes a tenth of the time of a batch.
const STACK: usize = 4096;

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
/// Tells one second from the next, likewise.
type Clock = fn() -> u64;

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
    clock: Clock,
    apply: Apply,
    long: Long,
    machine: Machine,
    /// Bytes made since the last seed, and the second it is of.
    made: usize,
    second: u64,
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
            None => slot.insert(Generator::new(entropy, os::second)?),
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
    fn new(source: Source, clock: Clock) -> Option<Self> {
        let pool = Private::<Pool>::new()?;
        let machine = Machine::now(!pool.wiped_on_fork());
        let long = if Features::detected().contains(Features::AES) { Long::Aes } else { Long::ChaCha20 };
        Some(Self { pool, source, clock, apply: KERNELS.get(), long, machine, made: 0, second: 0 })
    }

    /// Whether there is a seed, of this second, process and machine.
    #[inline]
    fn fresh(&self) -> bool {
        self.pool.seeded() && (self.clock)() == self.second && !self.machine.changed()
    }

    #[inline]
    fn fill(&mut self, out: &mut [u8]) -> Result<()> {
        if self.fresh() && self.pool.give(out) && self.pool.seeded() {
            return Ok(());
        }
        self.fill_slowly(out)
    }

    #[inline(never)]
    fn fill_slowly(&mut self, out: &mut [u8]) -> Result<()> {
        loop {
            if !self.fresh() {
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
            // What is left of the batch, or of the seed.
            let left = if rest.len() < LONG { BATCH - self.pool.at } else { VOLUME.saturating_sub(self.made) };
            let n = rest.len().min(left);
            let done = if n == 0 {
                false
            } else if n < LONG {
                self.pool.give(&mut rest[..n])
            } else {
                self.stream(&mut rest[..n])
            };
            if done {
                filled += n;
            } else if let Err(error) = self.next_batch() {
                out.wipe();
                return Err(error);
            }
        }
        Ok(())
    }

    fn stream(&mut self, out: &mut [u8]) -> bool {
        let done = self.pool.stream(self.long, self.apply, out);
        self.made += if done { out.len() } else { 0 };
        done
    }

    /// The batch or the seed is used up.
    fn next_batch(&mut self) -> Result<()> {
        if self.made + BATCH > VOLUME {
            return self.seed();
        }
        self.pool.refill(self.apply);
        self.made += BATCH;
        Ok(())
    }

    #[cold]
    fn seed(&mut self) -> Result<()> {
        // The time and the state of the machine are read first: if they change meanwhile, the next call sees that.
        self.second = (self.clock)();
        self.machine = Machine::now(!self.pool.wiped_on_fork());
        self.pool.seeded.store(0, Ordering::Relaxed);
        let mut seed = Secret::new([0; KEY]);
        (self.source)(&mut *seed)?;
        self.pool.mix(&seed, self.apply);
        self.made = BATCH;
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
        wiping_stack::<STACK, _>(|| match long {
            Long::Aes => Forward::<KEY>::new(&key).ctr(&mut [0; 16], InOut::in_place(out)),
            Long::ChaCha20 => apply(&Secret::new(State::new(&words(&*key), 0, &[0; 3])), out),
        });
        true
    }

    /// The key makes a batch and is replaced by the first bytes of it.
    fn refill(&mut self, apply: Apply) {
        wiping_stack::<STACK, _>(|| {
            let state = Secret::new(State::new(&self.key, 0, &[0; 3]));
            self.batch.fill(0);
            apply(&state, &mut self.batch);
            self.key = words(&self.batch[..KEY]);
        });
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

//! The generator against a model of it, and its failures. Forks are tested in `os.rs`, where `unsafe` is at home.

use super::*;
use crate::cipher::chacha20::portable;
use crate::{Error, rand};
use core::cell::Cell;
use std::vec::Vec;
use testkit::Rng;

std::thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
    static BROKEN: Cell<bool> = const { Cell::new(false) };
}

/// Seeds that can be foretold: the number of the call.
fn counted(out: &mut [u8]) -> Result<()> {
    CALLS.set(CALLS.get() + 1);
    out.fill(CALLS.get() as u8);
    if BROKEN.get() { Err(Error::Random) } else { Ok(()) }
}

/// The same generator, written as its description reads.
struct Model {
    key: [u8; 32],
    left: Vec<u8>,
    long: Long,
}

impl Model {
    fn new(seed: u8, long: Long) -> Self {
        let mut model = Self { key: [seed; 32], left: Vec::new(), long };
        model.refill();
        model
    }

    fn stream(key: &[u8; 32], len: usize) -> Vec<u8> {
        let mut out = std::vec![0; len];
        portable::apply(&State::new(&crate::cipher::chacha20::words(key), 0, &[0; 3]), &mut out);
        out
    }

    fn refill(&mut self) {
        self.left = Self::stream(&self.key, BATCH);
        self.key = self.left[..KEY].try_into().unwrap();
        self.left.drain(..KEY);
    }

    fn take(&mut self, n: usize) -> Vec<u8> {
        let mut out = Vec::new();
        while out.len() < n {
            if self.left.is_empty() {
                self.refill();
            }
            out.extend(self.left.drain(..(n - out.len()).min(self.left.len())));
        }
        out
    }

    fn fill(&mut self, n: usize) -> Vec<u8> {
        if n < LONG || n <= self.left.len() {
            return self.take(n);
        }
        if self.left.len() < KEY {
            self.refill();
        }
        let key = self.take(KEY).try_into().unwrap();
        match self.long {
            Long::ChaCha20 => Self::stream(&key, n),
            Long::Aes => {
                let mut blocks: Vec<[u8; 16]> = (0..n.div_ceil(16) as u128).map(u128::to_be_bytes).collect();
                Aes256::new(&key).encrypt_blocks(&mut blocks);
                blocks.as_flattened()[..n].to_vec()
            }
        }
    }
}

#[test]
fn agrees_with_its_description() {
    description(Long::ChaCha20);
    description(Long::Aes);
}

fn description(long: Long) {
    CALLS.set(0);
    let mut generator = Generator::new(counted).unwrap();
    generator.long = long;
    let mut rng = Rng::new(1);
    let lengths: Vec<usize> = (0..600)
        .map(|i| match i % 7 {
            0 => rng.below(3000),
            1 => LONG - 2 + rng.below(4),
            2 => rng.below(BATCH + 2),
            _ => rng.below(80),
        })
        .collect();
    let mut model: Option<Model> = None;
    for len in lengths {
        let mut out = std::vec![0xee; len];
        // An age that does not come from the clock of a slow machine.
        generator.since = Instant::now();
        let before = CALLS.get();
        generator.fill(&mut out).unwrap();
        let model = model.get_or_insert_with(|| Model::new(1, long));
        assert_eq!(CALLS.get().max(1), before.max(1), "no new seed within the volume");
        assert_eq!(out, model.fill(len), "{len} bytes");
        assert!(generator.pool.batch[..generator.pool.at].iter().all(|b| *b == 0), "handed out and not wiped");
    }
}

#[test]
fn seeded_by_volume_and_time() {
    CALLS.set(0);
    let mut generator = Generator::new(counted).unwrap();
    let mut out = std::vec![0; 4096];
    for _ in 0..4 * (VOLUME as usize / 4096) {
        generator.since = Instant::now();
        generator.fill(&mut out).unwrap();
    }
    // Once at first, then in four volumes at least three times; the clock is only looked at between batches.
    assert!((4..=8).contains(&CALLS.get()), "{}", CALLS.get());
    CALLS.set(0);
    for _ in 0..BATCH / 16 + 1 {
        generator.since = Instant::now() - 2 * TIME;
        generator.fill(&mut out[..16]).unwrap();
    }
    assert!((1..=2).contains(&CALLS.get()), "{}", CALLS.get());
}

#[test]
fn a_failing_source_is_an_error_and_no_bytes() {
    BROKEN.set(true);
    let mut generator = Generator::new(counted).unwrap();
    for len in [1, 16, 600, 5000] {
        let mut out = std::vec![7; len];
        assert_eq!(generator.fill(&mut out), Err(Error::Random));
        assert_eq!(out, std::vec![0; len]);
    }
    BROKEN.set(false);
    let mut out = [0; 16];
    generator.fill(&mut out).unwrap();
    assert_ne!(out, [0; 16]);
    // And when a later seed fails.
    BROKEN.set(true);
    generator.since = Instant::now() - 2 * TIME;
    let mut out = [7; BATCH];
    let failed = (0..9).any(|_| {
        out = [7; BATCH];
        generator.fill(&mut out[..500]).is_err()
    });
    assert!(failed && out[..500].iter().all(|b| *b == 0));
    assert_eq!(generator.fill(&mut out[..1]), Err(Error::Random), "and it stays so");
    BROKEN.set(false);
    assert_eq!(generator.fill(&mut out[..1]), Ok(()));
}

/// Not a test of randomness: of gross mistakes, such as the same batch twice or bits that stand still.
#[test]
fn bytes_do_not_repeat() {
    let mut seen = std::collections::HashSet::new();
    let mut ones = [0u32; 8];
    for i in 0..20_000 {
        let mut out = [0; 16];
        rand::fill(&mut out).unwrap();
        assert!(seen.insert(out));
        for bit in 0..8 {
            ones[bit] += u32::from(out[i % 16] >> bit & 1);
        }
    }
    // Twenty thousand tosses: ten standard deviations are 707.
    assert!(ones.iter().all(|n| n.abs_diff(10_000) < 707), "{ones:?}");
    let batches: Vec<Vec<u8>> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                let mut out = std::vec![0; 5000];
                rand::fill(&mut out).unwrap();
                out
            })
        })
        .map(|thread| thread.join().unwrap())
        .collect();
    for i in 0..batches.len() {
        assert!((0..i).all(|j| batches[i] != batches[j]));
    }
}

#[test]
fn empty_requests_and_every_length() {
    for len in 0..BATCH + 100 {
        let mut out = std::vec![0; len];
        rand::fill(&mut out).unwrap();
        if len >= 16 {
            assert!(out.iter().any(|b| *b != 0));
            assert_ne!(out[len - 16..], [0; 16], "the end of {len} bytes");
        }
    }
}

//! The generator against a model of it, and its failures. Forks are tested in `os.rs`, where `unsafe` is at home.

use super::*;
use crate::cipher::aes::Aes256;
use crate::cipher::chacha20::portable;
use crate::cipher::modes::BlockCipher as _;
use crate::{Error, rand};
use core::cell::Cell;
use std::vec::Vec;
use testkit::Rng;

std::thread_local! {
    static CALLS: Cell<u32> = const { Cell::new(0) };
    static BROKEN: Cell<bool> = const { Cell::new(false) };
    static NOW: Cell<u64> = const { Cell::new(5) };
}

/// Draws from seeds that can be foretold, at a time that stands still.
fn generator() -> Generator {
    CALLS.set(0);
    Generator::new(counted, || NOW.get()).unwrap()
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
    let mut generator = generator();
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
        let before = CALLS.get();
        generator.fill(&mut out).unwrap();
        let model = model.get_or_insert_with(|| Model::new(1, long));
        assert_eq!(CALLS.get().max(1), before.max(1), "no new seed within the volume");
        assert_eq!(out, model.fill(len), "{len} bytes");
        assert!(generator.pool.batch[..generator.pool.at].iter().all(|b| *b == 0), "handed out and not wiped");
    }
}

/// Requests of one length or another, together or at once: no seed is used for more than its volume.
#[test]
fn seeded_by_volume() {
    const MANY: usize = 5 * VOLUME + VOLUME / 2;
    let mut out = std::vec![0; MANY];
    for len in [16, 100, LONG - 1, LONG, 4096, 10_000, VOLUME - 1, VOLUME, VOLUME + 1, MANY] {
        let mut generator = generator();
        for request in out.chunks_mut(len) {
            let before = CALLS.get();
            generator.fill(request).unwrap();
            assert!(
                generator.made <= VOLUME && CALLS.get() as usize <= before as usize + 1 + len.div_ceil(VOLUME),
                "{len}"
            );
        }
        // Six, and some more for what becomes keys.
        assert!((6..=8).contains(&CALLS.get()), "{} seeds, {len} bytes each", CALLS.get());
    }
}

/// The next call after a second has gone by, however few bytes were drawn.
#[test]
fn seeded_by_time() {
    let (mut generator, mut out) = (generator(), [0; 700]);
    for second in 1..10 {
        NOW.set(second);
        for len in [1, 1, 600, 20] {
            generator.fill(&mut out[..len]).unwrap();
            assert_eq!(u64::from(CALLS.get()), second);
        }
    }
    // The clock does go on.
    let start = std::time::Instant::now();
    let second = os::second();
    while os::second() == second {
        assert!(start.elapsed().as_secs() < 3);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_failing_source_is_an_error_and_no_bytes() {
    BROKEN.set(true);
    let mut generator = generator();
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
    NOW.set(NOW.get() + 1);
    let mut out = [7; BATCH];
    for len in [500, 1, BATCH] {
        assert_eq!(generator.fill(&mut out[..len]), Err(Error::Random), "and it stays so");
        assert!(out[..len].iter().all(|b| *b == 0));
    }
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

/// Threads that end, and what is dropped when they do, before the generator and after it: bytes all the same.
#[test]
fn threads_end() {
    use std::sync::Mutex;
    static DRAWN: Mutex<Vec<[u8; 16]>> = Mutex::new(Vec::new());
    struct Last;
    impl Last {
        fn draw(&self) {
            let mut out = [0; 16];
            rand::fill(&mut out).unwrap();
            DRAWN.lock().unwrap().push(out);
        }
    }
    impl Drop for Last {
        fn drop(&mut self) {
            self.draw();
        }
    }
    std::thread_local! {
        static BEFORE: Last = const { Last };
        static AFTER: Last = const { Last };
    }
    for i in 0..300 {
        std::thread::spawn(move || {
            // Destructors run in the reverse order of first use, or in it.
            if i % 3 != 0 {
                BEFORE.with(|_| ());
            }
            if i % 3 != 2 {
                AFTER.with(Last::draw);
            }
        })
        .join()
        .unwrap();
    }
    let mut drawn = DRAWN.lock().unwrap();
    let len = drawn.len();
    assert_eq!(len, 600);
    drawn.sort_unstable();
    drawn.dedup();
    assert!(drawn.len() == len && !drawn.contains(&[0; 16]));
}

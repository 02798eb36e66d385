use super::*;
use crate::cipher::modes::Ctr;
use serde_json::Value;
use std::vec::Vec;
use testkit::{Guarded, Rng, hex, lengths_around};

/// One example of `vectors/kalyna.json`.
pub(crate) struct Example(Value);

impl Example {
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        hex(self.0[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.0)))
    }

    pub(crate) fn number(&self, name: &str) -> usize {
        self.0[name].as_u64().unwrap_or_else(|| panic!("no {name} in {}", self.0)) as usize
    }
}

/// A test on one size of block and key.
pub(crate) trait Job {
    fn run<const B: usize, const K: usize, const R: usize>(&mut self);
}

/// Runs the job on the size with this block and key.
pub(crate) fn with_size(block: usize, key: usize, job: &mut impl Job) {
    match (block, key) {
        (16, 16) => job.run::<16, 16, 11>(),
        (16, 32) => job.run::<16, 32, 15>(),
        (32, 32) => job.run::<32, 32, 15>(),
        (32, 64) => job.run::<32, 64, 19>(),
        (64, 64) => job.run::<64, 64, 19>(),
        _ => panic!("no such size"),
    }
}

pub(crate) fn with_every_size(job: &mut impl Job) {
    for (block, key) in [(16, 16), (16, 32), (32, 32), (32, 64), (64, 64)] {
        with_size(block, key, job);
    }
}

/// Runs the body of a job on every example of a mode, on every kernel.
pub(crate) fn examples(mode: &str, count: usize, mut each: impl FnMut(&Example, usize, usize)) {
    let all: Value = serde_json::from_str(&testkit::vectors("kalyna.json")).expect("kalyna.json");
    let list = all["modes"][mode].as_array().expect("a list of examples");
    assert_eq!(list.len(), count, "{mode}");
    for value in list {
        let example = Example(value.clone());
        let (block, key) = (example.number("block_bytes"), example.bytes("key").len());
        each(&example, block, key);
    }
}

pub(crate) fn key<const B: usize, const K: usize, const R: usize>(bytes: &[u8], engine: Engine) -> Kalyna<B, K, R> {
    Kalyna::with_engine(bytes.try_into().expect("a key"), engine)
}

pub(crate) fn random(rng: &mut Rng, len: usize) -> Vec<u8> {
    (0..len).map(|_| rng.u64() as u8).collect()
}

#[test]
fn examples_of_the_standard() {
    struct Ecb<'a>(&'a Example);
    impl Job for Ecb<'_> {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let (plain, cipher) = (self.0.bytes("plaintext"), self.0.bytes("ciphertext"));
            for (name, engine) in ENGINES.all() {
                let key = key::<B, K, R>(&self.0.bytes("key"), engine);
                // At every place of every form of the kernel.
                for blocks in (0..2 * 1024 / B + 3).filter(|n| n % 16 < 9) {
                    let (plain, cipher) = (plain.repeat(blocks), cipher.repeat(blocks));
                    let mut data = plain.clone();
                    key.encrypt_bytes(&mut data);
                    assert_eq!(data, cipher, "{name} {blocks}");
                    key.decrypt_bytes(&mut data);
                    assert_eq!(data, plain, "{name} {blocks}");
                }
            }
        }
    }
    examples("ecb", 10, |example, block, key| with_size(block, key, &mut Ecb(example)));
}

#[test]
fn kernels_agree_with_portable() {
    struct Equal;
    impl Job for Equal {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let mut rng = Rng::new(K as u64 + B as u64);
            for (name, engine) in ENGINES.all() {
                let raw = random(&mut rng, K);
                let (theirs, ours) = (key::<B, K, R>(&raw, engine), key::<B, K, R>(&raw, portable::ENGINE));
                assert!(*theirs.keys == *ours.keys, "{name}: key expansion");
                let boundaries = [64, 128, 192, 256, 512, 1024, 1024 + 512 + 192, 2048].map(|n| n / B);
                for blocks in lengths_around(boundaries) {
                    let data = random(&mut rng, blocks * B);
                    let mut expected = data.clone();
                    ours.encrypt_bytes(&mut expected);
                    Guarded::both(&data, |data| {
                        theirs.encrypt_bytes(data);
                        assert_eq!(data, expected, "{name} {blocks}");
                        theirs.decrypt_bytes(data);
                    });
                    let mut back = expected;
                    theirs.decrypt_bytes(&mut back);
                    assert_eq!(back, data, "{name} {blocks}");
                    // Not aligned to anything.
                    let mut shifted = [&[0][..], &data].concat();
                    theirs.decrypt_bytes(&mut shifted[1..]);
                    ours.encrypt_bytes(&mut shifted[1..]);
                    assert_eq!(shifted[1..], data, "{name} {blocks}");
                }
            }
        }
    }
    with_every_size(&mut Equal);
}

#[test]
fn chains_agree_with_portable() {
    struct Equal;
    impl Job for Equal {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let mut rng = Rng::new(K as u64 + B as u64);
            for (name, engine) in ENGINES.all() {
                let raw = random(&mut rng, K);
                let (theirs, ours) = (key::<B, K, R>(&raw, engine), key::<B, K, R>(&raw, portable::ENGINE));
                for blocks in 0..6 {
                    let (data, state) = (random(&mut rng, blocks * B), random(&mut rng, B));
                    let with = |key: &Kalyna<B, K, R>, mode: usize| {
                        let (mut data, mut state) = (data.clone(), state.clone().try_into().expect("a block"));
                        let chain = match mode {
                            0 => Chain::Cbc(&mut data),
                            1 => Chain::Cfb(&mut data),
                            2 => Chain::Ofb(&mut data),
                            _ => Chain::Mac(&data),
                        };
                        key.chain(&mut state, chain);
                        (data, state)
                    };
                    for mode in 0..4 {
                        assert_eq!(with(&theirs, mode), with(&ours, mode), "{name} {blocks} {mode}");
                    }
                }
            }
        }
    }
    with_every_size(&mut Equal);
}

#[test]
fn counter_mode() {
    struct Counter<'a>(&'a Example);
    impl Job for Counter<'_> {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let iv: [u8; B] = self.0.bytes("iv").try_into().expect("an initial value");
            for (name, engine) in ENGINES.all() {
                let key = key::<B, K, R>(&self.0.bytes("key"), engine);
                let mut data = self.0.bytes("plaintext");
                Ctr::new(&key, &iv).apply(&mut data);
                assert_eq!(data, self.0.bytes("ciphertext"), "{name}");
            }
        }
    }
    examples("ctr", 1, |example, block, key| with_size(block, key, &mut Counter(example)));
}

#[test]
fn counters_carry_through_the_block() {
    for (width, len) in [(8usize, 16usize), (16, 16), (32, 32), (64, 64)] {
        let mut counter = [0xff; 64];
        counter[width - 1] = 0xfe;
        let mut counter: Vec<u8> = counter[..len].to_vec();
        let once = |c: &mut Vec<u8>| match len {
            16 => stream::increment::<16>(c.as_mut_slice().try_into().unwrap(), width),
            32 => stream::increment::<32>(c.as_mut_slice().try_into().unwrap(), width),
            _ => stream::increment::<64>(c.as_mut_slice().try_into().unwrap(), width),
        };
        once(&mut counter);
        assert!(counter[..width - 1].iter().all(|b| *b == 0) && counter[width - 1] == 0xff);
        assert!(counter[width..].iter().all(|b| *b == 0xff));
        counter[..width].fill(0xff);
        once(&mut counter);
        assert!(counter[..width].iter().all(|b| *b == 0));
        assert!(counter[width..].iter().all(|b| *b == 0xff));
    }
}

#[test]
fn debug_shows_no_key() {
    let key = Kalyna256_512::new(&[0xa5; 64]);
    assert_eq!(std::format!("{key:?}"), "Kalyna256_512(..)");
    let (cfb, cmac) = (Cfb::new(&key, &[0; 32], 32).unwrap(), Cmac::new(&key));
    let shown = std::format!("{cfb:?} {cmac:?} {:?} {:?} {:?}", cmac.begin(), KeyWrap::new(&key), Xts::new(&key));
    assert_eq!(shown.matches("(Kalyna256_512(..))").count(), 5, "{shown}");
}

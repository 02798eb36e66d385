use super::*;
use serde_json::Value;
use std::vec::Vec;
use testkit::{Guarded, Rng, hex, lengths_around};

fn examples(name: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(&testkit::vectors("kupyna.json")).expect("kupyna.json");
    all[name].as_array().expect("a list of examples").clone()
}

fn digest<const B: usize, const N: usize>(engine: Engine, data: &[u8]) -> [u8; N] {
    let mut hash = Kupyna::<B, N>::with_engine(engine);
    hash.update(data);
    hash.finish()
}

#[test]
fn examples_of_the_standard() {
    for (name, count) in [("kupyna-256", 6), ("kupyna-384", 1), ("kupyna-512", 6)] {
        let list = examples(name);
        assert_eq!(list.len(), count, "{name}");
        for example in list {
            let message = hex(example["message"].as_str().unwrap());
            let expected = hex(example["digest"].as_str().unwrap());
            for (kernel, engine) in ENGINES.all() {
                let got = match expected.len() {
                    32 => digest::<64, 32>(engine, &message).to_vec(),
                    48 => digest::<128, 48>(engine, &message).to_vec(),
                    _ => digest::<128, 64>(engine, &message).to_vec(),
                };
                assert_eq!(got, expected, "{kernel} {name} {}", message.len());
            }
        }
    }
}

#[test]
fn kernels_agree_and_splits_do_not_matter() {
    fn size<const B: usize, const N: usize>() {
        let mut rng = Rng::new(N as u64);
        for (name, engine) in ENGINES.all() {
            for len in lengths_around([B - 13, B, 2 * B - 13, 2 * B, 5 * B]).into_iter().chain(0..B) {
                let data: Vec<u8> = (0..len).map(|_| rng.u64() as u8).collect();
                let expected = digest::<B, N>(portable::ENGINE, &data);
                Guarded::both(&data, |data| assert_eq!(digest::<B, N>(engine, data), expected, "{name} {len}"));
                let mut hash = Kupyna::<B, N>::with_engine(engine);
                let (a, b) = (rng.below(len + 1), rng.below(len + 1));
                hash.update(&data[..a.min(b)]);
                hash.update(&data[a.min(b)..a.max(b)]);
                hash.update(&data[a.max(b)..]);
                assert_eq!(hash.finish(), expected, "{name} {len}");
            }
        }
    }
    size::<64, 32>();
    size::<128, 48>();
    size::<128, 64>();
}

#[test]
fn equals_others() {
    use dstu_core::hazmat::kupyna as dstu;
    use kupyna::Digest;

    let mut rng = Rng::new(1);
    for len in (0..300).chain([1000, 4096, 10_000]) {
        let data: Vec<u8> = (0..len).map(|_| rng.u64() as u8).collect();
        let (d256, d384, d512) = (Kupyna256::digest(&data), Kupyna384::digest(&data), Kupyna512::digest(&data));
        assert_eq!(d256, dstu::Kupyna256::digest(&data), "{len}");
        assert_eq!(d384, dstu::Kupyna384::digest(&data), "{len}");
        assert_eq!(d512, dstu::Kupyna512::digest(&data), "{len}");
        assert_eq!(d256[..], kupyna::Kupyna256::digest(&data)[..], "{len}");
        assert_eq!(d384[..], kupyna::Kupyna384::digest(&data)[..], "{len}");
        assert_eq!(d512[..], kupyna::Kupyna512::digest(&data)[..], "{len}");
    }
}

#[test]
fn debug_shows_nothing() {
    assert_eq!(std::format!("{:?} {:?}", Kupyna384::new(), Kupyna512::new()), "Kupyna-384(..) Kupyna-512(..)");
}

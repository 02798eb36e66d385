//! RFC 8439's values, one body for every kernel, and the edges of the carries.

use super::*;
use crate::Error;
use std::vec::Vec;
use testkit::{Guarded, Rng, hex};

/// RFC 8439 section 2.5.2 and appendix A.3, numbers 7 to 11 (the edges of the reduction): key, message, tag.
const VALUES: &[(&str, &str, &str)] = &[
    (
        "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
        "43727970746f6772617068696320466f72756d2052657365617263682047726f7570",
        "a8061dc1305136c6c22b8baf0c0127a9",
    ),
    (
        "0200000000000000000000000000000000000000000000000000000000000000",
        "ffffffffffffffffffffffffffffffff",
        "03000000000000000000000000000000",
    ),
    (
        "02000000000000000000000000000000ffffffffffffffffffffffffffffffff",
        "02000000000000000000000000000000",
        "03000000000000000000000000000000",
    ),
    (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff11000000000000000000000000000000",
        "05000000000000000000000000000000",
    ),
    (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe01010101010101010101010101010101",
        "00000000000000000000000000000000",
    ),
    (
        "0200000000000000000000000000000000000000000000000000000000000000",
        "fdffffffffffffffffffffffffffffff",
        "faffffffffffffffffffffffffffffff",
    ),
    (
        "0100000000000000040000000000000000000000000000000000000000000000",
        "e33594d7505e43b900000000000000003394d7505e4379cd01000000000000000000000000000000000000000000000001000000000000000000000000000000",
        "14000000000000005500000000000000",
    ),
    (
        "0100000000000000040000000000000000000000000000000000000000000000",
        "e33594d7505e43b900000000000000003394d7505e4379cd010000000000000000000000000000000000000000000000",
        "13000000000000000000000000000000",
    ),
];

fn mac_with(absorb: Absorb, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut mac = Poly1305::with(absorb, key);
    mac.update(message);
    mac.finish()
}

fn theirs(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    use poly1305::universal_hash::KeyInit;
    poly1305::Poly1305::new(key.into()).compute_unpadded(message).into()
}

#[test]
fn known_answers() {
    for (name, absorb) in KERNELS.all() {
        for (key, message, tag) in VALUES {
            let key = hex(key).try_into().unwrap();
            assert_eq!(mac_with(absorb, &key, &hex(message))[..], hex(tag), "{name}, {message}");
        }
    }
}

/// Keys and messages of extreme bytes, which make every limb overflow that can, and random ones.
#[test]
fn every_kernel_agrees_with_rustcrypto() {
    let mut rng = Rng::new(1);
    let lengths: Vec<usize> =
        (0..700).chain((1..9).flat_map(|i| 256 * i - 17..256 * i + 18)).chain([4096, 9999]).collect();
    for (name, absorb) in KERNELS.all() {
        for &len in &lengths {
            let random = (rng.array(), rng.bytes(len));
            let extreme = [0xff, 0, 0xfe].map(|byte| ([0xff; 32], std::vec![byte; len]));
            let mixed = {
                let key: [u8; 32] = rng.array();
                (
                    key.map(|b| if b & 1 == 0 { 0 } else { 0xff }),
                    rng.bytes(len).iter().map(|b| 0u8.wrapping_sub(b & 1)).collect(),
                )
            };
            for (key, message) in extreme.into_iter().chain([random, mixed]) {
                let expected = theirs(&key, &message);
                assert_eq!(mac_with(absorb, &key, &message), expected, "{name}, {len} bytes");
            }
        }
        for len in lengths.iter().filter(|len| **len < 600) {
            let (key, message) = (rng.array(), rng.bytes(*len));
            Guarded::both(&message, |m| {
                assert_eq!(mac_with(absorb, &key, m), theirs(&key, &message), "{name}, {len} bytes");
            });
        }
    }
}

/// The accumulator may arrive partly reduced, at its largest.
#[test]
fn every_kernel_takes_any_accumulator() {
    let mut rng = Rng::new(2);
    for (name, absorb) in KERNELS.all() {
        for blocks in (0..80).chain([128, 200]) {
            let bytes = rng.bytes(16 * blocks);
            for h in [[u64::MAX, u64::MAX, 3], [u64::MAX, u64::MAX, 4], [u64::MAX - 4, u64::MAX, 3], [0, 0, 4]] {
                let mut state = State { h, ..State::new(&rng.array()) };
                let mut expected = state.clone();
                absorb(&mut state, &bytes);
                portable::absorb(&mut expected, &bytes);
                assert_eq!(tag(&state), tag(&expected), "{name}, {blocks} blocks");
                assert!(state.h[2] <= 4, "{name}: the accumulator has grown");
            }
        }
    }
}

#[test]
fn pieces() {
    let mut rng = Rng::new(3);
    for len in (0..200).chain([1000, 5000]) {
        let (key, message) = (rng.array(), rng.bytes(len));
        let mut mac = Poly1305::new(&key);
        for piece in rng.pieces(&message) {
            mac.update(piece);
        }
        assert_eq!(mac.finish(), theirs(&key, &message));
    }
}

#[test]
fn verification() {
    let mac = || {
        let mut mac = Poly1305::new(&[7; 32]);
        mac.update(b"message");
        mac
    };
    let tag = mac().finish();
    assert_eq!(tag, Poly1305::mac(&[7; 32], b"message"));
    mac().verify(&tag).unwrap();
    for bit in 0..128 {
        let mut wrong = tag;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(mac().verify(&wrong), Err(Error::Authentication));
    }
}

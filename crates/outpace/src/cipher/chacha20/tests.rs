//! RFC 8439's values, and one body for every kernel.

use super::*;
use std::vec::Vec;
use testkit::{Guarded, Rng, hex};

const SUNSCREEN: &[u8] = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";

fn key() -> [u8; 32] {
    core::array::from_fn(|i| i as u8)
}

/// RFC 8439 section 2.3.2.
#[test]
fn block_function() {
    let nonce = hex("000000090000004a00000000");
    let state = State::new(&words(&key()), 1, &words(&nonce));
    let expected = "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e\
                    d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e";
    assert_eq!(portable::block(&state)[..], hex(expected));
}

/// RFC 8439 section 2.4.2.
#[test]
fn encryption() {
    let cipher = ChaCha20::new(&key());
    let nonce = hex("000000000000004a00000000").try_into().unwrap();
    let mut data = SUNSCREEN.to_vec();
    cipher.apply(&nonce, 1, &mut data).unwrap();
    let expected = "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b\
                    f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8\
                    07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736\
                    5af90bbf74a35be6b40b8eedf2785e42874d";
    assert_eq!(data, hex(expected));
    cipher.apply(&nonce, 1, &mut data).unwrap();
    assert_eq!(data, SUNSCREEN);
}

/// draft-irtf-cfrg-xchacha-03 section 2.2.1.
#[test]
fn hchacha() {
    let nonce = hex("000000090000004a0000000031415927").try_into().unwrap();
    let subkey = hchacha20(&key(), &nonce);
    let expected = hex("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc");
    assert_eq!(subkey[..], expected);
}

#[test]
fn counter_limit() {
    let cipher = ChaCha20::new(&key());
    let mut data = [7; 129];
    for (counter, len, good) in
        [(u32::MAX, 64, true), (u32::MAX, 65, false), (u32::MAX - 1, 128, true), (u32::MAX - 1, 129, false)]
    {
        data.fill(7);
        assert_eq!(cipher.apply(&[1; 12], counter, &mut data[..len]).is_ok(), good, "{counter} {len}");
        assert_eq!(data[..len] != [7; 129][..len], good);
    }
    cipher.apply(&[1; 12], u32::MAX, &mut []).unwrap();
}

/// Each kernel gives the portable key stream at every length up to several widths, and touches nothing else.
#[test]
fn every_kernel() {
    let mut rng = Rng::new(1);
    for (name, apply) in KERNELS.all() {
        let lengths: Vec<usize> = (0..1200).chain([2047, 2048, 2049, 3072 + 63, 4096, 5000]).collect();
        for len in lengths {
            let mut state = State(core::array::from_fn(|_| rng.u64() as u32));
            if len % 5 == 0 {
                state.0[12] = u32::MAX - 3; // wraps inside a vector
            }
            let data = rng.bytes(len);
            let mut expected = data.clone();
            portable::apply(&state, &mut expected);
            for edge in [testkit::Edge::Start, testkit::Edge::End] {
                let mut got = Guarded::copy(&data, edge);
                apply(&state, &mut got);
                assert_eq!(got[..], expected[..], "{name}, {len} bytes");
            }
        }
    }
}

/// Against an implementation written by others.
#[test]
fn agrees_with_rustcrypto() {
    use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
    let mut rng = Rng::new(2);
    for len in (0..600).step_by(7) {
        let (key, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
        let counter = rng.u64() as u32 >> 1;
        let mut got = rng.bytes(len);
        let mut expected = got.clone();
        ChaCha20::new(&key).apply(&nonce, counter, &mut got).unwrap();
        let mut theirs = chacha20::ChaCha20::new(&key.into(), &nonce.into());
        theirs.seek(64 * u64::from(counter));
        theirs.apply_keystream(&mut expected);
        assert_eq!(got, expected);
    }
}

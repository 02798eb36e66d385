//! HMAC, HKDF and PBKDF2 with keys and messages of any length, against RustCrypto's.
#![no_main]

use hmac::{KeyInit, Mac};
use libfuzzer_sys::fuzz_target;
use outpace::hash::Sha256;

fuzz_target!(|input: (Vec<u8>, Vec<u8>, Vec<u8>, u16)| {
    let (key, message, info, length) = input;
    let mut other = hmac::Hmac::<sha2::Sha256>::new_from_slice(&key).expect("any length");
    other.update(&message);
    let tag = outpace::mac::Hmac::<Sha256>::new(&key).mac(&message);
    assert_eq!(tag.as_slice(), other.finalize().into_bytes().as_slice());

    let (mut ours, mut theirs) = (vec![0; usize::from(length)], vec![0; usize::from(length)]);
    let done = outpace::kdf::Hkdf::<Sha256>::extract(&key, &message).expand(&info, &mut ours);
    let expected = hkdf::Hkdf::<sha2::Sha256>::new(Some(&key), &message).expand(&info, &mut theirs);
    assert_eq!(done.is_ok(), expected.is_ok());
    if done.is_ok() {
        assert_eq!(ours, theirs);
    }

    let iterations = u32::from(length % 5);
    let out = ours.len().min(200);
    let done = outpace::kdf::pbkdf2::<Sha256>(&key, &message, iterations, &mut ours[..out]);
    assert_eq!(done.is_ok(), iterations > 0);
    if done.is_ok() {
        pbkdf2::pbkdf2_hmac::<sha2::Sha256>(&key, &message, iterations, &mut theirs[..out]);
        assert_eq!(ours[..out], theirs[..out]);
    }
});

//! Anything as a key file: no panic, and what is taken comes out as it went in, or shorter by what is optional.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outpace::ed25519::{SigningKey, VerifyingKey};
use outpace::x25519::{PublicKey, StaticSecret};

fuzz_target!(|input: &[u8]| {
    if let Ok(key) = SigningKey::from_pkcs8_der(input) {
        assert!(key.to_pkcs8_der().len() <= input.len());
    }
    if let Ok(secret) = StaticSecret::from_pkcs8_der(input) {
        assert!(secret.to_pkcs8_der().len() <= input.len());
    }
    if let Ok(key) = VerifyingKey::from_spki_der(input) {
        assert_eq!(key.to_spki_der(), input);
    }
    if let Ok(key) = PublicKey::from_spki_der(input) {
        assert_eq!(key.to_spki_der(), input);
    }
    if let Ok(text) = std::str::from_utf8(input) {
        let _ = SigningKey::from_pkcs8_pem(text).is_ok();
        let _ = VerifyingKey::from_spki_pem(text).is_ok();
    }
});

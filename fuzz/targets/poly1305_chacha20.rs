//! Poly1305 in pieces and ChaCha20 from any block, against RustCrypto's.
#![no_main]

use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use libfuzzer_sys::fuzz_target;
use outpace::hazmat::{ChaCha20, Poly1305};
use poly1305::universal_hash::KeyInit;

fuzz_target!(|input: ([u8; 32], [u8; 12], u32, Vec<u8>, u16)| {
    let (key, nonce, counter, mut data, cut) = input;
    let (first, second) = data.split_at(usize::from(cut).min(data.len()));
    let mut mac = Poly1305::new(&key);
    mac.update(first);
    mac.update(second);
    let theirs = poly1305::Poly1305::new(&key.into()).compute_unpadded(&data);
    assert_eq!(mac.finish()[..], theirs[..]);

    let counter = counter >> 1; // far enough from the end
    let mut expected = data.clone();
    let mut theirs = chacha20::ChaCha20::new(&key.into(), &nonce.into());
    theirs.seek(64 * u64::from(counter));
    theirs.apply_keystream(&mut expected);
    ChaCha20::new(&key).apply(&nonce, counter, &mut data).expect("below the limit");
    assert_eq!(data, expected);
});

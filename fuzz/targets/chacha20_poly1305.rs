//! ChaCha20-Poly1305 and XChaCha20-Poly1305 on any input, against RustCrypto's; and what is not authentic does not open.
#![no_main]

use chacha20poly1305::aead::{Aead as _, KeyInit, Payload};
use libfuzzer_sys::fuzz_target;
use outpace::aead::{Aead, ChaCha20Poly1305, XChaCha20Poly1305};

type Input = ([u8; 32], [u8; 24], Vec<u8>, Vec<u8>, u16);

fuzz_target!(|input: Input| {
    let (key, long_nonce, aad, data, flip) = input;
    let nonce = *long_nonce.first_chunk().expect("12 of 24");
    let payload = || Payload { msg: &data, aad: &aad };

    let theirs = chacha20poly1305::ChaCha20Poly1305::new(&key.into()).encrypt(&nonce.into(), payload());
    check(&ChaCha20Poly1305::new(&key), &nonce, &aad, &data, &theirs.expect("any length"), flip);

    let theirs = chacha20poly1305::XChaCha20Poly1305::new(&key.into()).encrypt(&long_nonce.into(), payload());
    check(&XChaCha20Poly1305::new(&key), &long_nonce, &aad, &data, &theirs.expect("any length"), flip);
});

fn check<A: Aead<Tag = [u8; 16]>>(key: &A, nonce: &A::Nonce, aad: &[u8], data: &[u8], expected: &[u8], flip: u16) {
    let mut sealed = vec![0; data.len() + 16];
    key.seal(nonce, aad, data, &mut sealed).expect("lengths fit");
    assert_eq!(sealed, expected);
    let mut opened = vec![0xaa; data.len()];
    key.open(nonce, aad, &sealed, &mut opened).expect("authentic");
    assert_eq!(opened, data);

    let mut in_place = data.to_vec();
    let tag = key.seal_in_place(nonce, aad, &mut in_place);
    assert_eq!((&in_place[..], &tag[..]), expected.split_at(data.len()));
    key.open_in_place(nonce, aad, &mut in_place, &tag).expect("authentic");
    assert_eq!(in_place, data);

    let bit = usize::from(flip) % (8 * sealed.len());
    sealed[bit / 8] ^= 1 << (bit % 8);
    key.open(nonce, aad, &sealed, &mut opened).expect_err("a bit was changed");
    assert!(opened.iter().all(|byte| *byte == 0));
}

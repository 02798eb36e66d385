//! SHA-2, one-shot, in pieces and in lanes, against RustCrypto's.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outpace::hash::{Hash, Sha256, Sha512};
use sha2::Digest;

// The first byte says where to cut.
fuzz_target!(|input: (u8, Vec<u8>)| {
    let (cut, data) = input;
    let (first, second) = data.split_at(usize::from(cut).min(data.len()));
    all::<Sha256, sha2::Sha256>(first, second, &data);
    all::<Sha512, sha2::Sha512>(first, second, &data);
});

fn all<H: Hash, D: Digest>(first: &[u8], second: &[u8], data: &[u8]) {
    let expected = D::digest(data);
    let digest = H::digest(data);
    assert_eq!(digest.as_ref(), expected.as_slice());
    let mut hash = H::new();
    hash.update(first);
    hash.update(second);
    assert_eq!(hash.finish(), digest);

    let messages = [data, first, second, &[], data, second];
    let mut many = [digest; 6];
    H::digest_many(&messages, &mut many).expect("as many places as messages");
    for (message, digest) in messages.iter().zip(many) {
        assert_eq!(digest, H::digest(message));
    }
}

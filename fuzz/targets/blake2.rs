//! BLAKE2 with any parameters, one-shot, in pieces and in lanes, against blake2b_simd and blake2s_simd.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outpace::hash::{Blake2b, Blake2b512, Blake2s, Blake2s256, Hash};

type Input = (u8, u8, Vec<u8>, ([u8; 16], [u8; 16]), ([u8; 8], [u8; 8]), Vec<u8>);

// Where to cut, the output length, the key, salt and personalisation of each function, the message.
fuzz_target!(|input: Input| {
    let (cut, out, key, (salt_b, personal_b), (salt_s, personal_s), data) = input;
    let (first, second) = data.split_at(usize::from(cut).min(data.len()));
    let out = usize::from(out);

    let built = Blake2b::builder().output_len(out).key(&key).salt(&salt_b).personal(&personal_b).build();
    assert_eq!(built.is_ok(), (1..=64).contains(&out) && key.len() <= 64);
    if let Ok(mut hash) = built {
        hash.update(first);
        hash.update(second);
        let mut digest = vec![0; out];
        hash.finish(&mut digest).expect("the length that was built");
        let mut theirs = blake2b_simd::Params::new();
        theirs.hash_length(out).key(&key).salt(&salt_b).personal(&personal_b);
        assert_eq!(digest, theirs.hash(&data).as_bytes());
    }

    let built = Blake2s::builder().output_len(out).key(&key).salt(&salt_s).personal(&personal_s).build();
    assert_eq!(built.is_ok(), (1..=32).contains(&out) && key.len() <= 32);
    if let Ok(mut hash) = built {
        hash.update(first);
        hash.update(second);
        let mut digest = vec![0; out];
        hash.finish(&mut digest).expect("the length that was built");
        let mut theirs = blake2s_simd::Params::new();
        theirs.hash_length(out).key(&key).salt(&salt_s).personal(&personal_s);
        assert_eq!(digest, theirs.hash(&data).as_bytes());
    }

    assert_eq!(Blake2b512::digest(&data)[..], *blake2b_simd::blake2b(&data).as_bytes());
    assert_eq!(Blake2s256::digest(&data)[..], *blake2s_simd::blake2s(&data).as_bytes());
    many::<Blake2b512>(first, second, &data);
    many::<Blake2s256>(first, second, &data);
});

fn many<H: Hash>(first: &[u8], second: &[u8], data: &[u8]) {
    let messages = [data, first, second, &[], data, second];
    let mut digests = [H::digest(&[]); 6];
    H::digest_many(&messages, &mut digests).expect("as many places as messages");
    for (message, digest) in messages.iter().zip(digests) {
        assert_eq!(digest, H::digest(message));
    }
}

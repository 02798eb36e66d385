//! SHA-3 and SHAKE against RustCrypto's, at once, in pieces, and side by side; KMAC against its definition.
#![no_main]

use libfuzzer_sys::fuzz_target;
use outpace::hash::{CShake256, Hash, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use outpace::mac::Kmac256;
use sha3::Digest as _;
use shake::digest::{ExtendableOutput, Update, XofReader};

fuzz_target!(|input: (&[u8], Vec<u16>, &[u8])| {
    let (data, cuts, custom) = input;
    hash::<Sha3_224>(data, &cuts, |m| sha3::Sha3_224::digest(m).to_vec());
    hash::<Sha3_256>(data, &cuts, |m| sha3::Sha3_256::digest(m).to_vec());
    hash::<Sha3_384>(data, &cuts, |m| sha3::Sha3_384::digest(m).to_vec());
    hash::<Sha3_512>(data, &cuts, |m| sha3::Sha3_512::digest(m).to_vec());

    // SHAKE: input and output in pieces.
    let len = cuts.iter().map(|c| usize::from(*c) % 400).sum::<usize>().min(4000);
    let (mut ours, mut theirs) = (vec![0; len], vec![0; len]);
    Shake256::digest(data, &mut ours);
    shake::Shake256::default().chain(data).finalize_xof().read(&mut theirs);
    assert_eq!(ours, theirs);
    let mut shake128 = Shake128::new();
    pieces(data, &cuts, |piece| shake128.update(piece));
    let mut reader = shake128.finish_xof();
    let mut rest = &mut ours[..];
    for cut in &cuts {
        let (now, later) = rest.split_at_mut((usize::from(*cut) % 400).min(rest.len()));
        reader.squeeze(now);
        rest = later;
    }
    reader.squeeze(rest);
    shake::Shake128::default().chain(data).finalize_xof().read(&mut theirs);
    assert_eq!(ours, theirs);

    // KMAC (SP 800-185, section 4.3) with the message as key and the customization as message.
    let key = Kmac256::new(data, custom);
    let mut prefix = [&left_encode(136)[..], &left_encode(8 * data.len()), data].concat();
    prefix.resize(prefix.len().next_multiple_of(136), 0);
    let mut shake = CShake256::new(b"KMAC", custom);
    shake.update(&prefix);
    shake.update(custom);
    shake.update(&[1, 0, 2]);
    let mut tag = [0; 32];
    shake.finish_xof().squeeze(&mut tag);
    assert_eq!(key.mac::<32>(custom), tag);
    key.verify(custom, &tag).unwrap();
});

fn left_encode(n: usize) -> Vec<u8> {
    let be = n.to_be_bytes();
    let skip = be[..7].iter().take_while(|b| **b == 0).count();
    [&[8 - skip as u8], &be[skip..]].concat()
}

fn pieces(data: &[u8], cuts: &[u16], mut each: impl FnMut(&[u8])) {
    let mut rest = data;
    for cut in cuts {
        let (now, later) = rest.split_at(usize::from(*cut).min(rest.len()));
        each(now);
        rest = later;
    }
    each(rest);
}

fn hash<H: Hash>(data: &[u8], cuts: &[u16], other: impl Fn(&[u8]) -> Vec<u8>) {
    assert_eq!(H::digest(data).as_ref(), other(data));
    let mut hash = H::new();
    let mut messages = Vec::new();
    pieces(data, cuts, |piece| {
        hash.update(piece);
        messages.push(piece.to_vec());
    });
    assert_eq!(hash.finish().as_ref(), other(data));
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let mut digests = vec![<H::Output as outpace::hash::Output>::ZERO; messages.len()];
    H::digest_many(&messages, &mut digests).unwrap();
    for (message, digest) in messages.iter().zip(&digests) {
        assert_eq!(digest.as_ref(), other(message));
    }
}

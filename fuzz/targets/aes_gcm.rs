//! AES-GCM: whole, in pieces and in place, against RustCrypto; and nothing but what was sealed opens.
#![no_main]

use aes_gcm::aead::{Aead as _, KeyInit, Payload};
use libfuzzer_sys::fuzz_target;
use outpace::aead::{Aead, Aes256Gcm, Gcm, Packet};
use outpace::hazmat::GcmOpener;

type Input = ([u8; 32], [u8; 12], Vec<u8>, Vec<u8>, Vec<u16>, u16);

fuzz_target!(|input: Input| {
    // The cuts are where pieces of a stream end, the last is a bit to flip.
    let (key, nonce, aad, data, cuts, flip) = input;
    let other = aes_gcm::Aes256Gcm::new_from_slice(&key).expect("a key of 32 bytes");
    let expected = other.encrypt((&nonce).into(), Payload { msg: &data, aad: &aad }).expect("a short message");
    let (ciphertext, tag) = expected.split_at(data.len());
    let tag: &[u8; 16] = tag.try_into().expect("a tag of 16 bytes");

    let gcm = Aes256Gcm::new(&key);
    other_sizes(&key, &nonce, &aad, &data);
    let mut out = vec![0; expected.len()];
    gcm.seal(&nonce, &aad, &data, &mut out).expect("lengths fit");
    assert_eq!(out, expected);
    Aes256Gcm::seal_once(&key, &nonce, &aad, &data, &mut out).expect("lengths fit");
    assert_eq!(out, expected);

    let (mut sealer, mut opener) = (gcm.sealer(&nonce), GcmOpener::new(&gcm, &nonce).expect("a nonce"));
    let cut = |i: usize, from: usize, len: usize| cuts.get(i).map_or(len, |c| (from + usize::from(*c)).min(len));
    let (mut from, mut i) = (0, 0);
    while from < aad.len() {
        let end = cut(i, from, aad.len());
        sealer.aad(&aad[from..end]).expect("before the data");
        opener.aad(&aad[from..end]).expect("before the data");
        (from, i) = (end, i + 1);
    }
    let (mut sealed, mut opened) = (data.clone(), ciphertext.to_vec());
    let mut from = 0;
    while from < data.len() {
        let end = cut(i, from, data.len());
        sealer.update(&mut sealed[from..end]).expect("within the limit");
        opener.update_unverified(&mut opened[from..end]).expect("within the limit");
        (from, i) = (end, i + 1);
    }
    assert_eq!((&sealed[..], &sealer.finish()), (ciphertext, tag));
    assert_eq!(opened, data);
    opener.finish(tag).expect("the right tag");

    // The same message among its beginnings, together.
    let mut parts: Vec<_> = (0..5).map(|i| data[..data.len().saturating_sub(11 * i)].to_vec()).collect();
    let packet = |data| Packet::<Aes256Gcm> { nonce, aad: &aad, data, tag: [0; 16] };
    let mut packets: Vec<_> = parts.iter_mut().map(|part| packet(&mut part[..])).collect();
    gcm.seal_many(&mut packets).expect("short messages");
    assert_eq!((&*packets[0].data, &packets[0].tag), (ciphertext, tag));
    packets[1].tag[usize::from(flip) % 16] ^= 1;
    let mut results = [Ok(()); 5];
    gcm.open_many(&mut packets, &mut results).expect("as many results");
    assert_eq!(results.map(|r| r.is_ok()), [true, false, true, true, true]);
    assert!(packets[0].data == data && packets[4].data == &data[..data.len().saturating_sub(44)]);

    let mut back = vec![1; data.len()];
    gcm.open(&nonce, &aad, &expected, &mut back).expect("authentic");
    assert_eq!(back, data);
    let bit = usize::from(flip) % (8 * out.len());
    out[bit / 8] ^= 1 << (bit % 8);
    assert!(gcm.open(&nonce, &aad, &out, &mut back).is_err() && back.iter().all(|b| *b == 0));
});

/// The other keys, a shorter tag, and initial values of other lengths.
fn other_sizes(key: &[u8; 32], iv: &[u8; 12], aad: &[u8], data: &[u8]) {
    use aes_gcm::AesGcm;
    use aes_gcm::aead::consts::{U8, U12, U15, U16};
    use aes_gcm::aes::{Aes128, Aes192, Aes256};
    sized::<16, 16, AesGcm<Aes128, U12>>(key, iv, aad, data);
    sized::<24, 12, AesGcm<Aes192, U8, U12>>(key, &iv[..8], aad, data);
    let long: [u8; 16] = core::array::from_fn(|i| iv[i % 12]);
    sized::<32, 15, AesGcm<Aes256, U16, U15>>(key, &long, aad, data);
}

fn sized<const K: usize, const T: usize, C: KeyInit + aes_gcm::aead::Aead>(
    key: &[u8; 32],
    iv: &[u8],
    aad: &[u8],
    data: &[u8],
) {
    let key: &[u8; K] = key.first_chunk().expect("at most 32 bytes");
    let nonce = <&aes_gcm::aead::Nonce<C>>::try_from(iv).expect("of this length");
    let theirs = C::new_from_slice(key).expect("of this length").encrypt(nonce, Payload { msg: data, aad });
    let (gcm, mut out) = (Gcm::<K, T>::new(key), vec![0; data.len() + T]);
    gcm.seal_iv(iv, aad, data, &mut out).expect("lengths fit");
    assert_eq!(out, theirs.expect("a short message"));
    let mut back = vec![1; data.len()];
    gcm.open_iv(iv, aad, &out, &mut back).expect("authentic");
    assert_eq!(back, data);
}

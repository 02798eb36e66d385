//! Kalyna's modes and Kupyna on any input, against dstu-core; what was sealed opens under the same reading, changed it
//! does not.
#![no_main]

use dstu_core::hazmat as theirs;
use libfuzzer_sys::fuzz_target;
use outpace::aead::{
    Aead, Kalyna128_128Ccm, Kalyna128_256Gcm, Kalyna256_256Gcm, Kalyna512_512Ccm, Kalyna512_512Gcm, KalynaCcmReading,
    KalynaGcmReading,
};
use outpace::cipher::kalyna::{
    Cfb, Cmac, Gmac, Kalyna128_128, Kalyna256_256, Kalyna512_512, KalynaCfbReading, KeyWrap, Xts,
};
use outpace::cipher::modes::Ctr;
use outpace::hash::{Hash, Kupyna256, Kupyna512};

fuzz_target!(|input: ([u8; 64], [u8; 64], Vec<u8>, Vec<u8>, u16)| {
    let (key, iv, aad, message, at) = input;
    let (key16, iv16): ([u8; 16], [u8; 16]) = (std::array::from_fn(|i| key[i]), std::array::from_fn(|i| iv[i]));
    let (key32, iv32): ([u8; 32], [u8; 32]) = (std::array::from_fn(|i| key[i]), std::array::from_fn(|i| iv[i]));

    assert_eq!(Kupyna256::digest(&message), theirs::kupyna::Kupyna256::digest(&message));
    assert_eq!(Kupyna512::digest(&message), theirs::kupyna::Kupyna512::digest(&message));

    let (mut a, mut b) = (message.clone(), message.clone());
    let small = Kalyna128_128::new(&key16);
    let mut ctr = Ctr::new(&small, &iv16);
    let (head, tail) = a.split_at_mut(usize::from(at).min(message.len()));
    ctr.apply(head);
    ctr.apply(tail);
    theirs::kalyna_ctr::Kalyna128_128Ctr::new(&key16, &iv16).apply_in_place(&mut b);
    assert_eq!(a, b);

    let done = Xts::new(&Kalyna512_512::new(&key)).encrypt(&iv, &mut a);
    let expected = theirs::kalyna_xts::Kalyna512_512Xts::new(&key).encrypt_in_place(&iv, &mut b);
    assert_eq!((done.is_ok(), &a), (expected.is_ok(), &b));

    let mut out = vec![0; message.len()];
    let expected = theirs::kalyna_gcm::Kalyna256_256Gcm::new(&key32).encrypt(&iv32, &aad, &message, &mut out);
    let mut data = message.clone();
    let tag = Kalyna256_256Gcm::new(&key32).try_seal_in_place(&iv32, &aad, &mut data);
    assert_eq!(tag.ok(), expected.ok());
    if !message.is_empty() {
        assert_eq!(data, out);
    }

    let (low, high) = message.split_at(usize::from(at).min(message.len()));
    let (mut cmac, mut gmac) = (Cmac::new(&small).begin(), Gmac::new(Kalyna256_256::new(&key32)));
    cmac.update(low);
    cmac.update(high);
    let tag = cmac.finish().map(|tag| tag.to_vec());
    assert_eq!(tag.ok(), theirs::kalyna_cmac::Kalyna128_128Cmac::mac(&key16, &message).ok().map(|tag| tag.to_vec()));
    let mut pieces = gmac.begin();
    pieces.update(low);
    pieces.update(high);
    let tag = pieces.finish().map(|tag| tag.to_vec());
    assert_eq!(tag.ok(), theirs::kalyna_gmac::Kalyna256_256Gmac::mac(&key32, &message).ok().map(|tag| tag.to_vec()));
    gmac = Gmac::with_reading(Kalyna256_256::new(&key32), KalynaGcmReading::BouncyCastle);
    assert_eq!(gmac.mac(&message).is_err(), message.is_empty());

    for (q, reading) in [(1, KalynaCfbReading::Standard), (8, KalynaCfbReading::BouncyCastle)] {
        let (mut there, mut back) = (message.clone(), message.clone());
        Cfb::with_reading(&small, &iv16, q, reading).expect("a feedback").encrypt(&mut there).expect("the first");
        back.copy_from_slice(&there);
        Cfb::with_reading(&small, &iv16, q, reading).expect("a feedback").decrypt(&mut back).expect("the first");
        assert_eq!(back, message);
    }

    let secret = &message[..message.len().min(100)];
    let mut wrapped = vec![0; KeyWrap::<16, 16, 11>::padded_len(secret.len())];
    if KeyWrap::new(&small).wrap_padded(secret, &mut wrapped).is_ok() {
        let mut back = vec![0; wrapped.len()];
        assert_eq!(KeyWrap::new(&small).unwrap_padded(&wrapped, &mut back), Ok(secret.len()));
        assert_eq!(back[..secret.len()], *secret);
        let i = usize::from(at) % wrapped.len();
        wrapped[i] ^= 1;
        assert!(KeyWrap::new(&small).unwrap_padded(&wrapped, &mut back).is_err());
    }

    let (mut out, mut data) = (message.clone(), message.clone());
    let expected = theirs::kalyna_ccm::Kalyna128_128Ccm::new(&key16).seal_in_place(&iv16, &aad, &mut out);
    if let (Ok(tag), Ok(expected)) = (Kalyna128_128Ccm::new(&key16).try_seal_in_place(&iv16, &aad, &mut data), expected)
    {
        assert_eq!((&data, tag.to_vec()), (&out, expected.to_vec()));
    }
    use KalynaCcmReading as Reading;
    for reading in [Reading::Standard, Reading::Uapki, Reading::BouncyCastle, Reading::BouncyCastle184] {
        round_trip(&Kalyna128_128Ccm::with_reading(&key16, reading), &iv16, &aad, &message, at);
    }
    for reading in [KalynaGcmReading::Uapki, KalynaGcmReading::BouncyCastle] {
        round_trip(&Kalyna256_256Gcm::with_reading(&key32, reading), &iv32, &aad, &message, at);
    }

    round_trip(&Kalyna128_256Gcm::new(&key32), &iv16, &aad, &message, at);
    round_trip(&Kalyna512_512Gcm::new(&key), &iv, &aad, &message, at);
    round_trip(&Kalyna512_512Ccm::new(&key), &iv, &aad, &message, at);
});

fn round_trip<A: Aead>(key: &A, nonce: &A::Nonce, aad: &[u8], message: &[u8], at: u16) {
    let mut sealed = vec![0; message.len() + A::TAG_LENGTH];
    if key.seal(nonce, aad, message, &mut sealed).is_err() {
        return;
    }
    let mut back = vec![1; message.len()];
    key.open(nonce, aad, &sealed, &mut back).expect("what was sealed opens");
    assert_eq!(back, message);
    let at = usize::from(at) % sealed.len();
    sealed[at] ^= 1;
    assert!(key.open(nonce, aad, &sealed, &mut back).is_err());
    assert!(back.iter().all(|b| *b == 0));
}

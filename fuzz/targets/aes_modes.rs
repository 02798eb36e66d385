//! AES-CCM, AES-GCM-SIV, key wrapping, XTS and CMAC against RustCrypto's; nothing foreign opens.
#![no_main]

use aes_gcm_siv::aead::{Aead as _, KeyInit, Payload};
use libfuzzer_sys::fuzz_target;
use outpace::aead::{Aead, Aes256Ccm, Aes256GcmSiv};
use outpace::cipher::{AesKeyWrap, AesXts};
use outpace::mac::AesCmac;

type OtherCcm = ccm::Ccm<aes_gcm_siv::aes::Aes256, ccm::consts::U16, ccm::consts::U12>;

fuzz_target!(|input: ([u8; 32], [u8; 12], Vec<u8>, Vec<u8>)| {
    let (key, nonce, aad, data) = input;
    let payload = || Payload { msg: &data, aad: &aad };
    let siv = aes_gcm_siv::Aes256GcmSiv::new(&key.into()).encrypt(&nonce.into(), payload()).expect("short");
    both::<Aes256GcmSiv>(&key, &nonce, &aad, &data, &siv);
    let other = OtherCcm::new(&key.into()).encrypt(&nonce.into(), payload()).expect("short");
    both::<Aes256Ccm>(&key, &nonce, &aad, &data, &other);

    let wrap = AesKeyWrap::new(&key);
    let mut wrapped = vec![0; AesKeyWrap::<32>::padded_len(data.len())];
    if wrap.wrap_padded(&data, &mut wrapped).is_ok() {
        let mut theirs = vec![0; wrapped.len()];
        aes_kw::KwpAes256::new(&key.into()).wrap_key(&data, &mut theirs).expect("not empty");
        assert_eq!(wrapped, theirs);
        let mut out = vec![1; wrapped.len() - 8];
        let len = wrap.unwrap_padded(&wrapped, &mut out).expect("just wrapped");
        assert_eq!(out[..len], data);
    }
    let mut wrapped = vec![0; data.len() + 8];
    if wrap.wrap(&data, &mut wrapped).is_ok() {
        let (mut theirs, mut out) = (vec![0; wrapped.len()], vec![1; data.len()]);
        aes_kw::KwAes256::new(&key.into()).wrap_key(&data, &mut theirs).expect("whole words");
        assert_eq!(wrapped, theirs);
        wrap.unwrap(&wrapped, &mut out).expect("just wrapped");
        assert_eq!(out, data);
    }
    // Whatever comes in: an error or a key, no panic.
    let mut out = vec![0; data.len().saturating_sub(8)];
    assert!(wrap.unwrap(&data, &mut out).is_err());
    assert!(wrap.unwrap_padded(&data, &mut out).is_err());

    let mut other_key = key;
    other_key[0] ^= 1;
    let xts = AesXts::new(&key, &other_key).expect("different keys");
    let (tweak, mut sector) = (AesXts::<32>::sector(7), data.clone());
    if xts.encrypt(&tweak, &mut sector).is_ok() {
        let mut theirs = data.clone();
        let cipher = |key: &[u8; 32]| aes_gcm_siv::aes::Aes256::new(key.into());
        xts_mode::Xts128::new(cipher(&key), cipher(&other_key)).encrypt_sector(&mut theirs, tweak.into());
        assert_eq!(sector, theirs);
        xts.decrypt(&tweak, &mut sector).expect("the same length");
    }
    assert_eq!(sector, data);

    let mut theirs = <cmac::Cmac<aes_gcm_siv::aes::Aes256> as KeyInit>::new(&key.into());
    cmac::Mac::update(&mut theirs, &data);
    let mac = AesCmac::new(&key);
    let mut pieces = mac.begin();
    for piece in data.chunks(1 + usize::from(nonce[0])) {
        pieces.update(piece);
    }
    assert_eq!(pieces.finish()[..], cmac::Mac::finalize(theirs).into_bytes()[..]);
});

fn both<A: Aead<Key = [u8; 32], Nonce = [u8; 12]>>(
    key: &[u8; 32],
    nonce: &[u8; 12],
    aad: &[u8],
    data: &[u8],
    sealed: &[u8],
) {
    let key = A::new(key);
    let mut out = vec![0; sealed.len()];
    key.seal(nonce, aad, data, &mut out).expect("the right length");
    assert_eq!(out, sealed);
    let mut plain = vec![0; data.len()];
    key.open(nonce, aad, sealed, &mut plain).expect("authentic");
    assert_eq!(plain, data);
    assert!(key.open(nonce, sealed, sealed, &mut plain).is_err() || aad == sealed);
}

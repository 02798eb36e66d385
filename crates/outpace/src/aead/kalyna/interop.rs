//! Everything of `vectors/kalyna-interop.json`, which other implementations made, under the reading that is theirs.

use super::*;
use crate::aead::Aead;
use crate::cipher::kalyna::tests::{Job, with_size};
use crate::cipher::kalyna::{Cfb, Cmac, Gmac, Kalyna, KalynaCfbReading, KalynaWrapReading, KeyWrap, Xts};
use crate::cipher::modes::{Ctr, Ofb};
use serde_json::Value;
use std::collections::BTreeMap;
use std::string::String;
use std::vec;
use std::vec::Vec;
use testkit::hex;

struct Case<'a>(&'a Value);

impl Case<'_> {
    fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_else(|| panic!("no {name} in {}", self.0))
    }

    fn number(&self, name: &str) -> usize {
        self.0[name].as_u64().unwrap_or_else(|| panic!("no {name} in {}", self.0)) as usize
    }

    /// As the note of the file says.
    fn pattern(&self, len: &str, step: usize, first: usize) -> Vec<u8> {
        (0..self.number(len)).map(|i| (i * step + first) as u8).collect()
    }

    fn seals<A: Aead>(&self, key: &A, iv: &A::Nonce, sealed: &[u8]) {
        let (aad, plain) = (self.pattern("aad_bytes", 5, 129), self.pattern("text_bytes", 11, 3));
        if A::check(aad.len(), plain.len()).is_err() {
            return;
        }
        let mut got = vec![0; plain.len() + A::TAG_LENGTH];
        key.seal(iv, &aad, &plain, &mut got).unwrap();
        assert_eq!(got, sealed, "{}", self.0);
        let mut back = vec![0; plain.len()];
        key.open(iv, &aad, sealed, &mut back).unwrap();
        assert_eq!(back, plain, "{}", self.0);
    }
}

impl Job for Case<'_> {
    fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
        let from = self.text("from");
        let raw: [u8; K] = core::array::from_fn(|i| i as u8);
        let key = Kalyna::<B, K, R>::new(&raw);
        let iv: [u8; B] = match self.0["iv"].as_str() {
            Some(iv) => hex(iv).try_into().unwrap(),
            None => core::array::from_fn(|i| (7 * i + 64) as u8),
        };
        let made = |name: &str| hex(self.text(name));
        let text = self.pattern("text_bytes", 11, 3);
        let mut data = text.clone();
        let gcm = if from == "uapki" { KalynaGcmReading::Uapki } else { KalynaGcmReading::BouncyCastle };
        match self.text("mode") {
            "gcm" => {
                let key = KalynaGcm::<B, K, R, B>::with_reading(&raw, gcm);
                self.seals(&key, &iv, &[made("ciphertext"), made("mac")].concat());
            }
            "ccm" => {
                let reading = match from {
                    "uapki" => KalynaCcmReading::Uapki,
                    "bouncycastle" => KalynaCcmReading::BouncyCastle,
                    _ => KalynaCcmReading::BouncyCastle184,
                };
                let sealed = made("ciphertext");
                match (self.number("tag_bytes"), self.number("length_bytes")) {
                    (16, 4) => self.seals(&KalynaCcm::<B, K, R, 16, 4>::with_reading(&raw, reading), &iv, &sealed),
                    (_, 4) => self.seals(&KalynaCcm::<B, K, R, B, 4>::with_reading(&raw, reading), &iv, &sealed),
                    (_, 6) => self.seals(&KalynaCcm::<B, K, R, B, 6>::with_reading(&raw, reading), &iv, &sealed),
                    (_, 8) => self.seals(&KalynaCcm::<B, K, R, B, 8>::with_reading(&raw, reading), &iv, &sealed),
                    other => panic!("{other:?}"),
                }
            }
            "gmac" => {
                let mac = Gmac::with_reading(key, gcm).mac(&text).unwrap();
                assert_eq!(mac[..], made("mac"), "{}", self.0);
            }
            "cmac" => assert_eq!(Cmac::new(&key).mac(&text).unwrap()[..], made("mac"), "{}", self.0),
            "kw" => {
                let wrapped = made("ciphertext");
                let mut back = vec![0; wrapped.len()];
                if text.len().is_multiple_of(B) {
                    KeyWrap::new(&key).unwrap(&wrapped, &mut back[B..]).unwrap();
                    assert_eq!(back[B..], text, "{}", self.0);
                } else {
                    let kw = KeyWrap::with_reading(&key, KalynaWrapReading::Uapki);
                    assert_eq!(kw.unwrap_padded(&wrapped, &mut back), Ok(text.len()), "{}", self.0);
                    assert_eq!(back[..text.len()], text);
                    let plain = KeyWrap::new(&key).unwrap_padded(&wrapped, &mut back);
                    assert_eq!(plain.is_err(), text.len() % B == B / 2, "{}", self.0);
                }
            }
            mode => {
                match mode {
                    "xts" => Xts::new(&key).encrypt(&iv, &mut data).unwrap(),
                    "ctr" => Ctr::new(&key, &iv).apply(&mut data),
                    "ofb" => Ofb::new(&key, &iv).apply(&mut data),
                    "cfb" => {
                        let reading = match from {
                            "uapki" => KalynaCfbReading::Standard,
                            _ => KalynaCfbReading::BouncyCastle,
                        };
                        let cfb = || Cfb::with_reading(&key, &iv, self.number("q"), reading).unwrap();
                        let mut back = made("ciphertext");
                        cfb().decrypt(&mut back).unwrap();
                        assert_eq!(back, text, "{}", self.0);
                        cfb().encrypt(&mut data).unwrap();
                    }
                    _ => panic!("{mode}"),
                }
                assert_eq!(data, made("ciphertext"), "{}", self.0);
            }
        }
    }
}

#[test]
fn data_of_others() {
    let all: Value = serde_json::from_str(&testkit::vectors("kalyna-interop.json")).expect("kalyna-interop.json");
    let mut seen = BTreeMap::<(String, String), usize>::new();
    for case in all["cases"].as_array().expect("a list") {
        let mut case = Case(case);
        *seen.entry((case.text("from").into(), case.text("mode").into())).or_default() += 1;
        with_size(case.number("block_bytes"), case.number("key_bytes"), &mut case);
    }
    let count = |from: &str, mode: &str| seen.get(&(from.into(), mode.into())).copied().unwrap_or(0);
    let modes = ["gcm", "ccm", "gmac", "cmac", "kw", "cfb", "ctr", "ofb", "xts"];
    assert_eq!(modes.map(|mode| count("uapki", mode)), [35, 50, 20, 20, 30, 47, 15, 5, 20]);
    assert_eq!(modes.map(|mode| count("bouncycastle", mode)), [35, 65, 20, 10, 15, 20, 15, 5, 10]);
    assert_eq!(modes.map(|mode| count("bouncycastle-1.84", mode)), [5, 30, 0, 0, 0, 0, 0, 0, 0]);
}

/// What one reading makes another refuses, where they differ.
#[test]
fn readings_are_told_apart() {
    use KalynaCcmReading::{BouncyCastle, BouncyCastle184, Standard, Uapki};

    let key = |reading| Kalyna128_128Ccm::with_reading(&[7; 16], reading);
    let readings = [Standard, Uapki, BouncyCastle, BouncyCastle184];
    let opens = |aad: &[u8], len: usize| {
        let mut pairs = Vec::new();
        for sealer in readings {
            let mut data = vec![5; len];
            let tag = key(sealer).seal_in_place(&[1; 16], aad, &mut data);
            for opener in readings {
                if key(opener).open_in_place(&[1; 16], aad, &mut data.clone(), &tag).is_ok() && sealer != opener {
                    pairs.push((sealer, opener));
                }
            }
        }
        pairs
    };
    // Whole blocks: all agree, as the counter is far from a carry.
    assert_eq!(opens(&[9; 16], 32).len(), 12);
    assert_eq!(opens(&[], 32), [(Standard, BouncyCastle), (BouncyCastle, Standard)]);
    let alike =
        [(Standard, Uapki), (Uapki, Standard), (BouncyCastle, BouncyCastle184), (BouncyCastle184, BouncyCastle)];
    assert_eq!(opens(&[9; 5], 16), alike);
    assert_eq!(opens(&[9; 16], 5), alike);
    assert_eq!(opens(&[9; 15], 16), &alike[2..]);
    assert_eq!(opens(&[9; 16], 256 + 16).len(), 6);
}

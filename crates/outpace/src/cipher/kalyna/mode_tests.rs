use super::tests::{Example, Job, examples, key, random, with_every_size, with_size};
use super::*;
use crate::Error;
use crate::cipher::modes::{Cbc, Ctr, Ofb};
use std::vec::Vec;
use testkit::{Guarded, Rng, lengths_around};

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("the length of the size")
}

/// `data` in three pieces, cut at random.
fn in_pieces(rng: &mut Rng, data: &mut [u8], unit: usize, mut f: impl FnMut(&mut [u8])) {
    let (a, b) = (rng.below(data.len() / unit + 1) * unit, rng.below(data.len() / unit + 1) * unit);
    let (low, high) = (a.min(b), a.max(b));
    f(&mut data[..low]);
    f(&mut data[low..high]);
    f(&mut data[high..]);
}

struct Chained<'a>(&'a Example, &'a str);

impl Job for Chained<'_> {
    fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
        let Self(example, mode) = *self;
        let (mut plain, cipher) = (example.bytes("plaintext"), example.bytes("ciphertext"));
        let iv: [u8; B] = array(&example.bytes("iv"));
        let mut rng = Rng::new(7);
        for (name, engine) in ENGINES.all() {
            let key = key::<B, K, R>(&example.bytes("key"), engine);
            let mut data = plain.clone();
            match mode {
                "cbc" => {
                    // The example that is not whole blocks is padded with a one bit and zeros.
                    if plain.len() < cipher.len() {
                        plain.push(0x80);
                        plain.resize(cipher.len(), 0);
                        data = plain.clone();
                    }
                    let mut cbc = Cbc::new(&key, &iv);
                    in_pieces(&mut rng, &mut data, B, |piece| cbc.encrypt(piece).unwrap());
                    assert_eq!(data, cipher, "{name}");
                    let mut cbc = Cbc::new(&key, &iv);
                    in_pieces(&mut rng, &mut data, B, |piece| cbc.decrypt(piece).unwrap());
                    assert_eq!(data, plain, "{name}");
                    assert!(matches!(cbc.encrypt(&mut [0; 15]), Err(Error::Length { .. })));
                    assert!(matches!(cbc.decrypt(&mut data[1..B]), Err(Error::Length { .. })));
                }
                "ofb" => {
                    let mut ofb = Ofb::new(&key, &iv);
                    in_pieces(&mut rng, &mut data, 1, |piece| ofb.apply(piece));
                    assert_eq!(data, cipher, "{name}");
                }
                _ => {
                    let q = example.number("q");
                    let mut cfb = Cfb::new(&key, &iv, q).unwrap();
                    in_pieces(&mut rng, &mut data, q, |piece| cfb.encrypt(piece).unwrap());
                    assert_eq!(data, cipher, "{name}");
                    let mut cfb = Cfb::new(&key, &iv, q).unwrap();
                    in_pieces(&mut rng, &mut data, q, |piece| cfb.decrypt(piece).unwrap());
                    assert_eq!(data, plain, "{name}");
                    for q in [0, 2, 7, 2 * B, 128] {
                        assert!(matches!(Cfb::new(&key, &iv, q), Err(Error::Parameter(_))), "{q}");
                    }
                    let mut cfb = Cfb::new(&key, &iv, 8).unwrap();
                    cfb.encrypt(&mut [0; 9]).unwrap();
                    cfb.encrypt(&mut []).unwrap();
                    assert!(matches!(cfb.encrypt(&mut [0; 8]), Err(Error::Parameter(_))));
                }
            }
        }
    }
}

#[test]
fn chained_modes() {
    for (mode, count) in [("cbc", 10), ("ofb", 9), ("cfb", 8)] {
        examples(mode, count, |example, block, key| with_size(block, key, &mut Chained(example, mode)));
    }
}

#[test]
fn xts() {
    struct Sector<'a>(&'a Example);
    impl Job for Sector<'_> {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let iv: [u8; B] = array(&self.0.bytes("iv"));
            for (name, engine) in ENGINES.all() {
                let key = key::<B, K, R>(&self.0.bytes("key"), engine);
                let mut data = self.0.bytes("plaintext");
                Xts::new(&key).encrypt(&iv, &mut data).unwrap();
                assert_eq!(data, self.0.bytes("ciphertext"), "{name}");
                Xts::new(&key).decrypt(&iv, &mut data).unwrap();
                assert_eq!(data, self.0.bytes("plaintext"), "{name}");
                assert!(matches!(Xts::new(&key).encrypt(&iv, &mut data[..B - 1]), Err(Error::Length { .. })));
                assert!(matches!(Xts::new(&key).decrypt(&iv, &mut []), Err(Error::Length { .. })));
            }
        }
    }
    examples("xts", 10, |example, block, key| with_size(block, key, &mut Sector(example)));
}

#[test]
fn cmac_and_gmac() {
    struct Mac<'a>(&'a Example, bool);
    impl Job for Mac<'_> {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let (message, tag) = (self.0.bytes("message"), self.0.bytes("mac"));
            for (name, engine) in ENGINES.all() {
                let key = key::<B, K, R>(&self.0.bytes("key"), engine);
                let gmac = Gmac::new(key.clone());
                let (poly, cmac) = (self.1, Cmac::new(&key));
                let mac = |m: &[u8]| if poly { gmac.mac(m) } else { cmac.mac(m) };
                let verify = |m: &[u8], t: &[u8; B]| if poly { gmac.verify(m, t) } else { cmac.verify(m, t) };
                let full = mac(&message).unwrap();
                assert_eq!(full[..tag.len()], tag, "{name}");
                let mut short: [u8; 8] = cmac.mac_truncated(&message).unwrap();
                if poly {
                    short = gmac.mac_truncated(&message).unwrap();
                }
                let verify_short = |t: &[u8; 8]| {
                    if poly { gmac.verify_truncated(&message, t) } else { cmac.verify_truncated(&message, t) }
                };
                assert_eq!(short, full[..8]);
                assert_eq!(verify_short(&short), Ok(()));
                short[7] ^= 0x80;
                assert_eq!(verify_short(&short), Err(Error::Authentication));
                for bit in 0..8 * B {
                    let mut wrong = full;
                    wrong[bit / 8] ^= 1 << (bit % 8);
                    assert_eq!(verify(&message, &wrong), Err(Error::Authentication), "{bit}");
                }
                assert_eq!(verify(&message[1..], &full), Err(Error::Authentication));
                assert!(matches!(verify(&[], &full), Err(Error::Parameter(_))));
                assert!(matches!(mac(&[]), Err(Error::Parameter(_))));
                assert!(matches!(cmac.begin().finish(), Err(Error::Parameter(_))));
                assert!(matches!(gmac.begin().verify(&full), Err(Error::Parameter(_))));
            }
        }
    }
    examples("cmac", 3, |example, block, key| with_size(block, key, &mut Mac(example, false)));
    examples("gmac", 5, |example, block, key| with_size(block, key, &mut Mac(example, true)));
}

#[test]
fn codes_of_messages_in_pieces() {
    struct Pieces;
    impl Job for Pieces {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let mut rng = Rng::new(K as u64);
            let key = Kalyna::<B, K, R>::new(&[3; K]);
            let (cmac, gmac) = (Cmac::new(&key), Gmac::new(key.clone()));
            for len in 1..5 * B {
                let message = random(&mut rng, len);
                let (mut c, mut g) = (cmac.begin(), gmac.begin());
                for piece in rng.pieces(&message) {
                    c.update(piece);
                    g.update(piece);
                }
                let (c_tag, g_tag) = (cmac.mac(&message).unwrap(), gmac.mac(&message).unwrap());
                assert_eq!((c.clone().verify(&c_tag), g.clone().verify(&g_tag)), (Ok(()), Ok(())), "{len}");
                let wrong = (c_tag.map(|b| b ^ 1), g_tag.map(|b| b ^ 1));
                assert_eq!(c.clone().verify(&wrong.0), Err(Error::Authentication));
                assert_eq!(g.clone().verify(&wrong.1), Err(Error::Authentication));
                assert_eq!((c.finish(), g.finish()), (Ok(c_tag), Ok(g_tag)), "{len}");
            }
        }
    }
    with_every_size(&mut Pieces);
}

#[test]
fn key_wrap() {
    struct Wrap<'a>(&'a Example);
    impl Job for Wrap<'_> {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let (plain, wrapped) = (self.0.bytes("plaintext"), self.0.bytes("ciphertext"));
            for (name, engine) in ENGINES.all() {
                let key = key::<B, K, R>(&self.0.bytes("key"), engine);
                let kw = KeyWrap::new(&key);
                let mut out = std::vec![1; wrapped.len()];
                let mut back = std::vec![1; wrapped.len() - B];
                if plain.len() % B == 0 {
                    kw.wrap(&plain, &mut out).unwrap();
                    assert_eq!(out, wrapped, "{name}");
                    kw.unwrap(&wrapped, &mut back).unwrap();
                    assert_eq!(back, plain, "{name}");
                } else {
                    kw.wrap_padded(&plain, &mut out).unwrap();
                    assert_eq!(out, wrapped, "{name}");
                    let len = kw.unwrap_padded(&wrapped, &mut out).unwrap();
                    assert_eq!(out[..len], plain, "{name}");
                    assert!(out[len..].iter().all(|b| *b == 0));
                }
                out.copy_from_slice(&wrapped);
                out[B / 3] ^= 0x20;
                let changed = out.clone();
                back.fill(1);
                assert_eq!(kw.unwrap(&changed, &mut back), Err(Error::Authentication));
                assert_eq!(kw.unwrap_padded(&changed, &mut out), Err(Error::Authentication));
                assert!(back.iter().chain(&out).all(|b| *b == 0));
            }
        }
    }
    examples("kw", 9, |example, block, key| with_size(block, key, &mut Wrap(example)));
}

#[test]
fn key_wrap_lengths() {
    struct Lengths;
    impl Job for Lengths {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            type Kw<'k, const B: usize, const K: usize, const R: usize> = KeyWrap<'k, B, K, R>;
            let mut rng = Rng::new(B as u64);
            let key = Kalyna::<B, K, R>::new(&[9; K]);
            let kw = KeyWrap::new(&key);
            for len in (1..5 * B).chain([19 * B, 20 * B - B / 2 - 1]) {
                let plain = random(&mut rng, len);
                let mut wrapped = std::vec![0; Kw::<B, K, R>::padded_len(len)];
                kw.wrap_padded(&plain, &mut wrapped).unwrap();
                let mut back = wrapped.clone();
                assert_eq!(kw.unwrap_padded(&wrapped, &mut back), Ok(len));
                assert_eq!(back[..len], plain);
            }
            let mut out = std::vec![0; 22 * B];
            for len in [0, 1, B - 1, B + 1, 20 * B + 1, 21 * B] {
                assert!(matches!(kw.wrap(&out.clone()[..len], &mut out), Err(Error::Parameter(_))), "{len}");
            }
            assert!(matches!(kw.wrap_padded(&[], &mut out), Err(Error::Parameter(_))));
            assert!(matches!(kw.wrap_padded(&std::vec![0; 20 * B], &mut out), Err(Error::Parameter(_))));
            assert!(matches!(kw.wrap(&[0; B], &mut out), Err(Error::Length { .. })));
            for len in [0, B, B + 1, 22 * B] {
                assert!(matches!(kw.unwrap(&out.clone()[..len], &mut out), Err(Error::Parameter(_))), "{len}");
            }
            assert!(matches!(kw.unwrap(&[0; B].repeat(2), &mut out), Err(Error::Length { .. })));
        }
    }
    with_every_size(&mut Lengths);
}

#[test]
fn sectors_split_any_way_and_every_length() {
    struct Every;
    impl Job for Every {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let mut rng = Rng::new(1);
            let portable = key::<B, K, R>(&[3; K], portable::ENGINE);
            for (name, engine) in ENGINES.all() {
                let key = key::<B, K, R>(&[3; K], engine);
                let iv = array(&random(&mut rng, B));
                for len in lengths_around([B, 2 * B, 256, 512, 1024, 2048]) {
                    let plain = random(&mut rng, len);
                    if len >= B {
                        let mut expected = plain.clone();
                        Xts::new(&portable).encrypt(&iv, &mut expected).unwrap();
                        Guarded::both(&plain, |data| {
                            Xts::new(&key).encrypt(&iv, data).unwrap();
                            assert_eq!(data, expected, "{name} {len}");
                            Xts::new(&key).decrypt(&iv, data).unwrap();
                            assert_eq!(data, plain, "{name} {len}");
                        });
                    }
                    let mut expected = plain.clone();
                    Ctr::new(&portable, &iv).apply(&mut expected);
                    let mut data = plain.clone();
                    let mut ctr = Ctr::new(&key, &iv);
                    in_pieces(&mut rng, &mut data, 1, |piece| ctr.apply(piece));
                    assert_eq!(data, expected, "{name} {len}");
                    let mut apart = std::vec![0; len];
                    Ctr::new(&key, &iv).apply_to(&plain, &mut apart).unwrap();
                    assert_eq!(apart, expected, "{name} {len}");
                    let blocks = len / B * B;
                    let mut data: Vec<u8> = plain[..blocks].to_vec();
                    Cbc::new(&key, &iv).encrypt(&mut data).unwrap();
                    Cbc::new(&key, &iv).decrypt(&mut data).unwrap();
                    assert_eq!(data, plain[..blocks], "{name} {len}");
                }
            }
        }
    }
    with_every_size(&mut Every);
}

/// Equal to dstu-core at lengths that the examples do not have.
#[test]
fn equals_dstu_core() {
    use dstu_core::hazmat as theirs;

    macro_rules! size {
        ($size:ident, $expanded:ident, $ctr:ident, $xts:ident, $cfb:ident, $ofb:ident, $cmac:ident, $gmac:ident, $kw:ident,
         $padded:ident, $key:literal, $block:literal) => {{
            let mut rng = Rng::new($key + $block);
            for len in (1..4 * $block).chain([255, 256, 257, 1023, 1024, 1025, 3000]) {
                let raw: [u8; $key] = array(&random(&mut rng, $key));
                let iv: [u8; $block] = array(&random(&mut rng, $block));
                let plain = random(&mut rng, len);
                let key = $size::new(&raw);

                let expanded = theirs::kalyna::$expanded::new(&raw);
                let mut block = iv;
                key.encrypt_bytes(&mut block);
                assert_eq!(block, expanded.encrypt_block(&iv));
                key.decrypt_bytes(&mut block);
                assert_eq!(block, iv);
                key.decrypt_bytes(&mut block);
                assert_eq!(block, expanded.decrypt_block(&iv));

                let (mut a, mut b) = (plain.clone(), plain.clone());
                Ctr::new(&key, &iv).apply(&mut a);
                theirs::kalyna_ctr::$ctr::new(&raw, &iv).apply_in_place(&mut b);
                assert_eq!(a, b, "{len}");
                Ofb::new(&key, &iv).apply(&mut a);
                theirs::kalyna_ofb::$ofb::new(&raw, &iv).apply_in_place(&mut b);
                assert_eq!(a, b, "{len}");
                for q in [1, 8, 16, 32, 64] {
                    if q <= $block {
                        Cfb::new(&key, &iv, q).unwrap().encrypt(&mut a).unwrap();
                        theirs::kalyna_cfb::$cfb::new(&raw, &iv, q).unwrap().encrypt_in_place(&mut b).unwrap();
                        assert_eq!(a, b, "{len} {q}");
                    }
                }
                if len >= $block {
                    Xts::new(&key).encrypt(&iv, &mut a).unwrap();
                    theirs::kalyna_xts::$xts::new(&raw).encrypt_in_place(&iv, &mut b).unwrap();
                    assert_eq!(a, b, "{len}");
                }
                let tag = Cmac::new(&key).mac(&plain).unwrap();
                assert_eq!(tag[..16], theirs::kalyna_cmac::$cmac::mac(&raw, &plain).unwrap());
                assert_eq!(Gmac::new(key.clone()).mac(&plain).unwrap(), theirs::kalyna_gmac::$gmac::mac(&raw, &plain).unwrap());
                let kw = KeyWrap::new(&key);
                if len <= 20 * $block && len % $block == 0 {
                    let (mut a, mut b) = (std::vec![0; len + $block], std::vec![0; len + $block]);
                    kw.wrap(&plain, &mut a).unwrap();
                    theirs::kalyna_kw::$kw::wrap(&raw, &plain, &mut b).unwrap();
                    assert_eq!(a, b, "{len}");
                } else if let Some(padded) = theirs::kalyna_kw_p::$padded::wrapped_len(len) {
                    let (mut a, mut b) = (std::vec![0; padded], std::vec![0; padded]);
                    kw.wrap_padded(&plain, &mut a).unwrap();
                    theirs::kalyna_kw_p::$padded::wrap(&raw, &plain, &mut b).unwrap();
                    assert_eq!(a, b, "{len}");
                }
            }
        }};
    }
    size!(
        Kalyna128_128,
        Kalyna128_128ExpandedKey,
        Kalyna128_128Ctr,
        Kalyna128_128Xts,
        Kalyna128_128Cfb,
        Kalyna128_128Ofb,
        Kalyna128_128Cmac,
        Kalyna128_128Gmac,
        Kalyna128_128Kw,
        Kalyna128_128KwP,
        16,
        16
    );
    size!(
        Kalyna128_256,
        Kalyna128_256ExpandedKey,
        Kalyna128_256Ctr,
        Kalyna128_256Xts,
        Kalyna128_256Cfb,
        Kalyna128_256Ofb,
        Kalyna128_256Cmac,
        Kalyna128_256Gmac,
        Kalyna128_256Kw,
        Kalyna128_256KwP,
        32,
        16
    );
    size!(
        Kalyna256_256,
        Kalyna256_256ExpandedKey,
        Kalyna256_256Ctr,
        Kalyna256_256Xts,
        Kalyna256_256Cfb,
        Kalyna256_256Ofb,
        Kalyna256_256Cmac,
        Kalyna256_256Gmac,
        Kalyna256_256Kw,
        Kalyna256_256KwP,
        32,
        32
    );
    size!(
        Kalyna256_512,
        Kalyna256_512ExpandedKey,
        Kalyna256_512Ctr,
        Kalyna256_512Xts,
        Kalyna256_512Cfb,
        Kalyna256_512Ofb,
        Kalyna256_512Cmac,
        Kalyna256_512Gmac,
        Kalyna256_512Kw,
        Kalyna256_512KwP,
        64,
        32
    );
    size!(
        Kalyna512_512,
        Kalyna512_512ExpandedKey,
        Kalyna512_512Ctr,
        Kalyna512_512Xts,
        Kalyna512_512Cfb,
        Kalyna512_512Ofb,
        Kalyna512_512Cmac,
        Kalyna512_512Gmac,
        Kalyna512_512Kw,
        Kalyna512_512KwP,
        64,
        64
    );
}

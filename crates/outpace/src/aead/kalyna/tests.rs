use super::*;
use crate::Error;
use crate::aead::Aead;
use crate::cipher::kalyna::field::PRODUCTS;
use crate::cipher::kalyna::ghash::Ghash;
use crate::cipher::kalyna::tests::{Example, Job, examples, key, random, with_every_size, with_size};
use crate::cipher::kalyna::{ENGINES, Kalyna};
use std::vec;
use std::vec::Vec;
use testkit::{Guarded, Rng, lengths_around};

/// Every pair of kernels, of the cipher and of the field.
fn every_kernel<const B: usize, const K: usize, const R: usize>(
    raw: &[u8],
    reading: KalynaGcmReading,
) -> Vec<KalynaGcm<B, K, R, B>> {
    let mut all = Vec::new();
    for (_, engine) in ENGINES.all() {
        for (_, products) in PRODUCTS.all() {
            let key = key::<B, K, R>(raw, engine);
            let hash = Ghash::with_products(&key, products);
            all.push(KalynaGcm::from_parts(key, Some(hash), reading));
        }
    }
    all
}

#[test]
fn gcm_examples() {
    struct Gcm<'a>(&'a Example);
    impl Job for Gcm<'_> {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let nonce: [u8; B] = self.0.bytes("iv").try_into().unwrap();
            let (aad, plain, cipher) = (self.0.bytes("aad"), self.0.bytes("plaintext"), self.0.bytes("ciphertext"));
            let mac = self.0.bytes("mac");
            for reading in [KalynaGcmReading::Standard, KalynaGcmReading::Uapki, KalynaGcmReading::BouncyCastle] {
                for key in every_kernel::<B, K, R>(&self.0.bytes("key"), reading) {
                    let mut data = plain.clone();
                    let tag = key.seal_in_place(&nonce, &aad, &mut data);
                    assert_eq!(data, cipher);
                    assert_eq!(tag[..mac.len()], mac);
                    key.open_in_place(&nonce, &aad, &mut data, &tag).unwrap();
                    assert_eq!(data, plain);
                }
            }
        }
    }
    examples("gcm", 6, |example, block, key| with_size(block, key, &mut Gcm(example)));
}

#[test]
fn ccm_examples() {
    fn check<A: Aead>(example: &Example)
    where
        A::Key: for<'a> TryFrom<&'a [u8]>,
        A::Nonce: for<'a> TryFrom<&'a [u8]>,
    {
        let (Ok(raw), Ok(nonce)) = (A::Key::try_from(&example.bytes("key")), A::Nonce::try_from(&example.bytes("iv")))
        else {
            panic!("lengths");
        };
        let (plain, cipher) = (example.bytes("plaintext"), example.bytes("ciphertext"));
        let mut sealed = std::vec![0; plain.len() + A::TAG_LENGTH];
        A::new(&raw).seal(&nonce, &example.bytes("aad"), &plain, &mut sealed).unwrap();
        assert_eq!(sealed, cipher);
        let mut back = std::vec![0; plain.len()];
        A::new(&raw).open(&nonce, &example.bytes("aad"), &cipher, &mut back).unwrap();
        assert_eq!(back, plain);
    }
    examples("ccm", 5, |example, block, key| match (block, key) {
        (16, 16) => check::<Kalyna128_128Ccm>(example),
        (16, 32) => check::<Kalyna128_256Ccm>(example),
        (32, 32) => check::<Kalyna256_256Ccm>(example),
        (32, 64) => check::<Kalyna256_512Ccm>(example),
        _ => check::<Kalyna512_512Ccm>(example),
    });
}

#[test]
fn kernels_agree_at_every_length() {
    struct Every;
    impl Job for Every {
        fn run<const B: usize, const K: usize, const R: usize>(&mut self) {
            let mut rng = Rng::new(B as u64);
            let raw = random(&mut rng, K);
            let keys = every_kernel::<B, K, R>(&raw, KalynaGcmReading::Standard);
            let (portable, others) = keys.split_last().unwrap();
            let nonce: [u8; B] = random(&mut rng, B).try_into().unwrap();
            for len in lengths_around([B, 2 * B, 7 * B, 8 * B, 9 * B, 1024, 2048]) {
                let (plain, aad) = (random(&mut rng, len), random(&mut rng, 1 + rng_len(len)));
                let mut expected = plain.clone();
                let expected_tag = portable.seal_in_place(&nonce, &aad, &mut expected);
                for key in others {
                    Guarded::both(&plain, |data| {
                        let tag = key.seal_in_place(&nonce, &aad, data);
                        assert_eq!((&*data, tag), (&expected[..], expected_tag), "{len}");
                        key.open_in_place(&nonce, &aad, data, &tag).unwrap();
                        assert_eq!(data, plain);
                    });
                }
            }
        }
    }
    fn rng_len(len: usize) -> usize {
        len * 7 % 131
    }
    with_every_size(&mut Every);
}

/// Everything that can be changed is noticed, and nothing is left of the plaintext; the initial value of GCM is the
/// exception that the standard makes.
#[test]
fn changes_are_noticed() {
    fn check<A: Aead<Nonce = [u8; B], Tag = [u8; T]>, const B: usize, const T: usize>(key: &A, nonce_too: bool) {
        let (nonce, aad) = ([1; B], [2; 37]);
        let mut sealed = [3; 150];
        let tag = key.seal_in_place(&nonce, &aad, &mut sealed);
        let refused = |nonce: &[u8; B], aad: &[u8], mut data: Vec<u8>, tag: &[u8; T]| {
            assert_eq!(key.open_in_place(nonce, aad, &mut data, tag), Err(Error::Authentication));
            assert!(data.iter().all(|b| *b == 0));
        };
        for i in 0..150 {
            let mut changed = sealed.to_vec();
            changed[i] ^= 1 << (i % 8);
            refused(&nonce, &aad, changed, &tag);
            refused(&nonce, &aad, sealed[..i].to_vec(), &tag);
            if i < 37 {
                let mut changed = aad;
                changed[i] ^= 1 << (i % 8);
                refused(&nonce, &changed, sealed.to_vec(), &tag);
                if i > 0 {
                    refused(&nonce, &aad[..i], sealed.to_vec(), &tag);
                }
            }
            if i < T {
                let mut changed = tag;
                changed[i] ^= 1 << (i % 8);
                refused(&nonce, &aad, sealed.to_vec(), &changed);
            }
        }
        if nonce_too {
            let mut changed = nonce;
            changed[0] ^= 1;
            refused(&changed, &aad, sealed.to_vec(), &tag);
        }
        key.open_in_place(&nonce, &aad, &mut sealed, &tag).unwrap();
        assert_eq!(sealed, [3; 150]);
    }
    check(&Kalyna128_128Gcm::new(&[7; 16]), false);
    check(&Kalyna128_256Gcm::new(&[7; 32]), false);
    check(&Kalyna256_256Gcm::new(&[7; 32]), false);
    check(&Kalyna256_512Gcm::new(&[7; 64]), false);
    check(&Kalyna512_512Gcm::new(&[7; 64]), false);
    check(&KalynaGcm::<64, 64, 19, 8>::new(&[7; 64]), false);
    check(&Kalyna128_128Ccm::new(&[7; 16]), true);
    check(&Kalyna128_256Ccm::new(&[7; 32]), true);
    check(&Kalyna256_256Ccm::new(&[7; 32]), true);
    check(&Kalyna256_512Ccm::new(&[7; 64]), true);
    check(&Kalyna512_512Ccm::new(&[7; 64]), true);
    check(&KalynaCcm::<64, 64, 19, 48, 6>::new(&[7; 64]), true);
}

#[test]
fn what_the_standard_has_no_tag_for() {
    let (gcm, ccm) = (Kalyna128_128Gcm::new(&[1; 16]), Kalyna128_128Ccm::new(&[1; 16]));
    let nonce = [0; 16];
    assert!(matches!(gcm.try_seal_in_place(&nonce, b"", &mut []), Err(Error::Parameter(_))));
    assert!(matches!(gcm.seal(&nonce, b"", b"", &mut [0; 16]), Err(Error::Parameter(_))));
    assert_eq!(gcm.open(&nonce, b"", &[0; 16], &mut []), Err(Error::Authentication));
    assert_eq!(gcm.open_in_place(&nonce, b"", &mut [], &[0; 16]), Err(Error::Authentication));
    assert!(gcm.try_seal_in_place(&nonce, b"a", &mut []).is_ok());
    assert!(gcm.try_seal_in_place(&nonce, b"", &mut [0]).is_ok());
    assert!(matches!(ccm.try_seal_in_place(&nonce, b"a", &mut []), Err(Error::Parameter(_))));
    assert_eq!(ccm.open(&nonce, b"a", &[0; 16], &mut []), Err(Error::Authentication));
    assert!(ccm.try_seal_in_place(&nonce, b"", &mut [0]).is_ok());
}

/// Its length does not fit the field: not sealed, not authentic, and the output is zeros as for any forgery.
#[test]
#[cfg(target_pointer_width = "64")]
fn associated_data_longer_than_its_length_field() {
    let ccm = Kalyna128_128Ccm::new(&[1; 16]);
    let nonce = [0; 16];
    let aad = vec![0; 1 << 32]; // never read, so the OS never finds memory for it
    let mut data = [7; 20];
    assert!(matches!(ccm.try_seal_in_place(&nonce, &aad, &mut data), Err(Error::Limit(_))));
    assert!(matches!(ccm.seal(&nonce, &aad, &[7; 4], &mut data), Err(Error::Limit(_))));
    assert_eq!(data, [7; 20]);
    assert_eq!(ccm.open_in_place(&nonce, &aad, &mut data, &[0; 16]), Err(Error::Authentication));
    assert_eq!(data, [0; 20]);
    let mut out = [7; 4];
    assert_eq!(ccm.open(&nonce, &aad, &[7; 20], &mut out), Err(Error::Authentication));
    assert_eq!(out, [0; 4]);
    out = [7; 4];
    assert_eq!(Kalyna128_128Ccm::open_once(&[1; 16], &nonce, &aad, &[7; 20], &mut out), Err(Error::Authentication));
    assert_eq!(out, [0; 4]);
}

/// The readings differ just where there are parts of blocks.
#[test]
fn readings() {
    let tag = |reading, aad: &[u8], len: usize| {
        let key = Kalyna256_256Gcm::with_reading(&[7; 32], reading);
        key.seal_in_place(&[1; 32], aad, &mut std::vec![3; len])
    };
    use KalynaGcmReading::{BouncyCastle, Standard, Uapki};
    for (aad, len) in [(0, 32), (32, 0), (64, 96)] {
        let aad = &[5; 64][..aad];
        assert_eq!(tag(Standard, aad, len), tag(Uapki, aad, len));
        assert_eq!(tag(Standard, aad, len), tag(BouncyCastle, aad, len));
    }
    // Part of a block of associated data: UAPKI and Bouncy Castle agree with each other.
    assert_ne!(tag(Standard, &[5; 33], 32), tag(Uapki, &[5; 33], 32));
    assert_eq!(tag(Uapki, &[5; 33], 32), tag(BouncyCastle, &[5; 33], 32));
    // Part of a block of ciphertext: all three differ.
    assert_ne!(tag(Standard, &[], 33), tag(Uapki, &[], 33));
    assert_ne!(tag(Standard, &[], 33), tag(BouncyCastle, &[], 33));
    assert_ne!(tag(Uapki, &[], 33), tag(BouncyCastle, &[], 33));
}

#[test]
fn ctr_and_gcm_have_the_same_key_stream_until_a_carry() {
    let (key, nonce) = (Kalyna::<16, 32, 15>::new(&[7; 32]), [9; 16]);
    let (mut a, mut b) = ([0; 3000], [0; 3000]);
    crate::cipher::modes::Ctr::new(&key, &nonce).apply(&mut a);
    let _ = Kalyna128_256Gcm::new(&[7; 32]).seal_in_place(&nonce, b"", &mut b);
    assert_eq!(a, b);
}

/// Equal to dstu-core, which follows the same text, at lengths that the examples do not have.
#[test]
fn equals_dstu_core() {
    use dstu_core::hazmat::{kalyna_ccm as ccm, kalyna_gcm as gcm};

    macro_rules! gcm {
        ($ours:ident, $theirs:ident, $key:literal, $block:literal) => {{
            let mut rng = Rng::new($key);
            for len in (1..3 * $block + 2).chain([1023, 1024, 1025, 4000]) {
                let (raw, nonce) = (random(&mut rng, $key).try_into().unwrap(), random(&mut rng, $block).try_into().unwrap());
                let (aad, plain) = (random(&mut rng, len * 5 % 97), random(&mut rng, len));
                let mut data = plain.clone();
                let tag = $ours::new(&raw).seal_in_place(&nonce, &aad, &mut data);
                let mut theirs = std::vec![0; len];
                let their_tag = gcm::$theirs::new(&raw).encrypt(&nonce, &aad, &plain, &mut theirs).unwrap();
                assert_eq!((data, &tag[..]), (theirs, &their_tag[..]), "{len}");
            }
        }};
    }
    gcm!(Kalyna128_128Gcm, Kalyna128_128Gcm, 16, 16);
    gcm!(Kalyna128_256Gcm, Kalyna128_256Gcm, 32, 16);
    gcm!(Kalyna256_256Gcm, Kalyna256_256Gcm, 32, 32);
    gcm!(Kalyna256_512Gcm, Kalyna256_512Gcm, 64, 32);
    gcm!(Kalyna512_512Gcm, Kalyna512_512Gcm, 64, 64);

    macro_rules! ccm {
        ($ours:ident, $key:literal, $block:literal) => {{
            let mut rng = Rng::new($key);
            for len in 1..=255 {
                let (raw, nonce) =
                    (random(&mut rng, $key).try_into().unwrap(), random(&mut rng, $block).try_into().unwrap());
                let (aad, plain) = (random(&mut rng, len * 5 % 199), random(&mut rng, len));
                let mut data = plain.clone();
                let tag = $ours::new(&raw).seal_in_place(&nonce, &aad, &mut data);
                let mut theirs = plain.clone();
                let their_tag = ccm::$ours::new(&raw).seal_in_place(&nonce, &aad, &mut theirs).unwrap();
                assert_eq!((data, &tag[..]), (theirs, &their_tag[..]), "{len}");
            }
        }};
    }
    ccm!(Kalyna128_128Ccm, 16, 16);
    ccm!(Kalyna128_256Ccm, 32, 16);
    ccm!(Kalyna256_256Ccm, 32, 32);
    ccm!(Kalyna256_512Ccm, 64, 32);
    ccm!(Kalyna512_512Ccm, 64, 64);
}

#[test]
fn debug_shows_no_key() {
    let (gcm, ccm) = (Kalyna128_256Gcm::new(&[0xa5; 32]), Kalyna256_512Ccm::new(&[0xa5; 64]));
    assert_eq!(std::format!("{gcm:?} {ccm:?}"), "Kalyna128_256Gcm(..) Kalyna256_512Ccm(..)");
}

//! What the leak checker runs: every size sealing and opening, key and message secret, on every kernel of the field.

use super::{KalynaGcm, KalynaGcmReading};
use crate::aead::Aead;
use crate::aead::kalyna::{Kalyna128_128Ccm, Kalyna512_512Ccm, KalynaCcmReading};
use crate::cipher::kalyna::field::PRODUCTS;
use crate::cipher::kalyna::ghash::Ghash;
use crate::cipher::kalyna::{
    Cfb, Cmac, Gmac, Kalyna, Kalyna128_128, KalynaCfbReading, KalynaWrapReading, KeyWrap, Xts,
};
use crate::leaks::Check;
use crate::mac::Kupyna256Kmac;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[
    Check::new("aead/kalyna-gcm", || {
        gcm::<16, 16, 11>();
        gcm::<32, 32, 15>();
        gcm::<64, 64, 19>();
    }),
    Check::new("aead/kalyna-ccm", || {
        round_trip(Kalyna128_128Ccm::new, [0; 16]);
        round_trip(Kalyna512_512Ccm::new, [0; 64]);
        for reading in [KalynaCcmReading::Uapki, KalynaCcmReading::BouncyCastle, KalynaCcmReading::BouncyCastle184] {
            let raw = [5; 16];
            taint::secret(&raw);
            exercise(&Kalyna128_128Ccm::with_reading(&raw, reading), &[0; 16]);
        }
    }),
    Check::new("cipher/kalyna-cfb", || {
        let (raw, mut data) = ([5; 16], [3; 37]);
        taint::secret(&raw);
        taint::secret(&data);
        let key = Kalyna128_128::new(&raw);
        for reading in [KalynaCfbReading::Standard, KalynaCfbReading::BouncyCastle] {
            let _ = Cfb::with_reading(&key, &[0; 16], 8, reading).map(|mut cfb| cfb.encrypt(&mut data));
            let _ = Cfb::with_reading(&key, &[0; 16], 8, reading).map(|mut cfb| cfb.decrypt(&mut data));
        }
        core::hint::black_box(&data);
    }),
    Check::new("cipher/kalyna-mac", || {
        mac::<16, 16, 11>();
        mac::<64, 64, 19>();
    }),
    Check::new("mac/kupyna-kmac", || {
        let (raw, message) = ([5; 32], [3; 100]);
        taint::secret(&raw);
        taint::secret(&message);
        let key = Kupyna256Kmac::new(&raw);
        let mut running = key.begin();
        running.update(&message);
        let _ = running.verify(&[0; 32]);
        let _ = key.verify(&message, &[0; 32]);
    }),
    Check::new("cipher/kalyna-xts", || {
        let (raw, mut data) = ([5; 16], [3; 1100]);
        taint::secret(&raw);
        taint::secret(&data);
        let key = Kalyna128_128::new(&raw);
        let _ = Xts::new(&key).encrypt(&[0; 16], &mut data);
        let _ = Xts::new(&key).decrypt(&[0; 16], &mut data);
        core::hint::black_box(&data);
    }),
    Check::new("cipher/kalyna-wrap", || {
        let (raw, data, mut wrapped, mut back) = ([5; 16], [3; 32], [0; 48], [0; 32]);
        taint::secret(&raw);
        taint::secret(&data);
        let key = Kalyna128_128::new(&raw);
        let _ = KeyWrap::new(&key).wrap(&data, &mut wrapped);
        let _ = KeyWrap::new(&key).unwrap(&wrapped, &mut back);
        let _ = KeyWrap::new(&key).wrap_padded(&data[..17], &mut wrapped);
        let _ = KeyWrap::new(&key).unwrap_padded(&wrapped, &mut [0; 48]);
        let _ = KeyWrap::with_reading(&key, KalynaWrapReading::Uapki).unwrap_padded(&wrapped, &mut [0; 48]);
        core::hint::black_box(&back);
    }),
];

fn gcm<const BLOCK: usize, const KEY: usize, const KEYS: usize>() {
    for (_, products) in PRODUCTS.all() {
        let raw = [5; KEY];
        taint::secret(&raw);
        let key = Kalyna::<BLOCK, KEY, KEYS>::new(&raw);
        let hash = Ghash::with_products(&key, products);
        for reading in [KalynaGcmReading::Standard, KalynaGcmReading::Uapki, KalynaGcmReading::BouncyCastle] {
            let (key, hash) = (key.clone(), Some(hash.clone()));
            exercise(&KalynaGcm::<BLOCK, KEY, KEYS, BLOCK>::from_parts(key, hash, reading), &[0; BLOCK]);
        }
    }
}

fn mac<const BLOCK: usize, const KEY: usize, const KEYS: usize>() {
    let (raw, message) = ([5; KEY], [3; 200]);
    taint::secret(&raw);
    taint::secret(&message);
    let key = Kalyna::<BLOCK, KEY, KEYS>::new(&raw);
    let (cmac, gmac) = (Cmac::new(&key), Gmac::new(key.clone()));
    for len in [1, BLOCK, 200] {
        let (mut c, mut g) = (cmac.begin(), gmac.begin());
        for piece in message[..len].chunks(67) {
            c.update(piece);
            g.update(piece);
        }
        let _ = c.verify(&[0; BLOCK]);
        let _ = g.verify(&[0; BLOCK]);
        let _ = cmac.verify_truncated(&message[..len], &[0; 8]);
        let _ = gmac.verify_truncated(&message[..len], &[0; 8]);
    }
}

fn round_trip<A: Aead<Key = [u8; N]>, const N: usize>(new: fn(&[u8; N]) -> A, nonce: A::Nonce) {
    let raw = [5; N];
    taint::secret(&raw);
    exercise(&new(&raw), &nonce);
}

fn exercise<A: Aead>(key: &A, nonce: &A::Nonce) {
    let mut data = [3; 1100];
    taint::secret(&data);
    let tag = key.seal_in_place(nonce, &[1; 37], &mut data);
    let _ = key.open_in_place(nonce, &[1; 37], &mut data, &tag);
    core::hint::black_box(&data);
}

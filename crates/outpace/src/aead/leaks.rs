//! What the leak checker runs for the AEADs that chain or hash in a way of their own: secret keys, data and tags; and the
//! modes of AES beside the AEADs.

use super::{Aead, Aes128Ccm, Aes256Ccm8, Aes256GcmSiv, Ccm};
use crate::cipher::{AesKeyWrap, AesXts};
use crate::leaks::Check;
use crate::mac::AesCmac;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[
    Check::new("aead/ccm", || {
        aead::<Aes128Ccm, 16, 12>();
        aead::<Aes256Ccm8, 32, 12>();
        aead::<Ccm<24, 4, 7>, 24, 7>();
    }),
    Check::new("aead/gcm-siv", aead::<Aes256GcmSiv, 32, 12>),
    super::gcm_siv::leaks::CHECK,
    Check::new("mac/cmac", || {
        let (key, message) = ([7u8; 32], [3u8; 49]);
        taint::secret(&key);
        taint::secret(&message);
        let key = AesCmac::new(&key);
        for len in [0, 16, 17, 49] {
            let mut tag = key.mac(&message[..len]);
            assert!(key.verify(&message[..len], &tag).is_ok());
            tag[3] ^= 1;
            assert!(key.verify(&message[..len], &tag).is_err());
        }
    }),
    Check::new("cipher/aes-key-wrap", || {
        let (key, data) = ([7u8; 16], [3u8; 29]);
        taint::secret(&key);
        taint::secret(&data);
        let key = AesKeyWrap::new(&key);
        let (mut wrapped, mut out) = ([0; 40], [0; 32]);
        for len in [5, 29] {
            let size = AesKeyWrap::<16>::padded_len(len);
            key.wrap_padded(&data[..len], &mut wrapped[..size]).unwrap();
            taint::secret(&wrapped);
            assert_eq!(key.unwrap_padded(&wrapped[..size], &mut out[..size - 8]), Ok(len));
            wrapped[1] ^= 1;
            assert!(key.unwrap_padded(&wrapped[..size], &mut out[..size - 8]).is_err());
        }
        key.wrap(&data[..24], &mut wrapped[..32]).unwrap();
        key.unwrap(&wrapped[..32], &mut out[..24]).unwrap();
    }),
    Check::new("cipher/aes-xts", || {
        let (first, second, tweak, mut sector) = ([7u8; 32], [6u8; 32], [5u8; 16], [3u8; 700]);
        taint::secret(&first);
        taint::secret(&second);
        taint::secret(&tweak);
        taint::secret(&sector);
        let key = AesXts::new(&first, &second).unwrap();
        key.encrypt(&tweak, &mut sector).unwrap();
        key.decrypt(&tweak, &mut sector).unwrap();
        core::hint::black_box(&sector);
    }),
];

/// Seals, opens, and refuses a wrong tag.
fn aead<A: Aead<Key = [u8; K], Nonce = [u8; N]>, const K: usize, const N: usize>() {
    let (raw, nonce, aad, mut data) = ([7u8; K], [1u8; N], [2u8; 37], [3u8; 700]);
    taint::secret(&raw);
    taint::secret(&data);
    let key = A::new(&raw);
    for len in [64, 200, 700] {
        let data = &mut data[..len];
        let tag = key.seal_in_place(&nonce, &aad, data);
        assert!(key.open_in_place(&nonce, &aad, data, &tag).is_ok());
        assert!(key.open_in_place(&nonce, &aad[1..], data, &tag).is_err());
    }
}

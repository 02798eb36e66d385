//! KMAC of DSTU 7564:2014, annex C: the hash of the padded key, the padded message and the inverted key.
//!
//! It is not the KMAC of SP 800-185, see [`Kmac128`](super::Kmac128) for that.

use crate::Result;
use crate::hash::Hash;
use crate::hash::kupyna::Kupyna;
use crate::mem::{Secret, ct, wiping_stack};

/// A key of Kupyna's KMAC: as long as the code, `N` bytes. Used through its aliases, such as [`Kupyna256Kmac`].
///
/// ```
/// use outpace::mac::Kupyna256Kmac;
///
/// let key = Kupyna256Kmac::new(&[7; 32]); // a real key is random
/// let tag: [u8; 32] = key.mac(b"message");
/// key.verify(b"message", &tag)?;
/// let mut running = key.begin();
/// running.update(b"mess");
/// running.update(b"age");
/// assert_eq!(running.finish(), tag);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct KupynaKmac<const BLOCK: usize, const N: usize> {
    /// After the padded key.
    start: Kupyna<BLOCK, N>,
    inverted: Secret<[u8; N]>,
}

/// KMAC of Kupyna-256.
pub type Kupyna256Kmac = KupynaKmac<64, 32>;
/// KMAC of Kupyna-384.
pub type Kupyna384Kmac = KupynaKmac<128, 48>;
/// KMAC of Kupyna-512.
pub type Kupyna512Kmac = KupynaKmac<128, 64>;

/// A message on its way.
#[derive(Clone)]
pub struct KupynaKmacState<'k, const BLOCK: usize, const N: usize> {
    key: &'k KupynaKmac<BLOCK, N>,
    hash: Kupyna<BLOCK, N>,
    len: u128,
}

impl<const BLOCK: usize, const N: usize> KupynaKmac<BLOCK, N> {
    /// Hashes the key once.
    #[must_use]
    pub fn new(key: &[u8; N]) -> Self {
        wiping_stack::<4096, _>(|| {
            let mut start = Kupyna::new();
            start.update(key);
            start.pad(N as u128);
            Self { start, inverted: Secret::new(key.map(|byte| !byte)) }
        })
    }

    /// The code of a message.
    #[must_use]
    pub fn mac(&self, message: &[u8]) -> [u8; N] {
        let mut running = self.begin();
        running.update(message);
        running.finish()
    }

    /// Checks the code of a message.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is wrong.
    pub fn verify(&self, message: &[u8], tag: &[u8; N]) -> Result<()> {
        ct::verify(&self.mac(message), tag)
    }

    /// Starts a message that comes in pieces.
    #[must_use]
    pub fn begin(&self) -> KupynaKmacState<'_, BLOCK, N> {
        KupynaKmacState { key: self, hash: self.start.clone(), len: 0 }
    }
}

impl<const BLOCK: usize, const N: usize> core::fmt::Debug for KupynaKmac<BLOCK, N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "KupynaKmac{}(..)", 8 * N)
    }
}

impl<const BLOCK: usize, const N: usize> KupynaKmacState<'_, BLOCK, N> {
    /// Takes the next piece of the message.
    pub fn update(&mut self, data: &[u8]) {
        self.len += data.len() as u128;
        self.hash.update(data);
    }

    /// The code of all pieces.
    #[must_use]
    pub fn finish(mut self) -> [u8; N] {
        self.hash.pad(self.len);
        self.hash.update(&*self.key.inverted);
        self.hash.finish()
    }

    /// Checks the code of all pieces.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if it is wrong.
    pub fn verify(self, tag: &[u8; N]) -> Result<()> {
        ct::verify(&self.finish(), tag)
    }
}

impl<const BLOCK: usize, const N: usize> core::fmt::Debug for KupynaKmacState<'_, BLOCK, N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:?}", self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use std::vec::Vec;

    #[test]
    fn examples_of_the_standard() {
        let all: serde_json::Value = serde_json::from_str(&testkit::vectors("kupyna.json")).expect("kupyna.json");
        let list = all["kmac"].as_array().expect("a list of examples");
        assert_eq!(list.len(), 3);
        for example in list {
            let get = |name: &str| testkit::hex(example[name].as_str().unwrap());
            let (key, message, tag) = (get("key"), get("message"), get("mac"));
            let got = match key.len() {
                32 => Kupyna256Kmac::new(&key.try_into().unwrap()).mac(&message).to_vec(),
                48 => Kupyna384Kmac::new(&key.try_into().unwrap()).mac(&message).to_vec(),
                _ => Kupyna512Kmac::new(&key.try_into().unwrap()).mac(&message).to_vec(),
            };
            assert_eq!(got, tag);
        }
    }

    #[test]
    fn equals_dstu_core_in_pieces() {
        use dstu_core::hazmat::kupyna_kmac as theirs;
        for len in 0..300 {
            let message: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let cut = len / 3;
            let key = Kupyna256Kmac::new(&[len as u8; 32]);
            let mut running = key.begin();
            running.update(&message[..cut]);
            running.update(&message[cut..]);
            let tag = running.clone().finish();
            assert_eq!(running.verify(&tag), Ok(()));
            assert_eq!(tag, theirs::Kupyna256Kmac::mac(&[len as u8; 32], &message).unwrap());
            assert_eq!(key.verify(&message, &tag), Ok(()));
            let mut wrong = tag;
            wrong[len % 32] ^= 1;
            assert_eq!(key.verify(&message, &wrong), Err(Error::Authentication));
            let key = Kupyna384Kmac::new(&[len as u8; 48]);
            assert_eq!(key.mac(&message), theirs::Kupyna384Kmac::mac(&[len as u8; 48], &message).unwrap());
            let key = Kupyna512Kmac::new(&[len as u8; 64]);
            assert_eq!(key.mac(&message), theirs::Kupyna512Kmac::mac(&[len as u8; 64], &message).unwrap());
            assert_eq!(std::format!("{key:?}"), "KupynaKmac512(..)");
        }
    }
}

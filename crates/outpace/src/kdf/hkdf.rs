//! HKDF (RFC 5869): extract a key from uneven material, expand it into as many as are needed.
//!
//! The time depends on the lengths alone.

use crate::hash::Hash;
use crate::mac::Hmac;
use crate::mem::{Secret, Wipe};
use crate::{Error, Result};
use core::fmt;

/// The longest message of [`Hkdf::expand`] that is put together before it is hashed.
const SHORT: usize = 192;

/// A pseudorandom key, ready to be expanded.
///
/// ```
/// use outpace::hash::Sha256;
/// use outpace::kdf::Hkdf;
///
/// let keys = Hkdf::<Sha256>::extract(b"salt", b"shared secret");
/// let (mut client, mut server) = ([0; 32], [0; 32]);
/// keys.expand(b"client", &mut client)?;
/// keys.expand(b"server", &mut server)?;
/// assert_ne!(client, server);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct Hkdf<H: Hash> {
    key: Hmac<H>,
}

impl<H: Hash> Hkdf<H> {
    /// Section 2.2. An empty salt stands for a digest's length of zeros.
    #[must_use]
    pub fn extract(salt: &[u8], material: &[u8]) -> Self {
        let prk = Secret::new(Self::extract_key(salt, material));
        Self { key: Hmac::new((*prk).as_ref()) }
    }

    /// Section 2.2, for protocols that need the pseudorandom key itself.
    #[must_use]
    pub fn extract_key(salt: &[u8], material: &[u8]) -> H::Output {
        Hmac::<H>::new(salt).mac(material)
    }

    /// Takes up a pseudorandom key that was extracted before.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is shorter than the digest.
    pub fn from_key(prk: &[u8]) -> Result<Self> {
        if prk.len() < size_of::<H::Output>() {
            return Err(Error::Parameter("an HKDF pseudorandom key is at least as long as the digest"));
        }
        Ok(Self { key: Hmac::new(prk) })
    }

    /// Section 2.3: fills `out` with key material for the purpose that `info` names.
    ///
    /// # Errors
    /// [`Error::Limit`] if `out` is longer than 255 digests; nothing is written.
    pub fn expand(&self, info: &[u8], out: &mut [u8]) -> Result<()> {
        let size = size_of::<H::Output>();
        if out.len() > 255 * size {
            return Err(Error::Limit("HKDF gives at most 255 digests"));
        }
        // What each block hashes: the block before, the purpose, and a counter. In one piece, if it is short.
        let mut short = Secret::new([0; SHORT]);
        let message = short.get_mut(..size + info.len() + 1);
        if let Some(message) = message {
            message[size..size + info.len()].copy_from_slice(info);
            for (counter, chunk) in (1u8..=255).zip(out.chunks_mut(size)) {
                message[size + info.len()] = counter;
                let first = if counter == 1 { size } else { 0 };
                let mut block = self.key.mac(&message[first..]);
                message[..size].copy_from_slice(block.as_ref());
                block.as_mut().wipe();
                chunk.copy_from_slice(&message[..chunk.len()]);
            }
            return Ok(());
        }
        let mut last: Option<H::Output> = None;
        for (counter, chunk) in (1u8..=255).zip(out.chunks_mut(size)) {
            let mut state = self.key.begin();
            if let Some(last) = &last {
                state.update(last.as_ref());
            }
            state.update(info);
            state.update(&[counter]);
            let block = last.insert(state.finish());
            chunk.copy_from_slice(&block.as_ref()[..chunk.len()]);
        }
        if let Some(block) = &mut last {
            block.as_mut().wipe();
        }
        Ok(())
    }
}

impl<H: Hash> fmt::Debug for Hkdf<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hkdf<{}>(..)", H::NAME)
    }
}

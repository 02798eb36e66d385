//! Choosing BLAKE2's parameters.

use super::{Blake2, Running, Words};
use crate::mem::Secret;
use crate::{Error, Result};
use core::fmt;

/// The parameters of a BLAKE2 function, to be checked by [`build`](Self::build).
///
/// ```
/// use outpace::hash::Blake2b;
///
/// let mut mac = Blake2b::builder().output_len(32).key(b"secret").personal(b"invoices 2026 v1").build()?;
/// mac.update(b"message");
/// let mut tag = [0; 32];
/// mac.finish(&mut tag)?;
///
/// assert!(Blake2b::builder().output_len(65).build().is_err());
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct Builder<'k, W: Words<N>, const N: usize> {
    out: usize,
    key: &'k [u8],
    salt: W::Salt,
    personal: W::Salt,
}

impl<'k, W: Words<N>, const N: usize> Builder<'k, W, N> {
    pub(super) const fn new() -> Self {
        Self { out: W::MAX, key: &[], salt: W::ZERO_SALT, personal: W::ZERO_SALT }
    }

    /// Bytes of output: 1 to 64 for BLAKE2b, 1 to 32 for BLAKE2s. Not a prefix of a longer output.
    #[must_use]
    pub fn output_len(mut self, bytes: usize) -> Self {
        self.out = bytes;
        self
    }

    /// Makes the function a message authentication code. Up to 64 bytes for BLAKE2b, 32 for BLAKE2s; an empty key is none.
    #[must_use]
    pub fn key(mut self, key: &'k [u8]) -> Self {
        self.key = key;
        self
    }

    /// Makes the function one of many: 16 bytes for BLAKE2b, 8 for BLAKE2s.
    #[must_use]
    pub fn salt(mut self, salt: &W::Salt) -> Self {
        self.salt = *salt;
        self
    }

    /// Names the use of the function: 16 bytes for BLAKE2b, 8 for BLAKE2s.
    #[must_use]
    pub fn personal(mut self, personal: &W::Salt) -> Self {
        self.personal = *personal;
        self
    }

    /// The function, ready for input.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the output is empty or the output or the key is longer than the function allows.
    pub fn build(self) -> Result<Blake2<W, N>> {
        let (out, key) = match (u8::try_from(self.out), u8::try_from(self.key.len())) {
            (Ok(out @ 1..), Ok(key)) if usize::from(out) <= W::MAX && usize::from(key) <= W::MAX => (out, key),
            (Ok(1..), _) if self.out <= W::MAX => {
                return Err(Error::Parameter("a BLAKE2 key has at most 64 bytes (BLAKE2b) or 32 bytes (BLAKE2s)"));
            }
            _ => return Err(Error::Parameter("BLAKE2 gives 1 to 64 bytes (BLAKE2b) or 1 to 32 bytes (BLAKE2s)")),
        };
        let mut running = Running::new(W::start(out, key, &self.salt, &self.personal));
        if key > 0 {
            // The key is the first block, filled with zeros.
            let mut block = Secret::new([0; N]);
            block[..self.key.len()].copy_from_slice(self.key);
            running.update(&*block);
        }
        Ok(Blake2 { running, out: self.out })
    }
}

impl<W: Words<N>, const N: usize> fmt::Debug for Builder<'_, W, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(W::NAME)
            .field("output_len", &self.out)
            .field("keyed", &!self.key.is_empty())
            .field("salt", &self.salt)
            .field("personal", &self.personal)
            .finish()
    }
}

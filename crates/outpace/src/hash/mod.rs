//! Hash functions: one trait, [`Hash`], and a type per function.
//!
//! | type | standard | block, output (bytes) |
//! | --- | --- | --- |
//! | [`Sha224`], [`Sha256`] | FIPS 180-4 | 64, 28 or 32 |
//! | [`Sha384`], [`Sha512`], [`Sha512_224`], [`Sha512_256`] | FIPS 180-4 | 128, 48, 64, 28 or 32 |
//! | [`Sha3_224`], [`Sha3_256`], [`Sha3_384`], [`Sha3_512`] | FIPS 202 | 144, 136, 104, 72; 28, 32, 48, 64 |
//! | [`Shake128`], [`Shake256`] | FIPS 202 | 168, 136; any |
//! | [`CShake128`], [`CShake256`] | SP 800-185 | 168, 136; any |
//! | [`Blake2b`], [`Blake2b512`] | RFC 7693 | 128; 1 to 64 |
//! | [`Blake2s`], [`Blake2s256`] | RFC 7693 | 64; 1 to 32 |
//! | [`Kupyna256`], [`Kupyna384`], [`Kupyna512`] | DSTU 7564:2014 | 64, 128, 128; 32, 48, 64 |
//!
//! ```
//! use outpace::hash::{Hash, Sha256};
//!
//! let digest: [u8; 32] = Sha256::digest(b"abc");
//! let mut hash = Sha256::new();
//! hash.update(b"a");
//! hash.update(b"bc");
//! assert_eq!(hash.finish(), digest);
//! ```
//!
//! The time taken depends on the length of the input and on nothing else of it. A running state is wiped when dropped.

pub(crate) mod blake2;
mod block;
pub(crate) mod kupyna;
mod many;
mod nested;
pub(crate) mod sha2;
pub(crate) mod sha3;
#[cfg(test)]
mod tests;

pub use blake2::{Blake2b, Blake2b512, Blake2s, Blake2s256, Builder as Blake2Builder};
pub(crate) use block::BlockBuffer;
pub use kupyna::{Kupyna, Kupyna256, Kupyna384, Kupyna512};
pub(crate) use nested::Nested;
pub use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
pub use sha3::{CShake128, CShake256, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256, Xof};

use crate::Result;
use crate::mem::Wipe;

/// What every digest is: an array of bytes. (`Default` would say the same, but std has it only up to 32.)
pub trait Output:
    AsRef<[u8]> + AsMut<[u8]> + Copy + Wipe + PartialEq + core::fmt::Debug + Send + Sync + 'static
{
    /// All zero.
    const ZERO: Self;
}

impl<const N: usize> Output for [u8; N] {
    const ZERO: Self = [0; N];
}

/// A hash function: a running state that takes input in pieces. Implemented by this crate's functions only.
pub trait Hash: Nested<<Self as Hash>::Output> {
    /// The digest: an array of bytes.
    type Output: Output;

    /// The name in its standard.
    const NAME: &'static str;
    /// Bytes that the function takes in one step; HMAC pads its key to this length.
    const BLOCK: usize;

    /// The state before any input.
    fn new() -> Self;

    /// Takes the next piece of input, of any length.
    fn update(&mut self, data: &[u8]);

    /// The digest of all input.
    fn finish(self) -> Self::Output;

    /// The digest of one piece of input.
    fn digest(data: &[u8]) -> Self::Output {
        let mut hash = Self::new();
        hash.update(data);
        hash.finish()
    }

    /// The digests of many messages, of any lengths, computed side by side where the CPU has the registers for it.
    ///
    /// # Errors
    /// [`Error::Length`](crate::Error::Length) if `digests` has not one place for each message; nothing is written.
    fn digest_many(messages: &[&[u8]], digests: &mut [Self::Output]) -> Result<()> {
        crate::error::check_len("digests", messages.len(), digests.len())?;
        for (message, digest) in messages.iter().zip(digests) {
            *digest = Self::digest(message);
        }
        Ok(())
    }
}

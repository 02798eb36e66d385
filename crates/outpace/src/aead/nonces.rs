//! Nonces that do not repeat: the per-record nonces of TLS 1.3 (RFC 8446, section 5.3), which other protocols share.

use crate::mem::Secret;
use crate::{Error, Result};
use core::fmt;

/// Counts the nonces of one key: a fixed value, different for each key, with a 64-bit count from zero XORed into its
/// last eight bytes. It has an end, and then says so instead of starting again.
///
/// ```
/// use outpace::aead::NonceSequence;
/// let mut nonces = NonceSequence::new([0x55; 12]).with_limit(2);
/// assert_eq!(nonces.next_nonce()?, [0x55; 12]);
/// assert_eq!(nonces.next_nonce()?[11], 0x54);
/// assert!(nonces.next_nonce().is_err());
/// # Ok::<(), outpace::Error>(())
/// ```
///
/// Not `Clone` on purpose: two copies would give the same nonces.
pub struct NonceSequence {
    fixed: Secret<[u8; 12]>,
    next: u64,
    limit: u64,
}

impl NonceSequence {
    /// A sequence of 2⁶⁴ − 1 nonces. `fixed` is the "static IV" of TLS.
    #[must_use]
    pub const fn new(fixed: [u8; 12]) -> Self {
        Self { fixed: Secret::new(fixed), next: 0, limit: u64::MAX }
    }

    /// Ends the sequence after `messages`, as the cipher or the protocol demands.
    #[must_use]
    pub const fn with_limit(mut self, messages: u64) -> Self {
        self.limit = messages;
        self
    }

    /// How many nonces were given out: the number of the next message.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.next
    }

    /// The next nonce.
    ///
    /// # Errors
    /// [`Error::Limit`] at the end of the sequence: it is time for a new key.
    pub fn next_nonce(&mut self) -> Result<[u8; 12]> {
        if self.next >= self.limit {
            return Err(Error::Limit("all nonces of this key are used up: it takes a new key"));
        }
        let nonce = self.nonce(self.next);
        self.next += 1;
        Ok(nonce)
    }

    /// The nonce of message `number`: for receivers of protocols that number their packets and lose some.
    ///
    /// ```
    /// # use outpace::aead::NonceSequence;
    /// let (mut sender, receiver) = (NonceSequence::new([0x55; 12]), NonceSequence::new([0x55; 12]));
    /// assert_eq!(receiver.nonce(0), sender.next_nonce()?);
    /// # Ok::<(), outpace::Error>(())
    /// ```
    #[must_use]
    pub fn nonce(&self, number: u64) -> [u8; 12] {
        let mut nonce = *self.fixed;
        for (n, c) in nonce[4..].iter_mut().zip(number.to_be_bytes()) {
            *n ^= c;
        }
        nonce
    }
}

/// Without the fixed value, which TLS derives from a secret.
impl fmt::Debug for NonceSequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NonceSequence").field("next", &self.next).field("limit", &self.limit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_an_error() {
        let mut nonces = NonceSequence { fixed: Secret::new([0; 12]), next: u64::MAX - 1, limit: u64::MAX };
        assert_eq!(nonces.next_nonce(), Ok([0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 254]));
        for _ in 0..2 {
            assert!(matches!(nonces.next_nonce(), Err(Error::Limit(_))));
        }
        assert_eq!(nonces.count(), u64::MAX);
    }

    #[test]
    fn debug_does_not_show_the_fixed_value() {
        let shown = std::format!("{:?}", NonceSequence::new([0xc7; 12]).with_limit(5));
        assert_eq!(shown, "NonceSequence { next: 0, limit: 5, .. }");
    }
}

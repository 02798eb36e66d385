//! Poly1305, RFC 8439 section 2.5: a one-time authenticator.
//!
//! A key authenticates *one* message: two tags under the same key give the key away. That is why it stands in `hazmat`; the
//! AEADs derive a fresh key for every message. Messages may have any length. Running time depends on the length alone.

mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;

#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(test)]
mod tests;

use crate::Result;
use crate::cpu::{Dispatch, Kernel};
use crate::mem::{Secret, Wipe, ct};

pub(crate) use portable::{absorb, block, product, sum_of_products, tag};

/// r (clamped), s, and the accumulator h = h0 + 2^64 h1 + 2^128 h2 with h2 at most 6.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) r: [u64; 2],
    pub(crate) s: [u64; 2],
    pub(crate) h: [u64; 3],
}

impl State {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let word = |i: usize| u64::from_le_bytes(core::array::from_fn(|j| key[8 * i + j]));
        Self::from_words([word(0), word(1)], [word(2), word(3)])
    }

    /// Clamps r.
    #[inline]
    pub(crate) fn from_words(r: [u64; 2], s: [u64; 2]) -> Self {
        Self { r: [r[0] & 0x0fff_fffc_0fff_ffff, r[1] & 0x0fff_fffc_0fff_fffc], s, h: [0; 3] }
    }
}

impl Wipe for State {
    fn wipe(&mut self) {
        self.r.wipe();
        self.s.wipe();
        self.h.wipe();
    }
}

/// Absorbs whole blocks; the length is a multiple of 16.
pub(crate) type Absorb = fn(&mut State, &[u8]);

pub(crate) static KERNELS: Dispatch<Absorb> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::ifma::KERNEL,
    Kernel::portable(portable::absorb),
]);

/// One-time authentication of a message that arrives in pieces.
///
/// ```
/// use outpace::hazmat::Poly1305;
///
/// let key = [7; 32]; // for this one message
/// let mut mac = Poly1305::new(&key);
/// mac.update(b"mess");
/// mac.update(b"age");
/// assert_eq!(mac.finish(), Poly1305::mac(&key, b"message"));
/// ```
pub struct Poly1305 {
    state: Secret<State>,
    absorb: Absorb,
    pending: Secret<[u8; 16]>,
    held: usize,
}

impl Poly1305 {
    /// Starts with a key that must never be used for another message.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self::with(KERNELS.get(), key)
    }

    fn with(absorb: Absorb, key: &[u8; 32]) -> Self {
        Self { state: Secret::new(State::new(key)), absorb, pending: Secret::new([0; 16]), held: 0 }
    }

    /// The tag of a whole message.
    #[must_use]
    pub fn mac(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let mut mac = Self::new(key);
        mac.update(message);
        mac.finish()
    }

    /// Adds `bytes` to the message.
    pub fn update(&mut self, mut bytes: &[u8]) {
        if self.held > 0 {
            let take = bytes.len().min(16 - self.held);
            self.pending[self.held..self.held + take].copy_from_slice(&bytes[..take]);
            self.held += take;
            bytes = &bytes[take..];
            if self.held < 16 {
                return;
            }
            block(&mut self.state, &self.pending, 1);
            self.held = 0;
        }
        let (whole, rest) = bytes.split_at(bytes.len() & !15);
        (self.absorb)(&mut self.state, whole);
        self.pending[..rest.len()].copy_from_slice(rest);
        self.held = rest.len();
    }

    /// The tag.
    #[must_use]
    pub fn finish(mut self) -> [u8; 16] {
        if self.held > 0 {
            self.pending[self.held] = 1;
            self.pending[self.held + 1..].fill(0);
            block(&mut self.state, &self.pending, 0);
        }
        tag(&self.state)
    }

    /// Compares the tag with `expected` in constant time.
    ///
    /// # Errors
    /// [`Error::Authentication`](crate::Error::Authentication) if they differ.
    pub fn verify(self, expected: &[u8; 16]) -> Result<()> {
        ct::verify(&self.finish(), expected)
    }
}

impl core::fmt::Debug for Poly1305 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Poly1305").finish_non_exhaustive()
    }
}

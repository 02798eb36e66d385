//! ChaCha20, RFC 8439 section 2.4, and HChaCha20, draft-irtf-cfrg-xchacha section 2.2.
//!
//! The bare stream cipher: it hides a message and protects nothing, and a repeated nonce under one key gives both messages
//! away. That is why it stands in `hazmat`; use `ChaCha20Poly1305`. The block counter has
//! 32 bits: one nonce is good for 256 GiB. Additions, rotations and exclusive ors only: running time depends on the length
//! alone.

pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;

#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(test)]
mod tests;

use crate::cpu::{Dispatch, Kernel};
use crate::mem::{Secret, Wipe};
use crate::{Error, Result};

/// "expand 32-byte k"
pub(crate) const SIGMA: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The sixteen words of RFC 8439 section 2.3: constants, key, block counter, nonce.
#[derive(Clone, Copy)]
pub(crate) struct State(pub(crate) [u32; 16]);

impl State {
    pub(crate) fn new(key: &[u32; 8], counter: u32, nonce: &[u32; 3]) -> Self {
        let mut words = [0; 16];
        words[..4].copy_from_slice(&SIGMA);
        words[4..12].copy_from_slice(key);
        words[12] = counter;
        words[13..].copy_from_slice(nonce);
        Self(words)
    }

    pub(crate) fn advance(&mut self, blocks: u32) {
        self.0[12] = self.0[12].wrapping_add(blocks);
    }
}

impl Wipe for State {
    fn wipe(&mut self) {
        self.0.wipe();
    }
}

/// Little-endian words.
pub(crate) fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    core::array::from_fn(|i| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
}

/// Adds (exclusive or) the key stream that starts at the state's counter to the data.
pub(crate) type Apply = fn(&State, &mut [u8]);

/// Work that has nothing to do with the rounds and is done beside them, for the ports that vectors do not use.
pub(crate) trait Beside {
    /// What the rounds keep in registers of it.
    type Now;
    fn begin(&self) -> Self::Now;
    /// A tenth of it, after two rounds.
    fn step(now: &mut Self::Now);
    fn end(&mut self, now: Self::Now);
}

/// Nothing.
impl Beside for () {
    type Now = ();
    fn begin(&self) {}
    fn step((): &mut ()) {}
    fn end(&mut self, (): ()) {}
}

/// Blocks of key stream, or of what was made with it, in as few cache lines as they can be.
#[repr(C, align(64))]
pub(crate) struct Blocks<const N: usize>(pub(crate) [[u8; 64]; N]);

impl<const N: usize> Blocks<N> {
    pub(crate) const ZERO: Self = Self([[0; 64]; N]);

    /// Adds (exclusive or) the first bytes to `data`, which is not longer.
    #[inline(always)]
    fn add_to(&self, data: &mut [u8]) {
        let stream = self.0.as_flattened();
        let (whole, rest) = data.as_chunks_mut::<32>();
        let (keys, last) = stream.as_chunks::<32>().0.split_at(whole.len());
        for (bytes, key) in whole.iter_mut().zip(keys) {
            *bytes = core::array::from_fn(|i| bytes[i] ^ key[i]);
        }
        for (byte, key) in rest.iter_mut().zip(last.as_flattened()) {
            *byte ^= key;
        }
    }
}

impl<const N: usize> Wipe for Blocks<N> {
    fn wipe(&mut self) {
        self.0.wipe();
    }
}

pub(crate) static KERNELS: Dispatch<Apply> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::halves::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx2::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::sse41::KERNEL,
    Kernel::portable(portable::apply),
]);

/// A ChaCha20 key.
///
/// ```
/// use outpace::hazmat::ChaCha20;
///
/// let cipher = ChaCha20::new(&[7; 32]);
/// let mut data = *b"attack at dawn";
/// cipher.apply(&[1; 12], 0, &mut data)?;
/// cipher.apply(&[1; 12], 0, &mut data)?; // the same again takes it off
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct ChaCha20 {
    key: Secret<[u32; 8]>,
    apply: Apply,
}

impl ChaCha20 {
    /// Takes the key.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self { key: Secret::new(words(key)), apply: KERNELS.get() }
    }

    /// Adds the key stream of `nonce`, from block `counter` on, to `data`.
    ///
    /// # Errors
    /// [`Error::Limit`] if the 32-bit block counter would wrap; `data` is then untouched.
    pub fn apply(&self, nonce: &[u8; 12], counter: u32, data: &mut [u8]) -> Result<()> {
        if data.len().div_ceil(64) as u64 > (1 << 32) - u64::from(counter) {
            return Err(Error::Limit("the 32-bit block counter of ChaCha20 would wrap"));
        }
        let state = Secret::new(State::new(&self.key, counter, &words(nonce)));
        (self.apply)(&state, data);
        Ok(())
    }
}

impl core::fmt::Debug for ChaCha20 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ChaCha20").finish_non_exhaustive()
    }
}

/// HChaCha20: a subkey from a key and sixteen bytes of nonce. A key derivation for random nonces, not a hash.
///
/// ```
/// use outpace::hazmat::{ChaCha20, hchacha20};
///
/// // XChaCha20: the first sixteen bytes of the nonce make the key, the others are the nonce.
/// let subkey = hchacha20(&[7; 32], &[1; 16]);
/// let mut data = *b"attack at dawn";
/// ChaCha20::new(&subkey).apply(&[0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1], 0, &mut data)?;
/// # Ok::<(), outpace::Error>(())
/// ```
#[must_use]
pub fn hchacha20(key: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32] {
    let subkey = Secret::new(subkey(&Secret::new(words(key)), &words(nonce)));
    core::array::from_fn(|i| subkey[i / 4].to_le_bytes()[i % 4])
}

/// The same on words.
pub(crate) fn subkey(key: &[u32; 8], nonce: &[u32; 4]) -> [u32; 8] {
    let [counter, rest @ ..] = *nonce;
    portable::hchacha20(&Secret::new(State::new(key, counter, &rest)))
}

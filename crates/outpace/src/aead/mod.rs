//! Authenticated encryption with associated data: one contract, [`Aead`], for every cipher here.
//!
//! A key is made once and then only read (`&self`): it is `Sync`, nothing is locked, allocated or derived again per
//! message. What differs between the ciphers is the length of key, nonce and tag, and how many messages one key may
//! protect; see each type. For all of them:
//!
//! - **A nonce must never be used twice under one key.** Repeating one with GCM or ChaCha20-Poly1305 gives away the
//!   difference of both plaintexts and lets anyone forge. [`NonceSequence`] counts them and refuses to wrap.
//! - Opening a message that was not sealed under this key, nonce and associated data gives
//!   [`Error::Authentication`] and an output of zeros: no unverified plaintext is ever returned.
//! - Lengths and nonces are public, everything else is not: no branch and no address depends on key, data or tag.
//!
//! # Limits
//! Each cipher has a longest message, [`Aead::MAX_MESSAGE`] (64 GiB less two blocks for GCM). A longer one is refused
//! before any byte is written: with [`Error::Limit`] wherever a `Result` is returned. [`Aead::seal_in_place`] returns the bare
//! tag, because a buffer of 64 GiB is not something programs hold; for such a buffer it panics, also before any byte is
//! touched, since going on would repeat key stream. Programs that do hold such buffers, and foreign callers, use
//! [`Aead::try_seal_in_place`]. So does whoever seals with CCM messages whose length others choose: its limit is 16 MiB
//! less a byte with a nonce of 12 bytes, and 65 535 bytes with one of 13 ([`Ccm`]).

mod ccm;
pub(crate) mod chacha20_poly1305;
pub(crate) mod gcm;
pub(crate) mod gcm_siv;
pub(crate) mod kalyna;
#[cfg(outpace_ct)]
pub(crate) mod leaks;
mod nonces;
#[cfg(test)]
mod tests;

use crate::error::check_len;
use crate::mem::{InOut, ct};
use crate::{Error, Result};
use core::fmt;

pub use ccm::{Aes128Ccm, Aes128Ccm8, Aes192Ccm, Aes256Ccm, Aes256Ccm8, Ccm};
pub use chacha20_poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
pub use gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, Gcm, Sealer as GcmSealer};
pub use gcm_siv::{Aes128GcmSiv, Aes256GcmSiv, GcmSiv};
pub use kalyna::{
    Kalyna128_128Ccm, Kalyna128_128Gcm, Kalyna128_256Ccm, Kalyna128_256Gcm, Kalyna256_256Ccm, Kalyna256_256Gcm,
    Kalyna256_512Ccm, Kalyna256_512Gcm, Kalyna512_512Ccm, Kalyna512_512Gcm, KalynaCcm, KalynaCcmReading, KalynaGcm,
    KalynaGcmReading,
};
pub use nonces::NonceSequence;

/// A key of one AEAD, ready for any number of messages.
///
/// ```
/// use outpace::aead::{Aead, Aes256Gcm};
///
/// let key = Aes256Gcm::new(&[7; 32]); // a real key is random
/// let nonce = [0; 12]; // and its nonces never repeat
/// let mut data = *b"attack at dawn";
/// let tag = key.seal_in_place(&nonce, b"to: bob", &mut data);
/// key.open_in_place(&nonce, b"to: bob", &mut data, &tag)?;
/// assert_eq!(&data, b"attack at dawn");
///
/// // Tag behind the ciphertext, as most protocols send it; and what is not authentic does not open.
/// let mut sealed = [0; 14 + 16];
/// key.seal(&nonce, b"to: bob", &data, &mut sealed)?;
/// assert!(key.open(&nonce, b"to: eve", &sealed, &mut data).is_err());
/// assert_eq!(data, [0; 14]);
///
/// // In place with the tag behind it: the buffer is split.
/// let (text, tag) = sealed.split_at_mut(14);
/// text.copy_from_slice(b"attack at noon");
/// tag.copy_from_slice(&key.seal_in_place(&[1; 12], b"to: bob", text));
/// # Ok::<(), outpace::Error>(())
/// ```
///
/// Implemented by this crate's ciphers only.
pub trait Aead: Sized {
    /// `[u8; N]`, the raw key.
    type Key;
    /// `[u8; N]`, different for each message.
    type Nonce;
    /// `[u8; N]`, what proves a message.
    type Tag: Copy + AsRef<[u8]> + for<'a> TryFrom<&'a [u8]>;

    /// Bytes in a tag: how much longer a sealed message is.
    const TAG_LENGTH: usize;
    /// The longest message in bytes.
    const MAX_MESSAGE: u64;

    /// Prepares a key.
    fn new(key: &Self::Key) -> Self;

    /// Refuses what the standard of this cipher has no tag for, given the lengths of the associated data and of the
    /// message. To be opened such a message is not authentic.
    #[doc(hidden)]
    #[inline]
    fn check(_aad: usize, _data: usize) -> Result<()> {
        Ok(())
    }

    /// Encrypts `data`, at most `MAX_MESSAGE` long, and returns its tag.
    #[doc(hidden)]
    fn seal_data(&self, nonce: &Self::Nonce, aad: &[u8], data: InOut<'_>) -> Self::Tag;

    /// Decrypts `data`, at most `MAX_MESSAGE` long, and returns the tag that it would have to come with. The one it came
    /// with, `tag`, is for ciphers that need it to decrypt; it is `TAG_LENGTH` long.
    #[doc(hidden)]
    fn open_data(&self, nonce: &Self::Nonce, aad: &[u8], data: InOut<'_>, tag: &[u8]) -> Self::Tag;

    /// As `new` and `seal_data`, for ciphers that can prepare less for a single message.
    #[doc(hidden)]
    #[inline]
    fn seal_data_once(key: &Self::Key, nonce: &Self::Nonce, aad: &[u8], data: InOut<'_>) -> Self::Tag {
        Self::new(key).seal_data(nonce, aad, data)
    }

    /// As `new` and `open_data`, likewise.
    #[doc(hidden)]
    #[inline]
    fn open_data_once(key: &Self::Key, nonce: &Self::Nonce, aad: &[u8], data: InOut<'_>, tag: &[u8]) -> Self::Tag {
        Self::new(key).open_data(nonce, aad, data, tag)
    }

    /// Encrypts `data` in place and returns its tag.
    ///
    /// # Panics
    /// If [`Self::try_seal_in_place`] would refuse, before any byte is written, since there is no tag to return: if `data` is
    /// longer than [`Self::MAX_MESSAGE`] (64 GiB or more; much less for CCM), or if this cipher has no tag for an empty
    /// message or for associated data as long as `aad`.
    #[inline]
    #[must_use]
    fn seal_in_place(&self, nonce: &Self::Nonce, aad: &[u8], data: &mut [u8]) -> Self::Tag {
        match self.try_seal_in_place(nonce, aad, data) {
            Ok(tag) => tag,
            Err(error) => refused(error),
        }
    }

    /// Encrypts `data` in place and returns its tag.
    ///
    /// # Errors
    /// [`Error::Limit`] if `data` is longer than [`Self::MAX_MESSAGE`], [`Error::Limit`] or [`Error::Parameter`] if this
    /// cipher has no tag for these lengths; nothing is written.
    #[inline]
    fn try_seal_in_place(&self, nonce: &Self::Nonce, aad: &[u8], data: &mut [u8]) -> Result<Self::Tag> {
        check_input::<Self>(aad.len(), data.len())?;
        Ok(self.seal_data(nonce, aad, InOut::in_place(data)))
    }

    /// Decrypts `data` in place if `tag` is its tag.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is not; `data` is then all zeros. [`Error::Limit`] if `data` is longer than any message.
    #[inline]
    fn open_in_place(&self, nonce: &Self::Nonce, aad: &[u8], data: &mut [u8], tag: &Self::Tag) -> Result<()> {
        check_limit::<Self>(data.len())?;
        let mut data = InOut::in_place(data);
        if Self::check(aad.len(), data.len()).is_err() {
            return refuse(data);
        }
        let expected = self.open_data(nonce, aad, data.reborrow(), tag.as_ref());
        accept(data, expected.as_ref(), tag.as_ref())
    }

    /// Encrypts `plaintext` to `out` and appends the tag: `out` is [`Self::TAG_LENGTH`] bytes longer.
    ///
    /// # Errors
    /// [`Error::Length`] if `out` has another length, [`Error::Limit`] if `plaintext` is longer than
    /// [`Self::MAX_MESSAGE`]; nothing is written.
    #[inline]
    fn seal(&self, nonce: &Self::Nonce, aad: &[u8], plaintext: &[u8], out: &mut [u8]) -> Result<()> {
        let (out, tag) = split_output::<Self>(plaintext.len(), out)?;
        Self::check(aad.len(), plaintext.len())?;
        tag.copy_from_slice(self.seal_data(nonce, aad, InOut::apart(plaintext, out)).as_ref());
        Ok(())
    }

    /// Decrypts `sealed`, ciphertext and tag, to `out`, which is [`Self::TAG_LENGTH`] bytes shorter.
    ///
    /// # Errors
    /// [`Error::Authentication`] if the tag does not prove the message or is not all there; `out` is then all zeros.
    /// [`Error::Length`] if `out` has another length, [`Error::Limit`] if `sealed` is longer than any message.
    #[inline]
    fn open(&self, nonce: &Self::Nonce, aad: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<()> {
        let (ciphertext, tag) = split_input::<Self>(sealed, out)?;
        let mut data = InOut::apart(ciphertext, out);
        if Self::check(aad.len(), data.len()).is_err() {
            return refuse(data);
        }
        let expected = self.open_data(nonce, aad, data.reborrow(), tag);
        accept(data, expected.as_ref(), tag)
    }

    /// Encrypts `plaintext` to `out`, which is as long, and returns the tag.
    ///
    /// ```
    /// use outpace::aead::{Aead, ChaCha20Poly1305};
    ///
    /// let (key, nonce) = (ChaCha20Poly1305::new(&[7; 32]), [0; 12]);
    /// let (mut ciphertext, mut plaintext) = ([0; 14], [0; 14]);
    /// let tag = key.seal_detached(&nonce, b"to: bob", b"attack at dawn", &mut ciphertext)?;
    /// key.open_detached(&nonce, b"to: bob", &ciphertext, &tag, &mut plaintext)?;
    /// assert_eq!(&plaintext, b"attack at dawn");
    /// # Ok::<(), outpace::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::seal`].
    #[inline]
    fn seal_detached(&self, nonce: &Self::Nonce, aad: &[u8], plaintext: &[u8], out: &mut [u8]) -> Result<Self::Tag> {
        check_input::<Self>(aad.len(), plaintext.len())?;
        check_len("output", plaintext.len(), out.len())?;
        Ok(self.seal_data(nonce, aad, InOut::apart(plaintext, out)))
    }

    /// Decrypts `ciphertext` to `out`, which is as long, if `tag` is its tag.
    ///
    /// # Errors
    /// As [`Self::open`].
    #[inline]
    fn open_detached(
        &self,
        nonce: &Self::Nonce,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &Self::Tag,
        out: &mut [u8],
    ) -> Result<()> {
        check_limit::<Self>(ciphertext.len())?;
        check_len("output", ciphertext.len(), out.len())?;
        let mut data = InOut::apart(ciphertext, out);
        if Self::check(aad.len(), data.len()).is_err() {
            return refuse(data);
        }
        let expected = self.open_data(nonce, aad, data.reborrow(), tag.as_ref());
        accept(data, expected.as_ref(), tag.as_ref())
    }

    /// Seals one message under a key that is not kept: less work than [`Self::new`] and [`Self::seal`].
    ///
    /// ```
    /// use outpace::aead::{Aead, Aes128Gcm};
    ///
    /// let (mut sealed, mut plain) = ([0; 14 + 16], [0; 14]);
    /// Aes128Gcm::seal_once(&[7; 16], &[0; 12], b"to: bob", b"attack at dawn", &mut sealed)?;
    /// Aes128Gcm::open_once(&[7; 16], &[0; 12], b"to: bob", &sealed, &mut plain)?;
    /// assert_eq!(&plain, b"attack at dawn");
    /// # Ok::<(), outpace::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::seal`].
    #[inline]
    fn seal_once(key: &Self::Key, nonce: &Self::Nonce, aad: &[u8], plaintext: &[u8], out: &mut [u8]) -> Result<()> {
        let (out, tag) = split_output::<Self>(plaintext.len(), out)?;
        Self::check(aad.len(), plaintext.len())?;
        tag.copy_from_slice(Self::seal_data_once(key, nonce, aad, InOut::apart(plaintext, out)).as_ref());
        Ok(())
    }

    /// Opens one message under a key that is not kept.
    ///
    /// # Errors
    /// As [`Self::open`].
    #[inline]
    fn open_once(key: &Self::Key, nonce: &Self::Nonce, aad: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<()> {
        let (ciphertext, tag) = split_input::<Self>(sealed, out)?;
        let mut data = InOut::apart(ciphertext, out);
        if Self::check(aad.len(), data.len()).is_err() {
            return refuse(data);
        }
        let expected = Self::open_data_once(key, nonce, aad, data.reborrow(), tag);
        accept(data, expected.as_ref(), tag)
    }

    /// Seals many messages under this key, each in place, and sets their tags.
    ///
    /// # Errors
    /// [`Error::Limit`] if any is longer than [`Self::MAX_MESSAGE`]; then none is sealed.
    fn seal_many(&self, packets: &mut [Packet<'_, Self>]) -> Result<()> {
        for packet in packets.iter() {
            check_input::<Self>(packet.aad.len(), packet.data.len())?;
        }
        for Packet { nonce, aad, data, tag } in packets {
            *tag = self.seal_data(nonce, aad, InOut::in_place(data));
        }
        Ok(())
    }

    /// Opens many messages under this key, each in place, and sets its result: one forged packet does not keep the
    /// others from being read. The packets that do not open are all zeros.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not as many results as packets; then none is opened.
    fn open_many(&self, packets: &mut [Packet<'_, Self>], results: &mut [Result<()>]) -> Result<()> {
        check_len("results", packets.len(), results.len())?;
        for (Packet { nonce, aad, data, tag }, result) in packets.iter_mut().zip(results) {
            *result = self.open_in_place(nonce, aad, data, tag);
        }
        Ok(())
    }
}

/// One of many messages under one key, for [`Aead::seal_many`] and [`Aead::open_many`].
///
/// ```
/// use outpace::aead::{Aead, Aes256Gcm, NonceSequence, Packet};
///
/// let (key, mut nonces) = (Aes256Gcm::new(&[7; 32]), NonceSequence::new([5; 12]));
/// let (mut first, mut second) = (*b"attack", *b"at dawn");
/// let mut packets = [
///     Packet { nonce: nonces.next_nonce()?, aad: b"1 of 2", data: &mut first, tag: [0; 16] },
///     Packet { nonce: nonces.next_nonce()?, aad: b"2 of 2", data: &mut second, tag: [0; 16] },
/// ];
/// key.seal_many(&mut packets)?;
///
/// packets[0].tag[3] ^= 1; // on its way
/// let mut results = [Ok(()); 2];
/// key.open_many(&mut packets, &mut results)?;
/// assert_eq!(results, [Err(outpace::Error::Authentication), Ok(())]);
/// assert_eq!((&first, &second), (&[0; 6], b"at dawn"));
/// # Ok::<(), outpace::Error>(())
/// ```
pub struct Packet<'a, A: Aead> {
    /// Different for each packet.
    pub nonce: A::Nonce,
    /// Authenticated, not encrypted.
    pub aad: &'a [u8],
    /// Plaintext or ciphertext, replaced by the other.
    pub data: &'a mut [u8],
    /// Set by sealing, checked by opening.
    pub tag: A::Tag,
}

impl<A: Aead> fmt::Debug for Packet<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (aad, data) = (self.aad.len(), self.data.len());
        f.debug_struct("Packet").field("aad_len", &aad).field("data_len", &data).finish_non_exhaustive()
    }
}

#[inline]
fn check_limit<A: Aead>(len: usize) -> Result<()> {
    if len as u64 > A::MAX_MESSAGE {
        Err(Error::Limit("the message is longer than MAX_MESSAGE of this cipher"))
    } else {
        Ok(())
    }
}

#[inline]
fn check_input<A: Aead>(aad: usize, len: usize) -> Result<()> {
    check_limit::<A>(len)?;
    A::check(aad, len)
}

#[cold]
#[inline(never)]
fn refused(error: Error) -> ! {
    panic!("{error}")
}

/// The places for the ciphertext of `len` bytes and for its tag.
#[inline]
fn split_output<A: Aead>(len: usize, out: &mut [u8]) -> Result<(&mut [u8], &mut [u8])> {
    check_limit::<A>(len)?;
    check_len("output", len + A::TAG_LENGTH, out.len())?;
    Ok(out.split_at_mut(len))
}

/// The ciphertext and the tag of a message to be opened to `out`.
#[inline]
fn split_input<'a, A: Aead>(sealed: &'a [u8], out: &mut [u8]) -> Result<(&'a [u8], &'a [u8])> {
    let Some((ciphertext, tag)) = sealed.len().checked_sub(A::TAG_LENGTH).map(|n| sealed.split_at(n)) else {
        out.fill(0);
        return Err(Error::Authentication);
    };
    check_limit::<A>(ciphertext.len())?;
    check_len("output", ciphertext.len(), out.len())?;
    Ok((ciphertext, tag))
}

/// Keeps the plaintext if both tags are equal, else wipes it.
#[inline]
pub(crate) fn accept(data: InOut<'_>, expected: &[u8], tag: &[u8]) -> Result<()> {
    if ct::eq(expected, tag).declassify() { Ok(()) } else { refuse(data) }
}

/// Not authentic.
#[cold]
fn refuse(data: InOut<'_>) -> Result<()> {
    data.wipe();
    Err(Error::Authentication)
}

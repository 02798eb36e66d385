//! Messages that come in pieces of any length: associated data first, then data, then the tag.

use super::{Direction, Gcm, advance, lengths, truncate};
use crate::error::check_len;
use crate::mem::{InOut, Wipe, ct};
use crate::{Error, Result};
use core::fmt;

/// The state of one message: what SP 800-38D, section 7.1, computes step by step.
#[derive(Clone)]
struct Stream<const K: usize, const T: usize> {
    key: Gcm<K, T>,
    j0: u128,
    counter: u128,
    hash: [u8; 16],
    /// Bytes of associated data or ciphertext that do not fill a block yet, the rest zeros: `used` counts them.
    block: [u8; 16],
    /// Key stream for the block begun.
    stream: [u8; 16],
    used: usize,
    aad_len: u64,
    len: u64,
}

impl<const K: usize, const T: usize> Stream<K, T> {
    fn new(key: Gcm<K, T>, j0: u128) -> Self {
        let zero = [0; 16];
        Self { key, j0, counter: advance(j0, 1), hash: zero, block: zero, stream: zero, used: 0, aad_len: 0, len: 0 }
    }

    fn restart(&mut self, j0: u128) {
        self.wipe_message();
        (self.j0, self.counter, self.used, self.aad_len, self.len) = (j0, advance(j0, 1), 0, 0, 0);
    }

    fn wipe_message(&mut self) {
        self.hash.wipe();
        self.block.wipe();
        self.stream.wipe();
    }

    fn hash(&mut self, data: &[u8]) {
        (self.key.ops.hash)(&self.key.data, &mut self.hash, data);
    }

    /// Takes the block begun into the hash, if there is one.
    fn flush(&mut self) {
        if self.used > 0 {
            let block = self.block;
            self.hash(&block);
            self.block = [0; 16];
            self.used = 0;
        }
    }

    fn aad(&mut self, mut aad: &[u8]) -> Result<()> {
        if self.len > 0 {
            return Err(Error::Parameter("associated data comes before the data"));
        }
        let total = self.aad_len.checked_add(aad.len() as u64).filter(|n| n >> 61 == 0);
        self.aad_len = total.ok_or(Error::Limit("associated data of GCM has less than 2^61 bytes"))?;
        if self.used > 0 {
            let n = aad.len().min(16 - self.used);
            self.block[self.used..self.used + n].copy_from_slice(&aad[..n]);
            self.used += n;
            if self.used < 16 {
                return Ok(());
            }
            self.flush();
            aad = &aad[n..];
        }
        let (whole, rest) = aad.split_at(aad.len() / 16 * 16);
        self.hash(whole);
        self.block[..rest.len()].copy_from_slice(rest);
        self.used = rest.len();
        Ok(())
    }

    fn data(&mut self, direction: Direction, data: InOut<'_>) -> Result<()> {
        let total =
            self.len.checked_add(data.len() as u64).filter(|n| *n <= <Gcm<K, T> as crate::aead::Aead>::MAX_MESSAGE);
        let total = total.ok_or(Error::Limit("a message of GCM has at most 2^36 - 32 bytes"))?;
        if data.len() == 0 {
            return Ok(());
        }
        if self.len == 0 {
            self.flush(); // the end of the associated data
        }
        self.len = total;
        let in_block = if self.used > 0 { data.len().min(16 - self.used) } else { 0 };
        let (head, rest) = data.split_at(in_block);
        self.part(direction, head);
        let whole = rest.len() / 16 * 16;
        let (body, tail) = rest.split_at(whole);
        if body.len() > 0 {
            (self.key.ops.crypt)(&self.key.data, direction, &mut self.counter, &mut self.hash, body);
        }
        if tail.len() > 0 {
            // The next block of key stream: an encryption of zeros whose hash nobody looks at.
            self.stream = [0; 16];
            let stream = InOut::in_place(&mut self.stream);
            (self.key.ops.crypt)(&self.key.data, Direction::Seal, &mut self.counter, &mut [0; 16], stream);
            self.part(direction, tail);
        }
        Ok(())
    }

    /// Data within one block, whose key stream is at hand.
    fn part(&mut self, direction: Direction, data: InOut<'_>) {
        let (at, n) = (self.used, data.len());
        let (stream, block) = (&self.stream[at..at + n], &mut self.block[at..at + n]);
        data.for_each_block::<16>(|bytes, n| {
            let bytes = &mut bytes[..n];
            if direction == Direction::Open {
                block.copy_from_slice(bytes);
            }
            for (b, s) in bytes.iter_mut().zip(stream) {
                *b ^= s;
            }
            if direction == Direction::Seal {
                block.copy_from_slice(bytes);
            }
        });
        self.used += n;
        if self.used == 16 {
            self.flush();
        }
    }

    /// The whole tag.
    fn tag(&mut self) -> [u8; 16] {
        self.flush();
        let last = lengths(self.aad_len, self.len);
        self.hash(&last);
        let mut tag = self.hash;
        let (mut counter, mut ignored) = (self.j0, [0; 16]);
        (self.key.ops.crypt)(&self.key.data, Direction::Seal, &mut counter, &mut ignored, InOut::in_place(&mut tag));
        tag
    }
}

impl<const K: usize, const T: usize> Drop for Stream<K, T> {
    fn drop(&mut self) {
        self.wipe_message();
    }
}

/// Seals one message in pieces: associated data, then plaintext, then the tag.
///
/// ```
/// use outpace::aead::{Aead, Aes256Gcm};
/// let key = Aes256Gcm::new(&[7; 32]);
/// let mut sealer = key.sealer(&[1; 12]);
/// sealer.aad(b"header")?;
/// let (mut first, mut second) = (*b"some ", *b"text");
/// sealer.update(&mut first)?;
/// sealer.update(&mut second)?;
/// let tag = sealer.finish();
///
/// let mut data = [&first[..], &second].concat();
/// key.open_in_place(&[1; 12], b"header", &mut data, &tag)?;
/// assert_eq!(data, b"some text");
/// # Ok::<(), outpace::Error>(())
/// ```
///
/// There is no counterpart that opens in pieces here: it would hand out plaintext before it is known to be authentic.
/// See [`crate::hazmat`].
///
/// Not `Clone`: two copies that go on with different data would use one nonce twice.
pub struct Sealer<const K: usize, const T: usize = 16>(Stream<K, T>);

impl<const K: usize, const T: usize> Sealer<K, T> {
    pub(super) fn new(key: Gcm<K, T>, j0: u128) -> Self {
        Self(Stream::new(key, j0))
    }

    /// The next piece of associated data.
    ///
    /// # Errors
    /// [`Error::Parameter`] if there was data already; [`Error::Limit`] beyond 2⁶¹ − 1 bytes in all.
    pub fn aad(&mut self, aad: &[u8]) -> Result<()> {
        self.0.aad(aad)
    }

    /// Encrypts the next piece of the message in place.
    ///
    /// # Errors
    /// [`Error::Limit`] if the message gets longer than the standard allows; then nothing is written.
    pub fn update(&mut self, data: &mut [u8]) -> Result<()> {
        self.0.data(Direction::Seal, InOut::in_place(data))
    }

    /// Encrypts the next piece of the message to `out`, which has the same length.
    ///
    /// # Errors
    /// As [`Self::update`]; [`Error::Length`] if the lengths differ.
    pub fn update_to(&mut self, plaintext: &[u8], out: &mut [u8]) -> Result<()> {
        check_len("output", plaintext.len(), out.len())?;
        self.0.data(Direction::Seal, InOut::apart(plaintext, out))
    }

    /// The tag of the message.
    #[must_use]
    pub fn finish(mut self) -> [u8; T] {
        truncate(&self.0.tag())
    }

    /// The tag of the message, and the start of the next one under the same key.
    #[must_use]
    pub fn finish_and_restart(&mut self, nonce: &[u8; 12]) -> [u8; T] {
        let tag = truncate(&self.0.tag());
        self.0.restart(super::first_counter(nonce));
        tag
    }
}

/// Opens one message in pieces and **hands out plaintext before it is known to be authentic**: nothing may be done with
/// it until [`Self::finish`] has said so, and all of it must be thrown away if it does not.
///
/// For interfaces that cannot hold a message until its tag arrives. Everything else uses [`crate::aead::Aead::open`].
///
/// ```
/// use outpace::aead::{Aead, Aes256Gcm};
/// use outpace::hazmat::GcmOpener;
/// let key = Aes256Gcm::new(&[7; 32]);
/// let mut data = *b"some text";
/// let tag = key.seal_in_place(&[1; 12], b"header", &mut data);
///
/// let mut opener = GcmOpener::new(&key, &[1; 12])?;
/// opener.aad(b"header")?;
/// opener.update_unverified(&mut data)?; // not to be used yet
/// opener.finish(&tag)?; // now it may
/// assert_eq!(&data, b"some text");
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct Opener<const K: usize, const T: usize = 16>(Stream<K, T>);

impl<const K: usize, const T: usize> Opener<K, T> {
    /// Begins a message under an initial value of any length. The key is copied.
    ///
    /// # Errors
    /// [`Error::Parameter`] if `iv` is empty.
    pub fn new(key: &Gcm<K, T>, iv: &[u8]) -> Result<Self> {
        Ok(Self(Stream::new(key.clone(), key.counter_from_iv(iv)?)))
    }

    /// The next piece of associated data.
    ///
    /// # Errors
    /// As [`Sealer::aad`].
    pub fn aad(&mut self, aad: &[u8]) -> Result<()> {
        self.0.aad(aad)
    }

    /// Decrypts the next piece of the message in place, without knowing whether it is authentic.
    ///
    /// # Errors
    /// As [`Sealer::update`].
    pub fn update_unverified(&mut self, data: &mut [u8]) -> Result<()> {
        self.0.data(Direction::Open, InOut::in_place(data))
    }

    /// Decrypts the next piece of the message to `out`, which has the same length, without knowing whether it is
    /// authentic.
    ///
    /// # Errors
    /// As [`Sealer::update_to`].
    pub fn update_unverified_to(&mut self, ciphertext: &[u8], out: &mut [u8]) -> Result<()> {
        check_len("output", ciphertext.len(), out.len())?;
        self.0.data(Direction::Open, InOut::apart(ciphertext, out))
    }

    /// Whether what was handed out is authentic.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is not: throw all of it away.
    pub fn finish(mut self, tag: &[u8; T]) -> Result<()> {
        let expected: [u8; T] = truncate(&self.0.tag());
        ct::verify(&expected, tag)
    }
}

impl<const K: usize, const T: usize> fmt::Debug for Sealer<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GcmSealer").field(&self.0.key).finish()
    }
}

impl<const K: usize, const T: usize> fmt::Debug for Opener<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GcmOpener").field(&self.0.key).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aead::Aead;

    /// Nobody has as much associated data as the limit.
    #[test]
    fn associated_data_beyond_the_limit_is_refused() {
        let mut stream = Stream::new(Gcm::<16>::new(&[0; 16]), 0);
        stream.aad_len = (1 << 61) - 3;
        stream.aad(&[0; 2]).unwrap();
        for len in [(1 << 61) - 1, u64::MAX] {
            stream.aad_len = len;
            assert!(matches!(stream.aad(&[0]), Err(Error::Limit(_))));
            assert_eq!(stream.aad_len, len);
        }
    }
}

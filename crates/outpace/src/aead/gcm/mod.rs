//! AES-GCM (NIST SP 800-38D): AES in counter mode, authenticated by a polynomial over GF(2¹²⁸).
//!
//! # Limits
//! A message has at most 2³⁶ − 32 bytes (section 5.2.1.1) and associated data 2⁶¹ − 1; the former is refused when it is
//! longer, the latter fits in no address space. With random 96-bit nonces one key is good for 2³² messages (section 8.3);
//! with counted ones ([`super::NonceSequence`]) for as many as there are nonces. Tags have 128 bits, or 96 to 120 by
//! type ([`Gcm`]); shorter ones are in [`crate::hazmat`].
//!
//! # Side channels
//! No table is looked up and no branch depends on key, data or tag; all lengths and the nonce are public.

mod ghash;
mod portable;
mod stream;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86_64;

#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(test)]
mod tests;

pub(super) use ghash::multiply;
pub use stream::{Opener, Sealer};

use super::{Aead, Packet, accept, check_input, check_limit};
use crate::cipher::aes::RoundKeys;
use crate::cpu::{Dispatch, Kernel};
use crate::error::check_len;
use crate::mem::{InOut, Secret, Wipe};
use crate::{Error, Result};

/// What a kernel keeps of a key.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct KeyData {
    /// Powers of H, as the kernel wants them.
    powers: [[u8; 16]; POWERS],
    /// The round keys, likewise.
    round_keys: RoundKeys,
}

/// Up to H²⁰ and four zeros: see the AVX-512 kernel.
pub(super) const POWERS: usize = 24;

impl KeyData {
    /// For a key of this many bytes, to be prepared.
    #[inline]
    const fn empty(key_len: usize) -> Self {
        Self { powers: [[0; 16]; POWERS], round_keys: RoundKeys::empty(key_len) }
    }
}

impl Wipe for KeyData {
    #[inline]
    fn wipe(&mut self) {
        self.powers.wipe();
        self.round_keys.wipe();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Seal,
    Open,
}

/// Encrypts or decrypts a whole message under a key and the first counter block; returns the tag of the ciphertext.
pub(crate) type Message<Key> = fn(&Key, Direction, u128, &[u8], InOut<'_>) -> [u8; 16];

/// What a kernel does. A counter block is passed as the little-endian number of its 16 bytes, so that it comes in
/// registers.
#[derive(Clone, Copy)]
pub(crate) struct Ops {
    /// Prepares a key of 16, 24 or 32 bytes: should be written once, to where it stays. A copy of what has just been written
    /// in smaller pieces has to wait for the cache, and the first message for the copy.
    expand: fn(&[u8]) -> KeyData,
    message: Message<KeyData>,
    /// As `expand` and `message`.
    message_once: Message<[u8]>,
    /// Takes data into the state of GHASH, zeros behind a last part of a block.
    hash: fn(&KeyData, &mut [u8; 16], &[u8]),
    /// Encrypts or decrypts whole blocks from a counter block on, which is moved on, and takes the ciphertext into the
    /// state of GHASH.
    crypt: fn(&KeyData, Direction, &mut u128, &mut [u8; 16], InOut<'_>),
    /// As `message`, for four short ones together, if there is a faster way than one by one.
    four: Option<Four>,
}

/// A message of at most [`SHORT`] bytes, and [`SHORT_AAD`] of associated data.
pub(crate) struct Short<'a> {
    nonce: &'a [u8; 12],
    aad: &'a [u8],
    data: InOut<'a>,
}

const SHORT: usize = 256;
const SHORT_AAD: usize = 48;

/// Encrypts or decrypts four short messages; returns their tags.
type Four = fn(&KeyData, Direction, &mut [Short<'_>; 4]) -> [[u8; 16]; 4];

pub(crate) static KERNELS: Dispatch<Ops> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::halves::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx2::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::aesni::KERNEL,
    Kernel::portable(portable::OPS),
]);

/// The last block of GHASH: both lengths in bits.
#[inline]
fn lengths(aad: u64, data: u64) -> [u8; 16] {
    (u128::from(aad << 3) << 64 | u128::from(data << 3)).to_be_bytes()
}

/// The first counter block of a 96-bit nonce: a one behind it (section 7.1, step 2).
#[inline]
fn first_counter(nonce: &[u8; 12]) -> u128 {
    let word = |i: usize| u32::from_le_bytes([nonce[i], nonce[i + 1], nonce[i + 2], nonce[i + 3]]);
    let (a, b, c) = (word(0), word(4), word(8));
    // Three loads: a nonce has often just been written as 8 and 4 bytes or as 4 and 8, and a load that is longer than the
    // store before it has to wait for the cache.
    let b = crate::mem::ct::barrier(u64::from(b));
    u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | 1 << 120
}

/// The counter block `blocks` after this one: its last 32 bits count, modulo 2³² (section 6.2).
#[inline]
fn advance(counter: u128, blocks: usize) -> u128 {
    let count = ((counter >> 96) as u32).swap_bytes().wrapping_add(blocks as u32);
    counter << 32 >> 32 | u128::from(count.swap_bytes()) << 96
}

/// AES-GCM with a key of `K` bytes (16, 24 or 32) and tags of `T` bytes (12 to 16).
///
/// A type with shorter tags is spelled out: `Gcm<32, 12>`. The alias says what most need: [`Aes256Gcm`].
///
/// ```
/// use outpace::aead::{Aead, Gcm};
///
/// let (key, mut data) = (Gcm::<16, 12>::new(&[7; 16]), *b"attack at dawn");
/// let tag: [u8; 12] = key.seal_in_place(&[0; 12], b"to: bob", &mut data);
///
/// // An initial value of any length, for protocols that have one.
/// let (mut sealed, mut plain) = ([0; 14 + 12], [0; 14]);
/// key.seal_iv(b"file 7, block 12", b"to: bob", b"attack at dawn", &mut sealed)?;
/// key.open_iv(b"file 7, block 12", b"to: bob", &sealed, &mut plain)?;
/// assert_eq!(&plain, b"attack at dawn");
/// # Ok::<(), outpace::Error>(())
/// ```
///
/// Shorter tags do not compile:
///
/// ```compile_fail
/// use outpace::aead::{Aead, Gcm};
/// let key = Gcm::<16, 8>::new(&[7; 16]);
/// ```
#[derive(Clone)]
pub struct Gcm<const K: usize, const T: usize = 16> {
    data: Secret<KeyData>,
    ops: Ops,
}

/// AES-GCM with a key of 128 bits.
pub type Aes128Gcm = Gcm<16>;
/// AES-GCM with a key of 192 bits.
pub type Aes192Gcm = Gcm<24>;
/// AES-GCM with a key of 256 bits.
pub type Aes256Gcm = Gcm<32>;

impl<const K: usize, const T: usize> Gcm<K, T> {
    const CHECKED: () = {
        assert!(K == 16 || K == 24 || K == 32, "an AES key has 16, 24 or 32 bytes");
        assert!(T >= 12 && T <= 16, "a tag has 12 to 16 bytes");
    };

    #[inline]
    fn with(ops: Ops, key: &[u8; K]) -> Self {
        let () = Self::CHECKED;
        Self { data: Secret::new((ops.expand)(key)), ops }
    }

    /// Encrypts `plaintext` to `out` and appends the tag, as [`Aead::seal`], with an initial value of any length.
    ///
    /// An `iv` that is not 96 bits long is hashed to a counter block (section 7.1): random ones may collide, and a
    /// message under two that do gives both away. New protocols use 96 bits.
    ///
    /// # Errors
    /// As [`Aead::seal`]; [`Error::Parameter`] if `iv` is empty.
    pub fn seal_iv(&self, iv: &[u8], aad: &[u8], plaintext: &[u8], out: &mut [u8]) -> Result<()> {
        let j0 = self.counter_from_iv(iv)?;
        let (out, tag) = super::split_output::<Self>(plaintext.len(), out)?;
        let full = (self.ops.message)(&self.data, Direction::Seal, j0, aad, InOut::apart(plaintext, out));
        tag.copy_from_slice(&full[..T]);
        Ok(())
    }

    /// Decrypts `sealed` to `out`, as [`Aead::open`], with an initial value of any length.
    ///
    /// # Errors
    /// As [`Aead::open`]; [`Error::Parameter`] if `iv` is empty.
    pub fn open_iv(&self, iv: &[u8], aad: &[u8], sealed: &[u8], out: &mut [u8]) -> Result<()> {
        let j0 = self.counter_from_iv(iv)?;
        let (ciphertext, tag) = super::split_input::<Self>(sealed, out)?;
        self.open_short_tag(j0, aad, InOut::apart(ciphertext, out), tag)
    }

    /// Opens with as much of the tag as there is.
    fn open_short_tag(&self, j0: u128, aad: &[u8], mut data: InOut<'_>, tag: &[u8]) -> Result<()> {
        let full = (self.ops.message)(&self.data, Direction::Open, j0, aad, data.reborrow());
        accept(data, &full[..tag.len()], tag)
    }

    /// Section 7.1, step 2.
    fn counter_from_iv(&self, iv: &[u8]) -> Result<u128> {
        if let Ok(nonce) = iv.try_into() {
            return Ok(first_counter(nonce));
        }
        if iv.is_empty() {
            return Err(Error::Parameter("the initial value of GCM has at least one byte"));
        }
        let mut state = [0; 16];
        (self.ops.hash)(&self.data, &mut state, iv);
        (self.ops.hash)(&self.data, &mut state, &lengths(0, iv.len() as u64));
        // No kernel looks at the value of a counter, but it goes to them in registers, which the leak checker takes for
        // a use.
        #[cfg(outpace_ct)]
        crate::mem::taint::public(&state);
        Ok(u128::from_le_bytes(state))
    }

    /// Encrypts or decrypts two to four packets together, and returns their tags and then others; `None` if they are too
    /// long for that, or too few.
    #[inline]
    fn together(&self, direction: Direction, packets: &mut [Packet<'_, Self>]) -> Option<[[u8; 16]; 4]> {
        // Together each has one register in turn, whose latency two or three do not fill; alone it has all it needs at once.
        let longest = match packets.len() {
            4 => SHORT,
            3 => 192,
            2 => 64,
            _ => return None,
        };
        let short = |p: &Packet<'_, Self>| p.data.len() <= longest && p.aad.len() <= SHORT_AAD;
        let four = self.ops.four.filter(|_| packets.iter().all(short))?;
        let mut packets = packets.iter_mut();
        let mut messages = core::array::from_fn(|_| match packets.next() {
            Some(p) => Short { nonce: &p.nonce, aad: p.aad, data: InOut::in_place(p.data) },
            None => Short { nonce: &[0; 12], aad: &[], data: InOut::in_place(&mut []) },
        });
        Some(four(&self.data, direction, &mut messages))
    }

    /// Begins a message that comes in pieces. The key is copied.
    #[must_use]
    pub fn sealer(&self, nonce: &[u8; 12]) -> Sealer<K, T> {
        Sealer::new(self.clone(), first_counter(nonce))
    }

    /// As [`Self::sealer`], with an initial value of any length; see [`Self::seal_iv`].
    ///
    /// # Errors
    /// [`Error::Parameter`] if `iv` is empty.
    pub fn sealer_iv(&self, iv: &[u8]) -> Result<Sealer<K, T>> {
        Ok(Sealer::new(self.clone(), self.counter_from_iv(iv)?))
    }
}

/// The first `T` bytes.
#[inline]
fn truncate<const T: usize>(tag: &[u8; 16]) -> [u8; T] {
    core::array::from_fn(|i| tag[i])
}

impl<const K: usize, const T: usize> Aead for Gcm<K, T> {
    type Key = [u8; K];
    type Nonce = [u8; 12];
    type Tag = [u8; T];

    const TAG_LENGTH: usize = T;
    const MAX_MESSAGE: u64 = (1 << 36) - 32;

    fn new(key: &[u8; K]) -> Self {
        Self::with(KERNELS.get(), key)
    }

    #[inline]
    fn seal_data(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>) -> [u8; T] {
        truncate(&(self.ops.message)(&self.data, Direction::Seal, first_counter(nonce), aad, data))
    }

    #[inline]
    fn open_data(&self, nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, _: &[u8]) -> [u8; T] {
        truncate(&(self.ops.message)(&self.data, Direction::Open, first_counter(nonce), aad, data))
    }

    #[inline]
    fn seal_data_once(key: &[u8; K], nonce: &[u8; 12], aad: &[u8], data: InOut<'_>) -> [u8; T] {
        let () = Self::CHECKED;
        truncate(&(KERNELS.get().message_once)(key, Direction::Seal, first_counter(nonce), aad, data))
    }

    #[inline]
    fn open_data_once(key: &[u8; K], nonce: &[u8; 12], aad: &[u8], data: InOut<'_>, _: &[u8]) -> [u8; T] {
        let () = Self::CHECKED;
        truncate(&(KERNELS.get().message_once)(key, Direction::Open, first_counter(nonce), aad, data))
    }

    fn seal_many(&self, packets: &mut [Packet<'_, Self>]) -> Result<()> {
        for packet in packets.iter() {
            check_input::<Self>(packet.aad.len(), packet.data.len())?;
        }
        for packets in packets.chunks_mut(4) {
            if let Some(tags) = self.together(Direction::Seal, packets) {
                for (packet, tag) in packets.iter_mut().zip(&tags) {
                    packet.tag = truncate(tag);
                }
            } else {
                for Packet { nonce, aad, data, tag } in packets {
                    *tag = self.seal_data(nonce, aad, InOut::in_place(data));
                }
            }
        }
        Ok(())
    }

    fn open_many(&self, packets: &mut [Packet<'_, Self>], results: &mut [Result<()>]) -> Result<()> {
        check_len("results", packets.len(), results.len())?;
        for (packets, results) in packets.chunks_mut(4).zip(results.chunks_mut(4)) {
            if let Some(tags) = self.together(Direction::Open, packets) {
                for ((Packet { data, tag, .. }, expected), result) in packets.iter_mut().zip(&tags).zip(results) {
                    *result = accept(InOut::in_place(data), &expected[..T], tag);
                }
            } else {
                for (Packet { nonce, aad, data, tag }, result) in packets.iter_mut().zip(results) {
                    *result = self.open_in_place(nonce, aad, data, tag);
                }
            }
        }
        Ok(())
    }
}

impl<const K: usize, const T: usize> core::fmt::Debug for Gcm<K, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Aes{}Gcm(..)", 8 * K)
    }
}

/// Opens, in place, a GCM message that carries only the first 4 or 8 bytes of its tag, or 12 to 16.
///
/// A forger needs 2³² guesses for 4 bytes, and each that succeeds makes the next easier: SP 800-38D, appendix C, limits how
/// often a key may be used. To seal such a message, keep the start of a whole tag.
///
/// ```
/// use outpace::aead::{Aead, Aes128Gcm};
/// use outpace::hazmat::open_gcm_short_tag;
///
/// let (key, mut data) = (Aes128Gcm::new(&[7; 16]), *b"attack at dawn");
/// let tag = key.seal_in_place(&[0; 12], b"to: bob", &mut data);
/// open_gcm_short_tag(&key, &[0; 12], b"to: bob", &mut data, &tag[..8])?;
/// assert_eq!(&data, b"attack at dawn");
/// # Ok::<(), outpace::Error>(())
/// ```
///
/// # Errors
/// [`Error::Authentication`] if the message is not authentic; `data` is then all zeros. [`Error::Parameter`] if `tag` has
/// another length or `iv` is empty, [`Error::Limit`] if `data` is longer than any message.
pub fn open_gcm_short_tag<const K: usize>(
    key: &Gcm<K>,
    iv: &[u8],
    aad: &[u8],
    data: &mut [u8],
    tag: &[u8],
) -> Result<()> {
    check_limit::<Gcm<K>>(data.len())?;
    if !matches!(tag.len(), 4 | 8 | 12..=16) {
        return Err(Error::Parameter("a tag of GCM has 4, 8 or 12 to 16 bytes"));
    }
    let j0 = key.counter_from_iv(iv)?;
    key.open_short_tag(j0, aad, InOut::in_place(data), tag)
}

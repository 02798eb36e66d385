//! AES (FIPS 197), with keys of 128, 192 and 256 bits.
//!
//! [`Aes`] is the bare block cipher: what modes are built from, and of use to a program only for a protocol that says
//! so, hence in [`crate::hazmat`]. No kernel looks up a table: time does not depend on key or data.
//! The counter of counter mode is public.

pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;

#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(test)]
mod tests;

mod key_wrap;
mod xts;

pub use key_wrap::AesKeyWrap;
pub use xts::AesXts;

use super::modes::BlockCipher;
use crate::cpu::{Dispatch, Kernel};
use crate::mem::{InOut, Secret, Wipe, wiping_stack};

/// The round keys of one direction, in an order that only the kernel which made them knows.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct RoundKeys {
    pub(crate) keys: [[u8; 16]; 15],
    /// 10, 12 or 14: public.
    pub(crate) rounds: usize,
}

impl RoundKeys {
    pub(crate) const fn empty(key_len: usize) -> Self {
        Self { keys: [[0; 16]; 15], rounds: key_len / 4 + 6 }
    }
}

impl Wipe for RoundKeys {
    #[inline]
    fn wipe(&mut self) {
        self.keys.wipe();
    }
}

type Block = [u8; 16];

/// A counter or tweak, moved on, and data.
type Stream = fn(&RoundKeys, &mut Block, InOut<'_>);

/// The keys that encrypt the tweak, unless it has been; those of data; the tweak, moved on if there is `more`; and data.
type Xts = fn(Option<&RoundKeys>, &RoundKeys, &mut Block, InOut<'_>, bool);

/// What a kernel does. Data are whole blocks, except for the counter modes, `ctr` and `ccm`.
#[derive(Clone, Copy)]
pub(crate) struct Ops {
    /// Makes the round keys of a key of 16, 24 or 32 bytes.
    expand: fn(&[u8], &mut RoundKeys),
    /// Those of decryption.
    invert: fn(&RoundKeys) -> RoundKeys,
    encrypt: fn(&RoundKeys, InOut<'_>),
    /// With the other keys.
    decrypt: fn(&RoundKeys, InOut<'_>),
    /// XORs the encryptions of the counter, all 128 bits of it big-endian, and of those after it.
    ctr: Stream,
    /// Encrypts and, with the other keys, decrypts blocks between two additions of a tweak, which is doubled from one to the
    /// next.
    xts: [Xts; 2],
    /// Adds each block to the chain and encrypts that.
    mac: fn(&RoundKeys, &mut Block, &[Block]),
    /// The same with the plaintext of data, zeros behind it, while they are sealed or opened by `ctr`: its counter does not
    /// overflow its last 64 bits.
    ccm: [fn(&RoundKeys, &mut Block, &mut Block, InOut<'_>); 2],
    /// The steps of key wrapping: the first eight bytes, and the others.
    wrap: fn(&RoundKeys, &mut [u8; 8], &mut [[u8; 8]]),
    /// With the other keys.
    unwrap: fn(&RoundKeys, &mut [u8; 8], &mut [[u8; 8]]),
}

pub(crate) static KERNELS: Dispatch<Ops> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::avx2::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::aesni::KERNEL,
    Kernel::portable(portable::OPS),
]);

/// AES with a key of `K` bytes: 16, 24 or 32.
///
/// ```
/// use outpace::cipher::modes::BlockCipher;
/// use outpace::hazmat::Aes128;
/// // FIPS 197, appendix B.
/// let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
/// let mut block = [0x3243f6a8885a308d313198a2e0370734_u128.to_be_bytes()];
/// Aes128::new(&key).encrypt_blocks(&mut block);
/// assert_eq!(block[0], 0x3925841d02dc09fbdc118597196a0b32_u128.to_be_bytes());
/// ```
#[derive(Clone)]
pub struct Aes<const K: usize> {
    forward: Forward<K>,
    backward: Secret<RoundKeys>,
}

impl<const K: usize> Aes<K> {
    /// Prepares a key.
    #[must_use]
    pub fn new(key: &[u8; K]) -> Self {
        wiping_stack::<2048, _>(|| Self::with(KERNELS.get(), key))
    }

    fn with(ops: Ops, key: &[u8; K]) -> Self {
        let forward = Forward::with(ops, key);
        let backward = Secret::new((ops.invert)(&forward.keys));
        Self { forward, backward }
    }
}

/// The half of AES that encrypts: all that most modes need.
#[derive(Clone)]
pub(crate) struct Forward<const K: usize> {
    keys: Secret<RoundKeys>,
    ops: Ops,
}

impl<const K: usize> Forward<K> {
    pub(crate) fn new(key: &[u8; K]) -> Self {
        Self::with(KERNELS.get(), key)
    }

    #[inline]
    fn with(ops: Ops, key: &[u8; K]) -> Self {
        let mut forward = Self { keys: Secret::new(RoundKeys::empty(K)), ops };
        forward.rekey(key);
        forward
    }

    /// Another one, of the same kernel, whose key is still to be made where it stays.
    #[inline]
    pub(crate) fn sibling(&self) -> Self {
        Self { keys: Secret::new(RoundKeys::empty(K)), ops: self.ops }
    }

    /// Takes another key.
    #[inline]
    pub(crate) fn rekey(&mut self, key: &[u8; K]) {
        const { assert!(K == 16 || K == 24 || K == 32, "an AES key has 16, 24 or 32 bytes") };
        (self.ops.expand)(key, &mut self.keys);
    }

    /// For kernels of modes: in the order of the standard, if the kernel of AES is one that needs AES-NI.
    #[inline]
    pub(crate) fn keys(&self) -> &RoundKeys {
        &self.keys
    }

    pub(crate) fn encrypt_blocks(&self, blocks: &mut [[u8; 16]]) {
        (self.ops.encrypt)(&self.keys, InOut::in_place(blocks.as_flattened_mut()));
    }

    /// Adds each block to `chain` and encrypts it.
    pub(crate) fn cbc_mac(&self, chain: &mut [u8; 16], blocks: &[[u8; 16]]) {
        (self.ops.mac)(&self.keys, chain, blocks);
    }

    /// The same with the plaintext of `data` while they are encrypted or, with `open`, decrypted from `counter` on.
    pub(crate) fn ccm(&self, open: bool, chain: &mut [u8; 16], counter: &mut [u8; 16], data: InOut<'_>) {
        (self.ops.ccm[usize::from(open)])(&self.keys, chain, counter, data);
    }

    /// Counter mode with 128 bits.
    pub(crate) fn ctr(&self, counter: &mut [u8; 16], data: InOut<'_>) {
        (self.ops.ctr)(&self.keys, counter, data);
    }
}

impl<const K: usize> BlockCipher for Aes<K> {
    type Block = [u8; 16];
    const ZERO: [u8; 16] = [0; 16];

    fn encrypt_blocks(&self, blocks: &mut [[u8; 16]]) {
        self.forward.encrypt_blocks(blocks);
    }

    fn decrypt_blocks(&self, blocks: &mut [[u8; 16]]) {
        (self.forward.ops.decrypt)(&self.backward, InOut::in_place(blocks.as_flattened_mut()));
    }

    fn first_counter(&self, iv: &[u8; 16]) -> [u8; 16] {
        *iv
    }

    fn xor_keystream(&self, counter: &mut [u8; 16], data: InOut<'_>) {
        self.forward.ctr(counter, data);
    }
}

/// Times x modulo x¹²⁸ + x⁷ + x² + x + 1, bit i being the coefficient of xⁱ: what XTS and CMAC do to a block, which is a
/// number with its least significant byte first in the one and last in the other.
pub(crate) const fn double(block: u128) -> u128 {
    block << 1 ^ ((block >> 127).wrapping_neg() & 0x87)
}

/// AES with a key of 128 bits.
pub type Aes128 = Aes<16>;
/// AES with a key of 192 bits.
pub type Aes192 = Aes<24>;
/// AES with a key of 256 bits.
pub type Aes256 = Aes<32>;

impl<const K: usize> core::fmt::Debug for Aes<K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Aes{}(..)", 8 * K)
    }
}

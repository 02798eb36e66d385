//! AES-CCM (NIST SP 800-38C, RFC 3610): counter mode, authenticated by CBC-MAC.
//!
//! Two AES blocks per block of data, one of which waits for the one before, so a block takes the latency of AES: for
//! protocols that ask for it (TLS, IEEE 802.15.4, Bluetooth, Matter). The time depends on the lengths alone.

use super::Aead;
use crate::cipher::aes::Forward;
use crate::mem::{InOut, Secret, wiping_stack};
use core::fmt;

/// AES-CCM with a key of `K` bytes (16, 24 or 32), tags of `T` bytes (4, 6, … 16) and nonces of `N` bytes (7 to 13).
///
/// The longer the nonce, the shorter the longest message: 2^(8 (15 − N)) − 1 bytes, which is 16 MiB for the nonce of 12
/// bytes that the aliases have. Tags shorter than 8 bytes are for protocols that bound the number of forgeries tried
/// (SP 800-38C, appendix B.2).
///
/// ```
/// use outpace::aead::{Aead, Aes128Ccm, Ccm};
///
/// let key = Aes128Ccm::new(&[7; 16]);
/// let mut data = *b"attack at dawn";
/// let tag = key.seal_in_place(&[0; 12], b"to: bob", &mut data);
/// key.open_in_place(&[0; 12], b"to: bob", &mut data, &tag)?;
///
/// // IEEE 802.15.4: tags of 8 bytes, nonces of 13.
/// let tag: [u8; 8] = Ccm::<16, 8, 13>::new(&[7; 16]).seal_in_place(&[0; 13], b"", &mut data);
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone)]
pub struct Ccm<const K: usize, const T: usize = 16, const N: usize = 12> {
    cipher: Forward<K>,
}

/// AES-CCM with a key of 128 bits.
pub type Aes128Ccm = Ccm<16>;
/// AES-CCM with a key of 192 bits.
pub type Aes192Ccm = Ccm<24>;
/// AES-CCM with a key of 256 bits.
pub type Aes256Ccm = Ccm<32>;
/// AES-CCM with a key of 128 bits and tags of 8 bytes, as TLS has it (RFC 6655).
pub type Aes128Ccm8 = Ccm<16, 8>;
/// AES-CCM with a key of 256 bits and tags of 8 bytes, as TLS has it (RFC 6655).
pub type Aes256Ccm8 = Ccm<32, 8>;

impl<const K: usize, const T: usize, const N: usize> Ccm<K, T, N> {
    const CHECKED: () = {
        assert!(T >= 4 && T <= 16 && T.is_multiple_of(2), "a tag of CCM has 4, 6, 8, 10, 12, 14 or 16 bytes");
        assert!(N >= 7 && N <= 13, "a nonce of CCM has 7 to 13 bytes");
    };

    /// A block that begins with `flags` and the nonce and ends with `number` (appendix A.2.1 and A.3).
    fn block(flags: usize, nonce: &[u8; N], number: u64) -> [u8; 16] {
        let mut block = [0; 16];
        block[8..].copy_from_slice(&number.to_be_bytes());
        block[0] = flags as u8;
        block[1..=N].copy_from_slice(nonce);
        block
    }

    /// Both directions; returns the tag of the plaintext.
    fn crypt(&self, nonce: &[u8; N], aad: &[u8], data: InOut<'_>, seal: bool) -> [u8; T] {
        // Formatting the input data, appendix A.2.
        let flags = 64 * usize::from(!aad.is_empty()) + 8 * ((T - 2) / 2) + (14 - N);
        let mut chain = Secret::new([0; 16]);
        self.cipher.cbc_mac(&mut chain, &[Self::block(flags, nonce, data.len() as u64)]);
        self.chain_aad(&mut chain, aad);
        let mut counter = Self::block(14 - N, nonce, 1);
        self.cipher.ccm(!seal, &mut chain, &mut counter, data);
        let mut mask = [Self::block(14 - N, nonce, 0)];
        self.cipher.encrypt_blocks(&mut mask);
        core::array::from_fn(|i| chain[i] ^ mask[0][i])
    }

    /// Appendix A.2.2: the length of the associated data in 2, 6 or 10 bytes, the data, zeros.
    fn chain_aad(&self, chain: &mut [u8; 16], aad: &[u8]) {
        if aad.is_empty() {
            return;
        }
        let length = (aad.len() as u64).to_be_bytes();
        let mut head = [0; 10];
        let head = if aad.len() < 0xff00 {
            head[..2].copy_from_slice(&length[6..]);
            &head[..2]
        } else if u32::try_from(aad.len()).is_ok() {
            head[..2].copy_from_slice(&[0xff, 0xfe]);
            head[2..6].copy_from_slice(&length[4..]);
            &head[..6]
        } else {
            head[..2].copy_from_slice(&[0xff, 0xff]);
            head[2..].copy_from_slice(&length);
            &head[..]
        };
        let (first, rest) = aad.split_at(aad.len().min(16 - head.len()));
        let mut block = [0; 16];
        block[..head.len()].copy_from_slice(head);
        block[head.len()..head.len() + first.len()].copy_from_slice(first);
        let (blocks, last) = rest.as_chunks::<16>();
        self.cipher.cbc_mac(chain, &[block]);
        self.cipher.cbc_mac(chain, blocks);
        if !last.is_empty() {
            let mut block = [0; 16];
            block[..last.len()].copy_from_slice(last);
            self.cipher.cbc_mac(chain, &[block]);
        }
    }
}

impl<const K: usize, const T: usize, const N: usize> Aead for Ccm<K, T, N> {
    type Key = [u8; K];
    type Nonce = [u8; N];
    type Tag = [u8; T];

    const TAG_LENGTH: usize = T;
    const MAX_MESSAGE: u64 = if N == 7 { u64::MAX } else { (1 << (8 * (15 - N))) - 1 };

    fn new(key: &[u8; K]) -> Self {
        let () = Self::CHECKED;
        wiping_stack::<2048, _>(|| Self { cipher: Forward::new(key) })
    }

    fn seal_data(&self, nonce: &[u8; N], aad: &[u8], data: InOut<'_>) -> [u8; T] {
        self.crypt(nonce, aad, data, true)
    }

    fn open_data(&self, nonce: &[u8; N], aad: &[u8], data: InOut<'_>, _: &[u8]) -> [u8; T] {
        self.crypt(nonce, aad, data, false)
    }
}

impl<const K: usize, const T: usize, const N: usize> fmt::Debug for Ccm<K, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Aes{}Ccm(..)", 8 * K)
    }
}

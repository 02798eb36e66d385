//! Ciphers that do not authenticate, and key wrapping.

use crate::buffer::{Buffer, patterned};
use crate::side::Side;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CipherKind {
    Aes128Ctr,
    Aes256Ctr,
    ChaCha20,
    Aes128Xts,
    Aes256Xts,
}

impl CipherKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aes128Ctr => "AES-128-CTR",
            Self::Aes256Ctr => "AES-256-CTR",
            Self::ChaCha20 => "ChaCha20",
            Self::Aes128Xts => "AES-128-XTS",
            Self::Aes256Xts => "AES-256-XTS",
        }
    }

    const fn key_length(self) -> usize {
        match self {
            Self::Aes128Ctr => 16,
            Self::Aes256Ctr | Self::ChaCha20 | Self::Aes128Xts => 32,
            Self::Aes256Xts => 64,
        }
    }
}

/// Messages in place under a kept key, each with an IV of its own.
#[derive(Debug, Clone)]
pub struct CipherJob {
    pub kind: CipherKind,
    pub encrypt: bool,
    /// For XTS both keys, one behind the other.
    pub key: Vec<u8>,
    length: usize,
}

impl CipherJob {
    pub fn new(kind: CipherKind, encrypt: bool, length: usize) -> Self {
        Self { kind, encrypt, key: Buffer::patterned(kind.key_length(), 10).to_vec(), length }
    }

    pub fn key_array<const N: usize>(&self) -> [u8; N] {
        self.key.as_slice().try_into().expect("the kind fixes the key's length")
    }

    /// The side of a library: what it keeps of the key, and how it works on a message under an IV: the first counter block,
    /// the tweak before it is encrypted, or a counter of four zero bytes and a nonce.
    pub fn side<K: 'static>(&self, key: K, apply: impl Fn(&mut K, &[u8; 16], &mut [u8]) + 'static) -> Side {
        let mut iv: [u8; 16] = patterned(11);
        iv[..4].fill(0);
        Side::new(
            (key, iv, Buffer::patterned(self.length, 12)),
            move |(key, iv, data)| {
                let (_, number) = iv.split_last_chunk_mut::<8>().expect("an IV holds a number");
                *number = u64::from_le_bytes(*number).wrapping_add(1).to_le_bytes();
                apply(key, iv, data);
            },
            |(_, _, data)| data.to_vec(),
        )
    }
}

/// AES-256 key wrapping (KW) of 32 bytes under a kept key.
#[derive(Debug, Clone)]
pub struct KeyWrapJob {
    pub unwrap: bool,
    pub key: [u8; 32],
    pub input: Vec<u8>,
}

impl KeyWrapJob {
    const SECRET: usize = 32;

    pub fn new(unwrap: bool) -> Self {
        let (key, mut input) = (patterned(13), Buffer::patterned(Self::SECRET, 14).to_vec());
        if unwrap {
            // Wrapped by Outpace; that the rivals accept it is the check.
            let mut wrapped = vec![0; Self::SECRET + 8];
            let done = outpace::cipher::AesKeyWrap::<32>::new(&key).wrap(&input, &mut wrapped);
            done.expect("whole half-blocks");
            input = wrapped;
        }
        Self { unwrap, key, input }
    }

    /// The side of a library; `work` says whether it went well.
    pub fn side<K: 'static>(&self, key: K, work: impl Fn(&mut K, &Self, &mut [u8]) -> bool + 'static) -> Side {
        let out = vec![0; if self.unwrap { Self::SECRET } else { Self::SECRET + 8 }];
        Side::new(
            (key, self.clone(), out),
            move |(key, job, out)| assert!(work(key, job, out), "a key is wrapped or unwrapped"),
            |(_, _, out)| out.clone(),
        )
    }
}

//! Kalyna.

use std::rc::Rc;

use crate::buffer::Buffer;
use crate::side::Side;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KalynaKind {
    K128_128,
    K128_256,
    K256_256,
    K256_512,
    K512_512,
}

impl KalynaKind {
    pub const ALL: [Self; 5] = [Self::K128_128, Self::K128_256, Self::K256_256, Self::K256_512, Self::K512_512];

    pub const fn name(self) -> &'static str {
        match self {
            Self::K128_128 => "Kalyna-128/128",
            Self::K128_256 => "Kalyna-128/256",
            Self::K256_256 => "Kalyna-256/256",
            Self::K256_512 => "Kalyna-256/512",
            Self::K512_512 => "Kalyna-512/512",
        }
    }

    /// Bytes in a block.
    pub const fn block(self) -> usize {
        match self {
            Self::K128_128 | Self::K128_256 => 16,
            Self::K256_256 | Self::K256_512 => 32,
            Self::K512_512 => 64,
        }
    }

    const fn key(self) -> usize {
        match self {
            Self::K128_128 => 16,
            Self::K128_256 | Self::K256_256 => 32,
            Self::K256_512 | Self::K512_512 => 64,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KalynaOperation {
    /// Key expansion; it puts out what the key makes of a block.
    Expand,
    EncryptBlock,
    DecryptBlock,
    /// The next bytes of a running counter mode.
    Ctr,
    /// A data unit under the same tweak.
    XtsEncrypt,
    XtsDecrypt,
    /// The next blocks of a running chain.
    CbcEncrypt,
    CbcDecrypt,
    /// The first [`KalynaJob::TAG`] bytes.
    Cmac,
    /// The next bytes of a running stream, with a feedback of whole blocks.
    Cfb,
    Ofb,
    /// A message under a kept key, the nonce fixed.
    GcmSeal,
    CcmSeal,
    /// The first [`KalynaJob::TAG`] bytes.
    Gmac,
    /// Keys of whole blocks.
    KeyWrap,
}

#[derive(Debug, Clone)]
pub struct KalynaJob {
    pub kind: KalynaKind,
    pub operation: KalynaOperation,
    pub key: Vec<u8>,
    pub iv: Vec<u8>,
    pub data: Rc<Buffer>,
}

impl KalynaJob {
    /// Bytes of a message authentication code that every library gives.
    pub const TAG: usize = 16;

    /// `length` is what a mode works on; single blocks have their own.
    pub fn new(kind: KalynaKind, operation: KalynaOperation, length: usize) -> Self {
        let (key, iv) = (Buffer::patterned(kind.key(), 40).to_vec(), Buffer::patterned(kind.block(), 41).to_vec());
        Self { kind, operation, key, iv, data: Rc::new(Buffer::patterned(length, 42)) }
    }

    /// A side that expands a key; `show` encrypts a block of zeros under it.
    pub fn expanding<K: 'static>(
        &self,
        expand: impl Fn(&[u8]) -> K + 'static,
        show: impl Fn(&K) -> Vec<u8> + 'static,
    ) -> Side {
        Side::new(
            (self.key.clone(), None),
            move |(raw, key)| *key = Some(expand(raw)),
            move |(_, key)| key.as_ref().map(&show).unwrap_or_default(),
        )
    }

    /// A side that changes the job's data in place, again and again.
    pub fn in_place<S: 'static>(&self, state: S, work: impl Fn(&mut S, &mut [u8]) + 'static) -> Side {
        Side::new((state, Buffer::clone(&self.data)), move |(state, data)| work(state, data), |(_, data)| data.to_vec())
    }

    /// A side that makes something of the job's data in a buffer with room for a block more.
    pub fn making<S: 'static>(&self, state: S, make: impl Fn(&mut S, &[u8], &mut Buffer) + 'static) -> Side {
        let out = Buffer::zeroed(self.data.len() + self.kind.block());
        Side::new(
            (state, self.data.clone(), out),
            move |(state, data, out)| make(state, data, out),
            |(_, _, out)| out.to_vec(),
        )
    }
}

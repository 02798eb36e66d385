//! Authenticated encryption: the job, and the shapes of its timed operations.
//!
//! Every side seals and opens in place, except for single messages, which go from one buffer to another with the tag
//! appended. Sealing takes a fresh nonce for each message. Opening in place needs an authentic message each time without
//! anybody copying one back: these ciphers add a key stream, so under one nonce the plaintext is also the encryption of the
//! ciphertext, and a side opens the two in turn, each with its own tag. GCM-SIV, whose key stream depends on the plaintext,
//! cannot do that; there every side copies the ciphertext back within the operation.

use std::rc::Rc;

use outpace::aead::{
    Aead, Aes128Ccm, Aes128Gcm, Aes128GcmSiv, Aes192Gcm, Aes256Ccm, Aes256Gcm, Aes256GcmSiv, ChaCha20Poly1305,
    XChaCha20Poly1305,
};

use crate::buffer::{self, Buffer};
use crate::side::Side;

pub const TAG: usize = 16;
/// Room for the longest nonce; a cipher takes the beginning that it needs.
pub type Nonce = [u8; 24];
pub type Tag = [u8; TAG];

/// The nonce of 12 bytes that all ciphers but one take.
#[cfg(feature = "rivals")]
pub fn short(nonce: &Nonce) -> &[u8; 12] {
    beginning(nonce)
}

pub fn beginning<const N: usize>(nonce: &Nonce) -> &[u8; N] {
    nonce.first_chunk().expect("no nonce is longer")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AeadKind {
    Aes128Gcm,
    Aes192Gcm,
    Aes256Gcm,
    ChaCha20Poly1305,
    XChaCha20Poly1305,
    Aes128Ccm,
    Aes256Ccm,
    Aes128GcmSiv,
    Aes256GcmSiv,
}

impl AeadKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aes128Gcm => "AES-128-GCM",
            Self::Aes192Gcm => "AES-192-GCM",
            Self::Aes256Gcm => "AES-256-GCM",
            Self::ChaCha20Poly1305 => "ChaCha20-Poly1305",
            Self::XChaCha20Poly1305 => "XChaCha20-Poly1305",
            Self::Aes128Ccm => "AES-128-CCM",
            Self::Aes256Ccm => "AES-256-CCM",
            Self::Aes128GcmSiv => "AES-128-GCM-SIV",
            Self::Aes256GcmSiv => "AES-256-GCM-SIV",
        }
    }

    const fn key_length(self) -> usize {
        match self {
            Self::Aes128Gcm | Self::Aes128Ccm | Self::Aes128GcmSiv => 16,
            Self::Aes192Gcm => 24,
            _ => 32,
        }
    }

    #[cfg(any(feature = "openssl", feature = "aws-lc"))]
    pub const fn nonce_length(self) -> usize {
        if matches!(self, Self::XChaCha20Poly1305) { 24 } else { 12 }
    }

    /// Whether encrypting the ciphertext under the same nonce gives the plaintext.
    const fn turns(self) -> bool {
        !matches!(self, Self::Aes128GcmSiv | Self::Aes256GcmSiv)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Seal,
    Open,
}

/// What the timed operation holds besides the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// A keyed object made beforehand.
    Reused,
    /// The key's set-up, then one message in place.
    NewKey,
    /// From a raw key, one message to another buffer, the tag appended.
    OneShot,
}

#[derive(Debug, Clone)]
pub struct AeadJob {
    pub kind: AeadKind,
    pub direction: Direction,
    pub setup: Setup,
    pub key: Vec<u8>,
    pub aad: Rc<Buffer>,
    message: Rc<Buffer>,
}

impl AeadJob {
    pub fn new(kind: AeadKind, direction: Direction, setup: Setup, aad: usize, length: usize) -> Self {
        Self {
            kind,
            direction,
            setup,
            key: Buffer::patterned(kind.key_length(), 3).to_vec(),
            aad: Rc::new(Buffer::patterned(aad, 4)),
            message: Rc::new(Buffer::patterned(length, 5)),
        }
    }

    /// The key as an array; a library asks for the length that goes with `kind`.
    pub fn key_array<const N: usize>(&self) -> [u8; N] {
        self.key.as_slice().try_into().expect("the kind fixes the key's length")
    }

    /// The side of a library that works in place: its three ways to handle `K`, a keyed object made from raw bytes by `new`.
    ///
    /// `seal` and `open` work in place; a single message is copied first, which is what such an interface asks of its user.
    #[cfg(feature = "rivals")]
    pub fn in_place<K: 'static>(
        &self,
        new: impl Fn(&[u8]) -> K + Copy + 'static,
        seal: impl Fn(&K, &Nonce, &[u8], &mut [u8]) -> Tag + Copy + 'static,
        open: impl Fn(&K, &Nonce, &[u8], &mut [u8], &Tag) -> bool + Copy + 'static,
    ) -> Side {
        let raw = self.key.clone();
        match (self.setup, self.direction) {
            (Setup::Reused, Direction::Seal) => {
                self.sealing(new(&raw), move |key, n, aad, data| seal(key, n, aad, data))
            }
            (Setup::Reused, Direction::Open) => {
                self.opening(new(&raw), move |key, n, aad, data, tag| open(key, n, aad, data, tag))
            }
            (Setup::NewKey, Direction::Seal) => {
                self.sealing(raw, move |raw, n, aad, data| seal(&new(raw), n, aad, data))
            }
            (Setup::NewKey, Direction::Open) => {
                self.opening(raw, move |raw, n, aad, data, tag| open(&new(raw), n, aad, data, tag))
            }
            (Setup::OneShot, Direction::Seal) => self.sealing_to(raw, move |raw, nonce, aad, plaintext, out| {
                let (data, tag) = out.split_at_mut(plaintext.len());
                data.copy_from_slice(plaintext);
                tag.copy_from_slice(&seal(&new(raw), nonce, aad, data));
            }),
            (Setup::OneShot, Direction::Open) => self.opening_to(raw, move |raw, nonce, aad, sealed, out| {
                let (ciphertext, tag) = sealed.split_at(out.len());
                out.copy_from_slice(ciphertext);
                open(&new(raw), nonce, aad, out, tag.try_into().expect("a whole tag"))
            }),
        }
    }

    /// Seals in place, each message under the next nonce.
    pub fn sealing<K: 'static>(
        &self,
        key: K,
        seal: impl Fn(&mut K, &Nonce, &[u8], &mut [u8]) -> Tag + 'static,
    ) -> Side {
        struct State<K> {
            key: K,
            nonce: Nonce,
            aad: Rc<Buffer>,
            data: Buffer,
            tag: Tag,
        }
        let data = Buffer::clone(&self.message);
        Side::new(
            State { key, nonce: first_nonce(), aad: self.aad.clone(), data, tag: [0; TAG] },
            move |state| {
                advance(&mut state.nonce);
                state.tag = seal(&mut state.key, &state.nonce, &state.aad, &mut state.data);
            },
            |state| [&state.data[..], &state.tag].concat(),
        )
    }

    /// Opens in place the two authentic messages of one nonce in turn; the output ends in whether all were accepted.
    pub fn opening<K: 'static>(
        &self,
        key: K,
        open: impl Fn(&mut K, &Nonce, &[u8], &mut [u8], &Tag) -> bool + 'static,
    ) -> Side {
        struct State<K> {
            key: K,
            nonce: Nonce,
            aad: Rc<Buffer>,
            data: Buffer,
            /// What there is to open each time, for ciphers that cannot take turns.
            sealed: Option<Buffer>,
            tags: [Tag; 2],
            turn: usize,
            accepted: bool,
        }
        let (mut there, mut back) = (Buffer::clone(&self.message), Buffer::clone(&self.message));
        let tag = self.seal_ourselves(&first_nonce(), &mut there);
        let (mut tag_back, mut sealed) = (tag, None);
        if self.kind.turns() {
            back.copy_from_slice(&there);
            tag_back = self.seal_ourselves(&first_nonce(), &mut back);
            assert_eq!(*back, **self.message, "sealing twice under one nonce gives the message back");
        } else {
            sealed = Some(there.clone());
        }
        let state = State {
            key,
            nonce: first_nonce(),
            aad: self.aad.clone(),
            data: there,
            sealed,
            tags: [tag, tag_back],
            turn: 0,
            accepted: true,
        };
        Side::new(
            state,
            move |state| {
                if let Some(sealed) = &state.sealed {
                    state.data.copy_from_slice(sealed);
                }
                let tag = &state.tags[state.turn & 1];
                state.turn += 1;
                state.accepted &= open(&mut state.key, &state.nonce, &state.aad, &mut state.data, tag);
            },
            |state| [&state.data[..], &[u8::from(state.accepted)]].concat(),
        )
    }

    /// Seals from one buffer to another, the tag appended.
    pub fn sealing_to<K: 'static>(
        &self,
        key: K,
        seal: impl Fn(&mut K, &Nonce, &[u8], &[u8], &mut [u8]) + 'static,
    ) -> Side {
        let out = Buffer::zeroed(self.message.len() + TAG);
        Side::new(
            (key, first_nonce(), self.aad.clone(), self.message.clone(), out),
            move |(key, nonce, aad, message, out)| {
                advance(nonce);
                seal(key, nonce, aad, message, out);
            },
            |(_, _, _, _, out)| out.to_vec(),
        )
    }

    /// Opens from one buffer to another, the tag at the end; the output ends in whether all were accepted.
    pub fn opening_to<K: 'static>(
        &self,
        key: K,
        open: impl Fn(&mut K, &Nonce, &[u8], &[u8], &mut [u8]) -> bool + 'static,
    ) -> Side {
        let length = self.message.len();
        let mut data = Buffer::clone(&self.message);
        let tag = self.seal_ourselves(&first_nonce(), &mut data);
        let mut sealed = Buffer::zeroed(length + TAG);
        sealed[..length].copy_from_slice(&data);
        sealed[length..].copy_from_slice(&tag);
        Side::new(
            (key, first_nonce(), self.aad.clone(), sealed, Buffer::zeroed(length), true),
            move |(key, nonce, aad, sealed, out, accepted)| *accepted &= open(key, nonce, aad, sealed, out),
            |(_, _, _, _, out, accepted)| [&out[..], &[u8::from(*accepted)]].concat(),
        )
    }

    /// What there is to open is sealed by Outpace; that the rivals accept it is the check.
    fn seal_ourselves(&self, nonce: &Nonce, data: &mut [u8]) -> Tag {
        fn with<A, const K: usize, const N: usize>(job: &AeadJob, nonce: &Nonce, data: &mut [u8]) -> Tag
        where
            A: Aead<Key = [u8; K], Nonce = [u8; N], Tag = Tag>,
        {
            A::new(&job.key_array()).seal_in_place(beginning(nonce), &job.aad, data)
        }
        match self.kind {
            AeadKind::Aes128Gcm => with::<Aes128Gcm, _, _>(self, nonce, data),
            AeadKind::Aes192Gcm => with::<Aes192Gcm, _, _>(self, nonce, data),
            AeadKind::Aes256Gcm => with::<Aes256Gcm, _, _>(self, nonce, data),
            AeadKind::ChaCha20Poly1305 => with::<ChaCha20Poly1305, _, _>(self, nonce, data),
            AeadKind::XChaCha20Poly1305 => with::<XChaCha20Poly1305, _, _>(self, nonce, data),
            AeadKind::Aes128Ccm => with::<Aes128Ccm, _, _>(self, nonce, data),
            AeadKind::Aes256Ccm => with::<Aes256Ccm, _, _>(self, nonce, data),
            AeadKind::Aes128GcmSiv => with::<Aes128GcmSiv, _, _>(self, nonce, data),
            AeadKind::Aes256GcmSiv => with::<Aes256GcmSiv, _, _>(self, nonce, data),
        }
    }
}

fn first_nonce() -> Nonce {
    buffer::patterned(6)
}

fn advance(nonce: &mut Nonce) {
    let (counter, _) = nonce.split_first_chunk_mut::<8>().expect("a nonce holds a counter");
    *counter = u64::from_le_bytes(*counter).wrapping_add(1).to_le_bytes();
}

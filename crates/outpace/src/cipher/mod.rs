//! Ciphers. Nothing here authenticates: see [`crate::aead`] first. What authenticates nothing on its own and is no building
//! block of a mode is reached through [`crate::hazmat`].

pub(crate) mod aes;
pub(crate) mod chacha20;
pub mod kalyna;
pub mod modes;

pub use aes::{AesKeyWrap, AesXts};

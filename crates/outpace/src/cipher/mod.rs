//! Ciphers. What authenticates nothing on its own is reached through [`hazmat`](crate::hazmat).

pub(crate) mod chacha20;

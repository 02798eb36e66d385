//! Sharp tools: building blocks that are secure only inside a larger construction.
//!
//! Each says what it does not do. Whoever wants to protect a message wants an AEAD instead. The counter mode of [`Aes`] is
//! [`Ctr`](crate::cipher::modes::Ctr).

pub use crate::aead::gcm::{Opener as GcmOpener, open_gcm_short_tag};
pub use crate::cipher::aes::{Aes, Aes128, Aes192, Aes256};
pub use crate::cipher::chacha20::{ChaCha20, hchacha20};
pub use crate::cipher::kalyna::{Kalyna, Kalyna128_128, Kalyna128_256, Kalyna256_256, Kalyna256_512, Kalyna512_512};
pub use crate::mac::poly1305::Poly1305;

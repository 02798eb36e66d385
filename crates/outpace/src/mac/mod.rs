//! Message authentication codes: [`Hmac`] over every hash, SP 800-185's [`Kmac128`] and [`Kmac256`], [`AesCmac`], and
//! Kupyna's own mode, [`KupynaKmac`].
//!
//! A key object does the work that depends on the key once; each message then starts from a copy of its state.
//!
//! ```
//! use outpace::hash::Sha256;
//! use outpace::mac::Hmac;
//!
//! let key = Hmac::<Sha256>::new(b"key"); // the key is taken in once
//! let tag: [u8; 32] = key.mac(b"message");
//! key.verify(b"message", &tag)?;
//! # Ok::<(), outpace::Error>(())
//! ```

mod cmac;
pub(crate) mod hmac;
pub(crate) mod kmac;
mod kupyna;
pub(crate) mod poly1305;

pub use cmac::{AesCmac, AesCmacState};
pub use hmac::{Hmac, HmacState};
pub use kmac::{Kmac128, Kmac256};
pub use kupyna::{Kupyna256Kmac, Kupyna384Kmac, Kupyna512Kmac, KupynaKmac, KupynaKmacState};

//! Kalyna's authenticated modes (DSTU 7624:2014): GCM (section 12) and CCM (section 13).
//!
//! Neither is the mode that NIST calls by the same name. Both take an initial value of a whole block.
//!
//! - GCM encrypts the initial value and counts up from there in the low 64 bits; its tag is the *encryption* of the hash
//!   of associated data, ciphertext and their lengths. **The tag does not cover the initial value**: whoever changes only
//!   that gets another plaintext out of a message that opens. A protocol that sends the initial value puts it into the
//!   associated data as well.
//! - CCM's tag covers the first bytes of the initial value (all but the length field and one), its own length, the
//!   associated data and the plaintext. The initial value must differ between messages in those first bytes.
//!
//! An empty message without associated data (GCM) and an empty message (CCM) have no tag in the standard: they are
//! not sealed, with [`Error::Parameter`](crate::Error::Parameter) ([`seal_in_place`](super::Aead::seal_in_place) panics),
//! and do not open. GCM's tag would be the hash key itself.

mod ccm;
mod gcm;
#[cfg(test)]
mod interop;
#[cfg(outpace_ct)]
pub(crate) mod leaks;
#[cfg(test)]
mod tests;

pub use crate::cipher::kalyna::KalynaGcmReading;
pub use ccm::{
    Kalyna128_128Ccm, Kalyna128_256Ccm, Kalyna256_256Ccm, Kalyna256_512Ccm, Kalyna512_512Ccm, KalynaCcm,
    KalynaCcmReading,
};
pub use gcm::{Kalyna128_128Gcm, Kalyna128_256Gcm, Kalyna256_256Gcm, Kalyna256_512Gcm, Kalyna512_512Gcm, KalynaGcm};

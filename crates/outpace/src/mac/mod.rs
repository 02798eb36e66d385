//! Message authentication codes.
//!
//! A key object does the work that depends on the key once; each message then starts from a copy of its state.
//! [`Kmac128`] and [`Kmac256`] are SP 800-185's.

pub(crate) mod kmac;
pub(crate) mod poly1305;

pub use kmac::{Kmac128, Kmac256};

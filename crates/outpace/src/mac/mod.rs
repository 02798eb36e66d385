//! Message authentication codes.

pub(crate) mod poly1305;

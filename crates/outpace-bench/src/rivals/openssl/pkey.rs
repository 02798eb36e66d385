//! Keys of EVP_PKEY.

use std::ptr::{null, null_mut};

use super::{Owned, ffi};

pub type Key = Owned<ffi::EVP_PKEY>;

/// A context for work with `key`.
pub fn context(key: &Key) -> Owned<ffi::EVP_PKEY_CTX> {
    // SAFETY: the key lives, and the context keeps a reference of its own.
    Owned::new(unsafe { ffi::EVP_PKEY_CTX_new_from_pkey(null_mut(), key.0, null()) }, ffi::EVP_PKEY_CTX_free)
}

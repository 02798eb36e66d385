//! Keys as files hold them: PKCS#8 (RFC 5958), SubjectPublicKeyInfo (RFC 5280) and PEM (RFC 7468), over the `der` family
//! of crates.
//!
//! Each key type has `from_…` and `to_…` methods of its own; here are what they share. Decoding is strict: DER with
//! nothing behind it, the algorithm's own parameters, lengths that fit. Whatever does not match is an
//! [`Error::Encoding`] and no key. Private keys come out in [`SecretBytes`] and [`SecretText`], which are wiped when
//! dropped.

mod curve25519;

use crate::mem::Wipe;
use crate::{Error, Result};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;
use pkcs8::der::pem::{self, LineEnding};
use pkcs8::der::{Decode, SecretDocument};

/// Bytes of a private key, wiped when dropped.
///
/// ```
/// use outpace::ed25519::SigningKey;
///
/// let der = SigningKey::from_seed(&[7; 32]).to_pkcs8_der();
/// assert_eq!(der.len(), 48);
/// assert_eq!(format!("{der:?}"), "SecretBytes(..)");
/// ```
pub struct SecretBytes(Vec<u8>);

impl Deref for SecretBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for SecretBytes {
    fn drop(&mut self) {
        self.0.as_mut_slice().wipe();
    }
}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretBytes(..)")
    }
}

/// The text of a private key, wiped when dropped.
///
/// ```
/// use outpace::ed25519::SigningKey;
///
/// let pem = SigningKey::from_seed(&[7; 32]).to_pkcs8_pem();
/// assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\n"));
/// ```
pub struct SecretText(String);

impl Deref for SecretText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Drop for SecretText {
    fn drop(&mut self) {
        core::mem::take(&mut self.0).into_bytes().as_mut_slice().wipe();
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(..)")
    }
}

/// The label of a PKCS#8 key.
pub(crate) const PRIVATE_KEY: &str = "PRIVATE KEY";
/// The label of a SubjectPublicKeyInfo.
pub(crate) const PUBLIC_KEY: &str = "PUBLIC KEY";

/// The DER inside a PEM text with this label.
pub(crate) fn from_pem(label: &str, text: &str, what: &'static str) -> Result<SecretDocument> {
    match SecretDocument::from_pem(text) {
        Ok((found, document)) if found == label => Ok(document),
        _ => Err(Error::Encoding(what)),
    }
}

/// PEM text of `der`.
pub(crate) fn to_pem(label: &str, der: &[u8]) -> String {
    // A label without control characters and memory for the text are all that it can fail for.
    pem::encode_string(label, LineEnding::LF, der).unwrap_or_default()
}

/// The DER structure that is all of `der`.
pub(crate) fn decode<'a, T: Decode<'a>>(der: &'a [u8], what: &'static str) -> Result<T> {
    T::from_der(der).map_err(|_| Error::Encoding(what))
}

//! Key derivation: [`Hkdf`] from key material, [`pbkdf2`] from a password.

mod hkdf;
#[cfg(outpace_ct)]
pub(crate) mod leaks;
mod pbkdf2;
#[cfg(test)]
mod tests;

pub use hkdf::Hkdf;
pub use pbkdf2::pbkdf2;

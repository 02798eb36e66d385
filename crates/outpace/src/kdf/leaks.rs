//! What the leak checker runs: secret key material, a secret password.

use super::{Hkdf, pbkdf2};
use crate::hash::Sha256;
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[
    Check::new("kdf/hkdf", || {
        let (material, mut out) = ([5u8; 40], [0; 100]);
        taint::secret(&material);
        Hkdf::<Sha256>::extract(b"salt", &material).expand(b"info", &mut out).unwrap();
        core::hint::black_box(&out);
    }),
    Check::new("kdf/pbkdf2", || {
        let (password, mut out) = ([5u8; 40], [0; 40]);
        taint::secret(&password);
        pbkdf2::<Sha256>(&password, b"salt", 3, &mut out).unwrap();
        core::hint::black_box(&out);
    }),
];

//! PBKDF2 (RFC 8018, section 5.2) with HMAC.
//!
//! Made to be slow by its number of iterations, and as fast as the hash allows for each of them: an attacker's will be.
//! For new designs a memory-hard function is better. The time depends on the lengths and the number of iterations alone.

use crate::hash::Hash;
use crate::mac::Hmac;
use crate::mem::{Wipe, wiping_stack};
use crate::{Error, Result};

/// Derives `out` from a password.
///
/// ```
/// use outpace::hash::Sha256;
/// use outpace::kdf::pbkdf2;
///
/// let mut key = [0; 32];
/// pbkdf2::<Sha256>(b"password", b"a salt of its own", 1000, &mut key)?;
/// # Ok::<(), outpace::Error>(())
/// ```
///
/// # Errors
/// [`Error::Parameter`] for zero iterations, [`Error::Limit`] for more than 2^32 - 1 digests; nothing is written.
pub fn pbkdf2<H: Hash>(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) -> Result<()> {
    if iterations == 0 {
        return Err(Error::Parameter("PBKDF2 needs at least one iteration"));
    }
    let size = size_of::<H::Output>();
    if out.len().div_ceil(size) as u128 > u128::from(u32::MAX) {
        return Err(Error::Limit("PBKDF2 gives at most 2^32 - 1 digests"));
    }
    wiping_stack::<6144, _>(|| derive::<H>(password, salt, iterations, out));
    Ok(())
}

fn derive<H: Hash>(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) {
    let size = size_of::<H::Output>();
    let key = Hmac::<H>::new(password);
    for (number, chunk) in (1u32..).zip(out.chunks_mut(size)) {
        let mut first = key.begin();
        first.update(salt);
        first.update(&number.to_be_bytes());
        let mut u = first.finish();
        let mut sum = u;
        for _ in 1..iterations {
            u = key.mac(u.as_ref());
            for (s, u) in sum.as_mut().iter_mut().zip(u.as_ref()) {
                *s ^= u;
            }
        }
        chunk.copy_from_slice(&sum.as_ref()[..chunk.len()]);
        u.as_mut().wipe();
        sum.as_mut().wipe();
    }
}

//! What the leak checker runs: tag and verify under a secret key.

use super::Kmac256;
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[Check::new("mac/kmac", || {
    let (key, message) = ([7; 40], [3; 300]);
    taint::secret(&key);
    taint::secret(&message);
    let key = Kmac256::new(&key, b"customization");
    let tag: [u8; 64] = key.mac(&message);
    let verified = key.verify(&message, &tag);
    core::hint::black_box((tag, verified.is_ok()));
})];

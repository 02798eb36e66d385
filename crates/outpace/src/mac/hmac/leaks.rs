//! What the leak checker runs: a secret key, a secret message, and the decision about a tag.

use super::Hmac;
use crate::hash::Sha256;
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[Check::new("mac/hmac", || {
    for key_len in [16, 64, 100] {
        let (key, message) = ([5u8; 100], [6u8; 70]);
        taint::secret(&key);
        taint::secret(&message);
        let key = Hmac::<Sha256>::new(&key[..key_len]);
        let tag = key.mac(&message);
        let mut wrong = tag;
        wrong[31] ^= 1;
        assert!(key.verify(&message, &tag).is_ok() && key.verify(&message, &wrong).is_err());
        let short: [u8; 16] = key.mac_truncated(&message);
        let mut state = key.begin();
        state.update(&message);
        assert!(state.verify_truncated(&short).is_ok());
    }
})];

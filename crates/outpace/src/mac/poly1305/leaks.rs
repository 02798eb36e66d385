//! What the leak checker runs: key and message secret, every kernel, the final reduction and the comparison.

use super::{KERNELS, Poly1305};
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[Check::new("mac/poly1305", || {
    for (_, absorb) in KERNELS.all() {
        for len in [0, 5, 16, 200, 1100, 3000] {
            let (key, message, tag) = ([7; 32], std::vec![3; len], [1; 16]);
            taint::secret(&key);
            taint::secret(&message[..]);
            let mut mac = Poly1305::with(absorb, &key);
            mac.update(&message);
            core::hint::black_box(mac.verify(&tag).is_ok());
        }
    }
})];

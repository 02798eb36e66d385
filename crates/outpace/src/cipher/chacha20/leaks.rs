//! What the leak checker runs: key, nonce and data secret, every kernel.

use super::{KERNELS, State, hchacha20};
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[
    Check::new("cipher/chacha20", || {
        for (_, apply) in KERNELS.all() {
            for len in [1, 64, 100, 150, 200, 300, 513, 1024, 2500] {
                let (state, mut data) = (State([7; 16]), std::vec![3; len]);
                taint::secret(&state.0);
                taint::secret(&data[..]);
                apply(&state, &mut data);
                core::hint::black_box(&data);
            }
        }
    }),
    Check::new("cipher/hchacha20", || {
        let (key, nonce) = ([7; 32], [3; 16]);
        taint::secret(&key);
        taint::secret(&nonce);
        core::hint::black_box(hchacha20(&key, &nonce));
    }),
];

//! What the leak checker runs: key, data and tag secret, every kernel, the comparison of tags.

use super::{ChaCha20Poly1305, KERNELS, XChaCha20Poly1305};
use crate::aead::Aead;
use crate::leaks::Check;
use crate::mem::{Secret, taint};

/// A length on each path of each kernel.
const LENGTHS: [usize; 20] =
    [0, 1, 64, 100, 130, 200, 300, 330, 500, 700, 1024, 1100, 1200, 1350, 1500, 1600, 2100, 2340, 4500, 10_000];

pub(crate) const CHECKS: &[Check] = &[
    Check::new("aead/chacha20-poly1305", || {
        for (_, ops) in KERNELS.all() {
            let key = [7; 8];
            taint::secret(&key);
            run(&ChaCha20Poly1305 { key: Secret::new(key), ops }, &[3; 12]);
        }
    }),
    Check::new("aead/xchacha20-poly1305", || {
        let key = [7; 32];
        taint::secret(&key);
        run(&XChaCha20Poly1305::new(&key), &[3; 24]);
    }),
];

fn run<A: Aead<Tag = [u8; 16]>>(key: &A, nonce: &A::Nonce) {
    for len in LENGTHS {
        for aad_len in [0, 13, 300] {
            let (mut data, aad) = (std::vec![3; len], std::vec![5; aad_len]);
            taint::secret(&data[..]);
            taint::secret(&aad[..]);
            let tag = key.seal_in_place(nonce, &aad, &mut data);
            let opened = key.open_in_place(nonce, &aad, &mut data, &tag);
            core::hint::black_box((opened.is_ok(), &data));
            taint::secret(&data[..]);
            let refused = key.open_in_place(nonce, &aad, &mut data, &[0; 16]);
            core::hint::black_box((refused.is_ok(), &data));
        }
    }
}

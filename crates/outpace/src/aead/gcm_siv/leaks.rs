//! What the leak checker runs: key, data and tag are secret, through every kernel.

use super::{Direction, GcmSiv, KERNELS, Message};
use crate::leaks::Check;
use crate::mem::{InOut, taint};

pub(in crate::aead) const CHECK: Check = Check::new("aead/gcm-siv-kernels", || {
    for (_, kernel) in KERNELS.all() {
        run::<16>(kernel);
        run::<32>(kernel);
    }
});

fn run<const K: usize>(kernel: Option<Message>) {
    let (raw, aad, mut data, tag) = ([7u8; K], [2u8; 70], [3u8; 1100], [4u8; 16]);
    taint::secret(&raw);
    taint::secret(&data);
    taint::secret(&tag);
    let key = GcmSiv::<K>::with(kernel, &raw);
    for len in [0, 5, 64, 200, 300, 1100] {
        // Short messages with little associated data have a way of their own.
        for aad in [&aad[..40], &aad] {
            for direction in [Direction::Seal, Direction::Open] {
                core::hint::black_box(key.message(direction, &[1; 12], aad, InOut::in_place(&mut data[..len]), &tag));
            }
        }
    }
    core::hint::black_box(data);
}

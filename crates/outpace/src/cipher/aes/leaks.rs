//! What the leak checker runs: key and data are secret, through every kernel. Counters are public.

use super::{Aes, KERNELS};
use crate::cipher::modes::{BlockCipher, Ctr};
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[
    Check::new("cipher/aes-128", || check::<16>()),
    Check::new("cipher/aes-192", || check::<24>()),
    Check::new("cipher/aes-256", || check::<32>()),
];

fn check<const K: usize>() {
    for (_, ops) in KERNELS.all() {
        let (key, mut blocks, iv, mut data) = ([7u8; K], [[3u8; 16]; 37], [9u8; 16], [5u8; 701]);
        taint::secret(&key);
        taint::secret(&blocks);
        taint::secret(&data);
        let aes = Aes::<K>::with(ops, &key);
        aes.encrypt_blocks(&mut blocks);
        aes.decrypt_blocks(&mut blocks);
        Ctr::new(&aes, &iv).apply(&mut data);
        core::hint::black_box((blocks, data));
    }
}

//! What the leak checker runs: hash key and blocks are secret, through every kernel of POLYVAL.

use super::polyval::{KERNELS, Polyval};
use crate::leaks::Check;
use crate::mem::taint;

pub(in crate::aead) const CHECK: Check = Check::new("aead/polyval", || {
    for (_, ops) in KERNELS.all() {
        for total in [1, 4, 8, 40] {
            let (h, blocks) = ([7u8; 16], [3u8; 16 * 40]);
            taint::secret(&h);
            taint::secret(&blocks);
            let mut polyval = Polyval::empty(ops);
            polyval.begin(&h, total);
            polyval.take(16 * total, |at, out| out.copy_from_slice(&blocks[at..at + out.len()]));
            core::hint::black_box(polyval.finish());
        }
    }
});

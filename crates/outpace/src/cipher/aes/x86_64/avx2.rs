//! AES with VAES at 256 bits, for what gains by it: two blocks to a register in XTS.

use super::aesni;
use crate::cipher::aes::{Ops, RoundKeys};
use crate::cpu::{Features, Kernel};
use crate::mem::InOut;
use core::arch::x86_64::*;

pub(in crate::cipher::aes) const KERNEL: Kernel<Ops> = {
    // SAFETY: the functions are built for no more than the features named here.
    unsafe {
        let ops = Ops {
            xts: [
                |first, keys, tweak, data, more| xts::<false>(first, keys, tweak, data, more),
                |first, keys, tweak, data, more| xts::<true>(first, keys, tweak, data, more),
            ],
            ..aesni::OPS
        };
        let needs = Features::AVX2.and(Features::VAES);
        Kernel::new("avx2", needs.and(Features::AES).and(Features::SSE41), ops)
    }
};

#[target_feature(enable = "avx2,vaes")]
fn xts<const INVERSE: bool>(
    first: Option<&RoundKeys>,
    keys: &RoundKeys,
    tweak: &mut [u8; 16],
    data: InOut<'_>,
    more: bool,
) {
    // SAFETY: this function has the features.
    unsafe { super::xts::xts::<__m256i, INVERSE>(first, keys, tweak, data, more) }
}

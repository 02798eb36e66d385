//! GCM-SIV with the instructions of x86-64.
#![allow(unsafe_code)]

mod message;
mod short;

use self::{message::message, short::short};
use super::Message;
use crate::aead::gcm::Direction;
use crate::cipher::aes::RoundKeys;
use crate::cpu::{Features, Kernel};
use crate::mem::InOut;
use core::arch::x86_64::*;

const AESNI_FEATURES: Features = Features::AES.and(Features::PCLMUL).and(Features::SSE41);
const AVX2_FEATURES: Features = AESNI_FEATURES.and(Features::AVX2).and(Features::VAES).and(Features::VPCLMUL);

pub(super) const AVX512: Kernel<Option<Message>> = {
    let needs = AVX2_FEATURES.and(Features::AVX512).and(Features::BMI2);
    // SAFETY: the function is built for no more than the features named here.
    unsafe { Kernel::new("avx512", needs, Some(|g, d, nonce, aad, data, tag| avx512(g, d, nonce, aad, data, tag))) }
};

pub(super) const AVX2: Kernel<Option<Message>> =
    // SAFETY: the function is built for no more than the features named here.
    unsafe {
        Kernel::new("avx2", AVX2_FEATURES, Some(|g, d, nonce, aad, data, tag| avx2(g, d, nonce, aad, data, tag)))
    };

pub(super) const AESNI: Kernel<Option<Message>> =
    // SAFETY: the function is built for exactly the features named here.
    unsafe {
        Kernel::new("aesni", AESNI_FEATURES, Some(|g, d, nonce, aad, data, tag| aesni(g, d, nonce, aad, data, tag)))
    };

/// Which cipher, by its rounds, and which direction, as constants.
macro_rules! by_kind {
    ($generator:expr, $direction:expr, $function:ident[$($type:ty)?]($($argument:expr),*)) => {
        match ($generator.rounds, $direction) {
            (10, Direction::Seal) => $function::<$($type,)? 16, 10, false>($generator, $($argument),*),
            (10, Direction::Open) => $function::<$($type,)? 16, 10, true>($generator, $($argument),*),
            (_, Direction::Seal) => $function::<$($type,)? 32, 14, false>($generator, $($argument),*),
            (_, Direction::Open) => $function::<$($type,)? 32, 14, true>($generator, $($argument),*),
        }
    };
}

#[target_feature(enable = "avx512vl,avx512bw,avx512dq,vaes,vpclmulqdq,bmi2")]
fn avx512(
    generator: &RoundKeys,
    direction: Direction,
    nonce: &[u8; 12],
    aad: &[u8],
    data: InOut<'_>,
    tag: &[u8; 16],
) -> [u8; 16] {
    if data.len() <= short::LONGEST && aad.len() <= short::LONGEST_AAD {
        return by_kind!(generator, direction, short[](nonce, aad, data, tag));
    }
    // SAFETY: this function has the features, and so in the others.
    unsafe { by_kind!(generator, direction, message[__m512i](nonce, aad, data, tag)) }
}

#[target_feature(enable = "avx2,vaes,vpclmulqdq")]
fn avx2(
    generator: &RoundKeys,
    direction: Direction,
    nonce: &[u8; 12],
    aad: &[u8],
    data: InOut<'_>,
    tag: &[u8; 16],
) -> [u8; 16] {
    // SAFETY: as above.
    unsafe { by_kind!(generator, direction, message[__m256i](nonce, aad, data, tag)) }
}

#[target_feature(enable = "aes,pclmulqdq,ssse3,sse4.1")]
fn aesni(
    generator: &RoundKeys,
    direction: Direction,
    nonce: &[u8; 12],
    aad: &[u8],
    data: InOut<'_>,
    tag: &[u8; 16],
) -> [u8; 16] {
    // SAFETY: as above.
    unsafe { by_kind!(generator, direction, message[__m128i](nonce, aad, data, tag)) }
}

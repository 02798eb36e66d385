//! BLAKE2s: the half of BLAKE2 with 32-bit words.

pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::{Blake2, Compress, Fixed, State, Variant, Words};
use crate::cpu::Dispatch;
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2;
#[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
use x86_64::staged;
#[cfg(target_arch = "x86_64")]
use x86_64::{avx2, avx2_x8, avx512, avx512_x16};

pub(crate) static COMPRESS: Dispatch<Compress<u32, 64>> = Dispatch::new(&[
    #[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
    staged::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2::KERNEL,
    portable::KERNEL,
]);

pub(crate) static LANES: Dispatch<LaneKernel<State<u32>, 64>> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512_x16::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2_x8::KERNEL,
    portable::LANES,
]);

/// BLAKE2s (RFC 7693) with parameters chosen at run time: output of 1 to 32 bytes, a key of up to 32, salt and
/// personalisation of 8 bytes.
///
/// ```
/// use outpace::hash::{Blake2s256, Hash, Blake2s};
///
/// let mut hash = Blake2s::builder().build()?;
/// hash.update(b"abc");
/// let mut digest = [0; 32];
/// hash.finish(&mut digest)?;
/// assert_eq!(digest, Blake2s256::digest(b"abc"));
/// # Ok::<(), outpace::Error>(())
/// ```
pub type Blake2s = Blake2<Words32, 64>;

/// BLAKE2s with 32 bytes of output and no other parameter.
///
/// ```
/// use outpace::hash::{Blake2s256, Hash};
///
/// assert_eq!(Blake2s256::digest(b"abc")[..4], [0x50, 0x8c, 0x5e, 0x8c]);
/// ```
pub type Blake2s256 = Fixed<V256, 64>;

/// 32-bit words.
#[derive(Clone, Debug)]
pub struct Words32;

/// The parameters of BLAKE2s with the longest output.
#[derive(Clone, Debug)]
pub struct V256;

/// The initial value of SHA-256 (RFC 7693, section 2.6).
pub(crate) const IV: [u32; 8] = <sha2::sha256::V256 as sha2::Variant<64>>::START;

/// The initial value under a parameter block for sequential hashing (section 2.5): fan-out and depth are 1.
const fn start(out: u8, key: u8, salt: [u32; 2], personal: [u32; 2]) -> State<u32> {
    let mut h = IV;
    h[0] ^= 0x0101_0000 | (key as u32) << 8 | out as u32;
    h[4] ^= salt[0];
    h[5] ^= salt[1];
    h[6] ^= personal[0];
    h[7] ^= personal[1];
    State { h, t: 0, f: 0 }
}

/// Two words.
fn words(bytes: &[u8; 8]) -> [u32; 2] {
    let (low, high) = bytes.split_at(4);
    [low, high].map(|half| half.iter().rfold(0, |word, byte| word << 8 | u32::from(*byte)))
}

impl Words<64> for Words32 {
    type Word = u32;
    type Salt = [u8; 8];
    const ZERO_SALT: Self::Salt = [0; 8];
    const NAME: &'static str = "BLAKE2s";
    const MAX: usize = 32;

    fn start(out: u8, key: u8, salt: &Self::Salt, personal: &Self::Salt) -> State<u32> {
        start(out, key, words(salt), words(personal))
    }

    #[inline]
    fn compress() -> Compress<u32, 64> {
        COMPRESS.get()
    }

    #[inline]
    fn write(state: &State<u32>, out: &mut [u8]) {
        for (bytes, word) in out.chunks_mut(4).zip(state.h) {
            bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        }
    }

    fn width() -> usize {
        LANES.get().width
    }

    fn compress_lanes(states: &mut [State<u32>; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
        (LANES.get().compress)(states, blocks);
    }
}

impl Variant<64> for V256 {
    type Words = Words32;
    type Output = [u8; 32];
    const NAME: &'static str = "BLAKE2s-256";
    const START: State<u32> = start(32, 0, [0; 2], [0; 2]);
}

//! BLAKE2b: the half of BLAKE2 with 64-bit words.

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
use x86_64::{avx2, avx2_x4, avx512, avx512_x8};

pub(crate) static COMPRESS: Dispatch<Compress<u64, 128>> = Dispatch::new(&[
    #[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
    staged::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2::KERNEL,
    portable::KERNEL,
]);

pub(crate) static LANES: Dispatch<LaneKernel<State<u64>, 128>> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512_x8::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2_x4::KERNEL,
    portable::LANES,
]);

/// BLAKE2b (RFC 7693) with parameters chosen at run time: output of 1 to 64 bytes, a key of up to 64, salt and
/// personalisation of 16 bytes.
///
/// ```
/// use outpace::hash::{Blake2b512, Hash, Blake2b};
///
/// let mut hash = Blake2b::builder().build()?;
/// hash.update(b"abc");
/// let mut digest = [0; 64];
/// hash.finish(&mut digest)?;
/// assert_eq!(digest, Blake2b512::digest(b"abc"));
/// # Ok::<(), outpace::Error>(())
/// ```
pub type Blake2b = Blake2<Words64, 128>;

/// BLAKE2b with 64 bytes of output and no other parameter.
///
/// ```
/// use outpace::hash::{Blake2b512, Hash};
///
/// assert_eq!(Blake2b512::digest(b"abc")[..4], [0xba, 0x80, 0xa5, 0x3f]);
/// ```
pub type Blake2b512 = Fixed<V512, 128>;

/// 64-bit words.
#[derive(Clone, Debug)]
pub struct Words64;

/// The parameters of BLAKE2b with the longest output.
#[derive(Clone, Debug)]
pub struct V512;

/// The initial value of SHA-512 (RFC 7693, section 2.6).
pub(crate) const IV: [u64; 8] = <sha2::sha512::V512 as sha2::Variant<128>>::START;

/// The initial value under a parameter block for sequential hashing (section 2.5): fan-out and depth are 1.
const fn start(out: u8, key: u8, salt: [u64; 2], personal: [u64; 2]) -> State<u64> {
    let mut h = IV;
    h[0] ^= 0x0101_0000 | (key as u64) << 8 | out as u64;
    h[4] ^= salt[0];
    h[5] ^= salt[1];
    h[6] ^= personal[0];
    h[7] ^= personal[1];
    State { h, t: 0, f: 0 }
}

/// Two words.
fn words(bytes: &[u8; 16]) -> [u64; 2] {
    let (low, high) = bytes.split_at(8);
    [low, high].map(|half| half.iter().rfold(0, |word, byte| word << 8 | u64::from(*byte)))
}

impl Words<128> for Words64 {
    type Word = u64;
    type Salt = [u8; 16];
    const ZERO_SALT: Self::Salt = [0; 16];
    const NAME: &'static str = "BLAKE2b";
    const MAX: usize = 64;

    fn start(out: u8, key: u8, salt: &Self::Salt, personal: &Self::Salt) -> State<u64> {
        start(out, key, words(salt), words(personal))
    }

    #[inline]
    fn compress() -> Compress<u64, 128> {
        COMPRESS.get()
    }

    #[inline]
    fn write(state: &State<u64>, out: &mut [u8]) {
        for (bytes, word) in out.chunks_mut(8).zip(state.h) {
            bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        }
    }

    fn width() -> usize {
        LANES.get().width
    }

    fn compress_lanes(states: &mut [State<u64>; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]) {
        (LANES.get().compress)(states, blocks);
    }
}

impl Variant<128> for V512 {
    type Words = Words64;
    type Output = [u8; 64];
    const NAME: &'static str = "BLAKE2b-512";
    const START: State<u64> = start(64, 0, [0; 2], [0; 2]);
}

//! SHA-224 and SHA-256: the 32-bit half of FIPS 180-4.

pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::{Sha2, Sha2Kernel, Variant, Words};
use crate::cpu::{Dispatch, Features};
use crate::hash::many::{LaneKernel, MAX_LANES};
#[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
use x86_64::{avx2, sse2};
#[cfg(target_arch = "x86_64")]
use x86_64::{avx2_x8, avx512, sha_ni, sha_ni_x4};

/// The eight working variables between blocks.
pub(crate) type State = [u32; 8];

pub(crate) static BLOCKS: Dispatch<Sha2Kernel<State, 64>> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    sha_ni::KERNEL_AVX512,
    #[cfg(target_arch = "x86_64")]
    sha_ni::KERNEL,
    // The sanitizer cannot follow their assembly; valgrind can.
    #[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
    avx2::KERNEL,
    #[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
    sse2::KERNEL,
    portable::KERNEL,
]);

pub(crate) static LANES: Dispatch<LaneKernel<State, 64>> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    sha_ni_x4::KERNEL_AVX512,
    #[cfg(target_arch = "x86_64")]
    avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    sha_ni_x4::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2_x8::KERNEL,
    portable::LANES,
]);

/// SHA-256 (FIPS 180-4, section 6.2).
///
/// ```
/// use outpace::hash::{Hash, Sha256};
///
/// let digest = Sha256::digest(b"abc");
/// assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
pub type Sha256 = Sha2<V256, 64>;

/// SHA-224 (FIPS 180-4, section 6.3): another initial value, 28 bytes of the result.
///
/// ```
/// use outpace::hash::{Hash, Sha224};
///
/// assert_eq!(Sha224::digest(b"abc")[..4], [0x23, 0x09, 0x7d, 0x22]);
/// ```
pub type Sha224 = Sha2<V224, 64>;

/// The parameters of SHA-256.
#[derive(Clone, Debug)]
pub struct V256;
/// The parameters of SHA-224.
#[derive(Clone, Debug)]
pub struct V224;

/// The 32-bit half.
#[derive(Clone, Debug)]
pub struct Words32;

impl Words<64> for Words32 {
    type State = State;
    const LENGTH: usize = 8;

    #[inline]
    fn kernel() -> Sha2Kernel<State, 64> {
        BLOCKS.get()
    }

    #[inline]
    fn write(state: &State, out: &mut [u8]) {
        for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
    }

    fn lanes() -> LaneKernel<State, 64> {
        LANES.get()
    }

    fn width(_: usize) -> usize {
        LANES.get().width
    }

    fn least() -> usize {
        let sha = Features::detected().contains(Features::SHA);
        match Self::width(MAX_LANES) {
            // A step of four lanes with SHA-NI takes less than two blocks.
            4 => 2,
            // A step of sixteen lanes takes as long as seven blocks with SHA-NI; one of eight takes longer than eight.
            16 if sha => 8,
            8 if sha => usize::MAX,
            // Either takes as long as two blocks without.
            _ => 3,
        }
    }
}

impl Variant<64> for V256 {
    type Words = Words32;
    type Output = [u8; 32];
    const NAME: &'static str = "SHA-256";
    const START: State =
        [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
}

impl Variant<64> for V224 {
    type Words = Words32;
    type Output = [u8; 28];
    const NAME: &'static str = "SHA-224";
    const START: State =
        [0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4];
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section 4.2.2).
#[rustfmt::skip]
pub(crate) static K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

//! SHA-512, SHA-384, SHA-512/256 and SHA-512/224: the 64-bit half of FIPS 180-4.

pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::{Sha2, Sha2Kernel, Variant, Words};
use crate::cpu::Dispatch;
use crate::hash::many::LaneKernel;
#[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
use x86_64::sse2;
#[cfg(target_arch = "x86_64")]
use x86_64::{avx2, avx2_x4, avx512, avx512_x8, avx512_x16};

/// The eight working variables between blocks.
pub(crate) type State = [u64; 8];

pub(crate) static BLOCKS: Dispatch<Sha2Kernel<State, 128>> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512::FOUR_ALUS,
    #[cfg(target_arch = "x86_64")]
    avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2::FOUR_ALUS,
    #[cfg(target_arch = "x86_64")]
    avx2::KERNEL,
    // The sanitizer cannot follow its assembly; valgrind can.
    #[cfg(all(target_arch = "x86_64", not(outpace_ct = "msan")))]
    sse2::KERNEL,
    portable::KERNEL,
]);

pub(crate) static LANES: Dispatch<LaneKernel<State, 128>> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512_x16::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx512_x8::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2_x4::KERNEL,
    portable::LANES,
]);

/// SHA-512 (FIPS 180-4, section 6.4).
///
/// ```
/// use outpace::hash::{Hash, Sha512};
///
/// assert_eq!(Sha512::digest(b"abc")[..4], [0xdd, 0xaf, 0x35, 0xa1]);
/// ```
pub type Sha512 = Sha2<V512, 128>;

/// SHA-384 (FIPS 180-4, section 6.5): another initial value, 48 bytes of the result.
///
/// ```
/// use outpace::hash::{Hash, Sha384};
///
/// assert_eq!(Sha384::digest(b"abc")[..4], [0xcb, 0x00, 0x75, 0x3f]);
/// ```
pub type Sha384 = Sha2<V384, 128>;

/// SHA-512/256 (FIPS 180-4, section 6.7): an initial value of its own (section 5.3.6), 32 bytes of the result.
///
/// ```
/// use outpace::hash::{Hash, Sha512_256};
///
/// assert_eq!(Sha512_256::digest(b"abc")[..4], [0x53, 0x04, 0x8e, 0x26]);
/// ```
pub type Sha512_256 = Sha2<V512_256, 128>;

/// SHA-512/224 (FIPS 180-4, section 6.6): an initial value of its own (section 5.3.6), 28 bytes of the result.
///
/// ```
/// use outpace::hash::{Hash, Sha512_224};
///
/// assert_eq!(Sha512_224::digest(b"abc")[..4], [0x46, 0x34, 0x27, 0x0f]);
/// ```
pub type Sha512_224 = Sha2<V512_224, 128>;

/// The parameters of SHA-512.
#[derive(Clone, Debug)]
pub struct V512;
/// The parameters of SHA-384.
#[derive(Clone, Debug)]
pub struct V384;
/// The parameters of SHA-512/256.
#[derive(Clone, Debug)]
pub struct V512_256;
/// The parameters of SHA-512/224.
#[derive(Clone, Debug)]
pub struct V512_224;

/// The 64-bit half.
#[derive(Clone, Debug)]
pub struct Words64;

impl Words<128> for Words64 {
    type State = State;
    const LENGTH: usize = 16;

    #[inline]
    fn kernel() -> Sha2Kernel<State, 128> {
        BLOCKS.get()
    }

    #[inline]
    fn write(state: &State, out: &mut [u8]) {
        for (bytes, word) in out.chunks_mut(8).zip(state) {
            bytes.copy_from_slice(&word.to_be_bytes()[..bytes.len()]);
        }
    }

    fn lanes() -> LaneKernel<State, 128> {
        LANES.get()
    }

    fn width(messages: usize) -> usize {
        match LANES.get().width {
            // Sixteen lanes take almost twice the time of eight, and the ninth message alone half of that.
            16 if messages < 10 => 8,
            width => width,
        }
    }

    fn least() -> usize {
        // A step takes as long as two or three blocks, in four lanes as in eight.
        3
    }
}

#[rustfmt::skip]
impl Variant<128> for V512 {
    type Words = Words64;
    type Output = [u8; 64];
    const NAME: &'static str = "SHA-512";
    const START: State = [
        0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1, 0x9b05_688c_2b3e_6c1f, 0x1f83_d9ab_fb41_bd6b, 0x5be0_cd19_137e_2179,
    ];
}

#[rustfmt::skip]
impl Variant<128> for V384 {
    type Words = Words64;
    type Output = [u8; 48];
    const NAME: &'static str = "SHA-384";
    const START: State = [
        0xcbbb_9d5d_c105_9ed8, 0x629a_292a_367c_d507, 0x9159_015a_3070_dd17, 0x152f_ecd8_f70e_5939,
        0x6733_2667_ffc0_0b31, 0x8eb4_4a87_6858_1511, 0xdb0c_2e0d_64f9_8fa7, 0x47b5_481d_befa_4fa4,
    ];
}

#[rustfmt::skip]
impl Variant<128> for V512_256 {
    type Words = Words64;
    type Output = [u8; 32];
    const NAME: &'static str = "SHA-512/256";
    const START: State = [
        0x2231_2194_fc2b_f72c, 0x9f55_5fa3_c84c_64c2, 0x2393_b86b_6f53_b151, 0x9638_7719_5940_eabd,
        0x9628_3ee2_a88e_ffe3, 0xbe5e_1e25_5386_3992, 0x2b01_99fc_2c85_b8aa, 0x0eb7_2ddc_81c5_2ca2,
    ];
}

#[rustfmt::skip]
impl Variant<128> for V512_224 {
    type Words = Words64;
    type Output = [u8; 28];
    const NAME: &'static str = "SHA-512/224";
    const START: State = [
        0x8c3d_37c8_1954_4da2, 0x73e1_9966_89dc_d4d6, 0x1dfa_b7ae_32ff_9c82, 0x679d_d514_582f_9fcf,
        0x0f6d_2b69_7bd4_4da8, 0x77e3_6f73_04c4_8942, 0x3f9d_85a8_6a1d_36c8, 0x1112_e6ad_91d6_92a1,
    ];
}

/// The first 64 bits of the fractional parts of the cube roots of the first 80 primes (section 4.2.3).
#[rustfmt::skip]
pub(crate) static K: [u64; 80] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];

//! SHA-256 with SHA-NI on four messages, for CPUs that start a SHA256RNDS2 in one cycle or two (AMD's): one message alone
//! starts one in four.
//!
//! Floor on Zen 4, whose four vector pipes a block keeps busy with 32 SHA256RNDS2, 12 SHA256MSG1 of two operations,
//! 12 SHA256MSG2 of four and 62 others: 166 operations, 42 cycles. Measured: 61 as compiled, 50 with the steps in order and
//! words of the schedule in the registers of AVX-512 that SHA-NI does not reach.

use super::sha_ni::{NEEDS, Variables, four_rounds, load, store, sum, words};
use crate::cpu::{Features, Kernel};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2::sha256::{K, State};
use core::arch::x86_64::*;

const LANES: usize = 4;

pub(crate) const KERNEL: Kernel<LaneKernel<State, 64>> = {
    let compress = |states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("sha-ni x4", NEEDS, LaneKernel::of_blocks(LANES, compress)) }.suited_to(Features::FOUR_ALUS)
};

pub(crate) const KERNEL_AVX512: Kernel<LaneKernel<State, 64>> = {
    let compress = |states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress_avx512(states, blocks) }
    };
    let needs = NEEDS.and(Features::AVX512);
    // SAFETY: `compress_avx512` is built for exactly the features named here.
    unsafe { Kernel::new("sha-ni x4+avx512", needs, LaneKernel::of_blocks(LANES, compress)) }
        .suited_to(Features::HALVES)
};

/// The compression function on four messages, by `$rounds` of a block of each.
macro_rules! kernel {
    ($states:ident, $blocks:ident, $rounds:ident) => {
        let n = $blocks[..LANES].iter().fold(usize::MAX, |n, b| n.min(b.len()));
        let mut lanes: [Variables; LANES] = core::array::from_fn(|lane| load(&$states[lane]));
        for i in 0..n {
            let before = lanes;
            $rounds(&mut lanes, core::array::from_fn(|lane| words(&$blocks[lane][i])));
            for (lane, before) in lanes.iter_mut().zip(before) {
                *lane = sum(*lane, before);
            }
        }
        for (state, lane) in $states.iter_mut().zip(lanes) {
            store(state, lane);
        }
    };
}

#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
fn compress(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    kernel!(states, blocks, rounds);
}

#[target_feature(enable = "sha,sse2,ssse3,sse4.1,avx512f,avx512bw,avx512vl")]
fn compress_avx512(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    // As in `sha_ni`.
    _mm256_zeroupper();
    kernel!(states, blocks, rounds_in_order);
}

#[inline]
#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
fn rounds(lanes: &mut [Variables; LANES], mut w: [[__m128i; 4]; LANES]) {
    let [a, b, c, d] = lanes;
    let [wa, wb, wc, wd] = &mut w;
    macro_rules! steps {
        ($($t:literal)*) => { $(
            four_rounds::<$t>(a, wa);
            four_rounds::<$t>(b, wb);
            four_rounds::<$t>(c, wc);
            four_rounds::<$t>(d, wd);
        )* };
    }
    steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
}

/// [`four_rounds`] of one message: (a, b, e, f) in register `$abef`, (c, d, g, h) in `$cdgh`, four words each in `$now`,
/// `$previous` and `$next`; the constants are `$k` bytes behind the first. Changes registers 0 and 9 to 11.
macro_rules! step {
    ($abef:literal $cdgh:literal $now:literal $previous:literal $next:literal, $k:literal $($schedule:ident)*) => {
        concat!(
            "vpaddd xmm0, xmm", $now, ", xmmword ptr [{k} + ", $k, "]\n",
            "sha256rnds2 xmm", $cdgh, ", xmm", $abef, "\n",
            "vpshufd xmm0, xmm0, 14\n",
            "sha256rnds2 xmm", $abef, ", xmm", $cdgh, "\n",
            "vmovdqa64 xmm9, xmm", $now, "\n",
            $( $schedule!($now $previous $next), )*
        )
    };
}

/// The next four words, which were begun: MSG2(next + (now, previous) >> 32, now).
macro_rules! finish {
    ($now:literal $previous:literal $next:literal) => {
        concat!(
            "vpalignr xmm10, xmm",
            $now,
            ", xmm",
            $previous,
            ", 4\n",
            "vpaddd xmm10, xmm10, xmm",
            $next,
            "\n",
            "sha256msg2 xmm10, xmm9\n",
            "vmovdqa64 xmm",
            $next,
            ", xmm10\n",
        )
    };
}

/// Those that take the previous ones' place: MSG1(previous, now).
macro_rules! begin {
    ($now:literal $previous:literal $next:literal) => {
        concat!(
            "vmovdqa64 xmm11, xmm",
            $previous,
            "\n",
            "sha256msg1 xmm11, xmm9\n",
            "vmovdqa64 xmm",
            $previous,
            ", xmm11\n",
        )
    };
}

/// A step of each message: the variables are in registers 1 to 8, the words in 16 to 31, which change places.
macro_rules! steps {
    (0, $($rest:tt)*) => { concat!(
        step!(1 2 16 19 17, $($rest)*), step!(3 4 20 23 21, $($rest)*),
        step!(5 6 24 27 25, $($rest)*), step!(7 8 28 31 29, $($rest)*)
    ) };
    (1, $($rest:tt)*) => { concat!(
        step!(1 2 17 16 18, $($rest)*), step!(3 4 21 20 22, $($rest)*),
        step!(5 6 25 24 26, $($rest)*), step!(7 8 29 28 30, $($rest)*)
    ) };
    (2, $($rest:tt)*) => { concat!(
        step!(1 2 18 17 19, $($rest)*), step!(3 4 22 21 23, $($rest)*),
        step!(5 6 26 25 27, $($rest)*), step!(7 8 30 29 31, $($rest)*)
    ) };
    (3, $($rest:tt)*) => { concat!(
        step!(1 2 19 18 16, $($rest)*), step!(3 4 23 22 20, $($rest)*),
        step!(5 6 27 26 24, $($rest)*), step!(7 8 31 30 28, $($rest)*)
    ) };
}

/// [`rounds`] in the order in which it is written there.
#[inline]
#[target_feature(enable = "sha,avx512f,avx512bw,avx512vl")]
fn rounds_in_order(lanes: &mut [Variables; LANES], w: [[__m128i; 4]; LANES]) {
    if cfg!(outpace_ct = "msan") {
        return rounds(lanes, w);
    }
    let [a, b, c, d] = lanes;
    // SAFETY: reads the 256 bytes of constants, and says which registers it changes.
    unsafe {
        core::arch::asm!(
            steps!(0, 0), steps!(1, 16 begin), steps!(2, 32 begin), steps!(3, 48 finish begin),
            steps!(0, 64 finish begin), steps!(1, 80 finish begin), steps!(2, 96 finish begin), steps!(3, 112 finish begin),
            steps!(0, 128 finish begin), steps!(1, 144 finish begin), steps!(2, 160 finish begin), steps!(3, 176 finish begin),
            steps!(0, 192 finish begin), steps!(1, 208 finish), steps!(2, 224 finish), steps!(3, 240),
            k = in(reg) K.as_ptr(),
            inout("xmm1") a.0, inout("xmm2") a.1, inout("xmm3") b.0, inout("xmm4") b.1,
            inout("xmm5") c.0, inout("xmm6") c.1, inout("xmm7") d.0, inout("xmm8") d.1,
            inout("zmm16") w[0][0] => _, inout("zmm17") w[0][1] => _, inout("zmm18") w[0][2] => _, inout("zmm19") w[0][3] => _,
            inout("zmm20") w[1][0] => _, inout("zmm21") w[1][1] => _, inout("zmm22") w[1][2] => _, inout("zmm23") w[1][3] => _,
            inout("zmm24") w[2][0] => _, inout("zmm25") w[2][1] => _, inout("zmm26") w[2][2] => _, inout("zmm27") w[2][3] => _,
            inout("zmm28") w[3][0] => _, inout("zmm29") w[3][1] => _, inout("zmm30") w[3][2] => _, inout("zmm31") w[3][3] => _,
            out("xmm0") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
}

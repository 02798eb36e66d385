//! BLAKE2s with AVX-512 for cores that take two cycles for a rotation: the four rows of the state in xmm registers, the
//! message words staged in memory.
//!
//! As BLAKE2b, where it is explained; but the order of columns is the natural one, for VPSHUFD does all the turning, and the
//! rotation by 16 is an exchange of words in each half, by two shuffles.
//!
//! Floor: 13 cycles a half round, 260 a block. Measured: 285 to 295.

use super::super::IV;
use super::avx512::Message;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::staging::{next, word};
use crate::hash::blake2::{Compress, State};
use crate::mem::Secret;
use crate::simd::{load128_u32, store128_u32, ternlog128};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<u32, 64>> = {
    // SAFETY: `compress` is built for exactly the features named here.
    let kernel: Kernel<Compress<u32, 64>> =
        unsafe { Kernel::new("avx512-halves", Features::AVX512, |state, blocks| compress(state, blocks)) };
    kernel.suited_to(Features::HALVES)
};

type Rows = [__m128i; 4];

/// The words of four half rounds, and a zero.
type Staged = [__m128i; 9];

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(state: &mut State<u32>, blocks: &[[u8; 64]]) {
    let Some(first) = blocks.first() else { return };
    let m = Message::new(first);
    let zero = _mm_setzero_si128();
    let mut staged = Secret::new([
        m.pick::<0, 1, 3, 5, 7>(),
        m.pick::<0, 8, 10, 12, 14>(),
        m.pick::<0, 15, 9, 11, 13>(),
        m.pick::<1, 6, 0, 2, 4>(),
        m.pick::<1, 1, 3, 5, 7>(),
        m.pick::<1, 8, 10, 12, 14>(),
        zero,
        m.pick::<0, 0, 2, 4, 6>(),
        zero,
    ]);
    let [low, high] = state.h.as_chunks_mut::<4>().0 else { unreachable!() };
    let (mut h0, mut h1) = (load128_u32(low), load128_u32(high));
    let [iv0, iv1] = IV.as_chunks::<4>().0 else { unreachable!() };
    let (iv0, iv1) = (load128_u32(iv0), load128_u32(iv1));
    for (i, block) in blocks.iter().enumerate() {
        let from = [block, blocks.get(i + 1).unwrap_or(block)];
        state.t = state.t.wrapping_add(64);
        let special = _mm_set_epi32(0, state.f as i32, (state.t >> 32) as i32, state.t as i32);
        let mut v = [_mm_add_epi32(h0, staged[7]), h1, iv0, _mm_xor_si128(iv1, special)];
        v = round::<0>(v, &mut staged, from);
        v = round::<1>(v, &mut staged, from);
        v = round::<2>(v, &mut staged, from);
        v = round::<3>(v, &mut staged, from);
        v = round::<4>(v, &mut staged, from);
        v = round::<5>(v, &mut staged, from);
        v = round::<6>(v, &mut staged, from);
        v = round::<7>(v, &mut staged, from);
        v = round::<8>(v, &mut staged, from);
        v = round::<9>(v, &mut staged, from);
        h0 = ternlog128::<0x96>(h0, v[0], v[2]);
        h1 = ternlog128::<0x96>(h1, v[1], v[3]);
    }
    store128_u32(low, h0);
    store128_u32(high, h1);
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn round<const R: usize>(v: Rows, staged: &mut Staged, from: [&[u8; 64]; 2]) -> Rows {
    half::<R, 1>(half::<R, 0>(v, staged, from), staged, from)
}

/// Four G side by side, the turning of the rows a, c and d after them, and words for three half rounds later.
///
/// Registers: a, b, c, d in xmm0 to xmm3, temporaries in xmm5 to xmm10, one scalar one. The order is one of the best that
/// were timed.
#[rustfmt::skip]
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn half<const R: usize, const D: usize>([mut a, mut b, mut c, mut d]: Rows, staged: &mut Staged, from: [&[u8; 64]; 2]) -> Rows {
    // SAFETY: reads words of the two blocks, by `word`, reads and writes `staged`, whose first eight rows are four pairs.
    unsafe {
        core::arch::asm!(
            "vpaddd xmm0, xmm0, xmm1",
            "vpxor xmm3, xmm3, xmm0",
            "mov {w:e}, [{y} + {w1}]", "mov [{m} + {later} + 4], {w:e}",
            "mov {w:e}, [{x} + {w6}]", "mov [{m} + {later} + 24], {w:e}",
            "vprord xmm1, xmm1, 12",
            "vpshuflw xmm3, xmm3, 0xb1",
            "vpshufhw xmm3, xmm3, 0xb1",
            "mov {w:e}, [{y} + {w2}]", "mov [{m} + {later} + 8], {w:e}",
            "vpaddd xmm2, xmm2, xmm3",
            "vpaddd xmm0, xmm0, [{m} + {now}]",
            "vprord xmm3, xmm3, 8",
            "vpslld xmm6, xmm2, 20",
            "vpsrld xmm5, xmm2, 12",
            "mov {w:e}, [{x} + {w5}]", "mov [{m} + {later} + 20], {w:e}",
            "vpternlogd xmm1, xmm5, xmm6, 0x96",
            "vpaddd xmm0, xmm0, xmm1",
            "vpsrld xmm7, xmm0, 8",
            "vpslld xmm8, xmm0, 24",
            "mov {w:e}, [{x} + {w7}]", "mov [{m} + {later} + 28], {w:e}",
            "mov {w:e}, [{y} + {w0}]", "mov [{m} + {later}], {w:e}",
            "vpternlogd xmm3, xmm7, xmm8, 0x96",
            "vpaddd xmm0, xmm0, [{m} + {then}]",
            "vprord xmm1, xmm1, 7",
            "vpaddd xmm2, xmm2, xmm3",
            "mov {w:e}, [{y} + {w3}]", "mov [{m} + {later} + 12], {w:e}",
            "vpslld xmm10, xmm2, 25",
            "mov {w:e}, [{x} + {w4}]", "mov [{m} + {later} + 16], {w:e}",
            "vpsrld xmm9, xmm2, 7",
            "vpshufd xmm2, xmm2, {turn_c}",
            "vpshufd xmm3, xmm3, 0x4e",
            "vpshufd xmm0, xmm0, {turn_a}",
            "vpternlogd xmm1, xmm9, xmm10, 0x96",
            inout("xmm0") a, inout("xmm1") b, inout("xmm2") c, inout("xmm3") d,
            out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, w = out(reg) _,
            m = in(reg) staged.as_mut_ptr(),
            y = in(reg) from[const { next(10, 2 * R + D + 3, 0) }].as_ptr(),
            x = in(reg) from[const { next(10, 2 * R + D + 3, 4) }].as_ptr(),
            now = const 32 * ((2 * R + D) % 4),
            // Nothing is added at the end.
            then = const if 2 * R + D == 19 { 128 } else { 32 * ((2 * R + D) % 4) + 16 },
            later = const 32 * ((2 * R + D + 3) % 4),
            turn_a = const if D == 0 { 0x93 } else { 0x39 }, turn_c = const if D == 0 { 0x39 } else { 0x93 },
            w0 = const 4 * word(10, 2 * R + D + 3, 0), w1 = const 4 * word(10, 2 * R + D + 3, 1), w2 = const 4 * word(10, 2 * R + D + 3, 2), w3 = const 4 * word(10, 2 * R + D + 3, 3),
            w4 = const 4 * word(10, 2 * R + D + 3, 4), w5 = const 4 * word(10, 2 * R + D + 3, 5), w6 = const 4 * word(10, 2 * R + D + 3, 6), w7 = const 4 * word(10, 2 * R + D + 3, 7),
            options(nostack, preserves_flags),
        );
    }
    [a, b, c, d]
}

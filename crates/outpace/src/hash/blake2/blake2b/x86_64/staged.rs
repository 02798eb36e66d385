//! BLAKE2b with AVX-512 for cores that take two cycles for a rotation: the four rows of the state in ymm registers, the
//! message words staged in memory.
//!
//! A half round is one chain of dependent operations; what does not belong to it costs time only by standing in its way.
//! - Of x ⊕ y rotated, y being late, x is rotated ahead. The two shifts of y, a cycle each, are added to it with one
//!   VPTERNLOG, or, of a rotation by 32, VPSHUFD of y with an XOR.
//! - Columns stand in the order 0, 2, 1, 3. Of the rows that are turned while b is finished, d is ready last, and its turn is
//!   then VPSHUFD, of one cycle; VPERMQ, for a and c, takes four.
//! - The message words are moved into place by the scalar side: see `staging`. Those of the first three half rounds of all
//!   are picked by masked loads.
//!
//! Floor: 12 cycles a half round, 288 a block. Measured: 315 to 335. Pipes are given to operations before it is known which
//! will wait, and in turn: which operations meet depends on what came before, for the whole of a message. The order was
//! found by timing some ten thousand from many such starts.

use super::super::IV;
use super::avx512::Message;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::staging::{next, word};
use crate::hash::blake2::{Compress, State};
use crate::mem::Secret;
use crate::simd::{load256_u64, store256_u64, ternlog256};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<u64, 128>> = {
    // SAFETY: `compress` is built for exactly the features named here.
    let kernel: Kernel<Compress<u64, 128>> =
        unsafe { Kernel::new("avx512-halves", Features::AVX512, |state, blocks| compress(state, blocks)) };
    kernel.suited_to(Features::HALVES)
};

type Rows = [__m256i; 4];

/// The words of four half rounds, and a zero.
type Staged = [__m256i; 9];

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(state: &mut State<u64>, blocks: &[[u8; 128]]) {
    let Some(first) = blocks.first() else { return };
    let m = Message::new(first);
    let zero = _mm256_setzero_si256();
    let mut staged = Secret::new([
        m.pick::<0, 1, 5, 3, 7>(),
        m.pick::<0, 8, 12, 10, 14>(),
        m.pick::<0, 15, 11, 9, 13>(),
        m.pick::<1, 6, 2, 0, 4>(),
        m.pick::<1, 1, 5, 3, 7>(),
        m.pick::<1, 8, 12, 10, 14>(),
        zero,
        m.pick::<0, 0, 4, 2, 6>(),
        zero,
    ]);
    let [low, high] = state.h.as_chunks_mut::<4>().0 else { unreachable!() };
    let (mut h0, mut h1) = (exchange(load256_u64(low)), exchange(load256_u64(high)));
    let [iv0, iv1] = IV.as_chunks::<4>().0 else { unreachable!() };
    let (iv0, iv1) = (exchange(load256_u64(iv0)), exchange(load256_u64(iv1)));
    for (i, block) in blocks.iter().enumerate() {
        let from = [block, blocks.get(i + 1).unwrap_or(block)];
        state.t = state.t.wrapping_add(128);
        let special = _mm256_set_epi64x(0, (state.t >> 64) as i64, state.f as i64, state.t as i64);
        let mut v = [_mm256_add_epi64(h0, staged[7]), h1, iv0, _mm256_xor_si256(iv1, special)];
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
        v = round::<10>(v, &mut staged, from);
        v = round::<11>(v, &mut staged, from);
        h0 = ternlog256::<0x96>(h0, v[0], v[2]);
        h1 = ternlog256::<0x96>(h1, v[1], v[3]);
    }
    store256_u64(low, exchange(h0));
    store256_u64(high, exchange(h1));
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn round<const R: usize>(v: Rows, staged: &mut Staged, from: [&[u8; 128]; 2]) -> Rows {
    half::<R, 1>(half::<R, 0>(v, staged, from), staged, from)
}

/// To the order of columns here, or back.
#[inline]
#[target_feature(enable = "avx2")]
fn exchange(row: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(row)
}

/// Four G side by side, the turning of the rows a, c and d after them, and words for three half rounds later.
///
/// Registers: a, b, c, d in ymm0 to ymm3, temporaries in ymm4 to ymm9, one scalar one. The order is one of the best that
/// were timed.
#[rustfmt::skip]
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn half<const R: usize, const D: usize>([mut a, mut b, mut c, mut d]: Rows, staged: &mut Staged, from: [&[u8; 128]; 2]) -> Rows {
    // SAFETY: reads words of the two blocks, by `word`, reads and writes `staged`, whose first eight rows are four pairs.
    unsafe {
        core::arch::asm!(
            "vpaddq ymm0, ymm0, ymm1",
            "vprorq ymm1, ymm1, 24",
            "mov {w}, [{y} + {w0}]", "mov [{m} + {later}], {w}",
            "vpshufd ymm5, ymm0, 0xb1",
            "mov {w}, [{x} + {w6}]", "mov [{m} + {later} + 48], {w}",
            "mov {w}, [{y} + {w1}]", "mov [{m} + {later} + 8], {w}",
            "vpshufd ymm4, ymm3, 0xb1",
            "mov {w}, [{y} + {w2}]", "mov [{m} + {later} + 16], {w}",
            "vpaddq ymm0, ymm0, [{m} + {now}]",
            "vpxor ymm3, ymm4, ymm5",
            "mov {w}, [{x} + {w7}]", "mov [{m} + {later} + 56], {w}",
            "mov {w}, [{x} + {w4}]", "mov [{m} + {later} + 32], {w}",
            "vpaddq ymm2, ymm2, ymm3",
            "vprorq ymm3, ymm3, 16",
            "vpsrlq ymm5, ymm2, 24",
            "vpsllq ymm6, ymm2, 40",
            "vpternlogq ymm1, ymm5, ymm6, 0x96",
            "vpaddq ymm0, ymm0, ymm1",
            "vpsrlq ymm7, ymm0, 16",
            "vpsllq ymm8, ymm0, 48",
            "vpaddq ymm0, ymm0, [{m} + {then}]",
            "vprorq ymm1, ymm1, 63",
            "vpternlogq ymm3, ymm7, ymm8, 0x96",
            "vpaddq ymm2, ymm2, ymm3",
            "vpshufd ymm3, ymm3, 0x4e",
            "vpermq ymm0, ymm0, {turn_a}",
            "vpsrlq ymm9, ymm2, 63",
            "mov {w}, [{x} + {w5}]", "mov [{m} + {later} + 40], {w}",
            "vpaddq ymm5, ymm2, ymm2",
            "mov {w}, [{y} + {w3}]", "mov [{m} + {later} + 24], {w}",
            "vpermq ymm2, ymm2, {turn_c}",
            "vpternlogq ymm1, ymm9, ymm5, 0x96",
            inout("ymm0") a, inout("ymm1") b, inout("ymm2") c, inout("ymm3") d,
            out("ymm4") _, out("ymm5") _, out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _, w = out(reg) _,
            m = in(reg) staged.as_mut_ptr(),
            y = in(reg) from[const { next(12, 2 * R + D + 3, 0) }].as_ptr(),
            x = in(reg) from[const { next(12, 2 * R + D + 3, 4) }].as_ptr(),
            now = const 64 * ((2 * R + D) % 4),
            // Nothing is added at the end.
            then = const if 2 * R + D == 23 { 256 } else { 64 * ((2 * R + D) % 4) + 32 },
            later = const 64 * ((2 * R + D + 3) % 4),
            turn_a = const if D == 0 { 0x4b } else { 0x1e }, turn_c = const if D == 0 { 0x1e } else { 0x4b },
            w0 = const 8 * word(12, 2 * R + D + 3, 0), w1 = const 8 * word(12, 2 * R + D + 3, 2), w2 = const 8 * word(12, 2 * R + D + 3, 1), w3 = const 8 * word(12, 2 * R + D + 3, 3),
            w4 = const 8 * word(12, 2 * R + D + 3, 4), w5 = const 8 * word(12, 2 * R + D + 3, 6), w6 = const 8 * word(12, 2 * R + D + 3, 5), w7 = const 8 * word(12, 2 * R + D + 3, 7),
            options(nostack, preserves_flags),
        );
    }
    [a, b, c, d]
}

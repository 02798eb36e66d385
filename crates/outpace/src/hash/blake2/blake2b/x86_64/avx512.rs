//! BLAKE2b with AVX-512: the four rows of the state in ymm registers, VPRORQ for the rotations, masked broadcasting loads
//! to pick the message words.
//!
//! Floor: additions, XORs and rotations of a half round depend on each other, 12 cycles; 24 half rounds are 288 cycles a
//! block. Between half rounds the rows a, c and d are turned and b, which is ready last, stays: VPERMQ's three cycles
//! hide behind the rest. Nothing is wider than ymm, because a zmm operation in flight closes one of three vector ports.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{Compress, SIGMA, State};
use crate::simd::{load256_u64, store256_u64};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<u64, 128>> =
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, |state, blocks| compress(state, blocks)) };

type Rows = [__m256i; 4];

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(state: &mut State<u64>, blocks: &[[u8; 128]]) {
    let [low, high] = state.h.as_chunks_mut::<4>().0 else { unreachable!() };
    let (mut h0, mut h1) = (load256_u64(low), load256_u64(high));
    let [iv0, iv1] = IV.as_chunks::<4>().0 else { unreachable!() };
    let (iv0, iv1) = (load256_u64(iv0), load256_u64(iv1));
    for block in blocks {
        state.t = state.t.wrapping_add(128);
        let special = _mm256_set_epi64x(0, state.f as i64, (state.t >> 64) as i64, state.t as i64);
        let m = Message::new(block);
        let a = _mm256_add_epi64(h0, m.pick::<0, 0, 2, 4, 6>());
        let mut v = [a, h1, iv0, _mm256_xor_si256(iv1, special)];
        v = round::<0, 1>(v, m);
        v = round::<1, 2>(v, m);
        v = round::<2, 3>(v, m);
        v = round::<3, 4>(v, m);
        v = round::<4, 5>(v, m);
        v = round::<5, 6>(v, m);
        v = round::<6, 7>(v, m);
        v = round::<7, 8>(v, m);
        v = round::<8, 9>(v, m);
        v = round::<9, 10>(v, m);
        v = round::<10, 11>(v, m);
        v = round::<11, 0>(v, m);
        h0 = xor3(h0, v[0], v[2]);
        h1 = xor3(h1, v[1], v[3]);
    }
    store256_u64(low, h0);
    store256_u64(high, h1);
}

/// One block and the masks of the lanes 1, 2 and 3.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    block: &'a [u8; 128],
    lanes: [__mmask8; 3],
}

impl<'a> Message<'a> {
    #[inline]
    pub(super) fn new(block: &'a [u8; 128]) -> Self {
        Self { block, lanes: [2, 4, 8] }
    }

    /// (m[σ(A)], m[σ(B)], m[σ(C)], m[σ(D)]), σ being that of round `R`. The compiler would make shuffles of it, which
    /// compete for the port of VPERMQ; a masked load does not.
    ///
    /// Registers: any ymm for the result, any general one for the address, three mask registers that are kept.
    #[cfg(not(outpace_ct = "msan"))]
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn pick<const R: usize, const A: usize, const B: usize, const C: usize, const D: usize>(
        self,
    ) -> __m256i {
        const {
            let s = SIGMA[R % 10];
            assert!(s[A] < 16 && s[B] < 16 && s[C] < 16 && s[D] < 16);
        }
        let v;
        // SAFETY: reads four words of the borrowed block, as just asserted, and writes only `v`.
        unsafe {
            core::arch::asm!(
                "vpbroadcastq {v}, [{m} + {a}]",
                "vpbroadcastq {v}{{{k1}}}, [{m} + {b}]",
                "vpbroadcastq {v}{{{k2}}}, [{m} + {c}]",
                "vpbroadcastq {v}{{{k3}}}, [{m} + {d}]",
                v = out(ymm_reg) v,
                m = in(reg) self.block.as_ptr(),
                k1 = in(kreg) self.lanes[0],
                k2 = in(kreg) self.lanes[1],
                k3 = in(kreg) self.lanes[2],
                a = const 8 * SIGMA[R % 10][A] as usize,
                b = const 8 * SIGMA[R % 10][B] as usize,
                c = const 8 * SIGMA[R % 10][C] as usize,
                d = const 8 * SIGMA[R % 10][D] as usize,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        v
    }

    /// The same without assembly, which the sanitizer cannot follow.
    #[cfg(outpace_ct = "msan")]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn pick<const R: usize, const A: usize, const B: usize, const C: usize, const D: usize>(
        self,
    ) -> __m256i {
        let word = |place: usize| i64::from_le_bytes(self.block.as_chunks().0[SIGMA[R % 10][place] as usize]);
        let v = _mm256_mask_set1_epi64(_mm256_set1_epi64x(word(A)), self.lanes[0], word(B));
        _mm256_mask_set1_epi64(_mm256_mask_set1_epi64(v, self.lanes[1], word(C)), self.lanes[2], word(D))
    }
}

/// Round `R`. Row a comes with its first message words added, and goes with those of round `NEXT`, if there is one.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn round<const R: usize, const NEXT: usize>(v: Rows, m: Message<'_>) -> Rows {
    let [a, b, c, d] = g(v, m.pick::<R, 1, 3, 5, 7>());
    let a = _mm256_permute4x64_epi64::<0b10_01_00_11>(_mm256_add_epi64(a, m.pick::<R, 8, 10, 12, 14>()));
    let d = _mm256_permute4x64_epi64::<0b01_00_11_10>(d);
    let c = _mm256_permute4x64_epi64::<0b00_11_10_01>(c);
    let [a, b, c, d] = g([a, b, c, d], m.pick::<R, 15, 9, 11, 13>());
    let a = if NEXT > 0 { _mm256_add_epi64(a, m.pick::<NEXT, 6, 0, 2, 4>()) } else { a };
    let a = _mm256_permute4x64_epi64::<0b00_11_10_01>(a);
    let d = _mm256_permute4x64_epi64::<0b01_00_11_10>(d);
    let c = _mm256_permute4x64_epi64::<0b10_01_00_11>(c);
    [a, b, c, d]
}

/// Four G side by side, without the first addition of a message word.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn g([a, b, c, d]: Rows, y: __m256i) -> Rows {
    let a = _mm256_add_epi64(a, b);
    let d = _mm256_ror_epi64::<32>(_mm256_xor_si256(d, a));
    let c = _mm256_add_epi64(c, d);
    let b = _mm256_ror_epi64::<24>(_mm256_xor_si256(b, c));
    let a = _mm256_add_epi64(_mm256_add_epi64(a, y), b);
    let d = _mm256_ror_epi64::<16>(_mm256_xor_si256(d, a));
    let c = _mm256_add_epi64(c, d);
    let b = _mm256_ror_epi64::<63>(_mm256_xor_si256(b, c));
    [a, b, c, d]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    _mm256_xor_si256(_mm256_xor_si256(a, b), c)
}

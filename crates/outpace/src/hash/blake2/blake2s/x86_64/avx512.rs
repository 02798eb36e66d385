//! BLAKE2s with AVX-512: the four rows of the state in xmm registers, VPRORD for the rotations, masked broadcasting loads
//! to pick the message words.
//!
//! Floor: additions, XORs and rotations of a half round depend on each other, 12 cycles; 20 half rounds are 240 cycles a
//! block. Between half rounds the rows a, c and d are turned and b, which is ready last, stays.

use super::super::IV;
use crate::cpu::{Features, Kernel};
use crate::hash::blake2::{Compress, SIGMA, State};
use crate::simd::{load128_u32, store128_u32};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<u32, 64>> =
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, |state, blocks| compress(state, blocks)) };

type Rows = [__m128i; 4];

#[target_feature(enable = "avx512f,avx512vl")]
fn compress(state: &mut State<u32>, blocks: &[[u8; 64]]) {
    let [low, high] = state.h.as_chunks_mut::<4>().0 else { unreachable!() };
    let (mut h0, mut h1) = (load128_u32(low), load128_u32(high));
    let [iv0, iv1] = IV.as_chunks::<4>().0 else { unreachable!() };
    let (iv0, iv1) = (load128_u32(iv0), load128_u32(iv1));
    for block in blocks {
        state.t = state.t.wrapping_add(64);
        let special = _mm_set_epi32(0, state.f as i32, (state.t >> 32) as i32, state.t as i32);
        let m = Message::new(block);
        let a = _mm_add_epi32(h0, m.pick::<0, 0, 2, 4, 6>());
        let mut v = [a, h1, iv0, _mm_xor_si128(iv1, special)];
        v = round::<0, 1>(v, m);
        v = round::<1, 2>(v, m);
        v = round::<2, 3>(v, m);
        v = round::<3, 4>(v, m);
        v = round::<4, 5>(v, m);
        v = round::<5, 6>(v, m);
        v = round::<6, 7>(v, m);
        v = round::<7, 8>(v, m);
        v = round::<8, 9>(v, m);
        v = round::<9, 0>(v, m);
        h0 = xor3(h0, v[0], v[2]);
        h1 = xor3(h1, v[1], v[3]);
    }
    store128_u32(low, h0);
    store128_u32(high, h1);
}

/// One block and the masks of the lanes 1, 2 and 3.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    block: &'a [u8; 64],
    lanes: [__mmask8; 3],
}

impl<'a> Message<'a> {
    #[inline]
    pub(super) fn new(block: &'a [u8; 64]) -> Self {
        Self { block, lanes: [2, 4, 8] }
    }

    /// (m[σ(A)], m[σ(B)], m[σ(C)], m[σ(D)]), σ being that of round `R`. The compiler would make shuffles of it, which
    /// compete for the port of VPSHUFD; a masked load does not.
    ///
    /// Registers: any xmm for the result, any general one for the address, three mask registers that are kept.
    #[cfg(not(outpace_ct = "msan"))]
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    pub(super) fn pick<const R: usize, const A: usize, const B: usize, const C: usize, const D: usize>(
        self,
    ) -> __m128i {
        const {
            let s = SIGMA[R];
            assert!(s[A] < 16 && s[B] < 16 && s[C] < 16 && s[D] < 16);
        }
        let v;
        // SAFETY: reads four words of the borrowed block, as just asserted, and writes only `v`.
        unsafe {
            core::arch::asm!(
                "vpbroadcastd {v}, [{m} + {a}]",
                "vpbroadcastd {v}{{{k1}}}, [{m} + {b}]",
                "vpbroadcastd {v}{{{k2}}}, [{m} + {c}]",
                "vpbroadcastd {v}{{{k3}}}, [{m} + {d}]",
                v = out(xmm_reg) v,
                m = in(reg) self.block.as_ptr(),
                k1 = in(kreg) self.lanes[0],
                k2 = in(kreg) self.lanes[1],
                k3 = in(kreg) self.lanes[2],
                a = const 4 * SIGMA[R][A] as usize,
                b = const 4 * SIGMA[R][B] as usize,
                c = const 4 * SIGMA[R][C] as usize,
                d = const 4 * SIGMA[R][D] as usize,
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
    ) -> __m128i {
        let word = |place: usize| i32::from_le_bytes(self.block.as_chunks().0[SIGMA[R][place] as usize]);
        let v = _mm_mask_set1_epi32(_mm_set1_epi32(word(A)), self.lanes[0], word(B));
        _mm_mask_set1_epi32(_mm_mask_set1_epi32(v, self.lanes[1], word(C)), self.lanes[2], word(D))
    }
}

/// Round `R`. Row a comes with its first message words added, and goes with those of round `NEXT`, if there is one.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn round<const R: usize, const NEXT: usize>(v: Rows, m: Message<'_>) -> Rows {
    let [a, b, c, d] = g(v, m.pick::<R, 1, 3, 5, 7>());
    let a = _mm_shuffle_epi32::<0b10_01_00_11>(_mm_add_epi32(a, m.pick::<R, 8, 10, 12, 14>()));
    let d = _mm_shuffle_epi32::<0b01_00_11_10>(d);
    let c = _mm_shuffle_epi32::<0b00_11_10_01>(c);
    let [a, b, c, d] = g([a, b, c, d], m.pick::<R, 15, 9, 11, 13>());
    let a = if NEXT > 0 { _mm_add_epi32(a, m.pick::<NEXT, 6, 0, 2, 4>()) } else { a };
    let a = _mm_shuffle_epi32::<0b00_11_10_01>(a);
    let d = _mm_shuffle_epi32::<0b01_00_11_10>(d);
    let c = _mm_shuffle_epi32::<0b10_01_00_11>(c);
    [a, b, c, d]
}

/// Four G side by side, without the first addition of a message word.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn g([a, b, c, d]: Rows, y: __m128i) -> Rows {
    let a = _mm_add_epi32(a, b);
    let d = _mm_ror_epi32::<16>(_mm_xor_si128(d, a));
    let c = _mm_add_epi32(c, d);
    let b = _mm_ror_epi32::<12>(_mm_xor_si128(b, c));
    let a = _mm_add_epi32(_mm_add_epi32(a, y), b);
    let d = _mm_ror_epi32::<8>(_mm_xor_si128(d, a));
    let c = _mm_add_epi32(c, d);
    let b = _mm_ror_epi32::<7>(_mm_xor_si128(b, c));
    [a, b, c, d]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor3(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_xor_si128(_mm_xor_si128(a, b), c)
}

//! SHA-256 with SHA-NI ("Intel SHA Extensions", 2013): four rounds take two SHA256RNDS2.
//!
//! Floor on Golden Cove: SHA256RNDS2 has a latency of 4 cycles and each waits for the one before: 32 of them, 128
//! cycles a block. The schedule (SHA256MSG1, SHA256MSG2) fits beside it.

use crate::cpu::{Features, Kernel};
use crate::hash::sha2::Compress;
use crate::hash::sha2::sha256::{K, State};
use crate::simd::{load128, load128_u32, store128_u32};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Compress<State, 64>> =
    // SAFETY: `compress` is built for exactly the features named here.
    unsafe { Kernel::new("sha-ni", Features::SHA.and(Features::SSE41), |state, blocks| compress(state, blocks)) };

#[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
fn compress(state: &mut State, blocks: &[[u8; 64]]) {
    let (low, high) = state.as_chunks_mut::<4>().0.split_at_mut(1);
    // The instructions want the words in the order (a, b, e, f) and (c, d, g, h), first in the highest lane.
    let badc = _mm_shuffle_epi32::<0b1011_0001>(load128_u32(&low[0]));
    let hgfe = _mm_shuffle_epi32::<0b0001_1011>(load128_u32(&high[0]));
    let mut abef = _mm_alignr_epi8::<8>(badc, hgfe);
    let mut cdgh = _mm_blend_epi16::<0xf0>(hgfe, badc);
    let big_endian = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);

    for block in blocks {
        let (abef_before, cdgh_before) = (abef, cdgh);
        let words = block.as_chunks::<16>().0;
        // The four most recent quadruples of the schedule.
        let mut w = [_mm_setzero_si128(); 4];
        for t in 0..16 {
            w[t % 4] = if t < 4 {
                _mm_shuffle_epi8(load128(&words[t]), big_endian)
            } else {
                let (w16, w12, w8, w4) = (w[t % 4], w[(t + 1) % 4], w[(t + 2) % 4], w[(t + 3) % 4]);
                let part = _mm_add_epi32(_mm_sha256msg1_epu32(w16, w12), _mm_alignr_epi8::<4>(w4, w8));
                _mm_sha256msg2_epu32(part, w4)
            };
            let wk = _mm_add_epi32(w[t % 4], load128_u32(&K.as_chunks::<4>().0[t]));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, wk);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0b0000_1110>(wk));
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }

    let feba = _mm_shuffle_epi32::<0b0001_1011>(abef);
    let dchg = _mm_shuffle_epi32::<0b1011_0001>(cdgh);
    store128_u32(&mut low[0], _mm_blend_epi16::<0xf0>(feba, dchg));
    store128_u32(&mut high[0], _mm_alignr_epi8::<8>(dchg, feba));
}

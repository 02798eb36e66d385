//! RFC 8439 section 2.5 on 64-bit words. The accumulator is h0 + 2^64 h1 + 2^128 h2 and stays below 2^131; 2^130 = 5 folds
//! everything above. The clamp makes r1 a multiple of four, so that 5/4 r1 is a whole number (`s1` below).

use super::State;

#[inline(always)]
fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

/// h = (h + m + 2^128 pad) r mod 2^130 - 5, partly reduced.
#[inline(always)]
pub(crate) fn block(state: &mut State, m: &[u8; 16], pad: u64) {
    let m = u128::from_le_bytes(*m);
    let [r0, r1] = state.r;
    let s1 = r1 + (r1 >> 2);

    let t0 = u128::from(state.h[0]) + u128::from(m as u64);
    let t1 = u128::from(state.h[1]) + (m >> 64) + (t0 >> 64);
    let h0 = t0 as u64;
    let h1 = t1 as u64;
    let h2 = state.h[2] + (t1 >> 64) as u64 + pad;

    // h2 is at most 7 and r0, s1 are below 2^61: no product with h2 overflows 64 bits.
    let d0 = wide(h0, r0) + wide(h1, s1);
    let d1 = wide(h0, r1) + wide(h1, r0) + u128::from(h2 * s1) + (d0 >> 64);
    let d2 = h2 * r0 + (d1 >> 64) as u64;

    // 2^130 = 5: four times the upper part as it stands, plus once.
    let fold = (d2 & !3) + (d2 >> 2);
    let t0 = u128::from(d0 as u64) + u128::from(fold);
    let t1 = u128::from(d1 as u64) + (t0 >> 64);
    state.h = [t0 as u64, t1 as u64, (d2 & 3) + (t1 >> 64) as u64];
}

pub(super) fn absorb(state: &mut State, blocks: &[u8]) {
    for m in blocks.as_chunks::<16>().0 {
        block(state, m, 1);
    }
}

/// h mod 2^130 - 5, plus s, mod 2^128.
#[inline]
pub(crate) fn tag(state: &State) -> [u8; 16] {
    let [h0, h1, h2] = state.h;
    let h = u128::from(h0) | u128::from(h1) << 64;
    // h - p = h + 5 - 2^130; bit 130 of h + 5 says whether h was at least p. h < 2p, so once is enough.
    let (g, carry) = h.overflowing_add(5);
    let top = h2 + u64::from(carry);
    let mask = crate::mem::ct::barrier((top >> 2).wrapping_neg());
    let mask = u128::from(mask) | u128::from(mask) << 64;
    let h = h ^ ((h ^ g) & mask);
    let s = u128::from(state.s[0]) | u128::from(state.s[1]) << 64;
    h.wrapping_add(s).to_le_bytes()
}

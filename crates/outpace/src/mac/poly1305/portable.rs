//! RFC 8439 section 2.5 on 64-bit words. The accumulator is h0 + 2^64 h1 + 2^128 h2 and stays below 2^131; 2^130 = 5 folds
//! everything above. The clamp makes r1 a multiple of four, so that 5/4 r1 is a whole number (`s1` below).
//!
//! A block takes six multiplications and waits about fourteen cycles for the one before it. So a long message is two: a
//! chain over n blocks beside one over the next n, joined by r^n.

use super::State;
use crate::mem::Secret;

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

/// The product of two partly reduced numbers, partly reduced.
#[inline]
pub(crate) fn product(x: &[u64; 3], y: &[u64; 3]) -> [u64; 3] {
    let mut w = [0; 6];
    for i in 0..3 {
        let mut carry = 0;
        for j in 0..3 {
            let t = wide(x[i], y[j]) + u128::from(w[i + j]) + u128::from(carry);
            (w[i + j], carry) = (t as u64, (t >> 64) as u64);
        }
        w[i + 3] = carry;
    }
    // Four times the upper part as it stands, plus once; what that leaves above 2^130 is small.
    let quarter = [w[2] >> 2 | w[3] << 62, w[3] >> 2 | w[4] << 62, w[4] >> 2];
    let t0 = u128::from(w[0]) + u128::from(w[2] & !3) + u128::from(quarter[0]);
    let t1 = u128::from(w[1]) + u128::from(w[3]) + u128::from(quarter[1]) + (t0 >> 64);
    let t2 = (w[2] & 3) + w[4] + quarter[2] + (t1 >> 64) as u64;
    sum(&[t0 as u64, t1 as u64, t2], &[0; 3])
}

/// The sum, partly reduced; the uppermost words may be any that are small.
#[inline]
fn sum(x: &[u64; 3], y: &[u64; 3]) -> [u64; 3] {
    let h2 = x[2] + y[2];
    let t0 = u128::from(x[0]) + u128::from(y[0]);
    let t1 = u128::from(x[1]) + u128::from(y[1]) + (t0 >> 64);
    let h2 = h2 + (t1 >> 64) as u64;
    let t0 = u128::from(t0 as u64) + u128::from((h2 >> 2) * 5);
    let t1 = u128::from(t1 as u64) + (t0 >> 64);
    [t0 as u64, t1 as u64, (h2 & 3) + (t1 >> 64) as u64]
}

/// x a + y b.
#[inline]
pub(crate) fn sum_of_products(x: &[u64; 3], a: &[u64; 3], y: &[u64; 3], b: &[u64; 3]) -> [u64; 3] {
    sum(&product(x, a), &product(y, b))
}

/// What the power and its use cost has to be worth it.
const CHAIN: usize = 32;

/// Absorbs whole blocks.
pub(crate) fn absorb(state: &mut State, blocks: &[u8]) {
    let blocks = blocks.as_chunks::<16>().0;
    let (first, pairs) = blocks.split_at(blocks.len() % (2 * CHAIN));
    for m in first {
        block(state, m, 1);
    }
    if pairs.is_empty() {
        return;
    }
    let mut power = Secret::new([state.r[0], state.r[1], 0]);
    for _ in 0..CHAIN.ilog2() {
        *power = product(&power, &power);
    }
    for pair in pairs.chunks_exact(2 * CHAIN) {
        let (one, other) = pair.split_at(CHAIN);
        let mut second = State { h: [0; 3], ..*state };
        for (a, b) in one.iter().zip(other) {
            block(state, a, 1);
            block(&mut second, b, 1);
        }
        state.h = sum(&product(&state.h, &power), &second.h);
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

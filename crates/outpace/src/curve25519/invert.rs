//! Inversion modulo 2^255 − 19 in constant time, by division steps.
//!
//! Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019), with the variant that starts
//! at δ = 1/2, for which 590 steps suffice for 256-bit inputs (Wuille's proof, published with libsecp256k1). Steps come
//! in ten groups of 59. Within a group only the lowest words of f and g matter, and runs of 20, 20 and 19 steps work on
//! f (or g) and its two coefficients packed into one word: f + 2^21·u + 2^42·v, so that one addition and one shift
//! update all three (the packing of s2n-bignum's inversion; the coefficients start at −1 so that none reaches +2^20).

use super::field::Words;
use crate::mem::ct;

/// An integer in five signed digits of 62 bits.
type Signed62 = [i64; 5];

const MASK62: u64 = u64::MAX >> 2;
/// 2^255 − 19 = 128·2^248 − 19.
const P: Signed62 = [-19, 0, 0, 0, 128];
/// The inverse of 2^255 − 19, that is of −19, modulo 2^62.
const P_INVERSE: u64 = {
    let p = 19u64.wrapping_neg();
    let mut x = p; // right to 3 bits
    let mut i = 0;
    while i < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(x)));
        i += 1;
    }
    x & MASK62
};

/// The transition of some steps, scaled by 2^steps: (f, g) becomes (u·f + v·g, q·f + r·g).
#[derive(Clone, Copy)]
struct Transition {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// `N` division steps on the packed words.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn run<const N: u32>(zeta: &mut i64, fuv: &mut i64, gqr: &mut i64) {
    portable_run::<N>(zeta, fuv, gqr);
}

#[cfg(target_arch = "x86_64")]
use super::x86_64::divsteps::run;

/// `N` division steps on the packed words.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
pub(super) fn portable_run<const N: u32>(zeta: &mut i64, fuv: &mut i64, gqr: &mut i64) {
    for _ in 0..N {
        let odd = ct::barrier(((*gqr & 1) as u64).wrapping_neg()) as i64;
        let positive = *zeta >> 63; // δ > 0
        let swap = odd & positive;
        // g ± f if g is odd, minus if the two change places as well.
        let sum = gqr.wrapping_add(((*fuv ^ positive).wrapping_sub(positive)) & odd);
        *fuv ^= (*fuv ^ *gqr) & swap;
        *gqr = sum >> 1;
        *zeta = (*zeta ^ swap).wrapping_sub(1);
    }
}

/// `N` division steps on the lowest bits of f and g. The transition has the opposite sign.
///
/// `zeta` is −(δ + 1/2).
#[inline(always)]
fn packed_steps<const N: u32>(zeta: &mut i64, f: i64, g: i64) -> Transition {
    let low = (1 << 20) - 1;
    let unit = 1i64 << N;
    let mut fuv = (f & low).wrapping_sub(unit << 21);
    let mut gqr = (g & low).wrapping_sub(unit << 42);
    run::<N>(zeta, &mut fuv, &mut gqr);
    let unpack = |word: i64| {
        let coefficients = word.wrapping_add(1 << 20) >> 21;
        (coefficients << 43 >> 43, coefficients.wrapping_add(1 << 20) >> 21)
    };
    let ((u, v), (q, r)) = (unpack(fuv), unpack(gqr));
    Transition { u, v, q, r }
}

/// 59 division steps: their transition, scaled by 2^59.
#[inline(always)]
fn steps_59(zeta: &mut i64, f: i64, g: i64) -> Transition {
    fn apply(t: Transition, shift: u32, f: i64, g: i64) -> (i64, i64) {
        let row = |a: i64, b: i64| (a.wrapping_mul(f).wrapping_add(b.wrapping_mul(g))).wrapping_neg() >> shift;
        (row(t.u, t.v), row(t.q, t.r))
    }
    fn after(t: Transition, s: Transition) -> Transition {
        let dot = |a: i64, b: i64, c: i64, d: i64| a.wrapping_mul(b).wrapping_add(c.wrapping_mul(d));
        Transition {
            u: dot(s.u, t.u, s.v, t.q),
            v: dot(s.u, t.v, s.v, t.r),
            q: dot(s.q, t.u, s.r, t.q),
            r: dot(s.q, t.v, s.r, t.r),
        }
    }
    // The lowest 62 bits are right, and each run needs 20 of those that its predecessors have left.
    let a = packed_steps::<20>(zeta, f, g);
    let (f, g) = apply(a, 20, f, g);
    let b = packed_steps::<20>(zeta, f, g);
    let (f, g) = apply(b, 20, f, g);
    let c = packed_steps::<19>(zeta, f, g);
    let t = after(after(a, b), c);
    // Three negations remain.
    Transition { u: -t.u, v: -t.v, q: -t.q, r: -t.r }
}

/// Divides t·(f, g) by 2^59, exactly.
#[inline(always)]
fn update_fg(f: &mut Signed62, g: &mut Signed62, t: Transition) {
    let wide = |a: i64, b: i64| i128::from(a) * i128::from(b);
    let mut cf = wide(t.u, f[0]) + wide(t.v, g[0]);
    let mut cg = wide(t.q, f[0]) + wide(t.r, g[0]);
    cf >>= 59;
    cg >>= 59;
    for i in 1..5 {
        cf += (wide(t.u, f[i]) + wide(t.v, g[i])) << 3;
        cg += (wide(t.q, f[i]) + wide(t.r, g[i])) << 3;
        f[i - 1] = (cf as u64 & MASK62) as i64;
        g[i - 1] = (cg as u64 & MASK62) as i64;
        cf >>= 62;
        cg >>= 62;
    }
    f[4] = cf as i64;
    g[4] = cg as i64;
}

/// Divides t·(d, e) by 2^59 modulo p; both stay in (−2p, p).
#[inline(always)]
fn update_de(d: &mut Signed62, e: &mut Signed62, t: Transition) {
    let wide = |a: i64, b: i64| i128::from(a) * i128::from(b);
    // Scaled to 2^62, so that the division is by one digit.
    let t = Transition { u: t.u << 3, v: t.v << 3, q: t.q << 3, r: t.r << 3 };
    let (sign_d, sign_e) = (d[4] >> 63, e[4] >> 63);
    // Multiples of p that make negative inputs non-negative, and then the lowest digit zero.
    let mut md = (t.u & sign_d) + (t.v & sign_e);
    let mut me = (t.q & sign_d) + (t.r & sign_e);
    let mut cd = wide(t.u, d[0]) + wide(t.v, e[0]);
    let mut ce = wide(t.q, d[0]) + wide(t.r, e[0]);
    let adjust = |m: i64, c: i128| m - ((P_INVERSE.wrapping_mul(c as u64).wrapping_add(m as u64)) & MASK62) as i64;
    md = adjust(md, cd);
    me = adjust(me, ce);
    cd += wide(P[0], md);
    ce += wide(P[0], me);
    cd >>= 62;
    ce >>= 62;
    for i in 1..5 {
        cd += wide(t.u, d[i]) + wide(t.v, e[i]);
        ce += wide(t.q, d[i]) + wide(t.r, e[i]);
        if i == 4 {
            cd += wide(P[4], md);
            ce += wide(P[4], me);
        }
        d[i - 1] = (cd as u64 & MASK62) as i64;
        e[i - 1] = (ce as u64 & MASK62) as i64;
        cd >>= 62;
        ce >>= 62;
    }
    d[4] = cd as i64;
    e[4] = ce as i64;
}

/// `x`, in (−2p, p), negated if `sign` is negative, brought into [0, p).
fn normalise(mut x: Signed62, sign: i64) -> Signed62 {
    let add_p = |x: &mut Signed62, mask: i64| {
        for i in 0..5 {
            x[i] += P[i] & mask;
        }
    };
    let carry = |x: &mut Signed62| {
        for i in 0..4 {
            x[i + 1] += x[i] >> 62;
            x[i] &= MASK62 as i64;
        }
    };
    let negative = |x: &Signed62| ct::barrier((x[4] >> 63) as u64) as i64;
    let mask = negative(&x);
    add_p(&mut x, mask);
    let flip = ct::barrier((sign >> 63) as u64) as i64;
    for digit in &mut x {
        *digit = (*digit ^ flip) - flip;
    }
    carry(&mut x);
    let mask = negative(&x);
    add_p(&mut x, mask);
    carry(&mut x);
    x
}

/// The inverse modulo p of `a`, which is below p; of zero, zero.
pub(crate) fn invert(a: &Words) -> Words {
    let mut f = P;
    let mut g = [
        (a[0] & MASK62) as i64,
        ((a[0] >> 62 | a[1] << 2) & MASK62) as i64,
        ((a[1] >> 60 | a[2] << 4) & MASK62) as i64,
        ((a[2] >> 58 | a[3] << 6) & MASK62) as i64,
        (a[3] >> 56) as i64,
    ];
    let (mut d, mut e) = ([0; 5], [1, 0, 0, 0, 0]);
    let mut zeta = -1;
    for _ in 0..10 {
        // The low words as two's complement integers modulo 2^64.
        let low = |x: &Signed62| x[0].wrapping_add(x[1] << 62);
        let t = steps_59(&mut zeta, low(&f), low(&g));
        update_de(&mut d, &mut e, t);
        update_fg(&mut f, &mut g, t);
    }
    // f is now ±1 (or ±p for zero, where d is zero), and d the inverse up to that sign.
    let d = normalise(d, f[4]);
    let d = d.map(|digit| digit as u64);
    [d[0] | d[1] << 62, d[1] >> 2 | d[2] << 60, d[2] >> 4 | d[3] << 58, d[3] >> 6 | d[4] << 56]
}

//! ChaCha20-Poly1305 (RFC 8439 section 2.8), 2 KiB at a time, for cores that run 512-bit instructions in halves (Zen 4).
//!
//! Two groups of sixteen blocks in columns fill the pipes where one leaves a fifth of them idle, and take all registers.
//! So 80 of 128 blocks of Poly1305 are beside them in general registers, for nothing: two chains of 40, joined by a power
//! of r. More would make the rounds wait. The last 48 are in vectors, in front of the rounds: there VPMADD52, 17 cycles a
//! vector of eight, has the pipes of the rotations to itself.
//!
//! The floor is 480 cycles for the rounds of 1 KiB, 50 for what is around them and 60 for the vectors; it takes 706. What
//! is sealed or opened before and behind costs more than it did, so it is for 7 KiB and more.

use super::avx512::{PASS, crypt};
use crate::cipher::chacha20::State;
use crate::cipher::chacha20::x86_64::avx512::columns_start;
use crate::cipher::chacha20::x86_64::halves::groups_double_round;
use crate::mac::poly1305::x86_64::ifma::{self, Limbs, Powers};
use crate::mac::poly1305::x86_64::mulx;
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::{InOut, Secret};
use crate::simd;
use core::arch::x86_64::*;

/// Bytes at a time.
pub(super) const DOUBLE: usize = 2 * PASS;

/// Blocks of Poly1305 that are taken in vectors.
const IN_VECTORS: usize = 48;

/// Seals or opens double passes, at least two, and returns the rest, which is not empty: the end of a message is put
/// together by the last pass after them. `state` is at the first block of
/// it, `h` has everything but the pass before, which is `pending` and then in `h` too.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
pub(super) fn double_passes<'a, const OPEN: bool>(
    state: &mut State,
    mac: &Mac,
    powers: &Powers,
    h: &mut Limbs,
    pending: &[u8; PASS],
    mut data: InOut<'a>,
) -> InOut<'a> {
    let r = Secret::new([mac.r[0], mac.r[1], mac.r[1] + (mac.r[1] >> 2)]);
    let r48 = Secret::new(powers.words(6));
    let r56 = Secret::new(powers.words(7));
    let r64 = Secret::new(powers.words(8));
    let r88 = Secret::new(poly1305::product(&r64, &powers.words(3)));
    let r128 = Secret::new(poly1305::product(&r64, &r64));

    // Poly1305 of what is opened is taken from the input, as long as that is there; of what is sealed one pass later.
    let (pending, _) = pending.as_chunks::<16>();
    let mut sealed = pending;
    if OPEN {
        powers.absorb(h, pending.as_flattened().as_chunks().0);
    }
    let mut chains = Secret::new([0; 3]);
    while data.len() > DOUBLE {
        let (mut part, rest) = data.split_at(DOUBLE);
        data = rest;
        // SAFETY: so many bytes are input, until the first are written below.
        let input = unsafe { &*part.input().cast::<[[u8; 16]; DOUBLE / 16]>() };
        let blocks = if OPEN { input } else { sealed };
        let (scalar, vectors) = blocks.split_at(blocks.len() - IN_VECTORS);
        let (first, second) = scalar.split_at(scalar.len() / 2);
        let (factor, weight) = if first.len() == 40 { (&r88, &r128) } else { (&r56, &r64) };

        let mut c = ifma::zero();
        ifma::multiply_add(&mut c, h, &ifma::all(**weight));
        for (i, vector) in vectors.as_flattened().as_chunks().0.iter().enumerate() {
            simd::pin(&mut c);
            ifma::multiply_add_block(&mut c, &ifma::split(ifma::load(vector)), &powers.stride(IN_VECTORS / 8 - i));
        }
        *h = ifma::reduce(c);
        simd::pin(h);

        let (mut one, mut other) = (*chains, [0; 3]);
        let mut v = columns_start(state);
        state.advance(16);
        let mut w = columns_start(state);
        state.advance(16);
        let (v0, w0) = (v[12], w[12]);
        let (first, second) = (first.as_chunks::<4>().0, second.as_chunks::<4>().0);
        for (m, n) in first.iter().zip(second) {
            macro_rules! pair {
                ($i:literal) => {{
                    mulx::block(&mut one, &r, &m[$i]);
                    mulx::block(&mut other, &r, &n[$i]);
                }};
            }
            groups_double_round!(v, w, { pair!(0) } { pair!(1) } { pair!(2) } { pair!(3) });
        }
        for _ in first.len()..10 {
            groups_double_round!(v, w, {} {} {} {});
        }
        *chains = poly1305::sum_of_products(&one, factor, &other, &r48);

        macro_rules! finish {
            ($v:ident, $counters:ident, $at:expr) => {
                for i in 0..16 {
                    let start = if i == 12 { $counters } else { _mm512_set1_epi32(state.0[i].cast_signed()) };
                    $v[i] = _mm512_add_epi32($v[i], start);
                }
                let stream = simd::transpose16($v);
                for i in 0..16 {
                    crypt::<OPEN>(&mut part, $at + 64 * i, stream[i]);
                }
            };
        }
        finish!(v, v0, 0);
        finish!(w, w0, PASS);
        // SAFETY: just written, and nothing else refers to it.
        sealed = unsafe { &*part.output().cast::<[[u8; 16]; DOUBLE / 16]>() };
    }
    *h = ifma::merge(h, *chains);
    if !OPEN {
        powers.absorb(h, sealed.as_flattened().as_chunks().0);
    }
    data
}

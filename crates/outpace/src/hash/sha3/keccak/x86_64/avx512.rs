//! One state in fifteen xmm registers, two lanes of a column in each.
//!
//! `low[x]` holds lanes (x, 0) and (x, 1), `high[x]` lanes (x, 2) and (x, 3), `last[x]` lane (x, 4) twice. θ and χ, which
//! mix lanes of different x, then need no shuffle but one per column parity; ρ is VPROLVQ; π takes its pairs with one
//! VPUNPCK each. That is less work than a lane to a register, and leaves registers for all constants.
//!
//! Floor, a round: θ 5 × (XOR, swap, ternary, rotation) + 15 ternary, ρ 15 rotations, π 14 shuffles, χ 15 ternary, ι 1:
//! 80 operations on three ports, 27 cycles; 640 a permutation. Measured: 700.

use crate::cpu::{Features, Kernel};
use crate::hash::sha3::keccak::{Keccak, RC, RHO, Rate, State};
use crate::simd::{load128_u64, store128_u64, ternlog128};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Keccak> = {
    // SAFETY: reached only through the kernel below, so on a CPU that has its features.
    let permute = |state: &mut State| unsafe { permute(state) };
    // SAFETY: as above.
    let absorb = |state: &mut State, rate: Rate, data: &[u8]| unsafe { absorb(state, rate, data) };
    // SAFETY: both functions are built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512, Keccak { permute, absorb }) }
};

const XOR3: i32 = 0x96;
/// a ⊕ (¬b ∧ c)
const CHI: i32 = 0xd2;

#[derive(Clone, Copy)]
struct Pairs {
    low: [__m128i; 5],
    high: [__m128i; 5],
    last: [__m128i; 5],
}

/// The rotations of lanes (x, y) and (x, y + 1).
const fn rho(y: usize) -> [[u64; 2]; 5] {
    let mut pairs = [[0; 2]; 5];
    let mut x = 0;
    while x < 5 {
        pairs[x] = [RHO[x + 5 * y] as u64, RHO[x + 5 * y + 5] as u64];
        x += 1;
    }
    pairs
}
static RHO_LOW: [[u64; 2]; 5] = rho(0);
static RHO_HIGH: [[u64; 2]; 5] = rho(2);

/// The round constants, each beside the zero for lane (0, 1).
static RC_PAIRS: [[u64; 2]; 24] = {
    let mut pairs = [[0; 2]; 24];
    let mut i = 0;
    while i < 24 {
        pairs[i][0] = RC[i];
        i += 1;
    }
    pairs
};

#[target_feature(enable = "avx512f,avx512vl")]
fn permute(state: &mut State) {
    let mut pairs = load(state);
    rounds(&mut pairs);
    store(state, &pairs);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn absorb(state: &mut State, rate: Rate, data: &[u8]) {
    match rate {
        Rate::R168 => absorb_blocks::<168>(state, data),
        Rate::R144 => absorb_blocks::<144>(state, data),
        Rate::R136 => absorb_blocks::<136>(state, data),
        Rate::R104 => absorb_blocks::<104>(state, data),
        Rate::R72 => absorb_blocks::<72>(state, data),
    }
}

#[target_feature(enable = "avx512f,avx512vl")]
fn absorb_blocks<const RATE: usize>(state: &mut State, data: &[u8]) {
    let mut pairs = load(state);
    for block in data.as_chunks::<RATE>().0 {
        let lanes = block.as_chunks::<8>().0;
        let lane = |x: usize, y: usize| {
            let bytes = lanes.get(x + 5 * y).copied().unwrap_or_default();
            _mm_set1_epi64x(i64::from_le_bytes(bytes))
        };
        macro_rules! column {
            ($x:literal) => {
                // A load that fills both halves and an XOR under a mask cost less than bringing two lanes together.
                pairs.low[$x] = _mm_mask_xor_epi64(pairs.low[$x], 1, pairs.low[$x], lane($x, 0));
                pairs.low[$x] = _mm_mask_xor_epi64(pairs.low[$x], 2, pairs.low[$x], lane($x, 1));
                pairs.high[$x] = _mm_mask_xor_epi64(pairs.high[$x], 1, pairs.high[$x], lane($x, 2));
                pairs.high[$x] = _mm_mask_xor_epi64(pairs.high[$x], 2, pairs.high[$x], lane($x, 3));
                pairs.last[$x] = _mm_xor_si128(pairs.last[$x], lane($x, 4));
            };
        }
        column!(0);
        column!(1);
        column!(2);
        column!(3);
        column!(4);
        rounds(&mut pairs);
    }
    store(state, &pairs);
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn load(state: &State) -> Pairs {
    let pair = |y: usize| move |x: usize| _mm_set_epi64x(state[x + 5 * y + 5] as i64, state[x + 5 * y] as i64);
    Pairs {
        low: core::array::from_fn(pair(0)),
        high: core::array::from_fn(pair(2)),
        last: core::array::from_fn(|x| _mm_set1_epi64x(state[x + 20] as i64)),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn store(state: &mut State, pairs: &Pairs) {
    for x in 0..5 {
        for (y, v) in [(0, pairs.low[x]), (2, pairs.high[x])] {
            let mut two = [0; 2];
            store128_u64(&mut two, v);
            [state[x + 5 * y], state[x + 5 * y + 5]] = two;
        }
        state[x + 20] = _mm_cvtsi128_si64(pairs.last[x]) as u64;
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn rounds(pairs: &mut Pairs) {
    let Pairs { low, high, last } = pairs;
    for rc in &RC_PAIRS {
        // θ: the parity of each column, in both halves.
        let parity = |x: usize| {
            let sum = _mm_xor_si128(low[x], high[x]);
            ternlog128::<XOR3>(sum, _mm_shuffle_epi32::<0b0100_1110>(sum), last[x])
        };
        let c = [parity(0), parity(1), parity(2), parity(3), parity(4)];
        let turned = c.map(|c| _mm_rol_epi64::<1>(c));
        // … and ρ.
        macro_rules! column {
            ($x:literal, $rotation:literal) => {
                let (west, east) = (c[($x + 4) % 5], turned[($x + 1) % 5]);
                low[$x] = _mm_rolv_epi64(ternlog128::<XOR3>(low[$x], west, east), load128_u64(&RHO_LOW[$x]));
                high[$x] = _mm_rolv_epi64(ternlog128::<XOR3>(high[$x], west, east), load128_u64(&RHO_HIGH[$x]));
                last[$x] = _mm_rol_epi64::<$rotation>(ternlog128::<XOR3>(last[$x], west, east));
            };
        }
        column!(0, 18);
        column!(1, 2);
        column!(2, 61);
        column!(3, 56);
        column!(4, 14);
        // π: lane ((x + 3y) mod 5, x) goes to (x, y).
        let even = |a, b| _mm_unpacklo_epi64(a, b);
        let odd = |a, b| _mm_unpackhi_epi64(a, b);
        let b_low = [
            even(low[0], low[3]),
            odd(low[1], low[4]),
            even(high[2], high[0]),
            odd(high[3], high[1]),
            even(last[4], last[2]),
        ];
        let b_high = [
            even(low[1], low[4]),
            odd(low[2], low[0]),
            even(high[3], high[1]),
            odd(high[4], high[2]),
            even(last[0], last[3]),
        ];
        let b_last =
            [even(low[2], low[2]), odd(low[3], low[3]), even(high[4], high[4]), odd(high[0], high[0]), last[1]];
        // χ and ι.
        *low = chi(&b_low);
        *high = chi(&b_high);
        *last = chi(&b_last);
        low[0] = _mm_xor_si128(low[0], load128_u64(rc));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn chi(b: &[__m128i; 5]) -> [__m128i; 5] {
    [0, 1, 2, 3, 4].map(|x| ternlog128::<CHI>(b[x], b[(x + 1) % 5], b[(x + 2) % 5]))
}

//! Poly1305 (RFC 8439 section 2.5) on eight blocks at a time with VPMADD52: limbs of 52 bits, so that the two halves of
//! every product are aligned with the limbs and a message block needs no masking (the instruction ignores bits above 52).
//!
//! A vector of eight blocks takes 17 multiplications, 2 shuffles and 3 operations to split it: 11 cycles for 128 bytes on
//! two ports. Up to eight vectors, each times its own power of r, are summed before one reduction of some 19 operations,
//! so the floor is 0.1 cycles a byte.

use super::super::{Absorb, State, block, portable};
use crate::cpu::{Features, Kernel};
use crate::mem::{Secret, Wipe};
use crate::simd;
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Absorb> = {
    let needs = Features::AVX512.and(Features::IFMA).and(Features::VBMI).and(Features::BMI2);
    // SAFETY: `absorb` is built for exactly the features named here.
    unsafe { Kernel::new("avx512", needs, |state, blocks| absorb(state, blocks)) }
};

/// x0 + 2^52 x1 + 2^104 x2 in each of eight lanes.
pub(crate) type Limbs = [__m512i; 3];

/// The columns of a sum of products, 2^52 apart.
pub(crate) type Columns = [__m512i; 6];

const LIMB: u64 = (1 << 52) - 1;

/// Which block of a vector is in which lane.
pub(crate) const ORDER: [u64; 8] = [0, 4, 1, 5, 2, 6, 3, 7];

/// Powers of r, partly reduced: limbs of 52, 52 and little more than 26 bits.
pub(crate) struct Powers {
    /// r^8, r^16, ..., r^64.
    strides: [[u64; 8]; 3],
    /// r^16, r^15, ..., r, and zeros.
    descending: [[u64; 24]; 3],
}

impl Wipe for Powers {
    #[inline]
    fn wipe(&mut self) {
        self.strides.wipe();
        self.descending.wipe();
    }
}

#[inline(always)]
pub(crate) fn limbs(h: [u64; 3]) -> [u64; 3] {
    [h[0] & LIMB, (h[0] >> 52 | h[1] << 12) & LIMB, h[1] >> 40 | h[2] << 24]
}

#[inline]
#[target_feature(enable = "avx512f")]
fn set(x: u64) -> __m512i {
    _mm512_set1_epi64(x.cast_signed())
}

/// A partly reduced number in all lanes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn all(h: [u64; 3]) -> Limbs {
    limbs(h).map(|x| set(x))
}

/// c += a b for a, b below 2^131.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn multiply_add(c: &mut Columns, a: &Limbs, b: &Limbs) {
    multiply_add_block(c, a, b);
    c[5] = _mm512_madd52hi_epu64(c[5], a[2], b[2]);
}

/// The same for a below 2^129: the product of the top limbs has no upper half.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn multiply_add_block(c: &mut Columns, a: &Limbs, b: &Limbs) {
    // In the order of the columns' chains: four cycles pass between two additions to one column.
    c[2] = _mm512_madd52lo_epu64(c[2], a[0], b[2]);
    c[3] = _mm512_madd52lo_epu64(c[3], a[1], b[2]);
    c[1] = _mm512_madd52lo_epu64(c[1], a[0], b[1]);
    c[4] = _mm512_madd52lo_epu64(c[4], a[2], b[2]);
    c[0] = _mm512_madd52lo_epu64(c[0], a[0], b[0]);
    c[2] = _mm512_madd52lo_epu64(c[2], a[1], b[1]);
    c[3] = _mm512_madd52lo_epu64(c[3], a[2], b[1]);
    c[1] = _mm512_madd52lo_epu64(c[1], a[1], b[0]);
    c[4] = _mm512_madd52hi_epu64(c[4], a[1], b[2]);
    c[2] = _mm512_madd52lo_epu64(c[2], a[2], b[0]);
    c[3] = _mm512_madd52hi_epu64(c[3], a[0], b[2]);
    c[1] = _mm512_madd52hi_epu64(c[1], a[0], b[0]);
    c[4] = _mm512_madd52hi_epu64(c[4], a[2], b[1]);
    c[2] = _mm512_madd52hi_epu64(c[2], a[0], b[1]);
    c[3] = _mm512_madd52hi_epu64(c[3], a[1], b[1]);
    c[2] = _mm512_madd52hi_epu64(c[2], a[1], b[0]);
    c[3] = _mm512_madd52hi_epu64(c[3], a[2], b[0]);
}

/// The lower halves of the products of a and b, below 2^131: the first of five steps of a multiplication, for callers
/// that do other work in their latency.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn lower(a: &Limbs, b: &Limbs) -> Columns {
    let mut c = zero();
    for i in 0..3 {
        for j in 0..3 {
            c[i + j] = _mm512_madd52lo_epu64(c[i + j], a[i], b[j]);
        }
    }
    c
}

/// The upper halves are added.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn upper(mut c: Columns, a: &Limbs, b: &Limbs) -> Columns {
    for i in 0..3 {
        for j in 0..3 {
            c[i + j + 1] = _mm512_madd52hi_epu64(c[i + j + 1], a[i], b[j]);
        }
    }
    c
}

/// The upper columns below 2^52, as `fold` multiplies them: VPMADD52 ignores what is above.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn carry(mut c: Columns) -> Columns {
    c[4] = _mm512_add_epi64(c[4], _mm512_srli_epi64::<52>(c[3]));
    c[5] = _mm512_add_epi64(c[5], _mm512_srli_epi64::<52>(c[4]));
    c
}

/// The upper three columns are folded into the lower ones.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn fold([mut c0, mut c1, mut c2, c3, c4, c5]: Columns) -> Limbs {
    // 2^130 = 5, so 2^156 = 5 2^26, 2^208 = 2^52 2^156 and 2^260 = 25.
    let fold = set(5 << 26);
    c2 = _mm512_madd52hi_epu64(c2, c4, fold);
    c0 = _mm512_madd52lo_epu64(c0, c3, fold);
    c1 = _mm512_madd52hi_epu64(c1, c3, fold);
    c0 = _mm512_madd52lo_epu64(c0, c5, set(25));
    c1 = _mm512_madd52lo_epu64(c1, c4, fold);
    let top = _mm512_srli_epi64::<26>(c2);
    c2 = _mm512_and_si512(c2, set((1 << 26) - 1));
    [_mm512_madd52lo_epu64(c0, top, set(5)), c1, c2]
}

/// Partly reduced, as the powers are.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn settle([mut c0, mut c1, mut c2]: Limbs) -> Limbs {
    let limb = set(LIMB);
    c1 = _mm512_add_epi64(c1, _mm512_srli_epi64::<52>(c0));
    c0 = _mm512_and_si512(c0, limb);
    c2 = _mm512_add_epi64(c2, _mm512_srli_epi64::<52>(c1));
    c1 = _mm512_and_si512(c1, limb);
    [c0, c1, c2]
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn reduce(c: Columns) -> Limbs {
    settle(fold(carry(c)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn multiply(a: &Limbs, b: &Limbs) -> Limbs {
    let mut c = zero();
    multiply_add(&mut c, a, b);
    reduce(c)
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn zero() -> Columns {
    [_mm512_setzero_si512(); 6]
}

/// Eight blocks as limbs, each with its 2^128. Limbs 0 and 1 carry bits above 52.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2")]
pub(crate) fn split(vector: [__m512i; 2]) -> Limbs {
    let low = _mm512_unpacklo_epi64(vector[0], vector[1]);
    let high = _mm512_unpackhi_epi64(vector[0], vector[1]);
    limbs_of(low, high)
}

/// The same from the two words of each block.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2")]
pub(crate) fn limbs_of(low: __m512i, high: __m512i) -> Limbs {
    [low, _mm512_shrdi_epi64::<52>(low, high), _mm512_or_si512(_mm512_srli_epi64::<40>(high), set(1 << 24))]
}

/// h + m, with m as `split` makes it, and still with bits above 52.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn add(h: &Limbs, m: &Limbs) -> Limbs {
    let limb = set(LIMB);
    let c0 = _mm512_add_epi64(h[0], _mm512_and_si512(m[0], limb));
    let c1 = _mm512_add_epi64(h[1], _mm512_and_si512(m[1], limb));
    let c1 = _mm512_add_epi64(c1, _mm512_srli_epi64::<52>(c0));
    let c2 = _mm512_add_epi64(_mm512_add_epi64(h[2], m[2]), _mm512_srli_epi64::<52>(c1));
    [c0, c1, c2]
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load(vector: &[u8; 128]) -> [__m512i; 2] {
    let [first, second] = vector.as_chunks::<64>().0 else { unreachable!() };
    [simd::load512(first), simd::load512(second)]
}

/// The sum of an accumulator in lanes and one that is not, partly reduced.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn merge(lanes: &Limbs, h: [u64; 3]) -> Limbs {
    let h = spread(h);
    let mut c = zero();
    for i in 0..3 {
        c[i] = _mm512_add_epi64(lanes[i], h[i]);
    }
    settle(fold(c))
}

/// The accumulator in the first lane.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn spread(h: [u64; 3]) -> Limbs {
    let h = limbs(h);
    let lane = |x: u64| _mm512_zextsi128_si512(_mm_cvtsi64_si128(x.cast_signed()));
    [lane(h[0]), lane(h[1]), lane(h[2])]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn sum(v: __m512i) -> u64 {
    let v = _mm256_add_epi64(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v));
    let v = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    _mm_cvtsi128_si64(_mm_add_epi64(v, _mm_unpackhi_epi64(v, v))).cast_unsigned()
}

/// The sum of the lanes of each column.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn sums(c: Columns) -> [u64; 6] {
    let mut sums = [0; 6];
    for i in 0..3 {
        let (a, b) = (c[2 * i], c[2 * i + 1]);
        let v = _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        let v = _mm256_add_epi64(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v));
        let v = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
        sums[2 * i] = _mm_cvtsi128_si64(v).cast_unsigned();
        sums[2 * i + 1] = _mm_extract_epi64::<1>(v).cast_unsigned();
    }
    sums
}

/// The sum of c_i 2^(52 i), partly reduced. No column is above 2^60.
#[inline(always)]
pub(crate) fn collect(c: [u64; 6]) -> [u64; 3] {
    let c = c.map(u128::from);
    let t = c[0] + (c[1] << 52);
    let w0 = t as u64;
    let t = (t >> 64) + (c[2] << 40);
    let w1 = t as u64;
    let t = (t >> 64) + (c[3] << 28);
    let w2 = t as u64;
    let t = (t >> 64) + (c[4] << 16) + (c[5] << 68);
    let (w3, w4) = (t as u64, (t >> 64) as u64);
    let high = [w2 >> 2 | w3 << 62, w3 >> 2 | w4 << 62, w4 >> 2];
    let t = u128::from(w0) + u128::from(high[0]) * 5;
    let h0 = t as u64;
    let t = (t >> 64) + u128::from(w1) + u128::from(high[1]) * 5;
    let h1 = t as u64;
    let h2 = (t >> 64) as u64 + (w2 & 3) + high[2] * 5;
    let t = u128::from(h0) + u128::from((h2 >> 2) * 5);
    let h0 = t as u64;
    let t = (t >> 64) + u128::from(h1);
    [h0, t as u64, (h2 & 3) + (t >> 64) as u64]
}

/// r, r^2, r^3, r^4.
#[inline(always)]
pub(crate) fn first_powers(r: [u64; 2]) -> [[u64; 3]; 4] {
    let mut power = State { r, s: [0; 2], h: [r[0], r[1], 0] };
    let mut powers = [power.h; 4];
    for n in 1..4 {
        block(&mut power, &[0; 16], 0);
        powers[n] = power.h;
    }
    powers
}

/// r^4, r^3, r^2, r in lanes 0 to 3 and again in lanes 4 to 7, and r^4 in all.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn four(powers: [[u64; 3]; 4]) -> (Limbs, Limbs) {
    let mut low = [_mm512_setzero_si512(); 3];
    let mut four = low;
    for n in 0..4 {
        for (i, x) in limbs(powers[n]).into_iter().enumerate() {
            low[i] = _mm512_mask_set1_epi64(low[i], 0x88 >> n, x.cast_signed());
            four[i] = set(x);
        }
    }
    (low, four)
}

/// r^8 to r.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn eight((low, four): &(Limbs, Limbs)) -> Limbs {
    blend::<0xf0>(&multiply(low, four), low)
}

/// r^16 to r^9.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn sixteen(eight: &Limbs) -> Limbs {
    multiply(eight, &lane(eight, 0))
}

/// r^8, r^16, r^24, r^32, twice.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
pub(crate) fn thirty_two(eight: &Limbs, sixteen: &Limbs) -> Limbs {
    let r16 = lane(sixteen, 0);
    let pair = blend::<0xaa>(&lane(eight, 0), &r16);
    blend::<0xcc>(&pair, &multiply(&pair, &r16))
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn lane(x: &Limbs, index: u64) -> Limbs {
    let index = set(index);
    [
        _mm512_permutexvar_epi64(index, x[0]),
        _mm512_permutexvar_epi64(index, x[1]),
        _mm512_permutexvar_epi64(index, x[2]),
    ]
}

/// Lanes of b where `MASK` has ones, else of a.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn blend<const MASK: u8>(a: &Limbs, b: &Limbs) -> Limbs {
    [
        _mm512_mask_blend_epi64(MASK, a[0], b[0]),
        _mm512_mask_blend_epi64(MASK, a[1], b[1]),
        _mm512_mask_blend_epi64(MASK, a[2], b[2]),
    ]
}

impl Powers {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma")]
    pub(crate) fn new(r: [u64; 2]) -> Self {
        let eight = eight(&four(first_powers(r)));
        let sixteen = sixteen(&eight);
        Self::from_parts(&eight, &sixteen, &thirty_two(&eight, &sixteen))
    }

    /// From what `eight`, `sixteen` and `thirty_two` make: steps, so that a caller can do other work in their latency.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(crate) fn from_parts(eight: &Limbs, sixteen: &Limbs, thirty_two: &Limbs) -> Self {
        let strides = blend::<0xf0>(thirty_two, &multiply(thirty_two, &lane(thirty_two, 3)));
        Self::from_strides(eight, sixteen, &strides)
    }

    /// From r^8 to r, r^16 to r^9, and r^8, r^16, ..., r^64.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn from_strides(eight: &Limbs, sixteen: &Limbs, strides: &Limbs) -> Self {
        let mut powers = Self { strides: [[0; 8]; 3], descending: [[0; 24]; 3] };
        for i in 0..3 {
            simd::store512_u64(&mut powers.strides[i], strides[i]);
            let [high, low, _] = powers.descending[i].as_chunks_mut::<8>().0 else { unreachable!() };
            simd::store512_u64(high, sixteen[i]);
            simd::store512_u64(low, eight[i]);
        }
        powers
    }

    /// r^(8 n) in all lanes, n from 1 to 8.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(crate) fn stride(&self, n: usize) -> Limbs {
        [set(self.strides[0][n - 1]), set(self.strides[1][n - 1]), set(self.strides[2][n - 1])]
    }

    /// r^(8 n) for general registers, n from 1 to 8.
    #[inline]
    pub(crate) fn words(&self, n: usize) -> [u64; 3] {
        let [a, b, c] = self.strides.map(|power| power[n - 1]);
        collect([a, b, c, 0, 0, 0])
    }

    /// r^(n - b) in the lane of block b, and zero from b = n on; n at most 16.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn descending(&self, n: usize) -> Limbs {
        let order = simd::load512_u64(&ORDER);
        let mut powers = [order; 3];
        for i in 0..3 {
            let from = self.descending[i][16 - n..].first_chunk().expect("n is at most 16");
            powers[i] = _mm512_permutexvar_epi64(order, simd::load512_u64(from));
        }
        powers
    }

    /// h = (h + v0) r^(8 n) + v1 r^(8 (n - 1)) + ... + v(n-1) r^8, lane by lane, for up to eight vectors at a time.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma,avx512vbmi2")]
    pub(crate) fn absorb(&self, h: &mut Limbs, vectors: &[[u8; 128]]) {
        for vectors in vectors.chunks(8) {
            let [first, rest @ ..] = vectors else { return };
            let mut c = zero();
            multiply_add(&mut c, &add(h, &split(load(first))), &self.stride(vectors.len()));
            for (i, vector) in rest.iter().enumerate() {
                multiply_add_block(&mut c, &split(load(vector)), &self.stride(rest.len() - i));
            }
            *h = reduce(c);
        }
    }

    /// The accumulator after the last whole vector, if there is one, and `n` blocks, at most eight: all lanes together.
    /// Without a whole vector the accumulator is in the first lane alone, since those behind `n` are dropped.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512ifma,avx512vbmi2")]
    pub(crate) fn finish(&self, h: &Limbs, whole: Option<[__m512i; 2]>, rest: [__m512i; 2], n: usize) -> [u64; 3] {
        let (mut c, mut d) = (zero(), zero());
        let mut rest = split(rest);
        match whole {
            Some(whole) => multiply_add(&mut d, &add(h, &split(whole)), &self.descending(8 + n)),
            None => rest = add(h, &rest),
        }
        multiply_add(&mut c, &rest, &self.descending(n));
        let mut columns = [0; 6];
        for i in 0..6 {
            columns[i] = sum(_mm512_add_epi64(c[i], d[i]));
        }
        collect(columns)
    }
}

/// Below this many bytes the powers cost more than they save.
const LONG: usize = 512;

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn absorb(state: &mut State, blocks: &[u8]) {
    if blocks.len() < LONG {
        return portable::absorb(state, blocks);
    }
    let powers = Secret::new(Powers::new(state.r));
    absorb_with(&powers, state, blocks);
}

/// Zeros up to a whole block behind a last part of one; at least 128 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
pub(crate) fn absorb_with(powers: &Powers, state: &mut State, bytes: &[u8]) {
    let (vectors, rest) = bytes.as_chunks::<128>();
    let Some((last, vectors)) = vectors.split_last() else { return };
    let mut h = spread(state.h);
    powers.absorb(&mut h, vectors);
    let (first, second) = rest.split_at(rest.len().min(64));
    let tail = [simd::load512_partial(first), simd::load512_partial(second)];
    state.h = powers.finish(&h, Some(load(last)), tail, rest.len().div_ceil(16));
}

//! One point in four lanes: the parallel formulas of Hisil, Wong, Carter and Dawson (2008, section 4).
//!
//! A point is the columns of (X, Y, T, Z). An addition and a doubling are two levels of four products each, with sums
//! between them; shuffles stay within halves of a register where they can.
//!
//! Floor of a doubling: 100 multiplications and about 180 other instructions on three ports, 94 cycles.

use super::lanes::{BIAS, carried, limbs, product, ymm};
use crate::curve25519::edwards::{Affine, Niels};
use crate::curve25519::field::{Fe, Field, Words};
use crate::curve25519::scalar::naf_vartime;
use crate::curve25519::tables::{BASE_ODD, D2};
use crate::simd::{load256_u64, store256_u64, ternlog256};
use core::arch::x86_64::*;

/// Five vectors of four lanes.
pub(super) type Four = [__m256i; 5];

/// Limbs with one element in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn gather(elements: &[[u64; 5]; 4]) -> Four {
    core::array::from_fn(|i| {
        let [a, b, c, d] = elements;
        _mm256_setr_epi64x(a[i] as i64, b[i] as i64, c[i] as i64, d[i] as i64)
    })
}

/// The elements in the lanes of limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn scatter(limbs: &Four) -> [Fe; 4] {
    let mut out = [[0; 5]; 4];
    for (i, limb) in limbs.iter().enumerate() {
        let mut lanes = [0; 4];
        store256_u64(&mut lanes, *limb);
        for (element, lane) in out.iter_mut().zip(lanes) {
            element[i] = lane;
        }
    }
    out.map(Fe::from_limbs)
}

/// A point with affine coordinates.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn from_affine(point: &Affine) -> Four {
    let (x, y) = (limbs(&point.x), limbs(&point.y));
    let one = [1, 0, 0, 0, 0];
    // X, Y, X·Y, 1 as the product of X, Y, X, 1 and 1, 1, Y, 1.
    product!(ymm; gather(&[x, y, x, one]), gather(&[one, one, y, one]))
}

/// Lanes 0, 0, 2, 2 and 1, 1, 3, 3.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn pairs(v: __m256i) -> (__m256i, __m256i) {
    let v = _mm256_castsi256_pd(v);
    (_mm256_castpd_si256(_mm256_permute_pd::<0b0000>(v)), _mm256_castpd_si256(_mm256_permute_pd::<0b1111>(v)))
}

/// `sign` is all ones in the lanes that are negated, where `bias` is [`BIAS`] + 1, elsewhere zero.
struct Signs {
    sign: __m256i,
    bias: Four,
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn signs(lanes: [i64; 4]) -> Signs {
    let [a, b, c, d] = lanes;
    let sign = _mm256_setr_epi64x(a, b, c, d);
    Signs { sign, bias: BIAS.map(|bias| _mm256_and_si256(sign, _mm256_set1_epi64x(bias as i64 + 1))) }
}

/// The second level: E, H, F, G in, X = E·F, Y = H·G, T = E·H, Z = F·G out.
macro_rules! finish {
    ($sums:expr) => {{
        let s = carried!(ymm; $sums);
        let left = s.map(|s| _mm256_permute4x64_epi64::<0b10_00_01_00>(s));
        let right = s.map(|s| _mm256_permute4x64_epi64::<0b11_01_11_10>(s));
        product!(ymm; left, right)
    }};
}

/// Y − X, Y + X, T, Z, as limbs.
macro_rules! spread {
    ($p:expr, $constants:expr) => {{
        let first = &$constants.spread;
        // X, X, 0, 0
        let keep = _mm256_setr_epi64x(-1, -1, 0, 0);
        let sums: Four = core::array::from_fn(|i| {
            let p: __m256i = $p[i];
            // Y, Y, T, Z
            let y = _mm256_castpd_si256(_mm256_permute_pd::<0b1011>(_mm256_castsi256_pd(p)));
            let x = _mm256_castpd_si256(_mm256_permute_pd::<0b0000>(_mm256_castsi256_pd(p)));
            // x and keep, complemented in lane 0
            let x = ternlog256::<0x78>(first.sign, x, keep);
            _mm256_add_epi64(_mm256_add_epi64(y, first.bias[i]), x)
        });
        carried!(ymm; sums)
    }};
}

/// The point prepared for additions: Y − X, Y + X, 2dT, 2Z, as limbs.
macro_rules! prepared {
    ($point:expr, $constants:expr) => {{
        let product = product!(ymm; spread!($point, $constants), $constants.prepare);
        carried!(ymm; product)
    }};
}

/// `point + cached`, or `point − cached` if `$negate`.
macro_rules! added {
    ($point:expr, $cached:expr, $negate:expr, $constants:expr) => {{
        // −(x, y) = (−x, y): Y − X and Y + X change places, and 2dT its sign.
        let (order, signs) = &$constants.add[usize::from($negate)];
        let cached = $cached.map(|c| _mm256_permutexvar_epi64(*order, c));
        let product = product!(ymm; spread!($point, $constants), cached); // A, B, C, D
        // E = B − A, H = B + A, F = D ∓ C, G = D ± C
        let sums: Four = core::array::from_fn(|i| {
            let (ac, bd) = pairs(product[i]);
            _mm256_add_epi64(_mm256_add_epi64(bd, signs.bias[i]), _mm256_xor_si256(ac, signs.sign))
        });
        finish!(sums)
    }};
}

/// The double; T of the point is not read.
macro_rules! doubled {
    ($point:expr, $constants:expr) => {{
        let (minus_b, minus_d) = (&$constants.minus_b, &$constants.minus_d);
        let sums: Four = core::array::from_fn(|i| {
            // X, Y, X, Z and 0, 0, Y, 0
            let p = _mm256_permute4x64_epi64::<0b11_00_01_00>($point[i]);
            let y = _mm256_maskz_permutex_epi64::<0b00_01_00_00>(0b0100, $point[i]);
            _mm256_add_epi64(p, y)
        });
        let s = carried!(ymm; sums);
        let squares = product!(ymm; s, s); // A, B, D = (X + Y)², C = Z²
        // E = A + B − D, H = A + B, F = A − B + 2C, G = A − B
        let sums: Four = core::array::from_fn(|i| {
            let a = _mm256_permute4x64_epi64::<0b00_00_00_00>(squares[i]);
            let b = _mm256_permute4x64_epi64::<0b01_01_01_01>(squares[i]);
            let cd = _mm256_maskz_permutex_epi64::<0b00_11_00_10>(0b0101, squares[i]);
            let ab = _mm256_add_epi64(_mm256_add_epi64(a, minus_b.bias[i]), _mm256_xor_si256(b, minus_b.sign));
            // −D in lane 0, C twice in lane 2
            let cd = _mm256_mask_add_epi64(cd, 0b0100, cd, cd);
            _mm256_add_epi64(ab, _mm256_add_epi64(_mm256_xor_si256(cd, minus_d.sign), minus_d.bias[i]))
        });
        finish!(sums)
    }};
}

/// What the formulas are made with, once per job.
struct Constants {
    /// Y − X and Y + X from (X, Y, T, Z).
    spread: Signs,
    /// 1, 1, 2d, 2.
    prepare: Four,
    /// Addition and subtraction: the order of the prepared point, and the signs of the sums.
    add: [(__m256i, Signs); 2],
    minus_b: Signs,
    minus_d: Signs,
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
fn constants() -> Constants {
    let one = [1, 0, 0, 0, 0];
    Constants {
        spread: signs([-1, 0, 0, 0]),
        prepare: gather(&[one, one, limbs(&D2), [2, 0, 0, 0, 0]]),
        add: [
            (_mm256_setr_epi64x(0, 1, 2, 3), signs([-1, 0, -1, 0])),
            (_mm256_setr_epi64x(1, 0, 2, 3), signs([-1, 0, 0, -1])),
        ],
        minus_b: signs([0, 0, -1, -1]),
        minus_d: signs([-1, 0, 0, 0]),
    }
}

/// The sum of eight points, as a tree.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn sum(points: &[Four; 8]) -> Four {
    let constants = constants();
    let [a, b, c, d, e, f, g, h] = *points;
    let fold = |a: Four, b: Four| {
        let b = prepared!(b, constants);
        added!(a, b, false, constants)
    };
    fold(fold(fold(a, b), fold(c, d)), fold(fold(e, f), fold(g, h)))
}

/// Coordinates X, Y, T, Z for the scalar field.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn coordinates(point: &Four) -> [Fe; 4] {
    scatter(&carried!(ymm; *point))
}

/// Odd multiples of the base point, prepared for additions: y − x, y + x, 2dxy, 2 in lanes.
static ODD: [[[u64; 4]; 5]; 64] = {
    let mut out = [[[0; 4]; 5]; 64];
    let mut i = 0;
    while i < 64 {
        let [plus, minus, t2d]: Niels = BASE_ODD[i];
        let lanes = [limbs(&minus), limbs(&plus), limbs(&t2d), [2, 0, 0, 0, 0]];
        let mut j = 0;
        while j < 20 {
            out[i][j / 4][j % 4] = lanes[j % 4][j / 4];
            j += 1;
        }
        i += 1;
    }
    out
};

/// a·A + b·B for the base point B, by interleaved non-adjacent forms of width 5 and 8.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn double_base_vartime(a: &Words, point: &Affine, b: &Words) -> Four {
    let (a, b) = (naf_vartime(a, 5), naf_vartime(b, 8));
    let constants = constants();
    let start = from_affine(point);
    let twice = doubled!(start, constants);
    let twice = prepared!(twice, constants);
    // A, 3A, …, 15A
    let mut table = [prepared!(start, constants); 8];
    let mut multiple = start;
    for entry in &mut table[1..] {
        multiple = added!(multiple, twice, false, constants);
        *entry = prepared!(multiple, constants);
    }
    let mut sum = from_affine(&Affine::IDENTITY);
    let top = (0..256).rev().find(|i| a[*i] != 0 || b[*i] != 0).unwrap_or(0);
    for i in (0..=top).rev() {
        sum = doubled!(sum, constants);
        if a[i] != 0 {
            let entry = &table[usize::from(a[i].unsigned_abs() / 2)];
            sum = added!(sum, entry, a[i] < 0, constants);
        }
        if b[i] != 0 {
            let entry = &ODD[usize::from(b[i].unsigned_abs() / 2)];
            let entry = entry.each_ref().map(|limb| load256_u64(limb));
            sum = added!(sum, entry, b[i] < 0, constants);
        }
    }
    sum
}

/// x and y, canonical.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn to_affine(point: &Four) -> Affine {
    let [x, y, _, z] = coordinates(point);
    let inverse = z.invert();
    Affine { x: x.mul(&inverse).to_words(), y: y.mul(&inverse).to_words() }
}

/// Whether `8·(a·A + b·B − R)` is the identity.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn cofactored_vartime(a: &Words, point: &Affine, b: &Words, r: &Affine) -> bool {
    let sum = double_base_vartime(a, point, b);
    let minus_r = from_affine(&r.negate());
    is_small_order_sum_vartime(&sum, &minus_r)
}

/// Whether eight times the sum of the two is the identity.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
pub(super) fn is_small_order_sum_vartime(a: &Four, b: &Four) -> bool {
    let constants = constants();
    let b = prepared!(*b, constants);
    let mut sum = added!(*a, b, false, constants);
    for _ in 0..3 {
        sum = doubled!(sum, constants);
    }
    let [x, y, _, z] = coordinates(&sum);
    x.to_words() == [0; 4] && y.sub(&z).to_words() == [0; 4]
}

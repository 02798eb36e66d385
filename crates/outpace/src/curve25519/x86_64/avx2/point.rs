//! One point in four lanes: the parallel formulas of Hisil, Wong, Carter and Dawson (2008, section 4).
//!
//! A point is (X, Y, T, Z). An addition and a doubling are two levels of four products each, with sums between them.
//!
//! Floor of a doubling: a square (55 multiplications, 155 instructions), a product (245) and some 190 between them: 195
//! cycles on three ports, about as many by what waits for what.

use super::lanes::{EMPTY, Factor, Four, TWO_P, all, each_limb, gather, limbs, scatter, settled};
use super::product::{product, squared};
use crate::curve25519::edwards::{Affine, Niels};
use crate::curve25519::field::{Field, Words};
use crate::curve25519::many::{TERMS, Term};
use crate::curve25519::scalar::naf_vartime;
use crate::curve25519::tables::{BASE_ODD, D2};
use crate::simd::load256_u64;
use core::arch::x86_64::*;

const ONE: [u64; 10] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const TWO: [u64; 10] = [2, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// What is complemented in the lanes where it is subtracted, and the bias that makes it a negation there.
struct Signs {
    sign: __m256i,
    bias: Four,
}

#[inline]
#[target_feature(enable = "avx2")]
fn signs(lanes: [i64; 4]) -> Signs {
    let [a, b, c, d] = lanes;
    let sign = _mm256_setr_epi64x(a, b, c, d);
    let mut bias = EMPTY;
    for (bias, two_p) in bias.iter_mut().zip(TWO_P) {
        *bias = _mm256_and_si256(sign, all(two_p + 1));
    }
    Signs { sign, bias }
}

/// What the formulas are made with, once per job: for an addition and a subtraction, the signs of the sums at their
/// beginning, and in the middle of A, C and of B, D.
struct Constants {
    spread: [Signs; 2],
    odds: [__m256i; 2],
    middle: [Signs; 2],
    double: Signs,
}

#[inline]
#[target_feature(enable = "avx2")]
fn constants() -> Constants {
    Constants {
        spread: [signs([-1, 0, 0, 0]), signs([0, -1, 0, 0])],
        odds: [all(0), _mm256_setr_epi64x(-1, 0, 0, 0)],
        middle: [signs([-1, 0, -1, 0]), signs([0, 0, 0, -1])],
        double: signs([-1, 0, -1, -1]),
    }
}

/// The order of lanes 0…3: `LANES` in pairs of bits, lane 0 lowest.
#[inline]
#[target_feature(enable = "avx2")]
fn order<const LANES: i32>(v: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<LANES>(v)
}

/// Lanes within halves, by a bit for each.
#[inline]
#[target_feature(enable = "avx2")]
fn halves<const LANES: i32>(v: __m256i) -> __m256i {
    _mm256_castpd_si256(_mm256_permute_pd::<LANES>(_mm256_castsi256_pd(v)))
}

/// A point with affine coordinates.
#[target_feature(enable = "avx2")]
pub(super) fn from_affine(point: &Affine) -> Four {
    let (x, y) = (limbs(&point.x), limbs(&point.y));
    // X, Y, X·Y, 1 as the product of X, Y, X, 1 and 1, 1, Y, 1.
    let mut right = Factor::EMPTY;
    right.set_all(&gather(&[ONE, ONE, y, ONE]));
    product(&gather(&[x, y, x, ONE]), &right)
}

/// Y − X, Y + X, T, Z, or the first two exchanged.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(point: &Four, signs: &Signs) -> Four {
    let halves_x = _mm256_setr_epi64x(-1, -1, 0, 0);
    let mut out = EMPTY;
    each_limb!(i => {
        let y = halves::<0b1011>(point[i]); // Y, Y, T, Z
        let x = _mm256_and_si256(halves::<0b0000>(point[i]), halves_x);
        out[i] = _mm256_add_epi64(_mm256_add_epi64(y, signs.bias[i]), _mm256_xor_si256(x, signs.sign));
    });
    out
}

/// E, H, F, G in: X = E·F, Y = H·G, T = E·H, Z = F·G out.
#[inline]
#[target_feature(enable = "avx2")]
fn finish(sums: &Four) -> Four {
    let (mut left, mut right) = (EMPTY, Factor::EMPTY);
    each_limb!(i => {
        left[i] = order::<0b10_00_01_00>(sums[i]);
        right.set(i, order::<0b11_01_11_10>(sums[i]));
    });
    product(&left, &right)
}

/// The point prepared for additions: Y − X, Y + X, 2dT, 2Z.
#[target_feature(enable = "avx2")]
fn prepare(out: &mut Factor, point: &Four, constants: &Constants) {
    let mut right = Factor::EMPTY;
    right.set_all(&gather(&[ONE, ONE, limbs(&D2), TWO]));
    out.set_all(&product(&spread(point, &constants.spread[0]), &right));
}

/// `point ± prepared`.
#[target_feature(enable = "avx2")]
fn add(point: &mut Four, prepared: &Factor, negate: bool, constants: &Constants) {
    // −(x, y) = (−x, y): Y − X and Y + X change places, and 2dT its sign.
    let negate = usize::from(negate);
    let products = product(&spread(point, &constants.spread[negate]), prepared); // A, B, C, D or B, A, C, D
    // E = B − A, H = B + A, F = D ∓ C, G = D ± C
    let mut sums = EMPTY;
    let (signs, odd) = (&constants.middle[negate], constants.odds[negate]);
    // For B, A the bias of E is that of −A.
    let e = constants.spread[0].bias;
    each_limb!(i => {
        let (ac, bd) = (halves::<0b0000>(products[i]), halves::<0b1111>(products[i]));
        let bias = _mm256_add_epi64(signs.bias[i], _mm256_and_si256(e[i], odd));
        let (ac, bd) = (_mm256_xor_si256(ac, signs.sign), _mm256_xor_si256(bd, odd));
        sums[i] = _mm256_add_epi64(_mm256_add_epi64(ac, bias), bd);
    });
    *point = finish(&sums);
}

/// The sum of four points.
#[target_feature(enable = "avx2")]
pub(super) fn sum([a, b, c, d]: &[Four; 4]) -> Four {
    let constants = constants();
    let (mut ab, mut cd) = (*a, *c);
    let mut prepared = [Factor::EMPTY; 2];
    prepare(&mut prepared[0], b, &constants);
    prepare(&mut prepared[1], d, &constants);
    add(&mut ab, &prepared[0], false, &constants);
    add(&mut cd, &prepared[1], false, &constants);
    prepare(&mut prepared[0], &cd, &constants);
    add(&mut ab, &prepared[0], false, &constants);
    ab
}

/// Doubles; T is not read.
#[inline]
#[target_feature(enable = "avx2")]
fn double(point: &mut Four, constants: &Constants) {
    let (lane_2, zero_2) = (_mm256_setr_epi64x(0, 0, -1, 0), _mm256_setr_epi64x(-1, 0, -1, 0));
    let mut sums = EMPTY;
    each_limb!(i => {
        let y = _mm256_and_si256(order::<0b00_01_00_00>(point[i]), lane_2);
        sums[i] = _mm256_add_epi64(order::<0b11_00_01_00>(point[i]), y); // X, Y, X + Y, Z
    });
    let squares = squared(&sums); // A, B, D, C
    // E = A + B − D, H = A + B, F = A − B + 2C, G = A − B
    let minus_b = _mm256_setr_epi64x(0, 0, -1, -1);
    let minus_d = _mm256_setr_epi64x(-1, 0, 0, 0);
    let twice_c = _mm256_setr_epi64x(0, 0, 1, 0);
    each_limb!(i => {
        let a = order::<0b00_00_00_00>(squares[i]);
        let b = _mm256_xor_si256(order::<0b01_01_01_01>(squares[i]), minus_b);
        let dc = _mm256_and_si256(order::<0b00_11_00_10>(squares[i]), zero_2);
        let dc = _mm256_xor_si256(_mm256_sllv_epi64(dc, twice_c), minus_d);
        sums[i] = _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(dc, constants.double.bias[i]));
    });
    *point = finish(&settled(&sums));
}

/// Odd multiples of the base point, prepared for additions: y − x, y + x, 2dxy, 2 in lanes, limbs in pairs.
static ODD: [[[u64; 4]; 5]; 64] = {
    let mut out = [[[0; 4]; 5]; 64];
    let mut i = 0;
    while i < 64 {
        let [plus, minus, t2d]: Niels = BASE_ODD[i];
        let lanes = [limbs(&minus), limbs(&plus), limbs(&t2d), TWO];
        let mut j = 0;
        while j < 20 {
            let (pair, lane) = (j / 4, j % 4);
            out[i][pair][lane] = lanes[lane][2 * pair] | lanes[lane][2 * pair + 1] << 32;
            j += 1;
        }
        i += 1;
    }
    out
};

/// The multiple of the base point, up to its sign.
#[target_feature(enable = "avx2")]
fn odd_of_base(digit: i8) -> [__m256i; 5] {
    let mut pairs = [all(0); 5];
    for (pair, lanes) in pairs.iter_mut().zip(&ODD[usize::from(digit.unsigned_abs() / 2)]) {
        *pair = load256_u64(lanes);
    }
    pairs
}

/// Puts A, 3A, …, 15A, prepared, where `put` wants them.
#[target_feature(enable = "avx2")]
fn odd_multiples(point: &Four, constants: &Constants, mut put: impl FnMut(usize, &Factor)) {
    let (mut multiple, mut twice, mut prepared) = (*point, Factor::EMPTY, Factor::EMPTY);
    double(&mut multiple, constants);
    prepare(&mut twice, &multiple, constants);
    multiple = *point;
    for i in 0..8 {
        if i > 0 {
            add(&mut multiple, &twice, false, constants);
        }
        prepare(&mut prepared, &multiple, constants);
        put(i, &prepared);
    }
}

/// a·A + b·B for the base point B, by interleaved non-adjacent forms of width 5 and 8.
#[target_feature(enable = "avx2")]
pub(super) fn double_base_vartime(a: &Words, point: &Affine, b: &Words) -> Four {
    let (a, b) = (naf_vartime(a, 5), naf_vartime(b, 8));
    let constants = constants();
    let mut table = [Factor::EMPTY; 8];
    odd_multiples(&from_affine(point), &constants, |i, multiple| table[i] = *multiple);
    let mut sum = from_affine(&Affine::IDENTITY);
    let mut odd = Factor::EMPTY;
    let top = (0..256).rev().find(|i| a[*i] != 0 || b[*i] != 0).unwrap_or(0);
    for i in (0..=top).rev() {
        double(&mut sum, &constants);
        if a[i] != 0 {
            add(&mut sum, &table[usize::from(a[i].unsigned_abs() / 2)], a[i] < 0, &constants);
        }
        if b[i] != 0 {
            odd.set_pairs(&odd_of_base(b[i]));
            add(&mut sum, &odd, b[i] < 0, &constants);
        }
    }
    sum
}

/// Whether `8·(a·A + b·B − R)` is the identity.
#[target_feature(enable = "avx2")]
pub(super) fn cofactored_vartime(a: &Words, point: &Affine, b: &Words, r: &Affine) -> bool {
    let constants = constants();
    let mut sum = double_base_vartime(a, point, b);
    let mut prepared = Factor::EMPTY;
    prepare(&mut prepared, &from_affine(r), &constants);
    add(&mut sum, &prepared, true, &constants);
    is_small_order_vartime(sum, &constants)
}

/// Whether eight times the sum of all multiples and of `base·B` is the identity, by interleaved non-adjacent forms.
/// At most [`TERMS`] terms.
#[target_feature(enable = "avx2")]
pub(super) fn combination_vartime(terms: &[Term], base: &Words) -> bool {
    let constants = constants();
    let mut digits = [[0; 256]; TERMS];
    // A, 3A, …, 15A, prepared, in pairs of limbs: 80 KiB instead of 320.
    let mut tables = [[[all(0); 5]; 8]; TERMS];
    let mut prepared = Factor::EMPTY;
    for ((digits, table), (scalar, point)) in digits.iter_mut().zip(&mut tables).zip(terms) {
        *digits = naf_vartime(scalar, 5);
        odd_multiples(&from_affine(point), &constants, |i, multiple| table[i] = multiple.pairs());
    }
    let b = naf_vartime(base, 8);
    let mut sum = from_affine(&Affine::IDENTITY);
    for i in (0..256).rev() {
        double(&mut sum, &constants);
        for (digits, table) in digits.iter().zip(&tables).take(terms.len()) {
            if digits[i] != 0 {
                prepared.set_pairs(&table[usize::from(digits[i].unsigned_abs() / 2)]);
                add(&mut sum, &prepared, digits[i] < 0, &constants);
            }
        }
        if b[i] != 0 {
            prepared.set_pairs(&odd_of_base(b[i]));
            add(&mut sum, &prepared, b[i] < 0, &constants);
        }
    }
    is_small_order_vartime(sum, &constants)
}

/// Whether eight times the point is the identity.
#[target_feature(enable = "avx2")]
fn is_small_order_vartime(mut point: Four, constants: &Constants) -> bool {
    for _ in 0..3 {
        double(&mut point, constants);
    }
    let [x, y, _, z] = scatter(&point);
    x.to_words() == [0; 4] && y.sub(&z).to_words() == [0; 4]
}

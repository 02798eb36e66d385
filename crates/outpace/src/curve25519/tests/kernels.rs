//! Every kernel against the portable one, and the portable one against the definitions.

use super::*;
use crate::curve25519::edwards::{Affine, Point};
use crate::curve25519::field::{Fe, Field};
use crate::curve25519::montgomery::clamp;
use crate::curve25519::scalar::{ORDER, Scalar, naf_vartime, radix_16};
use crate::curve25519::{CURVE, Curve, tables};
use std::vec::Vec;

fn kernels() -> Vec<(&'static str, &'static Curve)> {
    CURVE.all().collect()
}

fn portable() -> &'static Curve {
    kernels().last().expect("the portable kernel is always there").1
}

/// Points of every kind: the eight of small order, multiples of the base point, and sums of the two.
fn points() -> Vec<Affine> {
    let mut out: Vec<Affine> =
        small_order_encodings().iter().map(|e| (portable().decode_vartime)(e).expect("on the curve")).collect();
    let mut rng = Rng::new(3);
    for _ in 0..4 {
        let multiple = (portable().base)(&random_words(&mut rng));
        let mixed = Point::<Fe>::from_affine(&multiple).add_affine(&out[7], false).to_affine();
        out.push(multiple);
        out.push(mixed);
    }
    out
}

/// All encodings of the points of small order, the canonical eight first.
pub(super) fn small_order_encodings() -> Vec<[u8; 32]> {
    let p = crate::curve25519::edwards::P;
    let eight = words(&hex32("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"));
    let minus = crate::curve25519::edwards::minus;
    let one = [1, 0, 0, 0];
    let signed = |y: Words, sign: u64| {
        let mut y = y;
        y[3] |= sign << 63;
        crate::curve25519::field::bytes(&y)
    };
    let mut above = p;
    above[0] += 1;
    std::vec![
        signed(one, 0),
        signed(minus(&one), 0),
        signed([0; 4], 0),
        signed([0; 4], 1),
        signed(eight, 0),
        signed(eight, 1),
        signed(minus(&eight), 0),
        signed(minus(&eight), 1),
        // x = 0 called negative, y = p for 0, y = p + 1 for 1.
        signed(one, 1),
        signed(minus(&one), 1),
        signed(p, 0),
        signed(p, 1),
        signed(above, 0),
        signed(above, 1),
    ]
}

#[test]
fn ladders_agree() {
    let mut rng = Rng::new(1);
    for (name, curve) in kernels() {
        for u in edges() {
            let k = clamp(&random_words(&mut rng));
            assert_eq!((curve.agree)(&k, &u), (portable().agree)(&k, &u), "{name} {k:x?} {u:x?}");
        }
        for k in edges() {
            let (k, u) = (clamp(&k), random_words(&mut rng));
            assert_eq!((curve.agree)(&k, &u), (portable().agree)(&k, &u), "{name} {k:x?} {u:x?}");
        }
    }
}

#[test]
fn multiples_of_the_base_point_agree() {
    let mut rng = Rng::new(2);
    for (name, curve) in kernels() {
        for i in 0..64 {
            let k = clamp(&random_words(&mut rng));
            let expected = (portable().agree)(&k, &[9, 0, 0, 0]);
            assert_eq!((curve.base_u)(&k), expected, "{name} {i}");
        }
        for k in edges() {
            let (got, expected) = ((curve.base)(&k), (portable().base)(&k));
            assert_eq!((got.x, got.y), (expected.x, expected.y), "{name} {k:x?}");
        }
    }
    // The portable table against adding up.
    let one = Point::<Fe>::from_affine(&(portable().base)(&[1, 0, 0, 0]));
    let mut sum = Point::<Fe>::identity();
    for i in 0..300 {
        let got = (portable().base)(&[i, 0, 0, 0]);
        assert_eq!(got.encode(), sum.to_affine().encode(), "{i}");
        sum = sum.add_affine(&one.to_affine(), false);
    }
    let order = (portable().base)(&ORDER);
    assert_eq!(order.encode(), Affine::IDENTITY.encode());
}

#[test]
fn decoding_agrees() {
    let mut rng = Rng::new(4);
    let mut encodings = small_order_encodings();
    encodings.extend((0..200).map(|_| rng.array::<32>()));
    for e in edges() {
        let mut e = e;
        encodings.push(crate::curve25519::field::bytes(&e));
        e[3] |= 1 << 63;
        encodings.push(crate::curve25519::field::bytes(&e));
    }
    let mut decoded = 0;
    for encoding in &encodings {
        let expected = (portable().decode_vartime)(encoding);
        if let Some(p) = expected {
            decoded += 1;
            // −x² + y² = 1 + d·x²·y²
            let (x2, y2) = (Fe::of(&p.x).square(), Fe::of(&p.y).square());
            let right = Fe::ONE.add(&Fe::of(&tables::D).mul(&x2).mul(&y2));
            assert_eq!(y2.sub(&x2).to_words(), right.to_words());
        }
        for (name, curve) in kernels() {
            let got = (curve.decode_vartime)(encoding);
            assert_eq!(got.map(|p| (p.x, p.y)), expected.map(|p| (p.x, p.y)), "{name} {encoding:x?}");
        }
    }
    assert!(decoded > encodings.len() / 3 && decoded < encodings.len(), "{decoded} of {}", encodings.len());
}

#[test]
fn double_multiples_agree() {
    let mut rng = Rng::new(5);
    let zero = [0; 4];
    for (name, curve) in kernels() {
        for point in points() {
            let mut cases = std::vec![(zero, zero), (zero, [1, 0, 0, 0]), ([1, 0, 0, 0], zero), (ORDER, ORDER)];
            for _ in 0..6 {
                let mut next = || *Scalar::reduce(&random_words(&mut rng)).words();
                cases.extend([(next(), next()), (next(), zero), (zero, next())]);
            }
            for (a, b) in cases {
                let expected = (portable().double_base_vartime)(&a, &point, &b);
                let got = (curve.double_base_vartime)(&a, &point, &b);
                assert_eq!(got.encode(), expected.encode(), "{name} {a:x?} {b:x?}");
                // R differs from the sum by a point of small order, or by more.
                for r in points() {
                    let difference = Point::<Fe>::from_affine(&expected).add_affine(&r, true).is_small_order_vartime();
                    assert_eq!((curve.cofactored_vartime)(&a, &point, &b, &r), difference, "{name} {a:x?} {b:x?}");
                }
                let off = Point::<Fe>::from_affine(&expected).add_affine(&points()[7], false).to_affine();
                assert!((curve.cofactored_vartime)(&a, &point, &b, &off), "{name} {a:x?} {b:x?}");
            }
        }
    }
    // Portable against the ladder of definitions: double and add.
    let point = points()[9];
    for _ in 0..20 {
        let (a, b) = (random_words(&mut rng), random_words(&mut rng));
        let multiply = |k: &Words, p: &Affine| {
            let mut sum = Affine::IDENTITY;
            for bit in (0..255).rev() {
                sum = Point::<Fe>::from_affine(&sum).add_affine(&sum, false).to_affine();
                if k[bit / 64] >> (bit % 64) & 1 == 1 {
                    sum = Point::<Fe>::from_affine(&sum).add_affine(p, false).to_affine();
                }
            }
            sum
        };
        let base = (portable().base)(&[1, 0, 0, 0]);
        let expected =
            Point::<Fe>::from_affine(&multiply(&a, &point)).add_affine(&multiply(&b, &base), false).to_affine();
        assert_eq!((portable().double_base_vartime)(&a, &point, &b).encode(), expected.encode());
    }
}

#[test]
fn inversion() {
    let mut rng = Rng::new(6);
    let mut values = edges();
    values.extend((0..2000).map(|_| random_words(&mut rng)));
    for x in values {
        let x = Fe::of(&x);
        let product = x.mul(&x.invert()).to_words();
        let expected = if x.to_words() == [0; 4] { [0; 4] } else { [1, 0, 0, 0] };
        assert_eq!(product, expected, "{:x?}", x.to_words());
    }
}

#[test]
fn scalars() {
    /// Bit by bit.
    fn slow(x: &[u64; 8]) -> Words {
        let mut rest = [0u64; 4];
        for bit in (0..512).rev() {
            let mut carry = x[bit / 64] >> (bit % 64) & 1;
            for word in &mut rest {
                (*word, carry) = (*word << 1 | carry, *word >> 63);
            }
            if !rest.iter().rev().lt(ORDER.iter().rev()) {
                let mut borrow = false;
                for i in 0..4 {
                    let (a, b1) = rest[i].overflowing_sub(ORDER[i]);
                    let (a, b2) = a.overflowing_sub(u64::from(borrow));
                    (rest[i], borrow) = (a, b1 | b2);
                }
            }
        }
        rest
    }
    let mut rng = Rng::new(7);
    let mut wide: Vec<[u64; 8]> = (0..200).map(|_| core::array::from_fn(|_| rng.u64())).collect();
    wide.extend([[0; 8], [u64::MAX; 8], [ORDER[0], ORDER[1], ORDER[2], ORDER[3], 0, 0, 0, 0]]);
    wide.extend((0..8).map(|i| core::array::from_fn(|j| if i == j { u64::MAX } else { 0 })));
    for x in &wide {
        assert_eq!(*Scalar::reduce_wide(x).words(), slow(x), "{x:x?}");
    }
    for i in 0..100 {
        let [a, b, c] = [0, 1, 2].map(|k| Scalar::reduce_wide(&wide[i + k]));
        // a·b + c by schoolbook.
        let mut product = [0u64; 8];
        for (i, x) in a.words().iter().enumerate() {
            let mut carry = 0u128;
            for (j, y) in b.words().iter().enumerate() {
                carry += u128::from(*x) * u128::from(*y) + u128::from(product[i + j]);
                product[i + j] = carry as u64;
                carry >>= 64;
            }
            product[i + 4] = carry as u64;
        }
        let mut carry = 0u128;
        for i in 0..8 {
            carry += u128::from(product[i]) + if i < 4 { u128::from(c.words()[i]) } else { 0 };
            product[i] = carry as u64;
            carry >>= 64;
        }
        assert_eq!(*a.mul_add(&b, &c).words(), slow(&product));
    }
    // The largest canonical scalar, the smallest that is none.
    let mut x = ORDER;
    assert!(Scalar::from_canonical_vartime(&crate::curve25519::field::bytes(&x)).is_none());
    x[0] -= 1;
    assert!(Scalar::from_canonical_vartime(&crate::curve25519::field::bytes(&x)).is_some());
    assert!(Scalar::from_canonical_vartime(&[0xff; 32]).is_none());
}

#[test]
fn recodings() {
    let mut rng = Rng::new(8);
    let mut scalars = edges();
    scalars.extend((0..200).map(|_| random_words(&mut rng)));
    /// Σ digit·2^(step·position) as signed 512-bit sums of bits: compares by adding into limbs.
    fn value(digits: &[i8], step: usize) -> Words {
        let mut sum = [0i128; 5];
        for (i, d) in digits.iter().enumerate() {
            let bit = i * step;
            sum[bit / 64] += i128::from(*d) << (bit % 64);
        }
        let mut out = [0; 4];
        for i in 0..4 {
            out[i] = sum[i] as u64;
            sum[i + 1] += sum[i] >> 64;
        }
        assert_eq!(sum[4], 0);
        out
    }
    for x in &scalars {
        let digits = radix_16(x);
        assert!(digits.iter().all(|d| (-8..=8).contains(d)));
        assert_eq!(value(&digits, 4), *x);
        for w in [4, 5, 8] {
            let digits = naf_vartime(x, w);
            assert_eq!(value(&digits, 1), *x, "width {w}");
            assert!(digits.iter().all(|d| *d == 0 || (d & 1 == 1 && i32::from(*d).abs() < 1 << (w - 1))));
        }
    }
}

#[test]
fn many_agree() {
    let mut rng = Rng::new(9);
    for (name, curve) in kernels() {
        for n in (0..=18).chain([31, 32]) {
            let scalars: Vec<Words> = (0..n).map(|_| clamp(&random_words(&mut rng))).collect();
            let mut u: Vec<Words> = (0..n).map(|_| random_words(&mut rng)).collect();
            // Zero shares no inverse with its neighbours.
            if n > 4 {
                u[n / 2] = [0; 4];
                u[1] = crate::curve25519::edwards::P;
            }
            let mut shared = std::vec![[7; 4]; n];
            (curve.agree_many)(&scalars, &u, &mut shared);
            for i in 0..n {
                assert_eq!(shared[i], (portable().agree)(&scalars[i], &u[i]), "{name}, {i} of {n}");
            }
            let mut multiples = std::vec![Affine::IDENTITY; n];
            (curve.base_many)(&scalars, &mut multiples);
            for i in 0..n {
                assert_eq!(multiples[i].encode(), (portable().base)(&scalars[i]).encode(), "{name}, {i} of {n}");
            }
        }
        // Every digit of the tables, and the extremes of the scalar.
        let (scalars, mut multiples) = (edges(), std::vec![Affine::IDENTITY; edges().len()]);
        (curve.base_many)(&scalars, &mut multiples);
        for (k, multiple) in scalars.iter().zip(&multiples) {
            assert_eq!(multiple.encode(), (portable().base)(k).encode(), "{name} {k:x?}");
        }
    }
}

#[test]
fn decoding_many_agrees() {
    let mut rng = Rng::new(10);
    for (name, curve) in kernels() {
        let mut encodings = small_order_encodings();
        encodings.extend(edges().iter().map(crate::curve25519::field::bytes));
        encodings.extend((0..100).map(|_| rng.array::<32>()));
        for encoding in &encodings {
            let expected = (portable().decode_vartime)(encoding);
            let mut point = [Affine::IDENTITY];
            let valid = (curve.decode_many_vartime)(&[*encoding], &mut point);
            assert_eq!(valid, expected.is_some(), "{name} {encoding:x?}");
            if let Some(p) = expected {
                assert_eq!((point[0].x, point[0].y), (p.x, p.y), "{name} {encoding:x?}");
            }
        }
        let valid: Vec<[u8; 32]> =
            encodings.into_iter().filter(|e| (portable().decode_vartime)(e).is_some()).take(32).collect();
        for n in 0..=32 {
            let mut points = std::vec![Affine::IDENTITY; n];
            assert!((curve.decode_many_vartime)(&valid[..n], &mut points), "{name} {n}");
            for (point, encoding) in points.iter().zip(&valid) {
                let expected = (portable().decode_vartime)(encoding).expect("a point");
                assert_eq!((point.x, point.y), (expected.x, expected.y), "{name} {n}");
            }
            // One that is no point, anywhere.
            if n > 0 {
                let mut wrong = valid[..n].to_vec();
                wrong[rng.below(n)] = crate::curve25519::field::bytes(&[2, 0, 0, 0]);
                assert!(!(curve.decode_many_vartime)(&wrong, &mut points), "{name} {n}");
            }
        }
    }
}

#[test]
fn combinations_agree() {
    let mut rng = Rng::new(11);
    let torsion = points();
    for (name, curve) in kernels() {
        for n in [0, 1, 2, 7, 8, 9, 15, 16, 17, 40, 63, 64] {
            // Multiples of B, some with a component of small order, and the multiple that cancels their sum.
            let mut sum = Scalar::of([0; 4]);
            let mut terms = Vec::new();
            for i in 0..n {
                let mut scalar = *Scalar::reduce(&random_words(&mut rng)).words();
                if i % 3 == 0 {
                    (scalar[2], scalar[3]) = (0, 0);
                }
                if i == 5 {
                    scalar = [0; 4];
                }
                let log = Scalar::reduce(&random_words(&mut rng));
                let point = (portable().base)(log.words());
                let point = Point::<Fe>::from_affine(&point).add_affine(&torsion[i % 8], false).to_affine();
                sum = Scalar::of(scalar).mul_add(&log, &sum);
                terms.push((scalar, point));
            }
            let minus_one = Scalar::of([ORDER[0] - 1, ORDER[1], ORDER[2], ORDER[3]]);
            let base = sum.mul_add(&minus_one, &Scalar::of([0; 4]));
            assert!((curve.combination_vartime)(&terms, base.words()), "{name} {n}");
            let off = base.mul_add(&Scalar::of([1, 0, 0, 0]), &Scalar::of([1, 0, 0, 0]));
            assert!(!(curve.combination_vartime)(&terms, off.words()), "{name} {n}");
            if n > 0 {
                let i = rng.below(n);
                terms[i].0[0] ^= 2;
                assert!(!(curve.combination_vartime)(&terms, base.words()), "{name} {n}");
            }
        }
    }
}

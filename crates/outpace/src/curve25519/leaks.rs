//! What the leak checker runs: every secret-handling job with every kernel.

use super::edwards::Affine;
use super::montgomery::clamp;
use super::scalar::Scalar;
use super::{CURVE, invert};
use crate::ed25519::SigningKey;
use crate::leaks::Check;
use crate::mem::taint;
use crate::x25519::StaticSecret;
use core::hint::black_box;

fn secret<T>(value: T) -> T {
    let value = black_box(value);
    taint::secret(&value);
    value
}

pub(crate) const CHECKS: &[Check] = &[
    Check::new("curve25519/agree", || {
        for (_, curve) in CURVE.all() {
            let scalar = clamp(&secret([0x1234_5678_9abc_def0; 4]));
            black_box((curve.agree)(&scalar, &secret([9, 8, 7, 6])));
        }
    }),
    Check::new("curve25519/base", || {
        for (_, curve) in CURVE.all() {
            let scalar = clamp(&secret([0x1234_5678_9abc_def0; 4]));
            black_box((curve.base_u)(&scalar));
            let Affine { x, y } = (curve.base)(&scalar);
            black_box((x, y));
        }
    }),
    Check::new("curve25519/many", || {
        for (_, curve) in CURVE.all() {
            let scalars = secret([clamp(&[0x1234_5678_9abc_def0; 4]); 9]);
            let mut shared = [[0; 4]; 9];
            (curve.agree_many)(&scalars, &secret([[9, 8, 7, 6]; 9]), &mut shared);
            let mut points = [Affine::IDENTITY; 9];
            (curve.base_many)(&scalars, &mut points);
            black_box((shared, points.map(|p| (p.x, p.y))));
        }
    }),
    Check::new("curve25519/invert", || {
        black_box(invert::invert(&secret([1, 2, 3, 4])));
    }),
    Check::new("curve25519/scalar", || {
        let (a, b) = (Scalar::from_hash(&secret([0xa5; 64])), Scalar::from_hash(&secret([0x5a; 64])));
        black_box(a.mul_add(&b, &a).to_bytes());
    }),
    Check::new("x25519", || {
        let key = StaticSecret::from_bytes(&secret([7; 32]));
        let public = key.public_key();
        taint::public(&public);
        black_box(key.agree(&public).is_ok());
    }),
    Check::new("ed25519/sign", || {
        let key = SigningKey::from_seed(&secret([7; 32]));
        black_box(key.sign(b"message"));
    }),
];

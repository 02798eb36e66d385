//! ECDSA and ECDH through EVP_PKEY.

use std::ffi::c_int;
use std::ptr::{null, null_mut};

use super::pkey::{self, Key};
use super::{OK, Owned, ffi};
use crate::job::ec::{Curve, EcJob, EcOperation, Signature};
use crate::side::Side;

/// A public key, or with `secret` the pair.
fn key(job: &EcJob, public: &[u8], secret: Option<&[u8]>) -> Key {
    const PUBLIC: c_int = 0x86;
    const PAIR: c_int = 0x87;
    let group = match job.curve {
        Curve::P256 => c"P-256",
        Curve::P384 => c"P-384",
        Curve::Secp256k1 => c"secp256k1",
    };
    let point = [&[4], public].concat();
    // Numbers are given as this machine has them, the least significant byte first.
    let number: Vec<u8> = secret.unwrap_or_default().iter().rev().copied().collect();
    let mut parameters = vec![ffi::OSSL_PARAM::text(c"group", group), ffi::OSSL_PARAM::input(c"pub", &point)];
    if secret.is_some() {
        parameters.push(ffi::OSSL_PARAM::long_number(c"priv", &number));
    }
    parameters.push(ffi::OSSL_PARAM::END);
    // SAFETY: the name is a C string, and null asks for the defaults.
    let context = unsafe { ffi::EVP_PKEY_CTX_new_from_name(null_mut(), c"EC".as_ptr(), null()) };
    let context = Owned::new(context, ffi::EVP_PKEY_CTX_free);
    let selection = if secret.is_some() { PAIR } else { PUBLIC };
    let mut key = null_mut();
    // SAFETY: the context lives, and the list of parameters ends and outlives the call.
    let done = unsafe {
        ffi::EVP_PKEY_fromdata_init(context.0) == OK
            && ffi::EVP_PKEY_fromdata(context.0, &mut key, selection, parameters.as_ptr()) == OK
    };
    assert!(done, "OpenSSL takes the key");
    Owned::new(key, ffi::EVP_PKEY_free)
}

fn verifies(context: &Owned<ffi::EVP_PKEY_CTX>, job: &EcJob, signature: &[u8]) -> bool {
    let (digest, length) = (job.digest.as_ptr(), job.digest.len());
    // SAFETY: the context is set up to verify; signature and digest are as long as said.
    unsafe { ffi::EVP_PKEY_verify(context.0, signature.as_ptr(), signature.len(), digest, length) == OK }
}

/// A context to verify with.
fn verifier(job: &EcJob) -> Owned<ffi::EVP_PKEY_CTX> {
    let context = pkey::context(&key(job, &job.public, None));
    // SAFETY: the context lives.
    assert_eq!(unsafe { ffi::EVP_PKEY_verify_init(context.0) }, OK, "OpenSSL can verify");
    context
}

pub fn side(job: &EcJob) -> Side {
    match job.operation {
        EcOperation::Sign => {
            let context = pkey::context(&key(job, &job.public, Some(&job.secret)));
            // SAFETY: the context lives.
            assert_eq!(unsafe { ffi::EVP_PKEY_sign_init(context.0) }, OK, "OpenSSL can sign");
            let width = job.secret.len();
            job.signing(
                (context, verifier(job)),
                |(context, _), job| {
                    let mut out = Signature([0; 112], 112);
                    let (digest, length) = (job.digest.as_ptr(), job.digest.len());
                    // SAFETY: the context is set up to sign; digest and room are as long as said.
                    let done = unsafe { ffi::EVP_PKEY_sign(context.0, out.0.as_mut_ptr(), &mut out.1, digest, length) };
                    assert_eq!(done, OK, "OpenSSL signs");
                    out
                },
                move |signature| from_der(signature.bytes(), width),
                |(_, verifier), job, theirs| verifies(verifier, job, &to_der(theirs)),
            )
        }
        EcOperation::Verify => {
            let state = (verifier(job), to_der(&job.signature));
            job.verifying(state, |(context, signature), job| verifies(context, job, signature))
        }
        EcOperation::Agree => {
            let (key, peer) = (key(job, &job.public, Some(&job.secret)), key(job, &job.peer, None));
            let context = pkey::context(&key);
            // SAFETY: context and peer live.
            let done = unsafe {
                ffi::EVP_PKEY_derive_init(context.0) == OK && ffi::EVP_PKEY_derive_set_peer(context.0, peer.0) == OK
            };
            assert!(done, "OpenSSL takes the peer's key");
            job.agreeing((context, key, peer), |(context, ..), out| {
                let mut length = out.len();
                // SAFETY: the context lives and the room is as long as said.
                let done = unsafe { ffi::EVP_PKEY_derive(context.0, out.as_mut_ptr(), &mut length) };
                assert_eq!((done, length), (OK, out.len()), "OpenSSL agrees");
            })
        }
    }
}

/// r and s as the sequence of two numbers that X.509 has.
fn to_der(signature: &[u8]) -> Vec<u8> {
    let (r, s) = signature.split_at(signature.len() / 2);
    let number = |number: &[u8]| {
        let start = number.iter().position(|&byte| byte != 0).unwrap_or(number.len() - 1);
        let sign = if number[start] >= 0x80 { &[0][..] } else { &[] };
        let digits = [sign, &number[start..]].concat();
        [&[2, digits.len() as u8][..], &digits].concat()
    };
    let body = [number(r), number(s)].concat();
    // Two numbers of P-384 have 104 bytes at most: a short length.
    [&[0x30, body.len() as u8][..], &body].concat()
}

/// The reverse, each number `width` bytes long.
fn from_der(der: &[u8], width: usize) -> Vec<u8> {
    let mut numbers = &der[2..];
    let mut signature = Vec::new();
    for _ in 0..2 {
        let (number, rest) = numbers[2..].split_at(usize::from(numbers[1]));
        let start = number.len().saturating_sub(width);
        signature.resize(signature.len() + width - (number.len() - start), 0);
        signature.extend_from_slice(&number[start..]);
        numbers = rest;
    }
    signature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_survive_der() {
        for (r, s) in [([0x80; 32], [1; 32]), ([0; 32], [0xff; 32])] {
            let (mut r, s) = (r, s);
            r[31] = 7;
            let signature = [r, s].concat();
            assert_eq!(from_der(&to_der(&signature), 32), signature);
        }
        assert_eq!(to_der(&[0, 5, 0x80, 1]), [0x30, 8, 2, 1, 5, 2, 3, 0, 0x80, 1]);
    }
}

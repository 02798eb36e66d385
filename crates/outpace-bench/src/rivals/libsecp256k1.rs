//! libsecp256k1, the library of Bitcoin Core, through its C interface with a context made beforehand.

use std::ffi::{c_int, c_uchar, c_void};
use std::ptr::{null, null_mut};

use secp256k1_sys as ffi;

use super::{Library, locked_version};
use crate::job::Job;
use crate::job::ec::{Curve, EcJob, EcOperation, Signature};
use crate::side::Side;
use crate::tier::Tier;

pub struct LibSecp256k1;

impl Library for LibSecp256k1 {
    fn name(&self) -> &'static str {
        "libsecp256k1"
    }

    fn version(&self) -> String {
        format!("as in secp256k1-sys {}", locked_version("secp256k1-sys"))
    }

    fn keeps_to(&self, _: Tier) -> bool {
        true
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Ec(job) if job.curve == Curve::Secp256k1 => Some(side(job)),
            _ => None,
        }
    }
}

const OK: c_int = 1;

/// A context that signs and verifies; it lives as long as the program.
#[derive(Clone, Copy)]
struct Context(*const ffi::Context);

impl Context {
    fn new() -> Self {
        // SAFETY: the flags are the library's.
        let context = unsafe { ffi::secp256k1_context_create(ffi::SECP256K1_START_NONE) };
        Self(context.as_ptr().cast_const())
    }

    fn public(self, coordinates: &[u8]) -> ffi::PublicKey {
        let encoded = [&[4], coordinates].concat();
        // SAFETY: the library sets the key before it is used, from an encoding as long as said.
        unsafe {
            let mut key = ffi::PublicKey::new();
            let done = ffi::secp256k1_ec_pubkey_parse(self.0, &mut key, encoded.as_ptr(), encoded.len());
            assert_eq!(done, OK, "libsecp256k1 takes the public key");
            key
        }
    }

    fn signature(self, compact: &[u8]) -> ffi::Signature {
        assert_eq!(compact.len(), 64, "r and s");
        // SAFETY: the library sets the signature before it is used. It verifies only the smaller s.
        unsafe {
            let mut signature = ffi::Signature::new();
            let done = ffi::secp256k1_ecdsa_signature_parse_compact(self.0, &mut signature, compact.as_ptr());
            assert_eq!(done, OK, "libsecp256k1 takes the signature");
            let given = signature;
            ffi::secp256k1_ecdsa_signature_normalize(self.0, &mut signature, &given);
            signature
        }
    }

    fn verifies(self, job: &EcJob, signature: &ffi::Signature, key: &ffi::PublicKey) -> bool {
        // SAFETY: signature and key are set, the digest has 32 bytes.
        unsafe { ffi::secp256k1_ecdsa_verify(self.0, signature, job.digest.as_ptr(), key) == OK }
    }
}

fn side(job: &EcJob) -> Side {
    let context = Context::new();
    let key = context.public(&job.public);
    match job.operation {
        EcOperation::Sign => job.signing(
            context,
            |context, job| {
                let mut out = Signature([0; 112], 64);
                // SAFETY: digest and key have 32 bytes, the output has room for 64; without a nonce function RFC 6979 is used.
                let done = unsafe {
                    let mut signature = ffi::Signature::new();
                    let (digest, secret) = (job.digest.as_ptr(), job.secret.as_ptr());
                    ffi::secp256k1_ecdsa_sign(context.0, &mut signature, digest, secret, None, null()) == OK
                        && ffi::secp256k1_ecdsa_signature_serialize_compact(context.0, out.0.as_mut_ptr(), &signature)
                            == OK
                };
                assert!(done, "libsecp256k1 signs");
                out
            },
            |signature| signature.bytes().to_vec(),
            move |context, job, theirs| context.verifies(job, &context.signature(theirs), &key),
        ),
        EcOperation::Verify => job.verifying((context, context.signature(&job.signature), key), |state, job| {
            let (context, signature, key) = state;
            context.verifies(job, signature, key)
        }),
        EcOperation::Agree => {
            let state = (context, context.public(&job.peer), job.secret.clone());
            job.agreeing(state, |(context, peer, secret), out| {
                // SAFETY: the point is set, the key has 32 bytes, and `x_coordinate` writes 32.
                let done = unsafe {
                    let (out, secret) = (out.as_mut_ptr(), secret.as_ptr());
                    ffi::secp256k1_ecdh(context.0, out, peer, secret, Some(x_coordinate), null_mut())
                };
                assert_eq!(done, OK, "libsecp256k1 agrees");
            })
        }
    }
}

/// What the library makes of the shared point, in place of hashing it.
unsafe extern "C" fn x_coordinate(out: *mut c_uchar, x: *const c_uchar, _: *const c_uchar, _: *mut c_void) -> c_int {
    // SAFETY: the library gives the coordinate's 32 bytes, and the caller as much room.
    unsafe { std::ptr::copy_nonoverlapping(x, out, 32) };
    OK
}

//! X25519 and Ed25519 through EVP_PKEY.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use super::pkey::{Key, context};
use super::{OK, Owned, ffi};
use crate::job::curve25519::{Ed25519Operation, X25519Operation};
use crate::job::{Ed25519Job, X25519Job};
use crate::side::Side;

fn private(kind: &CStr, bytes: &[u8; 32]) -> Key {
    // SAFETY: the name is a C string, null asks for the defaults, and the key is as long as said.
    let key =
        unsafe { ffi::EVP_PKEY_new_raw_private_key_ex(null_mut(), kind.as_ptr(), null(), bytes.as_ptr(), bytes.len()) };
    Owned::new(key, ffi::EVP_PKEY_free)
}

fn public(kind: &CStr, bytes: &[u8; 32]) -> Key {
    // SAFETY: as above.
    let key =
        unsafe { ffi::EVP_PKEY_new_raw_public_key_ex(null_mut(), kind.as_ptr(), null(), bytes.as_ptr(), bytes.len()) };
    Owned::new(key, ffi::EVP_PKEY_free)
}

fn public_bytes(key: &Key) -> [u8; 32] {
    let (mut bytes, mut length) = ([0; 32], 32);
    // SAFETY: the key lives and the room is as long as said.
    let done = unsafe { ffi::EVP_PKEY_get_raw_public_key(key.0, bytes.as_mut_ptr(), &mut length) };
    assert_eq!((done, length), (OK, 32), "OpenSSL gives the public key");
    bytes
}

pub fn x25519(job: &X25519Job) -> Side {
    match job.operation {
        X25519Operation::Agree => {
            let (key, peer) = (private(c"X25519", &job.secret), public(c"X25519", &job.peer));
            let context = context(&key);
            // SAFETY: context and peer live.
            let done = unsafe {
                ffi::EVP_PKEY_derive_init(context.0) == OK && ffi::EVP_PKEY_derive_set_peer(context.0, peer.0) == OK
            };
            assert!(done, "OpenSSL takes the peer's key");
            job.side((context, key, peer), |(context, ..)| {
                let (mut shared, mut length) = ([0; 32], 32);
                // SAFETY: the context lives and the room is as long as said.
                let done = unsafe { ffi::EVP_PKEY_derive(context.0, shared.as_mut_ptr(), &mut length) };
                assert_eq!((done, length), (OK, 32), "OpenSSL agrees");
                shared
            })
        }
        X25519Operation::PublicKey => job.side(job.secret, |secret| public_bytes(&private(c"X25519", secret))),
        X25519Operation::Generate => {
            // SAFETY: the name is a C string, and null asks for the defaults.
            let context = unsafe { ffi::EVP_PKEY_CTX_new_from_name(null_mut(), c"X25519".as_ptr(), null()) };
            let context = Owned::new(context, ffi::EVP_PKEY_CTX_free);
            // SAFETY: the context lives.
            assert_eq!(unsafe { ffi::EVP_PKEY_keygen_init(context.0) }, OK, "OpenSSL can make keys");
            job.generating(
                move || {
                    // The closure has to own the context, not only the pointer in it.
                    let context = &context;
                    let mut key = null_mut();
                    // SAFETY: the context is set up for making keys.
                    assert_eq!(unsafe { ffi::EVP_PKEY_generate(context.0, &mut key) }, OK, "OpenSSL makes a key");
                    let key = Owned::new(key, ffi::EVP_PKEY_free);
                    let (mut secret, mut length) = ([0; 32], 32);
                    // SAFETY: the key lives and the room is as long as said.
                    let done = unsafe { ffi::EVP_PKEY_get_raw_private_key(key.0, secret.as_mut_ptr(), &mut length) };
                    assert_eq!((done, length), (OK, 32), "OpenSSL gives the private key");
                    (secret, public_bytes(&key))
                },
                |secret| public_bytes(&private(c"X25519", secret)),
            )
        }
    }
}

const ED25519: &CStr = c"ED25519";

/// The scheme, looked up once.
fn scheme() -> Owned<ffi::EVP_SIGNATURE> {
    // SAFETY: the name is a C string, and null asks for the default library and properties.
    Owned::new(unsafe { ffi::EVP_SIGNATURE_fetch(null_mut(), ED25519.as_ptr(), null()) }, ffi::EVP_SIGNATURE_free)
}

fn accepts(context: &Owned<ffi::EVP_PKEY_CTX>, scheme: &Owned<ffi::EVP_SIGNATURE>, job: &Ed25519Job) -> bool {
    let (signature, message) = (&job.signature, &job.message);
    // SAFETY: context and scheme live, and every pointer comes with its length.
    unsafe {
        ffi::EVP_PKEY_verify_message_init(context.0, scheme.0, null()) == OK
            && ffi::EVP_PKEY_verify(context.0, signature.as_ptr(), signature.len(), message.as_ptr(), message.len())
                == OK
    }
}

pub fn ed25519(job: &Ed25519Job) -> Side {
    match job.operation {
        Ed25519Operation::Sign => {
            let key = private(ED25519, &job.seed);
            job.making((context(&key), scheme(), key), |(context, scheme, _), job| {
                let (mut signature, mut length, message) = ([0; 64], 64, &job.message);
                // SAFETY: context and scheme live, and every pointer comes with its length.
                let done = unsafe {
                    ffi::EVP_PKEY_sign_message_init(context.0, scheme.0, null()) == OK
                        && ffi::EVP_PKEY_sign(
                            context.0,
                            signature.as_mut_ptr(),
                            &mut length,
                            message.as_ptr(),
                            message.len(),
                        ) == OK
                };
                assert_eq!((done, length), (true, 64), "OpenSSL signs");
                signature
            })
        }
        Ed25519Operation::Verify => {
            let key = public(ED25519, &job.public);
            job.verifying((context(&key), scheme(), key), |(context, scheme, _), job| accepts(context, scheme, job))
        }
        Ed25519Operation::VerifyBytes => job.verifying(scheme(), |scheme, job| {
            let key = public(ED25519, &job.public);
            accepts(&context(&key), scheme, job)
        }),
        Ed25519Operation::PublicKey => job.making((), |(), job| public_bytes(&private(ED25519, &job.seed))),
    }
}

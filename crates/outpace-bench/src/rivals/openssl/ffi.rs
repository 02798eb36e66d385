//! The part of libcrypto's interface that the benchmark calls, declared after the headers of OpenSSL 4.0.

#![allow(non_camel_case_types, non_snake_case, reason = "the names are OpenSSL's")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

macro_rules! opaque {
    ($($name:ident),* $(,)?) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}

opaque!(
    EVP_CIPHER,
    EVP_CIPHER_CTX,
    EVP_KDF,
    EVP_KDF_CTX,
    EVP_MAC,
    EVP_MAC_CTX,
    EVP_MD,
    EVP_MD_CTX,
    EVP_PKEY,
    EVP_PKEY_CTX,
    EVP_SIGNATURE,
    OSSL_LIB_CTX,
);

/// One typed parameter, `struct ossl_param_st` of openssl/core.h.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct OSSL_PARAM {
    pub key: *const c_char,
    pub data_type: c_uint,
    pub data: *mut c_void,
    pub data_size: usize,
    pub return_size: usize,
}

impl OSSL_PARAM {
    /// The end of a list.
    pub const END: Self =
        Self { key: std::ptr::null(), data_type: 0, data: std::ptr::null_mut(), data_size: 0, return_size: 0 };

    const fn new(key: &'static CStr, data_type: c_uint, data: *mut c_void, data_size: usize) -> Self {
        const UNMODIFIED: usize = usize::MAX;
        Self { key: key.as_ptr(), data_type, data, data_size, return_size: UNMODIFIED }
    }

    /// A string of bytes, `OSSL_PARAM_OCTET_STRING`, to be read or written.
    pub const fn octets(key: &'static CStr, data: *mut u8, length: usize) -> Self {
        Self::new(key, 5, data.cast(), length)
    }

    /// A string of bytes that is only read.
    pub const fn input(key: &'static CStr, data: &[u8]) -> Self {
        Self::octets(key, data.as_ptr().cast_mut(), data.len())
    }

    /// Text, `OSSL_PARAM_UTF8_STRING`.
    pub const fn text(key: &'static CStr, text: &'static CStr) -> Self {
        Self::new(key, 4, text.as_ptr().cast_mut().cast(), text.count_bytes())
    }

    /// A number, `OSSL_PARAM_UNSIGNED_INTEGER`.
    pub const fn number(key: &'static CStr, number: &mut u64) -> Self {
        Self::new(key, 2, std::ptr::from_mut(number).cast(), size_of::<u64>())
    }

    /// A number of any length that is only read, the least significant byte first (as this machine has it).
    pub const fn long_number(key: &'static CStr, number: &[u8]) -> Self {
        Self::new(key, 2, number.as_ptr().cast_mut().cast(), number.len())
    }
}

unsafe extern "C" {
    pub fn OpenSSL_version(kind: c_int) -> *const c_char;

    pub fn RAND_bytes(output: *mut u8, length: c_int) -> c_int;

    pub fn EVP_MD_fetch(library: *mut OSSL_LIB_CTX, name: *const c_char, properties: *const c_char) -> *mut EVP_MD;
    pub fn EVP_MD_free(md: *mut EVP_MD);
    pub fn EVP_MD_CTX_new() -> *mut EVP_MD_CTX;
    pub fn EVP_MD_CTX_free(context: *mut EVP_MD_CTX);
    pub fn EVP_DigestInit_ex2(context: *mut EVP_MD_CTX, md: *const EVP_MD, parameters: *const OSSL_PARAM) -> c_int;
    pub fn EVP_DigestUpdate(context: *mut EVP_MD_CTX, data: *const c_void, length: usize) -> c_int;
    pub fn EVP_DigestFinal_ex(context: *mut EVP_MD_CTX, digest: *mut u8, length: *mut c_uint) -> c_int;
    pub fn EVP_DigestFinalXOF(context: *mut EVP_MD_CTX, output: *mut u8, length: usize) -> c_int;

    pub fn EVP_CIPHER_fetch(
        library: *mut OSSL_LIB_CTX,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_CIPHER;
    pub fn EVP_CIPHER_free(cipher: *mut EVP_CIPHER);
    pub fn EVP_CIPHER_CTX_new() -> *mut EVP_CIPHER_CTX;
    pub fn EVP_CIPHER_CTX_free(context: *mut EVP_CIPHER_CTX);
    pub fn EVP_CipherInit_ex2(
        context: *mut EVP_CIPHER_CTX,
        cipher: *const EVP_CIPHER,
        key: *const u8,
        iv: *const u8,
        encrypt: c_int,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    pub fn EVP_CipherUpdate(
        context: *mut EVP_CIPHER_CTX,
        output: *mut u8,
        written: *mut c_int,
        input: *const u8,
        length: c_int,
    ) -> c_int;
    pub fn EVP_CipherFinal_ex(context: *mut EVP_CIPHER_CTX, output: *mut u8, written: *mut c_int) -> c_int;
    pub fn EVP_CIPHER_CTX_get_params(context: *mut EVP_CIPHER_CTX, parameters: *mut OSSL_PARAM) -> c_int;

    pub fn EVP_MAC_fetch(library: *mut OSSL_LIB_CTX, name: *const c_char, properties: *const c_char) -> *mut EVP_MAC;
    pub fn EVP_MAC_free(mac: *mut EVP_MAC);
    pub fn EVP_MAC_CTX_new(mac: *mut EVP_MAC) -> *mut EVP_MAC_CTX;
    pub fn EVP_MAC_CTX_free(context: *mut EVP_MAC_CTX);
    pub fn EVP_MAC_init(
        context: *mut EVP_MAC_CTX,
        key: *const u8,
        length: usize,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    pub fn EVP_MAC_update(context: *mut EVP_MAC_CTX, data: *const u8, length: usize) -> c_int;
    pub fn EVP_MAC_final(context: *mut EVP_MAC_CTX, tag: *mut u8, written: *mut usize, room: usize) -> c_int;

    pub fn EVP_KDF_fetch(library: *mut OSSL_LIB_CTX, name: *const c_char, properties: *const c_char) -> *mut EVP_KDF;
    pub fn EVP_KDF_free(kdf: *mut EVP_KDF);
    pub fn EVP_KDF_CTX_new(kdf: *mut EVP_KDF) -> *mut EVP_KDF_CTX;
    pub fn EVP_KDF_CTX_free(context: *mut EVP_KDF_CTX);
    pub fn EVP_KDF_CTX_set_params(context: *mut EVP_KDF_CTX, parameters: *const OSSL_PARAM) -> c_int;
    pub fn EVP_KDF_derive(
        context: *mut EVP_KDF_CTX,
        output: *mut u8,
        length: usize,
        parameters: *const OSSL_PARAM,
    ) -> c_int;

    pub fn EVP_PKEY_new_raw_private_key_ex(
        library: *mut OSSL_LIB_CTX,
        kind: *const c_char,
        properties: *const c_char,
        key: *const u8,
        length: usize,
    ) -> *mut EVP_PKEY;
    pub fn EVP_PKEY_new_raw_public_key_ex(
        library: *mut OSSL_LIB_CTX,
        kind: *const c_char,
        properties: *const c_char,
        key: *const u8,
        length: usize,
    ) -> *mut EVP_PKEY;
    pub fn EVP_PKEY_get_raw_public_key(key: *const EVP_PKEY, output: *mut u8, length: *mut usize) -> c_int;
    pub fn EVP_PKEY_free(key: *mut EVP_PKEY);
    pub fn EVP_PKEY_CTX_new_from_pkey(
        library: *mut OSSL_LIB_CTX,
        key: *mut EVP_PKEY,
        properties: *const c_char,
    ) -> *mut EVP_PKEY_CTX;
    pub fn EVP_PKEY_CTX_new_from_name(
        library: *mut OSSL_LIB_CTX,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_PKEY_CTX;
    pub fn EVP_PKEY_fromdata_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_PKEY_fromdata(
        context: *mut EVP_PKEY_CTX,
        key: *mut *mut EVP_PKEY,
        selection: c_int,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    pub fn EVP_PKEY_sign_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_PKEY_verify_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_PKEY_keygen_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_PKEY_generate(context: *mut EVP_PKEY_CTX, key: *mut *mut EVP_PKEY) -> c_int;
    pub fn EVP_PKEY_get_raw_private_key(key: *const EVP_PKEY, output: *mut u8, length: *mut usize) -> c_int;
    pub fn EVP_PKEY_CTX_free(context: *mut EVP_PKEY_CTX);
    pub fn EVP_PKEY_derive_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_PKEY_derive_set_peer(context: *mut EVP_PKEY_CTX, peer: *mut EVP_PKEY) -> c_int;
    pub fn EVP_PKEY_derive(context: *mut EVP_PKEY_CTX, secret: *mut u8, length: *mut usize) -> c_int;
    pub fn EVP_SIGNATURE_fetch(
        library: *mut OSSL_LIB_CTX,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_SIGNATURE;
    pub fn EVP_SIGNATURE_free(scheme: *mut EVP_SIGNATURE);
    pub fn EVP_PKEY_sign_message_init(
        context: *mut EVP_PKEY_CTX,
        scheme: *mut EVP_SIGNATURE,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    pub fn EVP_PKEY_sign(
        context: *mut EVP_PKEY_CTX,
        signature: *mut u8,
        signature_length: *mut usize,
        message: *const u8,
        length: usize,
    ) -> c_int;
    pub fn EVP_PKEY_verify_message_init(
        context: *mut EVP_PKEY_CTX,
        scheme: *mut EVP_SIGNATURE,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    pub fn EVP_PKEY_verify(
        context: *mut EVP_PKEY_CTX,
        signature: *const u8,
        signature_length: usize,
        message: *const u8,
        length: usize,
    ) -> c_int;
}

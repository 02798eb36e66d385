//! The part of libcrypto's interface that the benchmark calls, declared after the headers of OpenSSL 4.0.

#![allow(non_camel_case_types, non_snake_case, reason = "the names are OpenSSL's")]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

macro_rules! opaque {
    ($($name:ident),* $(,)?) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}

opaque!(EVP_CIPHER, EVP_CIPHER_CTX, EVP_MD, EVP_MD_CTX, OSSL_LIB_CTX);

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

    /// A string of bytes, `OSSL_PARAM_OCTET_STRING`, to be read or written.
    pub const fn octets(key: &'static CStr, data: *mut u8, length: usize) -> Self {
        const OCTET_STRING: c_uint = 5;
        const UNMODIFIED: usize = usize::MAX;
        Self {
            key: key.as_ptr(),
            data_type: OCTET_STRING,
            data: data.cast(),
            data_size: length,
            return_size: UNMODIFIED,
        }
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
}

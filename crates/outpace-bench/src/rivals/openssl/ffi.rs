//! The part of libcrypto's interface that the benchmark calls, declared after the headers of OpenSSL 4.0.

#![allow(non_camel_case_types, non_snake_case, reason = "the names are OpenSSL's")]

use std::ffi::{c_char, c_int, c_uint, c_void};

macro_rules! opaque {
    ($($name:ident),* $(,)?) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}

opaque!(EVP_MD, EVP_MD_CTX, OSSL_LIB_CTX);

/// One typed parameter, `struct ossl_param_st` of openssl/core.h.
#[repr(C)]
pub struct OSSL_PARAM {
    pub key: *const c_char,
    pub data_type: c_uint,
    pub data: *mut c_void,
    pub data_size: usize,
    pub return_size: usize,
}

unsafe extern "C" {
    pub fn OpenSSL_version(kind: c_int) -> *const c_char;

    pub fn EVP_MD_fetch(library: *mut OSSL_LIB_CTX, name: *const c_char, properties: *const c_char) -> *mut EVP_MD;
    pub fn EVP_MD_free(md: *mut EVP_MD);
    pub fn EVP_MD_CTX_new() -> *mut EVP_MD_CTX;
    pub fn EVP_MD_CTX_free(context: *mut EVP_MD_CTX);
    pub fn EVP_DigestInit_ex2(context: *mut EVP_MD_CTX, md: *const EVP_MD, parameters: *const OSSL_PARAM) -> c_int;
    pub fn EVP_DigestUpdate(context: *mut EVP_MD_CTX, data: *const c_void, length: usize) -> c_int;
    pub fn EVP_DigestFinal_ex(context: *mut EVP_MD_CTX, digest: *mut u8, length: *mut c_uint) -> c_int;
    pub fn EVP_DigestFinalXOF(context: *mut EVP_MD_CTX, output: *mut u8, length: usize) -> c_int;
}

//! The checks that `make ct` runs, one per secret-handling job; see `docs/constant-time.md`.
//!
//! Compiled only under `--cfg outpace_ct`. Each primitive's `leaks.rs` marks its secrets, runs every kernel this CPU
//! has, and touches the results; the engine ends the process at the first branch or address that depends on a secret.

use crate::hash::{Hash, Sha256};
use crate::mem::{ct, taint};

/// One check. A planted one must be reported by the engine; any other must not.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// `family/primitive`; what `ctcheck NAME` takes.
    pub name: &'static str,
    /// Whether the check leaks on purpose, to show that the engine sees it.
    pub planted: bool,
    /// Runs it.
    pub run: fn(),
}

impl Check {
    pub(crate) const fn new(name: &'static str, run: fn()) -> Self {
        Self { name, planted: false, run }
    }
}

/// All checks, the planted leaks first.
#[must_use]
pub fn all() -> std::vec::Vec<Check> {
    let planted = [
        Check { name: "planted/table", planted: true, run: planted_table },
        Check { name: "planted/branch", planted: true, run: planted_branch },
        Check { name: "planted/select", planted: true, run: planted_select },
        Check { name: "planted/lookup", planted: true, run: planted_lookup },
        Check { name: "planted/kernel", planted: true, run: planted_kernel },
        Check { name: "planted/lanes", planted: true, run: planted_lanes },
    ];
    let real = [
        crate::aead::chacha20_poly1305::leaks::CHECKS,
        crate::aead::gcm::leaks::CHECKS,
        crate::aead::leaks::CHECKS,
        crate::aead::kalyna::leaks::CHECKS,
        crate::cipher::aes::leaks::CHECKS,
        crate::cipher::chacha20::leaks::CHECKS,
        crate::cipher::kalyna::leaks::CHECKS,
        crate::curve25519::leaks::CHECKS,
        crate::hash::blake2::leaks::CHECKS,
        crate::hash::kupyna::leaks::CHECKS,
        crate::hash::sha2::leaks::CHECKS,
        crate::hash::sha3::leaks::CHECKS,
        crate::mac::kmac::leaks::CHECKS,
        crate::kdf::leaks::CHECKS,
        crate::mac::hmac::leaks::CHECKS,
        crate::mac::poly1305::leaks::CHECKS,
    ];
    planted.into_iter().chain(real.into_iter().flatten().copied()).collect()
}

/// An address made from a secret.
fn planted_table() {
    let table: std::vec::Vec<u8> = (0..=255).collect();
    let secret = core::hint::black_box([7u8]);
    taint::secret(&secret);
    let looked_up = [table[usize::from(secret[0])]];
    core::hint::black_box(looked_up);
}

/// A branch on a secret.
fn planted_branch() {
    let secret = core::hint::black_box([7u8; 4]);
    taint::secret(&secret);
    if secret == *b"none" {
        std::println!("branch taken");
    }
}

/// A branch on what `mem::ct` selected.
fn planted_select() {
    let secret = core::hint::black_box([7u64]);
    taint::secret(&secret);
    if ct::select_u64(ct::Choice::from_bit(secret[0]), 1, 2) == 2 {
        std::println!("branch taken");
    }
}

/// A branch on what `mem::ct` looked up in a public table.
fn planted_lookup() {
    let secret = core::hint::black_box([1u8]);
    taint::secret(&secret);
    if ct::lookup(&[[[1, 2]], [[3, 4]], [[5, 6]]], u64::from(secret[0])) == [[5, 6]] {
        std::println!("branch taken");
    }
}

/// A branch on what the fastest kernel made of a secret: the mark must survive its instructions.
fn planted_kernel() {
    let secret = core::hint::black_box([7u8; 100]);
    taint::secret(&secret);
    if Sha256::digest(&secret)[0] == 0 {
        std::println!("branch taken");
    }
}

/// The same for a kernel on many messages, which is made of the instructions that `simd` wraps.
fn planted_lanes() {
    let secret = core::hint::black_box([7u8; 100]);
    taint::secret(&secret);
    let mut digests = [[0; 32]; 16];
    let done = Sha256::digest_many(&[&secret[..]; 16], &mut digests);
    if done.is_err() || digests[15][0] == 0 {
        std::println!("branch taken");
    }
}

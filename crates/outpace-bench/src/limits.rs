//! What this machine cannot go below: cycles per byte, by the instructions an algorithm cannot do without.
//!
//! Derived from port counts and latencies of Golden Cove (Sapphire and Emerald Rapids), and given only there. A limit
//! is stated where one resource alone fixes it; it is not a claim that anybody reaches it.

use crate::cases::Case;

/// A limit and why it is one.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    pub algorithm: &'static str,
    pub cycles_per_byte: f64,
    pub reason: &'static str,
}

pub const GOLDEN_COVE: &[Limit] = &[
    Limit { algorithm: "AES-128-GCM", cycles_per_byte: 0.156, reason: "10 VAESENC a 64-byte vector, one a cycle" },
    Limit { algorithm: "AES-256-GCM", cycles_per_byte: 0.219, reason: "14 VAESENC a 64-byte vector, one a cycle" },
    Limit {
        algorithm: "ChaCha20-Poly1305",
        cycles_per_byte: 0.516,
        reason: "ChaCha20 alone: 960 vector operations a KiB, two a cycle, and its transpositions",
    },
    Limit { algorithm: "SHA-256", cycles_per_byte: 2.0, reason: "32 dependent SHA256RNDS2 of 4 cycles a block" },
    Limit { algorithm: "SHA-384", cycles_per_byte: 3.13, reason: "5 dependent cycles a round, 80 rounds a block" },
    Limit { algorithm: "SHA-512", cycles_per_byte: 3.13, reason: "5 dependent cycles a round, 80 rounds a block" },
    Limit {
        algorithm: "SHA3-256",
        cycles_per_byte: 4.71,
        reason: "80 operations a round, three a cycle, 24 rounds for 136 bytes",
    },
    Limit {
        algorithm: "SHA3-512",
        cycles_per_byte: 8.89,
        reason: "80 operations a round, three a cycle, 24 rounds for 72 bytes",
    },
    Limit {
        algorithm: "SHAKE128",
        cycles_per_byte: 3.81,
        reason: "80 operations a round, three a cycle, 24 rounds for 168 bytes",
    },
    Limit {
        algorithm: "SHAKE256",
        cycles_per_byte: 4.71,
        reason: "80 operations a round, three a cycle, 24 rounds for 136 bytes",
    },
    Limit {
        algorithm: "BLAKE2b-512",
        cycles_per_byte: 2.25,
        reason: "12 dependent cycles a half-round, 24 half-rounds a block",
    },
    Limit {
        algorithm: "BLAKE2s-256",
        cycles_per_byte: 3.75,
        reason: "12 dependent cycles a half-round, 20 half-rounds a block",
    },
];

/// Bytes from which a limit holds: short messages in a row overlap in the core, so a chain of dependent instructions inside
/// one of them does not bound them all.
const SMALLEST: usize = 1024;

/// The limit of a case on this machine, where one is known.
pub fn of(case: &Case) -> Option<&'static Limit> {
    let sized = case.size.is_some_and(|size| size >= SMALLEST) && matches!(case.operation, "digest" | "seal" | "open");
    GOLDEN_COVE.iter().find(|limit| sized && limit.algorithm == case.algorithm)
}

/// Whether the limits hold here: all instructions, and the microarchitecture they were derived for.
pub fn hold(cpu: &crate::environment::Cpu, tier: &str) -> bool {
    cpu.vendor == "GenuineIntel" && cpu.family == 6 && matches!(cpu.model, 143 | 207) && tier == "avx512"
}

/// Why an algorithm's limit is one.
pub fn reason(algorithm: &str) -> &'static str {
    GOLDEN_COVE.iter().find(|limit| limit.algorithm == algorithm).map_or("", |limit| limit.reason)
}

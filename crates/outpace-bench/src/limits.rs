//! What a machine cannot go below: cycles per byte, by the instructions an algorithm cannot do without.
//!
//! Derived from port counts and latencies, for the cores named here and given only on them. A limit is stated where one
//! resource alone fixes it; it is not a claim that anybody reaches it.

use crate::cases::Case;
use crate::environment::Cpu;

/// A limit and why it is one.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    algorithms: &'static [&'static str],
    pub cycles_per_byte: f64,
    reason: &'static str,
}

const fn limit(algorithms: &'static [&'static str], cycles_per_byte: f64, reason: &'static str) -> Limit {
    Limit { algorithms, cycles_per_byte, reason }
}

/// What holds on both cores: additions, exclusive ors and rotations take a cycle, and 64 bytes go through a round of AES in
/// one (two units of 256 bits).
const COMMON: &[Limit] = &[
    limit(
        &["AES-128-GCM", "AES-128-CTR", "AES-128-XTS", "AES-128-GCM-SIV"],
        0.156,
        "10 rounds of AES for 64 bytes, one a cycle",
    ),
    limit(&["AES-192-GCM"], 0.188, "12 rounds of AES for 64 bytes, one a cycle"),
    limit(
        &["AES-256-GCM", "AES-256-CTR", "AES-256-XTS", "AES-256-GCM-SIV"],
        0.219,
        "14 rounds of AES for 64 bytes, one a cycle",
    ),
    limit(&["SHA-256"], 2.0, "32 dependent SHA256RNDS2 of 4 cycles a block"),
    limit(&["SHA-384", "SHA-512"], 3.13, "5 dependent cycles a round, 80 rounds a block"),
    limit(&["BLAKE2b-512"], 2.25, "12 dependent cycles a half-round, 24 half-rounds a block"),
    limit(&["BLAKE2s-256"], 3.75, "12 dependent cycles a half-round, 20 half-rounds a block"),
];

/// Golden Cove (Sapphire and Emerald Rapids): AESENC takes 3 cycles; two 512-bit or three 128-bit operations a cycle.
const GOLDEN_COVE: &[Limit] = &[
    limit(&["AES-128-CMAC", "AES-128-CCM"], 1.88, "10 dependent AESENC of 3 cycles for 16 bytes"),
    limit(&["AES-256-CMAC", "AES-256-CCM"], 2.63, "14 dependent AESENC of 3 cycles for 16 bytes"),
    limit(
        &["ChaCha20", "ChaCha20-Poly1305", "XChaCha20-Poly1305"],
        0.516,
        "ChaCha20 alone: 960 vector operations a KiB, two a cycle, and its transpositions",
    ),
    limit(&["SHA3-256", "SHAKE256"], 4.71, "80 operations a round, three a cycle, 24 rounds for 136 bytes"),
    limit(&["SHA3-512"], 8.89, "80 operations a round, three a cycle, 24 rounds for 72 bytes"),
    limit(&["SHAKE128", "KMAC128"], 3.81, "80 operations a round, three a cycle, 24 rounds for 168 bytes"),
];

/// Zen 4: AESENC takes 4 cycles; four pipes of 256 bits, through which a 512-bit operation goes in two passes.
const ZEN_4: &[Limit] = &[
    limit(&["AES-128-CMAC", "AES-128-CCM"], 2.5, "10 dependent AESENC of 4 cycles for 16 bytes"),
    limit(&["AES-256-CMAC", "AES-256-CCM"], 3.5, "14 dependent AESENC of 4 cycles for 16 bytes"),
    limit(
        &["ChaCha20", "ChaCha20-Poly1305", "XChaCha20-Poly1305"],
        0.469,
        "ChaCha20 alone: 960 vector operations a KiB, two a cycle",
    ),
    limit(&["SHA3-256", "SHAKE256"], 3.53, "80 operations a round, four a cycle, 24 rounds for 136 bytes"),
    limit(&["SHA3-512"], 6.67, "80 operations a round, four a cycle, 24 rounds for 72 bytes"),
    limit(&["SHAKE128", "KMAC128"], 2.86, "80 operations a round, four a cycle, 24 rounds for 168 bytes"),
];

/// Bytes from which a limit holds: short messages in a row overlap in the core, so a chain of dependent instructions inside
/// one of them does not bound them all.
const SMALLEST: usize = 1024;

/// The limits of a core with all its instructions, if they were derived.
#[derive(Debug, Clone, Copy)]
pub struct Core(&'static [Limit]);

impl Core {
    pub fn of(cpu: &Cpu, tier: &str) -> Option<Self> {
        match (cpu.vendor.as_str(), cpu.family, cpu.model) {
            _ if tier != "avx512" => None,
            ("GenuineIntel", 6, 143 | 207) => Some(Self(GOLDEN_COVE)),
            ("AuthenticAMD", 0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Some(Self(ZEN_4)),
            _ => None,
        }
    }

    /// The limit of a case, where one is known.
    pub fn limit(self, case: &Case) -> Option<&'static Limit> {
        // Many messages at once are bound by none of the chains.
        let bound = matches!(case.operation, "digest" | "seal" | "open" | "encrypt" | "decrypt" | "mac");
        let sized = case.size.is_some_and(|size| size >= SMALLEST);
        let fits = |limit: &&Limit| limit.algorithms.contains(&case.algorithm.as_str());
        COMMON.iter().chain(self.0).find(fits).filter(|_| bound && sized)
    }
}

/// Why an algorithm's limit has that value; a run that is reported may come from another machine.
pub fn reason(algorithm: &str, value: f64) -> &'static str {
    let all = [COMMON, GOLDEN_COVE, ZEN_4].into_iter().flatten();
    let mut found = all.filter(|limit| limit.algorithms.contains(&algorithm) && limit.cycles_per_byte == value);
    found.next().map_or("", |limit| limit.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_given_only_on_cores_they_were_derived_for() {
        let cpu = |vendor: &str, family, model| Cpu { vendor: vendor.into(), family, model, ..Cpu::default() };
        assert!(Core::of(&cpu("GenuineIntel", 6, 207), "avx512").is_some());
        assert!(Core::of(&cpu("AuthenticAMD", 25, 17), "avx512").is_some());
        assert!(Core::of(&cpu("AuthenticAMD", 25, 17), "avx2").is_none());
        // Zen 3, Zen 5, and another make with the same numbers.
        for (vendor, family, model) in
            [("AuthenticAMD", 25, 1), ("AuthenticAMD", 26, 2), ("GenuineIntel", 25, 17), ("", 0, 0)]
        {
            assert!(Core::of(&cpu(vendor, family, model), "avx512").is_none());
        }
    }

    #[test]
    fn every_limit_has_its_reason_back() {
        for limit in [COMMON, GOLDEN_COVE, ZEN_4].into_iter().flatten() {
            for algorithm in limit.algorithms {
                assert_eq!(reason(algorithm, limit.cycles_per_byte), limit.reason);
            }
        }
        assert_eq!(reason("SHA-256", 1.0), "");
    }
}

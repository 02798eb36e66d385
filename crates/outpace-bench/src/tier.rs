//! `--tier`: run as a smaller CPU would, ourselves and every rival that can be held to it.
//!
//! Our own kernels are masked inside the process. OpenSSL and AWS-LC read `OPENSSL_ia32cap` before `main`, so the command
//! starts itself again with it set.

use std::process::Command;

use clap::ValueEnum;

use crate::fail::{Failure, Outcome};

/// Classes of CPUs, each with what the one before it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Tier {
    Portable,
    Aesni,
    Haswell,
    Avx2,
    Avx512,
}

const VARIABLE: &str = "OPENSSL_ia32cap";

impl Tier {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Aesni => "aesni",
            Self::Haswell => "haswell",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this holds anybody back.
    pub fn masks(self) -> bool {
        self != Self::Avx512
    }

    /// The value of `OPENSSL_ia32cap` that clears what this tier does not have.
    ///
    /// Its first word is CPUID leaf 1 (EDX, then ECX), its second leaf 7 (EBX, then ECX), see OPENSSL_ia32cap(3). Bits are
    /// named as in Intel's manual, volume 2A, CPUID.
    fn openssl_mask(self) -> String {
        const ECX: u32 = 32;
        let bits = |bits: &[u32]| bits.iter().fold(0_u64, |word, bit| word | 1 << bit);
        // AVX512F, DQ, IFMA, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ.
        let avx512 = bits(&[16, 17, 21, 28, 30, 31, ECX + 1, ECX + 6, ECX + 11, ECX + 12, ECX + 14]);
        // ADX, SHA; GFNI, VAES, VPCLMULQDQ.
        let newer = bits(&[19, 29, ECX + 8, ECX + 9, ECX + 10]);
        // BMI1, AVX2, BMI2.
        let avx2 = newer | bits(&[3, 5, 8]);
        // FMA, MOVBE, AVX, F16C: everything the avx2 class brings in leaf 1.
        let avx = bits(&[ECX + 12, ECX + 22, ECX + 28, ECX + 29]);
        // SSE3, PCLMULQDQ, SSSE3, SSE4.1, SSE4.2, POPCNT, AES.
        let sse = bits(&[ECX, ECX + 1, ECX + 9, ECX + 19, ECX + 20, ECX + 23, ECX + 25]);
        let (leaf1, leaf7) = match self {
            Self::Avx512 => (0, 0),
            Self::Avx2 => (0, avx512),
            Self::Haswell => (0, avx512 | newer),
            Self::Aesni => (avx, avx512 | avx2),
            Self::Portable => (avx | sse, avx512 | avx2),
        };
        format!("~{leaf1:#x}:~{leaf7:#x}")
    }
}

/// Holds this process to `tier`; may start the command again, and then returns its exit status.
pub fn apply(tier: Option<Tier>) -> Outcome<Option<i32>> {
    let current = std::env::var(VARIABLE).ok();
    let tier = tier.unwrap_or(Tier::Avx512);
    if tier.masks() && current.is_none() {
        let program = std::env::current_exe()
            .map_err(|error| Failure::new(format!("cannot find myself to start again: {error}")))?;
        let status = Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(VARIABLE, tier.openssl_mask())
            .status()
            .map_err(|error| Failure::new(format!("cannot start again with a CPU mask: {error}")))?;
        return Ok(Some(status.code().unwrap_or(2)));
    }
    if current.is_some_and(|mask| !tier.masks() || mask != tier.openssl_mask()) {
        return Err(Failure::new(format!(
            "{VARIABLE} is set and would hold back some libraries only; unset it and use --tier"
        )));
    }
    mask_ours(tier)?;
    Ok(None)
}

/// Masks our own kernels only, for commands that run no rivals.
pub fn mask_ours(tier: Tier) -> Outcome<()> {
    use outpace::mask;
    let ours = match tier {
        Tier::Portable => mask::Tier::Portable,
        Tier::Aesni => mask::Tier::Aesni,
        Tier::Haswell => mask::Tier::Haswell,
        Tier::Avx2 => mask::Tier::Avx2,
        Tier::Avx512 => mask::Tier::Avx512,
    };
    if mask::limit_to(ours) { Ok(()) } else { Err(Failure::new("the CPU mask came too late")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_tiers_clear_more() {
        let word = |tier: Tier, index: usize| {
            let mask = tier.openssl_mask();
            u64::from_str_radix(mask.split(':').nth(index).unwrap().strip_prefix("~0x").unwrap(), 16).unwrap()
        };
        for index in [0, 1] {
            for (lower, upper) in [
                (Tier::Portable, Tier::Aesni),
                (Tier::Aesni, Tier::Haswell),
                (Tier::Haswell, Tier::Avx2),
                (Tier::Avx2, Tier::Avx512),
            ] {
                assert_eq!(word(lower, index) & word(upper, index), word(upper, index));
            }
        }
        // AES-NI is bit 25 of ECX and stays in `aesni`; SSE2, bit 26 of EDX, stays everywhere.
        assert_eq!(word(Tier::Aesni, 0) >> 57 & 1, 0);
        assert_eq!(word(Tier::Portable, 0) >> 57 & 1, 1);
        assert_eq!(word(Tier::Portable, 0) >> 26 & 1, 0);
    }
}

//! Development only: run as a smaller CPU would, and see which kernels there are.
//!
//! Compiled for the crate's own tests and with the feature `mask`, which the `outpace` command uses. A library built
//! without it has no switch that chooses a kernel.

use crate::cpu::{Features, limit_to as limit_features};
use core::str::FromStr;

/// Classes of CPUs, each adding to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// No instruction beyond the target's baseline.
    Portable,
    /// AES-NI, PCLMULQDQ and SSE4.1.
    Aesni,
    /// AVX2 and BMI2, as from Haswell on.
    Haswell,
    /// ADX, SHA-NI, and VAES, VPCLMULQDQ and GFNI at 256 bits.
    Avx2,
    /// All that this CPU has.
    Avx512,
    /// All of its features, without the traits that make it choose other kernels than most CPUs with them do.
    Plain,
}

impl Tier {
    pub(crate) const fn features(self) -> Features {
        // A trait that any CPU may have is no tier's matter: what is measured is how this core does with fewer features.
        let portable = if matches!(self, Self::Plain) { Features::NONE } else { Features::FOUR_ALUS };
        let aesni = portable.and(Features::SSE41).and(Features::AES).and(Features::PCLMUL);
        let haswell = aesni.and(Features::AVX2).and(Features::BMI2);
        let avx2 = haswell
            .and(Features::ADX)
            .and(Features::SHA)
            .and(Features::VAES)
            .and(Features::VPCLMUL)
            .and(Features::GFNI);
        match self {
            Self::Portable => portable,
            Self::Aesni => aesni,
            Self::Haswell => haswell,
            Self::Avx2 => avx2,
            Self::Avx512 => Self::Plain.features().and(Features::HALVES).and(Features::FOUR_ALUS),
            Self::Plain => avx2.and(Features::AVX512).and(Features::IFMA).and(Features::VBMI),
        }
    }
}

impl FromStr for Tier {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "portable" => Ok(Self::Portable),
            "aesni" => Ok(Self::Aesni),
            "haswell" => Ok(Self::Haswell),
            "avx2" => Ok(Self::Avx2),
            "avx512" => Ok(Self::Avx512),
            "plain" => Ok(Self::Plain),
            _ => Err("a tier is one of portable, aesni, haswell, avx2, avx512, plain"),
        }
    }
}

/// Hides what `tier` does not have, for the rest of the process. `false` if something was dispatched before.
#[must_use]
pub fn limit_to(tier: Tier) -> bool {
    limit_features(tier.features())
}

/// A kernel as the command line sees it.
#[cfg(feature = "mask")]
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The feature that defines it.
    pub name: &'static str,
    needs: Features,
    suits: Features,
}

#[cfg(feature = "mask")]
impl Kernel {
    pub(crate) fn new(name: &'static str, needs: Features, suits: Features) -> Self {
        Self { name, needs, suits }
    }

    /// Whether this CPU (under the mask) can run it.
    #[must_use]
    pub fn available(&self) -> bool {
        Features::detected().contains(self.needs)
    }

    /// Whether it is meant for this design of core, too. The first such kernel of a job is the one in use.
    #[must_use]
    pub fn preferable(&self) -> bool {
        Features::detected().contains(self.needs.and(self.suits))
    }

    /// Hides all that this kernel does not need, for the rest of the process, so that none that needs more is
    /// chosen; one that needs no more and is faster still is.
    /// `false` if something was dispatched before.
    #[must_use]
    pub fn limit_to(&self) -> bool {
        limit_features(self.needs.and(self.suits))
    }
}

/// Each dispatched job with its kernels, fastest first. The first that is preferable is the one in use; to ask for
/// the list alone does not fix the mask.
#[cfg(feature = "mask")]
#[must_use]
pub fn kernels() -> std::vec::Vec<(&'static str, std::vec::Vec<Kernel>)> {
    std::vec![
        ("AES-GCM", crate::aead::gcm::KERNELS.describe()),
        ("AES-GCM-SIV", crate::aead::gcm_siv::KERNELS.describe()),
        ("AES", crate::cipher::aes::KERNELS.describe()),
        ("Curve25519", crate::curve25519::CURVE.describe()),
        ("Kalyna", crate::cipher::kalyna::ENGINES.describe()),
        ("Kalyna, GCM's field", crate::cipher::kalyna::field::PRODUCTS.describe()),
        ("Kupyna", crate::hash::kupyna::ENGINES.describe()),
        ("ChaCha20-Poly1305", crate::aead::chacha20_poly1305::KERNELS.describe()),
        ("ChaCha20", crate::cipher::chacha20::KERNELS.describe()),
        ("Poly1305", crate::mac::poly1305::KERNELS.describe()),
        ("SHA-256", crate::hash::sha2::sha256::BLOCKS.describe()),
        ("SHA-256, many", crate::hash::sha2::sha256::LANES.describe()),
        ("SHA-512", crate::hash::sha2::sha512::BLOCKS.describe()),
        ("SHA-512, many", crate::hash::sha2::sha512::LANES.describe()),
        ("BLAKE2b", crate::hash::blake2::blake2b::COMPRESS.describe()),
        ("BLAKE2b, many", crate::hash::blake2::blake2b::LANES.describe()),
        ("BLAKE2s", crate::hash::blake2::blake2s::COMPRESS.describe()),
        ("BLAKE2s, many", crate::hash::blake2::blake2s::LANES.describe()),
        ("Keccak", crate::hash::sha3::keccak::KECCAK.describe()),
        ("Keccak, up to four", crate::hash::sha3::keccak::FOUR.describe()),
        ("Keccak, up to eight", crate::hash::sha3::keccak::EIGHT.describe()),
    ]
}

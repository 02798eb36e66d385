//! CPU features, detected once per process, including whether the operating system saves the registers they use.

use core::sync::atomic::{AtomicU32, Ordering};

/// A set of CPU features. The names are groups that appear together in real CPUs, so that a kernel names one or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Features(u32);

impl Features {
    /// The baseline of the target: no further requirement.
    pub(crate) const NONE: Self = Self(0);
    /// SSSE3 and SSE4.1.
    pub(crate) const SSE41: Self = Self(1);
    /// AES-NI.
    pub(crate) const AES: Self = Self(1 << 1);
    /// PCLMULQDQ.
    pub(crate) const PCLMUL: Self = Self(1 << 2);
    /// SHA-NI (SHA-1 and SHA-256).
    pub(crate) const SHA: Self = Self(1 << 3);
    /// AVX and AVX2, with the ymm registers saved by the OS.
    pub(crate) const AVX2: Self = Self(1 << 4);
    /// BMI1, BMI2 and LZCNT.
    pub(crate) const BMI2: Self = Self(1 << 5);
    /// ADX (ADCX, ADOX).
    pub(crate) const ADX: Self = Self(1 << 6);
    /// VAES, usable at 256 bits with [`Self::AVX2`] and at 512 with [`Self::AVX512`].
    pub(crate) const VAES: Self = Self(1 << 7);
    /// VPCLMULQDQ, likewise.
    pub(crate) const VPCLMUL: Self = Self(1 << 8);
    /// GFNI, likewise.
    pub(crate) const GFNI: Self = Self(1 << 9);
    /// AVX-512 F, VL, BW and DQ, with the zmm and mask registers saved by the OS.
    pub(crate) const AVX512: Self = Self(1 << 10);
    /// AVX-512 IFMA.
    pub(crate) const IFMA: Self = Self(1 << 11);
    /// AVX-512 VBMI and VBMI2.
    pub(crate) const VBMI: Self = Self(1 << 12);
    /// A trait, not a feature: 512-bit instructions are executed as two halves of 256 bits (AMD's Zen 4), so that a
    /// loop gains nothing by them but registers and instruction count.
    pub(crate) const HALVES: Self = Self(1 << 13);
    /// A trait, not a feature: four scalar ALUs, two of which rotate (AMD's Zen to Zen 4), so that scalar code is bound by
    /// the number of its operations.
    pub(crate) const FOUR_ALUS: Self = Self(1 << 14);
    /// What no CPU has.
    #[cfg(test)]
    pub(crate) const IMPOSSIBLE: Self = Self(1 << 30);

    /// Both sets together.
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every feature of `other` is in this set.
    #[must_use]
    pub(crate) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a test of code below the kernels can run here. One that cannot says so, past the test runner, which keeps
    /// what is printed.
    #[cfg(test)]
    pub(crate) fn can_be_tested(self) -> bool {
        use std::io::Write;
        let can = Self::detected().contains(self);
        if !can {
            let current = std::thread::current();
            let test = current.name().unwrap_or("a test");
            writeln!(std::io::stderr(), "{test}: left out, this CPU or tier lacks a feature").expect("standard error");
        }
        can
    }

    /// The features of this CPU (less those masked in a test). CPUID traps in a virtual machine, so the answer is kept.
    #[must_use]
    pub(crate) fn detected() -> Self {
        const KNOWN: u32 = 1 << 31;
        static CACHE: AtomicU32 = AtomicU32::new(0);
        let mut bits = CACHE.load(Ordering::Relaxed);
        if bits == 0 {
            bits = detect().0 | KNOWN;
            CACHE.store(bits, Ordering::Relaxed);
        }
        Self(bits & mask() & !KNOWN)
    }
}

/// The features left by `limit_to`; everything in a release build.
#[cfg(not(any(test, feature = "mask")))]
const fn mask() -> u32 {
    u32::MAX
}

#[cfg(any(test, feature = "mask"))]
pub(crate) use masking::limit_to;
#[cfg(any(test, feature = "mask"))]
use masking::mask;

#[cfg(any(test, feature = "mask"))]
mod masking {
    use super::Features;
    use std::sync::OnceLock;

    static MASK: OnceLock<u32> = OnceLock::new();

    /// Hides all but `features` from now on. The first word counts: once anything was dispatched the mask is fixed,
    /// and `false` says that this call came too late.
    pub(crate) fn limit_to(features: Features) -> bool {
        MASK.set(features.0).is_ok()
    }

    /// In the crate's own tests `OUTPACE_TIER` names the mask, so that one command runs them on every tier.
    pub(super) fn mask() -> u32 {
        *MASK.get_or_init(|| {
            if cfg!(test)
                && let Ok(name) = std::env::var("OUTPACE_TIER")
            {
                let tier: crate::mask::Tier =
                    name.parse().expect("OUTPACE_TIER: portable, aesni, haswell, avx2 or avx512");
                return tier.features().0;
            }
            u32::MAX
        })
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Features {
    Features::NONE
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Features {
    use core::arch::x86_64::{__cpuid_count, _xgetbv, CpuidResult};

    #[allow(unused_unsafe, reason = "the oldest compilers that are supported call it unsafe")]
    fn cpuid(leaf: u32, part: u32) -> CpuidResult {
        // SAFETY: every x86-64 CPU has CPUID.
        unsafe { __cpuid_count(leaf, part) }
    }
    #[target_feature(enable = "xsave")]
    fn xcr0() -> u64 {
        // SAFETY: XCR0 exists wherever OSXSAVE is set, which the caller has checked.
        unsafe { _xgetbv(0) }
    }

    let bit = |word: u32, n: u32| word >> n & 1 == 1;
    if cpuid(0, 0).eax < 7 {
        return Features::NONE;
    }
    let (leaf1, leaf7, extended) = (cpuid(1, 0), cpuid(7, 0), cpuid(0x8000_0001, 0));
    // Bits 1 and 2 of XCR0: xmm and ymm; 5, 6 and 7: mask registers and zmm.
    // SAFETY: OSXSAVE, bit 27 of leaf 1 ECX, says that XGETBV may be used.
    let saved = if bit(leaf1.ecx, 27) { unsafe { xcr0() } } else { 0 };
    let (ymm, zmm) = (saved & 0x06 == 0x06, saved & 0xe6 == 0xe6);

    // Each with what the compiler takes for granted beside it: a hypervisor may hide any single bit.
    let avx2 = ymm && [9, 19, 20, 28].iter().all(|&n| bit(leaf1.ecx, n)) && bit(leaf7.ebx, 5);
    let avx512 =
        avx2 && zmm && bit(leaf1.ecx, 12) && bit(leaf1.ecx, 29) && [16, 17, 30, 31].iter().all(|&n| bit(leaf7.ebx, n));
    // AMD's family 19h with AVX-512 is Zen 4; its successors are whole or (some mobile parts) cannot be told apart here.
    let amd = cpuid(0, 0).ebx == u32::from_le_bytes(*b"Auth");
    let family = (leaf1.eax >> 8 & 15) + (leaf1.eax >> 20 & 255);
    let table = [
        (bit(leaf1.ecx, 9) && bit(leaf1.ecx, 19), Features::SSE41),
        (bit(leaf1.ecx, 25), Features::AES),
        (bit(leaf1.ecx, 1), Features::PCLMUL),
        (bit(leaf7.ebx, 29), Features::SHA),
        (avx2, Features::AVX2),
        (bit(leaf7.ebx, 3) && bit(leaf7.ebx, 8) && bit(extended.ecx, 5), Features::BMI2),
        (bit(leaf7.ebx, 19), Features::ADX),
        (avx2 && bit(leaf1.ecx, 25) && bit(leaf7.ecx, 9), Features::VAES),
        (avx2 && bit(leaf1.ecx, 1) && bit(leaf7.ecx, 10), Features::VPCLMUL),
        (bit(leaf7.ecx, 8), Features::GFNI),
        (avx512, Features::AVX512),
        (avx512 && bit(leaf7.ebx, 21), Features::IFMA),
        (avx512 && bit(leaf7.ecx, 1) && bit(leaf7.ecx, 6), Features::VBMI),
        (avx512 && amd && family == 0x19, Features::HALVES),
        (amd && (family == 0x17 || family == 0x19), Features::FOUR_ALUS),
    ];
    table.iter().filter(|(has, _)| *has).fold(Features::NONE, |all, (_, f)| all.and(*f))
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// A wrong "no" would silently leave the fast kernels unused, so the answer is checked against std's own detection.
    #[test]
    fn agrees_with_std() {
        macro_rules! has { ($($name:tt),*) => { true $(&& std::is_x86_feature_detected!($name))* }; }
        let expected = [
            (Features::SSE41, has!("ssse3", "sse4.1")),
            (Features::AES, has!("aes")),
            (Features::PCLMUL, has!("pclmulqdq")),
            (Features::SHA, has!("sha")),
            (Features::AVX2, has!("avx2")),
            (Features::BMI2, has!("bmi1", "bmi2", "lzcnt")),
            (Features::ADX, has!("adx")),
            (Features::VAES, has!("vaes")),
            (Features::VPCLMUL, has!("vpclmulqdq")),
            (Features::GFNI, has!("gfni")),
            (Features::AVX512, has!("avx512f", "avx512vl", "avx512bw", "avx512dq")),
            (Features::IFMA, has!("avx512ifma", "avx512vl")),
            (Features::VBMI, has!("avx512vbmi", "avx512vbmi2")),
        ];
        for (feature, std) in expected {
            assert_eq!(detect().contains(feature), std, "{feature:?}");
        }
    }

    #[test]
    fn sets() {
        let both = Features::AES.and(Features::SHA);
        assert!(both.contains(Features::AES) && both.contains(Features::NONE) && !Features::AES.contains(both));
    }
}

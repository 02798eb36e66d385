//! Keccak-f[1600], the permutation of FIPS 202, section 3, and the absorption of blocks into its state.

pub(crate) mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::cpu::Dispatch;
use crate::hash::many::MAX_LANES;
use crate::mem::Wipe;
#[cfg(target_arch = "x86_64")]
use x86_64::{avx2_x4, avx512, avx512_x4, avx512_x8, baseline, bmi};

/// The state: lane (x, y) is word x + 5y (section 3.1.2; bytes are little-endian).
pub(crate) type State = [u64; 25];

/// The number of lanes that a block of `BYTES` fills is known to the compiler in each kernel, so each rate that the
/// standards use has code of its own: SHAKE128; SHAKE256, SHA3-256; SHA3-224; SHA3-384; SHA3-512.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate {
    R168,
    R144,
    R136,
    R104,
    R72,
}

impl Rate {
    /// # Panics
    /// At compile time, if no function has this rate.
    pub(crate) const fn of<const BYTES: usize>() -> Self {
        match BYTES {
            168 => Self::R168,
            144 => Self::R144,
            136 => Self::R136,
            104 => Self::R104,
            72 => Self::R72,
            _ => panic!("not a rate of FIPS 202"),
        }
    }

    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::R168 => 168,
            Self::R144 => 144,
            Self::R136 => 136,
            Self::R104 => 104,
            Self::R72 => 72,
        }
    }
}

/// One state.
#[derive(Clone, Copy)]
pub(crate) struct Keccak {
    /// The permutation.
    pub(crate) permute: fn(&mut State),
    /// For each whole block of the bytes: XOR it into the state, permute.
    absorb: fn(&mut State, Rate, &[u8]),
}

impl Keccak {
    /// The best kernel for this CPU.
    #[inline]
    pub(crate) fn get() -> Self {
        KECCAK.get()
    }

    #[inline]
    pub(crate) fn absorb<const RATE: usize>(self, state: &mut State, blocks: &[[u8; RATE]]) {
        (self.absorb)(state, const { Rate::of::<RATE>() }, blocks.as_flattened());
    }
}

pub(crate) static KECCAK: Dispatch<Keccak> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    bmi::KERNEL,
    #[cfg(target_arch = "x86_64")]
    baseline::KERNEL,
    portable::KERNEL,
]);

/// Several states side by side.
#[derive(Clone, Copy)]
pub(crate) struct ManyKernel {
    /// How many.
    pub(crate) width: usize,
    /// Absorbs equally many blocks into each of the first `width` states.
    absorb: fn(&mut [State; MAX_LANES], Rate, &[&[u8]; MAX_LANES]),
    /// For kernels of eight that have more than `absorb` for whole messages of one length.
    pub(crate) in_step: Option<InStep>,
}

/// Absorbs eight messages of one length, from the start: with what follows them, the domain's bits and the first one of
/// the padding. The first eight rows are then the first eight lanes of each state; the others hold nothing of use.
pub(crate) type InStep = fn(&mut Columns, Rate, u8, &[&[u8]; 8]);

/// As many rows as a block has lanes, at most; one word of each of eight messages in each. A load across two lines of the
/// cache would take twice as long.
#[derive(Clone)]
#[repr(align(64))]
pub(crate) struct Columns(pub(crate) [[u64; 8]; 21]);

impl Columns {
    pub(crate) const ZERO: Self = Self([[0; 8]; 21]);
}

impl Wipe for Columns {
    fn wipe(&mut self) {
        self.0.wipe();
    }
}

impl ManyKernel {
    pub(crate) fn absorb<const RATE: usize>(
        self,
        states: &mut [State; MAX_LANES],
        blocks: &[&[[u8; RATE]]; MAX_LANES],
    ) {
        (self.absorb)(states, const { Rate::of::<RATE>() }, &blocks.map(<[_]>::as_flattened));
    }
}

/// At most four.
pub(crate) static FOUR: Dispatch<ManyKernel> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512_x4::HALVES,
    #[cfg(target_arch = "x86_64")]
    avx512_x4::KERNEL,
    #[cfg(target_arch = "x86_64")]
    avx2_x4::KERNEL,
    portable::LANES,
]);

/// At most eight.
pub(crate) static EIGHT: Dispatch<ManyKernel> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    avx512_x8::HALVES,
    #[cfg(target_arch = "x86_64")]
    avx512_x8::KERNEL,
    portable::LANES,
]);

/// ρ, section 3.2.2: how far lane x + 5y is rotated.
#[rustfmt::skip]
pub(crate) const RHO: [u32; 25] = [
     0,  1, 62, 28, 27,
    36, 44,  6, 55, 20,
     3, 10, 43, 25, 39,
    41, 45, 15, 21,  8,
    18,  2, 61, 56, 14,
];

/// ι, section 3.2.5: the constant of each round.
#[rustfmt::skip]
pub(crate) static RC: [u64; 24] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
];

//! Kalyna for cores that run 512-bit instructions in halves (Zen 4): a single block of 128 or 256 bits, which CBC
//! encryption and CMAC wait for. Everything else goes as on other cores.
//!
//! The block stays in columns, in the low part of a register. SubBytes is a VPERMI2B for each half of each S-box, zero
//! but for the rows of that box; then the sums of both halves, and a blend by the top bit. The product with the circulant
//! is eight terms: the coefficient of distance t times each byte of row i + t, brought to row i by one permutation, which
//! is ShiftRows as well.
//!
//! Latencies on Zen 4: VPERMI2B 5 (one for each cycle, as it takes two passes), GF2P8AFFINEQB 3, VPSHUFB 2, VPERMB of 256
//! bits 4, logic 1. Chain of a round: 7 + 5 for the last of eight look-ups, 3 to y; then 3 of four pairs of permutations, 2
//! or 4 for one, 3 and 2 for product and sums: 25 cycles (27 with 256 bits). Measured: 31 (32). The look-ups take 14 and not
//! 12 cycles: the core binds an instruction to a port when it dispatches it, not when it can run, and what waits for the
//! same index is not spread evenly. So the order of the instructions decides (it is the best of some ten thousand that
//! were timed; the compiler's takes 38 and 45), and the rounds are written in assembly.
//!
//! Tried as well, and slower: S-boxes in quarters (VPERMI2B of 256 bits, latency 4, two for each cycle: 32 cycles a round,
//! as sixteen look-ups bring more sums), masks for the last look-ups in place of the blend (34), rotations in place of
//! permutations, one unit a register as on other cores (46).

use super::avx512::{self, FORWARD, TRANSPOSE, matrix};
use crate::cipher::kalyna::tables::MDS;
use crate::cipher::kalyna::{Engine, Unit};
use crate::cpu::{Features, Kernel};
use crate::simd::{load128, load256, load512, load512_u64, store128, store256};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Engine> = {
    let engine = Engine {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        encrypt: |keys, columns, data| unsafe { encrypt(keys, columns, data) },
        ..avx512::ENGINE
    };
    // SAFETY: `encrypt` and the functions of the other kernel are built for exactly the features named here.
    unsafe { Kernel::new("avx512-halves", avx512::NEEDS, engine) }.suited_to(Features::HALVES)
};

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn encrypt(keys: &[Unit], columns: usize, data: &mut [u8]) {
    if cfg!(outpace_ct = "msan") {
        // The sanitizer does not see into assembly (which has no branch and no address that depends on data).
        avx512::encrypt(keys, columns, data);
    } else if let (2, Ok(block)) = (columns, data.try_into()) {
        encrypt128(keys, block);
    } else if let (4, Ok(block)) = (columns, data.try_into()) {
        encrypt256(keys, block);
    } else {
        avx512::encrypt(keys, columns, data);
    }
}

/// A block of `N` bytes after SubBytes to the eight terms of its product with the circulant.
#[repr(C, align(64))]
struct Mix<const N: usize> {
    /// Row i of term t is row i + t, from the column that ShiftRows takes it from.
    terms: [[u8; N]; 8],
    matrices: [u64; 8],
}

const fn mix<const N: usize>() -> Mix<N> {
    let (mut terms, mut matrices, columns) = ([[0; N]; 8], [0; 8], N / 8);
    let mut n = 0;
    while n < 8 * N {
        let (t, q, i) = (n / N, n % N / 8, n % 8);
        let row = (i + t) % 8;
        terms[t][8 * q + i] = (8 * ((q + columns - row * columns / 8) % columns) + row) as u8;
        matrices[t] = matrix(MDS[t]);
        n += 1;
    }
    Mix { terms, matrices }
}

/// The byte of row `k` and the one of row `k + 4` in each column.
const fn rows(k: usize) -> u32 {
    0x1111_1111 << k
}

/// zmm`$to` = zmm0 looked up in the half of an S-box that is zmm`$low` and what is at `$high`, in the rows k`$rows`.
macro_rules! look_up {
    ($to:literal, $low:literal, $high:literal, $rows:literal) => {
        concat!(
            concat!("vmovdqa64 zmm", $to, ", zmm0\n"),
            concat!("vpermi2b zmm", $to, "{{k", $rows, "}}{{z}}, zmm", $low, ", zmmword ptr [{boxes} + ", $high, "]\n"),
        )
    };
}

/// ymm10 = SubBytes of zmm0. The low parts of the boxes' lower halves are in zmm24 to zmm27, those of the upper ones in
/// zmm28 to zmm31.
macro_rules! substitute {
    () => {
        concat!(
            look_up!(3, 28, 192, 1),
            look_up!(4, 25, 320, 2),
            look_up!(5, 24, 64, 1),
            look_up!(6, 26, 576, 3),
            look_up!(7, 31, 960, 4),
            look_up!(8, 29, 448, 2),
            look_up!(9, 30, 704, 3),
            look_up!(10, 27, 832, 4),
            "vpternlogq ymm6, ymm4, ymm5, 0x96\n",
            "vpternlogq ymm9, ymm8, ymm3, 0x96\n",
            "vpmovb2m k5, ymm0\n",
            "vpxor ymm10, ymm10, ymm6\n",
            "vpxor ymm7, ymm7, ymm9\n",
            "vmovdqu8 ymm10{{k5}}, ymm7\n",
        )
    };
}

/// All rounds on `$x`, which is in `$register`, with a sum with each of `$keys`, the last one too. `$linear` is the rest of
/// a round: it sums the terms of register 10 (by `$mix`) and the key, with rows and columns exchanged, to `$register`.
macro_rules! rounds {
    ($register:tt, $x:ident, $keys:ident, $mix:expr, $($linear:tt)*) => {
        // Preconditions: `boxes` points to four S-boxes of 256 bytes, `mix` to a `Mix` of this size, `key` to `count` keys.
        // SAFETY: reads just those, and says which registers it changes.
        unsafe {
            core::arch::asm!(
                "vmovdqa64 zmm24, zmmword ptr [{boxes}]",
                "vmovdqa64 zmm25, zmmword ptr [{boxes} + 256]",
                "vmovdqa64 zmm26, zmmword ptr [{boxes} + 512]",
                "vmovdqa64 zmm27, zmmword ptr [{boxes} + 768]",
                "vmovdqa64 zmm28, zmmword ptr [{boxes} + 128]",
                "vmovdqa64 zmm29, zmmword ptr [{boxes} + 384]",
                "vmovdqa64 zmm30, zmmword ptr [{boxes} + 640]",
                "vmovdqa64 zmm31, zmmword ptr [{boxes} + 896]",
                ".p2align 6",
                "2:",
                substitute!(),
                $($linear)*
                "add {key}, 64",
                "dec {count}",
                "jnz 2b",
                boxes = in(reg) FORWARD.0.as_ptr(),
                mix = in(reg) $mix,
                key = inout(reg) $keys.as_ptr() => _,
                count = inout(reg) $keys.len() => _,
                inout($register) $x,
                in("zmm2") load512(&TRANSPOSE.0),
                out("zmm3") _, out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _,
                out("zmm10") _, out("zmm11") _, out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
                out("zmm30") _, out("zmm31") _,
                in("k1") rows(0), in("k2") rows(1), in("k3") rows(2), in("k4") rows(3), out("k5") _,
                options(pure, readonly, nostack)
            );
        }
    };
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn encrypt128(keys: &[Unit], block: &mut [u8; 16]) {
    static MIX: Mix<16> = mix();
    let [first, keys @ ..] = keys else { return };
    let Some(last) = keys.last() else { return };
    let mut x = _mm_add_epi64(load128(block), _mm512_castsi512_si128(load512_u64(first)));
    rounds!(
        "xmm0",
        x,
        keys,
        &raw const MIX,
        "vpshufb xmm11, xmm10, xmmword ptr [{mix} + 32]",
        "vpshufd xmm12, xmm10, 0x93",
        "vpshufb xmm13, xmm10, xmmword ptr [{mix} + 16]",
        "vpshufb xmm14, xmm10, xmmword ptr [{mix} + 80]",
        "vpshufb xmm15, xmm10, xmmword ptr [{mix} + 96]",
        "vpshufb xmm6, xmm10, xmmword ptr [{mix} + 48]",
        "vpshufd xmm3, xmm10, 0x6c",
        "vpternlogq xmm6, xmm13, xmm3, 0x96",
        "vgf2p8affineqb xmm14, xmm14, qword ptr [{mix} + 168]{{1to2}}, 0",
        "vgf2p8affineqb xmm15, xmm15, qword ptr [{mix} + 176]{{1to2}}, 0",
        "vgf2p8affineqb xmm12, xmm12, qword ptr [{mix} + 160]{{1to2}}, 0",
        "vpermb zmm4, zmm2, zmmword ptr [{key}]",
        "vpternlogq xmm6, xmm4, xmm12, 0x96",
        "vpshufb xmm8, xmm10, xmmword ptr [{mix} + 112]",
        "vgf2p8affineqb xmm8, xmm8, qword ptr [{mix} + 184]{{1to2}}, 0",
        "vpternlogq xmm6, xmm8, xmm14, 0x96",
        "vgf2p8affineqb xmm11, xmm11, qword ptr [{mix} + 144]{{1to2}}, 0",
        "vpternlogq xmm6, xmm11, xmm15, 0x96",
        "vmovdqa xmm0, xmm6",
    );
    // The last key went through the rounds like the others, as if in row form, but it is one that is added.
    let (turned, last) = (turned(last), load512_u64(last));
    let x = _mm_xor_si128(x, _mm512_castsi512_si128(turned));
    store128(block, _mm_add_epi64(x, _mm512_castsi512_si128(last)));
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn encrypt256(keys: &[Unit], block: &mut [u8; 32]) {
    static MIX: Mix<32> = mix();
    let [first, keys @ ..] = keys else { return };
    let Some(last) = keys.last() else { return };
    let mut x = _mm256_add_epi64(load256(block), _mm512_castsi512_si256(load512_u64(first)));
    rounds!(
        "ymm0",
        x,
        keys,
        &raw const MIX,
        "vmovdqa ymm11, ymmword ptr [{mix} + 128]",
        "vpermb ymm11, ymm11, ymm10",
        "vmovdqa ymm12, ymmword ptr [{mix}]",
        "vpermb ymm12, ymm12, ymm10",
        "vmovdqa ymm13, ymmword ptr [{mix} + 160]",
        "vpermb ymm13, ymm13, ymm10",
        "vmovdqa ymm14, ymmword ptr [{mix} + 192]",
        "vpermb ymm14, ymm14, ymm10",
        "vmovdqa ymm15, ymmword ptr [{mix} + 224]",
        "vpermb ymm15, ymm15, ymm10",
        "vmovdqa ymm5, ymmword ptr [{mix} + 64]",
        "vpermb ymm5, ymm5, ymm10",
        "vpermb zmm4, zmm2, zmmword ptr [{key}]",
        "vgf2p8affineqb ymm11, ymm11, qword ptr [{mix} + 288]{{1to4}}, 0",
        "vprolq ymm3, ymm12, 40",
        "vgf2p8affineqb ymm13, ymm13, qword ptr [{mix} + 296]{{1to4}}, 0",
        "vgf2p8affineqb ymm14, ymm14, qword ptr [{mix} + 304]{{1to4}}, 0",
        "vgf2p8affineqb ymm5, ymm5, qword ptr [{mix} + 272]{{1to4}}, 0",
        "vgf2p8affineqb ymm15, ymm15, qword ptr [{mix} + 312]{{1to4}}, 0",
        "vmovdqa ymm8, ymmword ptr [{mix} + 32]",
        "vpermb ymm8, ymm8, ymm10",
        "vpternlogq ymm3, ymm8, ymm12, 0x96",
        "vpternlogq ymm3, ymm4, ymm11, 0x96",
        "vpternlogq ymm3, ymm13, ymm14, 0x96",
        "vpternlogq ymm3, ymm15, ymm5, 0x96",
        "vmovdqa ymm0, ymm3",
    );
    let (turned, last) = (turned(last), load512_u64(last));
    let x = _mm256_xor_si256(x, _mm512_castsi512_si256(turned));
    store256(block, _mm256_add_epi64(x, _mm512_castsi512_si256(last)));
}

#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn turned(key: &Unit) -> __m512i {
    _mm512_permutexvar_epi8(load512(&TRANSPOSE.0), load512_u64(key))
}

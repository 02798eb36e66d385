//! Kalyna: a single block of 128 or 256 bits, in the low part of a register: what CBC encryption, OFB, CMAC and key
//! wrapping wait for.
//!
//! SubBytes is the inversion of [`near`](super::near), and three VPERMI2B of 128 entries for the corrections. The product
//! with the circulant is eight terms: the coefficient of distance i times each byte of row r + i, brought to row r by one
//! permutation, which is ShiftRows as well.
//!
//! Latencies on Zen 4 (in parentheses: on Golden Cove): VPERMI2B 5 (5), one for each cycle (two), GF2P8AFFINEQB 3 (3),
//! VPSHUFB 2 (1), VPERMB of 256 bits 4 (3), logic 1. Chain of a round: 2 to the second index, 1 + 5 for the last look-up, 2
//! to the sum of inversion and corrections; then 2 or 4 for a permutation, 3 for a product and 2 until both are summed: 17
//! cycles (19 with 256 bits; 18 and 20). Measured: 23 (24). The rest is that the core binds an instruction to a port when
//! it dispatches it, not when it can run, so that the order of the instructions decides; it is the best of some hundred
//! thousand that were timed, and the rounds are written in assembly.
//!
//! Tables in memory, which leak, answer a round with a load and a chain of sums, 20 cycles. Before the corrections
//! there were look-ups of whole S-boxes: eight VPERMI2B, 31 cycles.

use super::avx512::Aligned;
use super::near::{BACKWARD_128, BACKWARD_256, FORWARD_128, FORWARD_256, Table};
use crate::cipher::kalyna::Unit;
use crate::simd::{load128, load256, load512, load512_u64, store128, store256};
use core::arch::x86_64::*;
use core::mem::offset_of;

/// Registers: x in 0, the result in 4; 31, the number of the S-box and the bits of three in 20 to 22, zero in 15, the lower
/// halves of the tables in 16 to 18. 5 and 9 are for the sets, 1 and 2 for the parts of the correction; S-boxes 0 and 2
/// are in the bytes of k1, 1 and 3 in those of k2.
macro_rules! substitute_128 {
    ($constant:literal) => {
        concat!(
            "vmovdqa64 xmm1, xmm0\n",
            "vpternlogd xmm1, xmm20, xmm21, 0xEA\n",
            "vpsrlw xmm2, xmm0, 3\n",
            "vpshufb xmm3, xmm22, xmm1\n",
            "vpternlogd xmm2, xmm20, xmm21, 0xEA\n",
            "vmovdqa64 zmm5, zmm2\n",
            "vpermi2b zmm5, zmm18, zmmword ptr [{t} + {corrected} + 64]\n",
            "vgf2p8affineqb xmm6, xmm0, xmmword ptr [{t} + {inner}], 1\n",
            "vgf2p8affineqb xmm7, xmm0, xmmword ptr [{t} + {inner} + 16], 1\n",
            "vgf2p8affineinvqb xmm8{{k1}}{{z}}, xmm6, xmmword ptr [{t} + {outer}], 0\n",
            "vgf2p8affineinvqb xmm9{{k2}}{{z}}, xmm7, xmmword ptr [{t} + {outer} + 16], 0\n",
            "vpternlogd xmm8, xmm9, ",
            $constant,
            ", 0x96\n",
            "vpand xmm11, xmm5, xmm3\n",
            "vpcmpeqb xmm12, xmm11, xmm15\n",
            "vpermi2b zmm1, zmm16, zmmword ptr [{t} + {lower} + 64]\n",
            "vpermi2b zmm2, zmm17, zmmword ptr [{t} + {upper} + 64]\n",
            "vpxorq xmm4, xmm1, xmm2\n",
            "vpternlogd xmm4, xmm12, xmm8, 0x9A\n",
        )
    };
}

/// Likewise; a word has bytes of one S-box.
macro_rules! substitute_256 {
    ($constant:literal) => {
        concat!(
            "vmovdqa64 ymm1, ymm0\n",
            "vpternlogd ymm1, ymm20, ymm21, 0xEA\n",
            "vpshufb ymm3, ymm22, ymm1\n",
            "vpsrlw ymm2, ymm0, 3\n",
            "vpternlogd ymm2, ymm20, ymm21, 0xEA\n",
            "vmovdqa64 zmm5, zmm2\n",
            "vpermi2b zmm5, zmm18, zmmword ptr [{t} + {corrected} + 64]\n",
            "vgf2p8affineqb ymm6, ymm0, ymmword ptr [{t} + {inner}], 1\n",
            "vgf2p8affineinvqb ymm8, ymm6, ymmword ptr [{t} + {outer}], 0\n",
            "vpand ymm11, ymm5, ymm3\n",
            "vpcmpeqb ymm12, ymm11, ymm15\n",
            "vpxor ymm8, ymm8, ",
            $constant,
            "\n",
            "vpermi2b zmm1, zmm16, zmmword ptr [{t} + {lower} + 64]\n",
            "vpermi2b zmm2, zmm17, zmmword ptr [{t} + {upper} + 64]\n",
            "vpxorq ymm4, ymm1, ymm2\n",
            "vpternlogd ymm4, ymm12, ymm8, 0x9A\n",
        )
    };
}

/// Rounds on `$x`, in register `$register` (not `$other`), each with a key from `$keys` on, in steps of `$step` bytes.
macro_rules! rounds {
    ($register:tt, $other:tt, $x:ident, $table:expr, $keys:expr, $step:literal, $count:expr, $($round:expr,)*) => {
        // Preconditions: `t` points to a table, `key` to the first of `count` keys, each `$step` bytes behind the one before.
        // SAFETY: reads just those, and says which registers it changes.
        unsafe {
            core::arch::asm!(
                "vmovdqa64 zmm16, zmmword ptr [{t} + {lower}]",
                "vmovdqa64 zmm17, zmmword ptr [{t} + {upper}]",
                "vmovdqa64 zmm18, zmmword ptr [{t} + {corrected}]",
                ".p2align 6",
                "2:",
                $($round,)*
                concat!("add {key}, ", $step),
                "dec {count}",
                "jnz 2b",
                "/* {inner} {outer} {constant} {terms} {products} {basis} */",
                t = in(reg) &raw const $table,
                key = inout(reg) $keys => _,
                count = inout(reg) $count => _,
                lower = const offset_of!(Table, lower),
                upper = const offset_of!(Table, upper),
                corrected = const offset_of!(Table, corrected),
                inner = const offset_of!(Table, inner),
                outer = const offset_of!(Table, outer),
                constant = const offset_of!(Table, constant),
                terms = const offset_of!(Table, terms),
                products = const offset_of!(Table, products),
                basis = const offset_of!(Table, basis),
                inout($register) $x,
                in("ymm15") _mm256_setzero_si256(),
                in("zmm19") load512(&$table.key),
                in("ymm20") _mm256_set1_epi8(31),
                in("ymm21") load256(&$table.number),
                in("ymm22") load256(&BITS.0),
                in("k1") 0x0f0fu32, in("k2") 0xf0f0u32,
                out($other) _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm5") _, out("zmm6") _, out("zmm7") _, out("zmm8") _,
                out("zmm9") _, out("zmm10") _, out("zmm11") _, out("zmm12") _, out("zmm16") _, out("zmm17") _,
                out("zmm18") _, out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _,
                out("zmm29") _, out("zmm30") _, out("zmm31") _,
                options(pure, readonly, nostack)
            );
        }
    };
}

/// The bit whose number is the lower three of an index of four bits.
static BITS: Aligned<[u8; 32]> = Aligned({
    let mut all = [0; 32];
    let mut i = 0;
    while i < 32 {
        all[i] = 1 << (i % 8);
        i += 1;
    }
    all
});

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn encrypt_128(keys: &[Unit], block: &mut [u8; 16]) {
    let t = &FORWARD_128;
    let [first, .., last] = keys else { return };
    let (order, restore) = (_mm256_castsi256_si128(load256(&t.order)), _mm256_castsi256_si128(load256(&t.restore)));
    let (first_sum, last_sum) = (_mm512_castsi512_si128(load512_u64(first)), _mm512_castsi512_si128(load512_u64(last)));
    let (basis, back) = (_mm_set1_epi64x(t.basis.cast_signed()), _mm_set1_epi64x(t.back.cast_signed()));
    let whitened = _mm_shuffle_epi8(_mm_add_epi64(load128(block), first_sum), order);
    let mut x = _mm_gf2p8affine_epi64_epi8::<0>(whitened, basis);
    rounds!(
        "xmm0",
        "zmm4",
        x,
        *t,
        &raw const keys[1],
        64,
        keys.len() - 1,
        substitute_128!("xmmword ptr [{t} + {constant}]"),
        "vpermb zmm10, zmm19, zmmword ptr [{key}]",
        "vpshufb xmm26, xmm4, xmmword ptr [{t} + {terms} + 64]",
        "vgf2p8affineqb xmm31, xmm4, qword ptr [{t} + {products} + 56]{{1to2}}, 0",
        "vgf2p8affineqb xmm30, xmm4, qword ptr [{t} + {products} + 48]{{1to2}}, 0",
        "vpshufb xmm25, xmm4, xmmword ptr [{t} + {terms} + 32]",
        "vgf2p8affineqb xmm28, xmm4, qword ptr [{t} + {products} + 32]{{1to2}}, 0",
        "vgf2p8affineqb xmm10, xmm10, qword ptr [{t} + {basis}]{{1to2}}, 0",
        "vpshufb xmm24, xmm4, xmmword ptr [{t} + {terms}]",
        "vgf2p8affineqb xmm26, xmm26, qword ptr [{t} + {products} + 16]{{1to2}}, 0",
        "vpshufb xmm27, xmm4, xmmword ptr [{t} + {terms} + 96]",
        "vgf2p8affineqb xmm29, xmm4, qword ptr [{t} + {products} + 40]{{1to2}}, 0",
        "vpternlogd xmm24, xmm25, xmm10, 0x96",
        "vpternlogd xmm27, xmm24, xmm26, 0x96",
        "vpshufb xmm31, xmm31, xmmword ptr [{t} + {terms} + 224]",
        "vpshufb xmm28, xmm28, xmmword ptr [{t} + {terms} + 128]",
        "vpshufb xmm29, xmm29, xmmword ptr [{t} + {terms} + 160]",
        "vpternlogd xmm28, xmm31, xmm27, 0x96",
        "vpshufb xmm30, xmm30, xmmword ptr [{t} + {terms} + 192]",
        "vpternlogd xmm29, xmm30, xmm28, 0x96",
        "vmovdqa64 xmm0, xmm29",
    );
    // The last key went through the rounds like the others, as if in row form, but it is one that is added.
    let x = _mm_gf2p8affine_epi64_epi8::<0>(x, back);
    let x = _mm_xor_si128(x, _mm512_castsi512_si128(placed(last, t)));
    store128(block, _mm_add_epi64(_mm_shuffle_epi8(x, restore), last_sum));
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn decrypt_128(keys: &[Unit], block: &mut [u8; 16]) {
    let t = &BACKWARD_128;
    let [first, .., last] = keys else { return };
    let (order, restore) = (_mm256_castsi256_si128(load256(&t.order)), _mm256_castsi256_si128(load256(&t.restore)));
    let (first_sum, last_sum) = (_mm512_castsi512_si128(load512_u64(first)), _mm512_castsi512_si128(load512_u64(last)));
    let mut x = _mm_shuffle_epi8(_mm_sub_epi64(load128(block), last_sum), order);
    rounds!(
        "xmm4",
        "zmm0",
        x,
        *t,
        &raw const keys[keys.len() - 2],
        -64,
        keys.len() - 1,
        "vgf2p8affineqb xmm25, xmm4, qword ptr [{t} + {products} + 8]{{1to2}}, 0",
        "vgf2p8affineqb xmm29, xmm4, qword ptr [{t} + {products} + 40]{{1to2}}, 0",
        "vgf2p8affineqb xmm30, xmm4, qword ptr [{t} + {products} + 48]{{1to2}}, 0",
        "vpshufb xmm28, xmm4, xmmword ptr [{t} + {terms} + 128]",
        "vpshufb xmm26, xmm4, xmmword ptr [{t} + {terms} + 64]",
        "vgf2p8affineqb xmm26, xmm26, qword ptr [{t} + {products} + 16]{{1to2}}, 0",
        "vpshufb xmm24, xmm4, xmmword ptr [{t} + {terms}]",
        "vgf2p8affineqb xmm31, xmm4, qword ptr [{t} + {products} + 56]{{1to2}}, 0",
        "vgf2p8affineqb xmm28, xmm28, qword ptr [{t} + {products} + 32]{{1to2}}, 0",
        "vpshufb xmm25, xmm25, xmmword ptr [{t} + {terms} + 32]",
        "vgf2p8affineqb xmm27, xmm4, qword ptr [{t} + {products} + 24]{{1to2}}, 0",
        "vgf2p8affineqb xmm24, xmm24, qword ptr [{t} + {products}]{{1to2}}, 0",
        "vpternlogd xmm26, xmm25, xmm28, 0x96",
        "vpshufb xmm27, xmm27, xmmword ptr [{t} + {terms} + 96]",
        "vpermb zmm10, zmm19, zmmword ptr [{key}]",
        "vpshufb xmm29, xmm29, xmmword ptr [{t} + {terms} + 160]",
        "vpternlogd xmm29, xmm26, xmm24, 0x96",
        "vpshufb xmm30, xmm30, xmmword ptr [{t} + {terms} + 192]",
        "vpternlogd xmm30, xmm27, xmm29, 0x96",
        "vpshufb xmm31, xmm31, xmmword ptr [{t} + {terms} + 224]",
        "vpxor xmm10, xmm10, xmmword ptr [{t} + {constant}]",
        "vpxorq xmm0, xmm30, xmm31",
        substitute_128!("xmm10"),
    );
    // As above, for the first key.
    let x = _mm_xor_si128(x, _mm512_castsi512_si128(placed(first, t)));
    store128(block, _mm_sub_epi64(_mm_shuffle_epi8(x, restore), first_sum));
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn encrypt_256(keys: &[Unit], block: &mut [u8; 32]) {
    let t = &FORWARD_256;
    let [first, .., last] = keys else { return };
    let (order, restore) = (load256(&t.order), load256(&t.restore));
    let (first_sum, last_sum) = (_mm512_castsi512_si256(load512_u64(first)), _mm512_castsi512_si256(load512_u64(last)));
    let (basis, back) = (_mm256_set1_epi64x(t.basis.cast_signed()), _mm256_set1_epi64x(t.back.cast_signed()));
    let whitened = _mm256_permutexvar_epi8(order, _mm256_add_epi64(load256(block), first_sum));
    let mut x = _mm256_gf2p8affine_epi64_epi8::<0>(whitened, basis);
    rounds!(
        "ymm0",
        "zmm4",
        x,
        *t,
        &raw const keys[1],
        64,
        keys.len() - 1,
        substitute_256!("ymmword ptr [{t} + {constant}]"),
        "vmovdqa ymm7, ymmword ptr [{t} + {terms} + 160]",
        "vpermb ymm29, ymm7, ymm4",
        "vpshufb ymm28, ymm4, ymmword ptr [{t} + {terms} + 128]",
        "vpermb zmm10, zmm19, zmmword ptr [{key}]",
        "vmovdqa ymm3, ymmword ptr [{t} + {terms} + 32]",
        "vmovdqa ymm5, ymmword ptr [{t} + {terms} + 96]",
        "vgf2p8affineqb ymm29, ymm29, qword ptr [{t} + {products} + 40]{{1to4}}, 0",
        "vmovdqa ymm9, ymmword ptr [{t} + {terms} + 224]",
        "vgf2p8affineqb ymm31, ymm4, qword ptr [{t} + {products} + 56]{{1to4}}, 0",
        "vpshufb ymm26, ymm4, ymmword ptr [{t} + {terms} + 64]",
        "vgf2p8affineqb ymm26, ymm26, qword ptr [{t} + {products} + 16]{{1to4}}, 0",
        "vgf2p8affineqb ymm28, ymm28, qword ptr [{t} + {products} + 32]{{1to4}}, 0",
        "vgf2p8affineqb ymm10, ymm10, qword ptr [{t} + {basis}]{{1to4}}, 0",
        "vpshufb ymm30, ymm4, ymmword ptr [{t} + {terms} + 192]",
        "vpermb ymm25, ymm3, ymm4",
        "vpshufb ymm24, ymm4, ymmword ptr [{t} + {terms}]",
        "vgf2p8affineqb ymm30, ymm30, qword ptr [{t} + {products} + 48]{{1to4}}, 0",
        "vpternlogd ymm24, ymm25, ymm10, 0x96",
        "vpermb ymm27, ymm5, ymm4",
        "vpermb ymm31, ymm9, ymm31",
        "vpternlogd ymm26, ymm24, ymm28, 0x96",
        "vpternlogd ymm30, ymm29, ymm27, 0x96",
        "vpternlogd ymm31, ymm30, ymm26, 0x96",
        "vmovdqa64 ymm0, ymm31",
    );
    // The last key went through the rounds like the others, as if in row form, but it is one that is added.
    let x = _mm256_gf2p8affine_epi64_epi8::<0>(x, back);
    let x = _mm256_xor_si256(x, _mm512_castsi512_si256(placed(last, t)));
    store256(block, _mm256_add_epi64(_mm256_permutexvar_epi8(restore, x), last_sum));
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn decrypt_256(keys: &[Unit], block: &mut [u8; 32]) {
    let t = &BACKWARD_256;
    let [first, .., last] = keys else { return };
    let (order, restore) = (load256(&t.order), load256(&t.restore));
    let (first_sum, last_sum) = (_mm512_castsi512_si256(load512_u64(first)), _mm512_castsi512_si256(load512_u64(last)));
    let mut x = _mm256_permutexvar_epi8(order, _mm256_sub_epi64(load256(block), last_sum));
    rounds!(
        "ymm4",
        "zmm0",
        x,
        *t,
        &raw const keys[keys.len() - 2],
        -64,
        keys.len() - 1,
        "vpermb zmm10, zmm19, zmmword ptr [{key}]",
        "vpshufb ymm26, ymm4, ymmword ptr [{t} + {terms} + 64]",
        "vgf2p8affineqb ymm25, ymm4, qword ptr [{t} + {products} + 8]{{1to4}}, 0",
        "vmovdqa ymm7, ymmword ptr [{t} + {terms} + 160]",
        "vgf2p8affineqb ymm31, ymm4, qword ptr [{t} + {products} + 56]{{1to4}}, 0",
        "vgf2p8affineqb ymm27, ymm4, qword ptr [{t} + {products} + 24]{{1to4}}, 0",
        "vgf2p8affineqb ymm30, ymm4, qword ptr [{t} + {products} + 48]{{1to4}}, 0",
        "vmovdqa ymm3, ymmword ptr [{t} + {terms} + 32]",
        "vpermb ymm29, ymm7, ymm4",
        "vpshufb ymm24, ymm4, ymmword ptr [{t} + {terms}]",
        "vmovdqa ymm9, ymmword ptr [{t} + {terms} + 224]",
        "vgf2p8affineqb ymm24, ymm24, qword ptr [{t} + {products}]{{1to4}}, 0",
        "vgf2p8affineqb ymm29, ymm29, qword ptr [{t} + {products} + 40]{{1to4}}, 0",
        "vgf2p8affineqb ymm26, ymm26, qword ptr [{t} + {products} + 16]{{1to4}}, 0",
        "vmovdqa ymm5, ymmword ptr [{t} + {terms} + 96]",
        "vpxor ymm10, ymm10, ymmword ptr [{t} + {constant}]",
        "vpshufb ymm28, ymm4, ymmword ptr [{t} + {terms} + 128]",
        "vpermb ymm31, ymm9, ymm31",
        "vpermb ymm25, ymm3, ymm25",
        "vgf2p8affineqb ymm28, ymm28, qword ptr [{t} + {products} + 32]{{1to4}}, 0",
        "vpternlogd ymm24, ymm29, ymm26, 0x96",
        "vpternlogd ymm28, ymm31, ymm25, 0x96",
        "vpermb ymm27, ymm5, ymm27",
        "vpshufb ymm30, ymm30, ymmword ptr [{t} + {terms} + 192]",
        "vpternlogd ymm27, ymm28, ymm24, 0x96",
        "vpxorq ymm0, ymm27, ymm30",
        substitute_256!("ymm10"),
    );
    // As above, for the first key.
    let x = _mm256_xor_si256(x, _mm512_castsi512_si256(placed(first, t)));
    store256(block, _mm256_sub_epi64(_mm256_permutexvar_epi8(restore, x), first_sum));
}

/// A key in row form, the bytes of a block where they are in the rounds.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
fn placed(key: &Unit, t: &Table) -> __m512i {
    _mm512_permutexvar_epi8(load512(&t.key), load512_u64(key))
}

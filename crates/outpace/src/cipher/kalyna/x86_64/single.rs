//! Kalyna: a single block of 256 bits, or of 128 bits backwards, in the low part of a register: what CBC encryption, OFB,
//! CMAC and key wrapping wait for.
//!
//! As in [`serial`](super::serial), with a key schedule as other kernels have it. VPERMB of 256 bits has a latency of 4
//! (3). Chain of a round: 17 cycles (19 with 256 bits; 18 and 20 on Golden Cove). Measured: 22 (24). The order of the
//! instructions is the best of some hundred thousand that were timed.

use super::avx512::Aligned;
use super::near::{BACKWARD_128, BACKWARD_256, FORWARD_256, Table};
use crate::cipher::kalyna::Unit;
use crate::simd::{load128, load256, load512, load512_u64, store128, store256};
use core::arch::x86_64::*;
use core::mem::offset_of;

/// Rounds on `$x`, in register `$register` (not `$other`), each with a key from `$keys` on, in steps of `$step` bytes.
///
/// Registers: before SubBytes 0, behind it 4; constants 15 to 22 and k1, k2: S-boxes 0 and 2 have the bytes of k1, where a
/// word has bytes of two. In a round, 1 and 2 are indices, then the parts of the corrections, 5 and 11 the sets, 3 the
/// bit that is looked for there, 6 to 9 the inversion, 10 the key, 24 to 31 the terms.
macro_rules! rounds {
    ($register:tt, $other:tt, $x:ident, $table:expr, $keys:expr, $step:literal, $count:expr, $($round:literal,)*) => {
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
pub(super) static BITS: Aligned<[u8; 32]> = Aligned({
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
        keys.as_ptr().wrapping_add(keys.len() - 2),
        -64,
        keys.len() - 1,
        "vgf2p8affineqb xmm31, xmm4, qword ptr [{t} + {products} + 56]{{1to2}}, 0",
        "vpshufb xmm24, xmm4, xmmword ptr [{t} + {terms}]",
        "vgf2p8affineqb xmm27, xmm4, qword ptr [{t} + {products} + 24]{{1to2}}, 0",
        "vgf2p8affineqb xmm29, xmm4, qword ptr [{t} + {products} + 40]{{1to2}}, 0",
        "vgf2p8affineqb xmm26, xmm4, qword ptr [{t} + {products} + 16]{{1to2}}, 0",
        "vpshufb xmm31, xmm31, xmmword ptr [{t} + {terms} + 224]",
        "vpshufb xmm30, xmm4, xmmword ptr [{t} + {terms} + 192]",
        "vpshufb xmm27, xmm27, xmmword ptr [{t} + {terms} + 96]",
        "vpshufb xmm28, xmm4, xmmword ptr [{t} + {terms} + 128]",
        "vpshufb xmm26, xmm26, xmmword ptr [{t} + {terms} + 64]",
        "vgf2p8affineqb xmm30, xmm30, qword ptr [{t} + {products} + 48]{{1to2}}, 0",
        "vgf2p8affineqb xmm25, xmm4, qword ptr [{t} + {products} + 8]{{1to2}}, 0",
        "vgf2p8affineqb xmm24, xmm24, qword ptr [{t} + {products}]{{1to2}}, 0",
        "vgf2p8affineqb xmm28, xmm28, qword ptr [{t} + {products} + 32]{{1to2}}, 0",
        "vpshufb xmm25, xmm25, xmmword ptr [{t} + {terms} + 32]",
        "vpternlogd xmm28, xmm26, xmm27, 0x96",
        "vpternlogd xmm24, xmm30, xmm31, 0x96",
        "vpternlogd xmm25, xmm28, xmm24, 0x96",
        "vpshufb xmm29, xmm29, xmmword ptr [{t} + {terms} + 160]",
        "vpxorq xmm0, xmm25, xmm29",
        "vmovdqa64 xmm1, xmm0",
        "vpternlogd xmm1, xmm20, xmm21, 0xEA",
        "vpsrlw xmm2, xmm0, 3",
        "vpshufb xmm3, xmm22, xmm1",
        "vpternlogd xmm2, xmm20, xmm21, 0xEA",
        "vmovdqa64 zmm5, zmm2",
        "vpermi2b zmm5, zmm18, zmmword ptr [{t} + {corrected} + 64]",
        "vpermb zmm10, zmm19, zmmword ptr [{key}]",
        "vpermi2b zmm1, zmm16, zmmword ptr [{t} + {lower} + 64]",
        "vgf2p8affineqb xmm6, xmm0, xmmword ptr [{t} + {inner}], 1",
        "vgf2p8affineqb xmm7, xmm0, xmmword ptr [{t} + {inner} + 16], 1",
        "vgf2p8affineinvqb xmm8{{k1}}{{z}}, xmm6, xmmword ptr [{t} + {outer}], 0",
        "vgf2p8affineinvqb xmm9{{k2}}{{z}}, xmm7, xmmword ptr [{t} + {outer} + 16], 0",
        "vpermi2b zmm2, zmm17, zmmword ptr [{t} + {upper} + 64]",
        "vpxorq xmm4, xmm1, xmm2",
        "vpand xmm11, xmm5, xmm3",
        "vpxor xmm10, xmm10, xmmword ptr [{t} + {constant}]",
        "vpternlogd xmm8, xmm9, xmm10, 0x96",
        "vpcmpeqb xmm12, xmm11, xmm15",
        "vpternlogd xmm4, xmm12, xmm8, 0x9A",
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
        keys.as_ptr().wrapping_add(1),
        64,
        keys.len() - 1,
        "vpsrlw ymm2, ymm0, 3",
        "vmovdqa64 ymm1, ymm0",
        "vpternlogd ymm1, ymm20, ymm21, 0xEA",
        "vpternlogd ymm2, ymm20, ymm21, 0xEA",
        "vgf2p8affineqb ymm6, ymm0, ymmword ptr [{t} + {inner}], 1",
        "vmovdqa64 zmm5, zmm2",
        "vpermi2b zmm5, zmm18, zmmword ptr [{t} + {corrected} + 64]",
        "vpshufb ymm3, ymm22, ymm1",
        "vpermb zmm10, zmm19, zmmword ptr [{key}]",
        "vgf2p8affineinvqb ymm8, ymm6, ymmword ptr [{t} + {outer}], 0",
        "vpermi2b zmm1, zmm16, zmmword ptr [{t} + {lower} + 64]",
        "vpxor ymm8, ymm8, ymmword ptr [{t} + {constant}]",
        "vpand ymm11, ymm5, ymm3",
        "vmovdqa ymm7, ymmword ptr [{t} + {terms} + 160]",
        "vpcmpeqb ymm12, ymm11, ymm15",
        "vmovdqa ymm5, ymmword ptr [{t} + {terms} + 96]",
        "vmovdqa ymm3, ymmword ptr [{t} + {terms} + 32]",
        "vgf2p8affineqb ymm10, ymm10, qword ptr [{t} + {basis}]{{1to4}}, 0",
        "vpermi2b zmm2, zmm17, zmmword ptr [{t} + {upper} + 64]",
        "vpxorq ymm4, ymm1, ymm2",
        "vpternlogd ymm4, ymm12, ymm8, 0x9A",
        "vgf2p8affineqb ymm30, ymm4, qword ptr [{t} + {products} + 48]{{1to4}}, 0",
        "vpshufb ymm28, ymm4, ymmword ptr [{t} + {terms} + 128]",
        "vgf2p8affineqb ymm31, ymm4, qword ptr [{t} + {products} + 56]{{1to4}}, 0",
        "vgf2p8affineqb ymm26, ymm4, qword ptr [{t} + {products} + 16]{{1to4}}, 0",
        "vmovdqa ymm9, ymmword ptr [{t} + {terms} + 224]",
        "vgf2p8affineqb ymm29, ymm4, qword ptr [{t} + {products} + 40]{{1to4}}, 0",
        "vgf2p8affineqb ymm28, ymm28, qword ptr [{t} + {products} + 32]{{1to4}}, 0",
        "vpermb ymm25, ymm3, ymm4",
        "vpshufb ymm24, ymm4, ymmword ptr [{t} + {terms}]",
        "vpermb ymm27, ymm5, ymm4",
        "vpshufb ymm30, ymm30, ymmword ptr [{t} + {terms} + 192]",
        "vpermb ymm29, ymm7, ymm29",
        "vpshufb ymm26, ymm26, ymmword ptr [{t} + {terms} + 64]",
        "vpternlogd ymm24, ymm25, ymm10, 0x96",
        "vpternlogd ymm27, ymm24, ymm30, 0x96",
        "vpternlogd ymm26, ymm28, ymm27, 0x96",
        "vpermb ymm31, ymm9, ymm31",
        "vpternlogd ymm31, ymm29, ymm26, 0x96",
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
        keys.as_ptr().wrapping_add(keys.len() - 2),
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
        "vmovdqa64 ymm1, ymm0",
        "vpternlogd ymm1, ymm20, ymm21, 0xEA",
        "vpshufb ymm3, ymm22, ymm1",
        "vpsrlw ymm2, ymm0, 3",
        "vpternlogd ymm2, ymm20, ymm21, 0xEA",
        "vmovdqa64 zmm5, zmm2",
        "vpermi2b zmm5, zmm18, zmmword ptr [{t} + {corrected} + 64]",
        "vgf2p8affineqb ymm6, ymm0, ymmword ptr [{t} + {inner}], 1",
        "vgf2p8affineinvqb ymm8, ymm6, ymmword ptr [{t} + {outer}], 0",
        "vpand ymm11, ymm5, ymm3",
        "vpcmpeqb ymm12, ymm11, ymm15",
        "vpxor ymm8, ymm8, ymm10",
        "vpermi2b zmm1, zmm16, zmmword ptr [{t} + {lower} + 64]",
        "vpermi2b zmm2, zmm17, zmmword ptr [{t} + {upper} + 64]",
        "vpxorq ymm4, ymm1, ymm2",
        "vpternlogd ymm4, ymm12, ymm8, 0x9A",
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

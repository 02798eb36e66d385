//! Kalyna: single blocks of 128 bits forwards, and the modes in which each waits for the one before. The chain of results
//! stays in a register, and what a round does not need for it is done beforehand: its key is in the rounds' order and basis.
//!
//! SubBytes is the inversion of [`near`](super::near), and three VPERMI2B of 128 entries for the corrections. The product
//! with the circulant is eight terms: the coefficient of distance i times each byte of row r + i, brought to row r by one
//! VPSHUFB, which is ShiftRows as well. In every other round the columns of rows 4 to 7 have changed places, so that the
//! first term needs none. The last round has tables of its own and ends in the standard's basis and order.
//!
//! Latencies on Zen 4 (in parentheses: on Golden Cove): VPERMI2B 5 (5), one for each cycle (two), GF2P8AFFINEQB 3 (3),
//! VPSHUFB 2 (1), logic 1. Chain of a round: 2 to the second index, 1 + 5 for the last look-up, 2 to the sum of inversion
//! and corrections; then 3 for a product, 2 for a permutation and 2 until all are summed: 17 cycles (18). In front of the
//! rounds 6 more, behind them 1. Measured: 213 to 217 cycles for a block of ten rounds, 21 a round, and now and then 235 for
//! thousands of blocks: the core binds an instruction to a port when it dispatches it, not when it can run, so that the order
//! of the instructions decides. This one is the best of a hundred thousand, by the mean over starting states of the ports.
//!
//! Tables in memory, which leak, answer a round with a load and a chain of sums, 20 cycles, and a block takes 250.

use super::near::{FORWARD_128, LAST_128, Table};
use super::single::BITS;
use crate::cipher::kalyna::{Unit, stream};
use crate::cipher::modes::Chain;
use crate::simd::{load128, load256, load512, load512_u64, store128};
use core::arch::x86_64::*;
use core::mem::offset_of;

/// A round on xmm0: tables at `$table`, the places of its terms at `$terms`, its first term in register `$first` (where
/// `$extra` puts it, if it is not the result of SubBytes itself), its key in xmm30 (by `$key`).
///
/// 1 and 2 are indices, then the parts of the corrections, 5 and 11 the sets, 3 the bit that is looked for there, 6 to 9
/// the inversion, 4 the result of SubBytes, 6 and 24 to 31 the terms. Constants: 15 to 22; S-boxes 0 and 2 have the bytes of
/// k1, where a word has bytes of two.
macro_rules! round {
    ($table:literal, $terms:literal, $key:literal, $first:literal, $extra:literal) => {
        concat!(
            "vmovdqa64 xmm1, xmm0\n",
            "vpternlogd xmm1, xmm20, xmm21, 0xEA\n",
            "vpsrlw xmm2, xmm0, 3\n",
            "vpternlogd xmm2, xmm20, xmm21, 0xEA\n",
            "vpshufb xmm3, xmm22, xmm1\n",
            "vgf2p8affineqb xmm6, xmm0, xmmword ptr [",
            $table,
            " + {inner}], 1\n",
            "vmovdqa64 zmm5, zmm2\n",
            "vgf2p8affineqb xmm7, xmm0, xmmword ptr [",
            $table,
            " + {inner} + 16], 1\n",
            "vpermi2b zmm5, zmm18, zmmword ptr [",
            $table,
            " + {corrected} + 64]\n",
            "vgf2p8affineinvqb xmm8{{k1}}{{z}}, xmm6, xmmword ptr [",
            $table,
            " + {outer}], 0\n",
            "vgf2p8affineinvqb xmm9{{k2}}{{z}}, xmm7, xmmword ptr [",
            $table,
            " + {outer} + 16], 0\n",
            "vpand xmm11, xmm5, xmm3\n",
            "vpcmpeqb xmm11, xmm11, xmm15\n",
            "vpternlogd xmm8, xmm9, xmmword ptr [",
            $table,
            " + {constant}], 0x96\n",
            "vpermi2b zmm1, zmm16, zmmword ptr [",
            $table,
            " + {lower} + 64]\n",
            "vpermi2b zmm2, zmm17, zmmword ptr [",
            $table,
            " + {upper} + 64]\n",
            "vpxorq xmm4, xmm1, xmm2\n",
            $key,
            "vpternlogd xmm4, xmm11, xmm8, 0x9A\n",
            $extra,
            "vgf2p8affineqb xmm29, xmm4, qword ptr [",
            $table,
            " + {products} + 40]{{1to2}}, 0\n",
            "vgf2p8affineqb xmm28, xmm4, qword ptr [",
            $table,
            " + {products} + 32]{{1to2}}, 0\n",
            "vpshufb xmm26, xmm4, xmmword ptr [",
            $terms,
            " + 64]\n",
            "vgf2p8affineqb xmm6, xmm4, qword ptr [",
            $table,
            " + {products} + 48]{{1to2}}, 0\n",
            "vgf2p8affineqb xmm26, xmm26, qword ptr [",
            $table,
            " + {products} + 16]{{1to2}}, 0\n",
            "vgf2p8affineqb xmm31, xmm4, qword ptr [",
            $table,
            " + {products} + 56]{{1to2}}, 0\n",
            "vpshufb xmm25, xmm4, xmmword ptr [",
            $terms,
            " + 32]\n",
            "vpshufb xmm29, xmm29, xmmword ptr [",
            $terms,
            " + 160]\n",
            "vpshufb xmm6, xmm6, xmmword ptr [",
            $terms,
            " + 192]\n",
            "vpshufb xmm27, xmm4, xmmword ptr [",
            $terms,
            " + 96]\n",
            "vpternlogd ",
            $first,
            ", xmm25, xmm30, 0x96\n",
            "vpshufb xmm28, xmm28, xmmword ptr [",
            $terms,
            " + 128]\n",
            "vpshufb xmm31, xmm31, xmmword ptr [",
            $terms,
            " + 224]\n",
            "vpternlogd xmm28, xmm29, xmm26, 0x96\n",
            "vpternlogd xmm6, ",
            $first,
            ", xmm27, 0x96\n",
            "vpternlogd xmm31, xmm6, xmm28, 0x96\n",
            "vmovdqa64 xmm0, xmm31\n",
        )
    };
}

/// Round keys: the first and the last as they are, those between where the rounds have their bytes, and in their basis.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn prepare(keys: &[Unit], serial: &mut [[u8; 16]]) {
    let ([first, inner @ .., last], [to_first, to_inner @ .., to_last]) = (keys, serial) else { return };
    let t = &FORWARD_128;
    let (even, odd, basis) = (load512(&t.key), load512(&t.odd_key), _mm_set1_epi64x(t.basis.cast_signed()));
    for (i, (key, to)) in inner.iter().zip(to_inner).enumerate() {
        let placed = _mm512_permutexvar_epi8(if i % 2 == 0 { odd } else { even }, load512_u64(key));
        store128(to, _mm_gf2p8affine_epi64_epi8::<0>(_mm512_castsi512_si128(placed), basis));
    }
    stream::store(to_first, first);
    stream::store(to_last, last);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn encrypt(keys: &[[u8; 16]], block: &mut [u8; 16]) {
    store128(block, encrypted(load128(block), keys));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
pub(super) fn chain(keys: &[[u8; 16]], state: &mut [u8; 16], mode: Chain<'_>) {
    let mut x = load128(state);
    match mode {
        Chain::Cbc(data) => {
            for block in data.as_chunks_mut().0 {
                x = encrypted(_mm_xor_si128(x, load128(block)), keys);
                store128(block, x);
            }
        }
        Chain::Cfb(data) => {
            for block in data.as_chunks_mut().0 {
                x = _mm_xor_si128(x, load128(block));
                store128(block, x);
                x = encrypted(x, keys);
            }
        }
        Chain::Ofb(data) => {
            for block in data.as_chunks_mut().0 {
                x = encrypted(x, keys);
                store128(block, _mm_xor_si128(x, load128(block)));
            }
        }
        Chain::Mac(data) => {
            for block in data.as_chunks().0 {
                x = encrypted(_mm_xor_si128(x, load128(block)), keys);
            }
        }
    }
    store128(state, x);
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn encrypted(block: __m128i, keys: &[[u8; 16]]) -> __m128i {
    let [first, inner @ .., last] = keys else { return block };
    let t = &FORWARD_128;
    let order = _mm256_castsi256_si128(load256(&t.order));
    let x = _mm_shuffle_epi8(_mm_add_epi64(block, load128(first)), order);
    let mut x = _mm_gf2p8affine_epi64_epi8::<0>(x, _mm_set1_epi64x(t.basis.cast_signed()));
    // Preconditions: `t` and `l` point to tables, `key` to an odd number of keys, 2 `pairs` + 1.
    // SAFETY: reads just those, and says which registers it changes.
    unsafe {
        core::arch::asm!(
            "vmovdqa64 zmm16, zmmword ptr [{t} + {lower}]",
            "vmovdqa64 zmm17, zmmword ptr [{t} + {upper}]",
            "vmovdqa64 zmm18, zmmword ptr [{t} + {corrected}]",
            ".p2align 6",
            "2:",
            round!("{t}", "{t} + {terms}", "vmovdqu64 xmm30, xmmword ptr [{key}]\n", "xmm4", ""),
            round!("{t}", "{t} + {odd_terms}", "vmovdqu64 xmm30, xmmword ptr [{key} + 16]\n", "xmm4", ""),
            "add {key}, 32",
            "dec {pairs}",
            "jnz 2b",
            round!("{t}", "{t} + {terms}", "vmovdqu64 xmm30, xmmword ptr [{key}]\n", "xmm4", ""),
            "vmovdqa64 zmm16, zmmword ptr [{l} + {lower}]",
            "vmovdqa64 zmm17, zmmword ptr [{l} + {upper}]",
            round!("{l}", "{l} + {odd_terms}", "vmovdqa64 xmm30, xmm15\n", "xmm24",
                "vpshufb xmm24, xmm4, xmmword ptr [{l} + {odd_terms}]\n"),
            t = in(reg) &raw const *t,
            l = in(reg) &raw const LAST_128,
            key = inout(reg) inner.as_ptr() => _,
            pairs = inout(reg) inner.len() / 2 => _,
            lower = const offset_of!(Table, lower),
            upper = const offset_of!(Table, upper),
            corrected = const offset_of!(Table, corrected),
            inner = const offset_of!(Table, inner),
            outer = const offset_of!(Table, outer),
            constant = const offset_of!(Table, constant),
            terms = const offset_of!(Table, terms),
            odd_terms = const offset_of!(Table, odd_terms),
            products = const offset_of!(Table, products),
            inout("xmm0") x,
            in("xmm15") _mm_setzero_si128(),
            in("xmm20") _mm_set1_epi8(31),
            in("xmm21") _mm256_castsi256_si128(load256(&t.number)),
            in("xmm22") _mm256_castsi256_si128(load256(&BITS.0)),
            in("k1") 0x0f0fu32, in("k2") 0xf0f0u32,
            out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _, out("zmm6") _, out("zmm7") _,
            out("zmm8") _, out("zmm9") _, out("zmm11") _, out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm24") _,
            out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _, out("zmm30") _, out("zmm31") _,
            options(pure, readonly, nostack)
        );
    }
    _mm_add_epi64(x, load128(last))
}

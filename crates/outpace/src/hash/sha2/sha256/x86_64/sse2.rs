//! SHA-256 with what every x86-64 has: the schedule in SSE2 registers, four words a step, between the scalar rounds.
//!
//! Floor: a round and its part of the schedule are 40.5 instructions, of which a core starts six a cycle: 6.75 cycles in
//! 48 of the rounds, 5.5 in the others, 412 a block. Measured on Zen 4: 450.

use super::rounds::{Rounds, Sixteen, four_rounds};
use crate::cpu::{Features, Kernel};
use crate::hash::sha2::Sha2Kernel;
use crate::hash::sha2::rounds::{mov_ror, round};
use crate::hash::sha2::sha256::{K, State};
use crate::mem::Secret;
use crate::simd::{load128, load128_u32, store128_u32};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 64>> = {
    // SAFETY: every x86-64 CPU has SSE2.
    let blocks = Sha2Kernel::of_blocks(|state, blocks| unsafe { compress(state, blocks) });
    // SAFETY: likewise.
    unsafe { Kernel::new("sse2", Features::NONE, blocks) }
};

#[target_feature(enable = "sse2")]
fn compress(state: &mut State, blocks: &[[u8; 64]]) {
    let [first, later @ ..] = K.as_chunks::<4>().0.as_chunks::<4>().0 else { unreachable!("64 constants") };
    let mut wk = Secret::new([[0; 4]; 4]);
    for block in blocks {
        let mut w = words(block);
        for i in 0..4 {
            store128_u32(&mut wk[i], _mm_add_epi32(w[i], load128_u32(&first[i])));
        }
        let mut rounds = Rounds::new(state);
        for k in later {
            four_and_step::<0>(&mut rounds, &mut w, &mut wk, k);
            four_and_step::<1>(&mut rounds, &mut w, &mut wk, k);
            four_and_step::<2>(&mut rounds, &mut w, &mut wk, k);
            four_and_step::<3>(&mut rounds, &mut w, &mut wk, k);
        }
        // SAFETY: these are rounds without BMI2.
        unsafe { rounds.sixteen(&wk, 0) };
        rounds.finish(state);
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn words(block: &[u8; 64]) -> [__m128i; 4] {
    let mut w = [_mm_setzero_si128(); 4];
    for (w, bytes) in w.iter_mut().zip(block.as_chunks().0) {
        let bytes = load128(bytes);
        // Bytes change places within halves of words, then halves within words.
        let halves = _mm_or_si128(_mm_slli_epi16::<8>(bytes), _mm_srli_epi16::<8>(bytes));
        *w = _mm_shufflehi_epi16::<0b1011_0001>(_mm_shufflelo_epi16::<0b1011_0001>(halves));
    }
    w
}

/// Rounds 4I to 4I + 3 of sixteen, and the words for the same place sixteen rounds on. The last two of them need the
/// first two: σ1 comes in two halves, each of two words doubled to 64 bits, of which a shift is a rotation of 32.
#[inline]
#[target_feature(enable = "sse2")]
fn four_and_step<const I: usize>(
    rounds: &mut Rounds<false>,
    w: &mut [__m128i; 4],
    wk: &mut Sixteen<4>,
    k: &Sixteen<4>,
) {
    let [w1, w2, w3] = [1, 2, 3].map(|i| w[(I + i) % 4]);
    // SAFETY: reads and writes one row of `wk`, which is borrowed, and registers.
    unsafe {
        four_rounds!(rounds, I, mov_ror,
            ["" "movdqa {v}, {w0}" "movss {v}, {w1}" "movdqa {z}, {w2}" "pshufd {v}, {v}, 0x39" "movss {z}, {w3}"
             "pshufd {z}, {z}, 0x39\nmovdqa {s}, {v}" "paddd {w0}, {z}"]
            ["movdqa {z}, {v}\npsrld {s}, 7" "psrld {z}, 3" "pslld {v}, 14\npxor {z}, {s}" "psrld {s}, 11" "pxor {z}, {v}"
             "pslld {v}, 11\npxor {z}, {s}" "pxor {z}, {v}" "pshufd {v}, {w3}, 0xfa\npaddd {w0}, {z}"]
            ["movdqa {z}, {v}" "psrlq {z}, 17\npsrld {v}, 10" "pxor {v}, {z}" "psrlq {z}, 2" "pxor {v}, {z}"
             "pshufd {v}, {v}, 0x88\npsrldq {v}, 8" "paddd {w0}, {v}" "pshufd {v}, {w0}, 0x50"]
            ["movdqa {z}, {v}" "psrlq {z}, 17\npsrld {v}, 10" "pxor {v}, {z}\npsrlq {z}, 2" "pxor {v}, {z}"
             "pshufd {v}, {v}, 0x88\npslldq {v}, 8" "paddd {w0}, {v}" "paddd {k}, {w0}" "movdqu [{words} + {row}], {k}"],
            words = in(reg) wk.as_mut_ptr(), row = const 16 * I, k = inout(xmm_reg) load128_u32(&k[I]) => _,
            w0 = inout(xmm_reg) w[I], w1 = in(xmm_reg) w1, w2 = in(xmm_reg) w2, w3 = in(xmm_reg) w3,
            v = out(xmm_reg) _, z = out(xmm_reg) _, s = out(xmm_reg) _, options(nostack));
    }
}

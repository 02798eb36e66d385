//! Kupyna with the one-unit form of Kalyna's AVX-512 round: word r of a register is row r of eight columns. P and Q run
//! side by side, so that one fills the waits of the other; Q goes to columns and back for its addition.
//!
//! Floor: the shuffle port, 24 cycles for each unit and round and one for each way of a transposition: 50 cycles a round
//! for blocks of 64 bytes; for 128 bytes twice that, and 8 to turn rows through both halves.

use crate::cipher::kalyna::x86_64::avx512::{Aligned, TRANSPOSE, round_one};
use crate::cpu::{Features, Kernel};
use crate::hash::kupyna::{Engine, State, p_constant, q_constant, rounds, turn};
use crate::simd::{load512, load512_u64, permi2b512, store512_u64};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Engine> = {
    let engine = Engine {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        compress: |state, columns, data| unsafe { compress(state, columns, data) },
        // SAFETY: likewise.
        output: |state, columns| unsafe { output(state, columns) },
    };
    // SAFETY: both functions are built for exactly the features named here.
    unsafe { Kernel::new("avx512", Features::AVX512.and(Features::VBMI).and(Features::GFNI), engine) }
};

const MOST: usize = 14;

/// The constants of P, in row form: byte q of word 0. `[round][half]`.
const fn p_constants(columns: usize) -> [[[u64; 8]; 2]; MOST] {
    let mut all = [[[0; 8]; 2]; MOST];
    let mut n = 0;
    while n < MOST * columns {
        let (round, q) = (n / columns, n % columns);
        all[round][q / 8][0] |= (p_constant(q, round) as u64) << (8 * (q % 8));
        n += 1;
    }
    all
}

/// The constants of Q, in column form.
const fn q_constants(columns: usize) -> [[[u64; 8]; 2]; MOST] {
    let mut all = [[[0; 8]; 2]; MOST];
    let mut n = 0;
    while n < MOST * columns {
        all[n / columns][n % columns / 8][n % 8] = q_constant(columns, n % columns, n / columns);
        n += 1;
    }
    all
}

static P8: Aligned<[[[u64; 8]; 2]; MOST]> = Aligned(p_constants(8));
static Q8: Aligned<[[[u64; 8]; 2]; MOST]> = Aligned(q_constants(8));
static P16: Aligned<[[[u64; 8]; 2]; MOST]> = Aligned(p_constants(16));
static Q16: Aligned<[[[u64; 8]; 2]; MOST]> = Aligned(q_constants(16));

/// Where the bytes of either half come from when sixteen columns turn: 64 and more for the other half.
static TURN: Aligned<[[u8; 64]; 2]> = Aligned({
    let mut all = [[0; 64]; 2];
    let mut n = 0;
    while n < 128 {
        let (half, r, q) = (n / 64, n / 8 % 8, n % 8);
        let from = (8 * half + q + 16 - turn(16, r)) % 16;
        all[half][8 * r + q] = (from / 8 * 64 + 8 * r + from % 8) as u8;
        n += 1;
    }
    all
});

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn compress(state: &mut State, columns: usize, data: &[u8]) {
    let transpose = load512(&TRANSPOSE.0);
    let halves = state.as_chunks_mut::<8>().0;
    // The state stays in row form.
    let mut h = [load512_u64(&halves[0]), load512_u64(&halves[1])];
    for half in &mut h {
        *half = _mm512_permutexvar_epi8(transpose, *half);
    }
    if columns == 8 {
        for block in data.as_chunks::<64>().0 {
            let m = load512(block);
            let p = _mm512_xor_si512(h[0], _mm512_permutexvar_epi8(transpose, m));
            let [p, q] = permute8(p, m);
            h[0] = _mm512_xor_si512(h[0], _mm512_xor_si512(p, q));
        }
    } else {
        for block in data.as_chunks::<128>().0 {
            let parts = block.as_chunks::<64>().0;
            let m = [load512(&parts[0]), load512(&parts[1])];
            let mut p = h;
            for i in 0..2 {
                p[i] = _mm512_xor_si512(h[i], _mm512_permutexvar_epi8(transpose, m[i]));
            }
            let [p, q] = permute16(p, m);
            for i in 0..2 {
                h[i] = _mm512_xor_si512(h[i], _mm512_xor_si512(p[i], q[i]));
            }
        }
    }
    for (words, half) in halves.iter_mut().zip(h) {
        store512_u64(words, _mm512_permutexvar_epi8(transpose, half));
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn output(state: &mut State, columns: usize) {
    let transpose = load512(&TRANSPOSE.0);
    let zero = _mm512_setzero_si512();
    let halves = state.as_chunks_mut::<8>().0;
    let mut h = [load512_u64(&halves[0]), load512_u64(&halves[1])];
    for half in &mut h {
        *half = _mm512_permutexvar_epi8(transpose, *half);
    }
    let p = if columns == 8 { [permute8(h[0], zero)[0], h[1]] } else { permute16(h, [zero; 2])[0] };
    for (words, (half, p)) in halves.iter_mut().zip(h.into_iter().zip(p)) {
        store512_u64(words, _mm512_permutexvar_epi8(transpose, _mm512_xor_si512(half, p)));
    }
}

/// P of `p`, in row form, and Q of `q`, in column form; both results in row form.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn permute8(p: __m512i, q: __m512i) -> [__m512i; 2] {
    let transpose = load512(&TRANSPOSE.0);
    let zero = _mm512_setzero_si512();
    let mut p = _mm512_xor_si512(p, load512_u64(&P8.0[0][0]));
    let mut q = q;
    for round in 0..rounds(8) {
        let added = _mm512_add_epi64(q, load512_u64(&Q8.0[round][0]));
        let rows = round_one::<8>(_mm512_permutexvar_epi8(transpose, added), zero);
        let next = if round + 1 < rounds(8) { load512_u64(&P8.0[round + 1][0]) } else { zero };
        p = round_one::<8>(p, next);
        if round + 1 == rounds(8) {
            return [p, rows];
        }
        q = _mm512_permutexvar_epi8(transpose, rows);
    }
    [p, q]
}

/// The same for sixteen columns.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn permute16(p: [__m512i; 2], q: [__m512i; 2]) -> [[__m512i; 2]; 2] {
    let transpose = load512(&TRANSPOSE.0);
    let zero = _mm512_setzero_si512();
    let (mut p, mut q) = (p, q);
    for i in 0..2 {
        p[i] = _mm512_xor_si512(p[i], load512_u64(&P16.0[0][i]));
    }
    for round in 0..rounds(16) {
        let last = round + 1 == rounds(16);
        let (mut turned_p, mut turned_q) = (p, q);
        for i in 0..2 {
            q[i] = _mm512_permutexvar_epi8(transpose, _mm512_add_epi64(q[i], load512_u64(&Q16.0[round][i])));
        }
        for i in 0..2 {
            let from = load512(&TURN.0[i]);
            turned_p[i] = permi2b512(p[0], from, p[1]);
            turned_q[i] = permi2b512(q[0], from, q[1]);
        }
        for i in 0..2 {
            p[i] = round_one::<1>(turned_p[i], if last { zero } else { load512_u64(&P16.0[round + 1][i]) });
            q[i] = round_one::<1>(turned_q[i], zero);
        }
        if !last {
            for i in 0..2 {
                q[i] = _mm512_permutexvar_epi8(transpose, q[i]);
            }
        }
    }
    [p, q]
}

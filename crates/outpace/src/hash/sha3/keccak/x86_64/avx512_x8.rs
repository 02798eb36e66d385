//! Eight states, one lane of each in a zmm register: VPTERNLOG for θ and χ, VPROLQ for ρ.
//!
//! Floor, a round: θ 10 + 25 ternary and 5 rotations, ρ 24 rotations, χ 25 ternary, ι 1: 90 operations on two ports, of
//! which one rotates; 1080 cycles a permutation. Bringing the lanes of a block together costs about 40 more.

use super::{absorb_block, halves, last_pair, next_blocks, pair, rounds};
use crate::cpu::{Features, Kernel};
use crate::hash::many::MAX_LANES;
use crate::hash::sha3::keccak::{Columns, InStep, ManyKernel, Rate, State};
use crate::simd::{load128, load128_u64, load512_u64, store128_u64, store512_u64, ternlog512, transpose8};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<ManyKernel> = kernel::<false>("avx512");

/// For CPUs whose 512-bit instructions take two passes.
pub(crate) const HALVES: Kernel<ManyKernel> = kernel::<true>("avx512-halves").suited_to(Features::HALVES);

const fn kernel<const HALVES: bool>(name: &'static str) -> Kernel<ManyKernel> {
    let absorb = |states: &mut [State; MAX_LANES], rate: Rate, data: &[&[u8]; MAX_LANES]| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { absorb::<HALVES>(states, rate, data) }
    };
    let in_step = |columns: &mut Columns, rate: Rate, suffix: u8, messages: &[&[u8]; 8]| {
        // SAFETY: as above.
        unsafe { in_step(columns, rate, suffix, messages) }
    };
    let in_step = if HALVES { Some(in_step as InStep) } else { None };
    // SAFETY: both functions are built for exactly the features named here.
    unsafe { Kernel::new(name, Features::AVX512, ManyKernel { width: 8, absorb, in_step }) }
}

#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn absorb<const HALVES: bool>(states: &mut [State; MAX_LANES], rate: Rate, data: &[&[u8]; MAX_LANES]) {
    let (states, data) = (&mut states.as_chunks_mut().0[0], &data.as_chunks().0[0]);
    match rate {
        Rate::R168 => absorb_blocks::<168, HALVES>(states, data),
        Rate::R144 => absorb_blocks::<144, HALVES>(states, data),
        Rate::R136 => absorb_blocks::<136, HALVES>(states, data),
        Rate::R104 => absorb_blocks::<104, HALVES>(states, data),
        Rate::R72 => absorb_blocks::<72, HALVES>(states, data),
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn absorb_blocks<const RATE: usize, const HALVES: bool>(states: &mut [State; 8], data: &[&[u8]; 8]) {
    let mut memory = load(states);
    absorb_loaded::<RATE, HALVES>(&mut memory, data);
    store(states, &memory);
}

/// On its own, so that the lanes are registers inside and memory outside.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn absorb_loaded<const RATE: usize, const HALVES: bool>(memory: &mut [__m512i; 25], data: &[&[u8]; 8]) {
    let mut s = *memory;
    let mut rest = *data;
    while let Some(blocks) = next_blocks::<RATE, 8>(&mut rest) {
        absorb_block!(s, blocks, RATE, 0 1 2 3 4 5 6 7 8 9);
        if HALVES && cfg!(not(outpace_ct = "msan")) {
            s = halves::rounds512(s, parities(&s));
        } else {
            rounds!(s, true);
        }
    }
    *memory = s;
}

#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn in_step(columns: &mut Columns, rate: Rate, suffix: u8, messages: &[&[u8]; 8]) {
    match rate {
        Rate::R168 => in_step_at::<168>(columns, suffix, messages),
        Rate::R144 => in_step_at::<144>(columns, suffix, messages),
        Rate::R136 => in_step_at::<136>(columns, suffix, messages),
        Rate::R104 => in_step_at::<104>(columns, suffix, messages),
        Rate::R72 => in_step_at::<72>(columns, suffix, messages),
    }
}

/// Nothing of a state is loaded, and no more of it stored than a digest is made of. On the way, row i of `columns` holds
/// lane i of the next block of each message.
#[target_feature(enable = "avx512f,avx512vl,avx512dq")]
fn in_step_at<const RATE: usize>(columns: &mut Columns, suffix: u8, messages: &[&[u8]; 8]) {
    let sources = halves::Messages::new(messages);
    let len = sources.len();
    // The bytes that fill no word, and the first bits behind them (FIPS 202, section 5.1).
    let tails = messages.map(|m| m[len & !7..len].iter().rfold(u64::from(suffix), |w, b| w << 8 | u64::from(*b)));
    let (mut s, mut c) = ([_mm512_setzero_si512(); 25], [_mm512_setzero_si512(); 5]);
    bring_together(messages, RATE.min(len) / 8, columns);
    let mut at = 0;
    loop {
        let left = len - at;
        if left < RATE {
            let (rows, n) = (&mut columns.0[..RATE / 8], left / 8);
            rows[n..].fill([0; 8]);
            rows[n] = tails;
            rows[RATE / 8 - 1] = rows[RATE / 8 - 1].map(|word| word ^ 0x80 << 56);
        }
        // The parities of the columns are known from the last round, so that the next need not wait for the sums.
        macro_rules! add {
            ($($i:literal)*) => { $(
                if $i < RATE / 8 {
                    let row = load512_u64(&columns.0[$i]);
                    (s[$i], c[$i % 5]) = (xor(s[$i], row), xor(c[$i % 5], row));
                }
            )* };
        }
        add!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);
        let ended = left < RATE;
        at += RATE.min(left);
        let words = RATE.min(len - at) / 8;
        if cfg!(not(outpace_ct = "msan")) {
            (s, c) = halves::rounds512_bringing(s, c, &sources, at, words, columns);
        } else {
            rounds!(s, true);
            c = parities(&s);
            bring_together(&messages.map(|m| &m[at..]), words, columns);
        }
        if ended {
            break;
        }
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7, ..] = s;
    for (row, words) in columns.0.iter_mut().zip(transpose8([s0, s1, s2, s3, s4, s5, s6, s7])) {
        store512_u64(row, words);
    }
}

#[target_feature(enable = "avx512f,avx512dq")]
fn bring_together(messages: &[&[u8]; 8], words: usize, rows: &mut Columns) {
    let (pairs, odd) = rows.0[..words].as_chunks_mut::<2>();
    for (i, rows) in pairs.iter_mut().enumerate() {
        let [even, odd] = columns(|m| load128(&messages[m].as_chunks().0[i]));
        store512_u64(&mut rows[0], even);
        store512_u64(&mut rows[1], odd);
    }
    for row in odd {
        *row = messages.map(|message| u64::from_le_bytes(message.as_chunks().0[words - 1]));
    }
}

/// 16 bytes of each of eight messages to two vectors of eight words: the first words and the second. Broadcasts under a
/// mask cost less than shuffles.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn columns(two: impl Fn(usize) -> __m128i) -> [__m512i; 2] {
    let four = |i: usize| {
        let v = _mm512_castsi128_si512(two(i));
        let v = _mm512_mask_broadcast_i64x2(v, 0b0000_1100, two(i + 2));
        let v = _mm512_mask_broadcast_i64x2(v, 0b0011_0000, two(i + 4));
        _mm512_mask_broadcast_i64x2(v, 0b1100_0000, two(i + 6))
    };
    let (even, odd) = (four(0), four(1));
    [_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd)]
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq")]
fn load(states: &[State; 8]) -> [__m512i; 25] {
    let mut s = [_mm512_setzero_si512(); 25];
    for (pair, s) in s.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        *s = columns(|i| load128_u64(&states[i].as_chunks().0[pair]));
    }
    s[24] = columns(|i| _mm_cvtsi64_si128(states[i][24] as i64))[0];
    s
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq")]
fn store(states: &mut [State; 8], s: &[__m512i; 25]) {
    for (pair, s) in s.as_chunks::<2>().0.iter().enumerate() {
        let even = _mm512_unpacklo_epi64(s[0], s[1]);
        let odd = _mm512_unpackhi_epi64(s[0], s[1]);
        for (i, v) in [(0, even), (1, odd)] {
            let place = |state: &mut State, v| store128_u64(&mut state.as_chunks_mut().0[pair], v);
            place(&mut states[i], _mm512_castsi512_si128(v));
            place(&mut states[i + 2], _mm512_extracti64x2_epi64::<1>(v));
            place(&mut states[i + 4], _mm512_extracti64x2_epi64::<2>(v));
            place(&mut states[i + 6], _mm512_extracti64x2_epi64::<3>(v));
        }
    }
    let mut last = [0; 8];
    store512_u64(&mut last, s[24]);
    for (state, last) in states.iter_mut().zip(last) {
        state[24] = last;
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor(a: __m512i, b: __m512i) -> __m512i {
    _mm512_xor_si512(a, b)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    ternlog512::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn parity(a: [__m512i; 5]) -> __m512i {
    xor3(xor3(a[0], a[1], a[2]), a[3], a[4])
}

/// Those of all columns. A closure for each would not be inlined.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn parities(s: &[__m512i; 25]) -> [__m512i; 5] {
    [
        parity([s[0], s[5], s[10], s[15], s[20]]),
        parity([s[1], s[6], s[11], s[16], s[21]]),
        parity([s[2], s[7], s[12], s[17], s[22]]),
        parity([s[3], s[8], s[13], s[18], s[23]]),
        parity([s[4], s[9], s[14], s[19], s[24]]),
    ]
}

/// Both are added at once, so their sum is never made.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn neighbours(west: __m512i, east: __m512i) -> [__m512i; 2] {
    [west, east]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn add(a: __m512i, d: [__m512i; 2]) -> __m512i {
    xor3(a, d[0], d[1])
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn chi(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    ternlog512::<0xd2>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn rol<const N: i32>(a: __m512i) -> __m512i {
    _mm512_rol_epi64::<N>(a)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn all(word: u64) -> __m512i {
    _mm512_set1_epi64(word as i64)
}

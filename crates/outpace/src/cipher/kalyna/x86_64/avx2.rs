//! Kalyna with AVX2: one row of 32 columns a register, 256 bytes at a time; a shorter last part is filled up.
//!
//! SubBytes splits the byte into nibbles: VPSHUFB looks up the low one in each of sixteen lines and gives zero where the
//! top bit of the index is set. Subtracting 16 with signed saturation after each line leaves the top bit clear for just
//! the lines up to the right one, so the lines hold differences and are summed; bytes from 128 on go through the same
//! with the top bit inverted. That is three instructions for each of sixteen lines. MixColumns is two products and ten
//! XORs a row, its inverse eight products by nibble tables. Floor, at three operations a cycle: 48 for SubBytes, one for
//! ShiftRows, 20 for MixColumns, so 23 cycles for each row of 32 bytes and round.

use crate::cipher::kalyna::tables::{INVERSE_MDS, INVERSE_SBOX, REDUCTION, SBOX, multiply};
use crate::cipher::kalyna::{Engine, Unit, transpose as turn};
use crate::cpu::{Features, Kernel};
use crate::mem::Wipe;
use crate::simd::{load128, load128_u64, store128};
use core::arch::x86_64::*;

pub(crate) const KERNEL: Kernel<Engine> = {
    let engine = Engine {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        rounds: |units, columns| unsafe { rounds(units, columns) },
        transpose: |units| units.iter_mut().for_each(turn),
        // SAFETY: likewise.
        encrypt: |keys, data| unsafe { encrypt(keys.units, keys.columns, data) },
        // SAFETY: likewise.
        decrypt: |keys, data| unsafe { decrypt(keys.units, keys.columns, data) },
        // SAFETY: likewise.
        chain: |keys, state, mode| mode.each(state, |block| unsafe { encrypt(keys.units, keys.columns, block) }),
        serial: |_, _| {},
    };
    // SAFETY: the three functions are built for exactly the features named here.
    unsafe { Kernel::new("avx2", Features::AVX2, engine) }
};

/// Bytes in a group: four units.
pub(crate) const GROUP: usize = 256;
const ZERO: Unit = [0; 8];

type Line = [u8; 16];

/// The sixteen lines of an S-box, each but the first and the ninth XORed with the one before.
const fn differences(boxes: &[[u8; 256]; 4]) -> [[Line; 16]; 4] {
    let mut all = [[[0; 16]; 16]; 4];
    let mut i = 0;
    while i < 1024 {
        let (k, h, j) = (i / 256, i / 16 % 16, i % 16);
        let before = if h % 8 == 0 { 0 } else { boxes[k][16 * h + j - 16] };
        all[k][h][j] = boxes[k][16 * h + j] ^ before;
        i += 1;
    }
    all
}

static FORWARD: [[Line; 16]; 4] = differences(&SBOX);
static BACKWARD: [[Line; 16]; 4] = differences(&INVERSE_SBOX);

/// The products of `c` with 0 to 15, and with those times 16.
const fn products(c: u8) -> [Line; 2] {
    let mut all = [[0; 16]; 2];
    let mut i = 0;
    while i < 16 {
        all[0][i] = multiply(c, i as u8);
        all[1][i] = multiply(c, (i as u8) << 4);
        i += 1;
    }
    all
}

static QUADRUPLE: [Line; 2] = products(4);
static UNMIX: [[Line; 2]; 8] = {
    let mut all = [[[0; 16]; 2]; 8];
    let mut d = 0;
    while d < 8 {
        all[d] = products(INVERSE_MDS[d]);
        d += 1;
    }
    all
};

/// `ROTATIONS[log2 of columns - 1][by]`: each byte goes right by `by` places inside its block of columns.
static ROTATIONS: [[Line; 16]; 4] = {
    let mut all = [[[0; 16]; 16]; 4];
    let mut n = 0;
    while n < 4 * 16 * 16 {
        let (size, by, q) = (n / 256, n / 16 % 16, n % 16);
        let columns = 2 << size;
        all[size][by][q] = (q / columns * columns + (q + columns - by % columns) % columns) as u8;
        n += 1;
    }
    all
};

/// How far row `i` goes to the right: ShiftRows of the cipher, and for 16 columns that of the hash.
const fn places<const C: usize>(i: usize) -> usize {
    match (C, i) {
        (16, 7) => 11,
        (16, _) => i,
        _ => i * C / 8,
    }
}

/// Two columns, eight bytes each, to eight rows of two; and back.
const PAIR: Line = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];
const UNPAIR: Line = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];

#[target_feature(enable = "avx2")]
fn rounds(units: &mut [Unit], columns: usize) {
    for units in units.chunks_mut(4) {
        let mut bytes = [0; GROUP];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(units.as_flattened()) {
            *bytes = word.to_le_bytes();
        }
        let mut x = load::<false>(&bytes, &ZERO);
        match columns {
            2 => round::<2>(&mut x, &ZERO),
            4 => round::<4>(&mut x, &ZERO),
            _ => round::<8>(&mut x, &ZERO),
        }
        store::<false>(&mut bytes, x, &ZERO);
        for (word, bytes) in units.as_flattened_mut().iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        bytes.wipe();
    }
}

/// One round without a key on a group in column form. With 16 columns (the hash) each half of the group is one state.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn round_of_group<const C: usize>(group: &mut [u8; GROUP]) {
    let mut x = load::<false>(group, &ZERO);
    round::<C>(&mut x, &ZERO);
    store::<false>(group, x, &ZERO);
}

#[target_feature(enable = "avx2")]
fn encrypt(keys: &[Unit], columns: usize, data: &mut [u8]) {
    match columns {
        2 => each(data, |group| encrypt_group::<2>(keys, group)),
        4 => each(data, |group| encrypt_group::<4>(keys, group)),
        _ => each(data, |group| encrypt_group::<8>(keys, group)),
    }
}

#[target_feature(enable = "avx2")]
fn decrypt(keys: &[Unit], columns: usize, data: &mut [u8]) {
    match columns {
        2 => each(data, |group| decrypt_group::<2>(keys, group)),
        4 => each(data, |group| decrypt_group::<4>(keys, group)),
        _ => each(data, |group| decrypt_group::<8>(keys, group)),
    }
}

fn each(data: &mut [u8], body: impl Fn(&mut [u8; GROUP])) {
    let (groups, rest) = data.as_chunks_mut();
    for group in groups {
        body(group);
    }
    if !rest.is_empty() {
        let mut padded = [0; GROUP];
        padded[..rest.len()].copy_from_slice(rest);
        body(&mut padded);
        rest.copy_from_slice(&padded[..rest.len()]);
        padded.wipe();
    }
}

#[target_feature(enable = "avx2")]
fn encrypt_group<const C: usize>(keys: &[Unit], group: &mut [u8; GROUP]) {
    let [first, inner @ .., last] = keys else { return };
    let mut x = load::<false>(group, first);
    for key in inner.iter().chain([&ZERO]) {
        round::<C>(&mut x, key);
    }
    store::<false>(group, x, last);
}

#[target_feature(enable = "avx2")]
fn decrypt_group<const C: usize>(keys: &[Unit], group: &mut [u8; GROUP]) {
    let [first, inner @ .., last] = keys else { return };
    let mut x = load::<true>(group, last);
    for key in inner.iter().rev().chain([&ZERO]) {
        inverse_round::<C>(&mut x, key);
    }
    store::<true>(group, x, first);
}

#[inline]
#[target_feature(enable = "avx2")]
fn both(line: &Line) -> __m256i {
    _mm256_broadcastsi128_si256(load128(line))
}

#[inline]
#[target_feature(enable = "avx2")]
fn round<const C: usize>(state: &mut [__m256i; 8], key: &Unit) {
    let mut x = [_mm256_setzero_si256(); 8];
    let mut y = x;
    let mut three = x;
    for i in 0..8 {
        x[i] = shift::<C>(substitute(state[i], &FORWARD[i % 4]), places::<C>(i));
    }
    for i in 0..8 {
        y[i] = double(x[i]);
        three[i] = xor(xor(x[i], x[(i + 1) % 8]), x[(i + 2) % 8]);
    }
    for i in 0..8 {
        let at = |d: usize| (i + d) % 8;
        let z = nibble_product(xor(xor(three[at(5)], x[at(2)]), y[at(4)]), &QUADRUPLE);
        let a = xor(xor(three[i], x[at(3)]), xor(x[at(6)], y[at(5)]));
        let b = xor(y[at(6)], _mm256_set1_epi64x(key[i] as i64));
        state[i] = xor(xor(a, b), z);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn inverse_round<const C: usize>(state: &mut [__m256i; 8], key: &Unit) {
    let mut parts = [[_mm256_setzero_si256(); 2]; 8];
    for i in 0..8 {
        parts[i] = nibbles(state[i]);
    }
    for i in 0..8 {
        let mut sum = _mm256_setzero_si256();
        for d in 0..8 {
            let [low, high] = parts[(i + d) % 8];
            sum = xor(sum, _mm256_shuffle_epi8(both(&UNMIX[d][0]), low));
            sum = xor(sum, _mm256_shuffle_epi8(both(&UNMIX[d][1]), high));
        }
        let y = substitute(shift::<C>(sum, (C - i * C / 8) % C), &BACKWARD[i % 4]);
        state[i] = xor(y, _mm256_set1_epi64x(key[i] as i64));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn substitute(x: __m256i, lines: &[Line; 16]) -> __m256i {
    let step = _mm256_set1_epi8(16);
    let mut low = x;
    let mut high = xor(x, _mm256_set1_epi8(-128));
    let mut sums = [_mm256_setzero_si256(); 2];
    for h in 0..8 {
        sums[0] = xor(sums[0], _mm256_shuffle_epi8(both(&lines[h]), low));
        sums[1] = xor(sums[1], _mm256_shuffle_epi8(both(&lines[h + 8]), high));
        low = _mm256_subs_epi8(low, step);
        high = _mm256_subs_epi8(high, step);
    }
    xor(sums[0], sums[1])
}

#[inline]
#[target_feature(enable = "avx2")]
fn shift<const C: usize>(x: __m256i, by: usize) -> __m256i {
    if by == 0 { x } else { _mm256_shuffle_epi8(x, both(&ROTATIONS[C.ilog2() as usize - 1][by])) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn double(x: __m256i) -> __m256i {
    let carry = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);
    xor(_mm256_add_epi8(x, x), _mm256_and_si256(carry, _mm256_set1_epi8(REDUCTION as i8)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn nibbles(x: __m256i) -> [__m256i; 2] {
    let mask = _mm256_set1_epi8(15);
    [_mm256_and_si256(x, mask), _mm256_and_si256(_mm256_srli_epi64::<4>(x), mask)]
}

#[inline]
#[target_feature(enable = "avx2")]
fn nibble_product(x: __m256i, table: &[Line; 2]) -> __m256i {
    let [low, high] = nibbles(x);
    xor(_mm256_shuffle_epi8(both(&table[0]), low), _mm256_shuffle_epi8(both(&table[1]), high))
}

/// The sum with a key, or the difference, modulo 2^64 in each column.
#[inline]
#[target_feature(enable = "avx2")]
fn whiten<const SUBTRACT: bool>(columns: __m256i, key: __m256i) -> __m256i {
    if SUBTRACT { _mm256_sub_epi64(columns, key) } else { _mm256_add_epi64(columns, key) }
}

/// Reads a group, takes in the key for its columns, and turns it into rows: the first half of a register is one half of
/// the group, so that the columns of a block stay together in order.
#[inline]
#[target_feature(enable = "avx2")]
fn load<const SUBTRACT: bool>(group: &[u8; GROUP], key: &Unit) -> [__m256i; 8] {
    let (pieces, keys) = (group.as_chunks::<16>().0, key.as_chunks::<2>().0);
    let pair = both(&PAIR);
    let mut x = [_mm256_setzero_si256(); 8];
    for m in 0..8 {
        let columns = _mm256_set_m128i(load128(&pieces[m + 8]), load128(&pieces[m]));
        let key = _mm256_broadcastsi128_si256(load128_u64(&keys[m % 4]));
        x[m] = _mm256_shuffle_epi8(whiten::<SUBTRACT>(columns, key), pair);
    }
    transpose(x)
}

/// The way back.
#[inline]
#[target_feature(enable = "avx2")]
fn store<const SUBTRACT: bool>(group: &mut [u8; GROUP], x: [__m256i; 8], key: &Unit) {
    let (pieces, keys) = (group.as_chunks_mut::<16>().0, key.as_chunks::<2>().0);
    let unpair = both(&UNPAIR);
    let x = transpose(x);
    for m in 0..8 {
        let key = _mm256_broadcastsi128_si256(load128_u64(&keys[m % 4]));
        let columns = whiten::<SUBTRACT>(_mm256_shuffle_epi8(x[m], unpair), key);
        store128(&mut pieces[m], _mm256_castsi256_si128(columns));
        store128(&mut pieces[m + 8], _mm256_extracti128_si256::<1>(columns));
    }
}

/// 16-bit word j of register i to word i of register j, in each half.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(x: [__m256i; 8]) -> [__m256i; 8] {
    let mut a = x;
    for i in 0..4 {
        a[2 * i] = _mm256_unpacklo_epi16(x[2 * i], x[2 * i + 1]);
        a[2 * i + 1] = _mm256_unpackhi_epi16(x[2 * i], x[2 * i + 1]);
    }
    // a[2 i + h]: words 4 h .. 4 h + 4 of two registers.
    let mut b = a;
    for i in 0..2 {
        for h in 0..2 {
            b[4 * i + 2 * h] = _mm256_unpacklo_epi32(a[4 * i + h], a[4 * i + 2 + h]);
            b[4 * i + 2 * h + 1] = _mm256_unpackhi_epi32(a[4 * i + h], a[4 * i + 2 + h]);
        }
    }
    let mut c = b;
    for j in 0..4 {
        c[2 * j] = _mm256_unpacklo_epi64(b[j], b[4 + j]);
        c[2 * j + 1] = _mm256_unpackhi_epi64(b[j], b[4 + j]);
    }
    c
}

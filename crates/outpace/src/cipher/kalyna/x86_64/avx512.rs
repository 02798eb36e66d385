//! Kalyna with byte permutations (VBMI) and bit-matrix products (GFNI) on zmm registers.
//!
//! SubBytes is two VPERMI2B of 128 entries each and a blend by the top bit. Multiplying by a constant of GF(2^8), whose
//! polynomial is not the one of GF2P8MULB, is one GF2P8AFFINEQB. Two forms:
//!
//! - *Rows*, for eight units: register r holds row r of all of them. One S-box for each register, ShiftRows a rotation
//!   of words, MixColumns two products and five three-way XORs a row. Floor, at two operations a cycle, for 512 bytes and
//!   a round: 64 for SubBytes (32 of them on the one shuffle port), 56 for MixColumns, at most 7 for ShiftRows: 62
//!   cycles. Two groups of eight units are in flight, so that one fills the gaps of the other.
//! - *One unit*, for short inputs and the key schedule: word r of one register is row r. All four S-boxes on the whole
//!   register; then for each row a permutation that copies it to all eight words (with ShiftRows), and one product with
//!   eight matrices, the column of MixColumns for that row. Here the S-boxes are four VPERMB each, which answer sooner.
//!   Floor: 24 cycles of the shuffle port, and 7 more until the last product is summed: 31 cycles a round. Measured: 37,
//!   as about half of the blends and sums, which could go elsewhere, take the shuffle port too. One block of 512 bits takes
//!   half as long as with tables, which leak; one of 128 or 256 bits has a way of its own, [`single`].

use super::{serial, single};
use crate::cipher::kalyna::tables::{INVERSE_MDS, INVERSE_SBOX, MDS, SBOX, multiply};
use crate::cipher::kalyna::{Engine, Keys, Unit};
use crate::cipher::modes::Chain;
use crate::cpu::{Features, Kernel};
use crate::mem::Wipe;
use crate::simd::{
    load128, load256, load512, load512_partial, load512_u64, permi2b512, store128, store256, store512,
    store512_partial, store512_u64, ternlog512, transpose_lanes,
};
use core::arch::x86_64::*;

// SAFETY: the four functions are built for exactly the features named here.
pub(crate) const KERNEL: Kernel<Engine> = unsafe { Kernel::new("avx512", NEEDS, ENGINE) };

const NEEDS: Features = Features::AVX512.and(Features::VBMI).and(Features::GFNI);

const ENGINE: Engine = Engine {
    // SAFETY: reached only through a kernel, so on a CPU that has its features.
    rounds: |units, columns| unsafe { rounds(units, columns) },
    // SAFETY: likewise.
    transpose: |units| unsafe { transpose_units(units) },
    // SAFETY: likewise.
    serial: |keys, serial| unsafe { serial::prepare(keys, serial) },
    // SAFETY: likewise.
    encrypt: |keys, data| unsafe { encrypt(keys, data) },
    // SAFETY: likewise.
    decrypt: |keys, data| unsafe { decrypt(keys.units, keys.columns, data) },
    // SAFETY: likewise.
    chain: |keys, state, mode| unsafe { chain(keys, state, mode) },
};

/// An S-box in four parts.
type Quarters = [[u8; 64]; 4];

#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

static FORWARD: Aligned<[Quarters; 4]> = Aligned(quarters(&SBOX));
static BACKWARD: Aligned<[Quarters; 4]> = Aligned(quarters(&INVERSE_SBOX));

const fn quarters(boxes: &[[u8; 256]; 4]) -> [Quarters; 4] {
    let mut all = [[[0; 64]; 4]; 4];
    let mut i = 0;
    while i < 1024 {
        all[i / 256][i % 256 / 64][i % 64] = boxes[i / 256][i % 256];
        i += 1;
    }
    all
}

/// The matrix of the product with `c`, as GF2P8AFFINEQB takes it: the row for bit i in byte 7 - i.
const fn matrix(c: u8) -> u64 {
    let (mut m, mut i) = (0u64, 0);
    while i < 64 {
        let (bit, from) = (i / 8, i % 8);
        m |= ((multiply(c, 1 << from) >> bit & 1) as u64) << (8 * (7 - bit) + from);
        i += 1;
    }
    m
}

/// `COLUMNS[r][i]`: the matrix of the coefficient by which row r goes into row i of the product with `circulant`.
const fn columns_of(circulant: &[u8; 8]) -> [Unit; 8] {
    let mut all = [[0; 8]; 8];
    let mut i = 0;
    while i < 64 {
        all[i / 8][i % 8] = matrix(circulant[(i / 8 + 8 - i % 8) % 8]);
        i += 1;
    }
    all
}

static MIX: Aligned<[Unit; 8]> = Aligned(columns_of(&MDS));
static UNMIX: Aligned<[Unit; 8]> = Aligned(columns_of(&INVERSE_MDS));

/// For each number of columns, by its logarithm (one: no ShiftRows), which bytes go where when row r is copied to all words: `SPREAD` with ShiftRows of that row,
/// `UNSHIFT` with the inverse of ShiftRows for each row of the result.
const fn spreads(columns: usize, inverse: bool) -> [[u8; 64]; 8] {
    let mut all = [[0; 64]; 8];
    let mut n = 0;
    while n < 512 {
        let (r, i, q) = (n / 64, n / 8 % 8, n % 8);
        let by = if inverse { i * columns / 8 } else { columns - r * columns / 8 };
        all[r][8 * i + q] = (8 * r + q / columns * columns + (q % columns + by) % columns) as u8;
        n += 1;
    }
    all
}

static SPREAD: Aligned<[[[u8; 64]; 8]; 4]> =
    Aligned([spreads(1, false), spreads(2, false), spreads(4, false), spreads(8, false)]);
static UNSHIFT: Aligned<[[[u8; 64]; 8]; 3]> = Aligned([spreads(2, true), spreads(4, true), spreads(8, true)]);

/// Byte q of word r to byte r of word q.
pub(crate) static TRANSPOSE: Aligned<[u8; 64]> = Aligned({
    let mut all = [0; 64];
    let mut n = 0;
    while n < 64 {
        all[n] = (n % 8 * 8 + n / 8) as u8;
        n += 1;
    }
    all
});

const fn size<const C: usize>() -> usize {
    C.ilog2() as usize
}

const XOR3: i32 = 0x96;
const ZERO: Unit = [0; 8];

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn rounds(units: &mut [Unit], columns: usize) {
    match columns {
        2 => rounds_of::<2>(units),
        4 => rounds_of::<4>(units),
        _ => rounds_of::<8>(units),
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn encrypt(&Keys { columns, units: keys, serial }: &Keys<'_>, data: &mut [u8]) {
    // The sanitizer does not see into assembly (which has no branch and no address that depends on data).
    if !cfg!(outpace_ct = "msan") {
        if let (2, Ok(block)) = (columns, data.try_into()) {
            return serial::encrypt(serial, block);
        }
        if let (4, Ok(block)) = (columns, data.try_into()) {
            return single::encrypt_256(keys, block);
        }
    }
    match columns {
        2 => each::<2, false>(keys, data),
        4 => each::<4, false>(keys, data),
        _ => each::<8, false>(keys, data),
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn chain(keys: &Keys<'_>, state: &mut [u8], mode: Chain<'_>) {
    match (keys.columns, state.first_chunk_mut()) {
        (2, Some(state)) if !cfg!(outpace_ct = "msan") => serial::chain(keys.serial, state, mode),
        _ => mode.each(state, |block| encrypt(keys, block)),
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn decrypt(keys: &[Unit], columns: usize, data: &mut [u8]) {
    // The sanitizer does not see into assembly (which has no branch and no address that depends on data).
    if !cfg!(outpace_ct = "msan") {
        if let (2, Ok(block)) = (columns, data.try_into()) {
            return single::decrypt_128(keys, block);
        }
        if let (4, Ok(block)) = (columns, data.try_into()) {
            return single::decrypt_256(keys, block);
        }
    }
    match columns {
        2 => each::<2, true>(keys, data),
        4 => each::<4, true>(keys, data),
        _ => each::<8, true>(keys, data),
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn rounds_of<const C: usize>(units: &mut [Unit]) {
    let transpose = load512(&TRANSPOSE.0);
    let zero = _mm512_setzero_si512();
    let (fours, rest) = units.as_chunks_mut::<4>();
    for four in fours {
        for unit in four {
            let x = _mm512_permutexvar_epi8(transpose, load512_u64(unit));
            store512_u64(unit, _mm512_permutexvar_epi8(transpose, round_one::<C>(x, zero)));
        }
    }
    for unit in rest {
        let x = _mm512_permutexvar_epi8(transpose, load512_u64(unit));
        store512_u64(unit, _mm512_permutexvar_epi8(transpose, round_one::<C>(x, zero)));
    }
}

#[target_feature(enable = "avx512f,avx512vbmi")]
fn transpose_units(units: &mut [Unit]) {
    let transpose = load512(&TRANSPOSE.0);
    for unit in units {
        let turned = _mm512_permutexvar_epi8(transpose, load512_u64(unit));
        store512_u64(unit, turned);
    }
}

/// All of `data`: sixteen units at a time, then eight, then what is left.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn each<const C: usize, const INVERSE: bool>(keys: &[Unit], data: &mut [u8]) {
    let (pairs, rest) = data.as_chunks_mut::<1024>();
    for pair in pairs {
        groups::<C, 2, INVERSE>(keys, pair);
    }
    let (eights, rest) = rest.as_chunks_mut::<512>();
    for eight in eights {
        groups::<C, 1, INVERSE>(keys, eight);
    }
    match rest.len().div_ceil(64) {
        0 => {}
        1 => units::<C, 1, INVERSE>(keys, rest),
        2 => units::<C, 2, INVERSE>(keys, rest),
        3 => units::<C, 3, INVERSE>(keys, rest),
        _ => {
            let mut padded = [0; 512];
            padded[..rest.len()].copy_from_slice(rest);
            groups::<C, 1, INVERSE>(keys, &mut padded);
            rest.copy_from_slice(&padded[..rest.len()]);
            padded.wipe();
        }
    }
}

// ---- one unit a register

/// Up to `N` units, the last perhaps not full.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn units<const C: usize, const N: usize, const INVERSE: bool>(keys: &[Unit], data: &mut [u8]) {
    let [first, inner @ .., last] = keys else { return };
    let (transpose, first, last) = (load512(&TRANSPOSE.0), load512_u64(first), load512_u64(last));
    let mut x = [_mm512_setzero_si512(); N];
    for (x, bytes) in x.iter_mut().zip(data.chunks(64)) {
        let block = load_blocks(bytes);
        let whitened = if INVERSE { _mm512_sub_epi64(block, last) } else { _mm512_add_epi64(block, first) };
        *x = _mm512_permutexvar_epi8(transpose, whitened);
    }
    if INVERSE {
        for key in inner.iter().rev().chain([&ZERO]) {
            for x in &mut x {
                *x = unround_one::<C>(*x, load512_u64(key));
            }
        }
    } else {
        for key in inner.iter().chain([&ZERO]) {
            for x in &mut x {
                *x = round_one::<C>(*x, load512_u64(key));
            }
        }
    }
    for (x, bytes) in x.iter().zip(data.chunks_mut(64)) {
        let block = _mm512_permutexvar_epi8(transpose, *x);
        let whitened = if INVERSE { _mm512_sub_epi64(block, first) } else { _mm512_add_epi64(block, last) };
        store_blocks(bytes, whitened);
    }
}

/// Up to a unit. A single block is not loaded under a mask: it may have been stored a moment ago, and a masked load
/// would have to wait for that.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn load_blocks(bytes: &[u8]) -> __m512i {
    if let Ok(block) = bytes.try_into() {
        load512(block)
    } else if let Ok(block) = bytes.try_into() {
        _mm512_zextsi256_si512(load256(block))
    } else if let Ok(block) = bytes.try_into() {
        _mm512_zextsi128_si512(load128(block))
    } else {
        load512_partial(bytes)
    }
}

/// Writes the first bytes of a unit, likewise.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn store_blocks(bytes: &mut [u8], x: __m512i) {
    if let Ok(block) = <&mut [u8] as TryInto<&mut [u8; 64]>>::try_into(bytes) {
        store512(block, x);
    } else if let Ok(block) = <&mut [u8] as TryInto<&mut [u8; 32]>>::try_into(bytes) {
        store256(block, _mm512_castsi512_si256(x));
    } else if let Ok(block) = <&mut [u8] as TryInto<&mut [u8; 16]>>::try_into(bytes) {
        store128(block, _mm512_castsi512_si128(x));
    } else {
        store512_partial(bytes, x);
    }
}

/// One round on a unit in row form, and the sum with `key`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
pub(crate) fn round_one<const C: usize>(x: __m512i, key: __m512i) -> __m512i {
    // Each S-box in four parts of 64 entries: those for a clear bit 6 at once, and those for a set bit over them.
    let bit7 = _mm512_movepi8_mask(x);
    let bit6 = _mm512_movepi8_mask(hidden(_mm512_add_epi8(x, x)));
    let mut low = [x; 4];
    let mut high = [x; 4];
    for k in 0..4 {
        low[k] = _mm512_permutexvar_epi8(x, load512(&FORWARD.0[k][0]));
        high[k] = _mm512_permutexvar_epi8(x, load512(&FORWARD.0[k][2]));
    }
    for k in 0..4 {
        low[k] = _mm512_mask_permutexvar_epi8(low[k], bit6, x, load512(&FORWARD.0[k][1]));
        high[k] = _mm512_mask_permutexvar_epi8(high[k], bit6, x, load512(&FORWARD.0[k][3]));
    }
    let mut y = [x; 4];
    for k in 0..4 {
        y[k] = _mm512_mask_blend_epi8(bit7, low[k], high[k]);
    }
    let y = in_order(y);
    let positions = &SPREAD.0[size::<C>()];
    let mut sum = key;
    for k in 0..4 {
        sum = ternlog512::<XOR3>(sum, spread(y[k], positions, &MIX.0, k), spread(y[k], positions, &MIX.0, k + 4));
    }
    sum
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn unround_one<const C: usize>(x: __m512i, key: __m512i) -> __m512i {
    let positions = &UNSHIFT.0[size::<C>() - 1];
    let mut sum = _mm512_setzero_si512();
    for k in 0..4 {
        sum = ternlog512::<XOR3>(sum, spread(x, positions, &UNMIX.0, k), spread(x, positions, &UNMIX.0, k + 4));
    }
    // Words k and k + 4 through S-box k.
    let mut y = substitute(sum, &BACKWARD.0[0]);
    for k in 1..4 {
        y = _mm512_mask_mov_epi64(y, 0x11 << k, substitute(sum, &BACKWARD.0[k]));
    }
    _mm512_xor_si512(y, key)
}

/// Keeps the compiler from mixing what comes after with what came before. The shuffle port, which has most to do, serves
/// the oldest instruction that is ready, and the next round waits for the last look-up of this one: look-ups go first.
#[inline]
#[target_feature(enable = "avx512f")]
fn in_order([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    #[cfg(not(outpace_ct = "msan"))]
    let (mut a, mut b, mut c, mut d) = (a, b, c, d);
    // No instructions: the four registers are only claimed to be changed.
    // SAFETY: nothing is executed.
    #[cfg(not(outpace_ct = "msan"))]
    unsafe {
        core::arch::asm!(
            "/* {0} {1} {2} {3} */",
            inout(zmm_reg) a, inout(zmm_reg) b, inout(zmm_reg) c, inout(zmm_reg) d,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    [a, b, c, d]
}

/// The same value, of which the compiler knows nothing: it would test a bit of the sum with an instruction of the shuffle
/// port.
#[inline]
#[target_feature(enable = "avx512f")]
fn hidden(x: __m512i) -> __m512i {
    #[cfg(not(outpace_ct = "msan"))]
    let mut x = x;
    // SAFETY: nothing is executed.
    #[cfg(not(outpace_ct = "msan"))]
    unsafe {
        core::arch::asm!("/* {0} */", inout(zmm_reg) x, options(pure, nomem, nostack, preserves_flags));
    }
    x
}

/// Row `r` to all words, each multiplied by its coefficient.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn spread(x: __m512i, positions: &[[u8; 64]; 8], matrices: &[Unit; 8], r: usize) -> __m512i {
    let row = _mm512_permutexvar_epi8(load512(&positions[r]), x);
    _mm512_gf2p8affine_epi64_epi8::<0>(row, load512_u64(&matrices[r]))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn substitute(x: __m512i, s: &Quarters) -> __m512i {
    let low = permi2b512(load512(&s[0]), x, load512(&s[1]));
    let high = permi2b512(load512(&s[2]), x, load512(&s[3]));
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high)
}

// ---- one row a register

/// `N` groups of eight units, side by side.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn groups<const C: usize, const N: usize, const INVERSE: bool>(keys: &[Unit], data: &mut [u8]) {
    let [first, inner @ .., last] = keys else { return };
    let (first, last) = (load512_u64(first), load512_u64(last));
    let mut x = [[_mm512_setzero_si512(); 8]; N];
    for (x, bytes) in x.as_flattened_mut().iter_mut().zip(data.as_chunks().0) {
        let block = load512(bytes);
        *x = if INVERSE { _mm512_sub_epi64(block, last) } else { _mm512_add_epi64(block, first) };
    }
    for x in &mut x {
        to_rows(x);
    }
    if INVERSE {
        for key in inner.iter().rev().chain([&ZERO]) {
            for x in &mut x {
                unround_rows::<C>(x, key);
            }
        }
    } else {
        for key in inner.iter().chain([&ZERO]) {
            for x in &mut x {
                round_rows::<C>(x, key);
            }
        }
    }
    for x in &mut x {
        from_rows(x);
    }
    for (x, bytes) in x.as_flattened().iter().zip(data.as_chunks_mut().0) {
        store512(bytes, if INVERSE { _mm512_sub_epi64(*x, first) } else { _mm512_add_epi64(*x, last) });
    }
}

/// MixColumns in the grouping of the portable code: x + 2 y + 4 z with y from x, and z from x and 2 x.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn round_rows<const C: usize>(state: &mut [__m512i; 8], key: &Unit) {
    let (double, quadruple) =
        (_mm512_set1_epi64(const { matrix(2) as i64 }), _mm512_set1_epi64(const { matrix(4) as i64 }));
    let mut x = [_mm512_setzero_si512(); 8];
    let mut y = x;
    let mut three = x;
    for i in 0..8 {
        x[i] = shift::<C>(substitute(state[i], &FORWARD.0[i % 4]), i);
        y[i] = _mm512_gf2p8affine_epi64_epi8::<0>(x[i], double);
    }
    for i in 0..8 {
        three[i] = ternlog512::<XOR3>(x[i], x[(i + 1) % 8], x[(i + 2) % 8]);
    }
    for i in 0..8 {
        let at = |d: usize| (i + d) % 8;
        let z = ternlog512::<XOR3>(three[at(5)], x[at(2)], y[at(4)]);
        let z = _mm512_gf2p8affine_epi64_epi8::<0>(z, quadruple);
        let a = ternlog512::<XOR3>(three[i], x[at(3)], x[at(6)]);
        let b = ternlog512::<XOR3>(y[at(5)], y[at(6)], _mm512_set1_epi64(key[i] as i64));
        state[i] = ternlog512::<XOR3>(a, b, z);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn unround_rows<const C: usize>(state: &mut [__m512i; 8], key: &Unit) {
    let x = *state;
    for i in 0..8 {
        let mut sum = _mm512_set1_epi64(0);
        for j in (0..8).step_by(2) {
            let term = |j: usize| _mm512_gf2p8affine_epi64_epi8::<0>(x[j], _mm512_set1_epi64(UNMIX.0[j][i] as i64));
            sum = ternlog512::<XOR3>(sum, term(j), term(j + 1));
        }
        // ShiftRows undone: the other way round.
        let y = substitute(shift::<C>(sum, unshifted::<C>(i)), &BACKWARD.0[i % 4]);
        state[i] = _mm512_xor_si512(y, _mm512_set1_epi64(key[i] as i64));
    }
}

/// The row that is shifted as far as row `i` has to go back.
const fn unshifted<const C: usize>(i: usize) -> usize {
    let by = i * C / 8;
    (C - by) % C * 8 / C
}

/// ShiftRows for row `i`: each byte goes right by `i · C / 8` places inside its `C` bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn shift<const C: usize>(x: __m512i, i: usize) -> __m512i {
    match (C, i * C / 8) {
        (2, 1) => _mm512_shldi_epi16::<8>(x, x),
        (4, 1) => _mm512_rol_epi32::<8>(x),
        (4, 2) => _mm512_rol_epi32::<16>(x),
        (4, 3) => _mm512_rol_epi32::<24>(x),
        (8, 1) => _mm512_rol_epi64::<8>(x),
        (8, 2) => _mm512_rol_epi64::<16>(x),
        (8, 3) => _mm512_rol_epi64::<24>(x),
        (8, 4) => _mm512_rol_epi64::<32>(x),
        (8, 5) => _mm512_rol_epi64::<40>(x),
        (8, 6) => _mm512_rol_epi64::<48>(x),
        (8, 7) => _mm512_rol_epi64::<56>(x),
        _ => x,
    }
}

/// Eight units in column form to eight rows: word m of row r is row r of unit m.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn to_rows(x: &mut [__m512i; 8]) {
    let transpose = load512(&TRANSPOSE.0);
    let mut even = [_mm512_setzero_si512(); 4];
    let mut odd = even;
    for m in 0..4 {
        let (a, b) = (_mm512_permutexvar_epi8(transpose, x[2 * m]), _mm512_permutexvar_epi8(transpose, x[2 * m + 1]));
        even[m] = _mm512_unpacklo_epi64(a, b);
        odd[m] = _mm512_unpackhi_epi64(a, b);
    }
    let (even, odd) = (transpose_lanes(even), transpose_lanes(odd));
    for r in 0..4 {
        x[2 * r] = even[r];
        x[2 * r + 1] = odd[r];
    }
}

/// The inverse of [`to_rows`].
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,avx512vbmi2,gfni")]
fn from_rows(x: &mut [__m512i; 8]) {
    let transpose = load512(&TRANSPOSE.0);
    let even = transpose_lanes([x[0], x[2], x[4], x[6]]);
    let odd = transpose_lanes([x[1], x[3], x[5], x[7]]);
    for m in 0..4 {
        x[2 * m] = _mm512_permutexvar_epi8(transpose, _mm512_unpacklo_epi64(even[m], odd[m]));
        x[2 * m + 1] = _mm512_permutexvar_epi8(transpose, _mm512_unpackhi_epi64(even[m], odd[m]));
    }
}

//! AES without tables, four blocks at a time: bit i of every byte lives in plane i, so that SubBytes is a circuit of
//! ANDs and XORs and the rest are shifts. No branch and no address depends on key or data.
//!
//! A plane is 64 bits for the 64 bytes of four blocks: the byte in row r and column c of block b is bit 16r + 4c + b.
//! With that order ShiftRows rotates 16-bit groups and MixColumns rotates whole words.

mod modes;

use super::RoundKeys;
use crate::mem::{InOut, Wipe};

/// Bit i of 64 bytes in element i.
type Planes = [u64; 8];

pub(super) const OPS: super::Ops = super::Ops {
    expand: expand_key,
    // The inverse cipher uses the same keys.
    invert: |keys| *keys,
    encrypt,
    decrypt,
    ctr,
    xts: [modes::xts::<false>, modes::xts::<true>],
    mac: modes::mac,
    ccm: [modes::ccm::<false>, modes::ccm::<true>],
    wrap: modes::wrap,
    unwrap: modes::unwrap,
};

/// FIPS 197, section 5.2, for keys of 4, 6 or 8 words. What is kept are packed planes, see [`pack`].
pub(crate) fn expand_key(key: &[u8], round_keys: &mut RoundKeys) {
    let nk = key.len() / 4;
    let rounds = nk + 6;
    let mut w = [[0u8; 4]; 60];
    w[..nk].copy_from_slice(key.as_chunks().0);
    let mut rcon = 1u8;
    for i in nk..4 * (rounds + 1) {
        let mut t = w[i - 1];
        if i % nk == 0 {
            t = sub_word([t[1], t[2], t[3], t[0]]);
            t[0] ^= rcon;
            rcon = (rcon << 1) ^ ((rcon >> 7) * 0x1b);
        } else if nk > 6 && i % nk == 4 {
            t = sub_word(t);
        }
        for j in 0..4 {
            w[i][j] = w[i - nk][j] ^ t[j];
        }
    }
    for (packed, key) in round_keys.keys.iter_mut().zip(w.as_flattened().as_chunks().0) {
        *packed = pack(&to_planes(&[*key, [0; 16], [0; 16], [0; 16]]));
    }
    w.wipe();
}

fn sub_word(word: [u8; 4]) -> [u8; 4] {
    let mut block = [0; 16];
    block[..4].copy_from_slice(&word);
    let mut planes = to_planes(&[block, [0; 16], [0; 16], [0; 16]]);
    sub_bytes(&mut planes);
    let [a, b, c, d, ..] = from_planes(&planes)[0];
    [a, b, c, d]
}

fn encrypt(keys: &RoundKeys, data: InOut<'_>) {
    let keys = Expanded::new(keys);
    data.for_each_block::<64>(|blocks, _| keys.encrypt(blocks.as_chunks_mut().0));
}

fn decrypt(keys: &RoundKeys, data: InOut<'_>) {
    let keys = Expanded::new(keys);
    data.for_each_block::<64>(|blocks, _| keys.decrypt(blocks.as_chunks_mut().0));
}

fn ctr(keys: &RoundKeys, counter: &mut [u8; 16], data: InOut<'_>) {
    let keys = Expanded::new(keys);
    let mut next = u128::from_be_bytes(*counter);
    data.for_each_block::<64>(|blocks, n| {
        keys.xor_keystream(|i| next.wrapping_add(i).to_be_bytes(), blocks);
        next = next.wrapping_add(n.div_ceil(16) as u128);
    });
    *counter = next.to_be_bytes();
}

/// The round keys as planes, each the same for the four blocks.
pub(crate) struct Expanded {
    planes: [Planes; 15],
    rounds: usize,
}

impl Expanded {
    pub(crate) fn new(round_keys: &RoundKeys) -> Self {
        let mut planes = [[0; 8]; 15];
        for (p, packed) in planes.iter_mut().zip(&round_keys.keys) {
            *p = unpack(packed);
        }
        Self { planes, rounds: round_keys.rounds }
    }

    /// XORs the encryptions of `counter(0..4)` to the four blocks.
    pub(crate) fn xor_keystream(&self, counter: impl Fn(u128) -> [u8; 16], blocks: &mut [u8; 64]) {
        let mut stream = [counter(0), counter(1), counter(2), counter(3)];
        self.encrypt(&mut stream);
        for (b, s) in blocks.iter_mut().zip(stream.as_flattened()) {
            *b ^= s;
        }
    }

    /// FIPS 197, section 5.1. Four blocks; fewer may be given in `blocks`.
    pub(crate) fn encrypt(&self, blocks: &mut [[u8; 16]]) {
        let mut four = [[0; 16]; 4];
        four[..blocks.len()].copy_from_slice(blocks);
        let mut state = to_planes(&four);
        add(&mut state, &self.planes[0]);
        for round in 1..self.rounds {
            sub_bytes(&mut state);
            shift_rows(&mut state);
            mix_columns(&mut state);
            add(&mut state, &self.planes[round]);
        }
        sub_bytes(&mut state);
        shift_rows(&mut state);
        add(&mut state, &self.planes[self.rounds]);
        blocks.copy_from_slice(&from_planes(&state)[..blocks.len()]);
    }

    /// FIPS 197, section 5.3.
    fn decrypt(&self, blocks: &mut [[u8; 16]]) {
        let mut four = [[0; 16]; 4];
        four[..blocks.len()].copy_from_slice(blocks);
        let mut state = to_planes(&four);
        add(&mut state, &self.planes[self.rounds]);
        for round in (1..self.rounds).rev() {
            inv_shift_rows(&mut state);
            inv_sub_bytes(&mut state);
            add(&mut state, &self.planes[round]);
            inv_mix_columns(&mut state);
        }
        inv_shift_rows(&mut state);
        inv_sub_bytes(&mut state);
        add(&mut state, &self.planes[0]);
        blocks.copy_from_slice(&from_planes(&state)[..blocks.len()]);
    }
}

impl Drop for Expanded {
    fn drop(&mut self) {
        self.planes.wipe();
    }
}

/// The planes of one block, their bits 0 mod 4 only, four planes to a word.
fn pack(planes: &Planes) -> [u8; 16] {
    let half = |p: &[u64]| (0..4).fold(0u64, |w, i| w | (p[i] & 0x1111_1111_1111_1111) << i);
    (u128::from(half(&planes[..4])) | u128::from(half(&planes[4..])) << 64).to_le_bytes()
}

fn unpack(packed: &[u8; 16]) -> Planes {
    let word = u128::from_le_bytes(*packed);
    core::array::from_fn(|i| {
        let bits = ((word >> (i / 4 * 64)) as u64 >> (i % 4)) & 0x1111_1111_1111_1111;
        bits * 15
    })
}

/// Transposes an 8×8 bit matrix in each of the eight byte positions: bit i of byte j of word k to bit k of byte j of
/// word i. Its own inverse.
fn transpose(w: &mut Planes) {
    let mut swap = |low: u64, shift: u32, a: usize, b: usize| {
        let t = (w[a] >> shift ^ w[b]) & low;
        w[a] ^= t << shift;
        w[b] ^= t;
    };
    for k in [0, 2, 4, 6] {
        swap(0x5555_5555_5555_5555, 1, k, k + 1);
    }
    for k in [0, 1, 4, 5] {
        swap(0x3333_3333_3333_3333, 2, k, k + 2);
    }
    for k in 0..4 {
        swap(0x0f0f_0f0f_0f0f_0f0f, 4, k, k + 4);
    }
}

/// Bytes of `x` to the even bytes of a word.
fn spread(x: u32) -> u64 {
    let x = u64::from(x);
    let x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    (x | x << 8) & 0x00ff_00ff_00ff_00ff
}

/// The even bytes of `x`.
fn gather(x: u64) -> u32 {
    let x = x & 0x00ff_00ff_00ff_00ff;
    let x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) as u32
}

/// Word 4(c mod 2) + b holds columns c and c + 2 of block b, byte by byte; transposed that is the order of planes.
fn to_planes(blocks: &[[u8; 16]; 4]) -> Planes {
    let mut w = [0; 8];
    for (b, block) in blocks.iter().enumerate() {
        let [c0, c1, c2, c3] = core::array::from_fn(|c| {
            u32::from_le_bytes([block[4 * c], block[4 * c + 1], block[4 * c + 2], block[4 * c + 3]])
        });
        w[b] = spread(c0) | spread(c2) << 8;
        w[b + 4] = spread(c1) | spread(c3) << 8;
    }
    transpose(&mut w);
    w
}

fn from_planes(planes: &Planes) -> [[u8; 16]; 4] {
    let mut w = *planes;
    transpose(&mut w);
    core::array::from_fn(|b| {
        let columns = [gather(w[b]), gather(w[b + 4]), gather(w[b] >> 8), gather(w[b + 4] >> 8)];
        let mut block = [0; 16];
        for (bytes, column) in block.as_chunks_mut().0.iter_mut().zip(columns) {
            *bytes = column.to_le_bytes();
        }
        block
    })
}

fn add(state: &mut Planes, key: &Planes) {
    for (s, k) in state.iter_mut().zip(key) {
        *s ^= k;
    }
}

/// Row r one step of columns, r times, to the left.
fn shift_rows(state: &mut Planes) {
    for x in state {
        *x = (*x & 0x0000_0000_0000_ffff)
            | (*x >> 4 & 0x0000_0000_0fff_0000)
            | (*x << 12 & 0x0000_0000_f000_0000)
            | (*x >> 8 & 0x0000_00ff_0000_0000)
            | (*x << 8 & 0x0000_ff00_0000_0000)
            | (*x >> 12 & 0x000f_0000_0000_0000)
            | (*x << 4 & 0xfff0_0000_0000_0000);
    }
}

fn inv_shift_rows(state: &mut Planes) {
    for x in state {
        *x = (*x & 0x0000_0000_0000_ffff)
            | (*x << 4 & 0x0000_0000_fff0_0000)
            | (*x >> 12 & 0x0000_0000_000f_0000)
            | (*x >> 8 & 0x0000_00ff_0000_0000)
            | (*x << 8 & 0x0000_ff00_0000_0000)
            | (*x << 12 & 0xf000_0000_0000_0000)
            | (*x >> 4 & 0x0fff_0000_0000_0000);
    }
}

/// Multiplies each byte by x modulo x⁸ + x⁴ + x³ + x + 1.
fn times_x(a: &Planes) -> Planes {
    [a[7], a[0] ^ a[7], a[1], a[2] ^ a[7], a[3] ^ a[7], a[4], a[5], a[6]]
}

/// Each column times 03·y³ + y² + y + 02: with a′ the next row, 2(a + a′) + a′ + a″ + a‴.
fn mix_columns(state: &mut Planes) {
    let pairs: Planes = core::array::from_fn(|i| state[i] ^ state[i].rotate_right(16));
    let doubled = times_x(&pairs);
    for i in 0..8 {
        state[i] = doubled[i] ^ state[i].rotate_right(16) ^ pairs[i].rotate_right(32);
    }
}

/// The inverse matrix is the product of 04·y² + 05 and MixColumns.
fn inv_mix_columns(state: &mut Planes) {
    let opposite: Planes = core::array::from_fn(|i| state[i] ^ state[i].rotate_right(32));
    add(state, &times_x(&times_x(&opposite)));
    mix_columns(state);
}

/// The inverse of SubBytes' affine map, which is S(x) = A(1/x): applied before and after S it makes 1/S.
fn inv_affine(a: &Planes) -> Planes {
    core::array::from_fn(|i| {
        let constant = if 0x05 >> i & 1 == 1 { u64::MAX } else { 0 };
        a[(i + 2) % 8] ^ a[(i + 5) % 8] ^ a[(i + 7) % 8] ^ constant
    })
}

fn inv_sub_bytes(state: &mut Planes) {
    *state = inv_affine(state);
    sub_bytes(state);
    *state = inv_affine(state);
}

/// The S-box as the circuit of J. Boyar and R. Peralta, "A depth-16 circuit for the AES S-box" (2011): names of the
/// signals are the paper's.
#[rustfmt::skip]
fn sub_bytes(q: &mut Planes) {
    let [x7, x6, x5, x4, x3, x2, x1, x0] = *q;

    // Top linear layer.
    let y14 = x3 ^ x5; let y13 = x0 ^ x6; let y9 = x0 ^ x3; let y8 = x0 ^ x5;
    let t0 = x1 ^ x2; let y1 = t0 ^ x7; let y4 = y1 ^ x3; let y12 = y13 ^ y14;
    let y2 = y1 ^ x0; let y5 = y1 ^ x6; let y3 = y5 ^ y8; let t1 = x4 ^ y12;
    let y15 = t1 ^ x5; let y20 = t1 ^ x1; let y6 = y15 ^ x7; let y10 = y15 ^ t0;
    let y11 = y20 ^ y9; let y7 = x7 ^ y11; let y17 = y10 ^ y11; let y19 = y10 ^ y8;
    let y16 = t0 ^ y11; let y21 = y13 ^ y16; let y18 = x0 ^ y16;

    // Inversion in GF(2⁸) as a tower of fields.
    let t2 = y12 & y15; let t3 = y3 & y6; let t4 = t3 ^ t2; let t5 = y4 & x7;
    let t6 = t5 ^ t2; let t7 = y13 & y16; let t8 = y5 & y1; let t9 = t8 ^ t7;
    let t10 = y2 & y7; let t11 = t10 ^ t7; let t12 = y9 & y11; let t13 = y14 & y17;
    let t14 = t13 ^ t12; let t15 = y8 & y10; let t16 = t15 ^ t12; let t17 = t4 ^ t14;
    let t18 = t6 ^ t16; let t19 = t9 ^ t14; let t20 = t11 ^ t16; let t21 = t17 ^ y20;
    let t22 = t18 ^ y19; let t23 = t19 ^ y21; let t24 = t20 ^ y18;
    let t25 = t21 ^ t22; let t26 = t21 & t23; let t27 = t24 ^ t26; let t28 = t25 & t27;
    let t29 = t28 ^ t22; let t30 = t23 ^ t24; let t31 = t22 ^ t26; let t32 = t31 & t30;
    let t33 = t32 ^ t24; let t34 = t23 ^ t33; let t35 = t27 ^ t33; let t36 = t24 & t35;
    let t37 = t36 ^ t34; let t38 = t27 ^ t36; let t39 = t29 & t38; let t40 = t25 ^ t39;
    let t41 = t40 ^ t37; let t42 = t29 ^ t33; let t43 = t29 ^ t40; let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;
    let z0 = t44 & y15; let z1 = t37 & y6; let z2 = t33 & x7; let z3 = t43 & y16;
    let z4 = t40 & y1; let z5 = t29 & y7; let z6 = t42 & y11; let z7 = t45 & y17;
    let z8 = t41 & y10; let z9 = t44 & y12; let z10 = t37 & y3; let z11 = t33 & y4;
    let z12 = t43 & y13; let z13 = t40 & y5; let z14 = t29 & y2; let z15 = t42 & y9;
    let z16 = t45 & y14; let z17 = t41 & y8;

    // Bottom linear layer.
    let t46 = z15 ^ z16; let t47 = z10 ^ z11; let t48 = z5 ^ z13; let t49 = z9 ^ z10;
    let t50 = z2 ^ z12; let t51 = z2 ^ z5; let t52 = z7 ^ z8; let t53 = z0 ^ z3;
    let t54 = z6 ^ z7; let t55 = z16 ^ z17; let t56 = z12 ^ t48; let t57 = t50 ^ t53;
    let t58 = z4 ^ t46; let t59 = z3 ^ t54; let t60 = t46 ^ t57; let t61 = z14 ^ t57;
    let t62 = t52 ^ t58; let t63 = t49 ^ t58; let t64 = z4 ^ t59; let t65 = t61 ^ t62;
    let t66 = z1 ^ t63;
    let s0 = t59 ^ t63; let s6 = t56 ^ !t62; let s7 = t48 ^ !t60; let t67 = t64 ^ t65;
    let s3 = t53 ^ t66; let s4 = t51 ^ t66; let s5 = t47 ^ t65; let s1 = t64 ^ !s3;
    let s2 = t55 ^ !t67;

    *q = [s7, s6, s5, s4, s3, s2, s1, s0];
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The S-box from its definition: FIPS 197, section 5.1.1.
    fn sbox(x: u8) -> u8 {
        let mul = |mut a: u8, mut b: u8| {
            let mut product = 0;
            while b != 0 {
                product ^= a * (b & 1);
                a = (a << 1) ^ ((a >> 7) * 0x1b);
                b >>= 1;
            }
            product
        };
        let inverse = (0..254).fold(1, |power, _| mul(power, x)); // x²⁵⁴
        (0..5).fold(0x63, |y, i| y ^ inverse.rotate_left(i))
    }

    #[test]
    fn circuits_are_the_sbox_and_its_inverse() {
        for start in (0..256).step_by(64) {
            let blocks: [[u8; 16]; 4] = core::array::from_fn(|b| core::array::from_fn(|i| (start + 16 * b + i) as u8));
            let mut planes = to_planes(&blocks);
            assert_eq!(from_planes(&planes), blocks);
            sub_bytes(&mut planes);
            assert_eq!(from_planes(&planes), blocks.map(|b| b.map(sbox)));
            inv_sub_bytes(&mut planes);
            assert_eq!(from_planes(&planes), blocks);
        }
    }
}

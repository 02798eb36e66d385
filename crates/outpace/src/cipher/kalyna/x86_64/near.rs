//! The S-boxes as inversions in a field, but for a few points.
//!
//! They were made from the inversion in GF(2^8) by exchanging values until they were no longer algebraic enough (a method
//! of O. Kazymyrov; M. Rodinko, R. Oliynykov, Y. Gorbenko describe it in Tatra Mt. Math. Publ. 70 (2017), 93). The affine
//! maps around it are not published, but most points still tell them: any two bytes x, y
//! with y = outer(1 / inner(x)) satisfy 24 equations of degree one in x and in y, which linear algebra finds from 60
//! points, and if none of them is among the exchanged, others satisfy them too. So S-box k is
//!
//! S(x) = outer(1 / (inner(x) + 1)) + constant, and another correction for 39, 40 or 41 of the 256 inputs
//!
//! in the field of GF2P8AFFINEINVQB, which has two cycles of latency less than a look-up in 128 bytes. (1 / 0 is 0.)
//!
//! A correction is the sum of two look-ups in 32 bytes, by the lower and by the upper five bits of x, and a bit that says
//! whether there is one at all. With the right basis for x the 41 equations for the 64 values of each S-box can be solved:
//! as edges between the values they form a forest. About one basis in 8000 does it for all four S-boxes.

use crate::cipher::kalyna::tables::{INVERSE_MDS, INVERSE_SBOX, MDS, SBOX, multiply};

/// A linear map of bytes: what it makes of each bit.
type Map = [u8; 8];

/// The maps around the inversion.
struct Near {
    inner: Map,
    outer: Map,
    constant: u8,
}

#[rustfmt::skip]
const FORWARD: [Near; 4] = [
    Near { inner: [0x5c, 0xb4, 0x39, 0x48, 0x1b, 0x12, 0xf7, 0xd4], outer: [0xd6, 0x74, 0xd1, 0x75, 0xf8, 0x76, 0xa8, 0x47], constant: 0x7e },
    Near { inner: [0x69, 0xd2, 0x7b, 0xe7, 0x37, 0x2f, 0xae, 0x14], outer: [0x66, 0x8d, 0x86, 0xd9, 0xd0, 0xb0, 0x51, 0xa4], constant: 0xa8 },
    Near { inner: [0x8b, 0x5c, 0x89, 0x8e, 0x91, 0x56, 0xa8, 0xce], outer: [0xb7, 0xf8, 0x32, 0xe5, 0xa5, 0x8d, 0x39, 0xdd], constant: 0x24 },
    Near { inner: [0x98, 0x89, 0xc3, 0x19, 0x3a, 0x9c, 0x51, 0x33], outer: [0x30, 0xc7, 0x34, 0x3c, 0xa4, 0x91, 0x51, 0xb8], constant: 0x1d },
];

#[rustfmt::skip]
const BACKWARD: [Near; 4] = [
    Near { inner: [0x56, 0x15, 0x68, 0xf3, 0x48, 0x09, 0xce, 0x05], outer: [0x70, 0x1a, 0x54, 0x85, 0xe8, 0xc7, 0xa4, 0x60], constant: 0xd4 },
    Near { inner: [0x04, 0xc0, 0x7c, 0x0d, 0x10, 0x3e, 0x2c, 0x32], outer: [0x40, 0xe2, 0x09, 0x46, 0xaa, 0xaf, 0x79, 0xf2], constant: 0xc3 },
    Near { inner: [0x8a, 0xfe, 0x6e, 0x8d, 0x0b, 0x6f, 0x71, 0xd5], outer: [0xd2, 0xa6, 0xa5, 0xf8, 0x07, 0xed, 0xc9, 0xa7], constant: 0x97 },
    Near { inner: [0x72, 0x02, 0x85, 0x1e, 0xe8, 0x67, 0x3a, 0xca], outer: [0x6d, 0xba, 0x45, 0xb9, 0xc6, 0xdb, 0x5f, 0x05], constant: 0x9b },
];

/// The bases in which bytes are before SubBytes and its inverse: the map from the standard's.
const FORWARD_BASIS: Map = [0x2a, 0xd6, 0xf1, 0x82, 0x60, 0x31, 0x29, 0xc4];
const BACKWARD_BASIS: Map = [0x2b, 0x8e, 0x0f, 0xa0, 0x8c, 0x1e, 0x4b, 0x93];

const IDENTITY: Map = [1, 2, 4, 8, 16, 32, 64, 128];

const fn apply(map: &Map, x: u8) -> u8 {
    let (mut sum, mut i) = (0, 0);
    while i < 8 {
        sum ^= map[i] * (x >> i & 1);
        i += 1;
    }
    sum
}

/// First `second`, then `first`.
const fn compose(first: &Map, second: &Map) -> Map {
    let (mut map, mut i) = ([0; 8], 0);
    while i < 8 {
        map[i] = apply(first, second[i]);
        i += 1;
    }
    map
}

const fn inverse(map: &Map) -> Map {
    let (mut all, mut x) = ([0; 8], 0);
    while x < 256 {
        let y = apply(map, x as u8);
        if y.is_power_of_two() {
            all[y.trailing_zeros() as usize] = x as u8;
        }
        x += 1;
    }
    all
}

/// The product with `c` in the field of the cipher.
const fn times(c: u8) -> Map {
    let (mut map, mut i) = ([0; 8], 0);
    while i < 8 {
        map[i] = multiply(c, 1 << i);
        i += 1;
    }
    map
}

/// As GF2P8AFFINEQB takes it: the row for bit i in byte 7 - i.
const fn word(map: &Map) -> u64 {
    let (mut word, mut i) = (0u64, 0);
    while i < 64 {
        word |= ((map[i % 8] >> (i / 8) & 1) as u64) << (8 * (7 - i / 8) + i % 8);
        i += 1;
    }
    word
}

/// The inverses in the field of GF2P8AFFINEINVQB, by powers of 3, which are all but zero.
const INVERSES: [u8; 256] = {
    let (mut powers, mut i, mut x) = ([0u8; 256], 0, 1u8);
    while i < 256 {
        powers[i] = x;
        x ^= (x << 1) ^ ((x >> 7) * 0x1b);
        i += 1;
    }
    let (mut all, mut i) = ([0; 256], 0);
    while i < 255 {
        all[powers[i] as usize] = powers[255 - i];
        i += 1;
    }
    all
};

/// What the rounds of a block need, for one direction and number of columns. Columns of constants repeat if they are
/// shorter than a register; bytes are in the order of [`place`].
#[repr(C, align(64))]
pub(super) struct Table {
    /// The two parts of each correction. The number of the S-box is bits 5 and 6 of the index.
    pub(super) lower: [u8; 128],
    pub(super) upper: [u8; 128],
    /// By the upper five bits of x, the set of its lower three for which there is a correction.
    pub(super) corrected: [u8; 128],
    /// Where the bytes of a round key in row form go.
    pub(super) key: [u8; 64],
    /// Where the bytes of the eight terms of (the inverse of) ShiftRows and MixColumns come from.
    pub(super) terms: [[u8; 32]; 8],
    /// For 128 bits forwards the same in every other round: there, columns change places instead of ShiftRows (see
    /// [`place`]).
    pub(super) odd_terms: [[u8; 32]; 8],
    /// There, where the bytes of the round key go.
    pub(super) odd_key: [u8; 64],
    /// The maps around the inversion, a word for each S-box: 0, 2, 1, 3.
    pub(super) inner: [u64; 4],
    pub(super) outer: [u64; 4],
    pub(super) constant: [u8; 32],
    /// The products with the coefficients of the eight terms, from the basis behind SubBytes to the one before it.
    pub(super) products: [u64; 8],
    /// From the standard's basis to the one before SubBytes, and back.
    pub(super) basis: u64,
    pub(super) back: u64,
    /// The number of the S-box of each byte, where indices have it.
    pub(super) number: [u8; 32],
    /// Where the bytes of a block come from, and go to.
    pub(super) order: [u8; 32],
    pub(super) restore: [u8; 32],
}

pub(super) static FORWARD_128: Table = table(2, false, false);
/// For the last round, which ends in the standard's basis and order.
pub(super) static LAST_128: Table = table(2, false, true);
pub(super) static BACKWARD_128: Table = table(2, true, false);
pub(super) static FORWARD_256: Table = table(4, false, false);
pub(super) static BACKWARD_256: Table = table(4, true, false);

/// The row and the column of byte `n`. A word has rows of one or two S-boxes alone, each 128 bits have the same rows modulo
/// two: every other term stays inside.
///
/// With two columns ShiftRows exchanges those of rows 4 to 7. If every other round has them exchanged, `odd`, then the
/// first term is where it was.
const fn place(columns: usize, odd: bool, n: usize) -> (usize, usize) {
    let group = n / (2 * columns);
    let class = if columns == 2 { group } else { [0, 2, 1, 3][group] };
    let row = class + n / columns % 2 * 4;
    (row, (n % columns) ^ (odd && row >= 4) as usize)
}

const fn position(columns: usize, odd: bool, row: usize, column: usize) -> usize {
    let group = if columns == 2 { row % 4 } else { [0, 2, 1, 3][row % 4] };
    2 * columns * group + row / 4 * columns + (column ^ (odd && row >= 4) as usize)
}

const fn table(columns: usize, backward: bool, last: bool) -> Table {
    let turns = columns == 2 && !backward;
    let (boxes, near, basis, circulant) = if backward {
        (&INVERSE_SBOX, &BACKWARD, &BACKWARD_BASIS, &INVERSE_MDS)
    } else {
        (&SBOX, &FORWARD, &FORWARD_BASIS, &MDS)
    };
    // Behind SubBytes: the standard's basis if it is the end of a round, else the one in which a coefficient of one is no
    // work.
    let behind = if backward || last { &IDENTITY } else { basis };
    let next = if last { &IDENTITY } else { basis };
    let (back, from) = (inverse(basis), inverse(behind));
    let mut t = Table {
        lower: [0; 128],
        upper: [0; 128],
        corrected: [0; 128],
        key: [0; 64],
        terms: [[0; 32]; 8],
        odd_terms: [[0; 32]; 8],
        odd_key: [0; 64],
        inner: [0; 4],
        outer: [0; 4],
        constant: [0; 32],
        products: [0; 8],
        basis: word(basis),
        back: word(&back),
        number: [0; 32],
        order: [0; 32],
        restore: [0; 32],
    };
    let mut k = 0;
    while k < 4 {
        correct(&mut t, k, &boxes[k], &near[k], basis, behind);
        t.inner[[0, 2, 1, 3][k]] = word(&compose(&near[k].inner, &back));
        t.outer[[0, 2, 1, 3][k]] = word(&compose(behind, &near[k].outer));
        k += 1;
    }
    let mut n = 0;
    while n < 8 * columns {
        let (row, column) = place(columns, false, n);
        let mut i = 0;
        while i < 8 {
            // The results are for the other kind of round, or in the standard's order.
            let (even, odd) =
                if last { ((n % 8, n / 8), (n % 8, n / 8)) } else { (place(columns, turns, n), (row, column)) };
            t.terms[i][n] = source(columns, backward, false, i, even) as u8;
            t.odd_terms[i][n] = source(columns, backward, turns, i, odd) as u8;
            i += 1;
        }
        let (_, exchanged) = place(columns, turns, n);
        t.odd_key[n] = (8 * row + exchanged) as u8;
        t.key[n] = (8 * row + column) as u8;
        t.constant[n] = apply(behind, near[row % 4].constant);
        t.number[n] = (row as u8 % 4) << 5;
        t.order[n] = (8 * column + row) as u8;
        t.restore[8 * column + row] = n as u8;
        n += 1;
    }
    let mut i = 0;
    while i < 8 {
        t.products[i] = word(&compose(next, &compose(&times(circulant[i]), &from)));
        i += 1;
    }
    t
}

/// Where term `i` of the byte at `to` comes from.
const fn source(columns: usize, backward: bool, odd: bool, i: usize, to: (usize, usize)) -> usize {
    let (row, column) = to;
    let from = (row + i) % 8;
    // ShiftRows moves row r by r · columns / 8 to the right, its inverse to the left.
    let by = if backward { row * columns / 8 } else { columns - from * columns / 8 };
    position(columns, odd, from, (column + by) % columns)
}

/// Fills in the corrections of S-box `k`: values that are known give those that share a point with them; if there are none,
/// one is free.
const fn correct(t: &mut Table, k: usize, values: &[u8; 256], near: &Near, basis: &Map, behind: &Map) {
    let (mut points, mut count, mut x) = ([(0, 0, 0); 41], 0, 0);
    while x < 256 {
        let inverted = INVERSES[(apply(&near.inner, x as u8) ^ 1) as usize];
        let difference = values[x] ^ near.constant ^ apply(&near.outer, inverted);
        if difference != 0 {
            let index = apply(basis, x as u8) as usize;
            let (low, high) = (32 * k + index % 32, 32 * k + index / 8);
            points[count] = (low, high, apply(behind, difference));
            count += 1;
            t.corrected[high] |= 1 << (index % 8);
        }
        x += 1;
    }
    let (mut lower, mut upper, mut left) = ([false; 128], [false; 128], count);
    while left > 0 {
        let (mut i, mut before) = (0, left);
        while i < count {
            let (low, high, value) = points[i];
            if lower[low] != upper[high] {
                if lower[low] {
                    t.upper[high] = t.lower[low] ^ value;
                } else {
                    t.lower[low] = t.upper[high] ^ value;
                }
                (lower[low], upper[high]) = (true, true);
                left -= 1;
            }
            i += 1;
        }
        i = 0;
        while left == before && i < count {
            let (low, high, _) = points[i];
            if !lower[low] && !upper[high] {
                lower[low] = true;
                before = 0;
            }
            i += 1;
        }
        assert!(before != left, "not a forest");
    }
}

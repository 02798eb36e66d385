//! Keccak-f[1600] with the instructions of x86-64.
#![allow(unsafe_code)]

pub(super) mod avx2_x4;
pub(super) mod avx512;
pub(super) mod avx512_x4;
pub(super) mod avx512_x8;
pub(super) mod baseline;
pub(super) mod bmi;
mod halves;

/// The next block of each message, while each has one.
#[inline(always)]
fn next_blocks<'a, const RATE: usize, const N: usize>(rest: &mut [&'a [u8]; N]) -> Option<[&'a [u8; RATE]; N]> {
    let mut blocks = [&[0; RATE]; N];
    for (block, rest) in blocks.iter_mut().zip(rest) {
        (*block, *rest) = rest.split_first_chunk()?;
    }
    Some(blocks)
}

/// Bytes 16i to 16i + 15 of a block.
#[inline(always)]
fn pair<const RATE: usize>(block: &[u8; RATE], i: usize) -> &[u8; 16] {
    &block.as_chunks().0[i]
}

/// The last 16 bytes of a block.
#[inline(always)]
fn last_pair<const RATE: usize>(block: &[u8; RATE]) -> &[u8; 16] {
    const { assert!(RATE >= 16) };
    block.last_chunk().unwrap_or(&[0; 16])
}

/// XORs a block of each of several messages into the lanes of their states, `$s[0]` and so on. Where it is used,
/// `columns(|i| …)` must turn 16 bytes from each message i into two vectors, and `xor` be a function on vectors.
macro_rules! absorb_block {
    ($s:ident, $blocks:ident, $rate:ident, $($pair:literal)*) => {
        $(
            // With a loop here, the states would live in memory.
            if 16 * ($pair + 1) <= $rate {
                let two = columns(|i| load128(pair($blocks[i], $pair)));
                $s[2 * $pair] = xor($s[2 * $pair], two[0]);
                $s[2 * $pair + 1] = xor($s[2 * $pair + 1], two[1]);
            }
        )*
        if $rate % 16 == 8 {
            // Together with the lane before it, so that nothing past the block is read.
            let two = columns(|i| load128(last_pair($blocks[i])));
            $s[$rate / 8 - 1] = xor($s[$rate / 8 - 1], two[1]);
        }
    };
}
use absorb_block;

/// 24 rounds on several states, lane i of each in `$s[i]`. Where it is used, `parity` (of five vectors), `neighbours` and
/// `add` (θ's change to a column, and its addition), `chi` (a ⊕ (¬b ∧ c)), `rol::<N>`, `xor` and `all` (a constant in
/// every state) must be functions on its vectors.
///
/// With `$early`, θ is finished before π begins: then 25 lanes, five parities and two more values are the most that are
/// alive, which fits into 32 registers. With 16 it is better not to move all lanes twice.
macro_rules! rounds {
    ($s:ident, $early:literal) => {
        for rc in &crate::hash::sha3::keccak::RC {
            let c = [0, 1, 2, 3, 4].map(|x| parity([$s[x], $s[x + 5], $s[x + 10], $s[x + 15], $s[x + 20]]));
            let d = |x: usize, turned| neighbours(c[(x + 4) % 5], turned);
            macro_rules! column {
                ($x:literal) => {
                    let d = d($x, rol::<1>(c[($x + 1) % 5]));
                    $s[$x] = add($s[$x], d);
                    $s[$x + 5] = add($s[$x + 5], d);
                    $s[$x + 10] = add($s[$x + 10], d);
                    $s[$x + 15] = add($s[$x + 15], d);
                    $s[$x + 20] = add($s[$x + 20], d);
                };
            }
            if $early {
                column!(0);
                column!(1);
                column!(2);
                column!(3);
                column!(4);
            }
            let turned = c.map(|c| rol::<1>(c));
            // π moves lane ((x + 3y) mod 5, x) to (x, y); ρ rotates it.
            macro_rules! b {
                ($x:literal, $y:literal) => {{
                    const FROM: usize = ($x + 3 * $y) % 5 + 5 * $x;
                    let a = if $early { $s[FROM] } else { add($s[FROM], d(FROM % 5, turned[(FROM + 1) % 5])) };
                    rol::<{ crate::hash::sha3::keccak::RHO[FROM] as i32 }>(a)
                }};
            }
            macro_rules! row {
                ($y:literal) => {{
                    let b = [b!(0, $y), b!(1, $y), b!(2, $y), b!(3, $y), b!(4, $y)];
                    [0, 1, 2, 3, 4].map(|x| chi(b[x], b[(x + 1) % 5], b[(x + 2) % 5]))
                }};
            }
            let rows = [row!(0), row!(1), row!(2), row!(3), row!(4)];
            $s.copy_from_slice(rows.as_flattened());
            $s[0] = xor($s[0], all(*rc));
        }
    };
}
use rounds;

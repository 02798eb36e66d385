//! Keccak-f[1600] as FIPS 202, section 3.2 writes it; the oracle of the other kernels.

use super::{Keccak, ManyKernel, RC, RHO, Rate, State};
use crate::cpu::Kernel;
use crate::hash::many::MAX_LANES;

pub(crate) const KERNEL: Kernel<Keccak> = Kernel::portable(Keccak { permute, absorb });
pub(crate) const LANES: Kernel<ManyKernel> =
    Kernel::portable(ManyKernel { width: 1, absorb: absorb_lanes, in_step: None });

fn permute(state: &mut State) {
    rounds(state, chi);
}

/// χ on one lane.
#[inline(always)]
pub(super) fn chi(_: usize, b0: u64, b1: u64, b2: u64) -> u64 {
    b0 ^ (!b1 & b2)
}

fn absorb(state: &mut State, rate: Rate, data: &[u8]) {
    absorb_with(state, rate, data, permute);
}

/// `absorb` for a given permutation.
#[inline(always)]
pub(super) fn absorb_with(state: &mut State, rate: Rate, data: &[u8], permute: impl Fn(&mut State)) {
    for block in data.chunks_exact(rate.bytes()) {
        for (lane, bytes) in state.iter_mut().zip(block.as_chunks().0) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        permute(state);
    }
}

/// 24 rounds, with `chi(i, …)` for lane i of χ.
#[inline(always)]
pub(super) fn rounds(state: &mut State, chi: impl Fn(usize, u64, u64, u64) -> u64) {
    // Two rounds a turn: each writes a new state, so that no lane is copied.
    for rc in RC.as_chunks::<2>().0 {
        let next = round(state, rc[0], &chi);
        *state = round(&next, rc[1], &chi);
    }
}

/// ι(χ(π(ρ(θ(a))))).
#[inline(always)]
fn round(a: &State, rc: u64, chi: impl Fn(usize, u64, u64, u64) -> u64) -> State {
    let c: [u64; 5] = core::array::from_fn(|x| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
    let d: [u64; 5] = core::array::from_fn(|x| c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1));
    // π moves lane ((x + 3y) mod 5, x) to (x, y).
    let b = |x: usize, y: usize| {
        let from = (x + 3 * y) % 5 + 5 * x;
        (a[from] ^ d[from % 5]).rotate_left(RHO[from])
    };
    let row = |y: usize| {
        let b = [b(0, y), b(1, y), b(2, y), b(3, y), b(4, y)];
        [0, 1, 2, 3, 4].map(|x| chi(x + 5 * y, b[x], b[(x + 1) % 5], b[(x + 2) % 5]))
    };
    let mut out = [0; 25];
    for (out, row) in out.as_chunks_mut().0.iter_mut().zip([row(0), row(1), row(2), row(3), row(4)]) {
        *out = row;
    }
    out[0] ^= rc;
    out
}

/// One after the other.
fn absorb_lanes(states: &mut [State; MAX_LANES], rate: Rate, data: &[&[u8]; MAX_LANES]) {
    (super::KECCAK.get().absorb)(&mut states[0], rate, data[0]);
}

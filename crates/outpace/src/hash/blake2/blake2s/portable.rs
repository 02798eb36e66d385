//! BLAKE2s's compression function as RFC 7693, sections 3.1 and 3.2 writes it; the oracle of the other kernels.

use super::IV;
use crate::cpu::Kernel;
use crate::hash::blake2::{Compress, SIGMA, State};
use crate::hash::many::{LaneKernel, MAX_LANES};

pub(crate) const KERNEL: Kernel<Compress<u32, 64>> = Kernel::portable(compress);
pub(crate) const LANES: Kernel<LaneKernel<State<u32>, 64>> = Kernel::portable(LaneKernel::of_blocks(1, compress_lanes));

fn compress(state: &mut State<u32>, blocks: &[[u8; 64]]) {
    for block in blocks {
        let mut m = [0u32; 16];
        for (m, bytes) in m.iter_mut().zip(block.as_chunks().0) {
            *m = u32::from_le_bytes(*bytes);
        }
        state.t = state.t.wrapping_add(64);
        let mut v = [0u32; 16];
        v[..8].copy_from_slice(&state.h);
        v[8..].copy_from_slice(&IV);
        v[12] ^= state.t as u32;
        v[13] ^= (state.t >> 32) as u32;
        v[14] ^= state.f as u32;
        round::<0>(&mut v, &m);
        round::<1>(&mut v, &m);
        round::<2>(&mut v, &m);
        round::<3>(&mut v, &m);
        round::<4>(&mut v, &m);
        round::<5>(&mut v, &m);
        round::<6>(&mut v, &m);
        round::<7>(&mut v, &m);
        round::<8>(&mut v, &m);
        round::<9>(&mut v, &m);
        for i in 0..8 {
            state.h[i] ^= v[i] ^ v[i + 8];
        }
    }
}

/// Four columns, then four diagonals.
#[inline(always)]
fn round<const R: usize>(v: &mut [u32; 16], m: &[u32; 16]) {
    g::<R, 0, 0, 4, 8, 12>(v, m);
    g::<R, 1, 1, 5, 9, 13>(v, m);
    g::<R, 2, 2, 6, 10, 14>(v, m);
    g::<R, 3, 3, 7, 11, 15>(v, m);
    g::<R, 4, 0, 5, 10, 15>(v, m);
    g::<R, 5, 1, 6, 11, 12>(v, m);
    g::<R, 6, 2, 7, 8, 13>(v, m);
    g::<R, 7, 3, 4, 9, 14>(v, m);
}

/// The `I`th G of round `R`; every index is a constant, so that the words are registers.
#[inline(always)]
fn g<const R: usize, const I: usize, const A: usize, const B: usize, const C: usize, const D: usize>(
    v: &mut [u32; 16],
    m: &[u32; 16],
) {
    let (x, y) = const { (SIGMA[R][2 * I] as usize, SIGMA[R][2 * I + 1] as usize) };
    v[A] = v[A].wrapping_add(v[B]).wrapping_add(m[x]);
    v[D] = (v[D] ^ v[A]).rotate_right(16);
    v[C] = v[C].wrapping_add(v[D]);
    v[B] = (v[B] ^ v[C]).rotate_right(12);
    v[A] = v[A].wrapping_add(v[B]).wrapping_add(m[y]);
    v[D] = (v[D] ^ v[A]).rotate_right(8);
    v[C] = v[C].wrapping_add(v[D]);
    v[B] = (v[B] ^ v[C]).rotate_right(7);
}

/// One after the other.
fn compress_lanes(states: &mut [State<u32>; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    super::COMPRESS.get()(&mut states[0], blocks[0]);
}

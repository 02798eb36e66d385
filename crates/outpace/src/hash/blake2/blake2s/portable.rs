//! BLAKE2s's compression function as RFC 7693, sections 3.1 and 3.2 writes it; the oracle of the other kernels.

use super::IV;
use crate::cpu::Kernel;
use crate::hash::blake2::{Compress, SIGMA, STEPS, State};
use crate::hash::many::{LaneKernel, MAX_LANES};

pub(crate) const KERNEL: Kernel<Compress<u32, 64>> = Kernel::portable(compress);
pub(crate) const LANES: Kernel<LaneKernel<State<u32>, 64>> =
    Kernel::portable(LaneKernel { width: 1, compress: compress_lanes });

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
        // Written out, so that the message words of each round are known to the compiler.
        round(&mut v, &m, &SIGMA[0]);
        round(&mut v, &m, &SIGMA[1]);
        round(&mut v, &m, &SIGMA[2]);
        round(&mut v, &m, &SIGMA[3]);
        round(&mut v, &m, &SIGMA[4]);
        round(&mut v, &m, &SIGMA[5]);
        round(&mut v, &m, &SIGMA[6]);
        round(&mut v, &m, &SIGMA[7]);
        round(&mut v, &m, &SIGMA[8]);
        round(&mut v, &m, &SIGMA[9]);
        for i in 0..8 {
            state.h[i] ^= v[i] ^ v[i + 8];
        }
    }
}

#[inline(always)]
fn round(v: &mut [u32; 16], m: &[u32; 16], s: &[u8; 16]) {
    for (i, [a, b, c, d]) in STEPS.into_iter().enumerate() {
        let (x, y) = (m[s[2 * i] as usize], m[s[2 * i + 1] as usize]);
        v[a] = v[a].wrapping_add(v[b]).wrapping_add(x);
        v[d] = (v[d] ^ v[a]).rotate_right(16);
        v[c] = v[c].wrapping_add(v[d]);
        v[b] = (v[b] ^ v[c]).rotate_right(12);
        v[a] = v[a].wrapping_add(v[b]).wrapping_add(y);
        v[d] = (v[d] ^ v[a]).rotate_right(8);
        v[c] = v[c].wrapping_add(v[d]);
        v[b] = (v[b] ^ v[c]).rotate_right(7);
    }
}

/// One after the other.
fn compress_lanes(states: &mut [State<u32>; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    super::COMPRESS.get()(&mut states[0], blocks[0]);
}

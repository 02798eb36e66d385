//! SHA-256's compression function as FIPS 180-4, section 6.2.2 writes it; the oracle of the other kernels.

use super::{K, State};
use crate::cpu::Kernel;
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2::Sha2Kernel;

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 64>> = Kernel::portable(Sha2Kernel::of_blocks(compress));
pub(crate) const LANES: Kernel<LaneKernel<State, 64>> = Kernel::portable(LaneKernel::of_blocks(1, compress_lanes));

fn compress(state: &mut State, blocks: &[[u8; 64]]) {
    for block in blocks {
        let mut w = [0u32; 64];
        for (w, bytes) in w.iter_mut().zip(block.as_chunks().0) {
            *w = u32::from_be_bytes(*bytes);
        }
        for t in 16..64 {
            let sigma0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ (w[t - 15] >> 3);
            let sigma1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ (w[t - 2] >> 10);
            w[t] = sigma1.wrapping_add(w[t - 7]).wrapping_add(sigma0).wrapping_add(w[t - 16]);
        }
        let wk = core::array::from_fn(|t| w[t].wrapping_add(K[t]));
        rounds(state, &wk);
    }
}

/// The 64 rounds over a schedule to which the constants have been added.
#[inline(always)]
fn rounds(state: &mut State, wk: &[u32; 64]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for wk in wk {
        let sum1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let ch = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(*wk).wrapping_add(ch).wrapping_add(sum1);
        let sum0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let maj = (a & b) ^ (a & c) ^ (b & c);
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(sum0).wrapping_add(maj));
    }
    for (s, v) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *s = s.wrapping_add(v);
    }
}

/// One after the other.
fn compress_lanes(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 64]]; MAX_LANES]) {
    (super::BLOCKS.get().compress)(&mut states[0], blocks[0]);
}

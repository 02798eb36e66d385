//! SHA-512's compression function as FIPS 180-4, section 6.4.2 writes it; the oracle of the other kernels.

use super::{K, State};
use crate::cpu::Kernel;
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2::Sha2Kernel;

pub(crate) const KERNEL: Kernel<Sha2Kernel<State, 128>> = Kernel::portable(Sha2Kernel::of_blocks(compress));
pub(crate) const LANES: Kernel<LaneKernel<State, 128>> = Kernel::portable(LaneKernel::of_blocks(1, compress_lanes));

fn compress(state: &mut State, blocks: &[[u8; 128]]) {
    for block in blocks {
        let mut w = [0u64; 80];
        for (w, bytes) in w.iter_mut().zip(block.as_chunks().0) {
            *w = u64::from_be_bytes(*bytes);
        }
        for t in 16..80 {
            let sigma0 = w[t - 15].rotate_right(1) ^ w[t - 15].rotate_right(8) ^ (w[t - 15] >> 7);
            let sigma1 = w[t - 2].rotate_right(19) ^ w[t - 2].rotate_right(61) ^ (w[t - 2] >> 6);
            w[t] = sigma1.wrapping_add(w[t - 7]).wrapping_add(sigma0).wrapping_add(w[t - 16]);
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        // Eight rounds a turn: then every variable is in its place again and none has to be moved.
        for (k, w) in K.as_chunks::<8>().0.iter().zip(w.as_chunks::<8>().0) {
            for t in 0..8 {
                let sum1 = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
                let ch = (e & f) ^ (!e & g);
                let t1 = h.wrapping_add(sum1).wrapping_add(ch).wrapping_add(k[t]).wrapping_add(w[t]);
                let sum0 = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
                let maj = (a & b) ^ (a & c) ^ (b & c);
                (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
                (d, c, b, a) = (c, b, a, t1.wrapping_add(sum0).wrapping_add(maj));
            }
        }
        for (s, v) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *s = s.wrapping_add(v);
        }
    }
}

/// One after the other.
fn compress_lanes(states: &mut [State; MAX_LANES], blocks: &[&[[u8; 128]]; MAX_LANES]) {
    (super::BLOCKS.get().compress)(&mut states[0], blocks[0]);
}

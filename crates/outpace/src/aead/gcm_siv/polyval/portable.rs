//! POLYVAL by the portable product of GHASH.

use super::Ops;
use crate::aead::gcm::multiply;
use crate::mem::Wipe;

pub(super) const OPS: Ops = Ops { group: (1, 1), expand: |h, _, powers| powers[0] = *h, update };

/// POLYVAL is GHASH with its bytes the other way round, under the key times x (appendix A).
fn update(powers: &[[u8; 16]], sum: &mut [u8; 16], blocks: &[[u8; 16]]) {
    let h = u128::from_le_bytes(powers[0]);
    let mut h = h >> 1 ^ ((h & 1).wrapping_neg() & 0xe1 << 120);
    let mut s = u128::from_le_bytes(*sum);
    for block in blocks {
        s = multiply(s ^ u128::from_le_bytes(*block), h);
    }
    *sum = s.to_le_bytes();
    h.wipe();
}

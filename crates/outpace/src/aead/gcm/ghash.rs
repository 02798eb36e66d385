//! GHASH (SP 800-38D, section 6.4) without tables: carry-less products from integer products of numbers with holes.
//!
//! With every fifth bit of both factors, a product of 64-bit integers has at most 13 ones to add in any place, so that
//! no carry reaches the next bit that counts (T. Pornin describes the technique in the notes on BearSSL's
//! constant-time code; there the holes are three bits wide). Needs a multiplication whose time does not depend on its
//! operands, which all 64-bit CPUs have.
//!
//! A block is a big-endian number here: the coefficient of x⁰ is its highest bit.

/// The hash key.
#[derive(Clone, Copy)]
pub(super) struct GHash {
    h: u128,
}

impl GHash {
    pub(super) fn new(h: &[u8; 16]) -> Self {
        Self { h: u128::from_be_bytes(*h) }
    }

    /// Takes `data` into `state`, the last block with zeros behind it.
    pub(super) fn update(&self, state: &mut [u8; 16], data: &[u8]) {
        let mut y = u128::from_be_bytes(*state);
        let (blocks, rest) = data.as_chunks();
        for block in blocks {
            y = multiply(y ^ u128::from_be_bytes(*block), self.h);
        }
        if !rest.is_empty() {
            let mut block = [0; 16];
            block[..rest.len()].copy_from_slice(rest);
            y = multiply(y ^ u128::from_be_bytes(block), self.h);
        }
        *state = y.to_be_bytes();
    }
}

/// The bits i, i + 5, i + 10, …
const HOLES: [u128; 5] = {
    let mut masks = [0; 5];
    let mut bit = 0;
    while bit < 128 {
        masks[bit % 5] |= 1 << bit;
        bit += 1;
    }
    masks
};

// Inlined, since a secret number passed in a register is reported by the leak checker.
#[inline(always)]
fn carryless(x: u64, y: u64) -> u128 {
    let mut sums = [0; 5];
    for i in 0..5 {
        for j in 0..5 {
            sums[(i + j) % 5] ^= u128::from(x & HOLES[i] as u64) * u128::from(y & HOLES[j] as u64);
        }
    }
    (0..5).fold(0, |z, i| z | sums[i] & HOLES[i])
}

/// The product in GF(2¹²⁸) modulo x¹²⁸ + x⁷ + x² + x + 1.
#[inline(always)]
pub(in crate::aead) fn multiply(x: u128, y: u128) -> u128 {
    let ((x0, x1), (y0, y1)) = ((x as u64, (x >> 64) as u64), (y as u64, (y >> 64) as u64));
    let (low, high) = (carryless(x0, y0), carryless(x1, y1));
    let middle = carryless(x0 ^ x1, y0 ^ y1) ^ low ^ high;
    let (low, high) = (low ^ middle << 64, high ^ middle >> 64);
    // The product of reversed polynomials is reversed and one bit short.
    let (low, high) = (low << 1, high << 1 | low >> 127);
    // Bit n of `low` stands for x^(255 - n), which is x^(127 - n) times 1 + x + x² + x⁷: bits n + 128, n + 127, n + 126
    // and n + 121. Those that stay below 128 go first; none of them comes back there.
    let low = low ^ low << 127 ^ low << 126 ^ low << 121;
    high ^ low ^ low >> 1 ^ low >> 2 ^ low >> 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Rng;

    /// SP 800-38D, section 6.3, algorithm 1.
    fn by_definition(x: u128, y: u128) -> u128 {
        let (mut z, mut v) = (0, y);
        for i in 0..128 {
            if x >> (127 - i) & 1 == 1 {
                z ^= v;
            }
            v = (v >> 1) ^ ((v & 1) * (0xe1 << 120));
        }
        z
    }

    #[test]
    fn product() {
        let mut rng = Rng::new(1);
        let mut number = || u128::from(rng.u64()) << 64 | u128::from(rng.u64());
        for _ in 0..1000 {
            let (x, y) = (number(), number());
            assert_eq!(multiply(x, y), by_definition(x, y));
        }
        for x in (0..128).map(|i| 1 << i).chain([u128::MAX]) {
            assert_eq!(multiply(x, u128::MAX), by_definition(x, u128::MAX));
        }
    }
}

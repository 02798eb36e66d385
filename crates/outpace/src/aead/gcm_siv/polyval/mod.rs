//! POLYVAL (RFC 8452, section 3): a polynomial over GF(2¹²⁸), the lowest bit first, in which a product is also divided by
//! x¹²⁸.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::cpu::{Dispatch, Kernel};
use crate::mem::Secret;

type Block = [u8; 16];

/// The most blocks that a kernel takes at a time.
const WIDEST: usize = 16;

/// Powers of the hash key, the highest first: as many as blocks are taken at a time.
type Powers = [Block; WIDEST];

/// What a kernel does.
#[derive(Clone, Copy)]
pub(crate) struct Ops {
    /// The fewest and the most blocks that are taken at a time: powers of two.
    group: (usize, usize),
    /// The given number of powers.
    expand: fn(&Block, usize, &mut Powers),
    /// Takes blocks into the sum, of which there is a multiple of the number of powers.
    update: fn(&[Block], &mut Block, &[Block]),
}

pub(crate) static KERNELS: Dispatch<Ops> = Dispatch::new(&[
    #[cfg(target_arch = "x86_64")]
    x86_64::avx512::KERNEL,
    #[cfg(target_arch = "x86_64")]
    x86_64::pclmul::KERNEL,
    Kernel::portable(portable::OPS),
]);

/// Blocks that are waiting: a multiple of every group.
const WAITING: usize = 2 * WIDEST;

/// A sum on its way, of as many blocks as said at the beginning.
pub(super) struct Polyval {
    ops: Ops,
    powers: Secret<Powers>,
    group: usize,
    sum: Secret<[u8; 16]>,
    blocks: Secret<[[u8; 16]; WAITING]>,
    waiting: usize,
}

impl Polyval {
    #[inline]
    pub(super) fn empty(ops: Ops) -> Self {
        Self {
            ops,
            powers: Secret::new([[0; 16]; WIDEST]),
            group: 1,
            sum: Secret::new([0; 16]),
            blocks: Secret::new([[0; 16]; WAITING]),
            waiting: 0,
        }
    }

    /// For `total` blocks under a key, once. Zeros in front of them, which add nothing, make groups of them.
    #[inline]
    pub(super) fn begin(&mut self, h: &[u8; 16], total: usize) {
        self.group = total.next_power_of_two().clamp(self.ops.group.0, self.ops.group.1);
        (self.ops.expand)(h, self.group, &mut self.powers);
        self.waiting = total.next_multiple_of(self.group) - total;
    }

    /// Takes `len` bytes, zeros up to a whole block behind them; `read` is to write those from the given place on.
    #[inline]
    pub(super) fn take(&mut self, len: usize, mut read: impl FnMut(usize, &mut [u8])) {
        let mut at = 0;
        while at < len {
            if self.waiting == WAITING {
                self.flush();
            }
            let room = &mut self.blocks[self.waiting..];
            let n = (len - at).min(16 * room.len());
            let used = n.div_ceil(16);
            let room = room[..used].as_flattened_mut();
            read(at, &mut room[..n]);
            room[n..].fill(0);
            self.waiting += used;
            at += n;
        }
    }

    fn flush(&mut self) {
        (self.ops.update)(&self.powers[..self.group], &mut self.sum, &self.blocks[..self.waiting]);
        self.waiting = 0;
    }

    /// When all have been taken.
    pub(super) fn finish(&mut self) -> [u8; 16] {
        self.flush();
        *self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::{Guarded, Rng};

    #[test]
    fn kernels_agree() {
        let mut rng = Rng::new(3);
        let (_, portable) = KERNELS.all().last().unwrap();
        for total in (1..70).chain([127, 128, 129, 300]) {
            let mut h = rng.array();
            if total % 5 == 0 {
                h = [[0; 16], [0xff; 16], u128::to_le_bytes(1), u128::to_le_bytes(1 << 127)][total / 5 % 4];
            }
            let blocks = rng.bytes(16 * total);
            let mut expected = [0; 16];
            (portable.update)(&[h], &mut expected, blocks.as_chunks().0);
            for (name, ops) in KERNELS.all() {
                Guarded::both(&blocks, |blocks| {
                    let mut polyval = Polyval::empty(ops);
                    polyval.begin(&h, total);
                    for block in blocks.chunks(16 * 3) {
                        polyval.take(block.len(), |at, out| out.copy_from_slice(&block[at..at + out.len()]));
                    }
                    assert_eq!(polyval.finish(), expected, "{name}, {total} blocks");
                });
            }
        }
    }

    /// RFC 8452, appendix A.
    #[test]
    fn example() {
        let block = |hex: &str| testkit::hex(hex).try_into().unwrap();
        let h: [u8; 16] = block("25629347589242761d31f826ba4b757b");
        let blocks = [block("4f4f95668c83dfb6401762bb2d01a262"), block("d1a24ddd2721d006bbe45f20d3c9f362")];
        let sum: [u8; 16] = block("f7a3b47b846119fae5b7866cf5e5b77e");
        for (name, ops) in KERNELS.all() {
            let mut polyval = Polyval::empty(ops);
            polyval.begin(&h, 2);
            polyval.take(32, |_, out| out.copy_from_slice(blocks.as_flattened()));
            assert_eq!(polyval.finish(), sum, "{name}");
        }
    }
}

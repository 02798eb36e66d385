//! What HMAC does with a hash, in steps that a kernel can do as one.

use super::{Hash, Output};
use crate::mem::Secret;

/// The steps of HMAC, of each hash. They have this trait to themselves, which cannot be named outside, so that [`Hash`]
/// holds what its users call.
pub trait Nested<Digest: Output>: Clone {
    /// The states after `first` and after `second`, a block each: what HMAC keeps of a key. In one step, so that a kernel
    /// can work on both at once.
    ///
    /// # Panics
    /// SHA-2, if one of them is not a block.
    #[must_use]
    fn after_blocks(first: &[u8], second: &[u8]) -> (Self, Self)
    where
        Self: Hash<Output = Digest>,
    {
        let after = |block| {
            let mut hash = Self::new();
            hash.update(block);
            hash
        };
        (after(first), after(second))
    }

    /// As [`Hash::finish`], of a state that is not used again and stays where it is.
    #[must_use]
    fn end(&mut self) -> Digest;

    /// The digest by `outer` of its input and, behind it, the digest of this state's input and `data`. In one step, so
    /// that a kernel can keep the inner digest in registers.
    #[must_use]
    fn finish_nested(&self, data: &[u8], outer: &Self) -> Digest
    where
        Self: Hash<Output = Digest>,
    {
        let mut inner = self.clone();
        let mut outer = outer.clone();
        inner.update(data);
        outer.update((*Secret::new(inner.end())).as_ref());
        outer.end()
    }
}

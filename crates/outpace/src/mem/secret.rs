//! A value that is overwritten when it goes away.

use super::Wipe;
use core::fmt;
use core::ops::{Deref, DerefMut};

/// Holds a secret in place, shows nothing of it, and wipes it on drop.
#[derive(Clone)]
pub(crate) struct Secret<T: Wipe>(T);

impl<T: Wipe> Secret<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T: Wipe> Deref for Secret<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Wipe> DerefMut for Secret<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Wipe> Drop for Secret<T> {
    #[inline]
    fn drop(&mut self) {
        self.0.wipe();
    }
}

impl<T: Wipe> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::MaybeUninit;

    #[test]
    fn wiped_on_drop() {
        let mut place = MaybeUninit::new(Secret::new([0xa5u8; 64]));
        // SAFETY: dropped in place once; the storage outlives it, is initialised, and is read only as bytes.
        let after = unsafe {
            place.assume_init_drop();
            core::ptr::read_volatile(place.as_ptr().cast::<[u8; 64]>())
        };
        assert_eq!(after, [0; 64]);
    }

    #[test]
    fn debug_shows_nothing() {
        assert_eq!(std::format!("{:?}", Secret::new([7u8; 4])), "Secret(..)");
    }
}

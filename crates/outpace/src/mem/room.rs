//! Room on the stack of which only as much is written and wiped as is used.

use super::Wipe;
use core::mem::MaybeUninit;

/// Place for up to `N` secrets.
pub(crate) struct Room<T: Wipe + Copy, const N: usize> {
    items: [MaybeUninit<T>; N],
    used: usize,
}

impl<T: Wipe + Copy, const N: usize> Room<T, N> {
    pub(crate) const fn new() -> Self {
        Self { items: [MaybeUninit::uninit(); N], used: 0 }
    }

    /// `value` everywhere.
    #[inline]
    pub(crate) fn fill(&mut self, value: T) -> &mut [T; N] {
        self.front(N, value).first_chunk_mut().expect("all of it")
    }

    /// `n` times `value` in the front.
    ///
    /// # Panics
    /// If there is no room for so many.
    #[inline]
    pub(crate) fn front(&mut self, n: usize, value: T) -> &mut [T] {
        let items = &mut self.items[..n];
        items.fill(MaybeUninit::new(value));
        self.used = self.used.max(n);
        // SAFETY: just written, all of them.
        unsafe { &mut *(core::ptr::from_mut(items) as *mut [T]) }
    }
}

impl<T: Wipe + Copy, const N: usize> Drop for Room<T, N> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: what was filled is initialised.
        unsafe { &mut *(core::ptr::from_mut(&mut self.items[..self.used]) as *mut [T]) }.wipe();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wipes_what_was_used() {
        let mut place = MaybeUninit::new(Room::<[u8; 3], 5>::new());
        // SAFETY: dropped in place once; the storage outlives it, and of it only bytes that were written are read.
        let after = unsafe {
            let room = place.assume_init_mut();
            assert_eq!(room.front(4, [7; 3]), [[7; 3]; 4]);
            assert_eq!(room.front(2, [9; 3]), [[9; 3]; 2]);
            let items = room.items.as_ptr();
            place.assume_init_drop();
            core::ptr::read_volatile(items.cast::<[u8; 12]>())
        };
        assert_eq!(after, [0; 12]);
    }
}

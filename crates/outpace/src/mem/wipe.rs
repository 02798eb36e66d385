//! Overwriting secrets so that the compiler cannot leave them out.

use core::sync::atomic::{Ordering, compiler_fence};

/// Values that can be overwritten with zeros.
pub trait Wipe {
    /// Overwrites the whole value with zeros; not removed by the optimiser.
    fn wipe(&mut self);

    /// Overwrites each of `items`.
    #[inline]
    fn wipe_all(items: &mut [Self])
    where
        Self: Sized,
    {
        for item in items {
            item.wipe();
        }
    }
}

/// Plain old data: every bit pattern is a value, all-zero included.
///
/// # Safety
/// The type has no padding that matters, no references, and zero is a valid value of it.
unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($t:ty),*) => { $(
        // SAFETY: an integer or vector of integers.
        unsafe impl Plain for $t {}
        impl Wipe for $t {
            #[inline]
            fn wipe(&mut self) {
                wipe_plain(core::slice::from_mut(self));
            }
            #[inline]
            fn wipe_all(items: &mut [Self]) {
                wipe_plain(items);
            }
        }
    )* };
}

plain!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64);
#[cfg(target_arch = "x86_64")]
plain!(core::arch::x86_64::__m128i, core::arch::x86_64::__m256i, core::arch::x86_64::__m512i);

impl<T: Wipe, const N: usize> Wipe for [T; N] {
    #[inline]
    fn wipe(&mut self) {
        T::wipe_all(self);
    }
    #[inline]
    fn wipe_all(items: &mut [Self]) {
        T::wipe_all(items.as_flattened_mut());
    }
}

impl<T: Wipe> Wipe for [T] {
    #[inline]
    fn wipe(&mut self) {
        T::wipe_all(self);
    }
}

/// Runs `work`, and then overwrites `N` bytes of the stack below the caller: what `work` and all that it called kept there,
/// which no `Drop` reaches (registers that were saved or spilled, values that were moved). For what is done once for a key or
/// takes thousands of cycles: 64 bytes take about two. The search of `testkit/tests/stack.rs` says how many bytes it takes.
#[inline(always)]
pub(crate) fn wiping_stack<const N: usize, T>(work: impl FnOnce() -> T) -> T {
    /// When dropped, so that the result is not kept here meanwhile.
    struct Clear<const N: usize>;
    impl<const N: usize> Drop for Clear<N> {
        #[inline(never)]
        fn drop(&mut self) {
            let mut room = core::mem::MaybeUninit::<[u8; N]>::uninit();
            // SAFETY: the whole of a variable of this frame.
            unsafe { zero(room.as_mut_ptr().cast(), N) };
        }
    }
    /// Not inlined, so that its frame is in the place that `Clear` takes next.
    #[inline(never)]
    fn run<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
    let _clear = Clear::<N>;
    run(work)
}

#[inline]
fn wipe_plain<T: Plain>(items: &mut [T]) {
    let (start, len) = (items.as_mut_ptr().cast::<u8>(), core::mem::size_of_val(items));
    // SAFETY: `start..start + len` is exactly the borrowed slice, and zero is a value of every `Plain` type.
    unsafe { zero(start, len) };
}

/// # Safety
/// `start..start + len` may be written.
#[inline]
unsafe fn zero(start: *mut u8, len: usize) {
    // SAFETY: says the caller.
    unsafe { core::ptr::write_bytes(start, 0, len) };
    // The memory is handed to an empty assembly statement that may read it, so the write above must have happened.
    // SAFETY: the statement has no instructions.
    unsafe { core::arch::asm!("/* {0} */", in(reg) start, options(nostack, preserves_flags)) };
    compiler_fence(Ordering::SeqCst);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wipes_arrays_and_slices() {
        let mut a = [[0xa5u64; 3]; 5];
        a.wipe();
        assert_eq!(a, [[0; 3]; 5]);
        let mut bytes = std::vec![1u8; 100];
        bytes[1..99].wipe();
        assert!(bytes[0] == 1 && bytes[99] == 1 && bytes[1..99].iter().all(|b| *b == 0));
    }
}

//! Marks for the leak checker: which memory is secret, and where a secret becomes public on purpose.
//!
//! Exists only under `--cfg outpace_ct="msan"` (MemorySanitizer, native, for instructions that valgrind lacks) and
//! `--cfg outpace_ct="valgrind"` (memcheck). Both report a branch or an address that depends on undefined memory, so
//! "secret" is spelled "undefined" for them.

use core::ffi::c_void;

/// From now on a branch on, or an address made from, this memory is an error.
pub(crate) fn secret<T: ?Sized>(value: &T) {
    let (start, len) = (core::ptr::from_ref(value).cast::<c_void>(), size_of_val(value));
    engine::set(start, len, true);
}

/// This memory is public from now on.
pub(crate) fn public<T: ?Sized>(value: &T) {
    let (start, len) = (core::ptr::from_ref(value).cast::<c_void>(), size_of_val(value));
    engine::set(start, len, false);
}

/// `value` with the mark removed.
pub(crate) fn published<T: Copy>(value: T) -> T {
    public(&value);
    // Read back from memory: the mark of a register copy would not change.
    // SAFETY: a live, initialised local.
    unsafe { core::ptr::read_volatile(&raw const value) }
}

/// `value` marked as secret.
#[cfg(outpace_ct = "msan")]
pub(crate) fn hidden<T: Copy>(value: T) -> T {
    secret(&value);
    // SAFETY: as above.
    unsafe { core::ptr::read_volatile(&raw const value) }
}

#[cfg(outpace_ct = "msan")]
mod engine {
    use core::ffi::c_void;

    unsafe extern "C" {
        fn __msan_allocated_memory(start: *const c_void, len: usize);
        fn __msan_unpoison(start: *const c_void, len: usize);
    }

    pub(super) fn set(start: *const c_void, len: usize, secret: bool) {
        // SAFETY: the range is a live borrow, and only its shadow is written.
        unsafe {
            if secret {
                __msan_allocated_memory(start, len);
            } else {
                __msan_unpoison(start, len);
            }
        }
    }
}

#[cfg(outpace_ct = "valgrind")]
mod engine {
    use core::ffi::c_void;

    pub(super) fn set(start: *const c_void, len: usize, secret: bool) {
        // memcheck's client requests: 'M' 'C' in the upper half, 1 = make undefined, 2 = make defined.
        let request = [0x4d43_0000_u64 + if secret { 1 } else { 2 }, start as u64, len as u64, 0, 0, 0];
        // The four rotations add up to 128 and change nothing on a CPU; valgrind knows the sequence.
        // SAFETY: no register is changed but rdx, and only shadow memory is written.
        unsafe {
            core::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") request.as_ptr(),
                inout("rdx") 0u64 => _,
                options(nostack),
            );
        }
    }
}

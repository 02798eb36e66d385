//! What code leaves on the stack.

use libc::c_void;

/// Runs `body` on a stack of its own and returns what is there afterwards.
///
/// # Panics
/// If the system gives no memory or no thread.
pub fn left_on_stack<F: FnOnce() + Send>(body: F) -> Vec<u64> {
    extern "C" fn run<F: FnOnce()>(body: *mut c_void) -> *mut c_void {
        // SAFETY: the body below, which is waited for.
        if let Some(body) = unsafe { &mut *body.cast::<Option<F>>() }.take() {
            body();
        }
        std::ptr::null_mut()
    }
    let mut stack = vec![[0u64; 512]; 128];
    let mut body = Some(body);
    // SAFETY: the stack and the body outlive the thread, which has ended before they are looked at again.
    unsafe {
        let (mut attributes, mut thread) = (std::mem::zeroed(), std::mem::zeroed());
        assert_eq!(libc::pthread_attr_init(&raw mut attributes), 0);
        let start = stack.as_mut_ptr().cast::<u8>();
        let skip = start.align_offset(4096);
        let len = (size_of_val(&stack[..]) - skip) / 4096 * 4096;
        assert_eq!(libc::pthread_attr_setstack(&raw mut attributes, start.add(skip).cast(), len), 0);
        let argument = (&raw mut body).cast();
        assert_eq!(libc::pthread_create(&raw mut thread, &raw const attributes, run::<F>, argument), 0);
        assert_eq!(libc::pthread_join(thread, std::ptr::null_mut()), 0);
        libc::pthread_attr_destroy(&raw mut attributes);
    }
    stack.into_flattened()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_left() {
        let secret = std::hint::black_box(0x0123_4567_89ab_cdef_u64);
        let left = left_on_stack(|| {
            std::hint::black_box([secret.wrapping_add(1); 50]);
        });
        assert!(left.contains(&secret.wrapping_add(1)) && !left.contains(&secret.wrapping_add(2)));
    }
}

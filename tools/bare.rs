//! A library without std. `tools/test` links it: with std, or with a dependency that brings it, there would be two panic
//! handlers.
#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;
use outpace::aead::{Aead, Aes256Gcm, ChaCha20Poly1305};
use outpace::ed25519::SigningKey;
use outpace::hash::{Hash, Sha256};

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}

/// For those features that need one.
struct NoMemory;

// SAFETY: it gives none.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: NoMemory = NoMemory;

// SAFETY: no other function here has this name.
#[unsafe(no_mangle)]
extern "C" fn seal_and_sign(secret: u8) -> u8 {
    let mut data = [secret; 100];
    let tag = Aes256Gcm::new(&[secret; 32]).seal_in_place(&[0; 12], b"", &mut data);
    let other = ChaCha20Poly1305::new(&[secret; 32]).seal_in_place(&[0; 12], &tag, &mut data);
    SigningKey::from_seed(&Sha256::digest(&data)).sign(&other)[0]
}

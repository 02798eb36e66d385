//! Random bytes for keys, nonces and everything that must not be guessed.
//!
//! With `std`: every thread has its own ChaCha20 generator with *fast key erasure* (Bernstein, 2017). A batch of key
//! stream is made at a time; its first 32 bytes replace the key at once, the rest is handed out and wiped as it is read.
//! So the memory of the process never holds what would give bytes back that were handed out before. A long request gets a
//! key of its own out of the batch, and with it AES-256 in counter mode, or ChaCha20 where AES is not an instruction. No lock
//! is taken and, except for seeding, no system call is made.
//!
//! The operating system's generator (through the `getrandom` crate) seeds it: at a thread's first use, after every MiB, and
//! at the first call of a second. If the OS gives nothing the answer is [`Error::Random`] and no bytes: there is no weaker
//! source to fall back to.
//!
//! **Fork.** On Linux the generator lives in a page that the kernel empties in a child process (`MADV_WIPEONFORK`, Linux
//! 4.14), so a child starts unseeded however it was made and however many threads its parent has; a child may call [`fill`]
//! if its thread had, see below. Where that is not to be had, the process id is compared at each call; there a child of a
//! child that was given its grandparent's id would go unnoticed.
//!
//! **Snapshots of virtual machines.** If the machine has a VMClock device with a generation counter that this process may
//! read (`/dev/vmclock0`; Linux 6.13, QEMU, Firecracker), the counter is compared at each call, and a changed one means a
//! new seed before the next byte. Without it a process cannot see that it was restored: two machines resumed from one
//! snapshot can then hand out the same bytes for up to a second or one MiB a thread, whichever ends first. Bytes already
//! handed out when the snapshot was taken are the caller's in either case.
//!
//! **Threads that end.** Their generator is wiped and given back. A destructor of thread-local data that runs after that
//! gets its bytes from the operating system.
//!
//! **Not covered.** Whoever can read the process's memory knows the bytes to come until the next seed. The page is kept out
//! of core dumps where the kernel allows it, but not out of swap.
//!
//! **Signal handlers.** The first call of a thread is not async-signal-safe: it maps memory, may open the VMClock, and
//! registers the generator to be dropped, for which the C library may allocate. A handler, or a child between `fork` and `exec` of
//! a process with several threads, may therefore call [`fill`] only on a thread that has called it before. Then it takes no
//! lock and allocates nothing; a call that interrupts another on the same thread is answered by the operating system.
//!
//! Without `std` there are no threads to keep a generator for: with the feature `getrandom` each call asks the operating
//! system, and without it, where there is none to ask, the answer is [`Error::Random`].

#[cfg(feature = "std")]
mod generator;
#[cfg(feature = "std")]
mod os;

use crate::{Error, Result};

/// Fills `out` with random bytes.
///
/// # Errors
/// [`Error::Random`] if the operating system refused a seed; `out` is then all zeros.
///
/// ```
/// let mut key = [0; 32];
/// outpace::rand::fill(&mut key)?;
/// assert_ne!(key, [0; 32]);
/// # Ok::<(), outpace::Error>(())
/// ```
#[inline]
pub fn fill(out: &mut [u8]) -> Result<()> {
    #[cfg(feature = "std")]
    return generator::fill(out);
    #[cfg(not(feature = "std"))]
    entropy(out)
}

/// The operating system's own generator.
fn entropy(out: &mut [u8]) -> Result<()> {
    #[cfg(feature = "getrandom")]
    if getrandom::fill(out).is_ok() {
        return Ok(());
    }
    out.fill(0);
    Err(Error::Random)
}

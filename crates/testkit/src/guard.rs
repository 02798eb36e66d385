//! Buffers against a page that may not be touched: one byte read or written too far ends the test.

use std::ops::{Deref, DerefMut};

/// Which end of the buffer touches the forbidden page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The byte before the first is forbidden.
    Start,
    /// The byte after the last is forbidden.
    End,
}

/// A zeroed buffer with a forbidden page at one end (and one at the other end of its pages).
#[derive(Debug)]
pub struct Guarded {
    map: *mut u8,
    map_len: usize,
    offset: usize,
    len: usize,
}

impl Guarded {
    /// A buffer of `len` zero bytes.
    ///
    /// # Panics
    /// If the system gives no memory.
    #[must_use]
    pub fn new(len: usize, edge: Edge) -> Self {
        const PAGE: usize = 4096;
        let inner = len.div_ceil(PAGE).max(1) * PAGE;
        let map_len = inner + 2 * PAGE;
        // SAFETY: a new private mapping; nothing else refers to it.
        let map = unsafe {
            libc::mmap(std::ptr::null_mut(), map_len, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
        };
        assert!(map != libc::MAP_FAILED, "mmap of {map_len} bytes failed");
        let map = map.cast::<u8>();
        // SAFETY: the pages between the first and the last of the mapping just made.
        let done = unsafe { libc::mprotect(map.add(PAGE).cast(), inner, libc::PROT_READ | libc::PROT_WRITE) };
        assert_eq!(done, 0, "mprotect failed");
        let offset = if edge == Edge::Start { PAGE } else { PAGE + inner - len };
        Self { map, map_len, offset, len }
    }

    /// A buffer holding a copy of `data`.
    #[must_use]
    pub fn copy(data: &[u8], edge: Edge) -> Self {
        let mut guarded = Self::new(data.len(), edge);
        guarded.copy_from_slice(data);
        guarded
    }

    /// Runs `body` on a copy of `data` at either edge.
    pub fn both(data: &[u8], mut body: impl FnMut(&mut [u8])) {
        for edge in [Edge::Start, Edge::End] {
            body(&mut Self::copy(data, edge));
        }
    }
}

impl Deref for Guarded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: inside the readable pages of the mapping this value owns.
        unsafe { std::slice::from_raw_parts(self.map.add(self.offset), self.len) }
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.map.add(self.offset), self.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, which nothing borrows any more.
        unsafe { libc::munmap(self.map.cast(), self.map_len) };
    }
}

/// Memory of any length, even more than the machine has, of which no byte may be touched: for calls that must refuse
/// a buffer by its length alone.
#[derive(Debug)]
pub struct Forbidden {
    start: *mut u8,
    len: usize,
}

impl Forbidden {
    /// `len` bytes of address space.
    ///
    /// # Panics
    /// If the system gives none.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new private mapping; nothing else refers to it.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0) };
        assert!(start != libc::MAP_FAILED, "mmap of {len} bytes failed");
        Self { start: start.cast(), len }
    }
}

impl Deref for Forbidden {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping this value owns. Reading it ends the process, which is the purpose.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl DerefMut for Forbidden {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl Drop for Forbidden {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `new`, which nothing borrows any more.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_data() {
        for len in [0, 1, 4095, 4096, 4097] {
            let data = vec![7; len];
            Guarded::both(&data, |g| assert_eq!(*g, data[..]));
        }
    }

    /// The page behind the buffer really is forbidden: a child process that reads it must die.
    #[test]
    fn reading_too_far_ends_the_process() {
        for edge in [Edge::Start, Edge::End] {
            let g = Guarded::new(10, edge);
            let beyond = if edge == Edge::End { g.as_ptr_range().end } else { g.as_ptr().wrapping_sub(1) };
            // SAFETY: the child only reads one byte and exits; the parent waits for it.
            unsafe {
                let child = libc::fork();
                if child == 0 {
                    libc::signal(libc::SIGSEGV, libc::SIG_DFL);
                    let byte = std::ptr::read_volatile(beyond);
                    libc::_exit(i32::from(byte));
                }
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                assert!(libc::WIFSIGNALED(status), "{edge:?}");
            }
        }
    }
}

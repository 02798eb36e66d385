//! Memory that a child process does not inherit, and the signs that this machine or process is a copy of another.
#![allow(unsafe_code)]

use super::generator::Pool;
use crate::mem::Wipe;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Types for which zeros are a value.
///
/// # Safety
/// All-zero bytes are a valid value, and the type needs no more than a page's alignment.
pub(super) unsafe trait Zeroable: Wipe {}

// SAFETY: integers only.
unsafe impl Zeroable for Pool {}

/// One zeroed `T`, alone in its pages where the OS has them. Wiped on drop, and found zeroed again in a child process if
/// [`Private::wiped_on_fork`] says so.
pub(super) struct Private<T: Zeroable> {
    place: NonNull<T>,
    wiped_on_fork: bool,
}

impl<T: Zeroable> Private<T> {
    pub(super) fn wiped_on_fork(&self) -> bool {
        self.wiped_on_fork
    }
}

impl<T: Zeroable> Deref for Private<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: `place` is owned by `self`, aligned, and holds a `T` (zeros at first).
        unsafe { self.place.as_ref() }
    }
}

impl<T: Zeroable> DerefMut for Private<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and `self` is borrowed exclusively.
        unsafe { self.place.as_mut() }
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use super::{NonNull, Private, Zeroable};
    use core::ffi::{c_int, c_long, c_void};

    // The C library, which std links anyway. The numbers are the kernel's and the same on every architecture but for
    // MAP_ANONYMOUS, which is 0x20 on all that Rust's std supports except MIPS.
    unsafe extern "C" {
        fn mmap(
            at: *mut c_void,
            len: usize,
            protection: c_int,
            flags: c_int,
            file: c_int,
            offset: Offset,
        ) -> *mut c_void;
        fn madvise(at: *mut c_void, len: usize, advice: c_int) -> c_int;
        fn munmap(at: *mut c_void, len: usize) -> c_int;
        fn clock_gettime(clock: c_int, time: *mut c_long) -> c_int;
    }
    /// `off_t`: a `long` in glibc, except where it came late enough to have only the wide one, as musl has everywhere.
    #[cfg(not(any(target_env = "musl", target_env = "ohos", target_arch = "x86_64", target_arch = "riscv32")))]
    type Offset = c_long;
    #[cfg(any(target_env = "musl", target_env = "ohos", target_arch = "x86_64", target_arch = "riscv32"))]
    type Offset = i64;
    const PROT_READ: c_int = 1;
    const PROT_WRITE: c_int = 2;
    const MAP_SHARED: c_int = 1;
    const MAP_PRIVATE: c_int = 2;
    const MAP_ANONYMOUS: c_int = if cfg!(any(target_arch = "mips", target_arch = "mips64")) { 0x800 } else { 0x20 };
    const MADV_DONTDUMP: c_int = 16;
    const MADV_WIPEONFORK: c_int = 18;
    const CLOCK_MONOTONIC_COARSE: c_int = 6;

    /// The second of the clock that the kernel keeps in a page of the process: 5 ns, where a precise one takes 23.
    pub(super) fn second() -> Option<u64> {
        // `struct timespec` begins with the seconds, whose low half, if they are wider than a `long`, comes first on
        // the one architecture where they are.
        let mut time: [c_long; 4] = [0; 4];
        // SAFETY: the array has room for a `timespec` of any width.
        let done = unsafe { clock_gettime(CLOCK_MONOTONIC_COARSE, time.as_mut_ptr()) } == 0;
        done.then_some(time[0] as u64)
    }

    impl<T: Zeroable> Private<T> {
        pub(in super::super) fn new() -> Option<Self> {
            let len = size_of::<T>();
            // SAFETY: asks for new memory; nothing existing is touched.
            let at =
                unsafe { mmap(core::ptr::null_mut(), len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
            if at.addr() == usize::MAX {
                return None;
            }
            // SAFETY: advice on the mapping made above; neither changes what it holds now.
            let wiped_on_fork = unsafe {
                madvise(at, len, MADV_DONTDUMP);
                madvise(at, len, MADV_WIPEONFORK) == 0
            };
            Some(Self { place: NonNull::new(at.cast())?, wiped_on_fork })
        }
    }

    impl<T: Zeroable> Drop for Private<T> {
        fn drop(&mut self) {
            self.wipe();
            // SAFETY: the mapping made in `new`, whole, and nothing refers to it after this.
            unsafe { munmap(self.place.as_ptr().cast(), size_of::<T>()) };
        }
    }

    /// Maps the first `len` bytes of a file for reading, for the rest of the process.
    pub(super) fn map(file: &std::fs::File, len: usize) -> Option<NonNull<u8>> {
        use std::os::fd::AsRawFd;
        // SAFETY: asks for a new mapping; nothing existing is touched.
        let at = unsafe { mmap(core::ptr::null_mut(), len, PROT_READ, MAP_SHARED, file.as_raw_fd(), 0) };
        if at.addr() == usize::MAX { None } else { NonNull::new(at.cast()) }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    use super::{NonNull, Private, Zeroable};
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    pub(super) fn second() -> Option<u64> {
        None
    }

    impl<T: Zeroable> Private<T> {
        pub(in super::super) fn new() -> Option<Self> {
            // SAFETY: the layout is not empty; zeros are a `T`.
            let place = unsafe { alloc_zeroed(Layout::new::<T>()) };
            Some(Self { place: NonNull::new(place.cast())?, wiped_on_fork: false })
        }
    }

    impl<T: Zeroable> Drop for Private<T> {
        fn drop(&mut self) {
            self.wipe();
            // SAFETY: allocated in `new` with this layout.
            unsafe { dealloc(self.place.as_ptr().cast(), Layout::new::<T>()) };
        }
    }
}

/// A number that changes every second.
#[inline]
pub(super) fn second() -> u64 {
    // Only compared: if the wall clock is set, that is another second.
    platform::second().unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

/// Which process this is, on which incarnation of its machine.
pub(super) struct Machine {
    /// Zero if the page says it better.
    process: u32,
    generation: u64,
    counter: Option<&'static AtomicU64>,
}

impl Machine {
    pub(super) fn now(compare_process: bool) -> Self {
        let counter = generation();
        Self {
            process: if compare_process { std::process::id() } else { 0 },
            generation: counter.map_or(0, |c| c.load(Ordering::Acquire)),
            counter,
        }
    }

    #[inline]
    pub(super) fn changed(&self) -> bool {
        self.counter.is_some_and(|c| c.load(Ordering::Acquire) != self.generation)
            || (self.process != 0 && self.process != std::process::id())
    }
}

const VMCLOCK: &str = "/dev/vmclock0";

/// The machine's counter, looked for once. Without a lock, which a fork could leave taken in the child for ever: threads
/// that meet here map the device each for itself, and go on with the first one's.
fn generation() -> Option<&'static AtomicU64> {
    static NONE: AtomicU64 = AtomicU64::new(0);
    static FOUND: AtomicPtr<AtomicU64> = AtomicPtr::new(core::ptr::null_mut());
    let none = core::ptr::from_ref(&NONE).cast_mut();
    let mut found = FOUND.load(Ordering::Acquire);
    if found.is_null() {
        let own = vm_generation(VMCLOCK).map_or(none, |counter| core::ptr::from_ref(counter).cast_mut());
        let first = FOUND.compare_exchange(core::ptr::null_mut(), own, Ordering::AcqRel, Ordering::Acquire);
        found = first.map_or_else(|other| other, |_| own);
    }
    // SAFETY: made of a shared reference that lives as long as the process.
    (found != none).then(|| unsafe { &*found })
}

/// The counter that a hypervisor changes when it resumes a snapshot: the page of a VMClock device (version 1.1 of its
/// specification; `include/uapi/linux/vmclock-abi.h`), little-endian. The structure has a sequence lock for its clock
/// fields; a single aligned word that is only compared with its former value does not need it.
#[cfg(all(target_os = "linux", target_endian = "little"))]
fn vm_generation(path: &str) -> Option<&'static AtomicU64> {
    const LEN: usize = 0x70;
    const MAGIC: u32 = u32::from_le_bytes(*b"VCLK");
    const HAS_GENERATION: u64 = 1 << 8;
    let file = std::fs::File::open(path).ok()?;
    // Of an ordinary file, pages beyond the end may not be touched; a device reports no length.
    let known = file.metadata().ok()?;
    if known.is_file() && known.len() < LEN as u64 {
        return None;
    }
    let page = platform::map(&file, LEN)?;
    // SAFETY: the mapping is never removed, LEN bytes of it can be read, it starts at a page and so every offset is
    // aligned; others write to it, which volatile and atomic reads allow for.
    unsafe {
        let magic = page.cast::<u32>().read_volatile();
        let len = page.add(4).cast::<u32>().read_volatile();
        let flags = page.add(0x18).cast::<u64>().read_volatile();
        let good = magic == MAGIC && len as usize >= LEN && flags & HAS_GENERATION != 0;
        good.then(|| AtomicU64::from_ptr(page.add(0x68).cast().as_ptr()))
    }
}

#[cfg(not(all(target_os = "linux", target_endian = "little")))]
fn vm_generation(_: &str) -> Option<&'static AtomicU64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::rand::fill;
    use core::ffi::{c_int, c_ulong, c_void};
    use core::sync::atomic::{AtomicBool, AtomicUsize};
    use std::vec::Vec;

    const SIGUSR2: c_int = 12;

    unsafe extern "C" {
        fn fork() -> c_int;
        fn pipe(ends: *mut c_int) -> c_int;
        fn read(file: c_int, to: *mut c_void, len: usize) -> isize;
        fn write(file: c_int, from: *const c_void, len: usize) -> isize;
        fn waitpid(child: c_int, status: *mut c_int, options: c_int) -> c_int;
        fn _exit(status: c_int) -> !;
        fn signal(number: c_int, handler: extern "C" fn(c_int)) -> *mut c_void;
        fn pthread_self() -> c_ulong;
        fn pthread_kill(thread: c_ulong, number: c_int) -> c_int;
    }

    /// What `make` gives in a child process, and whether it succeeded there.
    fn in_child(mut make: impl FnMut(&mut [u8]) -> bool) -> [u8; 64] {
        let (mut ends, mut bytes) = ([0; 2], [0u8; 64]);
        // SAFETY: the array has room for two descriptors.
        assert_eq!(unsafe { pipe(ends.as_mut_ptr()) }, 0);
        // SAFETY: the child only fills a buffer, writes it and leaves without unwinding or running handlers.
        let child = unsafe { fork() };
        assert!(child >= 0);
        if child == 0 {
            let good = make(&mut bytes);
            // SAFETY: writes the array; `_exit` does not return.
            unsafe {
                let written = write(ends[1], bytes.as_ptr().cast(), 64);
                _exit(c_int::from(!good || written != 64));
            }
        }
        let mut status = -1;
        // SAFETY: the array has 64 bytes, and `status` takes the answer.
        unsafe {
            assert_eq!(read(ends[0], bytes.as_mut_ptr().cast(), 64), 64);
            assert_eq!(waitpid(child, &mut status, 0), child);
        }
        assert_eq!(status, 0, "the child failed");
        bytes
    }

    #[test]
    fn a_child_process_goes_its_own_way() {
        let mut first = [0; 64];
        fill(&mut first).unwrap(); // the generator is seeded and its batch half used
        let child = in_child(|out| fill(out).is_ok());
        let sibling = in_child(|out| fill(out).is_ok());
        let grandchild = in_child(|out| {
            *out.first_chunk_mut().unwrap() = in_child(|out| fill(out).is_ok());
            true
        });
        let mut parent = [0; 64];
        fill(&mut parent).unwrap();
        let all = [[0; 64], first, parent, child, sibling, grandchild];
        for i in 0..all.len() {
            for j in 0..i {
                assert_ne!(all[i], all[j], "{i} {j}");
            }
        }
    }

    /// Only the thread that forks lives on in the child; the others were in the middle of drawing.
    #[test]
    fn a_child_of_many_threads_goes_its_own_way() {
        static DONE: AtomicBool = AtomicBool::new(false);
        let draw = || {
            let mut out = [0; 64];
            fill(&mut out).unwrap();
            out
        };
        let others: Vec<_> = (0..3)
            .map(|_| {
                std::thread::spawn(move || {
                    core::iter::repeat_with(draw).take_while(|_| !DONE.load(Ordering::Relaxed)).last()
                })
            })
            .collect();
        let mut seen = std::collections::HashSet::new();
        for i in 0..24 {
            // Now and then a thread that has never drawn forks, and its child is the first to.
            let child = move || in_child(|out| fill(out).is_ok());
            assert!(seen.insert(if i % 3 == 0 { std::thread::spawn(child).join().unwrap() } else { child() }));
            assert!(seen.insert(draw()));
        }
        DONE.store(true, Ordering::Relaxed);
        assert!(others.into_iter().all(|thread| seen.insert(thread.join().unwrap().unwrap_or([0; 64]))));
    }

    /// A handler that draws, called between any two instructions of a thread that draws.
    #[test]
    fn a_signal_handler_draws_bytes_of_its_own() {
        const SIGNALS: usize = 400;
        static DRAWN: [AtomicU64; SIGNALS] = [const { AtomicU64::new(0) }; SIGNALS];
        static HANDLED: AtomicUsize = AtomicUsize::new(0);
        extern "C" fn handler(_: c_int) {
            let mut out = [0; 8];
            let at = HANDLED.load(Ordering::Relaxed);
            if fill(&mut out).is_ok() && at < SIGNALS {
                DRAWN[at].store(u64::from_le_bytes(out), Ordering::Relaxed);
            }
            HANDLED.store(at + 1, Ordering::Release);
        }
        // SAFETY: the handler draws, which is what is to be tested, and stores.
        unsafe { signal(SIGUSR2, handler) };
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let (mut drawn, mut out) = (Vec::new(), [0; 8]);
            fill(&mut out).unwrap(); // the first call is not for handlers
            // SAFETY: no condition.
            tell.send(unsafe { pthread_self() }).unwrap();
            while HANDLED.load(Ordering::Relaxed) < SIGNALS {
                fill(&mut out).unwrap();
                drawn.push(u64::from_le_bytes(out));
            }
            drawn
        });
        let target = told.recv().unwrap();
        for i in 0..SIGNALS {
            // SAFETY: the thread waits for the last signal to be handled.
            assert_eq!(unsafe { pthread_kill(target, SIGUSR2) }, 0);
            while HANDLED.load(Ordering::Acquire) <= i {
                std::thread::yield_now();
            }
        }
        let mut all = thread.join().unwrap();
        all.extend(DRAWN.iter().map(|word| word.load(Ordering::Relaxed)));
        let len = all.len();
        all.sort_unstable();
        all.dedup();
        // One pair of equal words of 64 bits among millions is a matter of one in a million.
        assert_eq!(all.len(), len, "drawn twice");
        assert!(!all.contains(&0));
    }

    #[test]
    fn the_page_is_empty_in_a_child() {
        let mut page = Private::<Pool>::new().unwrap();
        assert!(page.wiped_on_fork(), "Linux 4.14 and later have MADV_WIPEONFORK");
        page.fill_for_test();
        let seen = in_child(|out| {
            out[0] = u8::from(page.is_empty_for_test());
            true
        });
        assert_eq!(seen[0], 1);
        assert!(!page.is_empty_for_test());
    }

    #[test]
    fn the_process_is_compared_where_pages_are_not_wiped() {
        let machine = Machine::now(true);
        assert!(!machine.changed());
        let seen = in_child(|out| {
            out[0] = u8::from(machine.changed());
            true
        });
        assert_eq!(seen[0], 1);
    }

    /// A file laid out as the device's page is.
    #[test]
    fn a_new_generation_of_the_machine_is_noticed() {
        use std::os::unix::fs::FileExt;
        let path = std::env::temp_dir().join(std::format!("outpace-vmclock-{}", std::process::id()));
        let name = path.to_str().unwrap();
        let mut page = [0u8; 4096];
        page[..4].copy_from_slice(b"VCLK");
        page[4..8].copy_from_slice(&0x1000u32.to_le_bytes());
        std::fs::write(&path, page).unwrap();
        assert!(vm_generation(name).is_none(), "the flag is missing");
        page[0x19] = 1;
        page[0x68] = 7;
        std::fs::write(&path, page).unwrap();
        let counter = vm_generation(name);
        let machine = Machine { process: 0, generation: 7, counter };
        assert!(counter.is_some() && !machine.changed());
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.write_at(&[8], 0x68).unwrap();
        assert!(machine.changed());
        page[0] = 0;
        std::fs::write(&path, page).unwrap();
        assert!(vm_generation(name).is_none(), "not a VMClock");
        std::fs::write(&path, &page[..64]).unwrap();
        assert!(vm_generation(name).is_none(), "too short");
        std::fs::remove_file(&path).unwrap();
        assert!(vm_generation(name).is_none(), "not there");
    }
}

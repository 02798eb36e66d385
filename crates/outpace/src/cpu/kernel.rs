//! The one way to dispatch: a static list of kernels, fastest first, the portable one last.
//!
//! `F` is what a kernel is called through: a plain `fn` pointer, or a `Copy` struct of several. Whole jobs are
//! dispatched (compress n blocks, seal a message), never a step inside one, and a keyed object copies its `F` when made.

use super::Features;
use core::sync::atomic::{AtomicUsize, Ordering};

/// One implementation and what it needs of the CPU.
pub(crate) struct Kernel<F: 'static> {
    #[cfg_attr(
        not(any(test, feature = "mask", outpace_ct)),
        expect(dead_code, reason = "read by tests, leak checks and the command line")
    )]
    name: &'static str,
    needs: Features,
    suits: Features,
    run: F,
}

impl<F: Copy> Kernel<F> {
    /// A kernel for CPUs that have `needs`.
    ///
    /// # Safety
    /// Calling `run` is sound on every CPU that has all of `needs`.
    pub(crate) const unsafe fn new(name: &'static str, needs: Features, run: F) -> Self {
        Self { name, needs, suits: Features::NONE, run }
    }

    /// The kernel that runs everywhere.
    pub(crate) const fn portable(run: F) -> Self {
        Self { name: "portable", needs: Features::NONE, suits: Features::NONE, run }
    }

    /// The same kernel, chosen only on CPUs that also have the traits `suits`: for a job that two designs of core do best
    /// in two ways. It runs, and is tested, wherever its needs are met.
    #[cfg_attr(
        not(any(test, target_arch = "x86_64")),
        expect(dead_code, reason = "only x86-64 has jobs with two ways")
    )]
    pub(crate) const fn suited_to(mut self, suits: Features) -> Self {
        self.suits = suits;
        self
    }

    /// The name that tests, reports and the command line use: the defining feature.
    #[cfg(any(test, feature = "mask", outpace_ct))]
    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    #[cfg(any(test, outpace_ct))]
    fn available(&self) -> bool {
        Features::detected().contains(self.needs)
    }

    fn preferable(&self) -> bool {
        Features::detected().contains(self.needs.and(self.suits))
    }
}

/// The kernels of one job, in order of preference. The choice is made at the first call and kept.
pub(crate) struct Dispatch<F: 'static> {
    kernels: &'static [Kernel<F>],
    /// Index of the choice plus one; 0 before the first call.
    chosen: AtomicUsize,
}

impl<F: Copy> Dispatch<F> {
    /// # Panics
    /// At compile time, if the last kernel needs any feature: a machine must never be left without one.
    pub(crate) const fn new(kernels: &'static [Kernel<F>]) -> Self {
        let last = &kernels[kernels.len() - 1];
        assert!(Features::NONE.contains(last.needs.and(last.suits)), "the last kernel must be portable");
        Self { kernels, chosen: AtomicUsize::new(0) }
    }

    /// The fastest kernel that this CPU can run.
    #[inline]
    pub(crate) fn get(&self) -> F {
        match self.kernels.get(self.chosen.load(Ordering::Relaxed).wrapping_sub(1)) {
            Some(kernel) => kernel.run,
            None => self.choose(),
        }
    }

    #[cold]
    fn choose(&self) -> F {
        let last = self.kernels.len() - 1;
        let i = self.kernels.iter().position(Kernel::preferable).unwrap_or(last);
        self.chosen.store(i + 1, Ordering::Relaxed);
        self.kernels[i].run
    }

    /// Every kernel that this CPU can run, with its function: what tests and leak checks go through.
    #[cfg(any(test, outpace_ct))]
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, F)> {
        self.kernels.iter().filter(|k| k.available()).map(|k| (k.name(), k.run))
    }

    /// All kernels, for the command line.
    #[cfg(feature = "mask")]
    pub(crate) fn describe(&self) -> std::vec::Vec<crate::mask::Kernel> {
        self.kernels.iter().map(|k| crate::mask::Kernel::new(k.name(), k.needs, k.suits)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_first_that_can_run_and_keeps_it() {
        static D: Dispatch<fn() -> u8> = Dispatch::new(&[
            // SAFETY: the function needs nothing; the impossible feature only keeps it from being chosen.
            unsafe { Kernel::new("impossible", Features::IMPOSSIBLE, || 1) },
            Kernel::<fn() -> u8>::portable(|| 2).suited_to(Features::IMPOSSIBLE),
            Kernel::portable(|| 3),
            Kernel::portable(|| 4),
        ]);
        assert_eq!((D.get())(), 3);
        assert_eq!((D.get())(), 3);
        let names: std::vec::Vec<_> = D.all().map(|(name, f)| (name, f())).collect();
        assert_eq!(names, [("portable", 2), ("portable", 3), ("portable", 4)]);
    }
}

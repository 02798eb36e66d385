//! Where a cipher reads and where it writes: one buffer, or two of the same length.

use core::marker::PhantomData;
use core::sync::atomic::AtomicU8;

/// Where empty data are. An empty slice may be nowhere in memory, and a kernel that loads or stores none of 64 bytes there
/// waits for 150 cycles (Zen 4). Never read or written.
static EMPTY: [AtomicU8; 64] = [const { AtomicU8::new(0) }; 64];

/// `input` and `output` of the same length: the same memory, or disjoint. So a cipher that reads a block before it
/// writes that block needs one function for both.
#[derive(Debug)]
pub struct InOut<'a> {
    input: *const u8,
    output: *mut u8,
    len: usize,
    lifetime: PhantomData<(&'a [u8], &'a mut [u8])>,
}

impl<'a> InOut<'a> {
    /// Reads `input`, writes `output`: as many bytes as the shorter of both.
    #[inline]
    pub(crate) fn apart(input: &'a [u8], output: &'a mut [u8]) -> Self {
        debug_assert_eq!(input.len(), output.len(), "callers have checked");
        let len = input.len().min(output.len());
        if len == 0 {
            return Self::empty();
        }
        Self { input: input.as_ptr(), output: output.as_mut_ptr(), len, lifetime: PhantomData }
    }

    #[inline]
    const fn empty() -> Self {
        let start = EMPTY.as_ptr().cast::<u8>();
        Self { input: start, output: start.cast_mut(), len: 0, lifetime: PhantomData }
    }

    /// Reads and writes `data`.
    #[inline]
    pub(crate) fn in_place(data: &'a mut [u8]) -> Self {
        if data.is_empty() {
            return Self::empty();
        }
        let output = data.as_mut_ptr();
        Self { input: output.cast_const(), output, len: data.len(), lifetime: PhantomData }
    }

    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// For kernels: `len()` bytes may be read here.
    #[inline]
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn input(&self) -> *const u8 {
        self.input
    }

    /// For kernels: `len()` bytes may be written here; what is written is no longer input.
    #[inline]
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn output(&mut self) -> *mut u8 {
        self.output
    }

    /// The same bytes, for a shorter time.
    #[inline]
    pub(crate) const fn reborrow(&mut self) -> InOut<'_> {
        InOut { input: self.input, output: self.output, len: self.len, lifetime: PhantomData }
    }

    /// The first `at` bytes and the rest.
    ///
    /// # Panics
    /// If there are fewer than `at` bytes.
    #[inline]
    pub(crate) fn split_at(self, at: usize) -> (Self, Self) {
        assert!(at <= self.len, "split beyond the end");
        // SAFETY: `at` is within both buffers, or one past their end.
        let (input, output) = unsafe { (self.input.add(at), self.output.add(at)) };
        (Self { len: at, ..self }, Self { input, output, len: self.len - at, lifetime: PhantomData })
    }

    /// Calls `f` with each block of up to `N` input bytes, zeros behind a shorter last one, and writes back what `f`
    /// left there.
    #[inline]
    pub(crate) fn for_each_block<const N: usize>(mut self, mut f: impl FnMut(&mut [u8; N], usize)) {
        let mut at = 0;
        while at < self.len {
            let n = N.min(self.len - at);
            let mut block = [0; N];
            self.read(at, &mut block[..n]);
            f(&mut block, n);
            self.write(at, &block[..n]);
            at += n;
        }
    }

    /// Input bytes from `at` on.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub(crate) fn read(&self, at: usize, bytes: &mut [u8]) {
        assert!(at <= self.len && bytes.len() <= self.len - at, "read beyond the end");
        // SAFETY: within the input, as just checked; `bytes` is borrowed by somebody else, so it is other memory.
        unsafe { core::ptr::copy_nonoverlapping(self.input.add(at), bytes.as_mut_ptr(), bytes.len()) };
    }

    /// Writes output bytes from `at` on.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline]
    pub(crate) fn write(&mut self, at: usize, bytes: &[u8]) {
        assert!(at <= self.len && bytes.len() <= self.len - at, "write beyond the end");
        // SAFETY: as above, within the output.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.output.add(at), bytes.len()) };
    }

    /// Overwrites the output with zeros, also where the optimiser sees no later reader.
    #[cold]
    pub(crate) fn wipe(self) {
        // SAFETY: the output is borrowed mutably for as long as `self` lives, and initialised.
        super::Wipe::wipe(unsafe { core::slice::from_raw_parts_mut(self.output, self.len) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_in_place_and_apart() {
        for len in 0..40 {
            let input: std::vec::Vec<u8> = (0..len).collect();
            let expected: std::vec::Vec<u8> = input.iter().map(|b| b ^ 0xff).collect();
            let flip = |block: &mut [u8; 16], n: usize| {
                assert!(block[n..].iter().all(|b| *b == 0));
                block.iter_mut().for_each(|b| *b ^= 0xff);
            };
            let mut apart = std::vec![0; input.len()];
            InOut::apart(&input, &mut apart).for_each_block(flip);
            let mut in_place = input.clone();
            let (head, tail) = InOut::in_place(&mut in_place).split_at(input.len() / 2);
            head.for_each_block(flip);
            tail.for_each_block(flip);
            assert_eq!((&apart, &in_place), (&expected, &expected));
            InOut::in_place(&mut in_place).wipe();
            assert!(in_place.iter().all(|b| *b == 0));
        }
    }
}

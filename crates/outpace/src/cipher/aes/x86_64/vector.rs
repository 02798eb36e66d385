//! Registers of one, two or four blocks, for code that is the same at every width; [`Vector`] says which.
//!
//! Everything here is inlined into the functions of the kernels, which name the CPU features.

use crate::cipher::aes::RoundKeys;
use crate::simd;
use core::arch::x86_64::*;

/// A register of blocks, one to a lane.
///
/// # Safety
/// All functions may be called only on a CPU that has the features of the kernel; `load` and `store` only with a pointer
/// to `16 * BLOCKS` bytes, `load_part` and `store_part` to `len` of them, if that is less.
pub(crate) trait Vector: Copy {
    /// Lanes.
    const BLOCKS: usize;
    unsafe fn load(from: *const u8) -> Self;
    unsafe fn store(self, to: *mut u8);
    /// All, or fewer bytes and zeros behind them.
    unsafe fn load_part(from: *const u8, len: usize) -> Self;
    /// Writes the first `len` bytes, or all; returns the register with zeros behind them.
    unsafe fn store_part(self, to: *mut u8, len: usize) -> Self;
    /// `block` in each lane.
    unsafe fn broadcast(block: __m128i) -> Self;
    /// `block` in the first lane, zeros in the others.
    unsafe fn first(block: __m128i) -> Self;
    /// A block in each lane, beginning with the first of these.
    unsafe fn lanes(blocks: [__m128i; 4]) -> Self;
    /// XOR of all lanes.
    unsafe fn sum_lanes(self) -> __m128i;
    /// The halves of each lane exchanged.
    unsafe fn swap(self) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    /// Sums of 32-bit numbers.
    unsafe fn add(self, other: Self) -> Self;
    /// The bytes of each lane in the order given for one.
    unsafe fn shuffle(self, order: __m128i) -> Self;
    unsafe fn aesenc(self, key: Self) -> Self;
    unsafe fn aesenclast(self, key: Self) -> Self;
    unsafe fn aesdec(self, key: Self) -> Self;
    unsafe fn aesdeclast(self, key: Self) -> Self;
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self;
    /// See [`simd::pin`].
    unsafe fn pin(self) -> Self;
}

/// AES of each lane, and after each of the first `R` − 1 rounds a step of `meanwhile`.
///
/// # Safety
/// The CPU must have the features of the kernel; so for all functions of this file.
#[inline(always)]
pub(crate) unsafe fn rounds<V: Vector, const R: usize, const M: usize>(
    keys: &RoundKeys,
    mut x: [V; M],
    meanwhile: &mut impl Meanwhile,
) -> [V; M] {
    // SAFETY: the features are there, says the caller. So in all of this file.
    unsafe {
        let key = V::broadcast(block(&keys.keys[0]));
        for x in &mut x {
            *x = x.xor(key);
        }
        for r in 1..R {
            let key = V::broadcast(block(&keys.keys[r]));
            for x in &mut x {
                *x = x.aesenc(key);
            }
            meanwhile.step(r - 1);
        }
        let key = V::broadcast(block(&keys.keys[R]));
        for x in &mut x {
            *x = x.aesenclast(key);
        }
        x
    }
}

/// What is done between the rounds of AES. Not a closure, since those cannot be told to be inlined.
pub(crate) trait Meanwhile {
    /// # Safety
    /// As for [`rounds`].
    unsafe fn step(&mut self, step: usize);
}

impl Meanwhile for () {
    #[inline(always)]
    unsafe fn step(&mut self, _: usize) {}
}

#[inline(always)]
pub(crate) unsafe fn block(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline(always)]
pub(crate) unsafe fn register(number: u128) -> __m128i {
    // SAFETY: as above.
    unsafe { _mm_set_epi64x((number >> 64) as i64, number as i64) }
}

/// The number of each lane, in its first word.
#[inline(always)]
pub(crate) unsafe fn lane_numbers<V: Vector>() -> V {
    // SAFETY: as above.
    unsafe { V::lanes([_mm_setzero_si128(), register(1), register(2), register(3)]) }
}

/// Fewer than 16 bytes, at least one, in pieces that overlap.
#[inline(always)]
unsafe fn load_short(from: *const u8, len: usize) -> __m128i {
    // SAFETY: all of each piece is among the `len` bytes.
    unsafe {
        let (low, high) = if len >= 8 {
            let end = from.add(len - 8).cast::<u64>().read_unaligned();
            (from.cast::<u64>().read_unaligned(), end >> 8 >> (8 * (15 - len)))
        } else if len >= 4 {
            let end = u64::from(from.add(len - 4).cast::<u32>().read_unaligned());
            (u64::from(from.cast::<u32>().read_unaligned()) | end << (8 * (len - 4)), 0)
        } else {
            let byte = |i: usize| u64::from(*from.add(i)) << (8 * i);
            (byte(0) | byte(len / 2) | byte(len - 1), 0)
        };
        _mm_set_epi64x(high as i64, low as i64)
    }
}

/// The other way.
#[inline(always)]
unsafe fn store_short(x: __m128i, to: *mut u8, len: usize) {
    // SAFETY: as above.
    unsafe {
        let low = _mm_cvtsi128_si64(x) as u64;
        if len >= 8 {
            let high = _mm_extract_epi64::<1>(x) as u64;
            let all = u128::from(high) << 64 | u128::from(low);
            to.cast::<u64>().write_unaligned(low);
            to.add(len - 8).cast::<u64>().write_unaligned((all >> (8 * (len - 8))) as u64);
        } else if len >= 4 {
            to.cast::<u32>().write_unaligned(low as u32);
            to.add(len - 4).cast::<u32>().write_unaligned((low >> (8 * (len - 4))) as u32);
        } else {
            for i in [0, len / 2, len - 1] {
                *to.add(i) = (low >> (8 * i)) as u8;
            }
        }
    }
}

/// The first `len` bytes of a block, at most 16, and zeros.
#[inline(always)]
unsafe fn cut(x: __m128i, len: usize) -> __m128i {
    const MASK: [u8; 32] = {
        let mut mask = [0; 32];
        mask.split_at_mut(16).0.copy_from_slice(&[0xff; 16]);
        mask
    };
    // SAFETY: 16 bytes from there on are within the table.
    unsafe { _mm_and_si128(x, _mm_loadu_si128(MASK.as_ptr().add(16 - len).cast())) }
}

/// The functions that are one instruction, by their intrinsics.
macro_rules! instructions {
    ($($name:ident($($arg:ident),*) = $intrinsic:ident $([$constant:tt])?;)*) => { $(
        #[inline(always)]
        unsafe fn $name(self $(, $arg: Self)*) -> Self {
            // SAFETY: the features are there, says the caller.
            unsafe { $intrinsic$(::<$constant>)?(self $(, $arg)*) }
        }
    )* };
}

impl Vector for __m128i {
    const BLOCKS: usize = 1;
    instructions! {
        swap() = _mm_shuffle_epi32[0b0100_1110];
        xor(other) = _mm_xor_si128;
        add(other) = _mm_add_epi32;
        aesenc(key) = _mm_aesenc_si128;
        aesenclast(key) = _mm_aesenclast_si128;
        aesdec(key) = _mm_aesdec_si128;
        aesdeclast(key) = _mm_aesdeclast_si128;
    }
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 16 bytes, says the caller; so in the next.
        unsafe { _mm_loadu_si128(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn load_part(from: *const u8, len: usize) -> Self {
        // SAFETY: as above, or `len` bytes.
        unsafe {
            match len {
                16.. => Self::load(from),
                0 => _mm_setzero_si128(),
                _ => load_short(from, len),
            }
        }
    }
    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, len: usize) -> Self {
        // SAFETY: as above.
        unsafe {
            match len {
                16.. => self.store(to),
                0 => (),
                _ => store_short(self, to, len),
            }
            cut(self, len.min(16))
        }
    }
    #[inline(always)]
    unsafe fn broadcast(block: __m128i) -> Self {
        block
    }
    #[inline(always)]
    unsafe fn first(block: __m128i) -> Self {
        block
    }
    #[inline(always)]
    unsafe fn lanes([a, ..]: [__m128i; 4]) -> Self {
        a
    }
    #[inline(always)]
    unsafe fn sum_lanes(self) -> __m128i {
        self
    }
    #[inline(always)]
    unsafe fn shuffle(self, order: __m128i) -> Self {
        // SAFETY: the features are there, says the caller; so in the rest.
        unsafe { _mm_shuffle_epi8(self, order) }
    }
    #[inline(always)]
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm_clmulepi64_si128::<HALVES>(self, other) }
    }
    #[inline(always)]
    unsafe fn pin(self) -> Self {
        simd::pin128(self)
    }
}

impl Vector for __m256i {
    const BLOCKS: usize = 2;
    instructions! {
        swap() = _mm256_shuffle_epi32[0b0100_1110];
        xor(other) = _mm256_xor_si256;
        add(other) = _mm256_add_epi32;
        aesenc(key) = _mm256_aesenc_epi128;
        aesenclast(key) = _mm256_aesenclast_epi128;
        aesdec(key) = _mm256_aesdec_epi128;
        aesdeclast(key) = _mm256_aesdeclast_epi128;
    }
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 32 bytes, says the caller; so in the next.
        unsafe { _mm256_loadu_si256(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn load_part(from: *const u8, len: usize) -> Self {
        // SAFETY: as above, or `len` bytes.
        unsafe {
            match len {
                32.. => Self::load(from),
                16.. => _mm256_set_m128i(__m128i::load_part(from.add(16), len - 16), __m128i::load(from)),
                _ => _mm256_zextsi128_si256(__m128i::load_part(from, len)),
            }
        }
    }
    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, len: usize) -> Self {
        // SAFETY: as above.
        unsafe {
            let low = _mm256_castsi256_si128(self);
            match len {
                32.. => {
                    self.store(to);
                    self
                }
                16.. => {
                    low.store(to);
                    let high = _mm256_extracti128_si256::<1>(self);
                    _mm256_set_m128i(high.store_part(to.add(16), len - 16), low)
                }
                _ => _mm256_zextsi128_si256(low.store_part(to, len)),
            }
        }
    }
    #[inline(always)]
    unsafe fn broadcast(block: __m128i) -> Self {
        // SAFETY: the features are there, says the caller; so in the rest.
        unsafe { _mm256_broadcastsi128_si256(block) }
    }
    #[inline(always)]
    unsafe fn first(block: __m128i) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_zextsi128_si256(block) }
    }
    #[inline(always)]
    unsafe fn lanes([a, b, ..]: [__m128i; 4]) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_set_m128i(b, a) }
    }
    #[inline(always)]
    unsafe fn sum_lanes(self) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm_xor_si128(_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self)) }
    }
    #[inline(always)]
    unsafe fn shuffle(self, order: __m128i) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_shuffle_epi8(self, _mm256_broadcastsi128_si256(order)) }
    }
    #[inline(always)]
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm256_clmulepi64_epi128::<HALVES>(self, other) }
    }
    #[inline(always)]
    unsafe fn pin(self) -> Self {
        // SAFETY: as above.
        unsafe { simd::pin256(self) }
    }
}

/// AVX-512 VL, BW and DQ, with BMI2.
impl Vector for __m512i {
    const BLOCKS: usize = 4;
    instructions! {
        swap() = _mm512_shuffle_epi32[0b0100_1110];
        xor(other) = _mm512_xor_si512;
        add(other) = _mm512_add_epi32;
        aesenc(key) = _mm512_aesenc_epi128;
        aesenclast(key) = _mm512_aesenclast_epi128;
        aesdec(key) = _mm512_aesdec_epi128;
        aesdeclast(key) = _mm512_aesdeclast_epi128;
    }
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: 64 bytes, says the caller; so in the next.
        unsafe { _mm512_loadu_si512(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(to.cast(), self) }
    }
    #[inline(always)]
    unsafe fn load_part(from: *const u8, len: usize) -> Self {
        // SAFETY: the mask has as many bytes.
        unsafe { _mm512_maskz_loadu_epi8(_bzhi_u64(u64::MAX, len.min(64) as u32), from.cast()) }
    }
    #[inline(always)]
    unsafe fn store_part(self, to: *mut u8, len: usize) -> Self {
        // SAFETY: as above.
        unsafe {
            let mask = _bzhi_u64(u64::MAX, len.min(64) as u32);
            _mm512_mask_storeu_epi8(to.cast(), mask, self);
            _mm512_maskz_mov_epi8(mask, self)
        }
    }
    #[inline(always)]
    unsafe fn broadcast(block: __m128i) -> Self {
        // SAFETY: the features are there, says the caller; so in the rest.
        unsafe { _mm512_broadcast_i32x4(block) }
    }
    #[inline(always)]
    unsafe fn first(block: __m128i) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_zextsi128_si512(block) }
    }
    #[inline(always)]
    unsafe fn lanes([a, b, c, d]: [__m128i; 4]) -> Self {
        // SAFETY: as above.
        unsafe {
            let (low, high) = (_mm256_set_m128i(b, a), _mm256_set_m128i(d, c));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        }
    }
    #[inline(always)]
    unsafe fn sum_lanes(self) -> __m128i {
        // SAFETY: as above.
        unsafe { _mm256_xor_si256(_mm512_castsi512_si256(self), _mm512_extracti64x4_epi64::<1>(self)).sum_lanes() }
    }
    #[inline(always)]
    unsafe fn shuffle(self, order: __m128i) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_shuffle_epi8(self, _mm512_broadcast_i32x4(order)) }
    }
    #[inline(always)]
    unsafe fn clmul<const HALVES: i32>(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe { _mm512_clmulepi64_epi128::<HALVES>(self, other) }
    }
    #[inline(always)]
    unsafe fn pin(self) -> Self {
        let mut pinned = [self];
        // SAFETY: as above.
        unsafe { simd::pin(&mut pinned) };
        pinned[0]
    }
}

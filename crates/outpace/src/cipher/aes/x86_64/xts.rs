//! XTS (IEEE 1619, section 5.3) in registers of one, two or four blocks, eight of them side by side.
//!
//! The tweaks of a chunk of eight registers are made between the rounds of the one before it. Floor on Zen 4: that of AES,
//! two AESENC (one at 512 bits) in a cycle; 56 cycles for eight registers of one or two blocks of AES-256, 112 for those of
//! four.
//!
//! Everything here is inlined into the functions of the kernels, which name the CPU features.

use super::by_rounds;
use super::vector::{Vector, block, rounds};
use crate::cipher::aes::RoundKeys;
use crate::mem::{InOut, Wipe};
use crate::simd::{load128, permutevar256, store128, ternlog512};
use core::arch::x86_64::*;

/// Registers in a chunk.
const N: usize = 8;

/// Registers of tweaks: numbers with their least significant byte first, to be multiplied modulo x¹²⁸ + x⁷ + x² + x + 1.
///
/// # Safety
/// All functions may be called only on a CPU that has the features of the kernel.
pub(super) trait Tweaks: Vector + Wipe {
    /// Those of the first chunk.
    unsafe fn first_chunk(tweak: __m128i) -> [Self; N];
    /// Makes register `i` one of the next chunk; one after the other.
    unsafe fn later(tweaks: &mut [Self; N], i: usize);
    /// A round of AES, or of its inverse, of a chunk.
    unsafe fn round<const INVERSE: bool>(x: [Self; N], key: &[u8; 16]) -> [Self; N];
}

/// A round in one statement: x ← AESENC(x, key), or AESDEC, for eight registers. Compilers that arrange instructions for
/// sixteen registers, with the tweaks between those of eight blocks side by side, put the blocks one after the other.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! round {
    ($class:ident, $x:ident, $key:ident, $($instruction:literal)*) => {{
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $x;
        // SAFETY: reads the 16 bytes of the key and changes the registers that are named; the features are there, says the
        // caller.
        unsafe {
            core::arch::asm!(
                $($instruction,)*
                a = inout($class) a, b = inout($class) b, c = inout($class) c, d = inout($class) d,
                e = inout($class) e, f = inout($class) f, g = inout($class) g, h = inout($class) h,
                k = out($class) _, key = in(reg) $key,
                options(readonly, nostack, preserves_flags),
            );
        }
        [a, b, c, d, e, f, g, h]
    }};
}

/// Times x. Both halves twice; what leaves the lower goes to the upper, what leaves the upper comes back as 0x87.
#[inline(always)]
unsafe fn double(t: __m128i) -> __m128i {
    // SAFETY: the features are there, says the caller. So in all of this file.
    unsafe {
        let out = _mm_srai_epi32::<31>(_mm_shuffle_epi32::<0x13>(t));
        _mm_xor_si128(_mm_add_epi64(t, t), _mm_and_si128(out, _mm_setr_epi32(0x87, 0, 1, 0)))
    }
}

impl Tweaks for __m128i {
    #[inline(always)]
    unsafe fn first_chunk(tweak: __m128i) -> [Self; N] {
        // SAFETY: as above.
        unsafe { chain(tweak) }
    }
    #[inline(always)]
    unsafe fn later(tweaks: &mut [Self; N], i: usize) {
        // SAFETY: as above.
        tweaks[i] = unsafe { double(tweaks[(i + N - 1) % N]) };
    }
    #[cfg(not(outpace_ct = "msan"))]
    #[inline(always)]
    unsafe fn round<const INVERSE: bool>(x: [Self; N], key: &[u8; 16]) -> [Self; N] {
        if INVERSE {
            round!(xmm_reg, x, key,
                "movdqu {k}, [{key}]"
                "aesdec {a}, {k}"
                "aesdec {b}, {k}"
                "aesdec {c}, {k}"
                "aesdec {d}, {k}"
                "aesdec {e}, {k}"
                "aesdec {f}, {k}"
                "aesdec {g}, {k}"
                "aesdec {h}, {k}"
            )
        } else {
            round!(xmm_reg, x, key,
                "movdqu {k}, [{key}]"
                "aesenc {a}, {k}"
                "aesenc {b}, {k}"
                "aesenc {c}, {k}"
                "aesenc {d}, {k}"
                "aesenc {e}, {k}"
                "aesenc {f}, {k}"
                "aesenc {g}, {k}"
                "aesenc {h}, {k}"
            )
        }
    }
    #[cfg(outpace_ct = "msan")]
    #[inline(always)]
    unsafe fn round<const INVERSE: bool>(x: [Self; N], key: &[u8; 16]) -> [Self; N] {
        // SAFETY: as above.
        unsafe { plain_round::<_, INVERSE>(x, key) }
    }
}

impl Tweaks for __m256i {
    #[inline(always)]
    unsafe fn first_chunk(tweak: __m128i) -> [Self; N] {
        // SAFETY: as above.
        unsafe { chain(_mm256_set_m128i(double(tweak), tweak)) }
    }
    /// The register before times x²: the two bits that leave a half are a number from 0 to 3, of which the products are in
    /// a table.
    #[inline(always)]
    unsafe fn later(tweaks: &mut [Self; N], i: usize) {
        // SAFETY: as above.
        unsafe {
            let t = tweaks[(i + N - 1) % N];
            let out = _mm256_shuffle_epi32::<0x13>(t);
            let out = _mm256_srlv_epi32(out, _mm256_setr_epi32(30, 32, 30, 32, 30, 32, 30, 32));
            let products = _mm256_setr_epi32(0, 0x87, 0x10e, 0x189, 0, 0x87, 0x10e, 0x189);
            let back = permutevar256(products, out);
            let back = _mm256_blend_epi32::<0b1100_1100>(back, out);
            tweaks[i] = _mm256_xor_si256(_mm256_slli_epi64::<2>(t), back);
        }
    }
    #[cfg(not(outpace_ct = "msan"))]
    #[inline]
    #[target_feature(enable = "avx2,vaes")]
    unsafe fn round<const INVERSE: bool>(x: [Self; N], key: &[u8; 16]) -> [Self; N] {
        if INVERSE {
            round!(ymm_reg, x, key,
                "vbroadcasti128 {k}, [{key}]"
                "vaesdec {a}, {a}, {k}"
                "vaesdec {b}, {b}, {k}"
                "vaesdec {c}, {c}, {k}"
                "vaesdec {d}, {d}, {k}"
                "vaesdec {e}, {e}, {k}"
                "vaesdec {f}, {f}, {k}"
                "vaesdec {g}, {g}, {k}"
                "vaesdec {h}, {h}, {k}"
            )
        } else {
            round!(ymm_reg, x, key,
                "vbroadcasti128 {k}, [{key}]"
                "vaesenc {a}, {a}, {k}"
                "vaesenc {b}, {b}, {k}"
                "vaesenc {c}, {c}, {k}"
                "vaesenc {d}, {d}, {k}"
                "vaesenc {e}, {e}, {k}"
                "vaesenc {f}, {f}, {k}"
                "vaesenc {g}, {g}, {k}"
                "vaesenc {h}, {h}, {k}"
            )
        }
    }
    #[cfg(outpace_ct = "msan")]
    #[inline(always)]
    unsafe fn round<const INVERSE: bool>(x: [Self; N], key: &[u8; 16]) -> [Self; N] {
        // SAFETY: as above.
        unsafe { plain_round::<_, INVERSE>(x, key) }
    }
}

/// Each register made of the one before it.
#[inline(always)]
unsafe fn chain<V: Tweaks>(first: V) -> [V; N] {
    let mut tweaks = [first; N];
    for i in 1..N {
        // SAFETY: as above.
        unsafe { V::later(&mut tweaks, i) };
    }
    tweaks
}

/// Each block multiplied less than 64 times; `counts` has each number twice.
#[inline(always)]
unsafe fn times_x(t: __m512i, counts: __m512i) -> __m512i {
    // SAFETY: as above.
    unsafe {
        let out = _mm512_srlv_epi64(t, _mm512_sub_epi64(_mm512_set1_epi64(64), counts));
        let carried = _mm512_maskz_mov_epi64(0xaa, _mm512_shuffle_epi32::<0x4e>(out));
        let back = _mm512_clmulepi64_epi128::<0x01>(out, _mm512_set1_epi64(0x87));
        ternlog512::<0x96>(_mm512_sllv_epi64(t, counts), carried, back)
    }
}

impl Tweaks for __m512i {
    /// All at once, each block times a power of its own.
    #[inline(always)]
    unsafe fn first_chunk(tweak: __m128i) -> [Self; N] {
        // SAFETY: as above.
        unsafe {
            let t = _mm512_broadcast_i32x4(tweak);
            let mut tweaks = [t; N];
            for i in 0..N {
                let n = 4 * i as i64;
                let counts = _mm512_setr_epi64(n, n, n + 1, n + 1, n + 2, n + 2, n + 3, n + 3);
                tweaks[i] = times_x(t, counts);
            }
            tweaks
        }
    }
    /// Times x³²: as many bits go out and come back times x⁷ + x² + x + 1. A carry-less product would wait for AES.
    #[inline(always)]
    unsafe fn later(tweaks: &mut [Self; N], i: usize) {
        // SAFETY: as above.
        unsafe {
            let t = tweaks[i];
            let out = _mm512_bsrli_epi128::<12>(t);
            let sum = ternlog512::<0x96>(_mm512_bslli_epi128::<4>(t), out, _mm512_slli_epi64::<1>(out));
            tweaks[i] = ternlog512::<0x96>(sum, _mm512_slli_epi64::<2>(out), _mm512_slli_epi64::<7>(out));
        }
    }
    #[inline(always)]
    unsafe fn round<const INVERSE: bool>(x: [Self; N], key: &[u8; 16]) -> [Self; N] {
        // SAFETY: as above.
        unsafe { plain_round::<_, INVERSE>(x, key) }
    }
}

#[inline(always)]
unsafe fn plain_round<V: Vector, const INVERSE: bool>(mut x: [V; N], key: &[u8; 16]) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        let key = V::broadcast(block(key));
        for x in &mut x {
            *x = if INVERSE { x.aesdec(key) } else { x.aesenc(key) };
        }
        x
    }
}

/// A round, and with each of the first a register of tweaks for the next chunk.
#[inline(always)]
unsafe fn step<V: Tweaks, const INVERSE: bool>(x: [V; N], key: &[u8; 16], next: &mut [V; N], r: usize) -> [V; N] {
    // SAFETY: as above.
    unsafe {
        if r <= N {
            V::later(next, r - 1);
        }
        V::round::<INVERSE>(x, key)
    }
}

/// Half a chunk through the cipher or its inverse.
#[inline(always)]
unsafe fn part<V: Vector, const R: usize, const INVERSE: bool>(keys: &RoundKeys, mut x: [V; N / 2]) -> [V; N / 2] {
    // SAFETY: as above.
    unsafe {
        if !INVERSE {
            return rounds::<V, R, { N / 2 }>(keys, x, &mut ());
        }
        for r in 0..=R {
            let key = V::broadcast(block(&keys.keys[r]));
            for x in &mut x {
                *x = match r {
                    0 => x.xor(key),
                    _ if r < R => x.aesdec(key),
                    _ => x.aesdeclast(key),
                };
            }
        }
        x
    }
}

/// Nothing is known of what is here, so that it stays in memory: to keep it in registers, where there are sixteen, compilers
/// give up that blocks go side by side.
#[inline(always)]
fn hide<T>(place: &mut T) {
    // SAFETY: no instructions.
    unsafe { core::arch::asm!("/* {0} */", in(reg) core::ptr::from_mut(place), options(nostack, preserves_flags)) };
}

/// See `Ops::xts`.
#[inline(always)]
pub(super) unsafe fn xts<V: Tweaks, const INVERSE: bool>(
    first: Option<&RoundKeys>,
    keys: &RoundKeys,
    tweak: &mut [u8; 16],
    data: InOut<'_>,
    more: bool,
) {
    // SAFETY: as above.
    unsafe { by_rounds!(keys.rounds, sector[V, INVERSE](first, keys, tweak, data, more)) }
}

#[inline(always)]
unsafe fn sector<const R: usize, V: Tweaks, const INVERSE: bool>(
    first: Option<&RoundKeys>,
    keys: &RoundKeys,
    tweak: &mut [u8; 16],
    mut data: InOut<'_>,
    more: bool,
) {
    let (len, input, output) = (data.len(), data.input(), data.output());
    let size = 16 * V::BLOCKS;
    let whole = len - len % (N * size);
    // SAFETY: as above; the pointers stay within `data`.
    unsafe {
        let mut t = load128(tweak);
        if let Some(first) = first {
            [t] = rounds::<__m128i, R, 1>(first, [t], &mut ());
        }
        let mut next = V::first_chunk(t);
        let mut tweaks = next;
        for at in (0..whole).step_by(N * size) {
            tweaks = next;
            let key = V::broadcast(block(&keys.keys[0]));
            let mut x = tweaks;
            for i in 0..N {
                x[i] = x[i].xor(key).xor(V::load(input.add(at + size * i)));
            }
            if V::BLOCKS < 4 {
                hide(&mut tweaks);
                hide(&mut next);
            }
            let next = &mut next;
            // A loop of thirteen rounds would stay one, with its registers in memory where they are sixteen.
            if V::BLOCKS == 4 {
                for r in 1..R {
                    x = step::<V, INVERSE>(x, &keys.keys[r], next, r);
                }
            } else {
                macro_rules! rounds {
                    ($($r:literal)*) => { $( if $r < R { x = step::<V, INVERSE>(x, &keys.keys[$r], next, $r); } )* };
                }
                rounds!(1 2 3 4 5 6 7 8 9 10 11 12 13);
            }
            let key = V::broadcast(block(&keys.keys[R]));
            for i in 0..N {
                let x = if INVERSE { x[i].aesdeclast(key) } else { x[i].aesenclast(key) };
                x.xor(tweaks[i]).store(output.add(at + size * i));
            }
        }
        for half in 0..2 {
            let at = whole + N / 2 * size * half;
            if at >= len {
                break;
            }
            let mut x = [next[0]; N / 2];
            for i in 0..N / 2 {
                let at = at + size * i;
                if at < len {
                    x[i] = V::load_part(input.add(at), len - at).xor(next[N / 2 * half + i]);
                }
            }
            let x = part::<V, R, INVERSE>(keys, x);
            for i in 0..N / 2 {
                let at = at + size * i;
                if at < len {
                    let _ = x[i].xor(next[N / 2 * half + i]).store_part(output.add(at), len - at);
                }
            }
        }
        if more {
            let after = next.as_ptr().cast::<[u8; 16]>().add((len - whole) / 16);
            store128(tweak, load128(&*after));
        }
        next.wipe();
        if V::BLOCKS < 4 {
            tweaks.wipe();
        }
    }
}

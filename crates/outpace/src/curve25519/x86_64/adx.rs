//! MULX, ADCX and ADOX: the scalar part of the kernel of CPUs without IFMA, for what has nothing to put side by side.
//!
//! Elements are four words, any value below 2^256, modulo 2p = 2^256 − 38. A product is sixteen MULX in four rows, each
//! with two carry chains, then a fold of the upper half by 38 and of what is above bit 255 by 19, which leaves a value
//! below 2^255 + 2^12.
//!
//! Floor of a product: 21 MULX on one port and some 90 other instructions; 21 cycles if enough of them overlap. What
//! follows it in a chain waits about 50.

use crate::cpu::{Features, Kernel};
use crate::curve25519::Curve;
use crate::curve25519::edwards::decode_vartime;
use crate::curve25519::field::{Field, Words};
use crate::curve25519::x86_64::avx2::CURVE as AVX2;
use crate::mem::ct::{self, Choice};
use core::arch::asm;

pub(crate) const KERNEL: Kernel<crate::curve25519::Kernel> =
    // SAFETY: `Adx` is used here alone, where these features are.
    unsafe { Kernel::new("adx", Features::AVX2.and(Features::BMI2).and(Features::ADX), &CURVE) };

pub(super) const CURVE: Curve = Curve {
    decode_vartime: |encoded| decode_vartime::<Adx>(encoded),
    // Four side by side.
    ..AVX2
};

/// An element, for functions that run only where BMI2 and ADX are.
#[derive(Clone, Copy)]
pub(super) struct Adx(Words);

/// The words that an assembly block takes. Under the sanitizer, which does not see into it, they lose the mark of a
/// secret; elsewhere this is the reference itself: a copy made of wider words than those just stored would wait.
#[cfg(outpace_ct = "msan")]
macro_rules! taken {
    ($element:expr) => {
        &crate::mem::taint::published($element.0)
    };
}
#[cfg(not(outpace_ct = "msan"))]
macro_rules! taken {
    ($element:expr) => {
        &$element.0
    };
}

/// What an assembly block computed; under the sanitizer, marked as secret whatever went in.
#[inline(always)]
fn computed(words: Words) -> Adx {
    #[cfg(outpace_ct = "msan")]
    let words = crate::mem::taint::hidden(words);
    Adx(words)
}

/// The end of a product. In: eight words r0…r7, rdx = 38, t0 and t1 free. Out: r0…r3 = r0…r3 + 38·(r4…r7) modulo 2p,
/// below 2^255 + 2^12. r4 is changed.
macro_rules! fold {
    () => {
        "
        xor {t0:e}, {t0:e}
        mulx {t1}, {t0}, {r4}
        adcx {r0}, {t0}
        adox {r1}, {t1}
        mulx {t1}, {t0}, {r5}
        adcx {r1}, {t0}
        adox {r2}, {t1}
        mulx {t1}, {t0}, {r6}
        adcx {r2}, {t0}
        adox {r3}, {t1}
        mulx {r4}, {t0}, {r7}
        adcx {r3}, {t0}
        mov {t0:e}, 0
        adox {r4}, {t0}
        adcx {r4}, {t0}
        shld {r4}, {r3}, 1
        btr {r3}, 63
        imul {r4}, {r4}, 19
        add {r0}, {r4}
        adc {r1}, 0
        adc {r2}, 0
        adc {r3}, 0
        "
    };
}

impl Field for Adx {
    #[inline(always)]
    fn from_words(words: &Words) -> Self {
        Self([words[0], words[1], words[2], words[3] & (u64::MAX >> 1)])
    }

    #[inline(always)]
    fn to_words(&self) -> Words {
        // Twice fold the highest bit, then subtract p if that leaves something: x + 19 has bit 255 exactly if x ≥ p.
        let fold = |x: Words, extra: u64| {
            let mut carry = (x[3] >> 63) * 19 + extra;
            let mut out = [x[0], x[1], x[2], x[3] & (u64::MAX >> 1)];
            for word in &mut out {
                let (sum, over) = word.overflowing_add(carry);
                *word = sum;
                carry = u64::from(over);
            }
            out
        };
        let x = fold(fold(self.0, 0), 0);
        let over = fold(x, 19)[3] >> 63;
        let mut out = fold(x, over * 19);
        out[3] &= u64::MAX >> 1;
        out
    }

    #[inline(always)]
    fn add(&self, other: &Self) -> Self {
        let ([mut r0, mut r1, mut r2, mut r3], b) = (*taken!(self), taken!(other));
        // r = a + b, then 38 for a carry out, and once more: after the second carry nothing is left to carry.
        // SAFETY: reads the four words of `b`; no other memory.
        unsafe {
            asm!(
                "add {r0}, [{b}]",
                "adc {r1}, [{b} + 8]",
                "adc {r2}, [{b} + 16]",
                "adc {r3}, [{b} + 24]",
                "sbb {t}, {t}",
                "and {t:e}, 38",
                "add {r0}, {t}",
                "adc {r1}, 0",
                "adc {r2}, 0",
                "adc {r3}, 0",
                "sbb {t}, {t}",
                "and {t:e}, 38",
                "add {r0}, {t}",
                b = in(reg) b, r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                t = out(reg) _,
                options(pure, readonly, nostack),
            );
        }
        computed([r0, r1, r2, r3])
    }

    #[inline(always)]
    fn sub(&self, other: &Self) -> Self {
        let ([mut r0, mut r1, mut r2, mut r3], b) = (*taken!(self), taken!(other));
        // r = a − b, then −38 for a borrow, and once more.
        // SAFETY: reads the four words of `b`; no other memory.
        unsafe {
            asm!(
                "sub {r0}, [{b}]",
                "sbb {r1}, [{b} + 8]",
                "sbb {r2}, [{b} + 16]",
                "sbb {r3}, [{b} + 24]",
                "sbb {t}, {t}",
                "and {t:e}, 38",
                "sub {r0}, {t}",
                "sbb {r1}, 0",
                "sbb {r2}, 0",
                "sbb {r3}, 0",
                "sbb {t}, {t}",
                "and {t:e}, 38",
                "sub {r0}, {t}",
                b = in(reg) b, r0 = inout(reg) r0, r1 = inout(reg) r1, r2 = inout(reg) r2, r3 = inout(reg) r3,
                t = out(reg) _,
                options(pure, readonly, nostack),
            );
        }
        computed([r0, r1, r2, r3])
    }

    #[inline(always)]
    fn mul(&self, other: &Self) -> Self {
        let (a, b) = (taken!(self), taken!(other));
        let (r0, r1, r2, r3);
        // r0…r7 = a·b, one row per word of b, then the fold. `b` becomes r7 in the last row.
        // SAFETY: reads the four words of `a` and of `b`; no other memory; BMI2 and ADX are there wherever `Adx` is.
        unsafe {
            asm!(
                "mov rdx, [{r7}]",
                "mulx {r1}, {r0}, [{a}]",
                "mulx {r2}, {t0}, [{a} + 8]",
                "add {r1}, {t0}",
                "mulx {r3}, {t0}, [{a} + 16]",
                "adc {r2}, {t0}",
                "mulx {r4}, {t0}, [{a} + 24]",
                "adc {r3}, {t0}",
                "adc {r4}, 0",

                "xor {r5:e}, {r5:e}",
                "mov rdx, [{r7} + 8]",
                "mulx {t1}, {t0}, [{a}]",
                "adcx {r1}, {t0}",
                "adox {r2}, {t1}",
                "mulx {t1}, {t0}, [{a} + 8]",
                "adcx {r2}, {t0}",
                "adox {r3}, {t1}",
                "mulx {t1}, {t0}, [{a} + 16]",
                "adcx {r3}, {t0}",
                "adox {r4}, {t1}",
                "mulx {t1}, {t0}, [{a} + 24]",
                "adcx {r4}, {t0}",
                "adox {t1}, {r5}",
                "adcx {r5}, {t1}",

                "xor {r6:e}, {r6:e}",
                "mov rdx, [{r7} + 16]",
                "mulx {t1}, {t0}, [{a}]",
                "adcx {r2}, {t0}",
                "adox {r3}, {t1}",
                "mulx {t1}, {t0}, [{a} + 8]",
                "adcx {r3}, {t0}",
                "adox {r4}, {t1}",
                "mulx {t1}, {t0}, [{a} + 16]",
                "adcx {r4}, {t0}",
                "adox {r5}, {t1}",
                "mulx {t1}, {t0}, [{a} + 24]",
                "adcx {r5}, {t0}",
                "adox {t1}, {r6}",
                "adcx {r6}, {t1}",

                "mov rdx, [{r7} + 24]",
                "xor {r7:e}, {r7:e}",
                "mulx {t1}, {t0}, [{a}]",
                "adcx {r3}, {t0}",
                "adox {r4}, {t1}",
                "mulx {t1}, {t0}, [{a} + 8]",
                "adcx {r4}, {t0}",
                "adox {r5}, {t1}",
                "mulx {t1}, {t0}, [{a} + 16]",
                "adcx {r5}, {t0}",
                "adox {r6}, {t1}",
                "mulx {t1}, {t0}, [{a} + 24]",
                "adcx {r6}, {t0}",
                "adox {t1}, {r7}",
                "adcx {r7}, {t1}",

                "mov edx, 38",
                fold!(),
                a = in(reg) a, r7 = inout(reg) b => _,
                r0 = out(reg) r0, r1 = out(reg) r1, r2 = out(reg) r2, r3 = out(reg) r3,
                r4 = out(reg) _, r5 = out(reg) _, r6 = out(reg) _, t0 = out(reg) _, t1 = out(reg) _, out("rdx") _,
                options(pure, readonly, nostack),
            );
        }
        computed([r0, r1, r2, r3])
    }

    #[inline(always)]
    fn square_n(&self, n: u32) -> Self {
        let [mut r0, mut r1, mut r2, mut r3] = *taken!(self);
        for _ in 0..n {
            // The six products of different words, doubled, and the four squares between them; then the fold.
            // SAFETY: registers alone; BMI2 and ADX are there wherever `Adx` is.
            unsafe {
                asm!(
                    // a0·a1, a0·a2, a0·a3 in r4…r7 and up; a0 stays in r0.
                    "mov rdx, {r0}",
                    "mulx {r5}, {r4}, {r1}",
                    "mulx {r6}, {t0}, {r2}",
                    "add {r5}, {t0}",
                    "mulx {r7}, {t0}, {r3}",
                    "adc {r6}, {t0}",
                    "mov rdx, {r3}",
                    "mulx {h1}, {h0}, {r1}", // a3·a1
                    "adc {r7}, {h0}",
                    "adc {h1}, 0",
                    // Now 2^64·(r4, r5, r6, r7, h1); a1·a2 goes to words 3 and 4 (r6, r7), a2·a3 to 5 and 6 (h1, h0).
                    "xor {t1:e}, {t1:e}",
                    "mulx {h0}, {t0}, {r2}", // a3·a2
                    "adcx {h1}, {t0}",
                    "adcx {h0}, {t1}",
                    "mov rdx, {r1}",
                    "mulx {t1}, {t0}, {r2}", // a1·a2
                    "add {r6}, {t0}",
                    "adc {r7}, {t1}",
                    "adc {h1}, 0",
                    "adc {h0}, 0",
                    // Doubled, with the squares added: words 1…7 are r4, r5, r6, r7, h1, h0, and a carry.
                    "xor {t1:e}, {t1:e}",
                    "mulx {r1}, {t0}, rdx", // a1², for words 2 and 3
                    "mov rdx, {r0}",
                    "mulx {x}, {r0}, rdx", // a0², for words 0 and 1
                    "adcx {r4}, {r4}",
                    "adox {r4}, {x}",
                    "adcx {r5}, {r5}",
                    "adox {r5}, {t0}",
                    "adcx {r6}, {r6}",
                    "adox {r6}, {r1}",
                    "mov rdx, {r2}",
                    "mulx {t0}, {x}, rdx", // a2², for words 4 and 5
                    "adcx {r7}, {r7}",
                    "adox {r7}, {x}",
                    "adcx {h1}, {h1}",
                    "adox {h1}, {t0}",
                    "mov rdx, {r3}",
                    "mulx {t0}, {x}, rdx", // a3², for words 6 and 7
                    "adcx {h0}, {h0}",
                    "adox {h0}, {x}",
                    "adcx {t0}, {t1}",
                    "adox {t0}, {t1}",
                    // Words 0…7: r0, r4, r5, r6, r7, h1, h0, t0. Fold by 38.
                    "mov edx, 38",
                    "xor {t1:e}, {t1:e}",
                    "mulx {x}, {t1}, {r7}",
                    "adcx {r0}, {t1}",
                    "adox {r4}, {x}",
                    "mulx {x}, {t1}, {h1}",
                    "adcx {r4}, {t1}",
                    "adox {r5}, {x}",
                    "mulx {x}, {t1}, {h0}",
                    "adcx {r5}, {t1}",
                    "adox {r6}, {x}",
                    "mulx {x}, {t1}, {t0}",
                    "adcx {r6}, {t1}",
                    "mov {t1:e}, 0",
                    "adox {x}, {t1}",
                    "adcx {x}, {t1}",
                    "shld {x}, {r6}, 1",
                    "btr {r6}, 63",
                    "imul {x}, {x}, 19",
                    "add {r0}, {x}",
                    "adc {r4}, 0",
                    "adc {r5}, 0",
                    "adc {r6}, 0",
                    r0 = inout(reg) r0,
                    r1 = inout(reg) r1 => _, r2 = inout(reg) r2 => _, r3 = inout(reg) r3 => _,
                    r4 = out(reg) r1, r5 = out(reg) r2, r6 = out(reg) r3,
                    r7 = out(reg) _, h0 = out(reg) _, h1 = out(reg) _, t0 = out(reg) _, t1 = out(reg) _,
                    x = out(reg) _, out("rdx") _,
                    options(pure, nomem, nostack),
                );
            }
        }
        computed([r0, r1, r2, r3])
    }

    #[inline(always)]
    fn swap(a: &mut Self, b: &mut Self, choice: Choice) {
        for (x, y) in a.0.iter_mut().zip(&mut b.0) {
            let difference = ct::barrier((*x ^ *y) & choice.mask());
            *x ^= difference;
            *y ^= difference;
        }
    }
}

//! Products in lanes, as rows of assembly.

use super::lanes::{Factor, Four, carried};
use core::arch::asm;
use core::arch::x86_64::*;

/// One multiplication of a row: column += limb · word of the window.
macro_rules! term {
    ($column:literal, $limb:literal, $at:literal) => {
        concat!("vpmuludq {t}, {", $limb, "}, [{b} + ", $at, "]\n vpaddq {", $column, "}, {", $column, "}, {t}\n")
    };
}

/// The row of the odd limb at `a`, with the window of limb 0, 2, … at `b`.
macro_rules! odd_row {
    () => {
        concat!(
            "vmovdqa {x}, [{a}]\n vpaddq {x2}, {x}, {x}\n sub {b}, 64\n",
            term!("c0", "x2", "32"),
            term!("c1", "x", "64"),
            term!("c2", "x2", "96"),
            term!("c3", "x", "128"),
            term!("c4", "x2", "160"),
            term!("c5", "x", "192"),
            term!("c6", "x2", "224"),
            term!("c7", "x", "256"),
            term!("c8", "x2", "288"),
            term!("c9", "x", "320")
        )
    };
}

/// The row of the even limb after `a`, and with it two limbs further.
macro_rules! even_row {
    () => {
        concat!(
            "vmovdqa {x}, [{a} + 32]\n add {a}, 64\n",
            term!("c0", "x", "0"),
            term!("c1", "x", "32"),
            term!("c2", "x", "64"),
            term!("c3", "x", "96"),
            term!("c4", "x", "128"),
            term!("c5", "x", "160"),
            term!("c6", "x", "192"),
            term!("c7", "x", "224"),
            term!("c8", "x", "256"),
            term!("c9", "x", "288")
        )
    };
}

/// out = a·b.
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn mul(out: &mut Four, a: &Four, b: &Factor) {
    *out = product(a, b);
}

/// a·b, carried.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn product(a: &Four, b: &Factor) -> Four {
    let (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9);
    // The sanitizer does not see into assembly: what goes in is made public there, what comes out secret.
    #[cfg(outpace_ct = "msan")]
    let (a, b) = (&crate::mem::taint::published(*a), &crate::mem::taint::published(*b));
    // c0…c9 = Σ aᵢ·(window of aᵢ): words 10 − i … 19 − i of the factor.
    // SAFETY: reads `a` and `b` from end to end; no other memory; AVX2 is there wherever this function is.
    unsafe {
        asm!(
            "vmovdqa {x}, [{a}]",
            "vpmuludq {c0}, {x}, [{b}]",
            "vpmuludq {c1}, {x}, [{b} + 32]",
            "vpmuludq {c2}, {x}, [{b} + 64]",
            "vpmuludq {c3}, {x}, [{b} + 96]",
            "vpmuludq {c4}, {x}, [{b} + 128]",
            "vpmuludq {c5}, {x}, [{b} + 160]",
            "vpmuludq {c6}, {x}, [{b} + 192]",
            "vpmuludq {c7}, {x}, [{b} + 224]",
            "vpmuludq {c8}, {x}, [{b} + 256]",
            "vpmuludq {c9}, {x}, [{b} + 288]",
            "add {a}, 32",
            odd_row!(),
            ".rept 4",
            even_row!(),
            odd_row!(),
            ".endr",
            a = inout(reg) a => _, b = inout(reg) core::ptr::from_ref(b).byte_add(size_of::<Four>()) => _,
            c0 = out(ymm_reg) c0, c1 = out(ymm_reg) c1, c2 = out(ymm_reg) c2, c3 = out(ymm_reg) c3,
            c4 = out(ymm_reg) c4, c5 = out(ymm_reg) c5, c6 = out(ymm_reg) c6, c7 = out(ymm_reg) c7,
            c8 = out(ymm_reg) c8, c9 = out(ymm_reg) c9,
            x = out(ymm_reg) _, x2 = out(ymm_reg) _, t = out(ymm_reg) _,
            options(pure, readonly, nostack),
        );
    }
    let columns = [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9];
    #[cfg(outpace_ct = "msan")]
    let columns = crate::mem::taint::hidden(columns);
    carried(&columns)
}

/// Multiplications by a multiple of one limb: column, multiple, and the array and place of the other factor.
macro_rules! multiples {
    ($($column:ident $multiple:ident $array:ident $at:literal),*) => {
        concat!($(
            "vpmuludq {t}, {", stringify!($multiple), "}, [{", stringify!($array), "} + ", $at, "]\n",
            "vpaddq {", stringify!($column), "}, {", stringify!($column), "}, {t}\n",
        )*)
    };
}

/// The square's terms with limb `at / 32`, which is even, and a limb not below it: its square, and twice the others.
macro_rules! even_terms {
    ($at:literal; $($terms:tt)*) => {
        concat!("vmovdqa {x}, [{a} + ", $at, "]\n vpaddq {x2}, {x}, {x}\n", multiples!($($terms)*))
    };
}

/// The same of an odd limb: every product counts twice, and again twice with another odd limb.
macro_rules! odd_terms {
    ($at:literal; $($terms:tt)*) => {
        concat!(
            "vmovdqa {x2}, [{a} + ", $at, "]\n vpaddq {x2}, {x2}, {x2}\n vpaddq {x4}, {x2}, {x2}\n",
            multiples!($($terms)*)
        )
    };
}

/// out = a².
#[inline(never)]
#[target_feature(enable = "avx2")]
pub(super) fn square(out: &mut Four, a: &Four) {
    *out = squared(a);
}

/// a², carried; limbs below 3.3 units.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn squared(a: &Four) -> Four {
    // 19 times the upper limbs: what folds back is a product with one of them.
    let n: [__m256i; 5] = core::array::from_fn(|i| _mm256_mul_epu32(a[i + 5], _mm256_set1_epi64x(19)));
    let (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9);
    #[cfg(outpace_ct = "msan")]
    let (a, n) = (&crate::mem::taint::published(*a), crate::mem::taint::published(n));
    // c0…c9 = Σ aᵢ·aⱼ at column i + j, for i ≤ j.
    // SAFETY: reads `a` and `n` from end to end; no other memory; AVX2 is there wherever this function is.
    unsafe {
        asm!(
            "vmovdqa {x}, [{a}]",
            "vpaddq {x2}, {x}, {x}",
            "vpmuludq {c0}, {x}, {x}",
            "vpmuludq {c1}, {x2}, [{a} + 32]",
            "vpmuludq {c2}, {x2}, [{a} + 64]",
            "vpmuludq {c3}, {x2}, [{a} + 96]",
            "vpmuludq {c4}, {x2}, [{a} + 128]",
            "vpmuludq {c5}, {x2}, [{a} + 160]",
            "vpmuludq {c6}, {x2}, [{a} + 192]",
            "vpmuludq {c7}, {x2}, [{a} + 224]",
            "vpmuludq {c8}, {x2}, [{a} + 256]",
            "vpmuludq {c9}, {x2}, [{a} + 288]",
            odd_terms!(32; c2 x2 a 32, c3 x2 a 64, c4 x4 a 96, c5 x2 a 128, c6 x4 a 160, c7 x2 a 192, c8 x4 a 224,
                c9 x2 a 256, c0 x4 n 128),
            even_terms!(64; c4 x a 64, c5 x2 a 96, c6 x2 a 128, c7 x2 a 160, c8 x2 a 192, c9 x2 a 224, c0 x2 n 96,
                c1 x2 n 128),
            odd_terms!(96; c6 x2 a 96, c7 x2 a 128, c8 x4 a 160, c9 x2 a 192, c0 x4 n 64, c1 x2 n 96, c2 x4 n 128),
            even_terms!(128; c8 x a 128, c9 x2 a 160, c0 x2 n 32, c1 x2 n 64, c2 x2 n 96, c3 x2 n 128),
            odd_terms!(160; c0 x2 n 0, c1 x2 n 32, c2 x4 n 64, c3 x2 n 96, c4 x4 n 128),
            even_terms!(192; c2 x n 32, c3 x2 n 64, c4 x2 n 96, c5 x2 n 128),
            odd_terms!(224; c4 x2 n 64, c5 x2 n 96, c6 x4 n 128),
            even_terms!(256; c6 x n 96, c7 x2 n 128),
            odd_terms!(288; c8 x2 n 128),
            a = in(reg) a, n = in(reg) &n,
            c0 = out(ymm_reg) c0, c1 = out(ymm_reg) c1, c2 = out(ymm_reg) c2, c3 = out(ymm_reg) c3,
            c4 = out(ymm_reg) c4, c5 = out(ymm_reg) c5, c6 = out(ymm_reg) c6, c7 = out(ymm_reg) c7,
            c8 = out(ymm_reg) c8, c9 = out(ymm_reg) c9,
            x = out(ymm_reg) _, x2 = out(ymm_reg) _, x4 = out(ymm_reg) _, t = out(ymm_reg) _,
            options(pure, readonly, nostack),
        );
    }
    let columns = [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9];
    #[cfg(outpace_ct = "msan")]
    let columns = crate::mem::taint::hidden(columns);
    carried(&columns)
}

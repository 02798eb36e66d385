//! The assembly of SHA-512 on two groups of eight messages: rounds and schedule, the instructions in an order found by trial
//! and timed from many states of the pipes. (Timed in a loop, the same order is 7 % faster or slower from one run to the
//! next, because instructions are bound to pipes when they are dispatched.) K, W and where the next blocks are to go: `{k}`,
//! `{w}`, `{next}`.

/// Adds word t to h.
macro_rules! word {
    ($group:literal, $h:literal, $t:literal, $at:literal) => {
        concat!("vpaddq ", $group, $h, ", ", $group, $h, ", [{w} + 128 * ", $t, $at, "]\n")
    };
}

/// For words that are in K already.
macro_rules! no_word {
    ($group:literal, $h:literal, $t:literal, $at:literal) => {
        ""
    };
}

/// Round t of both groups: a to h of the one are in zmm0 to zmm7, of the other in zmm10 to zmm17.
#[rustfmt::skip]
macro_rules! round {
    ($w:ident $a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $t:literal $t1:literal $t9:literal $t14:literal) => { concat!(
        "vprorq zmm8, zmm", $e, ", 41\n",
        "vprorq zmm9, zmm1", $e, ", 14\n",
        "vprorq zmm18, zmm1", $e, ", 18\n",
        "vprorq zmm19, zmm1", $e, ", 41\n",
        $w!("zmm", $h, $t, ""),
        "vprorq zmm20, zmm", $e, ", 14\n",
        "vprorq zmm21, zmm", $e, ", 18\n",
        $w!("zmm1", $h, $t, " + 64"),
        "vpaddq zmm", $h, ", zmm", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
        "vmovdqa64 zmm22, zmm1", $e, "\n",
        "vpternlogq zmm22, zmm1", $f, ", zmm1", $g, ", 0xca\n",
        "vprorq zmm23, zmm1", $a, ", 39\n",
        "vmovdqa64 zmm24, zmm", $e, "\n",
        "vpternlogq zmm24, zmm", $f, ", zmm", $g, ", 0xca\n",
        "vpternlogq zmm20, zmm21, zmm8, 0x96\n",
        "vpternlogq zmm19, zmm9, zmm18, 0x96\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm22\n",
        "vmovdqa64 zmm25, zmm1", $a, "\n",
        "vpternlogq zmm25, zmm1", $b, ", zmm1", $c, ", 0xe8\n",
        "vprorq zmm26, zmm", $a, ", 34\n",
        "vprorq zmm27, zmm1", $a, ", 28\n",
        "vprorq zmm28, zmm", $a, ", 28\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm19\n",
        "vprorq zmm29, zmm1", $a, ", 34\n",
        "vprorq zmm30, zmm", $a, ", 39\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm24\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm20\n",
        "vmovdqa64 zmm31, zmm", $a, "\n",
        "vpternlogq zmm31, zmm", $b, ", zmm", $c, ", 0xe8\n",
        "vpternlogq zmm23, zmm27, zmm29, 0x96\n",
        "vpternlogq zmm30, zmm28, zmm26, 0x96\n",
        "vpaddq zmm1", $d, ", zmm1", $d, ", zmm1", $h, "\n",
        "vpaddq zmm", $d, ", zmm", $d, ", zmm", $h, "\n",
        "vpaddq zmm31, zmm31, zmm30\n",
        "vpaddq zmm25, zmm25, zmm23\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm25\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm31\n",
        ) };
}

/// The same, W(t + 16) in the place of W(t), and word t of the next blocks of four messages.
#[rustfmt::skip]
macro_rules! round_and_words {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $t:literal $t1:literal $t9:literal $t14:literal) => { concat!(
        "vprorq zmm8, zmm", $e, ", 41\n",
        "mov {x}, [{p0} + {off} + 8 * ", $t, "]\n",
        "bswap {x}\n",
        "mov [{next} + 128 * ", $t, "], {x}\n",
        "vmovdqa64 zmm9, [{w} + 128 * ", $t1, "]\n",
        "mov {x}, [{p1} + {off} + 8 * ", $t, "]\n",
        "vmovdqa64 zmm18, [{w} + 128 * ", $t1, " + 64]\n",
        "vprorq zmm19, zmm", $e, ", 18\n",
        "vprorq zmm20, zmm1", $e, ", 14\n",
        "vprorq zmm21, zmm", $e, ", 14\n",
        "vprorq zmm22, zmm1", $e, ", 41\n",
        "vprorq zmm23, zmm18, 1\n",
        "vprorq zmm24, zmm9, 1\n",
        "vprorq zmm25, zmm1", $e, ", 18\n",
        "vpaddq zmm", $h, ", zmm", $h, ", [{w} + 128 * ", $t, "]\n",
        "bswap {x}\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", [{w} + 128 * ", $t, " + 64]\n",
        "vprorq zmm26, zmm18, 8\n",
        "vprorq zmm27, zmm9, 8\n",
        "vpsrlq zmm9, zmm9, 7\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
        "vpsrlq zmm18, zmm18, 7\n",
        "mov [{next} + 128 * ", $t, " + 8], {x}\n",
        "vpaddq zmm", $h, ", zmm", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
        "vmovdqa64 zmm28, zmm", $e, "\n",
        "vpternlogq zmm28, zmm", $f, ", zmm", $g, ", 0xca\n",
        "vmovdqa64 zmm29, zmm1", $e, "\n",
        "vpternlogq zmm29, zmm1", $f, ", zmm1", $g, ", 0xca\n",
        "vpternlogq zmm8, zmm21, zmm19, 0x96\n",
        "vpternlogq zmm26, zmm18, zmm23, 0x96\n",
        "vpternlogq zmm24, zmm27, zmm9, 0x96\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm29\n",
        "mov {x}, [{p2} + {off} + 8 * ", $t, "]\n",
        "bswap {x}\n",
        "vpternlogq zmm20, zmm25, zmm22, 0x96\n",
        "vpaddq zmm24, zmm24, [{w} + 128 * ", $t, "]\n",
        "vpaddq zmm26, zmm26, [{w} + 128 * ", $t, " + 64]\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm28\n",
        "vprorq zmm30, zmm", $a, ", 34\n",
        "vprorq zmm31, zmm", $a, ", 39\n",
        "vpaddq zmm26, zmm26, [{w} + 128 * ", $t9, " + 64]\n",
        "vpaddq zmm24, zmm24, [{w} + 128 * ", $t9, "]\n",
        "vprorq zmm19, zmm1", $a, ", 34\n",
        "vprorq zmm21, zmm1", $a, ", 28\n",
        "vprorq zmm18, zmm1", $a, ", 39\n",
        "vprorq zmm23, zmm", $a, ", 28\n",
        "vmovdqa64 zmm9, [{w} + 128 * ", $t14, "]\n",
        "vprorq zmm27, zmm9, 19\n",
        "vmovdqa64 zmm29, [{w} + 128 * ", $t14, " + 64]\n",
        "vprorq zmm25, zmm29, 19\n",
        "vprorq zmm22, zmm9, 61\n",
        "mov [{next} + 128 * ", $t, " + 16], {x}\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm8\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm20\n",
        "vprorq zmm28, zmm29, 61\n",
        "vmovdqa64 zmm8, zmm", $a, "\n",
        "vpternlogq zmm8, zmm", $b, ", zmm", $c, ", 0xe8\n",
        "vpsrlq zmm29, zmm29, 6\n",
        "vpsrlq zmm9, zmm9, 6\n",
        "vmovdqa64 zmm20, zmm1", $a, "\n",
        "vpternlogq zmm20, zmm1", $b, ", zmm1", $c, ", 0xe8\n",
        "vpternlogq zmm18, zmm21, zmm19, 0x96\n",
        "vpternlogq zmm30, zmm31, zmm23, 0x96\n",
        "vpternlogq zmm9, zmm27, zmm22, 0x96\n",
        "vpaddq zmm1", $d, ", zmm1", $d, ", zmm1", $h, "\n",
        "vpaddq zmm8, zmm8, zmm30\n",
        "vpternlogq zmm25, zmm28, zmm29, 0x96\n",
        "vpaddq zmm", $d, ", zmm", $d, ", zmm", $h, "\n",
        "mov {x}, [{p3} + {off} + 8 * ", $t, "]\n",
        "vpaddq zmm20, zmm20, zmm18\n",
        "vpaddq zmm24, zmm24, zmm9\n",
        "vpaddq zmm26, zmm26, zmm25\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm8\n",
        "bswap {x}\n",
        "mov [{next} + 128 * ", $t, " + 24], {x}\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm20\n",
        "vmovdqa64 [{w} + 128 * ", $t, "], zmm24\n",
        "vmovdqa64 [{w} + 128 * ", $t, " + 64], zmm26\n",
        ) };
}

/// Round t with words that are in K, and W(t + 16), without and with K, in the places of W(t).
#[rustfmt::skip]
macro_rules! round_and_word {
    ($a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $t:literal $t1:literal $t9:literal $t14:literal) => { concat!(
        "vprorq zmm8, zmm", $e, ", 18\n",
        "vprorq zmm9, zmm", $e, ", 41\n",
        "rorx {x}, [{w} + 8 * ", $t1, "], 1\n",
        "vprorq zmm18, zmm", $e, ", 14\n",
        "rorx {y}, [{w} + 8 * ", $t1, "], 8\n",
        "vprorq zmm19, zmm1", $e, ", 18\n",
        "vprorq zmm20, zmm1", $e, ", 14\n",
        "vprorq zmm21, zmm1", $e, ", 41\n",
        "vpaddq zmm", $h, ", zmm", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
        "shrx {z}, [{w} + 8 * ", $t1, "], {seven}\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", qword ptr [{k} + 8 * ", $t, "]{{1to8}}\n",
        "vmovdqa64 zmm22, zmm", $e, "\n",
        "vpternlogq zmm22, zmm", $f, ", zmm", $g, ", 0xca\n",
        "vmovdqa64 zmm23, zmm1", $e, "\n",
        "vpternlogq zmm23, zmm1", $f, ", zmm1", $g, ", 0xca\n",
        "vprorq zmm24, zmm", $a, ", 28\n",
        "vprorq zmm25, zmm1", $a, ", 28\n",
        "xor {x}, {y}\n",
        "xor {x}, {z}\n",
        "vpternlogq zmm18, zmm8, zmm9, 0x96\n",
        "rorx {v}, [{w} + 8 * ", $t14, "], 19\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm22\n",
        "vpternlogq zmm21, zmm20, zmm19, 0x96\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm23\n",
        "vprorq zmm26, zmm1", $a, ", 34\n",
        "rorx {y}, [{w} + 8 * ", $t14, "], 61\n",
        "vprorq zmm27, zmm", $a, ", 39\n",
        "vprorq zmm28, zmm1", $a, ", 39\n",
        "shrx {z}, [{w} + 8 * ", $t14, "], {six}\n",
        "vprorq zmm29, zmm", $a, ", 34\n",
        "xor {v}, {y}\n",
        "xor {v}, {z}\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm18\n",
        "add {x}, [{w} + 8 * ", $t, "]\n",
        "add {x}, [{w} + 8 * ", $t9, "]\n",
        "add {x}, {v}\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm21\n",
        "vmovdqa64 zmm30, zmm1", $a, "\n",
        "vpternlogq zmm30, zmm1", $b, ", zmm1", $c, ", 0xe8\n",
        "mov [{w} + 8 * ", $t, "], {x}\n",
        "vmovdqa64 zmm31, zmm", $a, "\n",
        "vpternlogq zmm31, zmm", $b, ", zmm", $c, ", 0xe8\n",
        "vpternlogq zmm29, zmm27, zmm24, 0x96\n",
        "vpternlogq zmm28, zmm25, zmm26, 0x96\n",
        "add {x}, [{constants} + 8 * ", $t, " + 128]\n",
        "mov [{k} + 8 * ", $t, "], {x}\n",
        "vpaddq zmm30, zmm30, zmm28\n",
        "vpaddq zmm", $d, ", zmm", $d, ", zmm", $h, "\n",
        "vpaddq zmm1", $d, ", zmm1", $d, ", zmm1", $h, "\n",
        "vpaddq zmm31, zmm31, zmm29\n",
        "vpaddq zmm1", $h, ", zmm1", $h, ", zmm30\n",
        "vpaddq zmm", $h, ", zmm", $h, ", zmm31\n",
        ) };
}

#[rustfmt::skip]
macro_rules! sixteen {
    ($round:ident $($w:ident)?) => { concat!(
        $round!($($w)? 0 1 2 3 4 5 6 7, 0 1 9 14),
        $round!($($w)? 7 0 1 2 3 4 5 6, 1 2 10 15),
        $round!($($w)? 6 7 0 1 2 3 4 5, 2 3 11 0),
        $round!($($w)? 5 6 7 0 1 2 3 4, 3 4 12 1),
        $round!($($w)? 4 5 6 7 0 1 2 3, 4 5 13 2),
        $round!($($w)? 3 4 5 6 7 0 1 2, 5 6 14 3),
        $round!($($w)? 2 3 4 5 6 7 0 1, 6 7 15 4),
        $round!($($w)? 1 2 3 4 5 6 7 0, 7 8 0 5),
        $round!($($w)? 0 1 2 3 4 5 6 7, 8 9 1 6),
        $round!($($w)? 7 0 1 2 3 4 5 6, 9 10 2 7),
        $round!($($w)? 6 7 0 1 2 3 4 5, 10 11 3 8),
        $round!($($w)? 5 6 7 0 1 2 3 4, 11 12 4 9),
        $round!($($w)? 4 5 6 7 0 1 2 3, 12 13 5 10),
        $round!($($w)? 3 4 5 6 7 0 1 2, 13 14 6 11),
        $round!($($w)? 2 3 4 5 6 7 0 1, 14 15 7 12),
        $round!($($w)? 1 2 3 4 5 6 7 0, 15 0 8 13),
    ) };
}

/// An instruction for each variable of both groups and its place in memory.
macro_rules! variables {
    ($each:ident) => {
        variables!($each, 0 0, 1 1, 2 2, 3 3, 4 4, 5 5, 6 6, 7 7, 10 8, 11 9, 12 10, 13 11, 14 12, 15 13, 16 14, 17 15)
    };
    ($each:ident, $($register:literal $i:literal),*) => {
        concat!($( $each!($register, $i) ),*)
    };
}
macro_rules! load {
    ($register:literal, $i:literal) => {
        concat!("vmovdqu64 zmm", $register, ", [{s} + 64 * ", $i, "]\n")
    };
}
macro_rules! add {
    ($register:literal, $i:literal) => {
        concat!("vpaddq zmm", $register, ", zmm", $register, ", [{s} + 64 * ", $i, "]\n")
    };
}
macro_rules! store {
    ($register:literal, $i:literal) => {
        concat!("vmovdqu64 [{s} + 64 * ", $i, "], zmm", $register, "\n")
    };
}
pub(super) use {add, load, no_word, round, round_and_word, round_and_words, sixteen, store, variables, word};

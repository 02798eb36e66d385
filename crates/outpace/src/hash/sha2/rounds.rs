//! The text of one round for scalar registers: what the kernels of SHA-256 and SHA-512 have in common on x86-64.
//!
//! Floor: 22 operations on four ALUs, 5.5 cycles a round, and a dependency of five from e to e. Measured on Zen 4: 6.0,
//! with rotations into another register (RORX) as with a copy that is rotated in place, since the core has no work with
//! copies. To shorten the chain takes one operation more, to nest the rotations (which saves copies) lengthens it: both
//! were slower.

/// ```text
/// y = Ch(e, f, g) = ((f ^ g) & e) ^ g        t = Σ1(e)                 h += wk + y + t       d += h
/// m = Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b    t = Σ0(a)              h += m + t
/// ```
/// Takes the macro that rotates, the rotations of Σ1 and of Σ0, the operand that holds W + K, and as operands of asm! the
/// eight variables, b ^ c (m), which is used up, the next round's (x), and three temporaries. In the eight slots: vector
/// instructions with operands of their own.
macro_rules! round {
    (
        $rotate:ident [$r0:literal $r1:literal $r2:literal] [$s0:literal $s1:literal $s2:literal] $wk:literal
        [$a:literal $b:literal $c:literal $d:literal $e:literal $f:literal $g:literal $h:literal $m:literal $x:literal]
        [$y:literal $t:literal $u:literal]
        [$v0:literal $v1:literal $v2:literal $v3:literal $v4:literal $v5:literal $v6:literal $v7:literal]
    ) => {
        concat!(
            "add ",
            $h,
            ", ",
            $wk,
            "\n",
            $rotate!($u, $e, $r1),
            "mov ",
            $y,
            ", ",
            $f,
            "\n",
            $v0,
            "\n",
            "xor ",
            $y,
            ", ",
            $g,
            "\n",
            "and ",
            $y,
            ", ",
            $e,
            "\n",
            $rotate!($t, $e, $r0),
            $v1,
            "\n",
            "xor ",
            $t,
            ", ",
            $u,
            "\n",
            $rotate!($u, $e, $r2),
            "mov ",
            $x,
            ", ",
            $a,
            "\n",
            $v2,
            "\n",
            "xor ",
            $x,
            ", ",
            $b,
            "\n",
            "xor ",
            $y,
            ", ",
            $g,
            "\n",
            "xor ",
            $t,
            ", ",
            $u,
            "\n",
            $v3,
            "\n",
            $rotate!($u, $a, $s1),
            "and ",
            $m,
            ", ",
            $x,
            "\n",
            "add ",
            $h,
            ", ",
            $y,
            "\n",
            $v4,
            "\n",
            "xor ",
            $m,
            ", ",
            $b,
            "\n",
            "add ",
            $h,
            ", ",
            $t,
            "\n",
            "add ",
            $d,
            ", ",
            $h,
            "\n",
            $v5,
            "\n",
            "add ",
            $h,
            ", ",
            $m,
            "\n",
            $rotate!($t, $a, $s0),
            "xor ",
            $t,
            ", ",
            $u,
            "\n",
            $v6,
            "\n",
            $rotate!($u, $a, $s2),
            "xor ",
            $t,
            ", ",
            $u,
            "\n",
            "add ",
            $h,
            ", ",
            $t,
            "\n",
            $v7,
        )
    };
}

/// Rotates into another register with BMI2.
macro_rules! rorx {
    ($to:literal, $from:literal, $by:literal) => {
        concat!("rorx ", $to, ", ", $from, ", ", $by, "\n")
    };
}

/// The same with what every x86-64 has.
macro_rules! mov_ror {
    ($to:literal, $from:literal, $by:literal) => {
        concat!("mov ", $to, ", ", $from, "\nror ", $to, ", ", $by, "\n")
    };
}

pub(super) use {mov_ror, rorx, round};

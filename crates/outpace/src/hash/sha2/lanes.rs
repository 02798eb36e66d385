//! The rounds on many messages, one word of each in a register: what the AVX2 kernels of both halves have in common.

/// The rounds of one block, whose first sixteen words are `w`, on the variables `s`; K in sixteens; the notation of the
/// standard, and the vector functions of the module it is used in. The variables change places instead of values, and
/// every place is known to the compiler.
macro_rules! rounds_in_lanes {
    ($s:ident, $w:ident, $k:expr) => {
        rounds_in_lanes!($s, $w, $k, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($s:ident, $w:ident, $k:expr, $($t:literal)*) => {
        // b ^ c: Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, and a ^ b is b ^ c one round later.
        let mut b_xor_c = xor($s[1], $s[2]);
        let [first, later @ ..] = $k else { unreachable!("a multiple of sixteen constants") };
        $( rounds_in_lanes!(@round $t, first[$t], $s, $w, b_xor_c); )*
        for k in later {
            $(
                // The word that is used sixteen rounds after word t takes its place.
                let (w15, w7, w2) = ($w[($t + 1) % 16], $w[($t + 9) % 16], $w[($t + 14) % 16]);
                $w[$t] = add(add(add($w[$t], w7), sigma0(w15)), sigma1(w2));
                rounds_in_lanes!(@round $t, k[$t], $s, $w, b_xor_c);
            )*
        }
    };
    (@round $t:literal, $k:expr, $s:ident, $w:ident, $b_xor_c:ident) => {
        let at = |variable: usize| (16 + variable - $t) % 8;
        let (a, b, e, f, g) = ($s[at(0)], $s[at(1)], $s[at(4)], $s[at(5)], $s[at(6)]);
        let h_wk = add($s[at(7)], add($w[$t], splat($k)));
        let t1 = add(add(h_wk, xor(and(xor(f, g), e), g)), sum1(e));
        let a_xor_b = xor(a, b);
        let t2 = add(xor(and(a_xor_b, $b_xor_c), b), sum0(a));
        $b_xor_c = a_xor_b;
        $s[at(3)] = add($s[at(3)], t1);
        $s[at(7)] = add(t1, t2);
    };
}

/// The functions on vectors of words that [`rounds_in_lanes`] uses: the type of a word and of a lane, the width, the
/// instructions, and the rotations of Σ0, Σ1, σ0 and σ1, whose last is a shift.
macro_rules! functions_in_lanes {
    (
        $word:ty as $lane:ty, $bits:literal, $splat:ident $add:ident $srli:ident $slli:ident,
        [$a0:literal $b0:literal $c0:literal] [$a1:literal $b1:literal $c1:literal]
        [$d0:literal $e0:literal $f0:literal] [$d1:literal $e1:literal $f1:literal]
    ) => {
        functions_in_lanes! { @each
            splat(k: $word) = $splat(k as $lane);
            add(x: __m256i, y: __m256i) = $add(x, y);
            xor(x: __m256i, y: __m256i) = _mm256_xor_si256(x, y);
            and(x: __m256i, y: __m256i) = _mm256_and_si256(x, y);
            sum0(x: __m256i) = xor(
                xor(ror::<$a0, { $bits - $a0 }>(x), ror::<$b0, { $bits - $b0 }>(x)),
                ror::<$c0, { $bits - $c0 }>(x)
            );
            sum1(x: __m256i) = xor(
                xor(ror::<$a1, { $bits - $a1 }>(x), ror::<$b1, { $bits - $b1 }>(x)),
                ror::<$c1, { $bits - $c1 }>(x)
            );
            sigma0(x: __m256i) = xor(
                xor(ror::<$d0, { $bits - $d0 }>(x), ror::<$e0, { $bits - $e0 }>(x)),
                $srli::<$f0>(x)
            );
            sigma1(x: __m256i) = xor(
                xor(ror::<$d1, { $bits - $d1 }>(x), ror::<$e1, { $bits - $e1 }>(x)),
                $srli::<$f1>(x)
            );
        }
        #[inline]
        #[target_feature(enable = "avx2")]
        fn ror<const N: i32, const M: i32>(x: __m256i) -> __m256i {
            xor($srli::<N>(x), $slli::<M>(x))
        }
    };
    (@each $($name:ident($($x:ident: $type:ty),*) = $value:expr;)*) => { $(
        #[inline]
        #[target_feature(enable = "avx2")]
        fn $name($($x: $type),*) -> __m256i {
            $value
        }
    )* };
}
pub(super) use {functions_in_lanes, rounds_in_lanes};

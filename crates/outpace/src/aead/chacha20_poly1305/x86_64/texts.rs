//! Assembly of `lockstep`, in pieces: two groups of columns of ChaCha20 (RFC 8439 section 2.3), and what stands beside them
//! in general registers: the block that is the one-time key, powers of r, Poly1305 (section 2.5) of blocks that are known.
//!
//! Registers: the groups in zmm0 to zmm15 and ymm16 to ymm31; `Work` in rdi. The one block has a in eax, ecx, edx, esi, b in
//! r8d to r11d, d in r12d to r15d. Then, to seal, the last power is in r8 to r10, and where the next goes is in r13. To
//! open, the accumulator is in r8 to r10, the message in r13, the last power in r11, r12, r14.

/// x += y; z ^= x.
macro_rules! sum {
    ($v:literal $x:literal $y:literal $z:literal) => {
        concat!("vpaddd ", $v, $x, ", ", $v, $x, ", ", $v, $y, "\nvpxord ", $v, $z, ", ", $v, $z, ", ", $v, $x, "\n")
    };
}

/// z <<<= n.
macro_rules! turn {
    ($v:literal $z:literal, $by:literal) => {
        concat!("vprold ", $v, $z, ", ", $v, $z, ", ", $by, "\n")
    };
}

/// Both in general registers.
macro_rules! quarter {
    ($x:literal $y:literal $z:literal, $by:literal) => {
        concat!("add ", $x, ", ", $y, "\nxor ", $z, ", ", $x, "\nrol ", $z, ", ", $by, "\n")
    };
}

/// Both on four words of both groups, and the four parts of what is beside them.
#[rustfmt::skip]
macro_rules! step {
    ($by:literal: $([$part:tt] $x:literal $y:literal $z:literal $u:literal $v:literal $w:literal),*; [$beside:ident $($arg:tt)*]) => {
        step!(@ $by: $([$part] $x $y $z $u $v $w),*; $beside [$($arg)*])
    };
    (@ $by:literal: $([$part:tt] $x:literal $y:literal $z:literal $u:literal $v:literal $w:literal),*; $beside:ident $args:tt) => {
        concat!(
            $(sum!("zmm" $x $y $z),)*
            $(sum!("ymm" $u $v $w), $beside!($part $args),)*
            $(turn!("zmm" $z, $by),)*
            $(turn!("ymm" $w, $by),)*
        )
    };
}

/// Two rounds of both groups, beside them eight things of four parts each.
#[rustfmt::skip]
macro_rules! double_round {
    ($s0:tt $s1:tt $s2:tt $s3:tt $s4:tt $s5:tt $s6:tt $s7:tt) => {
        concat!(
            step!(16: [0] 0 4 12 16 20 28, [1] 1 5 13 17 21 29, [2] 2 6 14 18 22 30, [3] 3 7 15 19 23 31; $s0),
            step!(12: [0] 8 12 4 24 28 20, [1] 9 13 5 25 29 21, [2] 10 14 6 26 30 22, [3] 11 15 7 27 31 23; $s1),
            step!(8: [0] 0 4 12 16 20 28, [1] 1 5 13 17 21 29, [2] 2 6 14 18 22 30, [3] 3 7 15 19 23 31; $s2),
            step!(7: [0] 8 12 4 24 28 20, [1] 9 13 5 25 29 21, [2] 10 14 6 26 30 22, [3] 11 15 7 27 31 23; $s3),
            step!(16: [0] 0 5 15 16 21 31, [1] 1 6 12 17 22 28, [2] 2 7 13 18 23 29, [3] 3 4 14 19 20 30; $s4),
            step!(12: [0] 10 15 5 26 31 21, [1] 11 12 6 27 28 22, [2] 8 13 7 24 29 23, [3] 9 14 4 25 30 20; $s5),
            step!(8: [0] 0 5 15 16 21 31, [1] 1 6 12 17 22 28, [2] 2 7 13 18 23 29, [3] 3 4 14 19 20 30; $s6),
            step!(7: [0] 10 15 5 26 31 21, [1] 11 12 6 27 28 22, [2] 8 13 7 24 29 23, [3] 9 14 4 25 30 20; $s7),
        )
    };
}

/// Two quarter rounds in general registers; their word c is in memory.
#[rustfmt::skip]
macro_rules! key {
    (0 [$a:literal $b:literal $c:literal $d:literal $($other:literal)*]) => {
        concat!("mov ebx, [rdi + {c} + 4 * ", $c, "]\n", quarter!($a $b $d, 16), quarter!("ebx" $d $b, 12))
    };
    (1 [$a:literal $b:literal $c:literal $d:literal $($other:literal)*]) => {
        concat!(quarter!($a $b $d, 8), quarter!("ebx" $d $b, 7), "mov [rdi + {c} + 4 * ", $c, "], ebx\n")
    };
    (2 [$a:literal $b:literal $c:literal $d:literal $($other:literal)*]) => { key!(0 [$($other)*]) };
    (3 [$a:literal $b:literal $c:literal $d:literal $($other:literal)*]) => { key!(1 [$($other)*]) };
}

/// h = h r as in `mulx::block`, with a register more; parts 0 to 3.
#[rustfmt::skip]
macro_rules! times_r {
    (0 $h0:literal $h1:literal $h2:literal $t:literal) => {
        concat!(
            "mov rcx, [rdi + {r} + 16]\n mulx rbx, rax, [rdi + {r}]\n \
             mulx rsi, ", $h0, ", [rdi + {r} + 8]\n imul rcx, ", $h2, "\n mov rdx, ", $h1, "\n"
        )
    };
    (1 $h0:literal $h1:literal $h2:literal $t:literal) => {
        concat!(
            "add rbx, rcx\n mulx ", $t, ", rcx, [rdi + {r} + 16]\n mulx rdx, ", $h1, ", [rdi + {r}]\n \
             imul ", $h2, ", [rdi + {r}]\n add rax, rcx\n adc rbx, ", $t, "\n"
        )
    };
    (2 $h0:literal $h1:literal $h2:literal $t:literal) => {
        concat!(
            "add ", $h1, ", ", $h0, "\n adc rsi, rdx\n add ", $h1, ", rbx\n adc ", $h2, ", rsi\n \
             mov rbx, ", $h2, "\n and ", $h2, ", 3\n shr rbx, 2\n"
        )
    };
    (3 $h0:literal $h1:literal $h2:literal $t:literal) => {
        concat!(
            "lea rbx, [rbx + 4 * rbx]\n mov ", $h0, ", rax\n add ", $h0, ", rbx\n adc ", $h1, ", 0\n adc ", $h2, ", 0\n"
        )
    };
}

/// The next power, in the registers of `$h`; it is number `$i` of those from `$to` on downwards.
#[rustfmt::skip]
macro_rules! next {
    (0 [$i:literal $to:literal $h0:literal $h1:literal $h2:literal $t:literal]) => {
        concat!("mov rdx, ", $h0, "\n", times_r!(0 $h0 $h1 $h2 $t))
    };
    (3 [$i:literal $to:literal $h0:literal $h1:literal $h2:literal $t:literal]) => {
        concat!(
            times_r!(3 $h0 $h1 $h2 $t),
            "mov [", $to, " - 8 * ", $i, "], ", $h0, "\n",
            "mov [", $to, " - 8 * ", $i, " + {row}], ", $h1, "\n",
            "mov [", $to, " - 8 * ", $i, " + 2 * {row}], ", $h2, "\n",
        )
    };
    ($part:tt [$i:literal $to:literal $($h:literal)*]) => { times_r!($part $($h)*) };
}

/// To seal.
macro_rules! power {
    ($part:tt [$i:literal]) => { next!($part [$i "r13" "r8" "r9" "r10" "r14"]) };
}

/// To open.
macro_rules! power_ahead {
    ($part:tt [$i:literal]) => { next!($part [$i "rdi + rbp + {powers} + {p2}" "r11" "r12" "r14" "r15"]) };
}

/// Block `$i` from r13 on is hashed; the accumulator is in r8 to r10.
#[rustfmt::skip]
macro_rules! block {
    (0 [$i:literal]) => {
        concat!(
            "mov rdx, [r13 + 16 * ", $i, "]\n add rdx, r8\n adc r9, [r13 + 16 * ", $i, " + 8]\n adc r10, 1\n",
            times_r!(0 "r8" "r9" "r10" "r15")
        )
    };
    ($part:tt [$i:literal]) => { times_r!($part "r8" "r9" "r10" "r15") };
}

/// Nothing.
macro_rules! none {
    ($part:tt []) => {
        ""
    };
}

/// The square of the number whose words are at `$from`, `$row` apart: rax, rbx, rsi, r15, r14 are its words.
#[rustfmt::skip]
macro_rules! square {
    (0 [$from:literal $row:literal]) => {
        concat!(
            "mov rdx, [rdi + ", $from, "]\n mov rcx, [rdi + ", $from, " + ", $row, "]\n \
             mov r11, [rdi + ", $from, " + 2 * ", $row, "]\n mulx rbx, rax, rdx\n \
             mulx r14, r12, rcx\n"
        )
    };
    (1 [$from:literal $row:literal]) => {
        "add r11, r11\n mulx r15, rsi, r11\n mov rdx, rcx\n add rbx, r12\n adc rsi, r14\n adc r15, 0\n"
    };
    (2 [$from:literal $row:literal]) => {
        "add rbx, r12\n mulx rcx, r12, rcx\n adc rsi, r14\n adc r15, 0\n mulx r14, rdx, r11\n shr r11\n"
    };
    (3 [$from:literal $row:literal]) => {
        "imul r11, r11\n add rsi, r12\n adc r15, rcx\n adc r14, r11\n add r15, rdx\n adc r14, 0\n mov rcx, rsi\n and rcx, -4\n and rsi, 3\n"
    };
}

/// The same of a product; words of the second are without distance.
#[rustfmt::skip]
macro_rules! product {
    (0 [$x:literal $row:literal $y:literal]) => {
        concat!(
            "mov rdx, [rdi + ", $x, "]\n mulx rbx, rax, [rdi + ", $y, "]\n mulx rsi, rcx, [rdi + ", $y, " + 8]\n \
             mulx r15, r11, [rdi + ", $y, " + 16]\n add rbx, rcx\n adc rsi, r11\n adc r15, 0\n"
        )
    };
    (1 [$x:literal $row:literal $y:literal]) => {
        concat!(
            "mov rdx, [rdi + ", $x, " + ", $row, "]\n mulx r12, rcx, [rdi + ", $y, "]\n mulx rbp, r11, [rdi + ", $y, " + 8]\n \
             xor r14d, r14d\n add rbx, rcx\n adc rsi, r12\n adc r15, rbp\n adc r14, 0\n mulx r12, rcx, [rdi + ", $y, " + 16]\n"
        )
    };
    (2 [$x:literal $row:literal $y:literal]) => {
        concat!(
            "mov rdx, [rdi + ", $x, " + 2 * ", $row, "]\n add rsi, r11\n adc r15, rcx\n adc r14, r12\n \
             mulx rbp, r11, [rdi + ", $y, "]\n mulx r12, rcx, [rdi + ", $y, " + 8]\n"
        )
    };
    (3 [$x:literal $row:literal $y:literal]) => {
        concat!(
            "imul rdx, [rdi + ", $y, " + 16]\n add rsi, r11\n adc r15, rbp\n adc r14, r12\n add r15, rcx\n adc r14, rdx\n \
             mov rcx, rsi\n and rcx, -4\n and rsi, 3\n"
        )
    };
}

/// It is folded: four times what is above 2^130, as it stands, and once. The same again for the little that leaves there.
#[rustfmt::skip]
macro_rules! fold {
    (0 [$to:literal]) => {
        "add rax, rcx\n adc rbx, r15\n adc rsi, r14\n mov rdx, r15\n shl rdx, 62\n shr rcx, 2\n or rcx, rdx\n"
    };
    (1 [$to:literal]) => {
        "shr r15, 2\n mov rdx, r14\n shl rdx, 62\n or r15, rdx\n shr r14, 2\n add rax, rcx\n adc rbx, r15\n adc rsi, r14\n"
    };
    (2 [$to:literal]) => {
        "mov rcx, rsi\n and rsi, 3\n shr rcx, 2\n lea rcx, [rcx + 4 * rcx]\n add rax, rcx\n adc rbx, 0\n adc rsi, 0\n"
    };
    (3 [$to:literal]) => {
        concat!(
            "mov [rdi + {products} + 24 * ", $to, "], rax\n mov [rdi + {products} + 24 * ", $to, " + 8], rbx\n \
             mov [rdi + {products} + 24 * ", $to, " + 16], rsi\n"
        )
    };
}

/// Limbs of the number whose words are at `$from`, `$row` apart.
#[rustfmt::skip]
macro_rules! limbs {
    ($to:literal $from:literal $row:literal) => {
        concat!(
            "mov rax, [rdi + ", $from, "]\n mov rcx, [rdi + ", $from, " + ", $row, "]\n \
             mov rdx, [rdi + ", $from, " + 2 * ", $row, "]\n",
            "bzhi rbx, rax, r11\n shr rax, 52\n mov rsi, rcx\n shl rsi, 12\n or rax, rsi\n bzhi rax, rax, r11\n \
             shr rcx, 40\n shl rdx, 24\n or rcx, rdx\n",
            "mov [rdi + {strides} + 24 * ", $to, "], rbx\n mov [rdi + {strides} + 24 * ", $to, " + 8], rax\n \
             mov [rdi + {strides} + 24 * ", $to, " + 16], rcx\n",
        )
    };
}

/// Each word in all lanes of both groups.
macro_rules! broadcast {
    ($($i:literal $j:literal),*) => {
        concat!($("vpbroadcastd zmm", $i, ", dword ptr [rdi + 4 * ", $i, "]\nvmovdqa32 ymm", $j, ", ymm", $i, "\n"),*)
    };
}

/// The initial state is added to the eight, which go to memory.
macro_rules! add_and_store {
    ($($i:literal $j:literal $at:literal),*) => {
        concat!($(
            "vpaddd ymm", $j, ", ymm", $j, ", dword ptr [rdi + 4 * ", $i, "]{{1to8}}\n",
            "vmovdqa32 [rdi + {y} + 32 * ", $at, "], ymm", $j, "\n",
        )*)
    };
}

/// And to the sixteen.
macro_rules! add {
    ($($i:literal),*) => {
        concat!($("vpaddd zmm", $i, ", zmm", $i, ", dword ptr [rdi + 4 * ", $i, "]{{1to16}}\n"),*)
    };
}

/// The whole: what is beside the second half of the rounds, what is between the stores, and further operands.
#[rustfmt::skip]
macro_rules! lockstep {
    ($work:ident: $Work:ty, $z:ident; $half:expr; $l0:expr, $l1:expr, $l2:expr, $l3:expr, $l4:expr; $($operand:tt)*) => {
        core::arch::asm!(
            "mov [rdi + {saved}], rbx", "mov [rdi + {saved} + 8], rbp",
            broadcast!(0 16, 4 20, 12 28, 1 17, 5 21, 13 29, 2 18, 6 22, 14 30, 3 19, 7 23, 15 31, 8 24, 9 25, 10 26, 11 27),
            "vpaddd zmm12, zmm12, [rip + {counters}]", "vpaddd ymm28, ymm28, [rip + {counters} + 64]",
            "mov rax, [rdi + 32]", "mov rcx, [rdi + 40]", "mov [rdi + {c}], rax", "mov [rdi + {c} + 8], rcx",
            "mov eax, [rdi]", "mov ecx, [rdi + 4]", "mov edx, [rdi + 8]", "mov esi, [rdi + 12]",
            "mov r8d, [rdi + 16]", "mov r9d, [rdi + 20]", "mov r10d, [rdi + 24]", "mov r11d, [rdi + 28]",
            "mov r12d, [rdi + 48]", "mov r13d, [rdi + 52]", "mov r14d, [rdi + 56]", "mov r15d, [rdi + 60]",
            "mov ebp, 5",
            // Both loops are jumped to: else, from some places in memory, whole messages take 10 % longer (Zen 4).
            "jmp 2f",
            ".p2align 6",
            "2:",
            double_round!(
                [key "eax" "r8d" 0 "r12d" "ecx" "r9d" 1 "r13d"] [key "edx" "r10d" 2 "r14d" "esi" "r11d" 3 "r15d"]
                [key "eax" "r9d" 2 "r15d" "ecx" "r10d" 3 "r12d"] [key "edx" "r11d" 0 "r13d" "esi" "r8d" 1 "r14d"]
                [key "eax" "r8d" 0 "r12d" "ecx" "r9d" 1 "r13d"] [key "edx" "r10d" 2 "r14d" "esi" "r11d" 3 "r15d"]
                [key "eax" "r9d" 2 "r15d" "ecx" "r10d" 3 "r12d"] [key "edx" "r11d" 0 "r13d" "esi" "r8d" 1 "r14d"]
            ),
            "dec ebp",
            "jnz 2b",
            // r, clamped, and s.
            "add eax, [rdi]", "add ecx, [rdi + 4]", "add edx, [rdi + 8]", "add esi, [rdi + 12]",
            "shl rcx, 32", "or rax, rcx", "shl rsi, 32", "or rdx, rsi",
            "mov rbx, 0x0ffffffc0fffffff", "mov rcx, 0x0ffffffc0ffffffc", "and rax, rbx", "and rdx, rcx",
            "mov rcx, rdx", "shr rcx, 2", "add rcx, rdx",
            "mov [rdi + {r}], rax", "mov [rdi + {r} + 8], rdx", "mov [rdi + {r} + 16], rcx",
            "add r8d, [rdi + 16]", "add r9d, [rdi + 20]", "add r10d, [rdi + 24]", "add r11d, [rdi + 28]",
            "shl r9, 32", "or r8, r9", "shl r11, 32", "or r10, r11",
            "mov [rdi + {s}], r8", "mov [rdi + {s} + 8], r10",
            $half,
            "mov r11d, 52",
            "vpaddd ymm28, ymm28, [rip + {counters} + 64]",
            add_and_store!(0 16 0, 4 20 1, 1 17 2, 5 21 3),
            $l0,
            add_and_store!(2 18 4, 6 22 5, 3 19 6, 7 23 7),
            $l1,
            add_and_store!(8 24 8, 12 28 9, 9 25 10, 13 29 11),
            $l2,
            add_and_store!(10 26 12, 14 30 13, 11 27 14, 15 31 15),
            $l3,
            "vpaddd zmm12, zmm12, [rip + {counters}]",
            add!(0, 1, 2, 3, 4, 5, 6, 7),
            $l4,
            add!(8, 9, 10, 11, 12, 13, 14, 15),
            "mov rbx, [rdi + {saved}]", "mov rbp, [rdi + {saved} + 8]",
            in("rdi") core::ptr::from_mut($work), out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _,
            out("r11") _, out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            out("zmm0") $z[0], out("zmm1") $z[1], out("zmm2") $z[2], out("zmm3") $z[3],
            out("zmm4") $z[4], out("zmm5") $z[5], out("zmm6") $z[6], out("zmm7") $z[7],
            out("zmm8") $z[8], out("zmm9") $z[9], out("zmm10") $z[10], out("zmm11") $z[11],
            out("zmm12") $z[12], out("zmm13") $z[13], out("zmm14") $z[14], out("zmm15") $z[15],
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _,
            out("zmm23") _, out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
            out("zmm30") _, out("zmm31") _,
            saved = const offset_of!($Work, saved), c = const offset_of!($Work, c), r = const offset_of!($Work, r),
            s = const offset_of!($Work, s), y = const offset_of!($Work, y), powers = const offset_of!($Work, powers),
            products = const offset_of!($Work, products), strides = const offset_of!($Work, strides),
            counters = sym COUNTERS,
            $($operand)*
            options(nostack),
        )
    };
}

//! What ChaCha20-Poly1305 (RFC 8439 section 2.8) needs for a message of at most 24 blocks, for cores that run 512-bit
//! instructions in halves (Zen 4): sixteen blocks of key stream in 512-bit registers and eight in 256-bit ones, in
//! lockstep; beside them, in general registers, first the block that is the one-time key, then the powers of r.
//!
//! An instruction is bound to one of two schedulers before its operands are ready, so that the four chains of one group
//! of columns leave pipes idle; the eight of two groups find work for all. The vectors have a floor of 72 cycles for two
//! rounds, of which there are ten; they take 80 alone. Two pairs of rounds of the one block in general registers, 60 cycles
//! alone, cost nothing beside them, nor do five powers, 75 cycles. More than 235 instructions beside the 192 of the vectors do,
//! and what waits for long holds up the vectors behind it.
//!
//! It is one text, because the compiler would move apart what stands beside each other and keep vectors in memory.

use crate::cipher::chacha20::{SIGMA, State};
use crate::simd;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;
#[cfg(not(outpace_ct = "msan"))]
use core::mem::offset_of;

/// What goes in and out in memory. Powers are partly reduced, in words; words of one number are a row apart.
#[repr(C, align(64))]
pub(super) struct Work {
    /// The first state, whose block is the one-time key.
    start: State,
    /// Key stream of blocks 17 to 24, word by word: rows 0 to 3 hold words i and i + 4, rows 4 to 7 words i + 4 and i + 8.
    pub(super) y: [[u32; 16]; 8],
    /// r^25, r^24, ..., r^2, eight zeros.
    pub(super) powers: [[u64; ROW]; 3],
    /// r^32, r^40.
    products: [[u64; 3]; 2],
    /// r^8, r^16, ..., r^40 in limbs.
    pub(super) strides: [[u64; 3]; 5],
    /// r0, r1, 5/4 r1.
    pub(super) r: [u64; 3],
    pub(super) s: [u64; 2],
    /// Words 8 to 11 of the block.
    c: [u32; 4],
    /// rbx, rbp.
    saved: [u64; 2],
}

/// Powers and zeros in a row.
const ROW: usize = 32;

/// Where a power is in its row.
#[cfg(not(outpace_ct = "msan"))]
const fn place(n: usize) -> usize {
    size_of::<u64>() * (25 - n)
}

/// Zeros everywhere, in line: a call would have the vectors around it put to memory.
#[cfg(not(outpace_ct = "msan"))]
#[inline]
#[target_feature(enable = "avx512f")]
fn clear(place: &mut MaybeUninit<Work>) {
    macro_rules! stores {
        ($($i:literal)*) => {{
            const { assert!(size_of::<Work>() == 64 * [$($i),*].len()) };
            // SAFETY: writes all of the place, which is aligned, and nothing else.
            unsafe {
                core::arch::asm!(
                    "vpxor xmm0, xmm0, xmm0", $(concat!("vmovdqa64 [{place} + 64 * ", $i, "], zmm0"),)*
                    place = in(reg) place.as_mut_ptr(), out("xmm0") _, options(nostack, preserves_flags)
                );
            }
        }};
    }
    stores!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24);
}

#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f")]
fn clear(place: &mut MaybeUninit<Work>) {
    // SAFETY: integers.
    place.write(unsafe { core::mem::zeroed() });
}

/// Where `Work` is, wiped when it goes away.
pub(super) struct Place(MaybeUninit<Work>);

impl Place {
    /// # Safety
    /// The CPU has AVX-512.
    #[inline(always)]
    pub(super) const unsafe fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// For the key block and all that follow.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn work(&mut self, key: &[u32; 8], nonce: &[u32; 3]) -> &mut Work {
        clear(&mut self.0);
        // SAFETY: it has just been written, and zero is a value of it.
        let work = unsafe { self.0.assume_init_mut() };
        let start = &mut work.start.0;
        simd::store128_u32(start.first_chunk_mut().expect("a row"), simd::load128_u32(&SIGMA));
        start[13..].copy_from_slice(nonce);
        // The compiler would have the caller load the key, and keep it where it stays.
        #[cfg(not(outpace_ct = "msan"))]
        // SAFETY: reads the key, writes as much in the middle of sixteen words.
        unsafe {
            core::arch::asm!(
                "vmovdqu ymm0, [{key}]", "vmovdqu [{start} + 16], ymm0",
                key = in(reg) key, start = in(reg) start, out("xmm0") _, options(nostack, preserves_flags)
            );
        }
        #[cfg(outpace_ct = "msan")]
        start[4..12].copy_from_slice(key);
        work
    }
}

impl Drop for Place {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: by the contract of `new` the CPU has AVX-512.
        unsafe { clear(&mut self.0) };
    }
}

/// The counter of each lane.
#[repr(C, align(64))]
struct Counters {
    z: [u32; 16],
    y: [u32; 8],
}

/// In this order the transposition by quarters yields blocks in order.
static COUNTERS: Counters =
    Counters { z: [1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 4, 8, 12, 16], y: [17, 19, 21, 23, 18, 20, 22, 24] };

/// x += y; z ^= x.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! sum {
    ($v:literal $x:literal $y:literal $z:literal) => {
        concat!("vpaddd ", $v, $x, ", ", $v, $x, ", ", $v, $y, "\nvpxord ", $v, $z, ", ", $v, $z, ", ", $v, $x, "\n")
    };
}

/// z <<<= n.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! turn {
    ($v:literal $z:literal, $by:literal) => {
        concat!("vprold ", $v, $z, ", ", $v, $z, ", ", $by, "\n")
    };
}

/// Both in general registers.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! quarter {
    ($x:literal $y:literal $z:literal, $by:literal) => {
        concat!("add ", $x, ", ", $y, "\nxor ", $z, ", ", $x, "\nrol ", $z, ", ", $by, "\n")
    };
}

/// Both on four words of both groups, and the four parts of what is beside them.
#[cfg(not(outpace_ct = "msan"))]
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
#[cfg(not(outpace_ct = "msan"))]
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
#[cfg(not(outpace_ct = "msan"))]
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

/// h = h r as in `mulx::block`, h in r8 to r10; it is number `$i` of five from r13 downwards.
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! next {
    (0 [$i:literal]) => {
        "mov rdx, r8\n mov rcx, [rdi + {r} + 16]\n mulx rbx, rax, [rdi + {r}]\n \
         mulx rsi, r8, [rdi + {r} + 8]\n imul rcx, r10\n mov rdx, r9\n"
    };
    (1 [$i:literal]) => {
        "add rbx, rcx\n mulx r14, rcx, [rdi + {r} + 16]\n mulx rdx, r9, [rdi + {r}]\n \
         imul r10, [rdi + {r}]\n add rax, rcx\n adc rbx, r14\n"
    };
    (2 [$i:literal]) => {
        "add r9, r8\n adc rsi, rdx\n add r9, rbx\n adc r10, rsi\n mov rbx, r10\n and r10, 3\n shr rbx, 2\n"
    };
    (3 [$i:literal]) => {
        concat!(
            "lea rbx, [rbx + 4 * rbx]\n mov r8, rax\n add r8, rbx\n adc r9, 0\n adc r10, 0\n",
            "mov [r13 - 8 * ", $i, "], r8\n",
            "mov [r13 - 8 * ", $i, " + {row}], r9\n",
            "mov [r13 - 8 * ", $i, " + 2 * {row}], r10\n",
        )
    };
}

/// Nothing.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! none {
    ($part:tt []) => {
        ""
    };
}

/// The square of the power at `$x`: rax, rbx, rsi, r15, r14 are its words.
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! square {
    (0 [$x:literal]) => {
        concat!(
            "mov rdx, [rdi + {powers} + {", $x, "}]\n mov rcx, [rdi + {powers} + {", $x, "} + {row}]\n \
             mov r11, [rdi + {powers} + {", $x, "} + 2 * {row}]\n mulx rbx, rax, rdx\n \
             mulx r14, r12, rcx\n"
        )
    };
    (1 [$x:literal]) => {
        "add r11, r11\n mulx r15, rsi, r11\n mov rdx, rcx\n add rbx, r12\n adc rsi, r14\n adc r15, 0\n"
    };
    (2 [$x:literal]) => {
        "add rbx, r12\n mulx rcx, r12, rcx\n adc rsi, r14\n adc r15, 0\n mulx r14, rdx, r11\n shr r11\n"
    };
    (3 [$x:literal]) => {
        "imul r11, r11\n add rsi, r12\n adc r15, rcx\n adc r14, r11\n add r15, rdx\n adc r14, 0\n mov rcx, rsi\n and rcx, -4\n and rsi, 3\n"
    };
}

/// It is folded: four times what is above 2^130, as it stands, and once. The same again for the little that leaves there.
#[cfg(not(outpace_ct = "msan"))]
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
#[cfg(not(outpace_ct = "msan"))]
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
#[cfg(not(outpace_ct = "msan"))]
macro_rules! broadcast {
    ($($i:literal $j:literal),*) => {
        concat!($("vpbroadcastd zmm", $i, ", dword ptr [rdi + 4 * ", $i, "]\nvmovdqa32 ymm", $j, ", ymm", $i, "\n"),*)
    };
}

/// The initial state is added to the eight, which go to memory.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! add_and_store {
    ($($i:literal $j:literal $at:literal),*) => {
        concat!($(
            "vpaddd ymm", $j, ", ymm", $j, ", dword ptr [rdi + 4 * ", $i, "]{{1to8}}\n",
            "vmovdqa32 [rdi + {y} + 32 * ", $at, "], ymm", $j, "\n",
        )*)
    };
}

/// And to the sixteen.
#[cfg(not(outpace_ct = "msan"))]
macro_rules! add {
    ($($i:literal),*) => {
        concat!($("vpaddd zmm", $i, ", zmm", $i, ", dword ptr [rdi + 4 * ", $i, "]{{1to16}}\n"),*)
    };
}

/// Key stream of blocks 1 to 16, word by word, and the rest in `work`.
#[cfg(not(outpace_ct = "msan"))]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2")]
#[rustfmt::skip]
pub(super) fn rounds(work: &mut Work) -> [__m512i; 16] {
    let mut z = [_mm512_setzero_si512(); 16];
    // Registers: the groups in zmm0 to zmm15 and ymm16 to ymm31; `work` in rdi. The one block has a in eax, ecx, edx, esi,
    // b in r8d to r11d, d in r12d to r15d. Powers: the last of the chain in r8 to r10.
    // SAFETY: this function has the instructions. Reads and writes `work` alone, reads the two tables; rbx and rbp, which
    // cannot be operands, are restored.
    unsafe {
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
            "mov r8, rax", "mov r9, rdx", "xor r10d, r10d",
            "lea r13, [rdi + {powers} + {p2}]",
            "mov r15d, 3",
            "jmp 3f",
            ".p2align 6",
            "3:",
            double_round!([next 0] [none] [next 1] [next 2] [none] [next 3] [next 4] [none]),
            "sub r13, 40",
            "dec r15d",
            "jnz 3b",
            double_round!([next 0] [next 1] [square "p16"] [fold 0] [next 2] [next 3] [none] [next 4]),
            "sub r13, 40",
            double_round!([next 0] [square "p20"] [fold 1] [next 1] [next 2] [none] [next 3] [none]),
            "mov r11d, 52",
            "vpaddd ymm28, ymm28, [rip + {counters} + 64]",
            add_and_store!(0 16 0, 4 20 1, 1 17 2, 5 21 3),
            limbs!(3 "{products}" "8"),
            add_and_store!(2 18 4, 6 22 5, 3 19 6, 7 23 7),
            limbs!(2 "{powers} + {p24}" "{row}"),
            add_and_store!(8 24 8, 12 28 9, 9 25 10, 13 29 11),
            limbs!(1 "{powers} + {p16}" "{row}"),
            add_and_store!(10 26 12, 14 30 13, 11 27 14, 15 31 15),
            limbs!(0 "{powers} + {p8}" "{row}"),
            "vpaddd zmm12, zmm12, [rip + {counters}]",
            add!(0, 1, 2, 3, 4, 5, 6, 7),
            limbs!(4 "{products} + 24" "8"),
            add!(8, 9, 10, 11, 12, 13, 14, 15),
            "mov rbx, [rdi + {saved}]", "mov rbp, [rdi + {saved} + 8]",
            in("rdi") core::ptr::from_mut(work), out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _, out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            out("zmm0") z[0], out("zmm1") z[1], out("zmm2") z[2], out("zmm3") z[3],
            out("zmm4") z[4], out("zmm5") z[5], out("zmm6") z[6], out("zmm7") z[7],
            out("zmm8") z[8], out("zmm9") z[9], out("zmm10") z[10], out("zmm11") z[11],
            out("zmm12") z[12], out("zmm13") z[13], out("zmm14") z[14], out("zmm15") z[15],
            out("zmm16") _, out("zmm17") _, out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _,
            out("zmm23") _, out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
            out("zmm30") _, out("zmm31") _,
            saved = const offset_of!(Work, saved), c = const offset_of!(Work, c), r = const offset_of!(Work, r),
            s = const offset_of!(Work, s), y = const offset_of!(Work, y), powers = const offset_of!(Work, powers),
            row = const size_of::<[u64; ROW]>(), products = const offset_of!(Work, products),
            strides = const offset_of!(Work, strides), p2 = const place(2), p8 = const place(8), p16 = const place(16),
            p20 = const place(20), p24 = const place(24), counters = sym COUNTERS,
            options(nostack),
        );
    }
    z
}

/// The same without assembly, which the sanitizer cannot follow.
#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2")]
pub(super) fn rounds(work: &mut Work) -> [__m512i; 16] {
    use crate::cipher::chacha20::portable;
    use crate::cipher::chacha20::x86_64::avx512::columns_double_round;
    use crate::mac::poly1305::x86_64::ifma::limbs;
    use crate::mac::poly1305::{State as Mac, product};
    let columns = |counters: &[u32; 16]| {
        let mut start = [_mm512_setzero_si512(); 16];
        for i in 0..16 {
            start[i] = _mm512_set1_epi32(work.start.0[i].cast_signed());
        }
        start[12] = simd::load512_u32(counters);
        let mut v = start;
        for _ in 0..10 {
            columns_double_round!(v);
        }
        for i in 0..16 {
            v[i] = _mm512_add_epi32(v[i], start[i]);
        }
        v
    };
    let z = columns(&COUNTERS.z);
    let y = columns(&core::array::from_fn(|i| COUNTERS.y[i % 8]));
    for (row, i) in work.y.iter_mut().zip([0, 1, 2, 3, 8, 9, 10, 11]) {
        simd::store512_u32(row, _mm512_shuffle_i64x2::<0x44>(y[i], y[i + 4]));
    }
    let mac = Mac::new(portable::block(&work.start).first_chunk().expect("a key is half a block"));
    let r = [mac.r[0], mac.r[1], 0];
    (work.r, work.s) = ([r[0], r[1], r[1] + (r[1] >> 2)], mac.s);
    let mut power = r;
    for n in 2..=40 {
        power = product(&power, &r);
        if n <= 25 {
            for i in 0..3 {
                work.powers[i][25 - n] = power[i];
            }
        }
        if n % 8 == 0 {
            work.strides[n / 8 - 1] = limbs(power);
        }
    }
    z
}

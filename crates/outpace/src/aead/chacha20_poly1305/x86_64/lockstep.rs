//! What ChaCha20-Poly1305 (RFC 8439 section 2.8) needs for a message of 17 to 24 blocks, for cores that run 512-bit
//! instructions in halves (Zen 4): sixteen blocks of key stream in 512-bit registers and eight in 256-bit ones, in
//! lockstep; beside them, in general registers, first the block that is the one-time key, then the powers of r.
//!
//! An instruction is bound to one of two schedulers before its operands are ready, so that the four chains of one group
//! of columns leave pipes idle; the eight of two groups find work for all. The vectors have a floor of 72 cycles for two
//! rounds, of which there are ten; they take 80 alone. Two pairs of rounds of the one block in general registers, 60 cycles
//! alone, cost nothing beside them.
//!
//! It is one text, because the compiler would move apart what stands beside each other and keep vectors in memory. It is
//! two loops, because the cache of decoded instructions holds little more.

use crate::cipher::chacha20::State;
use crate::mem::Wipe;
use core::arch::x86_64::*;
#[cfg(not(outpace_ct = "msan"))]
use core::mem::offset_of;

/// What goes in and out in memory. Powers are partly reduced, in words; words of one number are a row apart.
#[repr(C, align(64))]
pub(super) struct Work {
    /// The first state, whose block is the one-time key.
    start: State,
    /// Key stream of blocks 17 to 24, word by word: rows 0 to 3 hold words i and i + 4, rows 4 to 7 words i + 4 and i + 8.
    pub(super) y: [[u32; 16]; 8],
    /// r^26, r^25, ..., r^2, eight zeros; from `STRIDES` on r^8, r^16, ..., r^64.
    pub(super) powers: [[u64; ROW]; 3],
    /// r0, r1, 5/4 r1.
    pub(super) r: [u64; 3],
    pub(super) s: [u64; 2],
    /// Words 8 to 11 of the block.
    c: [u32; 4],
    /// rbx, rbp.
    saved: [u64; 2],
}

/// Powers and zeros in a row.
const ROW: usize = 48;

/// Where r^8 is in it.
pub(super) const STRIDES: usize = 40;

impl Work {
    #[inline(always)]
    pub(super) fn new(start: State) -> Self {
        Self { start, y: [[0; 16]; 8], powers: [[0; ROW]; 3], r: [0; 3], s: [0; 2], c: [0; 4], saved: [0; 2] }
    }
}

impl Wipe for Work {
    #[inline]
    fn wipe(&mut self) {
        self.start.wipe();
        self.y.wipe();
        self.powers.wipe();
        self.r.wipe();
        self.s.wipe();
        self.c.wipe();
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

/// What is beside two rounds: which powers are multiplied.
#[cfg(not(outpace_ct = "msan"))]
#[repr(C)]
struct Step {
    /// Where the five next powers go; 0 at last.
    next: u64,
    /// Two products: of what, and where they go. The second may be of the first.
    products: [[u64; 3]; 2],
}

#[cfg(not(outpace_ct = "msan"))]
const fn step(next: u64, products: [[u64; 3]; 2]) -> Step {
    const fn places(p: [u64; 3]) -> [u64; 3] {
        [8 * p[0], 8 * p[1], 8 * p[2]]
    }
    Step { next: 8 * next, products: [places(products[0]), places(products[1])] }
}

/// r is at 37, where the products begin: r^2, r^4, r^8, r^16, r^24, ..., r^64.
#[cfg(not(outpace_ct = "msan"))]
static STEPS: [Step; 5] = [
    step(20, [[37, 37, 38], [38, 38, 39]]),
    step(15, [[39, 39, 40], [40, 40, 41]]),
    step(10, [[40, 41, 42], [41, 41, 43]]),
    step(5, [[40, 43, 44], [41, 43, 45]]),
    step(0, [[40, 45, 46], [41, 45, 47]]),
];

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

/// h = h r as in `mulx::block`, h in r8 to r10; it is number `$i` of five.
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
            "mov r11, [r13]\n lea rbx, [rbx + 4 * rbx]\n mov r8, rax\n add r8, rbx\n adc r9, 0\n adc r10, 0\n",
            "mov [rdi + r11 + {powers} + 8 * (4 - ", $i, ")], r8\n",
            "mov [rdi + r11 + {powers} + 8 * (4 - ", $i, ") + {row}], r9\n",
            "mov [rdi + r11 + {powers} + 8 * (4 - ", $i, ") + 2 * {row}], r10\n",
        )
    };
}

/// Two of those.
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! next_two {
    (0 [$i:literal $j:literal]) => { concat!(next!(0 [$i]), next!(1 [$i])) };
    (1 [$i:literal $j:literal]) => { concat!(next!(2 [$i]), next!(3 [$i])) };
    (2 [$i:literal $j:literal]) => { concat!(next!(0 [$j]), next!(1 [$j])) };
    (3 [$i:literal $j:literal]) => { concat!(next!(2 [$j]), next!(3 [$j])) };
}

/// The product of x and y: rax, rbx, rsi, r15, r14 are its words.
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! product {
    (0 [$i:literal]) => {
        concat!(
            "mov r11, [r13 + 8 + 24 * ", $i, "]\n mov r12, [r13 + 16 + 24 * ", $i, "]\n",
            "mov rdx, [rdi + r11 + {powers}]\n mulx rbx, rax, [rdi + r12 + {powers}]\n \
             mulx rsi, rcx, [rdi + r12 + {powers} + {row}]\n mulx r15, r14, [rdi + r12 + {powers} + 2 * {row}]\n \
             add rbx, rcx\n adc rsi, r14\n adc r15, 0\n"
        )
    };
    (1 [$i:literal]) => {
        "mov rdx, [rdi + r11 + {powers} + {row}]\n mulx r14, rcx, [rdi + r12 + {powers}]\n add rbx, rcx\n adc rsi, r14\n \
         mulx r14, rcx, [rdi + r12 + {powers} + 2 * {row}]\n adc r15, rcx\n adc r14, 0\n"
    };
    (2 [$i:literal]) => {
        "mulx rbp, rcx, [rdi + r12 + {powers} + {row}]\n add rsi, rcx\n adc r15, rbp\n adc r14, 0\n \
         mov rdx, [rdi + r11 + {powers} + 2 * {row}]\n mulx rbp, rcx, [rdi + r12 + {powers}]\n add rsi, rcx\n adc r15, rbp\n adc r14, 0\n"
    };
    (3 [$i:literal]) => {
        "mulx rbp, rcx, [rdi + r12 + {powers} + {row}]\n imul rdx, [rdi + r12 + {powers} + 2 * {row}]\n \
         add r15, rcx\n adc r14, rbp\n add r14, rdx\n mov rcx, rsi\n and rcx, -4\n and rsi, 3\n"
    };
}

/// It is folded: four times what is above 2^130, as it stands, and once. The same again for the little that leaves there.
#[cfg(not(outpace_ct = "msan"))]
#[rustfmt::skip]
macro_rules! fold {
    (0 [$i:literal]) => {
        "add rax, rcx\n adc rbx, r15\n adc rsi, r14\n mov rdx, r15\n shl rdx, 62\n shr rcx, 2\n or rcx, rdx\n"
    };
    (1 [$i:literal]) => {
        "shr r15, 2\n mov rdx, r14\n shl rdx, 62\n or r15, rdx\n shr r14, 2\n add rax, rcx\n adc rbx, r15\n adc rsi, r14\n"
    };
    (2 [$i:literal]) => {
        "mov rcx, rsi\n and rsi, 3\n shr rcx, 2\n lea rcx, [rcx + 4 * rcx]\n add rax, rcx\n adc rbx, 0\n adc rsi, 0\n"
    };
    (3 [$i:literal]) => {
        concat!(
            "mov r11, [r13 + 24 + 24 * ", $i, "]\n mov [rdi + r11 + {powers}], rax\n \
             mov [rdi + r11 + {powers} + {row}], rbx\n mov [rdi + r11 + {powers} + 2 * {row}], rsi\n"
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
    // b in r8d to r11d, d in r12d to r15d. Powers: the last of the chain in r8 to r10, steps in r13.
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
            "mov [rdi + {powers} + 8 * 37], r8", "mov [rdi + {powers} + 8 * 37 + {row}], r9",
            "mov [rdi + {powers} + 8 * 37 + 2 * {row}], r10",
            "lea r13, [rip + {steps}]",
            ".p2align 6",
            "3:",
            double_round!([next 0] [product 0] [fold 0] [next 1] [next_two 2 3] [product 1] [fold 1] [next 4]),
            "cmp qword ptr [r13], 0",
            "lea r13, [r13 + 56]",
            "jne 3b",
            "vpaddd ymm28, ymm28, [rip + {counters} + 64]",
            add_and_store!(
                0 16 0, 4 20 1, 1 17 2, 5 21 3, 2 18 4, 6 22 5, 3 19 6, 7 23 7,
                8 24 8, 12 28 9, 9 25 10, 13 29 11, 10 26 12, 14 30 13, 11 27 14, 15 31 15
            ),
            "vpaddd zmm12, zmm12, [rip + {counters}]",
            add!(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
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
            row = const size_of::<[u64; ROW]>(), counters = sym COUNTERS, steps = sym STEPS,
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
    use crate::mac::poly1305::{State as Mac, product};
    use crate::simd;
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
    for n in 2..=64 {
        power = product(&power, &r);
        for i in 0..3 {
            if n <= 25 {
                work.powers[i][26 - n] = power[i];
            }
            if n % 8 == 0 {
                work.powers[i][STRIDES + n / 8 - 1] = power[i];
            }
        }
    }
    z
}

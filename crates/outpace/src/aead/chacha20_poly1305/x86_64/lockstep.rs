//! What ChaCha20-Poly1305 (RFC 8439 section 2.8) needs for a message of at most 24 blocks, for cores that run 512-bit
//! instructions in halves (Zen 4): sixteen blocks of key stream in 512-bit registers and eight in 256-bit ones, in
//! lockstep; beside them, in general registers, first the block that is the one-time key, then the powers of r, and, to
//! open, Poly1305 of the first 25 blocks.
//!
//! An instruction is bound to one of two schedulers before its operands are ready, so that the four chains of one group
//! of columns leave pipes idle; the eight of two groups find work for all. The vectors have a floor of 72 cycles for two
//! rounds, of which there are ten; they take 80 alone. Two pairs of rounds of the one block in general registers, 60 cycles
//! alone, cost nothing beside them, nor do five powers, 75 cycles, nor five blocks and three powers. More than 235
//! instructions beside the 192 of the vectors do, and what waits for long holds up the vectors behind it.
//!
//! It is one text, because the compiler would move apart what stands beside each other and keep vectors in memory.

use crate::cipher::chacha20::{SIGMA, State};
use crate::mem::InOut;
use crate::simd;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;
#[cfg(not(outpace_ct = "msan"))]
use core::mem::offset_of;

/// What goes in and out in memory. Powers are partly reduced, in words; words of one number are a row apart.
#[repr(C, align(64))]
pub(super) struct Work<const ROW: usize> {
    /// The first state, whose block is the one-time key.
    start: State,
    /// Key stream of blocks 17 to 24, word by word: rows 0 to 3 hold words i and i + 4, rows 4 to 7 words i + 4 and i + 8.
    pub(super) y: [[u32; 16]; 8],
    /// r^25, r^24, ..., r^2, eight zeros; or r^8, r^7, ..., r.
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
    /// To open: where associated data are, how many whole blocks, whether there is a partial one, which is the next, with
    /// zeros; where the message is.
    aad: *const u8,
    blocks: u64,
    partial: u64,
    end: [u8; 16],
    message: *const u8,
}

/// Powers, and zeros, in a row: to seal, and to open.
pub(super) const SEAL: usize = 32;
pub(super) const OPEN: usize = 8;

/// Blocks of the message that are hashed to open it.
pub(super) const AHEAD: usize = 25;

/// Where power n is in its row, the first of which is given.
#[cfg(not(outpace_ct = "msan"))]
const fn place(first: usize, n: usize) -> usize {
    size_of::<u64>() * (first - n)
}

/// Zeros everywhere, in line: a call would have the vectors around it put to memory.
#[cfg(not(outpace_ct = "msan"))]
#[inline]
#[target_feature(enable = "avx512f")]
fn clear<const ROW: usize>(place: &mut MaybeUninit<Work<ROW>>) {
    macro_rules! stores {
        ($($i:literal)*) => {{
            assert!(size_of::<Work<ROW>>() == 64 * [$($i),*].len());
            // SAFETY: writes all of the place, which is aligned, and nothing else.
            unsafe {
                core::arch::asm!(
                    "vpxor xmm0, xmm0, xmm0", $(concat!("vmovdqa64 [{place} + 64 * ", $i, "], zmm0"),)*
                    place = in(reg) place.as_mut_ptr(), out("xmm0") _, options(nostack, preserves_flags)
                );
            }
        }};
    }
    if ROW == OPEN {
        stores!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    } else {
        stores!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
    }
}

#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f")]
fn clear<const ROW: usize>(place: &mut MaybeUninit<Work<ROW>>) {
    // SAFETY: integers.
    place.write(unsafe { core::mem::zeroed() });
}

/// Where `Work` is, wiped when it goes away.
pub(super) struct Place<const ROW: usize>(MaybeUninit<Work<ROW>>);

impl<const ROW: usize> Place<ROW> {
    /// # Safety
    /// The CPU has AVX-512.
    #[inline(always)]
    pub(super) const unsafe fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    /// Zeros behind the powers, and, to open, in the upper words of the first. All else is written before it is read: zeros
    /// there would cost 40 cycles of a message.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn begin(&mut self) {
        #[cfg(outpace_ct = "msan")]
        clear(&mut self.0);
        // SAFETY: writes the last eight words of each row of powers. To the compiler it has written the whole place.
        #[cfg(not(outpace_ct = "msan"))]
        unsafe {
            core::arch::asm!(
                "vpxor xmm0, xmm0, xmm0",
                "vmovdqa64 [{place} + {powers} + {row} - 64], zmm0",
                "vmovdqa64 [{place} + {powers} + 2 * {row} - 64], zmm0",
                "vmovdqa64 [{place} + {powers} + 3 * {row} - 64], zmm0",
                place = in(reg) self.0.as_mut_ptr(), powers = const offset_of!(Work<ROW>, powers),
                row = const size_of::<[u64; ROW]>(), out("xmm0") _, options(nostack, preserves_flags)
            );
        }
    }

    /// For the key block and all that follow.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn work(&mut self, key: &[u32; 8], nonce: &[u32; 3]) -> &mut Work<ROW> {
        self.begin();
        // SAFETY: it has just been written, and whatever is there is a value of it: integers and addresses.
        let work = unsafe { self.0.assume_init_mut() };
        let start = &mut work.start.0;
        simd::store128_u32(start.first_chunk_mut().expect("a row"), simd::load128_u32(&SIGMA));
        start[12] = 0;
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

impl<const ROW: usize> Drop for Place<ROW> {
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

/// Key stream of blocks 1 to 16, word by word, and the rest in `work`.
#[cfg(not(outpace_ct = "msan"))]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2")]
#[rustfmt::skip]
pub(super) fn rounds(work: &mut Work<SEAL>) -> [__m512i; 16] {
    let mut z = [_mm512_setzero_si512(); 16];
    // SAFETY: this function has the instructions. Reads and writes `work` alone, reads the table; rbx and rbp, which cannot
    // be operands, are restored.
    unsafe {
        lockstep!(
            work: Work<SEAL>, z;
            concat!(
                "mov r8, rax\n mov r9, rdx\n xor r10d, r10d\n",
                "lea r13, [rdi + {powers} + {p2}]\n mov r15d, 3\n jmp 3f\n .p2align 6\n 3:\n",
                double_round!([power 0] [none] [power 1] [power 2] [none] [power 3] [power 4] [none]),
                "sub r13, 40\n dec r15d\n jnz 3b\n",
                double_round!([power 0] [power 1] [square "{powers} + {p16}" "{row}"] [fold 0] [power 2] [power 3] [none] [power 4]),
                "sub r13, 40\n",
                double_round!([power 0] [square "{powers} + {p20}" "{row}"] [fold 1] [power 1] [power 2] [none] [power 3] [none])
            );
            limbs!(3 "{products}" "8"),
            limbs!(2 "{powers} + {p24}" "{row}"),
            limbs!(1 "{powers} + {p16}" "{row}"),
            limbs!(0 "{powers} + {p8}" "{row}"),
            limbs!(4 "{products} + 24" "8");
            out("r8") _, out("r9") _, out("r10") _,
            row = const size_of::<[u64; SEAL]>(), p2 = const place(25, 2), p8 = const place(25, 8),
            p16 = const place(25, 16), p20 = const place(25, 20), p24 = const place(25, 24),
        );
    }
    z
}

/// The same to open. Associated data and the first blocks of the message are hashed: the accumulator.
#[cfg(not(outpace_ct = "msan"))]
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2")]
#[rustfmt::skip]
pub(super) fn rounds_ahead(work: &mut Work<OPEN>, aad: &[u8], message: &InOut<'_>) -> ([__m512i; 16], [u64; 3]) {
    assert!(message.len() >= 16 * AHEAD);
    let (blocks, partial) = aad.as_chunks::<16>();
    (work.aad, work.blocks, work.message) = (aad.as_ptr(), blocks.len() as u64, message.input());
    work.partial = u64::from(!partial.is_empty());
    // To load nothing takes 135 cycles.
    if !partial.is_empty() {
        let mask = _bzhi_u32(u32::MAX, partial.len() as u32) as u16;
        // SAFETY: the mask leaves out what is beyond the end.
        simd::store128(&mut work.end, unsafe { _mm_maskz_loadu_epi8(mask, partial.as_ptr().cast()) });
    }
    let mut z = [_mm512_setzero_si512(); 16];
    let mut h = [0; 3];
    // SAFETY: as above, but that it also reads the whole blocks of `aad`, and as many of `message` as it has, as asserted.
    unsafe {
        lockstep!(
            work: Work<OPEN>, z;
            concat!(
                "mov [rdi + {powers} + {p1}], rax\n mov [rdi + {powers} + {p1} + {row}], rdx\n",
                "mov r11, rax\n mov r12, rdx\n xor r14d, r14d\n xor r8d, r8d\n xor r9d, r9d\n xor r10d, r10d\n",
                "mov r13, [rdi + {aad}]\n mov rbp, [rdi + {blocks}]\n test rbp, rbp\n jz 5f\n",
                "4:\n", block!(0 [0]), block!(1 [0]), block!(2 [0]), block!(3 [0]),
                "add r13, 16\n dec rbp\n jnz 4b\n",
                "5:\n mov rbp, [rdi + {partial}]\n mov qword ptr [rdi + {partial}], 0\n lea r13, [rdi + {end}]\n",
                "test rbp, rbp\n jnz 4b\n",
                // rbp, now zero, also counts the passes.
                "mov r13, [rdi + {message}]\n jmp 3f\n .p2align 6\n 3:\n",
                double_round!([block 0] [power_ahead 0] [block 1] [block 2] [power_ahead 1] [block 3] [power_ahead 2] [block 4]),
                "add r13, 80\n sub rbp, 24\n cmp rbp, -48\n jne 3b\n",
                double_round!([block 0] [power_ahead 0] [block 1] [block 2] [square "{powers}" "{row}"] [fold 0] [block 3] [block 4]),
                "add r13, 80\n",
                double_round!([block 0] [none] [block 1] [block 2] [product "{powers}" "{row}" "{products}"] [fold 1] [block 3] [block 4]),
                "add r13, 80\n mov r11d, 52\n", limbs!(2 "{products} + 24" "8"),
                double_round!([block 0] [none] [block 1] [block 2] [square "{products}" "8"] [fold 1] [block 3] [block 4])
            );
            limbs!(1 "{products}" "8"), limbs!(0 "{powers}" "{row}"), limbs!(3 "{products} + 24" "8"), "", "";
            out("r8") h[0], out("r9") h[1], out("r10") h[2],
            aad = const offset_of!(Work<OPEN>, aad), blocks = const offset_of!(Work<OPEN>, blocks),
            partial = const offset_of!(Work<OPEN>, partial), end = const offset_of!(Work<OPEN>, end),
            message = const offset_of!(Work<OPEN>, message),
            row = const size_of::<[u64; OPEN]>(), p1 = const place(OPEN, 1), p2 = const place(OPEN, 2),
        );
    }
    (z, h)
}

/// The same without assembly, which the sanitizer cannot follow.
#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2")]
pub(super) fn rounds(work: &mut Work<SEAL>) -> [__m512i; 16] {
    columns(work, 2..26)
}

/// The same to open.
#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2")]
pub(super) fn rounds_ahead(work: &mut Work<OPEN>, aad: &[u8], message: &InOut<'_>) -> ([__m512i; 16], [u64; 3]) {
    use crate::mac::poly1305::{State as Mac, block};
    let z = columns(work, 1..9);
    let mut mac = Mac { r: [work.r[0], work.r[1]], s: [0; 2], h: [0; 3] };
    for chunk in aad.chunks(16) {
        let mut m = [0; 16];
        m[..chunk.len()].copy_from_slice(chunk);
        block(&mut mac, &m, 1);
    }
    for i in 0..AHEAD {
        let mut m = [0; 16];
        message.read(16 * i, &mut m);
        block(&mut mac, &m, 1);
    }
    (z, mac.h)
}

/// Key stream, and these powers, the last first.
#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,bmi1,bmi2")]
fn columns<const ROW: usize>(work: &mut Work<ROW>, powers: core::ops::Range<usize>) -> [__m512i; 16] {
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
    for n in 1..=40 {
        if n > 1 {
            power = product(&power, &r);
        }
        if powers.contains(&n) {
            for i in 0..3 {
                work.powers[i][powers.end - 1 - n] = power[i];
            }
        }
        if n % 8 == 0 {
            work.strides[n / 8 - 1] = limbs(power);
        }
    }
    z
}

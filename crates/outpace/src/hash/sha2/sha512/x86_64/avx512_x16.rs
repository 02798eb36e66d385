//! SHA-512 on sixteen messages, for cores that execute 512-bit instructions as two halves: two groups of eight, one word of
//! each message in a lane, step by step beside each other; the words of the next blocks beside them in scalar registers.
//!
//! Floor on Zen 4: the operations of [`avx512_x8`] at two a cycle, 1032 cycles for eight blocks. One group alone does not
//! reach it in any order (1175 at best): an instruction is bound to a pipe before it is known when it can start, and with
//! few independent ones some pipe idles. Two groups come near in the plain order, an instruction of the one and the same of
//! the other (1060 to 1075); in the best of some thousand orders they take 1045. That includes the turning of blocks into
//! lanes, which scalar loads and stores do beside the rounds: 15 cycles, where shuffles with nothing beside them take a
//! hundred. A block that all messages have in common, as the padding of equal lengths, has one schedule, in scalar registers:
//! 720 cycles for eight, and 640 is the floor. Whole messages are one call, so that states and words are turned once.
//!
//! Tried: half of one group's schedule in scalar registers too, which leaves the pipes 9 % less to do, by count. The rest
//! of that schedule is then in ymm registers, or is every other word of it; 56 instructions more a round take back what
//! the pipes gain (1053 and 1200).

use super::avx512_x8;
use crate::cpu::{Features, Kernel};
use crate::hash::many::{LaneKernel, MAX_LANES};
use crate::hash::sha2::sha512::State;

/// Works on the first eight alone if the other slices are empty.
pub(crate) const KERNEL: Kernel<LaneKernel<State, 128>> = {
    let compress = |states: &mut [State; MAX_LANES], blocks: &Blocks| {
        // SAFETY: reached only through the kernel below, so on a CPU that has its features.
        unsafe { compress(states, blocks) }
    };
    let whole = |states: &mut [State; MAX_LANES], blocks: &Blocks, ends: &Blocks| {
        // SAFETY: the same.
        unsafe { whole(states, blocks, ends) }
    };
    let lanes = LaneKernel { width: MAX_LANES, compress, whole: Some(whole) };
    // SAFETY: both are built for exactly the features named here.
    unsafe { Kernel::new("avx512-halves", Features::AVX512.and(Features::BMI2), lanes) }.suited_to(Features::HALVES)
};

/// Equally many for each message.
type Blocks<'a> = [&'a [[u8; 128]]; MAX_LANES];

#[cfg(not(outpace_ct = "msan"))]
use in_step::{compress as compress_sixteen, whole};

#[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
fn compress(states: &mut [State; MAX_LANES], blocks: &Blocks) {
    if blocks[8..].iter().all(|blocks| blocks.is_empty()) {
        let ([states, _], [blocks, _]) = (states.as_chunks_mut::<8>().0, blocks.as_chunks::<8>().0) else {
            unreachable!("two groups")
        };
        return avx512_x8::compress(states, blocks);
    }
    compress_sixteen(states, blocks);
}

/// Without assembly, which the sanitizer cannot follow.
#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn compress_sixteen(states: &mut [State; MAX_LANES], blocks: &Blocks) {
    for (states, blocks) in states.as_chunks_mut().0.iter_mut().zip(blocks.as_chunks().0) {
        avx512_x8::compress(states, blocks);
    }
}

#[cfg(outpace_ct = "msan")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn whole(states: &mut [State; MAX_LANES], blocks: &Blocks, ends: &Blocks) {
    compress_sixteen(states, blocks);
    compress_sixteen(states, ends);
}

#[cfg(not(outpace_ct = "msan"))]
mod rounds;

#[cfg(not(outpace_ct = "msan"))]
mod in_step {
    use super::rounds::{add, load, no_word, round, round_and_word, round_and_words, sixteen, store, variables, word};
    use super::{Blocks, avx512_x8};
    use crate::hash::many::MAX_LANES;
    use crate::hash::sha2::sha512::{K, State};
    use crate::mem::{Secret, Wipe};
    use crate::simd::{load512_u64, store512_u64, transpose8};
    use core::arch::x86_64::*;
    use core::mem::MaybeUninit;

    /// The working variables of both groups.
    type Variables = [[__m512i; 8]; 2];

    #[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
    pub(super) fn compress(states: &mut [State; MAX_LANES], blocks: &Blocks) {
        let groups = states.as_chunks::<8>().0;
        let mut s = Secret::new(
            [0, 1].map(|group: usize| transpose8(core::array::from_fn(|lane| load512_u64(&groups[group][lane])))),
        );
        take(&mut s, blocks, &[&[]; MAX_LANES]);
        store(states, &s);
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
    pub(super) fn whole(states: &mut [State; MAX_LANES], blocks: &Blocks, ends: &Blocks) {
        let mut s = Secret::new([states[0].map(|word| _mm512_set1_epi64(word as i64)); 2]);
        if ends.iter().all(|end| core::ptr::eq(*end, ends[0])) {
            take(&mut s, blocks, &[&[]; MAX_LANES]);
            ends[0].iter().for_each(|block| alike(&mut s, block));
        } else {
            take(&mut s, blocks, ends);
        }
        store(states, &s);
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(states: &mut [State; MAX_LANES], s: &Variables) {
        for (states, s) in states.as_chunks_mut::<8>().0.iter_mut().zip(s) {
            for (state, s) in states.iter_mut().zip(transpose8(*s)) {
                store512_u64(state, s);
            }
        }
    }

    /// The words of a block of each message: W(t), W(t + 1), ... of both groups.
    type Words = [[__m512i; 2]; 16];

    /// Takes equally many blocks, which may be none, and then equally many others.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
    fn take(s: &mut Variables, blocks: &Blocks, ends: &Blocks) {
        let parts = if blocks[0].is_empty() { [ends, blocks] } else { [blocks, ends] };
        let [n, m] = parts.map(|blocks| {
            assert!(blocks.iter().all(|b| b.len() == blocks[0].len()), "equally many");
            blocks[0].len()
        });
        if n == 0 {
            return;
        }
        // The words of these blocks and of the next.
        let mut w = MaybeUninit::<[Words; 2]>::uninit();
        let now = w.as_mut_ptr().cast::<Words>();
        for (group, blocks) in parts[0].as_chunks().0.iter().enumerate() {
            avx512_x8::words(blocks, 0, |t, word| {
                // SAFETY: one of sixteen times two places.
                unsafe { now.cast::<__m512i>().add(2 * t + group).write(word) };
            });
        }
        // After the last block come constants, so that of both halves only one has to be wiped.
        let none = [K.as_ptr().cast(); MAX_LANES];
        let [first, second] = parts.map(|blocks| blocks.map(|blocks| blocks.as_ptr()));
        // SAFETY: as many blocks of each, and at least the 640 bytes of K.
        unsafe {
            let halves = [now, now.add(1)];
            let halves = if m == 0 {
                steps(s, halves, n, &[first, none])
            } else {
                let halves = steps(s, halves, n, &[first, second]);
                steps(s, halves, m, &[second, none])
            };
            (*halves[1]).wipe();
        }
    }

    /// Takes `n` blocks, the words of whose first are in the first half of W. The words of what follows them are there
    /// afterwards, and other words in the second; they may have changed places.
    ///
    /// # Safety
    /// `n` is not 0. `messages` are `n` blocks each, and one block each that follows. The first half of W is initialised, the
    /// second can be written.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    unsafe fn steps(
        s: &mut Variables,
        halves: [*mut Words; 2],
        n: usize,
        messages: &[[*const [u8; 128]; MAX_LANES]; 2],
    ) -> [*mut Words; 2] {
        let [mut now, mut next] = halves;
        let last = usize::from(n == 1);
        // Registers: the variables, temporaries in the others. `off` is where the next blocks are in their messages.
        // SAFETY: this function has the instructions. Reads what the caller vouches for, the 80 constants and `messages`; reads
        // and writes `s`, the first half of W, and the second after it was written.
        unsafe {
            core::arch::asm!(
                variables!(load),
                // Jumped to: to fall into a loop has taken 0.4 % longer (Zen 4).
                "jmp 2f",
                ".p2align 6",
                "2:",
                "mov {i:e}, 4",
                "jmp 3f",
                ".p2align 6",
                "3:",
                "mov {p0}, [{messages}]", "mov {p1}, [{messages} + 8]",
                "mov {p2}, [{messages} + 16]", "mov {p3}, [{messages} + 24]",
                sixteen!(round_and_words),
                "sub {k}, -128", "add {messages}, 32", "add {next}, 32",
                "dec {i}",
                "jnz 3b",
                sixteen!(round word),
                variables!(add), variables!(store),
                "sub {k}, 512", "add {messages}, -128", "add {next}, -128",
                "xchg {w}, {next}",
                "sub {off}, -128",
                "xor {x:e}, {x:e}",
                "lea {p0}, [{messages} + 128]",
                "dec {n}",
                "cmp {n}, 1",
                "cmove {off}, {x}",
                "cmove {messages}, {p0}",
                "jae 2b",
                w = inout(reg) now, next = inout(reg) next, k = inout(reg) K.as_ptr() => _,
                messages = inout(reg) messages.as_ptr().add(last) => _, s = in(reg) s.as_mut_ptr(), n = inout(reg) n => _,
                off = inout(reg) 128 * (1 - last) => _, i = out(reg) _, x = out(reg) _,
                p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
                out("zmm30") _, out("zmm31") _,
                options(nostack),
            );
        }
        [now, next]
    }

    /// A block that all messages have in common: its words are the same in every lane.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
    fn alike(s: &mut Variables, block: &[u8; 128]) {
        // W and W + K of sixteen rounds.
        let mut words = Secret::new([[0; 16]; 2]);
        let [w, wk] = &mut *words;
        for (t, bytes) in block.as_chunks().0.iter().enumerate() {
            w[t] = u64::from_be_bytes(*bytes);
            wk[t] = w[t].wrapping_add(K[t]);
        }
        // SAFETY: this function has the instructions. Reads the 80 constants, reads and writes `w`, `wk` and `s`.
        unsafe {
            core::arch::asm!(
                variables!(load),
                "mov {i:e}, 4",
                "jmp 2f",
                ".p2align 6",
                "2:",
                sixteen!(round_and_word),
                "sub {constants}, -128",
                "dec {i}",
                "jnz 2b",
                sixteen!(round no_word),
                variables!(add), variables!(store),
                k = in(reg) wk.as_mut_ptr(), w = in(reg) w.as_mut_ptr(), constants = inout(reg) K.as_ptr() => _,
                s = in(reg) s.as_mut_ptr(), i = out(reg) _, six = in(reg) 6_u64, seven = in(reg) 7_u64,
                x = out(reg) _, y = out(reg) _, z = out(reg) _, v = out(reg) _,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                out("zmm12") _, out("zmm13") _, out("zmm14") _, out("zmm15") _, out("zmm16") _, out("zmm17") _,
                out("zmm18") _, out("zmm19") _, out("zmm20") _, out("zmm21") _, out("zmm22") _, out("zmm23") _,
                out("zmm24") _, out("zmm25") _, out("zmm26") _, out("zmm27") _, out("zmm28") _, out("zmm29") _,
                out("zmm30") _, out("zmm31") _,
                options(nostack),
            );
        }
    }
}

//! ChaCha20-Poly1305 (RFC 8439 section 2.8), 17 to 22 blocks, for cores that run 512-bit instructions in halves (Zen 4).
//!
//! All key stream, the one-time key and the powers of r are made at once, see `lockstep`. Then it is transposed four blocks
//! at a time, and Poly1305 takes vectors of eight of its blocks as soon as they are there. The last three vectors have powers
//! of their own in each lane, so that the only reduction is beside the last two. The floor of this part are 18 cycles a
//! vector for VPMADD52 and a shift, which have two pipes, and some 90 before and behind: 290 for 11 vectors.

use super::super::lengths;
use super::lockstep::{STRIDES, Work, rounds};
use crate::cipher::chacha20::State;
use crate::mac::poly1305::x86_64::ifma::{self, Limbs};
use crate::mac::poly1305::x86_64::mulx;
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::{InOut, Secret};
use crate::simd;
use core::arch::x86_64::*;

/// r^(8 n) in all lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn stride(strides: &[[u64; 8]; 3], n: usize) -> Limbs {
    core::array::from_fn(|i| _mm512_set1_epi64(strides[i][n - 1].cast_signed()))
}

/// r^(n + 1 - b) in the lane of block b, and zero from b = n on, in words.
#[inline]
#[target_feature(enable = "avx512f")]
fn own(work: &Work, n: usize) -> [__m512i; 3] {
    core::array::from_fn(|i| simd::load512_u64(work.powers[i][25 - n..].first_chunk().expect("n is at most 24")))
}

/// Limbs of words.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2")]
fn limbs([a, b, c]: [__m512i; 3]) -> Limbs {
    let limb = _mm512_set1_epi64((1 << 52) - 1);
    [
        _mm512_and_si512(a, limb),
        _mm512_and_si512(_mm512_shrdi_epi64::<52>(a, b), limb),
        _mm512_or_si512(_mm512_srli_epi64::<40>(b), _mm512_slli_epi64::<24>(c)),
    ]
}

/// Columns of a sum of products, those with the longest chains in two.
struct Sum {
    c0: __m512i,
    c1: __m512i,
    c2: [__m512i; 2],
    c3: [__m512i; 2],
    c4: __m512i,
    c5: __m512i,
}

impl Sum {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Self {
        let z = _mm512_setzero_si512();
        Self { c0: z, c1: z, c2: [z; 2], c3: [z; 2], c4: z, c5: z }
    }

    /// += a b for a below 2^129.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add(&mut self, a: &Limbs, b: &Limbs) {
        self.c0 = _mm512_madd52lo_epu64(self.c0, a[0], b[0]);
        self.c1 = _mm512_madd52lo_epu64(self.c1, a[0], b[1]);
        self.c2[0] = _mm512_madd52lo_epu64(self.c2[0], a[0], b[2]);
        self.c3[0] = _mm512_madd52lo_epu64(self.c3[0], a[1], b[2]);
        self.c4 = _mm512_madd52lo_epu64(self.c4, a[2], b[2]);
        self.c1 = _mm512_madd52lo_epu64(self.c1, a[1], b[0]);
        self.c2[1] = _mm512_madd52hi_epu64(self.c2[1], a[0], b[1]);
        self.c3[1] = _mm512_madd52hi_epu64(self.c3[1], a[0], b[2]);
        self.c2[0] = _mm512_madd52lo_epu64(self.c2[0], a[1], b[1]);
        self.c3[0] = _mm512_madd52lo_epu64(self.c3[0], a[2], b[1]);
        self.c4 = _mm512_madd52hi_epu64(self.c4, a[1], b[2]);
        self.c1 = _mm512_madd52hi_epu64(self.c1, a[0], b[0]);
        self.c2[1] = _mm512_madd52hi_epu64(self.c2[1], a[1], b[0]);
        self.c3[1] = _mm512_madd52hi_epu64(self.c3[1], a[1], b[1]);
        self.c2[0] = _mm512_madd52lo_epu64(self.c2[0], a[2], b[0]);
        self.c4 = _mm512_madd52hi_epu64(self.c4, a[2], b[1]);
        self.c3[1] = _mm512_madd52hi_epu64(self.c3[1], a[2], b[0]);
    }

    /// What `add` leaves out: the upper half of the product of the top limbs.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn add_top(&mut self, a: &Limbs, b: &Limbs) {
        self.c5 = _mm512_madd52hi_epu64(self.c5, a[2], b[2]);
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn columns(&self) -> ifma::Columns {
        let c2 = _mm512_add_epi64(self.c2[0], self.c2[1]);
        let c3 = _mm512_add_epi64(self.c3[0], self.c3[1]);
        [self.c0, self.c1, c2, c3, self.c4, self.c5]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn pin(&mut self) {
        let mut c = [self.c0, self.c1, self.c2[0], self.c2[1], self.c3[0], self.c3[1], self.c4];
        simd::pin(&mut c);
        [self.c0, self.c1, self.c2[0], self.c2[1], self.c3[0], self.c3[1], self.c4] = c;
    }
}

/// As `ifma::split`, but lane i is block i.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2")]
fn split_in_order(vector: [__m512i; 2]) -> Limbs {
    let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    ifma::limbs_of(
        _mm512_permutex2var_epi64(vector[0], even, vector[1]),
        _mm512_permutex2var_epi64(vector[0], odd, vector[1]),
    )
}

/// Xors 64 bytes with key stream and returns the ciphertext.
///
/// # Safety
/// There are so many bytes from `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn crypt<const OPEN: bool>(data: &mut InOut<'_>, at: usize, stream: __m512i) -> __m512i {
    // SAFETY: the caller's; the bytes are initialised, and nothing else refers to them.
    unsafe {
        let from = _mm512_loadu_si512(data.input().add(at).cast());
        let to = _mm512_xor_si512(from, stream);
        _mm512_storeu_si512(data.output().add(at).cast(), to);
        if OPEN { from } else { to }
    }
}

/// The same for `n` bytes, at most 64; zeros behind the ciphertext.
///
/// # Safety
/// As above.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
unsafe fn crypt_masked<const OPEN: bool>(data: &mut InOut<'_>, at: usize, n: usize, stream: __m512i) -> __m512i {
    let mask = _bzhi_u64(u64::MAX, n as u32);
    // SAFETY: the mask leaves out what is beyond the caller's.
    unsafe {
        let from = _mm512_maskz_loadu_epi8(mask, data.input().add(at).cast());
        let to = _mm512_maskz_mov_epi8(mask, _mm512_xor_si512(from, stream));
        _mm512_mask_storeu_epi8(data.output().add(at).cast(), mask, to);
        if OPEN { from } else { to }
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
pub(super) fn message<const OPEN: bool>(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], data: InOut<'_>) -> [u8; 16] {
    match data.len().div_ceil(128) {
        9 => part::<OPEN, 9>(key, nonce, aad, data),
        10 => part::<OPEN, 10>(key, nonce, aad, data),
        _ => part::<OPEN, 11>(key, nonce, aad, data),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
fn part<const OPEN: bool, const V: usize>(
    key: &[u32; 8],
    nonce: &[u32; 3],
    aad: &[u8],
    mut data: InOut<'_>,
) -> [u8; 16] {
    let len = data.len();
    assert!(len > 128 * (V - 1) && len <= 128 * V);
    let rest = len - 128 * (V - 1);
    let last = rest.div_ceil(16);
    let mut work = Secret::new(Work::new(State::new(key, 0, nonce)));
    let z = rounds(&mut work);
    let y = &work.y;
    let mut strides = Secret::new([[0; 8]; 3]);
    let all = [0, 1, 2].map(|i| simd::load512_u64(work.powers[i][STRIDES..].first_chunk().expect("eight strides")));
    for (row, strides) in strides.iter_mut().zip(limbs(all)) {
        simd::store512_u64(row, strides);
    }
    // In registers: a state in memory is stored by words and copied by vectors, which waits for each other.
    let mut h = [0; 3];
    let (blocks, partial) = aad.as_chunks::<16>();
    for m in blocks {
        mulx::block(&mut h, &work.r, m);
    }
    if !partial.is_empty() {
        let mask = _bzhi_u32(u32::MAX, partial.len() as u32) as u16;
        let mut m = [0; 16];
        // SAFETY: the mask leaves out what is beyond the end.
        simd::store128(&mut m, unsafe { _mm_maskz_loadu_epi8(mask, partial.as_ptr().cast()) });
        mulx::block(&mut h, &work.r, &m);
    }
    let aad_only = ifma::spread(h);
    // The block of lengths is the last and alone.
    let mut end = [0; 3];
    mulx::block(&mut end, &work.r, &lengths(aad.len(), len));

    // All words of four blocks in each 128-bit lane, then, by fours, blocks.
    let mut q = z;
    for rows in q.as_chunks_mut::<4>().0 {
        *rows = simd::quad(*rows);
    }
    let four = |j: usize| -> [__m512i; 4] {
        let (a, b, c, d) = (q[j], q[4 + j], q[8 + j], q[12 + j]);
        let (ab0, ab1) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
        let (cd0, cd1) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
        [
            _mm512_shuffle_i32x4::<0x88>(ab0, cd0),
            _mm512_shuffle_i32x4::<0x88>(ab1, cd1),
            _mm512_shuffle_i32x4::<0xdd>(ab0, cd0),
            _mm512_shuffle_i32x4::<0xdd>(ab1, cd1),
        ]
    };
    let mut c = Sum::zero();
    let mut h = [_mm512_setzero_si512(); 3];
    let mut d = Sum::zero();
    let mut zeroth = h;
    let mut columns = ifma::zero();
    macro_rules! vector {
        ($v:expr, $blocks:expr) => {
            let v = $v;
            if v == 0 {
                // Last of its stage: it waits for the associated data.
                zeroth = ifma::split($blocks);
                simd::pin(&mut zeroth);
            } else if v < V - 3 {
                c.add(&ifma::split($blocks), &stride(&strides, V - 3 - v));
            }
            if v == V - 4 {
                let m = ifma::add(&aad_only, &zeroth);
                let p = stride(&strides, V - 3);
                c.add(&m, &p);
                c.add_top(&m, &p);
                // The last two hide the latency of the reduction.
                columns = ifma::carry(c.columns());
                simd::pin(&mut columns);
                [d.c0, d.c1, d.c2[0]] = ifma::spread(end);
            }
            if v == V - 2 {
                d.add(&split_in_order($blocks), &limbs(own(&work, 8 + last)));
                d.pin();
            } else if v == V - 1 {
                h = ifma::fold(columns);
                simd::pin(&mut h);
                d.add(&split_in_order($blocks), &limbs(own(&work, last)));
                d.pin();
            }
            c.pin();
        };
    }
    let mut third = [_mm512_setzero_si512(); 2];
    macro_rules! four {
        ($j:expr) => {{
            let s = four($j);
            let mut t = s;
            for i in 0..4 {
                // SAFETY: there are more than sixteen blocks.
                t[i] = unsafe { crypt::<OPEN>(&mut data, 64 * (4 * $j + i), s[i]) };
            }
            simd::pin(&mut t);
            t
        }};
    }
    let a = four!(0);
    let b = four!(1);
    vector!(0, [a[0], a[1]]);
    vector!(1, [a[2], a[3]]);
    let a = four!(2);
    vector!(2, [b[0], b[1]]);
    vector!(3, [b[2], b[3]]);
    let b = four!(3);
    vector!(4, [a[0], a[1]]);
    vector!(5, [a[2], a[3]]);
    if V - 3 == 6 {
        third = [b[0], b[1]];
    }
    if V - 3 == 7 {
        third = [b[2], b[3]];
    }
    macro_rules! two {
        ($v:expr) => {{
            let j = $v - 8;
            // What the last two blocks need is loaded for them: the compiler would copy it to memory that nobody wipes.
            let y = if j == 2 { core::hint::black_box(y) } else { y };
            let upper = simd::quad([0, 1, 2, 3].map(|i| simd::load512_u32(&y[i])));
            let lower = simd::quad([4, 5, 6, 7].map(|i| simd::load512_u32(&y[i])));
            let s =
                [_mm512_shuffle_i32x4::<0x88>(upper[j], lower[j]), _mm512_shuffle_i32x4::<0xdd>(upper[j], lower[j])];
            let mut t = s;
            for i in 0..2 {
                // SAFETY: V as asserted.
                t[i] = unsafe {
                    if $v < V - 1 {
                        crypt::<OPEN>(&mut data, 64 * (2 * $v + i), s[i])
                    } else if i == 0 {
                        crypt_masked::<OPEN>(&mut data, 128 * (V - 1), rest.min(64), s[i])
                    } else {
                        let at = if rest > 64 { 64 } else { 0 };
                        crypt_masked::<OPEN>(&mut data, 128 * (V - 1) + at, rest.saturating_sub(64), s[i])
                    }
                };
            }
            simd::pin(&mut t);
            t
        }};
    }
    macro_rules! next {
        ($v:expr) => {
            if $v < V {
                let t = two!($v);
                if $v == V - 3 {
                    third = t;
                }
                vector!($v, t);
            }
        };
    }
    vector!(6, [b[0], b[1]]);
    vector!(7, [b[2], b[3]]);
    next!(8);
    next!(9);
    next!(10);

    let m = ifma::add(&ifma::settle(h), &ifma::split(third));
    let p = limbs(own(&work, 16 + last).map(|x| _mm512_permutexvar_epi64(simd::load512_u64(&ifma::ORDER), x)));
    d.add(&m, &p);
    d.add_top(&m, &p);
    poly1305::tag(&Mac { r: [0; 2], s: work.s, h: ifma::collect(ifma::sums(d.columns())) })
}

//! ChaCha20-Poly1305 (RFC 8439 section 2.8), 15 to 24 blocks, to seal, for cores that run 512-bit
//! instructions in halves (Zen 4); `ahead` opens them.
//!
//! All key stream, the one-time key and the powers of r are made at once, see `lockstep`. Then it is transposed four blocks
//! at a time, and Poly1305 takes vectors of eight of its blocks beside that: the first four, times r^32 to r^8; the next one
//! to five, with what is carried over, times at most r^40 to r^8; the last three times powers of their own in each lane. So
//! both reductions are beside other vectors. The floor of this part are 18 cycles a vector for VPMADD52 and a shift, which
//! have two pipes, and some 100 before, between and behind: 300 for 11 vectors.

use super::super::lengths;
use super::lockstep::{Place, SEAL, Work, rounds};
use crate::mac::poly1305::x86_64::ifma::{self, Limbs};
use crate::mac::poly1305::x86_64::mulx;
use crate::mac::poly1305::{self, State as Mac};
use crate::mem::InOut;
use crate::simd;
use core::arch::x86_64::*;

/// r^(8 n) in all lanes, n from 1 to 5.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn stride<const ROW: usize>(work: &Work<ROW>, n: usize) -> Limbs {
    work.strides[n - 1].map(|limb| _mm512_set1_epi64(limb.cast_signed()))
}

/// r^(n + 1 - b) in the lane of block b, and zero from b = n on, in words.
#[inline]
#[target_feature(enable = "avx512f")]
fn own(work: &Work<SEAL>, n: usize) -> [__m512i; 3] {
    core::array::from_fn(|i| simd::load512_u64(work.powers[i][24 - n..].first_chunk().expect("n is at most 24")))
}

/// Limbs of words.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2")]
pub(super) fn limbs([a, b, c]: [__m512i; 3]) -> Limbs {
    let limb = _mm512_set1_epi64((1 << 52) - 1);
    [
        _mm512_and_si512(a, limb),
        _mm512_and_si512(_mm512_shrdi_epi64::<52>(a, b), limb),
        _mm512_or_si512(_mm512_srli_epi64::<40>(b), _mm512_slli_epi64::<24>(c)),
    ]
}

/// Columns of a sum of products, those with the longest chains in two.
pub(super) struct Sum {
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
    pub(super) fn zero() -> Self {
        let z = _mm512_setzero_si512();
        Self { c0: z, c1: z, c2: [z; 2], c3: [z; 2], c4: z, c5: z }
    }

    /// += a b for a below 2^129.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    pub(super) fn add(&mut self, a: &Limbs, b: &Limbs) {
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
    pub(super) fn add_top(&mut self, a: &Limbs, b: &Limbs) {
        self.c5 = _mm512_madd52hi_epu64(self.c5, a[2], b[2]);
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn columns(&self) -> ifma::Columns {
        let c2 = _mm512_add_epi64(self.c2[0], self.c2[1]);
        let c3 = _mm512_add_epi64(self.c3[0], self.c3[1]);
        [self.c0, self.c1, c2, c3, self.c4, self.c5]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn pin(&mut self) {
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

/// Xors 64 bytes with key stream and returns what it writes.
///
/// # Safety
/// There are so many bytes from `at` on.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn crypt(data: &mut InOut<'_>, at: usize, stream: __m512i) -> __m512i {
    // SAFETY: the caller's; the bytes are initialised, and nothing else refers to them.
    unsafe {
        let from = _mm512_loadu_si512(data.input().add(at).cast());
        let to = _mm512_xor_si512(from, stream);
        _mm512_storeu_si512(data.output().add(at).cast(), to);
        to
    }
}

/// The same for those of N blocks that there are, perhaps none; zeros behind the end. In few branches: across them
/// the compiler would keep key stream in memory that nobody wipes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(super) fn crypt_blocks<const N: usize>(data: &mut InOut<'_>, at: usize, mut stream: [__m512i; N]) -> [__m512i; N] {
    let len = data.len();
    // SAFETY: what is loaded and stored is there, or a mask leaves it out.
    unsafe {
        if len >= at + 64 * N {
            for i in 0..N {
                stream[i] = crypt(data, at + 64 * i, stream[i]);
            }
        } else if len > at {
            for i in 0..N {
                let n = (len - at).saturating_sub(64 * i);
                let mask = _bzhi_u64(u64::MAX, n.min(64) as u32);
                // To load nothing from where nothing is takes 135 cycles (Zen 4).
                let at = if n == 0 { at } else { at + 64 * i };
                let from = _mm512_maskz_loadu_epi8(mask, data.input().add(at).cast());
                let to = _mm512_maskz_mov_epi8(mask, _mm512_xor_si512(from, stream[i]));
                _mm512_mask_storeu_epi8(data.output().add(at).cast(), mask, to);
                stream[i] = to;
            }
        } else {
            stream = [_mm512_setzero_si512(); N];
        }
    }
    stream
}

/// All words of four blocks in each 128-bit lane.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn quads(mut z: [__m512i; 16]) -> [__m512i; 16] {
    for rows in z.as_chunks_mut::<4>().0 {
        *rows = simd::quad(*rows);
    }
    z
}

/// Of these, blocks 4 j + 1 to 4 j + 4.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn four(q: &[__m512i; 16], j: usize) -> [__m512i; 4] {
    let (a, b, c, d) = (q[j], q[4 + j], q[8 + j], q[12 + j]);
    let (ab0, ab1) = (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
    let (cd0, cd1) = (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
    [
        _mm512_shuffle_i32x4::<0x88>(ab0, cd0),
        _mm512_shuffle_i32x4::<0x88>(ab1, cd1),
        _mm512_shuffle_i32x4::<0xdd>(ab0, cd0),
        _mm512_shuffle_i32x4::<0xdd>(ab1, cd1),
    ]
}

/// Blocks 2 j + 17 and 2 j + 18.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn two<const ROW: usize>(work: &Work<ROW>, j: usize) -> [__m512i; 2] {
    // Loaded each time: the compiler would copy key stream to memory that nobody wipes.
    let y = core::hint::black_box(&work.y);
    let upper = simd::quad([0, 1, 2, 3].map(|i| simd::load512_u32(&y[i])))[j];
    let lower = simd::quad([4, 5, 6, 7].map(|i| simd::load512_u32(&y[i])))[j];
    [_mm512_shuffle_i32x4::<0x88>(upper, lower), _mm512_shuffle_i32x4::<0xdd>(upper, lower)]
}

/// Whole blocks, and zeros up to one, in general registers.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi2")]
pub(super) fn absorb(h: &mut [u64; 3], r: &mulx::Multiplier, bytes: &[u8]) {
    let (blocks, partial) = bytes.as_chunks::<16>();
    for m in blocks {
        mulx::block(h, r, m);
    }
    if !partial.is_empty() {
        let mask = _bzhi_u32(u32::MAX, partial.len() as u32) as u16;
        let mut m = [0; 16];
        // SAFETY: the mask leaves out what is beyond the end.
        simd::store128(&mut m, unsafe { _mm_maskz_loadu_epi8(mask, partial.as_ptr().cast()) });
        mulx::block(h, r, &m);
    }
}

/// Ciphertext; no vector lies on two cache lines.
#[repr(align(64))]
struct Kept([[u8; 64]; 16]);

/// 8 to 12 vectors.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512ifma,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt")]
pub(super) fn seal(key: &[u32; 8], nonce: &[u32; 3], aad: &[u8], mut data: InOut<'_>) -> [u8; 16] {
    let len = data.len();
    assert!(len > 128 * 7 && len <= 128 * 12);
    let vectors = len.div_ceil(128);
    let last = (len - 128 * (vectors - 1)).div_ceil(16);
    // SAFETY: so it has.
    let mut place = unsafe { Place::<SEAL>::new() };
    let work = place.work(key, nonce);
    let z = rounds(work);
    let q = quads(z);
    // Ciphertext from the fifth vector on.
    let mut kept = Kept([[0; 64]; 16]);
    macro_rules! four {
        ($j:expr) => {{
            let mut t = crypt_blocks(&mut data, 256 * $j, four(&q, $j));
            if $j >= 2 {
                for i in 0..4 {
                    simd::store512(&mut kept.0[4 * $j - 8 + i], t[i]);
                }
            }
            simd::pin(&mut t);
            t
        }};
    }
    macro_rules! two {
        ($j:expr) => {{
            let t = crypt_blocks(&mut data, 1024 + 128 * $j, two(work, $j));
            simd::store512(&mut kept.0[8 + 2 * $j], t[0]);
            simd::store512(&mut kept.0[9 + 2 * $j], t[1]);
        }};
    }
    let mut c = Sum::zero();
    let a = four!(0);
    let b = four!(1);
    c.add(&ifma::split([a[2], a[3]]), &stride(work, 3));
    c.pin();
    four!(2);
    c.add(&ifma::split([b[0], b[1]]), &stride(work, 2));
    c.pin();
    four!(3);
    c.add(&ifma::split([b[2], b[3]]), &stride(work, 1));
    c.pin();
    two!(0);
    two!(1);
    // In registers: a state in memory is stored by words and copied by vectors, which waits for each other, and would stay
    // there.
    let mut h = [0; 3];
    absorb(&mut h, &work.r, aad);
    // The first waits for the associated data.
    let m = ifma::add(&ifma::spread(h), &ifma::split([a[0], a[1]]));
    let p = stride(work, 4);
    c.add(&m, &p);
    c.add_top(&m, &p);
    c.pin();
    two!(2);
    two!(3);
    let kept = kept.0.as_flattened().as_chunks::<128>().0;
    let mut columns = ifma::carry(c.columns());
    simd::pin(&mut columns);

    let mut c = Sum::zero();
    for v in 5..vectors - 3 {
        c.add(&ifma::split(ifma::load(&kept[v - 4])), &stride(work, vectors - 3 - v));
        c.pin();
    }
    let m = ifma::add(&ifma::fold(columns), &ifma::split(ifma::load(&kept[0])));
    let p = stride(work, vectors - 7);
    c.add(&m, &p);
    c.add_top(&m, &p);
    // The last two hide the latency of the reduction.
    let mut columns = ifma::carry(c.columns());
    simd::pin(&mut columns);
    let mut d = Sum::zero();
    d.add(&split_in_order(ifma::load(&kept[vectors - 6])), &limbs(own(work, 8 + last)));
    d.pin();
    let mut h = ifma::fold(columns);
    simd::pin(&mut h);
    d.add(&split_in_order(ifma::load(&kept[vectors - 5])), &limbs(own(work, last)));
    d.pin();
    let m = ifma::add(&h, &ifma::split(ifma::load(&kept[vectors - 7])));
    let p = limbs(own(work, 16 + last).map(|x| _mm512_permutexvar_epi64(simd::load512_u64(&ifma::ORDER), x)));
    d.add(&m, &p);
    d.add_top(&m, &p);
    // The block of lengths is the last and alone.
    let mut end = [0; 3];
    mulx::block(&mut end, &work.r, &lengths(aad.len(), len));
    let mut columns = ifma::sums(d.columns());
    for (column, limb) in columns.iter_mut().zip(ifma::limbs(end)) {
        *column += limb;
    }
    poly1305::tag(&Mac { r: [0; 2], s: work.s, h: ifma::collect(columns) })
}

//! One body for every kernel of BLAKE2, known answers, and comparison with implementations written by others.

use super::*;
use crate::Error;
use crate::hash::tests::{agrees, lane_kernel, many, streaming};
use std::vec::Vec;
use testkit::{Guarded, Rng, hex, rsp, vectors};

/// A state that a kernel may meet, counters that carry from one word to the next among them.
fn random<W: Copy>(rng: &mut Rng, word: fn(u64) -> W) -> State<W> {
    let t = match rng.below(5) {
        0 => 0,
        1 => u128::from(u32::MAX) - rng.below(300) as u128,
        2 => u128::from(u64::MAX) - rng.below(300) as u128,
        3 => u128::MAX - rng.below(300) as u128,
        _ => u128::from(rng.u64()) << 32,
    };
    State { h: core::array::from_fn(|_| word(rng.u64())), t, f: if rng.below(2) == 0 { 0 } else { u64::MAX } }
}

/// What every kernel must do: `oracle` is the portable one.
fn kernel<W: Copy + PartialEq + fmt::Debug, const N: usize>(
    name: &str,
    compress: Compress<W, N>,
    oracle: Compress<W, N>,
    word: fn(u64) -> W,
) {
    let mut rng = Rng::new(11);
    for n in (0..=9).chain([16, 17]) {
        let data = rng.bytes(n * N + 3);
        for shift in 0..=3 {
            let start = random(&mut rng, word);
            let bytes = &data[shift..shift + n * N];
            let mut expected = start;
            // Block by block: the oracle's own loop is under test too.
            for block in bytes.as_chunks().0 {
                oracle(&mut expected, core::slice::from_ref(block));
            }
            let mut state = start;
            compress(&mut state, bytes.as_chunks().0);
            assert_eq!(state, expected, "{name}, {n} blocks, shifted {shift}");
            Guarded::both(bytes, |bytes| {
                let mut state = start;
                compress(&mut state, bytes.as_chunks().0);
                assert_eq!(state, expected, "{name}, {n} blocks, guarded");
            });
        }
    }
}

#[test]
fn every_blake2b_kernel() {
    let oracle = blake2b::COMPRESS.all().last().unwrap().1;
    for (name, compress) in blake2b::COMPRESS.all() {
        kernel(name, compress, oracle, |word| word);
    }
    for (name, many) in blake2b::LANES.all() {
        lane_kernel(name, many, oracle, |rng| random(rng, |word| word));
    }
}

#[test]
fn every_blake2s_kernel() {
    let oracle = blake2s::COMPRESS.all().last().unwrap().1;
    for (name, compress) in blake2s::COMPRESS.all() {
        kernel(name, compress, oracle, |word| word as u32);
    }
    for (name, many) in blake2s::LANES.all() {
        lane_kernel(name, many, oracle, |rng| random(rng, |word| word as u32));
    }
}

fn known<H: Hash>(file: &str) {
    let records = rsp(&vectors(file));
    assert!(records.len() >= 5);
    for record in records {
        let message = &record.hex("Msg")[..record.number("Len") / 8];
        assert_eq!(H::digest(message).as_ref(), record.hex("MD"), "{file}, {} bytes", message.len());
    }
}

/// The examples of RFC 7693, appendices A and B, and the values that PyCA tests with.
#[test]
fn known_answers() {
    assert_eq!(
        Blake2b512::digest(b"abc")[..],
        hex("ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1
             7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
    );
    assert_eq!(Blake2s256::digest(b"abc")[..], hex("508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"));
    known::<Blake2b512>("blake2/blake2b.txt");
    known::<Blake2s256>("blake2/blake2s.txt");
}

fn of<W: Words<N>, const N: usize>(builder: Builder<'_, W, N>, data: &[u8]) -> Vec<u8> {
    let mut hash = builder.build().unwrap();
    let mut out = std::vec![0; hash.output_len()];
    hash.update(data);
    hash.finish(&mut out).unwrap();
    out
}

/// RFC 7693, appendix E: a digest of digests over lengths of output, key and input.
fn self_test<W: Words<N>, const N: usize>(outputs: [usize; 4], inputs: [usize; 6]) -> Vec<u8> {
    let sequence = |len: usize, seed: u32| -> Vec<u8> {
        let (mut a, mut b) = (0xdead_4bad_u32.wrapping_mul(seed), 1u32);
        let next = |_| {
            (a, b) = (b, a.wrapping_add(b));
            (b >> 24) as u8
        };
        (0..len).map(next).collect()
    };
    let mut all = Blake2::<W, N>::builder().output_len(32).build().unwrap();
    for out in outputs {
        for len in inputs {
            let input = sequence(len, len as u32);
            all.update(&of(Blake2::<W, N>::builder().output_len(out), &input));
            let key = sequence(out, out as u32);
            all.update(&of(Blake2::<W, N>::builder().output_len(out).key(&key), &input));
        }
    }
    let mut out = std::vec![0; 32];
    all.finish(&mut out).unwrap();
    out
}

#[test]
fn rfc_7693_self_test() {
    assert_eq!(
        self_test::<blake2b::Words64, 128>([20, 32, 48, 64], [0, 3, 128, 129, 255, 1024]),
        hex("c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475")
    );
    assert_eq!(
        self_test::<blake2s::Words32, 64>([16, 20, 28, 32], [0, 3, 64, 65, 255, 1024]),
        hex("6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe")
    );
}

/// Salt and personalisation: values computed with Python's hashlib.
#[test]
fn salt_and_personalisation() {
    let builder = Blake2b::builder().output_len(24).key(b"key").salt(b"0123456789abcdef").personal(b"fedcba9876543210");
    assert_eq!(of(builder, b"abc"), hex(BLAKE2B_ALL));
    let builder = Blake2s::builder().output_len(24).key(b"key").salt(b"01234567").personal(b"76543210");
    assert_eq!(of(builder, b"abc"), hex(BLAKE2S_ALL));
}

const BLAKE2B_ALL: &str = "e0795d6ddd3ab96d7e239a78333f823074feed28414454e0";
const BLAKE2S_ALL: &str = "369e1d8e3a8b7f7f133dc551c005a9906b659857a2aaf0e4";

#[test]
fn streams_and_lanes() {
    streaming::<Blake2b512>();
    streaming::<Blake2s256>();
    many::<Blake2b512>();
    many::<Blake2s256>();
}

/// Against implementations written by others, with random parameters and random splits.
#[test]
fn agrees_with_blake2_simd() {
    let mut rng = Rng::new(13);
    let data = rng.bytes(1100);
    for len in 0..=data.len() {
        let message = &data[..len];
        assert_eq!(Blake2b512::digest(message)[..], *blake2b_simd::blake2b(message).as_bytes(), "{len} bytes");
        assert_eq!(Blake2s256::digest(message)[..], *blake2s_simd::blake2s(message).as_bytes(), "{len} bytes");

        let (out, key) = (1 + rng.below(64), rng.below(65));
        let key = rng.bytes(key);
        let (salt, personal) = (rng.array(), rng.array());
        let mut theirs = blake2b_simd::Params::new();
        theirs.hash_length(out).key(&key).salt(&salt).personal(&personal);
        let mut ours = Blake2b::builder().output_len(out).key(&key).salt(&salt).personal(&personal).build().unwrap();
        rng.pieces(message).iter().for_each(|piece| ours.update(piece));
        let mut digest = std::vec![0; out];
        ours.clone().finish(&mut digest).unwrap();
        assert_eq!(digest, theirs.hash(message).as_bytes(), "{len} bytes");
        ours.verify(&digest).unwrap();

        let (out, key) = (1 + rng.below(32), rng.below(33));
        let key = rng.bytes(key);
        let (salt, personal) = (rng.array(), rng.array());
        let mut theirs = blake2s_simd::Params::new();
        theirs.hash_length(out).key(&key).salt(&salt).personal(&personal);
        let mut ours = Blake2s::builder().output_len(out).key(&key).salt(&salt).personal(&personal).build().unwrap();
        rng.pieces(message).iter().for_each(|piece| ours.update(piece));
        let mut digest = std::vec![0; out];
        ours.clone().finish(&mut digest).unwrap();
        assert_eq!(digest, theirs.hash(message).as_bytes(), "{len} bytes");
        ours.verify(&digest).unwrap();
    }
}

/// A third implementation, for the plain functions.
#[test]
fn agrees_with_rustcrypto() {
    agrees::<Blake2b512, blake2::Blake2b512>();
    agrees::<Blake2s256, blake2::Blake2s256>();
}

#[test]
fn bad_parameters_are_refused() {
    fn check<W: Words<N>, const N: usize>() {
        let max = W::MAX;
        for out in [0, max + 1, 256, 257, usize::MAX] {
            let refused = Blake2::<W, N>::builder().output_len(out).build();
            assert!(matches!(refused, Err(Error::Parameter(text)) if text.contains("gives 1 to")), "{out}");
        }
        for key in [max + 1, 255, 256, 1000] {
            let key = std::vec![1; key];
            let refused = Blake2::<W, N>::builder().key(&key).build();
            assert!(matches!(refused, Err(Error::Parameter(text)) if text.contains("key")), "{}", key.len());
        }
        for out in [1, max] {
            let key = std::vec![1; max];
            let hash = Blake2::<W, N>::builder().output_len(out).key(&key).build().unwrap();
            for wrong in [0, out - 1, out + 1, 100] {
                if wrong != out {
                    let mut buffer = std::vec![9; wrong];
                    let length = |what| Error::Length { what, expected: out, got: wrong };
                    assert_eq!(hash.clone().finish(&mut buffer), Err(length("output")));
                    assert!(buffer.iter().all(|b| *b == 9));
                    assert_eq!(hash.clone().verify(&buffer), Err(length("tag")));
                }
            }
            let mut tag = std::vec![0; out];
            hash.clone().finish(&mut tag).unwrap();
            tag[out - 1] ^= 1;
            assert_eq!(hash.verify(&tag), Err(Error::Authentication));
        }
    }
    check::<blake2b::Words64, 128>();
    check::<blake2s::Words32, 64>();
}

#[test]
fn debug_shows_no_key() {
    let builder = Blake2s::builder().key(b"visible?");
    assert!(!std::format!("{builder:?} {:?}", builder.clone().build()).contains("118"));
}

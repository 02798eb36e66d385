//! One body for every kernel: NIST's values, and an implementation by others at every length of interest.

use super::*;
use crate::cipher::modes::Ctr;
use std::vec::Vec;
use testkit::{Edge, Guarded, Rng, rsp, vectors};

fn ecb<const K: usize>(ops: Ops, key: &[u8], plain: &[u8], encrypted: &[u8]) {
    let aes = Aes::<K>::with(ops, key.try_into().unwrap());
    let mut data = plain.to_vec();
    aes.encrypt_blocks(data.as_chunks_mut().0);
    assert_eq!(data, encrypted);
    aes.decrypt_blocks(data.as_chunks_mut().0);
    assert_eq!(data, plain);
}

/// AESAVS: messages of several blocks, the S-box, key bits.
#[test]
fn nist_values() {
    for (name, ops) in KERNELS.all() {
        for (bits, run) in [(128, ecb::<16> as fn(_, &[u8], &[u8], &[u8])), (192, ecb::<24>), (256, ecb::<32>)] {
            for file in ["MMT", "GFSbox", "KeySbox", "VarKey", "VarTxt"] {
                let records = rsp(&vectors(&std::format!("aes/ECB{file}{bits}.rsp")));
                for r in &records {
                    run(ops, &r.hex("KEY"), &r.hex("PLAINTEXT"), &r.hex("CIPHERTEXT"));
                }
                assert!(records.len() >= 10, "{name}: {} records in {file}{bits}", records.len());
            }
        }
    }
}

/// SP 800-38A, F.5: the counter mode example shared by all key sizes.
#[test]
fn counter_mode_example() {
    let plain = testkit::hex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    );
    let iv: [u8; 16] = testkit::hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff").try_into().unwrap();
    let key = testkit::hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
    let expected = testkit::hex(
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
         2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
    );
    for (name, ops) in KERNELS.all() {
        let aes = Aes::<32>::with(ops, key.as_slice().try_into().unwrap());
        let mut data = plain.clone();
        Ctr::new(&aes, &iv).apply(&mut data);
        assert_eq!(data, expected, "{name}");
    }
}

fn rustcrypto<const K: usize>(key: &[u8; K], blocks: &mut [[u8; 16]]) {
    use aes_gcm::aead::KeyInit;
    use aes_gcm::aes::cipher::BlockCipherEncrypt;
    use aes_gcm::aes::{Aes128, Aes192, Aes256};
    for block in blocks {
        match K {
            16 => Aes128::new_from_slice(key).unwrap().encrypt_block(block.into()),
            24 => Aes192::new_from_slice(key).unwrap().encrypt_block(block.into()),
            _ => Aes256::new_from_slice(key).unwrap().encrypt_block(block.into()),
        }
    }
}

fn blocks_and_streams<const K: usize>() {
    let mut rng = Rng::new(K as u64);
    for n in (0..=70).chain([100, 257]) {
        let (key, plain): ([u8; K], _) = (rng.array(), rng.bytes(16 * n));
        let mut expected = plain.clone();
        rustcrypto(&key, expected.as_chunks_mut().0);
        for (name, ops) in KERNELS.all() {
            let aes = Aes::<K>::with(ops, &key);
            for edge in [Edge::Start, Edge::End] {
                let mut data = Guarded::copy(&plain, edge);
                aes.encrypt_blocks(data.as_chunks_mut().0);
                assert!(*data == expected[..], "{name}, AES-{}, {n} blocks", 8 * K);
                aes.decrypt_blocks(data.as_chunks_mut().0);
                assert!(*data == plain[..], "{name}, AES-{}, {n} blocks", 8 * K);
            }
        }
    }
    // The counter carries over 32, 64 and 128 bits, at any place within what a kernel does at once.
    for carry in [8, 32, 64, 128] {
        for before in (0..20).chain([31, 32, 33, 64, 100]) {
            let low = if carry == 128 { u128::MAX } else { (1 << carry) - 1 };
            let start = (u128::from(rng.u64()) << 32 | low) - before as u128;
            let start = if carry == 128 { low - before as u128 } else { start & !(1 << 40) };
            let key: [u8; K] = rng.array();
            let len = 500 + rng.below(1500);
            let plain = rng.bytes(len);
            let mut stream: Vec<[u8; 16]> =
                (0..len.div_ceil(16)).map(|i| start.wrapping_add(i as u128).to_be_bytes()).collect();
            rustcrypto(&key, &mut stream);
            let expected: Vec<u8> = plain.iter().zip(stream.as_flattened()).map(|(p, s)| p ^ s).collect();
            for (name, ops) in KERNELS.all() {
                let aes = Aes::<K>::with(ops, &key);
                let mut data = Guarded::copy(&plain, Edge::End);
                Ctr::new(&aes, &start.to_be_bytes()).apply(&mut data);
                assert!(*data == expected[..], "{name}, AES-{}, {len} bytes, {before} before 2^{carry}", 8 * K);
                let mut ctr = Ctr::new(&aes, &start.to_be_bytes());
                let (mut out, mut at) = (std::vec![0; len], 0);
                for piece in rng.pieces(&plain) {
                    ctr.apply_to(piece, &mut out[at..at + piece.len()]).unwrap();
                    at += piece.len();
                }
                assert!(out == expected, "{name}, AES-{}, {len} bytes in pieces", 8 * K);
                assert!(ctr.apply_to(&[0], &mut []).is_err());
            }
        }
    }
}

#[test]
fn agrees_with_rustcrypto() {
    blocks_and_streams::<16>();
    blocks_and_streams::<24>();
    blocks_and_streams::<32>();
}

/// What the modes use, of every kernel, is what the portable one does; that one has the values of the standards.
fn modes<const K: usize>() {
    let mut rng = Rng::new(K as u64 + 1);
    for n in (0..=70).chain([100, 129, 257]) {
        let (key, chain): ([u8; K], [u8; 16]) = (rng.array(), rng.array());
        let oracle = Aes::<K>::with(portable::OPS, &key);
        // Near the end of the last 64 bits, but never over it.
        let mut count: [u8; 16] = rng.array();
        count[8..].copy_from_slice(&(u64::MAX - 300).to_be_bytes());
        for len in [16 * n, 16 * n + 1 + rng.below(15)] {
            let plain = rng.bytes(len);
            for (name, ops) in KERNELS.all() {
                let aes = Aes::<K>::with(ops, &key);
                let what = || std::format!("{name}, AES-{}, {len} bytes", 8 * K);
                for edge in [Edge::Start, Edge::End] {
                    let data = Guarded::copy(&plain, edge);
                    let keys = |aes: &Aes<K>, way: usize| if way == 0 { *aes.forward.keys } else { *aes.backward };
                    for way in 0..2 {
                        let sealed = |aes: &Aes<K>| {
                            let (mut chain, mut count, mut data) = (chain, count, Guarded::copy(&plain, edge));
                            aes.forward.ccm(way == 1, &mut chain, &mut count, InOut::in_place(&mut data));
                            (chain, count, data.to_vec())
                        };
                        assert!(sealed(&aes) == sealed(&oracle), "ccm {way} {}", what());
                        if len % 16 == 0 {
                            for first in [false, true] {
                                let sector = |aes: &Aes<K>, ops: Ops| {
                                    let (mut state, mut data) = (count, Guarded::copy(&plain, edge));
                                    let first = first.then_some(&*aes.forward.keys);
                                    let run = ops.xts[way];
                                    run(first, &keys(aes, way), &mut state, InOut::in_place(&mut data), true);
                                    (state, data.to_vec())
                                };
                                let same = sector(&aes, ops) == sector(&oracle, portable::OPS);
                                assert!(same, "xts {way}, {first} {}", what());
                            }
                        }
                    }
                    if len % 16 == 0 {
                        let (mut ours, mut theirs) = (chain, chain);
                        aes.forward.cbc_mac(&mut ours, data.as_chunks().0);
                        oracle.forward.cbc_mac(&mut theirs, data.as_chunks().0);
                        assert_eq!(ours, theirs, "mac {}", what());
                    }
                    if len % 8 == 0 && len > 0 {
                        let wrapped = |aes: &Aes<K>, back: bool| {
                            let mut data = Guarded::copy(&plain, edge);
                            let Some((start, words)) = data.split_first_chunk_mut() else { unreachable!() };
                            let ops = aes.forward.ops;
                            let run = if back { ops.unwrap } else { ops.wrap };
                            run(&keys(aes, usize::from(back)), start, words.as_chunks_mut().0);
                            data.to_vec()
                        };
                        for back in [false, true] {
                            assert!(wrapped(&aes, back) == wrapped(&oracle, back), "wrap {back} {}", what());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn modes_agree_with_portable() {
    modes::<16>();
    modes::<24>();
    modes::<32>();
}

//! One body for every kernel of SHA-2, and known answers for every function.

use super::*;
use crate::cpu::Dispatch;
use crate::hash::sha2::sha256::{self, Sha224, Sha256};
use crate::hash::sha2::sha512::{self, Sha384, Sha512, Sha512_224, Sha512_256};
use crate::hash::tests::{agrees, lane_kernel, many, streaming};
use testkit::{Edge, Guarded, Rng, hex, lengths_around, rsp, vectors};

/// The digest through an explicit kernel, as `Hash::digest` computes it.
fn digest_with<V: Variant<N>, const N: usize>(kernel: Sha2Kernel<State<V, N>, N>, message: &[u8]) -> V::Output {
    let mut state = V::START;
    let (blocks, rest) = split::<N, false>(message);
    kernel.finish::<V::Words>(&mut state, blocks, rest, message.len() as u128);
    output::<V, N>(&state)
}

/// What every kernel must do, beside the portable one.
fn every_kernel<V: Variant<N>, const N: usize>(kernels: &Dispatch<Sha2Kernel<State<V, N>, N>>) {
    let (_, oracle) = kernels.all().last().unwrap();
    for (name, kernel) in kernels.all() {
        let mut rng = Rng::new(1);
        for len in (0..2 * N + 2).chain(lengths_around([3 * N, 4 * N, 5 * N, 16 * N, 17 * N])) {
            let data = rng.bytes(len + 3);
            // Every alignment that matters to a load, and a forbidden page at either end.
            for shift in 0..=3 {
                let message = &data[shift..shift + len];
                let expected = digest_with::<V, N>(oracle, message);
                assert_eq!(digest_with::<V, N>(kernel, message), expected, "{name}, {len} bytes, shifted {shift}");
                Guarded::both(message, |m| {
                    assert_eq!(digest_with::<V, N>(kernel, m), expected, "{name} guarded {len}")
                });
            }
        }
        // The state is carried over blocks whatever it was before, and no block changes nothing.
        let blocks = rng.bytes(7 * N);
        let blocks: &[[u8; N]] = blocks.as_chunks().0;
        let (mut at_once, mut one_by_one) = (V::START, V::START);
        (kernel.compress)(&mut at_once, blocks);
        (kernel.compress)(&mut one_by_one, &[]);
        for block in blocks {
            (oracle.compress)(&mut one_by_one, core::slice::from_ref(block));
        }
        assert_eq!(output::<V, N>(&at_once), output::<V, N>(&one_by_one), "{name}");
        // Two blocks at once, each into a state of its own.
        if let Some(pair) = kernel.pair {
            let (mut first, mut second) = (V::START, V::START);
            (oracle.compress)(&mut second, &blocks[..1]);
            let (mut one, mut other) = (first, second);
            let guarded = [(1, Edge::Start), (2, Edge::End)].map(|(i, edge)| Guarded::copy(&blocks[i], edge));
            pair([&mut first, &mut second], guarded.each_ref().map(|block| block.first_chunk().unwrap()));
            (oracle.compress)(&mut one, &blocks[1..2]);
            (oracle.compress)(&mut other, &blocks[2..3]);
            assert_eq!(output::<V, N>(&first), output::<V, N>(&one), "{name}, first of two");
            assert_eq!(output::<V, N>(&second), output::<V, N>(&other), "{name}, second of two");
        }
        // A digest that ends another message, as HMAC nests them.
        let half = size_of::<State<V, N>>();
        if let Some(nest) = kernel.nest {
            for rest in (0..N).chain([0]) {
                let rest = &blocks[2][..rest];
                let (mut inner, mut outer) = (V::START, V::START);
                (oracle.compress)(&mut outer, &blocks[..1]);
                let states = [Edge::Start, Edge::End].map(|edge| {
                    let (before, rest) = (Guarded::copy(blocks[..2].as_flattened(), edge), Guarded::copy(rest, edge));
                    let mut state = inner;
                    let total = (2 * N + rest.len()) as u128;
                    nest(&mut state, before.as_chunks().0, &rest, total, &outer, (N + half) as u128);
                    output::<V, N>(&state)
                });
                oracle.finish::<V::Words>(&mut inner, &blocks[..2], rest, (2 * N + rest.len()) as u128);
                let mut digest = std::vec![0; half];
                V::Words::write(&inner, &mut digest);
                oracle.finish::<V::Words>(&mut outer, &[], &digest, (N + half) as u128);
                assert_eq!(states, [output::<V, N>(&outer); 2], "{name}, nested, {} bytes", rest.len());
            }
        }
        // The whole length field.
        let (mut state, mut expected) = (V::START, V::START);
        kernel.finish::<V::Words>(&mut state, blocks, &[7; 50], 0x1234_5678_9abc_def0 << 1);
        oracle.finish::<V::Words>(&mut expected, blocks, &[7; 50], 0x1234_5678_9abc_def0 << 1);
        assert_eq!(output::<V, N>(&state), output::<V, N>(&expected), "{name}");
    }
}

/// NIST's short and long messages and its chain of 100 000 digests.
pub(super) fn cavp<H: Hash>(name: &str) {
    for file in ["ShortMsg", "LongMsg"] {
        let mut n = 0;
        for record in rsp(&vectors(&std::format!("sha2/{name}{file}.rsp"))) {
            let message = &record.hex("Msg")[..record.number("Len") / 8];
            assert_eq!(H::digest(message).as_ref(), record.hex("MD"), "{name}{file}, {} bytes", message.len());
            n += 1;
        }
        assert!(n >= 8, "{name}{file} has {n} records");
    }
    let records = rsp(&vectors(&std::format!("sha2/{name}Monte.rsp")));
    let (seed, checkpoints) = records.split_first().unwrap();
    // SHAVS, section 6.4: each digest is of the three before it.
    let mut last = seed.hex("Seed");
    for (j, checkpoint) in checkpoints.iter().enumerate() {
        let mut m = [last.clone(), last.clone(), last];
        for _ in 0..1000 {
            let next = H::digest(&m.concat()).as_ref().to_vec();
            m.rotate_left(1);
            m[2] = next;
        }
        last = m[2].clone();
        assert_eq!((checkpoint.number("COUNT"), &last), (j, &checkpoint.hex("MD")), "{name}Monte");
    }
    assert_eq!(checkpoints.len(), 100);
}

#[test]
fn every_sha256_kernel() {
    every_kernel::<sha256::V256, 64>(&sha256::BLOCKS);
}

#[test]
fn every_sha512_kernel() {
    every_kernel::<sha512::V512, 128>(&sha512::BLOCKS);
}

#[test]
fn every_sha256_lane_kernel() {
    let oracle = sha256::BLOCKS.all().last().unwrap().1.compress;
    for (name, kernel) in sha256::LANES.all() {
        lane_kernel(name, kernel, oracle, |rng| core::array::from_fn(|_| rng.u64() as u32));
    }
}

#[test]
fn every_sha512_lane_kernel() {
    let oracle = sha512::BLOCKS.all().last().unwrap().1.compress;
    for (name, kernel) in sha512::LANES.all() {
        lane_kernel(name, kernel, oracle, |rng| core::array::from_fn(|_| rng.u64()));
    }
}

#[test]
fn sha256_known_answers() {
    cavp::<Sha256>("SHA256");
    cavp::<Sha224>("SHA224");
}

#[test]
fn sha256_streams_and_lanes() {
    streaming::<Sha256>();
    streaming::<Sha224>();
    many::<Sha256>();
    many::<Sha224>();
}

#[test]
fn sha512_known_answers() {
    cavp::<Sha512>("SHA512");
    cavp::<Sha384>("SHA384");
    cavp::<Sha512_256>("SHA512_256");
    cavp::<Sha512_224>("SHA512_224");
}

#[test]
fn sha512_streams_and_lanes() {
    streaming::<Sha512>();
    streaming::<Sha384>();
    streaming::<Sha512_256>();
    streaming::<Sha512_224>();
    many::<Sha512>();
    many::<Sha384>();
    many::<Sha512_256>();
    many::<Sha512_224>();
}

/// The initial values of SHA-512/t come from SHA-512 itself (section 5.3.6).
#[test]
fn sha512_t_initial_values() {
    fn start<V: Variant<128, Words = sha512::Words64>>() -> sha512::State {
        let oracle = sha512::BLOCKS.all().last().unwrap().1.compress;
        let (mut state, mut last) = (sha512::V512::START.map(|h| h ^ 0xa5a5_a5a5_a5a5_a5a5), [[0; 128]]);
        pad::<sha512::Words64, 128>(V::NAME.as_bytes(), V::NAME.len() as u128, &mut last);
        oracle(&mut state, &last);
        state
    }
    assert_eq!(sha512::V512_256::START, start::<sha512::V512_256>());
    assert_eq!(sha512::V512_224::START, start::<sha512::V512_224>());
}

#[test]
fn agrees_with_rustcrypto() {
    agrees::<Sha224, sha2::Sha224>();
    agrees::<Sha256, sha2::Sha256>();
    agrees::<Sha384, sha2::Sha384>();
    agrees::<Sha512, sha2::Sha512>();
    agrees::<Sha512_224, sha2::Sha512_224>();
    agrees::<Sha512_256, sha2::Sha512_256>();
}

/// The length field of SHA-512 counts bits beyond 2^64.
#[test]
fn sha512_padding_of_long_messages() {
    assert_eq!([111, 112].map(ends::<sha512::Words64, 128>), [1, 2]);
    let mut block = [[0; 128]];
    pad::<sha512::Words64, 128>(&[1; 111], (1 << 70) + 111, &mut block);
    assert_eq!(block[0][111..], hex("80 0000000000000200 0000000000000378"));
    let mut blocks = [[0; 128]; 2];
    pad::<sha512::Words64, 128>(&[1; 112], 112, &mut blocks);
    assert_eq!((blocks[0][112], &blocks[0][113..], &blocks[1][..126]), (0x80, &[0; 15][..], &[0; 126][..]));
    assert_eq!(blocks[1][126..], [0x03, 0x80]);
}

/// The length field counts bits beyond 2^32.
#[test]
fn padding_of_long_messages() {
    assert_eq!([55, 56].map(ends::<sha256::Words32, 64>), [1, 2]);
    let mut block = [[0; 64]];
    pad::<sha256::Words32, 64>(&[1; 55], (1 << 61) - 9, &mut block);
    assert_eq!(block[0][55..], [0x80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xb8]);
    let mut blocks = [[0; 64]; 2];
    pad::<sha256::Words32, 64>(&[1; 56], 56, &mut blocks);
    assert_eq!(
        (blocks[0][56], blocks[1][..56] == [0; 56], blocks[1][56..].to_vec()),
        (0x80, true, std::vec![0, 0, 0, 0, 0, 0, 1, 0xc0])
    );
}

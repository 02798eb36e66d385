//! One body for every kernel of Keccak-f[1600], and known answers for every function.

use super::keccak::{KECCAK, ManyKernel, Rate};
use super::sponge::{Squeeze, pad, read};
use super::*;
use crate::hash::tests::{agrees, many, streaming};
use std::format;
use std::vec::Vec;
use testkit::{Edge, Guarded, Record, Rng, hex, lengths_around, rsp, vectors};

fn random_state(rng: &mut Rng) -> State {
    core::array::from_fn(|_| rng.u64())
}

/// The state after the permutation of zero and after that of the result: the first words of the published values
/// ("KeccakF-1600-IntermediateValues.txt" of the Keccak team).
#[test]
fn permutation_of_zero() {
    for (name, keccak) in KECCAK.all() {
        let mut state = [0; 25];
        (keccak.permute)(&mut state);
        assert_eq!(state[..3], [0xf125_8f79_40e1_dde7, 0x84d5_ccf9_33c0_478a, 0xd598_261e_a65a_a9ee], "{name}");
        (keccak.permute)(&mut state);
        assert_eq!(state[..3], [0x2d5c_954d_f96e_cb3c, 0x6a33_2cd0_7057_b56d, 0x093d_8d12_70d7_6b6c], "{name}");
    }
}

fn kernels_agree<const RATE: usize>() {
    let (_, oracle) = KECCAK.all().last().unwrap();
    let mut rng = Rng::new(1);
    assert_eq!(const { Rate::of::<RATE>() }.bytes(), RATE);
    for (name, keccak) in KECCAK.all() {
        for n in [0, 1, 2, 3, 7] {
            let data = rng.bytes(n * RATE + 7);
            let start = random_state(&mut rng);
            for shift in 0..8 {
                let blocks = data[shift..].as_chunks::<RATE>().0;
                let blocks = &blocks[..n.min(blocks.len())];
                let (mut expected, mut permuted) = (start, start);
                oracle.absorb(&mut expected, blocks);
                (oracle.permute)(&mut permuted);
                Guarded::both(blocks.as_flattened(), |b| {
                    let mut state = start;
                    keccak.absorb(&mut state, b.as_chunks::<RATE>().0);
                    assert_eq!(state, expected, "{name}, rate {RATE}, {n} blocks");
                });
                let mut state = start;
                keccak.absorb(&mut state, blocks);
                assert_eq!(state, expected, "{name}, rate {RATE}, {n} blocks, shifted {shift}");
                let mut state = start;
                (keccak.permute)(&mut state);
                assert_eq!(state, permuted, "{name}");
            }
        }
    }
    for (name, kernel) in EIGHT.all().chain(FOUR.all()) {
        lanes_agree::<RATE>(name, kernel, &mut rng);
        in_step_agrees::<RATE>(name, kernel, &mut rng);
    }
}

fn lanes_agree<const RATE: usize>(name: &str, kernel: ManyKernel, rng: &mut Rng) {
    let (_, oracle) = KECCAK.all().last().unwrap();
    for n in [0, 1, 2, 5] {
        let data: Vec<Vec<u8>> = (0..MAX_LANES).map(|_| rng.bytes(n * RATE)).collect();
        let start: [State; MAX_LANES] = core::array::from_fn(|_| random_state(rng));
        for edge in [Edge::Start, Edge::End] {
            let guarded: Vec<Guarded> = data.iter().map(|d| Guarded::copy(d, edge)).collect();
            let mut states = start;
            kernel.absorb::<RATE>(&mut states, &core::array::from_fn(|i| guarded[i].as_chunks().0));
            for i in 0..MAX_LANES {
                let mut expected = start[i];
                if i < kernel.width {
                    oracle.absorb(&mut expected, data[i].as_chunks::<RATE>().0);
                }
                assert_eq!(states[i], expected, "{name}, width {}, rate {RATE}, {n} blocks, lane {i}", kernel.width);
            }
        }
    }
}

fn in_step_agrees<const RATE: usize>(name: &str, kernel: ManyKernel, rng: &mut Rng) {
    let Some(run) = kernel.in_step else { return };
    let (_, oracle) = KECCAK.all().last().unwrap();
    let mut columns = Columns::ZERO;
    for n in (0..=2 * RATE).chain([5 * RATE - 1, 5 * RATE, 7 * RATE + 9]) {
        let data: [Vec<u8>; 8] = core::array::from_fn(|_| rng.bytes(n));
        for edge in [Edge::Start, Edge::End] {
            let guarded = data.each_ref().map(|d| Guarded::copy(d, edge));
            run(&mut columns, const { Rate::of::<RATE>() }, sponge::SHA3, &guarded.each_ref().map(|g| &g[..]));
            for (i, data) in data.iter().enumerate() {
                let expected = Sponge::<RATE>::once(&[0; 25], oracle, data, sponge::SHA3);
                assert_eq!(columns.0[i], expected.state()[..8], "{name}, rate {RATE}, {n} bytes, lane {i}");
            }
        }
    }
}

#[test]
fn every_kernel() {
    kernels_agree::<168>();
    kernels_agree::<144>();
    kernels_agree::<136>();
    kernels_agree::<104>();
    kernels_agree::<72>();
}

#[test]
fn streams_and_lanes() {
    streaming::<Sha3_224>();
    streaming::<Sha3_256>();
    streaming::<Sha3_384>();
    streaming::<Sha3_512>();
    many::<Sha3_224>();
    many::<Sha3_256>();
    many::<Sha3_384>();
    many::<Sha3_512>();
}

/// NIST's short and long messages and its chain of 100 000 digests (SHA3VS, section 6.2).
fn cavp<H: Hash>(name: &str) {
    for file in ["ShortMsg", "LongMsg"] {
        let records = rsp(&vectors(&format!("sha3/{name}{file}.rsp")));
        assert!(records.len() >= 5, "{name}{file} has {} records", records.len());
        for record in records {
            let message = &record.hex("Msg")[..record.number("Len") / 8];
            assert_eq!(H::digest(message).as_ref(), record.hex("MD"), "{name}{file}, {} bytes", message.len());
        }
    }
    let records = rsp(&vectors(&format!("sha3/{name}Monte.rsp")));
    let (seed, checkpoints) = records.split_first().unwrap();
    let mut digest = H::Output::ZERO;
    digest.as_mut().copy_from_slice(&seed.hex("Seed"));
    for (j, checkpoint) in checkpoints.iter().enumerate() {
        for _ in 0..1000 {
            digest = H::digest(digest.as_ref());
        }
        assert_eq!((checkpoint.number("COUNT"), digest.as_ref()), (j, &checkpoint.hex("MD")[..]), "{name}Monte");
    }
    assert_eq!(checkpoints.len(), 100);
}

#[test]
fn sha3_known_answers() {
    cavp::<Sha3_224>("SHA3_224");
    cavp::<Sha3_256>("SHA3_256");
    cavp::<Sha3_384>("SHA3_384");
    cavp::<Sha3_512>("SHA3_512");
}

/// NIST's values for SHAKE: messages, outputs of many lengths, and the chain of SHA3VS, section 6.3.3.
fn shake_cavp<const RATE: usize>(name: &str, digest: impl Fn(&[u8], &mut [u8])) {
    let check = |file: &str, record: &Record, message: &[u8]| {
        let expected = record.hex("Output");
        let mut out = std::vec![0; expected.len()];
        digest(message, &mut out);
        assert_eq!(out, expected, "{name}{file}, {} bytes", message.len());
    };
    for file in ["ShortMsg", "LongMsg"] {
        let records = rsp(&vectors(&format!("sha3/{name}{file}.rsp")));
        assert!(records.len() >= 5, "{name}{file} has {} records", records.len());
        for record in records {
            check(file, &record, &record.hex("Msg")[..record.number("Len") / 8]);
        }
    }
    let records = rsp(&vectors(&format!("sha3/{name}VariableOut.rsp")));
    assert!(records.len() > 100);
    for record in records {
        assert_eq!(record.number("Outputlen"), record.hex("Output").len() * 8);
        check("VariableOut", &record, &record.hex("Msg"));
    }

    let records = rsp(&vectors(&format!("sha3/{name}Monte.rsp")));
    let (seed, checkpoints) = records.split_first().unwrap();
    let bytes = |field: &str| seed.number(field) / 8;
    let (min, max) = (bytes("Minimum Output Length (bits)"), bytes("Maximum Output Length (bits)"));
    let (mut message, mut len, mut out) = (seed.hex("Msg"), max, Vec::new());
    for (j, checkpoint) in checkpoints.iter().enumerate() {
        for _ in 0..1000 {
            out = std::vec![0; len];
            digest(&message, &mut out);
            message = out.iter().copied().chain([0; 16]).take(16).collect();
            let last = out.last_chunk::<2>().map_or(0, |b| u16::from_be_bytes(*b));
            len = min + usize::from(last) % (max - min + 1);
        }
        assert_eq!((checkpoint.number("COUNT"), &out), (j, &checkpoint.hex("Output")), "{name}Monte");
    }
    assert_eq!(checkpoints.len(), 100);
}

#[test]
fn shake_known_answers() {
    shake_cavp::<168>("SHAKE128", Shake128::digest);
    shake_cavp::<136>("SHAKE256", Shake256::digest);
}

/// Input in pieces, output in pieces, clones: the same bytes.
#[test]
fn shake_in_pieces() {
    fn run<const RATE: usize>() {
        let mut rng = Rng::new(6);
        for len in lengths_around([RATE, 2 * RATE, 5 * RATE]) {
            let data = rng.bytes(len);
            for out_len in lengths_around([8, RATE, 2 * RATE, 1100]) {
                let mut expected = std::vec![0; out_len];
                Shake::<RATE>::digest(&data, &mut expected);
                let mut shake = Shake::<RATE>::new();
                for piece in rng.pieces(&data) {
                    shake.update(piece);
                    shake = shake.clone();
                }
                let mut reader = shake.finish_xof();
                let mut out = std::vec![0; out_len];
                let mut done = 0;
                while done < out_len {
                    let n = rng.below(out_len - done + 1);
                    reader.squeeze(&mut out[done..done + n]);
                    reader = reader.clone();
                    done += n;
                }
                assert_eq!(out, expected, "rate {RATE}, {len} bytes in, {out_len} out");
            }
        }
    }
    run::<168>();
    run::<136>();
}

/// Values of "cSHAKE_samples.pdf" (NIST, 2017).
#[test]
fn cshake_samples() {
    fn run<const RATE: usize>(len: u8, expected: &str) {
        let data: Vec<u8> = (0..len).collect();
        let mut shake = CShake::<RATE>::new(b"", b"Email Signature");
        shake.update(&data);
        let expected = hex(expected);
        let mut out = std::vec![0; expected.len()];
        shake.finish_xof().squeeze(&mut out);
        assert_eq!(out, expected);
    }
    run::<168>(4, "c1c36925b6409a04f1b504fcbca9d82b4017277cb5ed2b2065fc1d3814d5aaf5");
    run::<168>(200, "c5221d50e4f822d96a2e8881a961420f294b7b24fe3d2094baed2c6524cc166b");
    run::<136>(
        4,
        "d008828e2b80ac9d2218ffee1d070c48b8e4c87bff32c9699d5b6896eee0edd1
         64020e2be0560858d9c00c037e34a96937c561a74c412bb4c746469527281c8c",
    );
    run::<136>(
        200,
        "07dc27b11e51fbac75bc7b3c1d983e8b4b85fb1defaf218912ac864302730917
         27f42b17ed1df63e8ec118f04b23633c1dfb1574c8fb55cb45da8e25afb092bb",
    );
}

/// With empty strings cSHAKE is SHAKE; with anything else it is not.
#[test]
fn cshake_without_strings_is_shake() {
    let out = |f: &[u8], s: &[u8]| {
        let mut shake = CShake128::new(f, s);
        shake.update(b"message");
        let mut out = [0; 40];
        shake.finish_xof().squeeze(&mut out);
        out
    };
    let mut plain = [0; 40];
    Shake128::digest(b"message", &mut plain);
    assert_eq!(out(b"", b""), plain);
    let long = [7; 500];
    let all = [out(b"f", b""), out(b"", b"f"), out(b"f", b"f"), out(b"", &long), out(&long, b""), plain];
    for (i, a) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|b| a != b), "{i}");
    }
}

/// `left_encode` and `right_encode` where the number of bytes changes (SP 800-185, section 2.3.1), seen through what a
/// sponge absorbs.
#[test]
fn encodings() {
    fn absorbed(encode: fn(&mut Sponge<136>, u128), value: u128) -> [u8; 16] {
        let mut sponge = Sponge::<136>::new();
        encode(&mut sponge, value);
        squeeze(sponge.finish(sponge::SHAKE))
    }
    fn squeeze(mut squeeze: Squeeze<136>) -> [u8; 16] {
        let mut out = [0; 16];
        squeeze.squeeze(&mut out);
        out
    }
    fn hash(bytes: &[u8]) -> [u8; 16] {
        let mut out = [0; 16];
        Shake256::digest(bytes, &mut out);
        out
    }
    for (value, bytes) in [
        (0, &[0][..]),
        (1, &[1]),
        (255, &[255]),
        (256, &[1, 0]),
        (65_535, &[255, 255]),
        (65_536, &[1, 0, 0]),
        (u128::from(u64::MAX) << 3, &[7, 255, 255, 255, 255, 255, 255, 255, 248]),
    ] {
        let n = bytes.len() as u8;
        assert_eq!(absorbed(sp800_185::absorb_left_encoded, value), hash(&[&[n], bytes].concat()), "{value}");
        assert_eq!(absorbed(sp800_185::absorb_right_encoded, value), hash(&[bytes, &[n]].concat()), "{value}");
    }
}

/// The padding where it fills the block, and where one byte is all of it.
#[test]
fn padding() {
    let mut block = [0; 136];
    pad(&mut block, &[9; 135], sponge::SHA3);
    assert_eq!(block[134..], [9, 0x86]);
    let mut block = [0; 136];
    pad(&mut block, &[9; 134], sponge::SHA3);
    assert_eq!(block[133..], [9, 0x06, 0x80]);
    let mut block = [0; 136];
    pad(&mut block, &[], sponge::CSHAKE);
    assert_eq!((block[0], block[135]), (0x04, 0x80));
    let state: State = core::array::from_fn(|i| i as u64);
    for len in 0..=200 {
        let mut out = std::vec![0; len];
        read(&state, &mut out);
        assert_eq!(out, (0..len).map(|i| if i % 8 == 0 { i as u8 / 8 } else { 0 }).collect::<Vec<u8>>());
    }
}

#[test]
fn agrees_with_rustcrypto() {
    agrees::<Sha3_224, ::sha3::Sha3_224>();
    agrees::<Sha3_256, ::sha3::Sha3_256>();
    agrees::<Sha3_384, ::sha3::Sha3_384>();
    agrees::<Sha3_512, ::sha3::Sha3_512>();
}

/// The functions with any output, here as long as the input; names and customizations of many lengths.
#[test]
fn shake_agrees_with_rustcrypto() {
    use ::shake::digest::{ExtendableOutput, Update, XofReader};
    fn same<const RATE: usize>(shake: impl Fn(&[u8], &mut [u8]), cshake: impl Fn([&[u8]; 2], &[u8], &mut [u8])) {
        let mut rng = Rng::new(7);
        let data = rng.bytes(1100);
        for len in (0..=data.len()).rev() {
            let data = &data[..len];
            let (name, custom) = (rng.below(60), rng.below(400));
            let (name, custom) = (rng.bytes(name), rng.bytes(custom));
            let (mut ours, mut theirs) = (std::vec![0; len], std::vec![0; len]);
            Shake::<RATE>::digest(data, &mut ours);
            shake(data, &mut theirs);
            assert_eq!(ours, theirs, "SHAKE, rate {RATE}, {len} bytes");

            let mut hash = CShake::<RATE>::new(&name, &custom);
            rng.pieces(data).iter().for_each(|piece| hash.update(piece));
            let mut reader = hash.finish_xof();
            let cut = rng.below(len + 1);
            reader.squeeze(&mut ours[..cut]);
            reader.squeeze(&mut ours[cut..]);
            cshake([&name, &custom], data, &mut theirs);
            assert_eq!(ours, theirs, "cSHAKE, rate {RATE}, {len} bytes");
        }
    }
    same::<168>(
        |data, out| ::shake::Shake128::default().chain(data).finalize_xof().read(out),
        |[name, custom], data, out| {
            ::cshake::CShake128::new_with_function_name(name, custom).chain(data).finalize_xof().read(out);
        },
    );
    same::<136>(
        |data, out| ::shake::Shake256::default().chain(data).finalize_xof().read(out),
        |[name, custom], data, out| {
            ::cshake::CShake256::new_with_function_name(name, custom).chain(data).finalize_xof().read(out);
        },
    );
}

/// Strings whose lengths take another byte to write (`left_encode` of 8191 and 8192 bytes).
#[test]
fn long_strings_of_cshake_agree_with_rustcrypto() {
    use ::cshake::digest::{ExtendableOutput, Update, XofReader};
    let mut rng = Rng::new(7);
    for len in lengths_around([31, 32, 136, 168, 8191, 8192]) {
        let (name, custom) = (rng.bytes(len / 2), rng.bytes(len));
        let (mut ours, mut theirs) = ([0; 50], [0; 50]);
        CShake256::new(&name, &custom).finish_xof().squeeze(&mut ours);
        ::cshake::CShake256::new_with_function_name(&name, &custom).chain([]).finalize_xof().read(&mut theirs);
        assert_eq!(ours, theirs, "{len}");
    }
}

#[test]
fn debug_shows_nothing() {
    let mut shake = CShake256::new(b"", b"x");
    shake.update(b"secret");
    assert_eq!(format!("{shake:?} {:?}", Sha3_384::new()), "cSHAKE256(..) SHA3-384(..)");
    assert_eq!(format!("{:?} {:?}", Shake128::new(), shake.finish_xof()), "SHAKE128(..) Xof(..)");
}

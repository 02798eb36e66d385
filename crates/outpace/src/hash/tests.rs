//! What every hash and every kernel of one must do.

use super::many::{LaneKernel, MAX_LANES};
use super::{Hash, Output};
use std::vec::Vec;
use testkit::{Edge, Guarded, Rng};

/// As `D`, an implementation written by others: every length, whole and in random pieces.
pub(super) fn agrees<H: Hash, D: sha2::Digest>() {
    let mut rng = Rng::new(5);
    let data = rng.bytes(1100);
    for len in 0..=data.len() {
        let (data, expected) = (&data[..len], D::digest(&data[..len]));
        assert_eq!(H::digest(data).as_ref(), expected.as_slice(), "{} of {len} bytes", H::NAME);
        let mut hash = H::new();
        rng.pieces(data).iter().for_each(|piece| hash.update(piece));
        assert_eq!(hash.finish().as_ref(), expected.as_slice(), "{} of {len} bytes in pieces", H::NAME);
    }
}

/// Split updates, clones and lanes agree with the one-shot digest.
pub(super) fn streaming<H: Hash>() {
    let mut rng = Rng::new(2);
    for len in (0..300).chain([1000, 1023, 1024, 1025, 5000]) {
        let data = rng.bytes(len);
        let expected = H::digest(&data);
        let mut hash = H::new();
        for piece in rng.pieces(&data) {
            hash.update(piece);
            let copy = hash.clone();
            hash = copy;
        }
        assert_eq!(hash.finish(), expected, "{} of {len} bytes", H::NAME);
    }
}

/// Lanes of equal, of nearly equal and of unequal messages, and of equal ones before and behind others, in every count up
/// to two full widths and more.
pub(super) fn many<H: Hash>() {
    let mut rng = Rng::new(3);
    for (count, kind) in (0..40).chain([100]).flat_map(|count| (0..12).map(move |kind| (count, kind))) {
        let messages: Vec<Vec<u8>> = (0..count)
            .map(|i| {
                let len = match kind {
                    0 => 100 + i % 3,
                    1 => rng.below(600),
                    2 if (8..24).contains(&i) => 300,
                    2 => i,
                    3 if (16..20).contains(&i) => 77,
                    3 => 500,
                    _ => [0, 55, 56, 64, 111, 128, 136, 271][kind - 4],
                };
                rng.bytes(len)
            })
            .collect();
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut digests = std::vec![H::Output::ZERO; count];
        H::digest_many(&messages, &mut digests).unwrap();
        for (message, digest) in messages.iter().zip(&digests) {
            assert_eq!(*digest, H::digest(message), "{} of {count} messages, {} bytes", H::NAME, message.len());
        }
        let mut wrong = std::vec![H::Output::ZERO; count + 1];
        assert!(H::digest_many(&messages, &mut wrong).is_err());
        assert!(wrong.iter().all(|d| *d == H::Output::ZERO));
    }
}

/// What every lane kernel must do, at either edge of the readable pages; `random` makes a state.
pub(super) fn lane_kernel<S: Copy + PartialEq + core::fmt::Debug, const N: usize>(
    name: &str,
    kernel: LaneKernel<S, N>,
    oracle: fn(&mut S, &[[u8; N]]),
    random: impl Fn(&mut Rng) -> S,
) {
    let mut rng = Rng::new(4);
    for n in [0, 1, 2, 5] {
        let data: Vec<Vec<u8>> = (0..MAX_LANES).map(|_| rng.bytes(N * n)).collect();
        let start: [S; MAX_LANES] = core::array::from_fn(|_| random(&mut rng));
        for edge in [Edge::Start, Edge::End] {
            let guarded: Vec<Guarded> = data.iter().map(|d| Guarded::copy(d, edge)).collect();
            // Each lane its own blocks, or all the same.
            for lane in [|i| i, |_| 0] {
                let mut states = start;
                (kernel.compress)(&mut states, &core::array::from_fn(|i| guarded[lane(i)].as_chunks().0));
                for i in 0..kernel.width {
                    let mut expected = start[i];
                    oracle(&mut expected, data[lane(i)].as_chunks().0);
                    assert_eq!(states[i], expected, "{name}, {n} blocks, lane {i}");
                }
            }
        }
    }
}

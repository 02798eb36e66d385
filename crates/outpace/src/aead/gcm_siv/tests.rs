//! Every kernel, for each message that takes another path; what others make of it is in the tests of all AEADs.

use super::*;
use testkit::{Edge, Guarded, Rng};

fn agree<const K: usize>() {
    let mut rng = Rng::new(K as u64);
    // Chunks of eight registers have 128, 256 or 512 bytes.
    let long = [511, 512, 513, 600, 640, 767, 768, 769, 1023, 1024, 1025, 1280, 1350, 1536, 2050, 4100];
    for len in (0..300).chain(long) {
        let aads = [0, 13, 16, 17, 31, 48, 49, 64, 100, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1100];
        for aad in aads.into_iter().filter(|_| len < 40 || rng.below(4) == 0).collect::<std::vec::Vec<_>>() {
            let (raw, nonce, tag): ([u8; K], [u8; 12], [u8; 16]) = (rng.array(), rng.array(), rng.array());
            // A counter that overflows.
            let tag = if len % 3 == 0 { (u128::from_le_bytes(tag) | 0xffff_fff8).to_le_bytes() } else { tag };
            let (aad, plain) = (rng.bytes(aad), rng.bytes(len));
            for direction in [Direction::Seal, Direction::Open] {
                let mut expected = plain.clone();
                let oracle = GcmSiv::<K>::with(None, &raw);
                let made = oracle.message(direction, &nonce, &aad, InOut::in_place(&mut expected), &tag);
                for (name, kernel) in KERNELS.all() {
                    let key = GcmSiv::<K>::with(kernel, &raw);
                    let what = || std::format!("{name}, {direction:?}, {len} bytes, {} of associated data", aad.len());
                    for edge in [Edge::Start, Edge::End] {
                        let (aad, input) = (Guarded::copy(&aad, edge), Guarded::copy(&plain, edge));
                        let mut output = Guarded::copy(&std::vec![0xa5; len], edge);
                        let apart = InOut::apart(&input, &mut output);
                        assert_eq!(key.message(direction, &nonce, &aad, apart, &tag), made, "{}", what());
                        assert!(*output == *expected, "{}", what());
                        let mut data = Guarded::copy(&plain, edge);
                        let same = InOut::in_place(&mut data);
                        assert_eq!(key.message(direction, &nonce, &aad, same, &tag), made, "in place, {}", what());
                        assert!(*data == *expected, "in place, {}", what());
                    }
                }
            }
        }
    }
}

#[test]
fn kernels_agree() {
    agree::<16>();
    agree::<32>();
}

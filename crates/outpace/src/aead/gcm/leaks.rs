//! What the leak checker runs: keys, data and tags are secret, through every kernel. Nonces are public.

use super::{Direction, Gcm, KERNELS, SHORT, Sealer, accept, first_counter};
use crate::aead::{Aead, Packet};
use crate::leaks::Check;
use crate::mem::{InOut, taint};

pub(crate) const CHECKS: &[Check] = &[
    Check::new("aead/gcm-128", || check::<16>()),
    Check::new("aead/gcm-192", || check::<24>()),
    Check::new("aead/gcm-256", || check::<32>()),
];

fn check<const K: usize>() {
    for (_, ops) in KERNELS.all() {
        let (key, nonce, aad, plain) = ([7u8; K], [1u8; 12], [2u8; 70], [3u8; 10_500]);
        taint::secret(&key);
        taint::secret(&aad);
        taint::secret(&plain);
        let gcm = Gcm::<K>::with(ops, &key);
        for (len, aad_len) in
            [(0, 0), (10, 13), (64, 48), (100, 50), (240, 70), (256, 0), (600, 5), (1000, 70), (10_500, 0)]
        {
            let (mut data, aad) = (plain, &aad[..aad_len]);
            let data = &mut data[..len];
            let tag = gcm.seal_in_place(&nonce, aad, data);
            let once = (ops.message_once)(&key, Direction::Open, first_counter(&nonce), aad, InOut::in_place(data));
            // The comparison and nothing else makes public whether both are equal.
            assert!(accept(InOut::in_place(data), &once, &tag).is_ok());
            assert!(gcm.open_in_place(&nonce, aad, data, &[0; 16]).is_err());
            core::hint::black_box(data);
        }
        let (mut short, mut long, mut longest, mut results) = ([3; 40], [3; 200], [3; SHORT], [Ok(()); 4]);
        taint::secret(&short);
        taint::secret(&long);
        taint::secret(&longest);
        let packet = |data| Packet::<Gcm<K>> { nonce, aad: &aad[..13], data, tag: [0; 16] };
        let mut packets = [packet(&mut []), packet(&mut short), packet(&mut long), packet(&mut longest)];
        // Else what follows would check each packet alone, as above.
        assert_eq!(gcm.together(Direction::Seal, &mut packets).is_some(), ops.four.is_some());
        assert!(gcm.seal_many(&mut packets).is_ok());
        packets[1].tag[0] ^= 1;
        assert!(gcm.open_many(&mut packets, &mut results).is_ok());
        assert!(results[1].is_err() && results[2].is_ok());
        core::hint::black_box(packets[2].data[0]);
        let mut sealed = [0; 116];
        assert!(gcm.seal_iv(&plain[..20], &aad, &plain[..100], &mut sealed).is_ok());
        let mut sealer: Sealer<K> = gcm.sealer(&nonce);
        assert!(sealer.aad(&aad).is_ok());
        assert!(sealer.update_to(&plain[..17], &mut sealed[..17]).is_ok());
        assert!(sealer.update_to(&plain[..90], &mut sealed[..90]).is_ok());
        core::hint::black_box((sealed, sealer.finish()));
    }
}

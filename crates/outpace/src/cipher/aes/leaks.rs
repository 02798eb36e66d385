//! What the leak checker runs: key and data are secret, through every kernel. Counters are public.

use super::{Aes, KERNELS};
use crate::cipher::modes::{BlockCipher, Ctr};
use crate::leaks::Check;
use crate::mem::{InOut, taint};

pub(crate) const CHECKS: &[Check] = &[
    Check::new("cipher/aes-128", || check::<16>()),
    Check::new("cipher/aes-192", || check::<24>()),
    Check::new("cipher/aes-256", || check::<32>()),
];

fn check<const K: usize>() {
    for (_, ops) in KERNELS.all() {
        let (key, mut blocks, iv, mut data) = ([7u8; K], [[3u8; 16]; 37], [9u8; 16], [5u8; 701]);
        taint::secret(&key);
        taint::secret(&blocks);
        taint::secret(&data);
        let aes = Aes::<K>::with(ops, &key);
        aes.encrypt_blocks(&mut blocks);
        aes.decrypt_blocks(&mut blocks);
        Ctr::new(&aes, &iv).apply(&mut data);
        // What the other modes use: the types made of them run only the kernel that this CPU is given.
        let (keys, inverse) = (&*aes.forward.keys, &*aes.backward);
        let (mut state, mut counter, mut start, mut words) = ([8u8; 16], iv, [6u8; 8], [[4u8; 8]; 5]);
        taint::secret(&state);
        taint::secret(&start);
        taint::secret(&words);
        for len in [13, 16, 200, 701] {
            let data = &mut data[..len];
            (ops.mac)(keys, &mut state, data.as_chunks().0);
            for run in ops.ccm {
                run(keys, &mut state, &mut counter, InOut::in_place(data));
            }
            for (run, keys) in ops.xts.into_iter().zip([keys, inverse]) {
                run(
                    Some(keys),
                    keys,
                    &mut state,
                    InOut::in_place(data.as_chunks_mut::<16>().0.as_flattened_mut()),
                    true,
                );
            }
        }
        (ops.wrap)(keys, &mut start, &mut words);
        (ops.unwrap)(inverse, &mut start, &mut words);
        core::hint::black_box((blocks, data, state, start, words));
    }
}

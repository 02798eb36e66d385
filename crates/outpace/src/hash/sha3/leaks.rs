//! What the leak checker runs: absorb secret blocks into a secret state with every kernel, pad and squeeze.

use super::keccak::{Columns, EIGHT, FOUR, KECCAK, Rate};
use super::sponge::{SHA3, SHAKE, Sponge};
use crate::hash::many::MAX_LANES;
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[
    Check::new("hash/keccak", || {
        for (_, keccak) in KECCAK.all() {
            let (mut state, blocks) = ([7; 25], [[3; 136]; 3]);
            taint::secret(&state);
            taint::secret(&blocks);
            keccak.absorb(&mut state, &blocks);
            (keccak.permute)(&mut state);
            core::hint::black_box(&state);

            let message = [5; 500];
            taint::secret(&message);
            let mut out = [0; 400];
            Sponge::<168>::once(&[0; 25], keccak, &message, SHAKE).squeeze(&mut out);
            core::hint::black_box(&out);
        }
    }),
    Check::new("hash/keccak-many", || {
        for (_, many) in EIGHT.all().chain(FOUR.all()) {
            let (mut states, blocks) = ([[7; 25]; MAX_LANES], [[3; 136]; 3]);
            taint::secret(&states);
            taint::secret(&blocks);
            many.absorb(&mut states, &[&blocks; MAX_LANES]);
            core::hint::black_box(&states);

            if let Some(run) = many.in_step {
                let (mut columns, message) = (Columns::ZERO, [5; 300]);
                taint::secret(&message);
                run(&mut columns, Rate::R136, SHA3, &[&message; 8]);
                core::hint::black_box(&columns.0);
            }
        }
    }),
];

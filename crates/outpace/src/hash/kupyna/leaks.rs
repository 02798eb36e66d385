//! What the leak checker runs: a secret message through every kernel.

use super::ENGINES;
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[Check::new("hash/kupyna", || {
    for (_, engine) in ENGINES.all() {
        for columns in [8, 16] {
            let (mut state, message) = ([7; 16], [3; 256]);
            taint::secret(&state);
            taint::secret(&message);
            (engine.compress)(&mut state, columns, &message);
            (engine.output)(&mut state, columns);
            core::hint::black_box(&state);
        }
    }
})];

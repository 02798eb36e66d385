//! What the leak checker runs: every size, key and data secret, on every kernel.

use super::{ENGINES, Engine, Kalyna};
use crate::cipher::modes::{BlockCipher, Chain};
use crate::leaks::Check;
use crate::mem::taint;

pub(crate) const CHECKS: &[Check] = &[Check::new("cipher/kalyna", || {
    for (_, engine) in ENGINES.all() {
        size::<16, 16, 11>(engine);
        size::<16, 32, 15>(engine);
        size::<32, 32, 15>(engine);
        size::<32, 64, 19>(engine);
        size::<64, 64, 19>(engine);
    }
})];

fn size<const BLOCK: usize, const KEY: usize, const KEYS: usize>(engine: Engine) {
    let raw = [5; KEY];
    taint::secret(&raw);
    let key = Kalyna::<BLOCK, KEY, KEYS>::with_engine(&raw, engine);
    // Every way through the kernels: a block, a few units, one and two groups.
    let mut data = [[3; BLOCK]; 112];
    for blocks in [1, 128 / BLOCK, 192 / BLOCK, 512 / BLOCK, 1024 / BLOCK] {
        let data = &mut data[..blocks.max(1)];
        taint::secret(data);
        key.encrypt_bytes(data.as_flattened_mut());
        key.decrypt_bytes(data.as_flattened_mut());
        core::hint::black_box(&data);
    }
    let (data, mut state) = (data[..3].as_flattened_mut(), [4; BLOCK]);
    taint::secret(&state);
    key.chain(&mut state, Chain::Cbc(data));
    key.chain(&mut state, Chain::Cfb(data));
    key.chain(&mut state, Chain::Ofb(data));
    key.chain(&mut state, Chain::Mac(data));
    core::hint::black_box((&data, &state));
}

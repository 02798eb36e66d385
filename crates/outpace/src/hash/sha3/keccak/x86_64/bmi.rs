//! The portable rounds compiled with ANDN for χ and RORX for the rotations.
//!
//! Floor: 76 XOR, 25 ANDN and 29 rotations a round, and about 50 moves to and from memory, since 25 lanes do not fit
//! into 15 registers: 180 instructions, at six a cycle 30 cycles a round, 720 a permutation.

use crate::cpu::{Features, Kernel};
use crate::hash::sha3::keccak::{Keccak, Rate, State, portable};

pub(crate) const KERNEL: Kernel<Keccak> = {
    // SAFETY: reached only through the kernel below, so on a CPU that has its features.
    let permute = |state: &mut State| unsafe { permute(state) };
    // SAFETY: as above.
    let absorb = |state: &mut State, rate: Rate, data: &[u8]| unsafe { absorb(state, rate, data) };
    // SAFETY: both functions are built for exactly the features named here.
    unsafe { Kernel::new("bmi", Features::BMI2, Keccak { permute, absorb }) }
};

#[target_feature(enable = "bmi1,bmi2")]
fn permute(state: &mut State) {
    portable::rounds(state, portable::chi);
}

#[target_feature(enable = "bmi1,bmi2")]
fn absorb(state: &mut State, rate: Rate, data: &[u8]) {
    portable::absorb_with(state, rate, data, |state| permute(state));
}

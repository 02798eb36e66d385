//! For CPUs without ANDN: some lanes are kept complemented, so that nearly every NOT of χ vanishes ("Keccak implementation
//! overview" 3.2, 2012, "Lane complementing").
//!
//! Floor: 76 XOR, 25 AND or OR, 8 NOT and 29 rotations a round, and about 70 moves, since operations overwrite an operand
//! and 25 lanes do not fit into 15 registers: 208 instructions, at six a cycle 35 cycles a round, 830 a permutation.

use crate::cpu::{Features, Kernel};
use crate::hash::sha3::keccak::{Keccak, Rate, State, portable};

pub(crate) const KERNEL: Kernel<Keccak> =
    // SAFETY: both functions are safe and need nothing.
    unsafe { Kernel::new("baseline", Features::NONE, Keccak { permute, absorb }) };

/// The lanes that are complemented between rounds.
const COMPLEMENTED: [usize; 6] = [1, 2, 8, 12, 17, 20];

const fn complemented(lane: usize) -> bool {
    let mut i = 0;
    while i < COMPLEMENTED.len() {
        if COMPLEMENTED[i] == lane {
            return true;
        }
        i += 1;
    }
    false
}

/// How one lane of χ, b0 ⊕ (¬b1 ∧ b2), is computed from lanes of which some are complemented.
#[derive(Clone, Copy)]
struct Form {
    /// OR takes the place of AND.
    or: bool,
    /// Which operands are inverted first, and whether the result is.
    not1: bool,
    not2: bool,
    not: bool,
}

/// The form for each lane, by De Morgan's laws.
const FORMS: [Form; 25] = {
    // Which lanes are complemented after θ (a column with an odd number of them complements its neighbours), ρ and π.
    let mut b = [false; 25];
    let mut parity = [false; 5];
    let mut i = 0;
    while i < 25 {
        parity[i % 5] ^= complemented(i);
        i += 1;
    }
    let mut i = 0;
    while i < 25 {
        let (x, y) = (i % 5, i / 5);
        let from = (x + 3 * y) % 5 + 5 * x;
        b[i] = complemented(from) ^ parity[(from + 4) % 5] ^ parity[(from + 1) % 5];
        i += 1;
    }
    let mut forms = [Form { or: false, not1: false, not2: false, not: false }; 25];
    let mut i = 0;
    while i < 25 {
        let (b1, b2) = (b[(i + 1) % 5 + i / 5 * 5], b[(i + 2) % 5 + i / 5 * 5]);
        let invert = b[i] ^ complemented(i);
        forms[i] = match (b1, b2) {
            (true, false) => Form { or: false, not1: false, not2: false, not: invert },
            (false, true) => Form { or: true, not1: false, not2: false, not: !invert },
            // Here one operand is inverted anyway: which one decides between AND and OR.
            (true, true) => Form { or: invert, not1: invert, not2: !invert, not: false },
            (false, false) => Form { or: invert, not1: !invert, not2: invert, not: false },
        };
        i += 1;
    }
    forms
};

fn permute(state: &mut State) {
    for i in COMPLEMENTED {
        state[i] = !state[i];
    }
    portable::rounds(state, |lane, b0, b1, b2| {
        let Form { or, not1, not2, not } = FORMS[lane];
        let b1 = if not1 { !b1 } else { b1 };
        let b2 = if not2 { !b2 } else { b2 };
        let sum = b0 ^ if or { b1 | b2 } else { b1 & b2 };
        if not { !sum } else { sum }
    });
    for i in COMPLEMENTED {
        state[i] = !state[i];
    }
}

fn absorb(state: &mut State, rate: Rate, data: &[u8]) {
    portable::absorb_with(state, rate, data, permute);
}

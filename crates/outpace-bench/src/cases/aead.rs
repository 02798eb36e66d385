//! Authenticated encryption: sealing and opening, with the key kept, with a new key for each message, and in one call from
//! a raw key.

use super::{Case, Plan};
use crate::job::Job;
use crate::job::aead::{AeadJob, AeadKind, Direction, Setup};

const KINDS: [AeadKind; 3] = [AeadKind::Aes128Gcm, AeadKind::Aes256Gcm, AeadKind::ChaCha20Poly1305];

#[derive(Clone, Copy)]
enum Aad {
    None,
    /// The additional data of a TLS 1.2 record.
    Thirteen,
    /// As long as the message.
    Equal,
}

impl Aad {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "no AAD",
            Self::Thirteen => "13 B AAD",
            Self::Equal => "equal AAD",
        }
    }

    const fn length(self, message: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Thirteen => 13,
            Self::Equal => message,
        }
    }
}

pub fn cases(plan: &Plan) -> Vec<Case> {
    let kept =
        plan.sizes(&[16, 64, 256, 1350, 16384], &[16, 64, 256, 1024, 1350, 4096, 16384, 65536, 1 << 20, 10 << 20]);
    let set_up = plan.sizes(&[64, 1350], &[16, 64, 256, 1024, 1350, 4096, 16384, 65536]);
    let aads = plan.pick::<[Aad]>(&[Aad::Thirteen], &[Aad::None, Aad::Thirteen, Aad::Equal]);
    let mut cases = Vec::new();
    for kind in KINDS {
        for (setup, sizes) in [(Setup::Reused, &kept), (Setup::NewKey, &set_up), (Setup::OneShot, &set_up)] {
            for direction in [Direction::Seal, Direction::Open] {
                for &aad in aads {
                    cases.extend(sizes.iter().map(|&size| message(kind, direction, setup, aad, size)));
                }
            }
        }
    }
    cases
}

/// One message.
fn message(kind: AeadKind, direction: Direction, setup: Setup, aad: Aad, size: usize) -> Case {
    let operation = match direction {
        Direction::Seal => "seal",
        Direction::Open => "open",
    };
    let set_up = match setup {
        Setup::Reused => "key reused",
        Setup::NewKey => "new key",
        Setup::OneShot => "one-shot",
    };
    let job = move || Job::Aead(AeadJob::new(kind, direction, setup, aad.length(size), size));
    Case::new("aead", kind.name(), operation, job).variant(format!("{set_up}, {}", aad.name())).size(size)
}

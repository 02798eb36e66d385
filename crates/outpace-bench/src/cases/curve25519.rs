//! X25519 and Ed25519.

use super::{Case, Plan};
use crate::job::Job;
use crate::job::curve25519::{Ed25519Job, Ed25519Operation, X25519Job, X25519Operation};
use crate::measure::Agreement;

pub fn cases(_: &Plan) -> Vec<Case> {
    vec![
        x25519("agree", X25519Operation::Agree),
        x25519("public key", X25519Operation::PublicKey),
        Case { agreement: Agreement::Accepted, ..x25519("generate", X25519Operation::Generate) },
        ed25519("sign", "", Ed25519Operation::Sign),
        ed25519("verify", "key read before", Ed25519Operation::Verify),
        ed25519("verify", "key as bytes", Ed25519Operation::VerifyBytes),
        ed25519("public key", "", Ed25519Operation::PublicKey),
    ]
}

fn x25519(name: &'static str, operation: X25519Operation) -> Case {
    Case::new("public key", "X25519", name, move || Job::X25519(X25519Job::new(operation)))
}

/// Messages of 64 bytes: the length of what protocols sign, and short enough not to matter.
fn ed25519(name: &'static str, variant: &str, operation: Ed25519Operation) -> Case {
    Case::new("public key", "Ed25519", name, move || Job::Ed25519(Ed25519Job::new(operation, 64))).variant(variant)
}

//! ECDSA and ECDH on P-256, P-384 and secp256k1. Outpace has no entry yet: its rivals race alone, and the reports say so.

use super::Case;
use crate::job::Job;
use crate::job::ec::{Curve, EcJob, EcOperation};
use crate::measure::Agreement;

pub fn cases() -> Vec<Case> {
    let row = |curve: Curve, scheme: &str, operation: &'static str, work: EcOperation| {
        let job = move || Job::Ec(EcJob::new(curve, work));
        Case::new("public key", format!("{scheme} {}", curve.name()), operation, job)
    };
    Curve::ALL
        .into_iter()
        .flat_map(|curve| {
            [
                Case { agreement: Agreement::Accepted, ..row(curve, "ECDSA", "sign", EcOperation::Sign) },
                row(curve, "ECDSA", "verify", EcOperation::Verify),
                row(curve, "ECDH", "agree", EcOperation::Agree),
            ]
        })
        .collect()
}

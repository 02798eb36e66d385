//! Kalyna at all five sizes: key expansion, single blocks, modes.

use super::{Case, Plan};
use crate::job::Job;
use crate::job::kalyna::{KalynaJob, KalynaKind, KalynaOperation};

pub fn cases(plan: &Plan) -> Vec<Case> {
    let sizes = plan.sizes(&[1024, 65536], &[64, 256, 1024, 4096, 16384, 65536, 1 << 20]);
    let mut cases = Vec::new();
    for kind in KalynaKind::ALL {
        cases.push(block(kind, "key expansion", KalynaOperation::Expand));
        cases.push(block(kind, "encrypt block", KalynaOperation::EncryptBlock));
        cases.push(block(kind, "decrypt block", KalynaOperation::DecryptBlock));
    }
    for (name, operation) in [
        ("CTR", KalynaOperation::Ctr),
        ("XTS encrypt", KalynaOperation::XtsEncrypt),
        ("XTS decrypt", KalynaOperation::XtsDecrypt),
        ("CBC encrypt", KalynaOperation::CbcEncrypt),
        ("CBC decrypt", KalynaOperation::CbcDecrypt),
        ("CMAC", KalynaOperation::Cmac),
        ("GCM seal", KalynaOperation::GcmSeal),
    ] {
        for kind in KalynaKind::ALL {
            // Modes that chain take whole blocks; so do all sizes here, unless the user says otherwise.
            let fitting = sizes.iter().filter(|&&size| size.is_multiple_of(kind.block()));
            cases.extend(fitting.map(|&size| mode(kind, name, operation, size)));
        }
    }
    cases
}

fn block(kind: KalynaKind, name: &'static str, operation: KalynaOperation) -> Case {
    Case::new("kalyna", kind.name(), name, move || Job::Kalyna(KalynaJob::new(kind, operation, kind.block())))
}

fn mode(kind: KalynaKind, name: &'static str, operation: KalynaOperation, size: usize) -> Case {
    let job = move || Job::Kalyna(KalynaJob::new(kind, operation, size));
    Case::new("kalyna", kind.name(), name, job).variant("key reused").size(size)
}

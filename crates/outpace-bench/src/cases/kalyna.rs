//! Kalyna at all five sizes: key expansion, single blocks, modes.

use super::{Case, Plan};
use crate::job::Job;
use crate::job::kalyna::{KalynaJob, KalynaKind, KalynaOperation};

pub fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in KalynaKind::ALL {
        cases.push(block(kind, "key expansion", KalynaOperation::Expand));
        cases.push(block(kind, "encrypt block", KalynaOperation::EncryptBlock));
        cases.push(block(kind, "decrypt block", KalynaOperation::DecryptBlock));
    }
    let full = &[64, 256, 1024, 16384, 65536, 1 << 20];
    let (both, one) = (plan.sizes(&[1024, 65536], full), plan.sizes(&[1024], full));
    let short = plan.sizes(&[192], &[64, 192, 1024, 16384]);
    for (name, operation, sizes) in [
        ("CTR", KalynaOperation::Ctr, &both),
        ("XTS encrypt", KalynaOperation::XtsEncrypt, &both),
        ("XTS decrypt", KalynaOperation::XtsDecrypt, &both),
        ("CBC encrypt", KalynaOperation::CbcEncrypt, &both),
        ("CBC decrypt", KalynaOperation::CbcDecrypt, &both),
        ("CFB encrypt", KalynaOperation::Cfb, &one),
        ("OFB", KalynaOperation::Ofb, &one),
        ("CMAC", KalynaOperation::Cmac, &both),
        ("GMAC", KalynaOperation::Gmac, &one),
        ("GCM seal", KalynaOperation::GcmSeal, &both),
        ("CCM seal", KalynaOperation::CcmSeal, &short),
    ] {
        for kind in KalynaKind::ALL {
            // Modes that chain take whole blocks; so do all sizes here, unless the user says otherwise.
            let fitting = sizes.iter().filter(|&&size| size.is_multiple_of(kind.block()));
            cases.extend(fitting.map(|&size| mode(kind, name, operation, size)));
        }
    }
    // Two blocks, as long as the keys of most sizes.
    cases.extend(KalynaKind::ALL.map(|kind| mode(kind, "key wrap", KalynaOperation::KeyWrap, 2 * kind.block())));
    cases
}

fn block(kind: KalynaKind, name: &'static str, operation: KalynaOperation) -> Case {
    Case::new("kalyna", kind.name(), name, move || Job::Kalyna(KalynaJob::new(kind, operation, kind.block())))
}

fn mode(kind: KalynaKind, name: &'static str, operation: KalynaOperation, size: usize) -> Case {
    let job = move || Job::Kalyna(KalynaJob::new(kind, operation, size));
    Case::new("kalyna", kind.name(), name, job).variant("key reused").size(size)
}

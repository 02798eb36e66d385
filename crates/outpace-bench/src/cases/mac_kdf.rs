//! HMAC, HKDF and PBKDF2.

use super::{Case, Plan};
use crate::job::keyed::{HkdfJob, HmacJob, Pbkdf2Job};
use crate::job::{HashKind, Job};

pub fn cases(plan: &Plan) -> Vec<Case> {
    let kinds = plan.pick::<[HashKind]>(
        &[HashKind::Sha256],
        &[HashKind::Sha256, HashKind::Sha384, HashKind::Sha512, HashKind::Sha3_256],
    );
    let sizes = plan.sizes(&[64, 1024], &[16, 64, 256, 1024, 4096, 16384]);
    let macs = kinds.iter().flat_map(|&kind| sizes.iter().map(move |&size| hmac(kind, size)));
    let derivations =
        [HashKind::Sha256, HashKind::Sha512].into_iter().flat_map(|kind| [hkdf(kind), pbkdf2(kind, 1000)]);
    macs.chain(derivations).collect()
}

fn hmac(hash: HashKind, size: usize) -> Case {
    let job = move || Job::Hmac(HmacJob::new(hash, size));
    Case::new("mac", format!("HMAC-{hash}"), "mac", job).variant("key reused").size(size)
}

fn hkdf(hash: HashKind) -> Case {
    Case::new("kdf", format!("HKDF-{hash}"), "derive", move || Job::Hkdf(HkdfJob::new(hash))).variant("32 B")
}

fn pbkdf2(hash: HashKind, iterations: u32) -> Case {
    let job = move || Job::Pbkdf2(Pbkdf2Job::new(hash, iterations));
    Case::new("kdf", format!("PBKDF2-HMAC-{hash}"), "derive", job).variant(format!("{iterations} iterations"))
}

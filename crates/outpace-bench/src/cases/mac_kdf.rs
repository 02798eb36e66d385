//! Message authentication codes, HKDF and PBKDF2.

use super::{Case, Plan};
use crate::job::keyed::{HkdfJob, MacJob, MacKind, Pbkdf2Job};
use crate::job::{HashKind, Job};

pub fn cases(plan: &Plan) -> Vec<Case> {
    let full = &[16, 64, 256, 1024, 4096, 16384];
    let macs = [
        (MacKind::HmacSha256, plan.sizes(&[64, 1024], full)),
        (MacKind::HmacSha384, plan.sizes(&[], full)),
        (MacKind::HmacSha512, plan.sizes(&[64, 1024], full)),
        (MacKind::HmacSha3_256, plan.sizes(&[], full)),
        (MacKind::Aes128Cmac, plan.sizes(&[64, 1024], full)),
        (MacKind::Aes256Cmac, plan.sizes(&[1024], full)),
        (MacKind::Kmac128, plan.sizes(&[1024], full)),
        (MacKind::Kmac256, plan.sizes(&[], full)),
        (MacKind::Kupyna256Kmac, plan.sizes(&[1024], full)),
    ];
    let macs = macs.into_iter().flat_map(|(kind, sizes)| sizes.into_iter().map(move |size| mac(kind, size)));
    let derivations =
        [HashKind::Sha256, HashKind::Sha512].into_iter().flat_map(|kind| [hkdf(kind), pbkdf2(kind, 1000)]);
    macs.chain(derivations).collect()
}

fn mac(kind: MacKind, size: usize) -> Case {
    let job = move || Job::Mac(MacJob::new(kind, size));
    Case::new("mac", kind.name(), "mac", job).variant("key reused").size(size)
}

fn hkdf(hash: HashKind) -> Case {
    Case::new("kdf", format!("HKDF-{hash}"), "derive", move || Job::Hkdf(HkdfJob::new(hash))).variant("32 B")
}

fn pbkdf2(hash: HashKind, iterations: u32) -> Case {
    let job = move || Job::Pbkdf2(Pbkdf2Job::new(hash, iterations));
    Case::new("kdf", format!("PBKDF2-HMAC-{hash}"), "derive", job).variant(format!("{iterations} iterations"))
}

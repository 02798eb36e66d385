//! Ciphers that do not authenticate, and key wrapping.

use super::{Case, Plan};
use crate::job::Job;
use crate::job::cipher::{CipherJob, CipherKind, KeyWrapJob};

pub fn cases(plan: &Plan) -> Vec<Case> {
    let stream = &[16, 64, 256, 1350, 4096, 16384, 65536, 1 << 20];
    let sector = &[16, 64, 512, 4096, 65536, 1 << 20];
    let rows = [
        (CipherKind::Aes128Ctr, true, plan.sizes(&[1350], stream)),
        (CipherKind::Aes256Ctr, true, plan.sizes(&[64, 1350, 16384], stream)),
        (CipherKind::ChaCha20, true, plan.sizes(&[64, 1350, 16384], stream)),
        (CipherKind::Aes128Xts, true, plan.sizes(&[4096], sector)),
        (CipherKind::Aes128Xts, false, plan.sizes(&[], sector)),
        (CipherKind::Aes256Xts, true, plan.sizes(&[512, 4096], sector)),
        (CipherKind::Aes256Xts, false, plan.sizes(&[512, 4096], sector)),
    ];
    let fitting =
        |kind: CipherKind, size: usize| size >= 16 || !matches!(kind, CipherKind::Aes128Xts | CipherKind::Aes256Xts);
    let mut cases = Vec::new();
    for (kind, encrypt, sizes) in rows {
        let sizes = sizes.into_iter().filter(|&size| fitting(kind, size));
        cases.extend(sizes.map(|size| message(kind, encrypt, size)));
    }
    cases.extend([key_wrap("wrap", false), key_wrap("unwrap", true)]);
    cases
}

/// One message in place; an XTS sector is one, too.
fn message(kind: CipherKind, encrypt: bool, size: usize) -> Case {
    let job = move || Job::Cipher(CipherJob::new(kind, encrypt, size));
    let operation = if encrypt { "encrypt" } else { "decrypt" };
    Case::new("cipher", kind.name(), operation, job).variant("key reused").size(size)
}

fn key_wrap(name: &'static str, unwrap: bool) -> Case {
    let job = move || Job::KeyWrap(KeyWrapJob::new(unwrap));
    Case::new("cipher", "AES-256-KW", name, job).variant("32 B, key reused")
}

//! X25519 and Ed25519.

use outpace::ed25519::{self, SigningKey, VerifyingKey};
use outpace::x25519::{self, PublicKey, StaticSecret};

use super::{Case, Plan};
use crate::buffer::patterned;
use crate::job::Job;
use crate::job::curve25519::{Ed25519Job, Ed25519Operation, X25519Job, X25519Operation};
use crate::measure::{Agreement, Contender};
use crate::model::OURS;
use crate::side::Side;

/// Jobs in a batch.
const BATCH: usize = 64;

pub fn cases(_: &Plan) -> Vec<Case> {
    vec![
        x25519("agree", X25519Operation::Agree),
        x25519("public key", X25519Operation::PublicKey),
        Case { agreement: Agreement::Accepted, ..x25519("generate", X25519Operation::Generate) },
        ed25519("sign", "", Ed25519Operation::Sign),
        ed25519("verify", "key read before", Ed25519Operation::Verify),
        ed25519("verify", "key as bytes", Ed25519Operation::VerifyBytes),
        ed25519("public key", "", Ed25519Operation::PublicKey),
        agree_many(),
        sign_many(),
        verify_batch(),
    ]
}

fn x25519(name: &'static str, operation: X25519Operation) -> Case {
    Case::new("public key", "X25519", name, move || Job::X25519(X25519Job::new(operation)))
}

/// Messages of 64 bytes: the length of what protocols sign, and short enough not to matter.
fn ed25519(name: &'static str, variant: &str, operation: Ed25519Operation) -> Case {
    Case::new("public key", "Ed25519", name, move || Job::Ed25519(Ed25519Job::new(operation, 64))).variant(variant)
}

/// A batch in one call, against one call for each of its jobs.
fn batch<S: Clone + 'static>(
    algorithm: &'static str,
    operation: &'static str,
    state: S,
    together: fn(&mut S),
    one_by_one: fn(&mut S),
    output: fn(&S) -> Vec<u8>,
) -> Case {
    let sides = move || {
        let side = |name: &str, work: fn(&mut S)| Contender {
            name: name.into(),
            side: Side::new(state.clone(), work, output),
        };
        vec![side(OURS, together), side("one by one", one_by_one)]
    };
    Case::own("public key", algorithm, operation, sides).variant("batch of 64")
}

type Agreements = (Vec<(StaticSecret, PublicKey)>, Vec<outpace::Result<[u8; 32]>>);

fn agree_many() -> Case {
    let pair = |i| {
        let peer = StaticSecret::from_bytes(&patterned(100 + i)).public_key();
        (StaticSecret::from_bytes(&patterned(i)), peer)
    };
    let state: Agreements = ((0..BATCH as u64).map(pair).collect(), vec![Ok([0; 32]); BATCH]);
    let together = |(pairs, shared): &mut Agreements| {
        let pairs: [_; BATCH] = std::array::from_fn(|i| (&pairs[i].0, &pairs[i].1));
        x25519::agree_many(&pairs, shared).expect("as many places as pairs");
    };
    let one_by_one = |(pairs, shared): &mut Agreements| {
        for ((secret, peer), shared) in pairs.iter().zip(shared) {
            *shared = secret.agree(peer);
        }
    };
    let output = |(_, shared): &Agreements| shared.iter().flat_map(|s| s.expect("large order")).collect();
    batch("X25519", "agree", state, together, one_by_one, output)
}

#[derive(Clone)]
struct Signatures {
    key: SigningKey,
    messages: Vec<[u8; 64]>,
    signatures: Vec<[u8; 64]>,
    valid: bool,
}

impl Signatures {
    fn new() -> Self {
        let key = SigningKey::from_seed(&patterned(1));
        let messages: Vec<[u8; 64]> = (0..BATCH as u8).map(|i| [i; 64]).collect();
        let signatures = messages.iter().map(|message| key.sign(message)).collect();
        Self { key, messages, signatures, valid: false }
    }
}

fn sign_many() -> Case {
    let together = |state: &mut Signatures| {
        let jobs: [(&SigningKey, &[u8]); BATCH] = std::array::from_fn(|i| (&state.key, &state.messages[i][..]));
        ed25519::sign_many(&jobs, &mut state.signatures).expect("as many places as messages");
    };
    let one_by_one = |state: &mut Signatures| {
        for (message, signature) in state.messages.iter().zip(&mut state.signatures) {
            *signature = state.key.sign(message);
        }
    };
    batch("Ed25519", "sign", Signatures::new(), together, one_by_one, |state| state.signatures.concat())
}

fn verify_batch() -> Case {
    let together = |state: &mut Signatures| {
        let key: &VerifyingKey = state.key.verifying_key();
        let jobs: [(&VerifyingKey, &[u8], &[u8; 64]); BATCH] =
            std::array::from_fn(|i| (key, &state.messages[i][..], &state.signatures[i]));
        state.valid = ed25519::verify_batch(&jobs).is_ok();
    };
    let one_by_one = |state: &mut Signatures| {
        let key = state.key.verifying_key();
        state.valid = state.messages.iter().zip(&state.signatures).all(|(m, s)| key.verify(m, s).is_ok());
    };
    batch("Ed25519", "verify", Signatures::new(), together, one_by_one, |state| vec![u8::from(state.valid)])
}

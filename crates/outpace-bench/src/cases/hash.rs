//! Hash functions: one message in one go, and many at once.

use std::rc::Rc;

use outpace::hash::{Blake2b512, Blake2s256, Hash, Sha3_256, Sha256, Sha512};

use super::{Case, Plan};
use crate::buffer::Buffer;
use crate::job::{HashJob, HashKind, Job};
use crate::measure::Contender;
use crate::model::OURS;
use crate::side::Side;

pub fn cases(plan: &Plan) -> Vec<Case> {
    let full = &[16, 64, 256, 1024, 4096, 16384, 65536, 1 << 20];
    let kinds = [
        (HashKind::Sha256, plan.sizes(&[64, 1024, 16384], full)),
        (HashKind::Sha384, plan.sizes(&[1024], full)),
        (HashKind::Sha512, plan.sizes(&[64, 1024, 16384], full)),
        (HashKind::Sha3_256, plan.sizes(&[64, 1024, 16384], full)),
        (HashKind::Sha3_512, plan.sizes(&[], full)),
        (HashKind::Shake128, plan.sizes(&[1024], full)),
        (HashKind::Shake256, plan.sizes(&[], full)),
        (HashKind::Blake2b512, plan.sizes(&[64, 1024, 16384], full)),
        (HashKind::Blake2s256, plan.sizes(&[64, 1024, 16384], full)),
        (HashKind::Kupyna256, plan.sizes(&[64, 1024, 16384], full)),
        (HashKind::Kupyna512, plan.sizes(&[16384], full)),
    ];
    let single = kinds.into_iter().flat_map(|(kind, sizes)| sizes.into_iter().map(move |size| digest(kind, size)));
    let many = [
        digest_many::<Sha256>(),
        digest_many::<Sha512>(),
        digest_many::<Sha3_256>(),
        digest_many::<Blake2b512>(),
        digest_many::<Blake2s256>(),
    ];
    single.chain(many).collect()
}

/// One message, hashed in one call from a fresh start.
fn digest(kind: HashKind, size: usize) -> Case {
    let job = move || Job::Hash(HashJob { kind, message: Rc::new(Buffer::patterned(size, 1)) });
    Case::new("hash", kind.name(), "digest", job).size(size)
}

/// 16 messages of 1 KiB in one call, against the same messages one call each.
fn digest_many<H: Hash + 'static>() -> Case {
    const MESSAGES: usize = 16;
    const LENGTH: usize = 1024;
    struct State<H: Hash> {
        messages: Buffer,
        digests: Vec<H::Output>,
    }
    let side = |name: &str, work: fn(&[&[u8]], &mut [H::Output])| {
        let messages = Buffer::patterned(MESSAGES * LENGTH, 2);
        let digests = vec![H::digest(b""); MESSAGES];
        let operation = move |state: &mut State<H>| {
            let mut messages = [&[][..]; MESSAGES];
            for (place, message) in messages.iter_mut().zip(state.messages.chunks_exact(LENGTH)) {
                *place = message;
            }
            work(&messages, &mut state.digests);
        };
        let output = |state: &State<H>| state.digests.iter().flat_map(|digest| digest.as_ref().to_vec()).collect();
        Contender { name: name.into(), side: Side::new(State::<H> { messages, digests }, operation, output) }
    };
    let together = |messages: &[&[u8]], digests: &mut [H::Output]| {
        H::digest_many(messages, digests).expect("as many places as messages");
    };
    let one_by_one = |messages: &[&[u8]], digests: &mut [H::Output]| {
        for (message, digest) in messages.iter().zip(digests) {
            *digest = H::digest(message);
        }
    };
    let sides = move || vec![side(OURS, together), side("one by one", one_by_one)];
    Case::own("hash", H::NAME, "digest many", sides).variant("16 messages of 1 KiB").size(MESSAGES * LENGTH)
}

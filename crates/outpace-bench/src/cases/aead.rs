//! Authenticated encryption: sealing and opening, with the key kept, with a new key for each message, and in one call from
//! a raw key.

use outpace::aead::{Aead, Aes256Gcm, ChaCha20Poly1305, Packet};

use super::{Case, Plan};
use crate::buffer::{Buffer, patterned};
use crate::job::Job;
use crate::job::aead::{AeadJob, AeadKind, Direction, Setup, TAG, Tag};
use crate::measure::Contender;
use crate::model::OURS;
use crate::side::Side;

/// The ciphers of TLS, in every way.
const MAIN: [AeadKind; 3] = [AeadKind::Aes128Gcm, AeadKind::Aes256Gcm, AeadKind::ChaCha20Poly1305];

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
    for kind in MAIN {
        for (setup, sizes) in [(Setup::Reused, &kept), (Setup::NewKey, &set_up), (Setup::OneShot, &set_up)] {
            for direction in [Direction::Seal, Direction::Open] {
                for &aad in aads {
                    cases.extend(sizes.iter().map(|&size| message(kind, direction, setup, aad, size)));
                }
            }
        }
    }
    let others = &[16, 64, 256, 1350, 16384, 65536];
    for (kind, sizes) in [
        (AeadKind::Aes192Gcm, plan.sizes(&[1350], others)),
        (AeadKind::XChaCha20Poly1305, plan.sizes(&[64, 1350], others)),
        (AeadKind::Aes128Ccm, plan.sizes(&[64, 1350], others)),
        (AeadKind::Aes256Ccm, plan.sizes(&[1350], others)),
        (AeadKind::Aes128GcmSiv, plan.sizes(&[1350], others)),
        (AeadKind::Aes256GcmSiv, plan.sizes(&[64, 1350], others)),
    ] {
        for direction in [Direction::Seal, Direction::Open] {
            cases.extend(sizes.iter().map(|&size| message(kind, direction, Setup::Reused, Aad::Thirteen, size)));
        }
    }
    cases.extend([
        many::<Aes256Gcm, 32>("AES-256-GCM", Direction::Seal, 64),
        many::<Aes256Gcm, 32>("AES-256-GCM", Direction::Open, 64),
        many::<Aes256Gcm, 32>("AES-256-GCM", Direction::Seal, 1350),
        many::<Aes256Gcm, 32>("AES-256-GCM", Direction::Open, 1350),
        many::<ChaCha20Poly1305, 32>("ChaCha20-Poly1305", Direction::Seal, 1350),
        many::<ChaCha20Poly1305, 32>("ChaCha20-Poly1305", Direction::Open, 1350),
    ]);
    cases
}

/// Packets under one key in one call, against one call each. As in [`crate::job::aead`], what was opened last is the
/// ciphertext of what will be opened next.
fn many<A, const K: usize>(algorithm: &'static str, direction: Direction, length: usize) -> Case
where
    A: Aead<Key = [u8; K], Nonce = [u8; 12], Tag = Tag> + 'static,
{
    const PACKETS: usize = 32;
    const AAD: &[u8; 13] = b"record header";
    struct State<A> {
        key: A,
        data: Buffer,
        tags: [[Tag; PACKETS]; 2],
        turn: usize,
        opened: bool,
    }
    fn packets<'a, A: Aead<Nonce = [u8; 12], Tag = Tag>>(
        data: &'a mut [u8],
        tags: &'a [Tag; PACKETS],
    ) -> Vec<Packet<'a, A>> {
        let packet = |(i, (data, tag)): (usize, (&'a mut [u8], &'a Tag))| {
            let mut nonce = [0; 12];
            nonce[4..].copy_from_slice(&(i as u64).to_be_bytes());
            Packet { nonce, aad: AAD, data, tag: *tag }
        };
        let length = data.len() / PACKETS;
        data.chunks_exact_mut(length).zip(tags).enumerate().map(packet).collect()
    }
    let side = move |name: &str, seal: fn(&A, &mut [Packet<'_, A>]), open: fn(&A, &mut [Packet<'_, A>]) -> bool| {
        let key = A::new(&patterned(7));
        let mut data = Buffer::patterned(PACKETS * length, 8);
        let mut tags = [[[0; TAG]; PACKETS]; 2];
        for tags in &mut tags {
            let mut packets = packets(&mut data, tags);
            seal(&key, &mut packets);
            *tags = std::array::from_fn(|i| packets[i].tag);
        }
        let state = State { key, data, tags, turn: 1, opened: true };
        let operation = move |state: &mut State<A>| {
            let tags = &mut state.tags[state.turn & 1];
            let mut packets = packets(&mut state.data, tags);
            match direction {
                Direction::Seal => {
                    seal(&state.key, &mut packets);
                    *tags = std::array::from_fn(|i| packets[i].tag);
                }
                Direction::Open => state.opened &= open(&state.key, &mut packets),
            }
            state.turn += 1;
        };
        let output = |state: &State<A>| {
            [&state.data[..], state.tags.as_flattened().as_flattened(), &[u8::from(state.opened)]].concat()
        };
        Contender { name: name.into(), side: Side::new(state, operation, output) }
    };
    let sides = move || {
        let together = side(
            OURS,
            |key, packets| key.seal_many(packets).expect("short messages"),
            |key, packets| {
                let mut results = [Ok(()); PACKETS];
                key.open_many(packets, &mut results).is_ok() && results.iter().all(Result::is_ok)
            },
        );
        let one_by_one = side(
            "one by one",
            |key, packets| packets.iter_mut().for_each(|p| p.tag = key.seal_in_place(&p.nonce, p.aad, p.data)),
            |key, packets| packets.iter_mut().all(|p| key.open_in_place(&p.nonce, p.aad, p.data, &p.tag).is_ok()),
        );
        vec![together, one_by_one]
    };
    let operation = match direction {
        Direction::Seal => "seal many",
        Direction::Open => "open many",
    };
    Case::own("aead", algorithm, operation, sides).variant(format!("32 packets of {length} B")).size(PACKETS * length)
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

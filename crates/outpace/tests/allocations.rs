//! Nothing that is done per message allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use outpace::aead::{Aead, Aes128Ccm, Aes256Gcm, Aes256GcmSiv, ChaCha20Poly1305, Kalyna256_256Gcm, Packet};
use outpace::hash::{
    Blake2b, Blake2b512, Blake2s, Blake2s256, CShake128, CShake256, Hash, Kupyna256, Kupyna384, Kupyna512, Output,
    Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256, Shake128, Shake256,
};
use outpace::kdf::{Hkdf, pbkdf2};
use outpace::mac::{AesCmac, Hmac, Kmac128, Kmac256, Kupyna256Kmac};
use outpace::{ed25519, rand, x25519};

/// The system's allocator, which counts what each thread asks of it.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(place, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `work` once for what a process does once, and then counts.
fn allocates_nothing(what: &str, mut work: impl FnMut()) {
    work();
    let before = COUNT.get();
    work();
    assert_eq!(COUNT.get() - before, 0, "{what}");
}

#[test]
fn the_counter_counts() {
    let before = COUNT.get();
    drop(std::hint::black_box(vec![1]));
    assert_eq!(COUNT.get() - before, 1);
}

/// Lengths to both sides of every block and of the widest kernels.
const LENGTHS: [usize; 7] = [0, 1, 64, 137, 1024, 5000, 20_000];
static MESSAGE: [u8; 20_000] = [7; 20_000];

fn hash<H: Hash>() {
    let mut out = vec![H::Output::ZERO; 40];
    for len in LENGTHS {
        let message = &MESSAGE[..len];
        allocates_nothing(H::NAME, || {
            let digest = H::digest(message);
            let mut hash = H::new();
            hash.update(&message[..len / 3]);
            let mut copy = hash.clone();
            copy.update(&message[len / 3..]);
            assert_eq!(copy.finish().as_ref(), digest.as_ref());
            let messages: [&[u8]; 40] = std::array::from_fn(|i| &message[..len * i / 39]);
            for messages in [&messages[..], &[message; 40]] {
                H::digest_many(messages, &mut out).unwrap();
                assert_eq!(out[39].as_ref(), digest.as_ref());
            }
            let key = Hmac::<H>::new(message);
            let tag = key.mac(message);
            let mut state = key.begin();
            state.update(message);
            key.verify(message, &tag).unwrap();
            state.verify(&tag).unwrap();
        });
    }
}

#[test]
fn hashes_and_hmac() {
    hash::<Sha224>();
    hash::<Sha256>();
    hash::<Sha384>();
    hash::<Sha512>();
    hash::<Sha512_224>();
    hash::<Sha512_256>();
    hash::<Sha3_224>();
    hash::<Sha3_256>();
    hash::<Sha3_384>();
    hash::<Sha3_512>();
    hash::<Blake2b512>();
    hash::<Blake2s256>();
    hash::<Kupyna256>();
    hash::<Kupyna384>();
    hash::<Kupyna512>();
}

#[test]
fn functions_of_any_output() {
    let mut out = vec![0; 1000];
    for len in LENGTHS {
        let message = &MESSAGE[..len];
        allocates_nothing("SHAKE, cSHAKE, KMAC", || {
            Shake128::digest(message, &mut out);
            Shake256::digest(message, &mut out);
            let mut shake = Shake128::new();
            shake.update(message);
            shake.clone().finish_xof().squeeze(&mut out);
            let mut shake = CShake128::new(b"name", message);
            shake.update(message);
            shake.finish_xof().squeeze(&mut out);
            CShake256::new(message, b"custom").finish_xof().squeeze(&mut out);
            let key = Kmac128::new(message, b"custom");
            let tag: [u8; 32] = key.mac(message);
            key.verify(message, &tag).unwrap();
            Kmac256::new(message, b"").xof(message).squeeze(&mut out);
        });
        allocates_nothing("BLAKE2 with parameters", || {
            let mut hash = Blake2b::builder().output_len(20).key(&[1; 64]).salt(&[2; 16]).build().unwrap();
            hash.update(message);
            hash.clone().finish(&mut out[..20]).unwrap();
            hash.verify(&out[..20]).unwrap();
            let mut hash = Blake2s::builder().output_len(32).key(&[1; 32]).personal(&[2; 8]).build().unwrap();
            hash.update(message);
            hash.finish(&mut out[..32]).unwrap();
        });
        allocates_nothing("HKDF, PBKDF2", || {
            Hkdf::<Sha256>::extract(message, message).expand(message, &mut out).unwrap();
            Hkdf::<Sha512>::from_key(&[1; 64]).unwrap().expand(b"short", &mut out).unwrap();
            pbkdf2::<Sha256>(message, message, 3, &mut out).unwrap();
            pbkdf2::<Sha512>(message, message, 3, &mut out).unwrap();
        });
        allocates_nothing("CMAC, Kupyna-KMAC", || {
            let (cmac, kmac) = (AesCmac::new(&[1; 16]), Kupyna256Kmac::new(&[1; 32]));
            cmac.verify(message, &cmac.mac(message)).unwrap();
            kmac.verify(message, &kmac.mac(message)).unwrap();
        });
    }
}

fn aead<A: Aead>(key: &A::Key, nonce: &A::Nonce) {
    let (mut sealed, mut opened) = (vec![0; 20_000 + A::TAG_LENGTH], vec![0; 20_000]);
    for len in LENGTHS {
        let (message, sealed, opened) = (&MESSAGE[..len], &mut sealed[..len + A::TAG_LENGTH], &mut opened[..len]);
        allocates_nothing(std::any::type_name::<A>(), || {
            A::seal_once(key, nonce, b"aad", message, sealed).unwrap();
            let key = A::new(key);
            key.open(nonce, b"aad", sealed, opened).unwrap();
            let tag = key.seal_in_place(nonce, b"aad", opened);
            key.open_in_place(nonce, b"aad", opened, &tag).unwrap();
            assert_eq!(opened, message);
        });
    }
}

#[test]
fn aeads() {
    aead::<Aes256Gcm>(&[1; 32], &[2; 12]);
    aead::<Aes256GcmSiv>(&[1; 32], &[2; 12]);
    aead::<ChaCha20Poly1305>(&[1; 32], &[2; 12]);
    aead::<Aes128Ccm>(&[1; 16], &[2; 12]);
    aead::<Kalyna256_256Gcm>(&[1; 32], &[2; 32]);

    let key = Aes256Gcm::new(&[1; 32]);
    let mut data = vec![7; 6 * 40];
    let mut results = [Ok(()); 6];
    allocates_nothing("many packets", || {
        let mut chunks = data.chunks_mut(40);
        let mut packets: [Packet<'_, Aes256Gcm>; 6] = std::array::from_fn(|i| Packet {
            nonce: [i as u8; 12],
            aad: b"aad",
            data: chunks.next().expect("six"),
            tag: [0; 16],
        });
        key.seal_many(&mut packets).unwrap();
        key.open_many(&mut packets, &mut results).unwrap();
    });
}

#[test]
fn keys_and_random_numbers() {
    let (one, other) = (x25519::StaticSecret::from_bytes(&[1; 32]), x25519::StaticSecret::from_bytes(&[2; 32]));
    let key = ed25519::SigningKey::from_seed(&[3; 32]);
    let mut out = vec![0; 20_000];
    allocates_nothing("X25519, Ed25519, random numbers", || {
        one.agree(&other.public_key()).unwrap();
        let signature = key.sign(&MESSAGE);
        key.verifying_key().verify(&MESSAGE, &signature).unwrap();
        rand::fill(&mut out).unwrap();
        rand::fill(&mut out[..16]).unwrap();
    });
}

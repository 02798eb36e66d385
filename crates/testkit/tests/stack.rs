//! What is left on the stack when a call has returned, in a build like a program's own: `tools/test` runs this in the release
//! profile, on each tier. A compiler that is set otherwise keeps other values in memory.
//!
//! Every case is called under two secrets; see [`Stack::secrets`]. What it left is printed, also where nothing is demanded:
//! `cargo test --release -p testkit --test stack -- --nocapture`. Kernels for which vector registers are too few keep round
//! keys and key stream on the stack; to wipe them would take longer than a short message, and so they are not named here.

use std::collections::HashSet;
use std::fmt::Write;
use std::hint::black_box;
use std::sync::LazyLock;

use outpace::aead::*;
use outpace::cipher::modes::{BlockCipher, Cbc, Ctr, Ofb};
use outpace::cipher::{AesKeyWrap, AesXts};
use outpace::hash::*;
use outpace::hazmat::{Aes, ChaCha20, Kalyna128_128, Kalyna256_256, Kalyna512_512};
use outpace::kdf::{Hkdf, pbkdf2};
use outpace::mac::*;
use outpace::{ed25519, mask, rand, x25519};
use testkit::{Rng, Stack};

/// What a case may leave.
#[derive(Clone, Copy, Debug, PartialEq)]
enum May {
    /// Nothing that depends on the secret.
    Nothing,
    /// No part of the key, as it was given or as an object holds it.
    NoKey,
    /// No part of the key as it was given.
    NoRawKey,
    /// So many words of anything.
    Words(usize),
    /// Whatever it does.
    Anything,
}
use May::{Anything, NoKey, NoRawKey, Nothing, Words};

/// What is made of a secret; on the heap.
struct Input {
    key: [u8; 64],
    message: Vec<u8>,
    out: Vec<u8>,
    /// What the call gave away: a word of it is no secret.
    public: Vec<u8>,
}

impl Input {
    fn new(secret: u8, len: usize) -> Self {
        let mut rng = Rng::new(u64::from(secret));
        Self { key: rng.array(), message: rng.bytes(len), out: vec![0; len + 128], public: Vec::with_capacity(1 << 16) }
    }

    fn key<const N: usize>(&self) -> &[u8; N] {
        self.key.first_chunk().expect("at most 64 bytes")
    }

    fn publish(&mut self, bytes: &[u8]) {
        self.public.extend_from_slice(bytes);
    }
}

/// The bytes of a value, padding too.
fn bytes_of<T>(value: &T) -> Vec<u8> {
    let start = std::ptr::from_ref(value).cast::<u8>();
    // SAFETY: within the value; what was never written is read as some byte.
    (0..size_of::<T>()).map(|i| unsafe { start.add(i).read_volatile() }).collect()
}

/// Whether half of a word is in `known`, in either order of bytes, under both secrets.
fn is_part(word: [u64; 2], known: &[Vec<u8>; 2]) -> bool {
    let has = |known: &[u8], half: u32| {
        known.windows(4).any(|bytes| bytes == half.to_le_bytes() || bytes == half.to_be_bytes())
    };
    [0, 32].into_iter().any(|shift| {
        let [one, other] = word.map(|word| (word >> shift) as u32);
        one != other && has(&known[0], one) && has(&known[1], other)
    })
}

#[derive(Default)]
struct Search {
    stack: Stack,
    failures: String,
}

impl Search {
    /// Calls `body` with what `make` makes of the key, for messages of each length.
    fn case<T: Send>(
        &mut self,
        name: &str,
        may: May,
        lens: &[usize],
        make: impl Fn(&Input) -> T,
        body: impl Fn(&T, &mut Input) + Sync,
    ) {
        for &len in lens {
            let prepare = |secret| {
                let input = Input::new(secret, len);
                (make(&input), input)
            };
            let left = self.stack.secrets(prepare, |(key, input)| body(key, input), |(_, input)| input.public.clone());
            let both = Stack::SECRETS.map(prepare);
            let (raw, held) = (both.each_ref().map(|(_, i)| i.key.to_vec()), both.each_ref().map(|(t, _)| bytes_of(t)));
            let of_raw = left.iter().filter(|(_, word)| is_part(*word, &raw)).count();
            let of_held = left.iter().filter(|(_, word)| is_part(*word, &held)).count();
            let good = match may {
                Nothing => left.is_empty(),
                NoKey => of_raw + of_held == 0,
                NoRawKey => of_raw == 0,
                Words(most) => left.len() <= most,
                Anything => true,
            };
            if !left.is_empty() {
                let (first, last) = (left[0].0, left[left.len() - 1].0);
                let line = format!(
                    "{name}, {len} bytes: {} words that depend on the secret, {of_raw} of the key, {of_held} of what is \
                     made of it; {last} to {first} words deep",
                    left.len(),
                );
                println!("{line}");
                if !good {
                    writeln!(self.failures, "{line}, may leave {may:?}").expect("memory");
                }
            }
        }
    }

    /// Calls `make` for a key.
    fn key<T>(&mut self, name: &str, may: May, make: impl Fn(&Input) -> T + Sync) {
        self.case(&format!("{name}: new"), may, &[0], |_| (), |(), input| _ = black_box(&make(input)));
    }

    fn aead<A, const K: usize, const N: usize>(&mut self, name: &str, new: May, may: May, lens: &[usize])
    where
        A: Aead<Key = [u8; K], Nonce = [u8; N]> + Send,
    {
        self.key(name, new, |input| A::new(input.key()));
        let make = |input: &Input| A::new(input.key());
        self.case(&format!("{name}: seal"), may, lens, make, |key, input| {
            let out = &mut input.out[..input.message.len() + A::TAG_LENGTH];
            key.seal(&[9; N], b"associated", &input.message, out).expect("lengths");
            input.public.extend_from_slice(out);
        });
        self.case(&format!("{name}: open"), may, lens, make, |key, input| {
            // What is not authentic; so all of it is public.
            input.public.extend_from_slice(&input.message);
            let (sealed, out) = (&input.message[..], &mut input.out[..input.message.len() - A::TAG_LENGTH]);
            key.open(&[9; N], b"associated", sealed, out).expect_err("a forgery");
        });
    }

    fn hash<H: Hash + Send>(&mut self, mac: May) {
        let make = |input: &Input| Hmac::<H>::new(&input.key);
        self.key(&format!("HMAC-{}", H::NAME), Anything, make);
        self.case(&format!("HMAC-{}", H::NAME), mac, &[0, 16, 64, 200, 1000], make, |key, input| {
            let tag = key.mac(&input.message);
            input.publish(tag.as_ref());
        });
        let make = |input: &Input| Hkdf::<H>::from_key(&input.key).expect("a long key");
        self.case(&format!("HKDF-{}: expand", H::NAME), Anything, &[0], make, |key, input| {
            key.expand(b"info", &mut input.out).expect("a length");
        });
        self.case(
            &format!("PBKDF2-{}", H::NAME),
            Nothing,
            &[0],
            |_| (),
            |(), input| {
                pbkdf2::<H>(&input.key, b"salt", 3, &mut input.out[..40]).expect("a length");
            },
        );
    }

    fn aes<const K: usize>(&mut self, may: May) {
        let lens = [16, 64, 160, 1600];
        let make = |input: &Input| Aes::<K>::new(input.key());
        // Half a word of a key of 256 bits has been seen.
        let new = if K == 32 { Anything } else { Nothing };
        self.key(&format!("AES, {K} bytes"), new, make);
        self.case(&format!("AES-CTR, {K} bytes"), may, &lens, make, |key, input| {
            Ctr::new(key, &[7; 16]).apply(&mut input.message);
            input.public.extend_from_slice(&input.message);
        });
        self.case(&format!("AES-CBC, {K} bytes"), may, &lens, make, |key, input| {
            input.public.extend_from_slice(&input.message);
            Cbc::new(key, &[7; 16]).decrypt(&mut input.message).expect("whole blocks");
        });
        self.case(&format!("AES-OFB, {K} bytes"), may, &lens, make, |key, input| {
            Ofb::new(key, &[7; 16]).apply(&mut input.message);
            input.public.extend_from_slice(&input.message);
        });
        let make = |input: &Input| AesCmac::<K>::new(input.key());
        self.key(&format!("AES-CMAC, {K} bytes"), Nothing, make);
        self.case(&format!("AES-CMAC, {K} bytes"), NoRawKey, &lens, make, |key, input| {
            let tag = key.mac(&input.message);
            input.publish(&tag);
        });
        let make = |input: &Input| AesKeyWrap::<K>::new(input.key());
        self.key(&format!("AES-KW, {K} bytes"), new, make);
        self.case(&format!("AES-KW, {K} bytes: wrap, unwrap"), Anything, &[16, 40], make, |key, input| {
            let out = &mut input.out[..input.message.len() + 8];
            key.wrap(&input.message, out).expect("lengths");
            key.unwrap(out, &mut input.message).expect("wrapped");
            input.public.extend_from_slice(out);
        });
    }

    fn xts<const K: usize>(&mut self, may: May) {
        let make = |input: &Input| AesXts::<K>::new(input.key(), input.key[32..].first_chunk().expect("32 bytes"));
        self.key(&format!("AES-XTS, {K} bytes"), if K == 32 { Anything } else { Nothing }, make);
        self.case(&format!("AES-XTS, {K} bytes"), may, &[16, 64, 300, 4096], make, |key, input| {
            key.as_ref().expect("two keys").encrypt(&[7; 16], &mut input.message).expect("a length");
            input.public.extend_from_slice(&input.message);
        });
    }
}

/// The tier that is named, and whether it runs the kernels of AVX-512.
static TIER: LazyLock<(String, bool)> = LazyLock::new(|| {
    let name = std::env::var("OUTPACE_TIER").unwrap_or("avx512".into());
    assert!(mask::limit_to(name.parse().expect("OUTPACE_TIER")), "the first to ask for a kernel");
    let wide = matches!(&name[..], "avx512" | "plain")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512ifma")
        && is_x86_feature_detected!("vaes")
        && is_x86_feature_detected!("vpclmulqdq");
    (name, wide)
});

#[test]
#[cfg_attr(debug_assertions, ignore = "other values are kept in memory than in a release build")]
fn secrets_do_not_stay_on_the_stack() {
    let (tier, wide) = &*TIER;
    // Where there are 32 vector registers.
    let wide = |may: May| if *wide { may } else { Anything };
    let mut s = Search::default();

    let lens = [16, 64, 300, 600, 1350, 5000, 20_000];
    s.aead::<Aes128Gcm, 16, 12>("AES-128-GCM", wide(Nothing), wide(NoRawKey), &lens);
    // Some round keys and powers of H, but not the states that are kept of long messages, which are 512 words.
    s.aead::<Aes192Gcm, 24, 12>("AES-192-GCM", wide(Nothing), wide(Words(256)), &lens);
    s.aead::<Aes256Gcm, 32, 12>("AES-256-GCM", wide(Nothing), wide(Words(256)), &lens);
    s.aead::<Aes256GcmSiv, 32, 12>("AES-256-GCM-SIV", Nothing, wide(NoKey), &lens);
    s.aead::<Aes256Ccm, 32, 12>("AES-256-CCM", Nothing, Anything, &lens);
    s.aead::<ChaCha20Poly1305, 32, 12>("ChaCha20-Poly1305", Anything, wide(NoKey), &[16, 64, 300]);
    s.aead::<ChaCha20Poly1305, 32, 12>("ChaCha20-Poly1305", Anything, Anything, &lens[3..]);
    s.aead::<Kalyna256_256Gcm, 32, 32>("Kalyna-256/256-GCM", Nothing, Anything, &[300]);
    s.aead::<Kalyna256_256Ccm, 32, 32>("Kalyna-256/256-CCM", Nothing, Anything, &[300]);
    s.aes::<16>(wide(NoKey));
    s.aes::<32>(wide(NoKey));
    s.xts::<16>(wide(Nothing));
    s.xts::<32>(wide(Nothing));
    s.key("Kalyna-128/128", Nothing, |input| Kalyna128_128::new(input.key()));
    s.key("Kalyna-256/256", Nothing, |input| Kalyna256_256::new(input.key()));
    s.key("Kalyna-512/512", Nothing, |input| Kalyna512_512::new(input.key()));
    let make = |input: &Input| ChaCha20::new(input.key());
    s.case("ChaCha20", Anything, &[64, 300, 1600, 5000], make, |key, input| {
        key.apply(&[7; 12], 1, &mut input.message).expect("a length");
        input.public.extend_from_slice(&input.message);
    });

    s.hash::<Sha256>(wide(Nothing));
    s.hash::<Sha512>(Anything);
    s.hash::<Sha3_256>(wide(Nothing));
    s.hash::<Blake2b512>(wide(NoKey));
    s.hash::<Blake2s256>(Anything);
    let make = |input: &Input| Kmac128::new(&input.key, b"custom");
    s.key("KMAC128", Nothing, make);
    s.case("KMAC128", NoKey, &[16, 300], make, |key, input| {
        let tag: [u8; 200] = key.mac(&input.message);
        input.publish(&tag);
    });
    s.key("Kupyna-256-KMAC", Nothing, |input| Kupyna256Kmac::new(input.key()));

    let make = |input: &Input| x25519::StaticSecret::from_bytes(input.key());
    s.case("X25519: public key", NoKey, &[0], make, |key, input| {
        let public = key.public_key();
        input.publish(public.as_bytes());
    });
    s.case("X25519: agree", Nothing, &[0], make, |key, input| {
        let shared = key.agree(&x25519::PublicKey::from_bytes([9; 32])).expect("not a point of small order");
        input.publish(&shared);
    });
    let make = |input: &Input| ed25519::SigningKey::from_seed(input.key());
    s.key("Ed25519", NoKey, make);
    s.case("Ed25519: sign", NoKey, &[0, 300], make, |key, input| {
        let signature = key.sign(&input.message);
        input.publish(&signature);
        input.publish(key.verifying_key().as_bytes());
    });
    assert!(s.failures.is_empty(), "on the tier {tier}:\n{}", s.failures);
}

/// Leaks that are made on purpose are found, and what was wiped is not.
#[test]
fn planted_leaks_are_found() {
    #[inline(never)]
    fn kept(key: &[u8; 32], change: Change) {
        // So many that what runs later, as a thread ends, does not overwrite all of them.
        let mut copies = [[0; 32]; 100];
        black_box(&mut copies).fill(*key);
        match change {
            Change::Nothing => {}
            Change::Multiply => copies.as_flattened_mut().iter_mut().for_each(|byte| *byte = byte.wrapping_mul(3)),
            Change::Wipe => black_box(&mut copies).fill([0; 32]),
        }
        black_box(&mut copies);
    }
    #[derive(Clone, Copy)]
    enum Change {
        Nothing,
        Multiply,
        Wipe,
    }
    LazyLock::force(&TIER);
    let failures = |may, change| {
        let mut s = Search::default();
        s.case("planted", may, &[0], |input| *input.key::<32>(), |key, _| kept(key, change));
        s.failures
    };
    for may in [Nothing, NoKey, NoRawKey] {
        assert!(!failures(may, Change::Nothing).is_empty(), "blind: a copy of the key was not found for {may:?}");
        assert_eq!(failures(may, Change::Wipe), "");
    }
    for may in [Nothing, Words(256)] {
        assert!(!failures(may, Change::Multiply).is_empty(), "blind to what is made of a key: {may:?}");
    }
    assert_eq!(failures(NoKey, Change::Multiply), "");
}

/// Of random bytes that were handed out, the stack has none, nor a key that gives them again.
#[test]
#[cfg_attr(debug_assertions, ignore = "other values are kept in memory than in a release build")]
fn random_bytes_cannot_be_drawn_again() {
    LazyLock::force(&TIER);
    let mut stack = Stack::default();
    // Of several batches in two ways, and requests with a key of their own.
    for (piece, len) in [(16, 8192), (64, 8192), (600, 600), (4096, 4096)] {
        let mut out = vec![0; len];
        let words = stack.run(|| {
            rand::fill(&mut [0; 16]).expect("a seed");
            out.chunks_mut(piece).for_each(|piece| rand::fill(piece).expect("a seed"));
        });
        let drawn: HashSet<&[u8]> = out.chunks_exact(16).collect();
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(!bytes.windows(16).step_by(4).any(|block| drawn.contains(block)), "{len} bytes by {piece}: left");
        for key in bytes.windows(32).step_by(4).filter(|key| key.iter().filter(|byte| **byte != 0).count() > 20) {
            let key = key.try_into().expect("32 bytes");
            let (mut block, mut stream) = ([[0; 16]], [0; 4096]);
            Aes::<32>::new(key).encrypt_blocks(&mut block);
            ChaCha20::new(key).apply(&[0; 12], 0, &mut stream).expect("few blocks");
            let mut made = stream.chunks(16).chain([&block[0][..]]);
            assert!(!made.any(|block| drawn.contains(block)), "{len} bytes by {piece}: a key");
        }
    }
}

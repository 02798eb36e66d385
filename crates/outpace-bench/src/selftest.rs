//! `outpace selftest`: known answers of every algorithm, on every kernel that this CPU can run.
//!
//! A kernel is chosen once in a process, so the command starts itself once for each set of features that some kernel asks
//! for, hides everything else, and runs all answers there. Between them the processes use every kernel that can be chosen.
//!
//! The answers cover many lengths at once: each is the SHA-256 of everything an algorithm puts out for patterned input.
//! Those of Kalyna and Kupyna come from dstu-core 0.7.0, all others from OpenSSL 3.0.19 by way of Node.js 20.

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};

use outpace::aead::{Aead, Aes128Gcm, Aes192Gcm, Aes256Gcm, ChaCha20Poly1305, KalynaGcm};
use outpace::cipher::kalyna::{Kalyna, Xts};
use outpace::cipher::modes::{BlockCipher, Ctr};
use outpace::hash::{
    Blake2b512, Blake2s256, Hash, Kupyna256, Kupyna512, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384,
    Sha512, Sha512_224, Sha512_256, Shake128, Shake256,
};
use outpace::kdf::{self, Hkdf};
use outpace::mac::Hmac;
use outpace::mask::Kernel;
use outpace::{ed25519, x25519};

use crate::fail::{Failure, Outcome};
use crate::kernels;

type Answer = (&'static str, fn() -> Vec<u8>, &'static str);

const ANSWERS: &[Answer] = &[
    ("SHA-224", hash::<Sha224>, "d4b0c8047fca7a27a2776da91781f1f554d33aec662c59f06d8cf949f362fca5"),
    ("SHA-256", hash::<Sha256>, "b78bf8bdab60990dc3defc0e20873b98ce64a126c284621ddbe6a041368612db"),
    ("SHA-384", hash::<Sha384>, "1a27f78a9bbfeba5bd432a333197769a5da110709b63e921eafecfd3cf131d58"),
    ("SHA-512", hash::<Sha512>, "1653c754c334c786f6231c1989e1eabcc03303268be337e04199dca1bca29c8d"),
    ("SHA-512/224", hash::<Sha512_224>, "66debe3b0b2e5be736f3f34ab4f68f00bd8395dd8507974abb6a791e71583a63"),
    ("SHA-512/256", hash::<Sha512_256>, "b679c1836736b6da77dc64a7598854d99a53eb3ce27710f17daf267d42769d3f"),
    ("SHA3-224", hash::<Sha3_224>, "50fbcaf4172929cdb5cccaf1b2c68696bab992a83261846a48de9ba47dbaa135"),
    ("SHA3-256", hash::<Sha3_256>, "8d8b810a2817cf2031a36ce3cc7eedd594d37c4cb2b35bf9bc3ab8a12dca68bb"),
    ("SHA3-384", hash::<Sha3_384>, "2a2817ad655b8bcc64853bd42a343157a30d812472268fb13908ceb840dba2f3"),
    ("SHA3-512", hash::<Sha3_512>, "6f1d43a646496a92fc2892067c48dc14eb13eb821f2099e325b1618eee6db04f"),
    ("BLAKE2b-512", hash::<Blake2b512>, "69cf6506733fb4f4f7df94f4037ef9ca65d07c2ee2cd70c53db4c5ae356c6c96"),
    ("BLAKE2s-256", hash::<Blake2s256>, "852db98c7accd089b82adb0593b06f768642b839de72fb42153d1a23d8a10538"),
    ("Kupyna-256", hash::<Kupyna256>, "cd013759fc3e86d8895d854b226fffe168652b3163a051043526400973345128"),
    ("Kupyna-512", hash::<Kupyna512>, "7d24f91f5a8e2358957518332584981a4640c1a4c478defd9d61314e25ac0e88"),
    ("SHAKE128", || extendable(Shake128::digest), "9d5c98ce35abc0766f4cd63639713f5c998868215dd701cb1d19e9e88351884a"),
    ("SHAKE256", || extendable(Shake256::digest), "2d5b35d14eea45127abde9a3662988c52c1180bdd404b3e86e31445e00550ce8"),
    ("HMAC-SHA-256", hmac::<Sha256>, "083e2ad0b693915bb8ff36a189e84c0242ca38b36cdad18816fe87b89b8c0665"),
    ("HMAC-SHA-384", hmac::<Sha384>, "fc50c1d847d483c307a0def431c808f225b12f78c455e010eeda5227a18ac4dc"),
    ("HMAC-SHA-512", hmac::<Sha512>, "cad6c27823bfe4861dca3bb8720b8e18d697836275bfb56378d867ebfc7f0287"),
    ("HMAC-SHA3-256", hmac::<Sha3_256>, "919d3502c00ea6cedeaba1b27d0d9b1ee3d24aea2f10bbc21d0d8d43ddaefb1c"),
    ("HKDF-SHA-256", hkdf::<Sha256>, "45aa42bb3090aec47b9533db4d4c8de43c2fa99f74505532beea12540a115b24"),
    ("HKDF-SHA-512", hkdf::<Sha512>, "f63b06de3ec4e3979769aa565e5c33257d590cdd5f81bb82ad51adac9ee09666"),
    ("PBKDF2-HMAC-SHA-256", pbkdf2::<Sha256>, "3a528f1b726bbc1cb35a10f1294df5ff37b49b31a45fbdc422fbd05495a52919"),
    ("PBKDF2-HMAC-SHA-512", pbkdf2::<Sha512>, "906d26fe0bd1fe63fd51761355c390786460ec633e4e8dd82e61e0536361bc2a"),
    ("AES-128-GCM", aead::<Aes128Gcm>, "dafada05c6458cb812dd03b9dd04e7e1357c6aebf688c1274e4379e89d93c768"),
    ("AES-192-GCM", aead::<Aes192Gcm>, "833812bb0d8b9d143a67688759807d45dceadc76865601c63e8ef5b516f50583"),
    ("AES-256-GCM", aead::<Aes256Gcm>, "9a00db6b76128e78393db89683b35d58f1ababf4751433730f5090602bafc8a7"),
    ("ChaCha20-Poly1305", aead::<ChaCha20Poly1305>, "adc95fac623bbe0456bca713b8034b82b65e372b2706a303a86ae1793a5d8c09"),
    ("X25519", x25519, "91c10de85da6df77a9bd330dba9ba5edfc09c8d600c9c0bd0688584fd5a71395"),
    ("Ed25519", ed25519, "d8f1e7f8c63161004ce8d294cf8a9c933b0d26a8f92b3f5f7715d49cba0ca8a1"),
    ("Kalyna-128/128", kalyna::<16, 16, 11>, "4e021fc343e11995b2b43ff1b5d37bae7f5e01b3723c88b36fdb614d3c3859b1"),
    ("Kalyna-128/256", kalyna::<16, 32, 15>, "04e539f7232f00b552741e57b38a9b95e0c38c443f60ac8c801bca24f1e74612"),
    ("Kalyna-256/256", kalyna::<32, 32, 15>, "9a193b7a3d50ea2d1099fcf37ad6dca2fb8248f0bea554510b3bf6098c956561"),
    ("Kalyna-256/512", kalyna::<32, 64, 19>, "5cbbe02be9d987a0d00d49c48ea391f29b78fb010bd6e60db84b2b33cb4c2c80"),
    ("Kalyna-512/512", kalyna::<64, 64, 19>, "903ff8d3223221fce35f68f417b01fe9025cbcc10196ff83ca7c5f0898917542"),
];

/// Names one kernel: the place of its primitive in the list, and its own.
pub type Place = (usize, usize);

pub fn run(only: Option<Place>) -> Outcome<ExitCode> {
    match only {
        Some(place) => answers_under(place),
        None => every_kernel(),
    }
}

/// In a process of its own: masks to one kernel's needs, checks all answers, says which kernels gave them.
fn answers_under((primitive, kernel): Place) -> Outcome<ExitCode> {
    let list = outpace::mask::kernels();
    let kernel = list.get(primitive).and_then(|(_, kernels)| kernels.get(kernel));
    if !kernel.is_some_and(Kernel::limit_to) {
        return Err(Failure::new("there is no such kernel to test"));
    }
    let wrong = wrong_answers();
    for row in kernels::list() {
        println!("{}\t{}", row.primitive, row.used);
    }
    for name in &wrong {
        eprintln!("{name} gives a wrong answer");
    }
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn wrong_answers() -> Vec<&'static str> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let right = |answer: &Answer| hex(&Sha256::digest(&answer.1())) == answer.2;
    ANSWERS.iter().filter(|answer| !right(answer)).map(|(name, ..)| *name).collect()
}

fn every_kernel() -> Outcome<ExitCode> {
    let program =
        std::env::current_exe().map_err(|error| Failure::new(format!("cannot find myself to start again: {error}")))?;
    let mut failed = false;
    let mut used = BTreeSet::new();
    let list = outpace::mask::kernels();
    for (p, (primitive, kernels)) in list.iter().enumerate() {
        for (k, kernel) in kernels.iter().enumerate().filter(|(_, kernel)| kernel.available()) {
            if used.contains(&format!("{primitive}\t{}", kernel.name)) {
                continue;
            }
            let output = Command::new(&program)
                .args(["selftest", "--only", &format!("{p}:{k}")])
                .output()
                .map_err(|error| Failure::new(format!("cannot start again: {error}")))?;
            if !output.status.success() {
                failed = true;
                println!("FAILED with the features of {primitive}, {}:", kernel.name);
                print!("{}", String::from_utf8_lossy(&output.stderr));
            }
            used.extend(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned));
        }
    }
    for (primitive, kernels) in &list {
        let (tested, never): (Vec<&Kernel>, Vec<&Kernel>) = kernels
            .iter()
            .filter(|kernel| kernel.available())
            .partition(|kernel| used.contains(&format!("{primitive}\t{}", kernel.name)));
        let names = |kernels: &[&Kernel]| kernels.iter().map(|kernel| kernel.name).collect::<Vec<_>>().join(", ");
        let never = if never.is_empty() { String::new() } else { format!("; never chosen: {}", names(&never)) };
        println!("{primitive}: {}{never}", names(&tested));
    }
    println!(
        "{} algorithms: {}",
        ANSWERS.len(),
        if failed { "FAILED" } else { "all answers are right on every kernel above" }
    );
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn pattern(length: usize, seed: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + seed * 13 + (i >> 8) * 5) as u8).collect()
}

fn array<const N: usize>(seed: usize) -> [u8; N] {
    pattern(N, seed).try_into().expect("as long as asked")
}

/// Lengths around the blocks of every hash.
fn messages() -> Vec<Vec<u8>> {
    (0..20).map(|i| pattern(i * 67, i)).collect()
}

/// One by one, and all in one call: the two must not differ, so an answer stands for both.
fn hash<H: Hash>() -> Vec<u8> {
    let messages = messages();
    let views: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let one_by_one: Vec<H::Output> = views.iter().map(|message| H::digest(message)).collect();
    let mut together = vec![H::digest(b"overwritten"); views.len()];
    let done = H::digest_many(&views, &mut together);
    let all = |digests: &[H::Output]| digests.iter().flat_map(|digest| digest.as_ref().to_vec()).collect::<Vec<u8>>();
    if done.is_err() || all(&one_by_one) != all(&together) { Vec::new() } else { all(&together) }
}

fn extendable(digest: fn(&[u8], &mut [u8])) -> Vec<u8> {
    let one = |message: Vec<u8>| {
        let mut out = [0; 200];
        digest(&message, &mut out);
        out
    };
    messages().into_iter().flat_map(one).collect()
}

fn hmac<H: Hash>() -> Vec<u8> {
    let one = |(i, message): (usize, Vec<u8>)| Hmac::<H>::new(&pattern(i * 11, 1)).mac(&message).as_ref().to_vec();
    messages().into_iter().enumerate().flat_map(one).collect()
}

fn hkdf<H: Hash>() -> Vec<u8> {
    let mut out = vec![0; 100];
    let keys = Hkdf::<H>::extract(&pattern(16, 2), &pattern(32, 1));
    keys.expand(&pattern(10, 3), &mut out).map(|()| out).unwrap_or_default()
}

fn pbkdf2<H: Hash>() -> Vec<u8> {
    let mut out = vec![0; 100];
    kdf::pbkdf2::<H>(&pattern(10, 1), &pattern(16, 2), 10, &mut out).map(|()| out).unwrap_or_default()
}

fn aead<A>() -> Vec<u8>
where
    A: Aead<Nonce = [u8; 12]>,
    A::Key: TryFrom<Vec<u8>>,
{
    let Ok(key) = A::Key::try_from(pattern(size_of::<A::Key>(), 1)) else { return Vec::new() };
    let (key, nonce) = (A::new(&key), array(2));
    let mut all = Vec::new();
    for length in [0, 1, 16, 63, 64, 65, 200, 256, 500, 1350, 3000] {
        let (aad, plaintext) = (pattern(length % 37, 3), pattern(length, 4));
        let mut data = plaintext.clone();
        let tag = key.seal_in_place(&nonce, &aad, &mut data);
        all.extend_from_slice(&data);
        all.extend_from_slice(tag.as_ref());
        if key.open_in_place(&nonce, &aad, &mut data, &tag).is_err() || data != plaintext {
            return Vec::new();
        }
    }
    all
}

fn x25519() -> Vec<u8> {
    let secret = |seed| x25519::StaticSecret::from_bytes(&array(seed));
    let shared = secret(1).agree(&secret(2).public_key());
    [*secret(1).public_key().as_bytes(), shared.unwrap_or_default()].concat()
}

fn ed25519() -> Vec<u8> {
    let (key, message) = (ed25519::SigningKey::from_seed(&array(1)), pattern(100, 2));
    let signature = key.sign(&message);
    let verified = key.verifying_key().verify(&message, &signature).is_ok();
    if verified { [&key.verifying_key().as_bytes()[..], &signature].concat() } else { Vec::new() }
}

/// Blocks on their own in several numbers, counter mode, XTS and GCM.
fn kalyna<const BLOCK: usize, const KEY: usize, const KEYS: usize>() -> Vec<u8> {
    let (raw, iv) = (array(1), array::<BLOCK>(2));
    let key = Kalyna::<BLOCK, KEY, KEYS>::new(&raw);
    let mut all = Vec::new();
    for count in [1, 2, 3, 8, 17, 100] {
        let plaintext = pattern(count * BLOCK, 3);
        let mut data = plaintext.clone();
        key.encrypt_blocks(data.as_chunks_mut().0);
        all.extend_from_slice(&data);
        key.decrypt_blocks(data.as_chunks_mut().0);
        if data != plaintext {
            return Vec::new();
        }
    }
    let (mut ctr, mut xts, mut sealed) = (pattern(5000, 4), pattern(5000, 5), vec![0; 5000 + BLOCK]);
    Ctr::new(&key, &iv).apply(&mut ctr);
    let gcm = KalynaGcm::<BLOCK, KEY, KEYS, BLOCK>::new(&raw);
    let done =
        Xts::new(&key).encrypt(&iv, &mut xts).and(gcm.seal(&iv, &pattern(100, 7), &pattern(5000, 6), &mut sealed));
    if done.is_err() { Vec::new() } else { [all, ctr, xts, sealed].concat() }
}

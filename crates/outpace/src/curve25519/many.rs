//! Many jobs in one call: agreement, signing, and verification by a random linear combination.

use super::CURVE;
use super::ed25519::{SigningKey, VerifyingKey};
use super::edwards::Affine;
use super::field::{Field, Words, words};
use super::scalar::Scalar;
use super::x25519::{PublicKey, StaticSecret, contributory};
use crate::error::check_len;
use crate::mem::Secret;
use crate::mem::ct::Choice;
use crate::{Error, Result};

/// Jobs that are handed to a kernel at once: a bound on what the stack holds. Fewer would share the doublings of a linear
/// combination among fewer signatures.
const CHUNK: usize = 32;

/// Terms of one linear combination: a commitment and a key for each signature.
pub(crate) const TERMS: usize = 2 * CHUNK;

/// A multiple of a point: scalar and point.
pub(crate) type Term = (Words, Affine);

/// The secrets shared by each pair, computed side by side where the CPU has the registers for it.
///
/// Each result is what [`StaticSecret::agree`] gives for its pair: a peer's point of small order fails there and nowhere
/// else.
///
/// ```
/// use outpace::x25519::{self, StaticSecret};
///
/// let ours = StaticSecret::generate()?;
/// let peers = [StaticSecret::generate()?.public_key(), StaticSecret::generate()?.public_key()];
/// let mut shared = [const { Ok([0; 32]) }; 2];
/// x25519::agree_many(&[(&ours, &peers[0]), (&ours, &peers[1])], &mut shared)?;
/// assert_eq!(shared[1], ours.agree(&peers[1]));
/// # Ok::<(), outpace::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `shared` has not one place for each pair; nothing is written.
pub fn agree_many(pairs: &[(&StaticSecret, &PublicKey)], shared: &mut [Result<[u8; 32]>]) -> Result<()> {
    check_len("shared secrets", pairs.len(), shared.len())?;
    let curve = CURVE.get();
    for (pairs, shared) in pairs.chunks(CHUNK).zip(shared.chunks_mut(CHUNK)) {
        let n = pairs.len();
        let (mut scalars, mut points) = (Secret::new([[0; 4]; CHUNK]), [[0; 4]; CHUNK]);
        for (i, (secret, public)) in pairs.iter().enumerate() {
            scalars[i] = *secret.scalar();
            points[i] = words(public.as_bytes());
        }
        let mut results = Secret::new([[0; 4]; CHUNK]);
        // Kernels rely on it that all of these scalars are clamped.
        (curve.agree_many)(&scalars[..n], &points[..n], &mut results[..n]);
        for (shared, result) in shared.iter_mut().zip(&*results) {
            *shared = contributory(*result);
        }
    }
    Ok(())
}

/// The signatures of each key's message (Ed25519), computed side by side: what [`SigningKey::sign`] gives for each.
///
/// ```
/// use outpace::ed25519::{self, SigningKey};
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// let mut signatures = [[0; 64]; 2];
/// ed25519::sign_many(&[(&key, b"one"), (&key, b"two")], &mut signatures)?;
/// assert_eq!(signatures[1], key.sign(b"two"));
/// # Ok::<(), outpace::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if `signatures` has not one place for each message; nothing is written.
pub fn sign_many(jobs: &[(&SigningKey, &[u8])], signatures: &mut [[u8; 64]]) -> Result<()> {
    check_len("signatures", jobs.len(), signatures.len())?;
    let curve = CURVE.get();
    for (jobs, signatures) in jobs.chunks(CHUNK).zip(signatures.chunks_mut(CHUNK)) {
        let mut nonces = Secret::new([[0; 4]; CHUNK]);
        for (nonce, (key, message)) in nonces.iter_mut().zip(jobs) {
            *nonce = *key.nonce_plain(message).words();
        }
        let mut points = [Affine::IDENTITY; CHUNK];
        (curve.base_many)(&nonces[..jobs.len()], &mut points[..jobs.len()]);
        for (i, (signature, (key, message))) in signatures.iter_mut().zip(jobs).enumerate() {
            *signature = key.finish_plain(message, &Secret::new(Scalar::of(nonces[i])), &points[i]);
        }
    }
    Ok(())
}

/// Whether every signature is valid by [`Criterion::Zip215`](super::ed25519::Criterion::Zip215): one equation for all
/// of them, multiplied by random factors of 128 bits.
///
/// It says that all are valid, or that some are not, and a wrong signature passes with a probability of 2^−128 at most.
/// The criterion is the only one for which a batch and single verifications always agree; to know which signature is
/// wrong, or for strict verification, verify one by one.
///
/// It uses up to 135 KB of stack, most of it for multiples of 64 points, whatever the number of signatures.
///
/// ```
/// use outpace::ed25519::{self, SigningKey};
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// let (one, two) = (key.sign(b"one"), key.sign(b"two"));
/// let public = key.verifying_key();
/// assert!(ed25519::verify_batch(&[(public, b"one", &one), (public, b"two", &two)]).is_ok());
/// assert!(ed25519::verify_batch(&[(public, b"one", &one), (public, b"two", &one)]).is_err());
/// ```
///
/// # Errors
/// [`Error::Authentication`] if any signature is not valid; [`Error::Random`] if there is no randomness.
pub fn verify_batch(jobs: &[(&VerifyingKey, &[u8], &[u8; 64])]) -> Result<()> {
    let curve = CURVE.get();
    for jobs in jobs.chunks(CHUNK) {
        let n = jobs.len();
        let mut factors = [[0; 16]; CHUNK];
        crate::rand::fill(factors[..n].as_flattened_mut())?;
        let mut encoded = [[0; 32]; CHUNK];
        for (encoded, (_, _, signature)) in encoded.iter_mut().zip(jobs) {
            encoded.copy_from_slice(&signature[..32]);
        }
        let mut points = [Affine::IDENTITY; CHUNK];
        if !(curve.decode_many_vartime)(&encoded[..n], &mut points[..n]) {
            return Err(Error::Authentication);
        }
        // Σ zᵢ·(Sᵢ·B − kᵢ·Aᵢ − Rᵢ), first the short scalars, then the long ones.
        let mut terms = [([0; 4], Affine::IDENTITY); TERMS];
        let mut base = Scalar::of([0; 4]);
        for (i, (key, message, signature)) in jobs.iter().enumerate() {
            let mut factor = [0; 32];
            factor[..16].copy_from_slice(&factors[i]);
            let z = Scalar::of(words(&factor));
            let (k, s) = key.challenge_plain(message, signature)?;
            base = z.mul_add(&s, &base);
            terms[i] = (*z.words(), points[i].negate());
            terms[n + i] = (*z.mul_add(&k, &Scalar::of([0; 4])).words(), *key.minus_a());
        }
        if !(curve.combination_vartime)(&terms[..2 * n], base.words()) {
            return Err(Error::Authentication);
        }
    }
    Ok(())
}

/// Replaces each element by its inverse, zero by zero, with one inversion (Montgomery's trick).
#[inline(always)]
pub(crate) fn invert_many<F: Field, const N: usize>(elements: &mut [F; N]) {
    let zeros = elements.map(|e| {
        let e = e.to_words();
        Choice::is_zero(e[0] | e[1] | e[2] | e[3])
    });
    // Something invertible in the place of every zero.
    for (element, zero) in elements.iter_mut().zip(zeros) {
        F::swap(element, &mut F::from_words(&[1, 0, 0, 0]), zero);
    }
    let mut product = F::from_words(&[1, 0, 0, 0]);
    let before = elements.map(|e| {
        let before = product;
        product = product.mul(&e);
        before
    });
    let mut inverse = product.invert();
    for i in (0..N).rev() {
        let element = inverse.mul(&before[i]);
        inverse = inverse.mul(&elements[i]);
        elements[i] = element;
        F::swap(&mut elements[i], &mut F::from_words(&[0; 4]), zeros[i]);
    }
}

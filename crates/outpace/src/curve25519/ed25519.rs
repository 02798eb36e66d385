//! Ed25519: signatures on the Edwards form of Curve25519 (RFC 8032; FIPS 186-5).
//!
//! [`SigningKey::sign`] is deterministic Ed25519; the variants with a context (Ed25519ctx) and for a message hashed
//! beforehand (Ed25519ph) have names of their own. Signing does not depend on secrets in its time or addresses, and keys
//! are wiped when dropped. Verification handles public data only and takes a time that depends on it.
//!
//! # What a valid signature is
//!
//! RFC 8032 leaves a choice, and implementations differ. Here the choice has a name, [`Criterion`]:
//!
//! | | [`Strict`](Criterion::Strict), the default | [`Zip215`](Criterion::Zip215) |
//! | --- | --- | --- |
//! | equation | S·B = R + k·A | 8·S·B = 8·R + 8·k·A |
//! | S ≥ L | refused | refused |
//! | encodings of A and R that are not canonical | refused | accepted |
//! | A or R of small order | refused | accepted |
//!
//! `Strict` accepts nothing that another common verifier would refuse, and an accepted signature binds key and message.
//! `Zip215` (the rules of Zcash's ZIP 215) gives the same answer for single and batched verification: it is what
//! consensus systems want, and what [`verify_batch`] uses. Both accept every honestly made signature.
//!
//! ```
//! use outpace::ed25519::SigningKey;
//!
//! let key = SigningKey::generate()?;
//! let signature: [u8; 64] = key.sign(b"message");
//! key.verifying_key().verify(b"message", &signature)?;
//! assert!(key.verifying_key().verify(b"massage", &signature).is_err());
//! # Ok::<(), outpace::Error>(())
//! ```

pub use super::many::{sign_many, verify_batch};

use super::edwards::{Affine, P};
use super::field::{Words, words};
use super::scalar::Scalar;
use super::{CURVE, Kernel};
use crate::hash::{Hash, Sha512};
use crate::mem::Secret;
use crate::{Error, Result};
use core::fmt;

/// Which signatures are valid; see the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Criterion {
    /// Canonical encodings, no points of small order, the equation without cofactor.
    #[default]
    Strict,
    /// The rules of ZIP 215: lenient encodings, any point, the equation times eight.
    Zip215,
}

/// The variants of RFC 8032, section 5.1, by what is hashed before everything else: dom2.
#[derive(Clone, Copy)]
enum Variant<'a> {
    Plain,
    Context(&'a [u8]),
    Prehashed(&'a [u8]),
}

impl Variant<'_> {
    fn begin(self) -> Sha512 {
        let mut hash = Sha512::new();
        let (flag, context) = match self {
            Self::Plain => return hash,
            Self::Context(context) => (0, context),
            Self::Prehashed(context) => (1, context),
        };
        hash.update(b"SigEd25519 no Ed25519 collisions");
        hash.update(&[flag, context.len() as u8]);
        hash.update(context);
        hash
    }
}

fn check_context(context: &[u8]) -> Result<()> {
    if context.len() > 255 { Err(Error::Parameter("an Ed25519 context has at most 255 bytes")) } else { Ok(()) }
}

fn array<const N: usize>(what: &'static str, bytes: &[u8]) -> Result<[u8; N]> {
    bytes.try_into().map_err(|_| Error::Length { what, expected: N, got: bytes.len() })
}

/// A private key: the 32-byte seed and what is derived from it.
///
/// ```
/// use outpace::ed25519::SigningKey;
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// let signature = key.sign(b"message");
/// assert!(key.verifying_key().verify(b"message", &signature).is_ok());
/// ```
#[derive(Clone)]
pub struct SigningKey {
    seed: Secret<[u8; 32]>,
    /// The clamped scalar, reduced modulo L.
    scalar: Secret<Words>,
    /// The second half of the expanded seed.
    prefix: Secret<[u8; 32]>,
    public: VerifyingKey,
}

impl SigningKey {
    /// A new key from the system's randomness.
    ///
    /// # Errors
    /// [`Error::Random`] if there is none.
    pub fn generate() -> Result<Self> {
        let mut seed = Secret::new([0; 32]);
        crate::rand::fill(&mut *seed)?;
        Ok(Self::from_seed(&seed))
    }

    /// The key that RFC 8032, section 5.1.5, derives from `seed` (which it calls the private key).
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let curve = CURVE.get();
        let expanded = Secret::new(Sha512::digest(seed));
        let (low, high) = halves(&expanded);
        let clamped = Secret::new(super::montgomery::clamp(&words(low)));
        let point = (curve.base)(&clamped);
        // From here on the key is public.
        #[cfg(outpace_ct)]
        let point = crate::mem::taint::published(point);
        Self {
            seed: Secret::new(*seed),
            scalar: Secret::new(*Scalar::reduce(&clamped).words()),
            prefix: Secret::new(*high),
            public: VerifyingKey::new(point.encode(), &point, curve),
        }
    }

    /// The seed. Whoever copies it must wipe the copy.
    #[must_use]
    pub fn seed(&self) -> &[u8; 32] {
        &self.seed
    }

    /// The public half.
    #[must_use]
    pub fn verifying_key(&self) -> &VerifyingKey {
        &self.public
    }

    /// The signature of `message` (Ed25519).
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.sign_variant(Variant::Plain, message)
    }

    /// The signature of `message` in a context (Ed25519ctx): valid in no other.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a context of more than 255 bytes.
    pub fn sign_with_context(&self, message: &[u8], context: &[u8]) -> Result<[u8; 64]> {
        check_context(context)?;
        Ok(self.sign_variant(Variant::Context(context), message))
    }

    /// The signature of a message of which only the SHA-512 digest is at hand (Ed25519ph). The context may be empty.
    ///
    /// ```
    /// use outpace::ed25519::SigningKey;
    /// use outpace::hash::{Hash, Sha512};
    ///
    /// let key = SigningKey::from_seed(&[7; 32]);
    /// let digest = Sha512::digest(b"a long message");
    /// let signature = key.sign_prehashed(&digest, b"")?;
    /// key.verifying_key().verify_prehashed(&digest, b"", &signature)?;
    /// # Ok::<(), outpace::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] for a context of more than 255 bytes.
    pub fn sign_prehashed(&self, digest: &[u8; 64], context: &[u8]) -> Result<[u8; 64]> {
        check_context(context)?;
        Ok(self.sign_variant(Variant::Prehashed(context), digest))
    }

    fn sign_variant(&self, variant: Variant<'_>, message: &[u8]) -> [u8; 64] {
        let nonce = self.nonce(variant, message);
        let point = (self.public.curve.base)(nonce.words());
        self.finish(variant, message, &nonce, &point)
    }

    /// The first half of a signature: the nonce.
    pub(super) fn nonce_plain(&self, message: &[u8]) -> Secret<Scalar> {
        self.nonce(Variant::Plain, message)
    }

    /// The second half, from the nonce and its multiple of B.
    pub(super) fn finish_plain(&self, message: &[u8], nonce: &Scalar, point: &Affine) -> [u8; 64] {
        self.finish(Variant::Plain, message, nonce, point)
    }

    /// RFC 8032, section 5.1.6, step 2.
    fn nonce(&self, variant: Variant<'_>, message: &[u8]) -> Secret<Scalar> {
        let mut hash = variant.begin();
        hash.update(&*self.prefix);
        hash.update(message);
        Secret::new(Scalar::from_hash(&Secret::new(hash.finish())))
    }

    /// Steps 4 to 6.
    fn finish(&self, variant: Variant<'_>, message: &[u8], nonce: &Scalar, point: &Affine) -> [u8; 64] {
        let r = point.encode();
        let k = challenge(variant, &r, &self.public.bytes, message);
        let s = k.mul_add(&Scalar::of(*self.scalar), nonce);
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&r);
        signature[32..].copy_from_slice(&s.to_bytes());
        signature
    }
}

fn halves(bytes: &[u8; 64]) -> (&[u8; 32], &[u8; 32]) {
    let (halves, _) = bytes.as_chunks::<32>();
    (&halves[0], &halves[1])
}

/// k = SHA-512(dom2 ‖ R ‖ A ‖ message) modulo L.
fn challenge(variant: Variant<'_>, r: &[u8; 32], a: &[u8; 32], message: &[u8]) -> Scalar {
    let mut hash = variant.begin();
    let mut both = [0; 64];
    both[..32].copy_from_slice(r);
    both[32..].copy_from_slice(a);
    hash.update(&both);
    hash.update(message);
    Scalar::from_hash(&hash.finish())
}

impl TryFrom<&[u8]> for SigningKey {
    type Error = Error;

    fn try_from(seed: &[u8]) -> Result<Self> {
        Ok(Self::from_seed(&Secret::new(array("Ed25519 seed", seed)?)))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}

/// A public key: a point of the curve, decoded once.
///
/// ```
/// use outpace::ed25519::{Criterion, VerifyingKey};
///
/// // The identity is a point, so it can be a key; no strict signature verifies under it.
/// let mut identity = [0; 32];
/// identity[0] = 1;
/// let key = VerifyingKey::from_bytes(&identity)?;
/// let mut signature = [0; 64];
/// signature[0] = 1;
/// assert!(key.verify(b"anything", &signature).is_err());
/// assert!(key.verify_by(Criterion::Zip215, b"anything", &signature).is_ok());
/// # Ok::<(), outpace::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct VerifyingKey {
    bytes: [u8; 32],
    /// −A, as the equation is computed: S·B + k·(−A).
    minus_a: Affine,
    /// Whether the strict criterion takes this key at all.
    strict: bool,
    curve: Kernel,
}

impl VerifyingKey {
    fn new(bytes: [u8; 32], point: &Affine, curve: Kernel) -> Self {
        let y = words(&bytes);
        let y = [y[0], y[1], y[2], y[3] & (u64::MAX >> 1)];
        // Of the points with x = 0, the only ones with two encodings more, both have small order.
        let strict = y.iter().rev().lt(P.iter().rev()) && !is_small_order_vartime(&y);
        Self { bytes, minus_a: point.negate(), strict, curve }
    }

    /// The key with this encoding (RFC 8032, section 5.1.3).
    ///
    /// Encodings that are not canonical and points of small order are taken here, for the sake of
    /// [`Criterion::Zip215`], and refused by every strict verification.
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no point.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self> {
        let curve = CURVE.get();
        let point = (curve.decode_vartime)(bytes).ok_or(Error::Encoding("Ed25519 public key"))?;
        Ok(Self::new(*bytes, &point, curve))
    }

    /// The encoding, as it was given.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// Whether `signature` is this key's of `message`, strictly.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is not.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> Result<()> {
        self.verify_variant(Criterion::Strict, Variant::Plain, message, signature)
    }

    /// Whether `signature` is this key's of `message`, by the named criterion.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is not.
    pub fn verify_by(&self, criterion: Criterion, message: &[u8], signature: &[u8; 64]) -> Result<()> {
        self.verify_variant(criterion, Variant::Plain, message, signature)
    }

    /// Whether `signature` is this key's of `message` in a context (Ed25519ctx), strictly.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is not; [`Error::Parameter`] for a context of more than 255 bytes.
    pub fn verify_with_context(&self, message: &[u8], context: &[u8], signature: &[u8; 64]) -> Result<()> {
        check_context(context)?;
        self.verify_variant(Criterion::Strict, Variant::Context(context), message, signature)
    }

    /// Whether `signature` is this key's of the message with this SHA-512 digest (Ed25519ph), strictly.
    ///
    /// # Errors
    /// [`Error::Authentication`] if it is not; [`Error::Parameter`] for a context of more than 255 bytes.
    pub fn verify_prehashed(&self, digest: &[u8; 64], context: &[u8], signature: &[u8; 64]) -> Result<()> {
        check_context(context)?;
        self.verify_variant(Criterion::Strict, Variant::Prehashed(context), digest, signature)
    }

    /// k and S of a signature, if S is below L.
    pub(super) fn challenge_plain(&self, message: &[u8], signature: &[u8; 64]) -> Result<(Scalar, Scalar)> {
        let (r, s) = halves(signature);
        let s = Scalar::from_canonical_vartime(s).ok_or(Error::Authentication)?;
        Ok((challenge(Variant::Plain, r, &self.bytes, message), s))
    }

    pub(super) const fn minus_a(&self) -> &Affine {
        &self.minus_a
    }

    fn verify_variant(
        &self,
        criterion: Criterion,
        variant: Variant<'_>,
        message: &[u8],
        signature: &[u8; 64],
    ) -> Result<()> {
        let (r, s) = halves(signature);
        let s = Scalar::from_canonical_vartime(s).ok_or(Error::Authentication)?;
        let valid = match criterion {
            Criterion::Strict => {
                // A computed encoding is canonical, so equal bytes leave only small order to refuse.
                let y = words(r);
                self.strict && !is_small_order_vartime(&[y[0], y[1], y[2], y[3] & (u64::MAX >> 1)]) && {
                    let k = challenge(variant, r, &self.bytes, message);
                    (self.curve.double_base_vartime)(k.words(), &self.minus_a, s.words()).encode() == *r
                }
            }
            Criterion::Zip215 => match (self.curve.decode_vartime)(r) {
                Some(point) => {
                    let k = challenge(variant, r, &self.bytes, message);
                    (self.curve.cofactored_vartime)(k.words(), &self.minus_a, s.words(), &point)
                }
                None => false,
            },
        };
        if valid { Ok(()) } else { Err(Error::Authentication) }
    }
}

/// Whether a point with this (canonical) coordinate y has an order that divides 8: there are five such coordinates.
fn is_small_order_vartime(y: &Words) -> bool {
    /// The coordinate of two of the points of order 8; the other two have its opposite.
    const EIGHT: Words = words(&[
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ]);
    let one = [1, 0, 0, 0];
    [[0; 4], one, super::edwards::minus(&one), EIGHT, super::edwards::minus(&EIGHT)].contains(y)
}

impl TryFrom<&[u8]> for VerifyingKey {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes(&array("Ed25519 public key", bytes)?)
    }
}

impl PartialEq for VerifyingKey {
    /// The same bytes.
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for VerifyingKey {}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VerifyingKey").field(&self.bytes).finish()
    }
}

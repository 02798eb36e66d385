//! X25519 and Ed25519 keys (RFC 8410): the algorithm without parameters; the private key an OCTET STRING in an OCTET
//! STRING, with the public key beside it in version 2.

use super::{PRIVATE_KEY, PUBLIC_KEY, SecretBytes, SecretText, decode, from_pem, to_pem};
use crate::ed25519::{SigningKey, VerifyingKey};
use crate::mem::Secret;
use crate::x25519::{PublicKey, StaticSecret};
use crate::{Error, Result};
use alloc::string::String;
use alloc::vec::Vec;
use pkcs8::PrivateKeyInfoRef;
use pkcs8::der::Encode;
use pkcs8::der::asn1::{BitStringRef, ObjectIdentifier, OctetStringRef};
use pkcs8::spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

/// A curve's algorithm and what its keys are called in errors.
struct Algorithm {
    oid: ObjectIdentifier,
    private: &'static str,
    public: &'static str,
}

const X25519: Algorithm = Algorithm {
    oid: ObjectIdentifier::new_unwrap("1.3.101.110"),
    private: "X25519 private key in PKCS#8",
    public: "X25519 SubjectPublicKeyInfo",
};

const ED25519: Algorithm = Algorithm {
    oid: ObjectIdentifier::new_unwrap("1.3.101.112"),
    private: "Ed25519 private key in PKCS#8",
    public: "Ed25519 SubjectPublicKeyInfo",
};

/// What a PKCS#8 file holds: the private key, and in version 2 the public key.
struct Pair {
    private: Secret<[u8; 32]>,
    public: Option<[u8; 32]>,
}

impl Algorithm {
    fn identifier(&self) -> AlgorithmIdentifierRef<'static> {
        AlgorithmIdentifierRef { oid: self.oid, parameters: None }
    }

    fn is(&self, found: &AlgorithmIdentifierRef<'_>) -> bool {
        found.oid == self.oid && found.parameters.is_none()
    }

    fn decode_private(&self, der: &[u8]) -> Result<Pair> {
        let error = Error::Encoding(self.private);
        let info: PrivateKeyInfoRef<'_> = decode(der, self.private)?;
        if !self.is(&info.algorithm) {
            return Err(error);
        }
        let inner: &OctetStringRef = decode(info.private_key.as_bytes(), self.private)?;
        let private = Secret::new(inner.as_bytes().try_into().map_err(|_| error)?);
        let public = match info.public_key {
            Some(bits) => Some(bits.as_bytes().and_then(|bytes| bytes.try_into().ok()).ok_or(error)?),
            None => None,
        };
        Ok(Pair { private, public })
    }

    fn encode_private(&self, private: &[u8; 32], public: Option<&[u8; 32]>) -> SecretBytes {
        let mut inner = Secret::new([0; 34]);
        inner[..2].copy_from_slice(&[4, 32]);
        inner[2..].copy_from_slice(private);
        // Lengths of a few dozen bytes cannot be out of range, nor 32 bytes an ill-formed string of bits.
        let encoded = OctetStringRef::new(&*inner).and_then(|inner| {
            let mut info = PrivateKeyInfoRef::new(self.identifier(), inner);
            info.public_key = match public {
                Some(public) => Some(BitStringRef::from_bytes(public)?),
                None => None,
            };
            info.to_der()
        });
        SecretBytes(encoded.unwrap_or_default())
    }

    fn decode_public(&self, der: &[u8]) -> Result<[u8; 32]> {
        let error = Error::Encoding(self.public);
        let info: SubjectPublicKeyInfoRef<'_> = decode(der, self.public)?;
        if !self.is(&info.algorithm) {
            return Err(error);
        }
        info.subject_public_key.as_bytes().and_then(|bytes| bytes.try_into().ok()).ok_or(error)
    }

    fn encode_public(&self, public: &[u8; 32]) -> Vec<u8> {
        let encoded = BitStringRef::from_bytes(public).and_then(|subject_public_key| {
            SubjectPublicKeyInfoRef::<'_> { algorithm: self.identifier(), subject_public_key }.to_der()
        });
        encoded.unwrap_or_default()
    }
}

impl SigningKey {
    /// The key in a PKCS#8 file, version 1 or 2.
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no Ed25519 key in DER, has anything behind it, or holds a public key that does not
    /// belong to the private one.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self> {
        let Pair { private, public } = ED25519.decode_private(der)?;
        let key = Self::from_seed(&private);
        match public {
            Some(public) if public != *key.verifying_key().as_bytes() => Err(Error::Encoding(ED25519.private)),
            _ => Ok(key),
        }
    }

    /// As [`SigningKey::from_pkcs8_der`], from PEM text (`PRIVATE KEY`).
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no such text.
    pub fn from_pkcs8_pem(pem: &str) -> Result<Self> {
        Self::from_pkcs8_der(from_pem(PRIVATE_KEY, pem, ED25519.private)?.as_bytes())
    }

    /// The key as PKCS#8, version 1: what OpenSSL writes, and everything reads.
    #[must_use]
    pub fn to_pkcs8_der(&self) -> SecretBytes {
        ED25519.encode_private(self.seed(), None)
    }

    /// The key as PKCS#8, version 2: with the public key.
    #[must_use]
    pub fn to_pkcs8_v2_der(&self) -> SecretBytes {
        ED25519.encode_private(self.seed(), Some(self.verifying_key().as_bytes()))
    }

    /// As [`SigningKey::to_pkcs8_der`], in PEM text.
    #[must_use]
    pub fn to_pkcs8_pem(&self) -> SecretText {
        SecretText(to_pem(PRIVATE_KEY, &self.to_pkcs8_der()))
    }
}

impl VerifyingKey {
    /// The key in a SubjectPublicKeyInfo.
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no Ed25519 key in DER, has anything behind it, or is no point.
    pub fn from_spki_der(der: &[u8]) -> Result<Self> {
        Self::from_bytes(&ED25519.decode_public(der)?)
    }

    /// As [`VerifyingKey::from_spki_der`], from PEM text (`PUBLIC KEY`).
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no such text.
    pub fn from_spki_pem(pem: &str) -> Result<Self> {
        Self::from_spki_der(from_pem(PUBLIC_KEY, pem, ED25519.public)?.as_bytes())
    }

    /// The key as a SubjectPublicKeyInfo.
    #[must_use]
    pub fn to_spki_der(&self) -> Vec<u8> {
        ED25519.encode_public(self.as_bytes())
    }

    /// As [`VerifyingKey::to_spki_der`], in PEM text.
    #[must_use]
    pub fn to_spki_pem(&self) -> String {
        to_pem(PUBLIC_KEY, &self.to_spki_der())
    }
}

impl StaticSecret {
    /// The secret in a PKCS#8 file, version 1 or 2.
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no X25519 key in DER, has anything behind it, or holds a public key that does not
    /// belong to the private one.
    pub fn from_pkcs8_der(der: &[u8]) -> Result<Self> {
        let Pair { private, public } = X25519.decode_private(der)?;
        let secret = Self::from_bytes(&private);
        match public {
            Some(public) if public != *secret.public_key().as_bytes() => Err(Error::Encoding(X25519.private)),
            _ => Ok(secret),
        }
    }

    /// As [`StaticSecret::from_pkcs8_der`], from PEM text (`PRIVATE KEY`).
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no such text.
    pub fn from_pkcs8_pem(pem: &str) -> Result<Self> {
        Self::from_pkcs8_der(from_pem(PRIVATE_KEY, pem, X25519.private)?.as_bytes())
    }

    /// The secret as PKCS#8, version 1.
    #[must_use]
    pub fn to_pkcs8_der(&self) -> SecretBytes {
        X25519.encode_private(self.as_bytes(), None)
    }

    /// The secret as PKCS#8, version 2: with the public key.
    #[must_use]
    pub fn to_pkcs8_v2_der(&self) -> SecretBytes {
        X25519.encode_private(self.as_bytes(), Some(self.public_key().as_bytes()))
    }

    /// As [`StaticSecret::to_pkcs8_der`], in PEM text.
    #[must_use]
    pub fn to_pkcs8_pem(&self) -> SecretText {
        SecretText(to_pem(PRIVATE_KEY, &self.to_pkcs8_der()))
    }
}

impl PublicKey {
    /// The key in a SubjectPublicKeyInfo.
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no X25519 key in DER or has anything behind it.
    pub fn from_spki_der(der: &[u8]) -> Result<Self> {
        X25519.decode_public(der).map(Self::from_bytes)
    }

    /// As [`PublicKey::from_spki_der`], from PEM text (`PUBLIC KEY`).
    ///
    /// # Errors
    /// [`Error::Encoding`] if it is no such text.
    pub fn from_spki_pem(pem: &str) -> Result<Self> {
        Self::from_spki_der(from_pem(PUBLIC_KEY, pem, X25519.public)?.as_bytes())
    }

    /// The key as a SubjectPublicKeyInfo.
    #[must_use]
    pub fn to_spki_der(&self) -> Vec<u8> {
        X25519.encode_public(self.as_bytes())
    }

    /// As [`PublicKey::to_spki_der`], in PEM text.
    #[must_use]
    pub fn to_spki_pem(&self) -> String {
        to_pem(PUBLIC_KEY, &self.to_spki_der())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::io::Write;
    use std::process::{Command, Stdio};
    use testkit::{Rng, hex};

    /// RFC 8410, section 10.3: the same key in both versions (the second with an attribute), and its public key from
    /// section 10.1.
    #[test]
    fn rfc8410() {
        let v1 = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                  -----END PRIVATE KEY-----\n";
        let v2 = "-----BEGIN PRIVATE KEY-----\nMHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
                  oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB\nZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                  -----END PRIVATE KEY-----\n";
        let public = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
                      -----END PUBLIC KEY-----\n";
        let key = SigningKey::from_pkcs8_pem(v1).expect("version 1");
        assert_eq!(&*key.to_pkcs8_pem(), v1);
        assert_eq!(SigningKey::from_pkcs8_pem(v2).expect("version 2").seed(), key.seed());
        assert_eq!(key.verifying_key().to_spki_pem(), public);
        assert_eq!(VerifyingKey::from_spki_pem(public).as_ref(), Ok(key.verifying_key()));
    }

    #[test]
    fn there_and_back() {
        let mut rng = Rng::new(1);
        for _ in 0..8 {
            let key = SigningKey::from_seed(&rng.array());
            for der in [key.to_pkcs8_der(), key.to_pkcs8_v2_der()] {
                assert_eq!(SigningKey::from_pkcs8_der(&der).expect("our own").seed(), key.seed());
                // The other algorithm's key is none of ours.
                assert!(StaticSecret::from_pkcs8_der(&der).is_err());
            }
            assert_eq!(
                VerifyingKey::from_spki_der(&key.verifying_key().to_spki_der()).as_ref(),
                Ok(key.verifying_key())
            );
            let secret = StaticSecret::from_bytes(&rng.array());
            for der in [secret.to_pkcs8_der(), secret.to_pkcs8_v2_der()] {
                assert_eq!(StaticSecret::from_pkcs8_der(&der).expect("our own").as_bytes(), secret.as_bytes());
                assert!(SigningKey::from_pkcs8_der(&der).is_err());
            }
            let public = secret.public_key();
            assert_eq!(PublicKey::from_spki_der(&public.to_spki_der()), Ok(public));
            assert_eq!(PublicKey::from_spki_pem(&public.to_spki_pem()), Ok(public));
            let pem = secret.to_pkcs8_pem();
            assert_eq!(StaticSecret::from_pkcs8_pem(&pem).expect("our own").as_bytes(), secret.as_bytes());
        }
    }

    /// Every truncation, every byte more, every changed byte is refused or gives another key; nothing panics.
    #[test]
    fn damaged() {
        let key = SigningKey::from_seed(&[7; 32]);
        let secret = StaticSecret::from_bytes(&[7; 32]);
        for der in [key.to_pkcs8_der(), key.to_pkcs8_v2_der(), secret.to_pkcs8_der(), secret.to_pkcs8_v2_der()] {
            let edwards = SigningKey::from_pkcs8_der(&der).is_ok();
            let read = |der: &[u8]| match edwards {
                true => SigningKey::from_pkcs8_der(der).map(|k| *k.seed()),
                false => StaticSecret::from_pkcs8_der(der).map(|k| *k.as_bytes()),
            };
            for len in 0..der.len() {
                assert!(matches!(read(&der[..len]), Err(Error::Encoding(_))), "{len}");
            }
            assert!(read(&[&der[..], &[0]].concat()).is_err());
            for i in 0..der.len() {
                for bit in 0..8 {
                    let mut wrong = der.to_vec();
                    wrong[i] ^= 1 << bit;
                    if let Ok(private) = read(&wrong) {
                        assert_ne!(private, [7; 32], "{i} {bit}");
                    }
                }
            }
        }
        for der in [key.verifying_key().to_spki_der(), secret.public_key().to_spki_der()] {
            for len in 0..der.len() {
                assert!(
                    VerifyingKey::from_spki_der(&der[..len]).is_err() && PublicKey::from_spki_der(&der[..len]).is_err()
                );
            }
            let longer = [&der[..], &[0]].concat();
            assert!(VerifyingKey::from_spki_der(&longer).is_err() && PublicKey::from_spki_der(&longer).is_err());
        }
        // A public key that belongs to another.
        let other = SigningKey::from_seed(&[8; 32]);
        let mixed = ED25519.encode_private(key.seed(), Some(other.verifying_key().as_bytes()));
        assert!(SigningKey::from_pkcs8_der(&mixed).is_err());
        // Parameters where none belong (RFC 8410, section 3), and bits that are no whole bytes.
        let null =
            hex("302c300706032b65700500032100").into_iter().chain(*key.verifying_key().as_bytes()).collect::<Vec<_>>();
        assert!(VerifyingKey::from_spki_der(&null).is_err());
        let mut bits = key.verifying_key().to_spki_der();
        bits[11] = 1;
        assert!(VerifyingKey::from_spki_der(&bits).is_err());
        // Another label, no text at all.
        let pem = key.to_pkcs8_pem();
        assert!(VerifyingKey::from_spki_pem(&pem).is_err());
        assert!(SigningKey::from_pkcs8_pem(&pem.replace("PRIVATE KEY", "EC PRIVATE KEY")).is_err());
        assert!(SigningKey::from_pkcs8_pem("").is_err());
    }

    /// Runs `openssl`; where there is none, a failure in CI, and elsewhere `None` with a message.
    fn openssl(arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
        let spawned = Command::new("openssl").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = spawned else {
            assert!(std::env::var_os("CI").is_none(), "the `openssl` command is needed in CI");
            std::println!("skipped: there is no `openssl` command on this machine");
            return None;
        };
        child.stdin.take().expect("piped").write_all(input).expect("openssl reads its input");
        let output = child.wait_with_output().expect("openssl ends");
        assert!(output.status.success(), "openssl {arguments:?}");
        Some(output.stdout)
    }

    #[test]
    fn openssl_reads_ours_and_we_read_openssls() {
        // Theirs.
        let Some(der) = openssl(&["genpkey", "-algorithm", "ed25519", "-outform", "DER"], b"") else { return };
        let key = SigningKey::from_pkcs8_der(&der).expect("OpenSSL's DER");
        assert_eq!(der, *key.to_pkcs8_der());
        let pem = openssl(&["pkey", "-inform", "DER"], &der).expect("openssl is there");
        let pem = String::from_utf8(pem).expect("text");
        assert_eq!(SigningKey::from_pkcs8_pem(&pem).expect("OpenSSL's PEM").seed(), key.seed());
        assert_eq!(*pem, *key.to_pkcs8_pem());
        let public =
            openssl(&["pkey", "-inform", "DER", "-pubout", "-outform", "DER"], &der).expect("openssl is there");
        assert_eq!(public, key.verifying_key().to_spki_der());
        let x = openssl(&["genpkey", "-algorithm", "x25519", "-outform", "DER"], b"").expect("openssl is there");
        let secret = StaticSecret::from_pkcs8_der(&x).expect("OpenSSL's DER");
        assert_eq!(x, *secret.to_pkcs8_der());
        let public = openssl(&["pkey", "-inform", "DER", "-pubout"], &x).expect("openssl is there");
        assert_eq!(public, secret.public_key().to_spki_pem().as_bytes());

        // Ours, in a directory of their own.
        let directory = std::env::temp_dir().join(format!("outpace-curve25519-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let file = |name: &str, bytes: &[u8]| {
            let path = directory.join(name);
            std::fs::write(&path, bytes).expect("a file");
            path.into_os_string().into_string().expect("a path in UTF-8")
        };
        let (ours, theirs) = (SigningKey::generate().expect("randomness"), key);
        let message = file("message", b"a message");
        let private = file("private.pem", ours.to_pkcs8_pem().as_bytes());
        let public = file("public.pem", ours.verifying_key().to_spki_pem().as_bytes());
        let signature = file("signature", &ours.sign(b"a message"));
        let verify =
            ["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", &public, "-in", &message, "-sigfile", &signature];
        openssl(&verify, b"").expect("openssl is there");
        let signed = openssl(&["pkeyutl", "-sign", "-rawin", "-inkey", &private, "-in", &message], b"");
        assert_eq!(signed.expect("openssl is there"), ours.sign(b"a message"));
        let their_file = file("theirs.pem", theirs.to_pkcs8_pem().as_bytes());
        let signed = openssl(&["pkeyutl", "-sign", "-rawin", "-inkey", &their_file, "-in", &message], b"");
        let signed = signed.expect("openssl is there").try_into().expect("64 bytes");
        assert_eq!(theirs.verifying_key().verify(b"a message", &signed), Ok(()));
        // Agreement, each with the other's file.
        let ours = StaticSecret::generate().expect("randomness");
        let private = file("x-private.pem", ours.to_pkcs8_pem().as_bytes());
        let peer = file("x-peer.pem", secret.public_key().to_spki_pem().as_bytes());
        let shared = openssl(&["pkeyutl", "-derive", "-inkey", &private, "-peerkey", &peer], b"");
        assert_eq!(shared.expect("openssl is there"), ours.agree(&secret.public_key()).expect("large order"));
        std::fs::remove_dir_all(&directory).expect("removing what was made");
    }
}

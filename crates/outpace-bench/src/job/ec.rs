//! ECDSA and ECDH on the curves whose points have Weierstrass form.

use crate::side::Side;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    P256,
    P384,
    Secp256k1,
}

impl Curve {
    pub const ALL: [Self; 3] = [Self::P256, Self::P384, Self::Secp256k1];

    pub const fn name(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::Secp256k1 => "secp256k1",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcOperation {
    /// Of a digest, under a key that was read beforehand.
    Sign,
    /// Likewise.
    Verify,
    /// The x-coordinate of a shared point, the peer's key read beforehand.
    Agree,
}

/// Numbers are as long as the curve's field, most significant byte first; points are both coordinates.
#[derive(Debug, Clone)]
pub struct EcJob {
    pub curve: Curve,
    pub operation: EcOperation,
    pub secret: Vec<u8>,
    pub public: Vec<u8>,
    pub peer: Vec<u8>,
    /// Of "outpace", by SHA-256 or for P-384 by SHA-384.
    pub digest: Vec<u8>,
    /// Of the digest: r and s, the smaller one that is possible.
    pub signature: Vec<u8>,
}

impl EcJob {
    /// The keys were drawn for this purpose, and points and signature computed by affine formulas; that all sides accept
    /// them is the check.
    pub fn new(curve: Curve, operation: EcOperation) -> Self {
        use outpace::hash::{Hash, Sha256, Sha384};
        let (secret, public, peer, signature) = match curve {
            Curve::P256 => (
                "f30f0105e6011da61e179b7cd581eba6ef2575659e96a19ab7078c0c20aa56a1",
                "de1f888ac5320297c52e4c09357713b1fd93985f3c6373517b2f834b7459e6ae\
                 4ae365b577aeff3e526e7f45119af05ea2ce2fb45562c953271d4e8ae449d8fb",
                "b57b343f2c5db45d91423512b77d6dfc716fce5a9071280fadd0e546a216128c\
                 edf90800dae4214c140e8a2b0f73ae635b8666dbd0a84be2bafafa31027244e4",
                "0d88d30bbab2e9c767e4917b729af3ce3729b5b2580edb29d3dfabf3d059b4a2\
                 1adfd9c846e6ff28ce8f342cce3fd4ca0b3fd54eae2604854cf5624bfac21dc1",
            ),
            Curve::P384 => (
                "713e22269975ca7fdc58dda837cd24c05313ed49c9d585b669fb1046d1f812f2a0ab0008f8b0768b2d0d3f79fa59c318",
                "ef952e91f993b18b7967f0ee4bcc2346e6fabf85716cdeb9e9aba34ba4d9d1b53c407a91d3bf0e0cee46778862a24482\
                 321566546cf0bbf5b833ddd31988019e0bbe33ef053ec9d08a7acd2ebcba458940bca71c3f21c0034dc1b3e095b485cd",
                "65c49689e9687c8a2a139359bddd8c271d99d0af8753c636c304e044b54b355905e11f4ed937f5b31663f9489e59514f\
                 c14d70260129d7ab5d614050aebb62de4df65d34a98337a2accacda4a57df6cf57a0c921133cbbc47fee52000c89f8ba",
                "05f3975f6f83c12e777da309ab7f26487d55579c5db2aa36264b925b604f661ef984fa2fe7d873cd0d0b9d334155387c\
                 595b7a1234a0b1c214a99b97ec9fcb94823e5cb0daa955fd139265a133a0ecd208ae2b5ea3a813af9a394dee1efb4ce6",
            ),
            Curve::Secp256k1 => (
                "40e970bd2310eaaa3a47c6ca4830dd85e1e8a7ca360a14a068293551e4bfdc6d",
                "00df4780d82c0a11461d86ba7a1770cbae457ad3122ca783f2979ec7f922b22a\
                 5bb21958ec496e471df67a5367b2bae859ce2577d594357315e145111df59bac",
                "8f02f395236168c6e7c99f3dd6eec3f7c0a8f9087489c5666c3593dc98c341bf\
                 33dab01f722747020c0f6a8204e54e3dc5bbf2cfc3e1e9bba8f430fc73c3ceaf",
                "abb49dc93bfd04e7688285c5b58056bf79df237eba328c02f6ac97e2a9aedf45\
                 7dc3dcd7aa76bd91d2e876f8714600726303544a4d9a1db296b5b623e6075568",
            ),
        };
        let digest = match curve {
            Curve::P384 => Sha384::digest(b"outpace").to_vec(),
            Curve::P256 | Curve::Secp256k1 => Sha256::digest(b"outpace").to_vec(),
        };
        let [secret, public, peer, signature] = [secret, public, peer, signature].map(bytes);
        Self { curve, operation, secret, public, peer, digest, signature }
    }

    /// A side that signs the digest; it accepts a signature, r and s, that it verifies.
    pub fn signing<S: 'static>(
        &self,
        state: S,
        sign: impl Fn(&mut S, &Self) -> Signature + 'static,
        output: impl Fn(&Signature) -> Vec<u8> + 'static,
        verify: impl Fn(&mut S, &Self, &[u8]) -> bool + 'static,
    ) -> Side {
        Side::judging(
            (state, self.clone(), None),
            move |(state, job, signature)| *signature = Some(sign(state, job)),
            move |(_, _, signature)| signature.as_ref().map(&output).unwrap_or_default(),
            move |(state, job, _), theirs| verify(state, job, theirs),
        )
    }

    /// A side that verifies; it puts out whether it always accepted.
    pub fn verifying<S: 'static>(&self, state: S, verify: impl Fn(&mut S, &Self) -> bool + 'static) -> Side {
        Side::new(
            (state, self.clone(), true),
            move |(state, job, accepted)| *accepted &= verify(state, job),
            |(_, _, accepted)| vec![u8::from(*accepted)],
        )
    }

    /// A side that agrees on as many bytes as the field has.
    pub fn agreeing<S: 'static>(&self, state: S, agree: impl Fn(&mut S, &mut [u8]) + 'static) -> Side {
        let out = vec![0; self.secret.len()];
        Side::new((state, out), move |(state, out)| agree(state, out), |(_, out)| out.clone())
    }
}

/// A signature as a library writes it: the beginning of a buffer with room for two numbers of P-384 in DER.
pub struct Signature(pub [u8; 112], pub usize);

impl Signature {
    pub fn bytes(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let (pairs, _) = hex.as_bytes().as_chunks::<2>();
    let digit = |digit: u8| char::from(digit).to_digit(16).expect("a constant") as u8;
    pairs.iter().map(|&[high, low]| digit(high) << 4 | digit(low)).collect()
}

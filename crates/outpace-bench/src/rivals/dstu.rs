//! dstu-core: Kalyna and Kupyna by table look-ups.

use dstu_core::hazmat::{
    kalyna, kalyna_cbc, kalyna_ccm, kalyna_cfb, kalyna_cmac, kalyna_ctr, kalyna_gcm, kalyna_gmac, kalyna_kw,
    kalyna_ofb, kalyna_xts, kupyna, kupyna_kmac,
};

use super::{Library, locked_version};
use crate::job::kalyna::{KalynaJob, KalynaKind, KalynaOperation};
use crate::job::keyed::MacKind;
use crate::job::{HashJob, HashKind, Job};
use crate::side::Side;
use crate::tier::Tier;

pub struct DstuCore;

impl Library for DstuCore {
    fn name(&self) -> &'static str {
        "dstu-core"
    }

    fn version(&self) -> String {
        locked_version("dstu-core")
    }

    fn keeps_to(&self, tier: Tier) -> bool {
        // Its GCM and GMAC multiply with PCLMULQDQ where they find it.
        tier >= Tier::Aesni
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Hash(job) => hash(job),
            // Its CCM takes no longer messages.
            Job::Kalyna(job) if job.operation == KalynaOperation::CcmSeal && job.data.len() > 255 => None,
            Job::Kalyna(job) => Some(kalyna_side(job)),
            Job::Mac(job) if job.kind == MacKind::Kupyna256Kmac => Some(job.side(job.key.clone(), |key, message| {
                kupyna_kmac::Kupyna256Kmac::mac(key, message).expect("a key of 32 bytes")
            })),
            _ => None,
        }
    }
}

fn hash(job: &HashJob) -> Option<Side> {
    fn with<const N: usize>(job: &HashJob, digest: fn(&[u8]) -> [u8; N]) -> Side {
        Side::new((job.message.clone(), [0; N]), move |(message, out)| *out = digest(message), |(_, out)| out.to_vec())
    }
    match job.kind {
        HashKind::Kupyna256 => Some(with(job, kupyna::Kupyna256::digest)),
        HashKind::Kupyna512 => Some(with(job, kupyna::Kupyna512::digest)),
        _ => None,
    }
}

fn kalyna_side(job: &KalynaJob) -> Side {
    /// The crate has a type for each size and mode, without a trait in common.
    macro_rules! side {
        ($key:ident, $cbc:ident, $ccm:ident, $cfb:ident, $cmac:ident, $ctr:ident, $gcm:ident, $gmac:ident, $kw:ident,
         $ofb:ident, $xts:ident, $block:literal) => {{
            let raw = |key: &[u8]| key.try_into().expect("the kind fixes the key's length");
            let iv: [u8; $block] = job.iv.as_slice().try_into().expect("the kind fixes the block's length");
            let key = kalyna::$key::new(&raw(&job.key));
            let cbc = || kalyna_cbc::$cbc::new(&raw(&job.key), &iv);
            let xts = || kalyna_xts::$xts::new(&raw(&job.key));
            match job.operation {
                KalynaOperation::Expand => job
                    .expanding(move |key| kalyna::$key::new(&raw(key)), |key| key.encrypt_block(&[0; $block]).to_vec()),
                KalynaOperation::EncryptBlock => job.in_place(key, |key, data| {
                    let block: &mut [u8; $block] = data.try_into().expect("a block");
                    *block = key.encrypt_block(block);
                }),
                KalynaOperation::DecryptBlock => job.in_place(key, |key, data| {
                    let block: &mut [u8; $block] = data.try_into().expect("a block");
                    *block = key.decrypt_block(block);
                }),
                KalynaOperation::Ctr => {
                    let mode = kalyna_ctr::$ctr::new(&raw(&job.key), &iv);
                    job.in_place(mode, |mode, data| mode.apply_in_place(data))
                }
                KalynaOperation::CbcEncrypt => {
                    job.in_place(cbc(), |mode, data| mode.encrypt_in_place(data).ok().expect("whole blocks"))
                }
                KalynaOperation::CbcDecrypt => {
                    job.in_place(cbc(), |mode, data| mode.decrypt_in_place(data).ok().expect("whole blocks"))
                }
                KalynaOperation::XtsEncrypt => job.in_place(xts(), move |mode, data| {
                    mode.encrypt_in_place(&iv, data).ok().expect("a block or more");
                }),
                KalynaOperation::XtsDecrypt => job.in_place(xts(), move |mode, data| {
                    mode.decrypt_in_place(&iv, data).ok().expect("a block or more");
                }),
                KalynaOperation::Cmac => job.making(key, |key, data, out| {
                    let tag = kalyna_cmac::$cmac::mac_with_cipher(key, data).ok().expect("a message");
                    out[..KalynaJob::TAG].copy_from_slice(&tag);
                }),
                KalynaOperation::Cfb => {
                    let mode = kalyna_cfb::$cfb::new(&raw(&job.key), &iv, $block).ok().expect("a feedback of a block");
                    job.in_place(mode, |mode, data| mode.encrypt_in_place(data).ok().expect("whole blocks"))
                }
                KalynaOperation::Ofb => {
                    let mode = kalyna_ofb::$ofb::new(&raw(&job.key), &iv);
                    job.in_place(mode, |mode, data| mode.apply_in_place(data))
                }
                KalynaOperation::Gmac => job.making(key, |key, data, out| {
                    let tag = kalyna_gmac::$gmac::mac_with_cipher(key, data).ok().expect("a message");
                    out[..KalynaJob::TAG].copy_from_slice(&tag[..KalynaJob::TAG]);
                }),
                KalynaOperation::KeyWrap => job.making(key, |key, data, out| {
                    kalyna_kw::$kw::wrap_with_cipher(key, data, out).ok().expect("whole blocks");
                }),
                KalynaOperation::CcmSeal => {
                    let key = kalyna_ccm::$ccm::new(&raw(&job.key));
                    job.making(key, move |key, data, out| {
                        let (out, rest) = out.split_at_mut(data.len());
                        out.copy_from_slice(data);
                        let tag = key.seal_in_place(&iv, &[], out).ok().expect("a message");
                        rest[..tag.len()].copy_from_slice(&tag);
                    })
                }
                KalynaOperation::GcmSeal => {
                    let key = kalyna_gcm::$gcm::new(&raw(&job.key));
                    job.making(key, move |key, data, out| {
                        let (out, rest) = out.split_at_mut(data.len());
                        let tag = key.encrypt(&iv, &[], data, out).ok().expect("a message");
                        rest[..$block].copy_from_slice(&tag);
                    })
                }
            }
        }};
    }
    match job.kind {
        KalynaKind::K128_128 => side!(
            Kalyna128_128ExpandedKey,
            Kalyna128_128Cbc,
            Kalyna128_128Ccm,
            Kalyna128_128Cfb,
            Kalyna128_128Cmac,
            Kalyna128_128Ctr,
            Kalyna128_128Gcm,
            Kalyna128_128Gmac,
            Kalyna128_128Kw,
            Kalyna128_128Ofb,
            Kalyna128_128Xts,
            16
        ),
        KalynaKind::K128_256 => side!(
            Kalyna128_256ExpandedKey,
            Kalyna128_256Cbc,
            Kalyna128_256Ccm,
            Kalyna128_256Cfb,
            Kalyna128_256Cmac,
            Kalyna128_256Ctr,
            Kalyna128_256Gcm,
            Kalyna128_256Gmac,
            Kalyna128_256Kw,
            Kalyna128_256Ofb,
            Kalyna128_256Xts,
            16
        ),
        KalynaKind::K256_256 => side!(
            Kalyna256_256ExpandedKey,
            Kalyna256_256Cbc,
            Kalyna256_256Ccm,
            Kalyna256_256Cfb,
            Kalyna256_256Cmac,
            Kalyna256_256Ctr,
            Kalyna256_256Gcm,
            Kalyna256_256Gmac,
            Kalyna256_256Kw,
            Kalyna256_256Ofb,
            Kalyna256_256Xts,
            32
        ),
        KalynaKind::K256_512 => side!(
            Kalyna256_512ExpandedKey,
            Kalyna256_512Cbc,
            Kalyna256_512Ccm,
            Kalyna256_512Cfb,
            Kalyna256_512Cmac,
            Kalyna256_512Ctr,
            Kalyna256_512Gcm,
            Kalyna256_512Gmac,
            Kalyna256_512Kw,
            Kalyna256_512Ofb,
            Kalyna256_512Xts,
            32
        ),
        KalynaKind::K512_512 => side!(
            Kalyna512_512ExpandedKey,
            Kalyna512_512Cbc,
            Kalyna512_512Ccm,
            Kalyna512_512Cfb,
            Kalyna512_512Cmac,
            Kalyna512_512Ctr,
            Kalyna512_512Gcm,
            Kalyna512_512Gmac,
            Kalyna512_512Kw,
            Kalyna512_512Ofb,
            Kalyna512_512Xts,
            64
        ),
    }
}

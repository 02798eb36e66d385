//! Kalyna.

use outpace::aead::{Aead, KalynaCcm, KalynaGcm};
use outpace::cipher::kalyna::{Cfb, Cmac, Gmac, Kalyna, KeyWrap, Xts};
use outpace::cipher::modes::{BlockCipher, Cbc, Ctr, Ofb};

use crate::buffer::Buffer;
use crate::job::kalyna::{KalynaJob, KalynaKind, KalynaOperation};
use crate::side::Side;

pub fn side(job: &KalynaJob) -> Side {
    match job.kind {
        KalynaKind::K128_128 => with::<16, 16, 11, 16, 4>(job),
        KalynaKind::K128_256 => with::<16, 32, 15, 16, 4>(job),
        KalynaKind::K256_256 => with::<32, 32, 15, 16, 4>(job),
        KalynaKind::K256_512 => with::<32, 64, 19, 32, 6>(job),
        KalynaKind::K512_512 => with::<64, 64, 19, 64, 8>(job),
    }
}

/// The last two are the lengths that CCM has of this size.
fn with<const BLOCK: usize, const KEY: usize, const KEYS: usize, const TAG: usize, const LENGTH: usize>(
    job: &KalynaJob,
) -> Side {
    let raw = |key: &[u8]| -> [u8; KEY] { key.try_into().expect("the kind fixes the key's length") };
    let iv: [u8; BLOCK] = job.iv.as_slice().try_into().expect("the kind fixes the block's length");
    let key = Kalyna::<BLOCK, KEY, KEYS>::new(&raw(&job.key));
    match job.operation {
        KalynaOperation::Expand => job.expanding(
            move |key| Kalyna::<BLOCK, KEY, KEYS>::new(&raw(key)),
            |key| {
                let mut block = [[0; BLOCK]];
                key.encrypt_blocks(&mut block);
                block.concat()
            },
        ),
        KalynaOperation::EncryptBlock => job.in_place(key, |key, data| key.encrypt_blocks(data.as_chunks_mut().0)),
        KalynaOperation::DecryptBlock => job.in_place(key, |key, data| key.decrypt_blocks(data.as_chunks_mut().0)),
        // A running mode borrows its key, and both last as long as the side, which is as long as the program need care.
        KalynaOperation::Ctr => job.in_place(Ctr::new(leak(key), &iv), |mode, data| mode.apply(data)),
        KalynaOperation::CbcEncrypt => {
            job.in_place(Cbc::new(leak(key), &iv), |mode, data| mode.encrypt(data).expect("whole blocks"))
        }
        KalynaOperation::CbcDecrypt => {
            job.in_place(Cbc::new(leak(key), &iv), |mode, data| mode.decrypt(data).expect("whole blocks"))
        }
        KalynaOperation::XtsEncrypt => {
            job.in_place(key, move |key, data| Xts::new(key).encrypt(&iv, data).expect("a block or more"))
        }
        KalynaOperation::XtsDecrypt => {
            job.in_place(key, move |key, data| Xts::new(key).decrypt(&iv, data).expect("a block or more"))
        }
        KalynaOperation::Cmac => job.making(key, |key, data, out| {
            let tag = Cmac::new(key).mac(data).expect("a message");
            out[..KalynaJob::TAG].copy_from_slice(&tag[..KalynaJob::TAG]);
        }),
        KalynaOperation::Cfb => {
            let mode = Cfb::new(leak(key), &iv, BLOCK).expect("a feedback of a block");
            job.in_place(mode, |mode, data| mode.encrypt(data).expect("whole blocks"))
        }
        KalynaOperation::Ofb => job.in_place(Ofb::new(leak(key), &iv), |mode, data| mode.apply(data)),
        KalynaOperation::Gmac => job.making(Gmac::new(key), |key, data, out| {
            let tag = key.mac(data).expect("a message");
            out[..KalynaJob::TAG].copy_from_slice(&tag[..KalynaJob::TAG]);
        }),
        KalynaOperation::KeyWrap => job.making(key, |key, data, out: &mut Buffer| {
            KeyWrap::new(key).wrap(data, out).expect("whole blocks");
        }),
        KalynaOperation::CcmSeal => {
            let key = KalynaCcm::<BLOCK, KEY, KEYS, TAG, LENGTH>::new(&raw(&job.key));
            job.making(key, move |key, data, out: &mut Buffer| {
                key.seal(&iv, &[], data, &mut out[..data.len() + TAG]).expect("room for the tag");
            })
        }
        KalynaOperation::GcmSeal => {
            let key = KalynaGcm::<BLOCK, KEY, KEYS, BLOCK>::new(&raw(&job.key));
            job.making(key, move |key, data, out: &mut Buffer| {
                key.seal(&iv, &[], data, &mut out[..data.len() + BLOCK]).expect("room for the tag");
            })
        }
    }
}

fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

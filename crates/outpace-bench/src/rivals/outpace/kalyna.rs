//! Kalyna.

use outpace::aead::{Aead, KalynaGcm};
use outpace::cipher::kalyna::{Cmac, Kalyna, Xts};
use outpace::cipher::modes::{BlockCipher, Cbc, Ctr};

use crate::buffer::Buffer;
use crate::job::kalyna::{KalynaJob, KalynaKind, KalynaOperation};
use crate::side::Side;

pub fn side(job: &KalynaJob) -> Side {
    match job.kind {
        KalynaKind::K128_128 => with::<16, 16, 11>(job),
        KalynaKind::K128_256 => with::<16, 32, 15>(job),
        KalynaKind::K256_256 => with::<32, 32, 15>(job),
        KalynaKind::K256_512 => with::<32, 64, 19>(job),
        KalynaKind::K512_512 => with::<64, 64, 19>(job),
    }
}

fn with<const BLOCK: usize, const KEY: usize, const KEYS: usize>(job: &KalynaJob) -> Side {
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
            out[..KalynaJob::CMAC].copy_from_slice(&tag[..KalynaJob::CMAC]);
        }),
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

//! `blake2b_simd` and `blake2s_simd`.

use super::{Library, locked_version};
use crate::job::{HashJob, HashKind, Job};
use crate::side::Side;
use crate::tier::Tier;

pub struct Blake2Simd;

impl Library for Blake2Simd {
    fn name(&self) -> &'static str {
        "blake2_simd"
    }

    fn version(&self) -> String {
        locked_version("blake2b_simd")
    }

    fn keeps_to(&self, tier: Tier) -> bool {
        !tier.masks()
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Hash(job) => hash(job),
            _ => None,
        }
    }
}

fn hash(job: &HashJob) -> Option<Side> {
    match job.kind {
        HashKind::Blake2b512 => Some(Side::new(
            (job.message.clone(), None),
            |(message, result)| *result = Some(blake2b_simd::blake2b(message)),
            |(_, result)| result.as_ref().map(blake2b_simd::Hash::as_bytes).unwrap_or_default().to_vec(),
        )),
        HashKind::Blake2s256 => Some(Side::new(
            (job.message.clone(), None),
            |(message, result)| *result = Some(blake2s_simd::blake2s(message)),
            |(_, result)| result.as_ref().map(blake2s_simd::Hash::as_bytes).unwrap_or_default().to_vec(),
        )),
        _ => None,
    }
}

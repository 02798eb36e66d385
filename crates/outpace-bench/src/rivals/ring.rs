//! ring.

use ring::digest;

use super::{Library, Masking, locked_version};
use crate::job::{HashJob, HashKind, Job};
use crate::side::Side;

pub struct Ring;

impl Library for Ring {
    fn name(&self) -> &'static str {
        "ring"
    }

    fn version(&self) -> String {
        locked_version("ring")
    }

    fn masking(&self) -> Masking {
        Masking::Impossible
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Hash(job) => hash(job),
        }
    }
}

fn hash(job: &HashJob) -> Option<Side> {
    let algorithm = match job.kind {
        HashKind::Sha256 => &digest::SHA256,
        HashKind::Sha384 => &digest::SHA384,
        HashKind::Sha512 => &digest::SHA512,
        _ => return None,
    };
    Some(Side::new(
        (job.message.clone(), None),
        |(message, result)| *result = Some(digest::digest(algorithm, message)),
        |(_, result)| result.as_ref().map(digest::Digest::as_ref).unwrap_or_default().to_vec(),
    ))
}

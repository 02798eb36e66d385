//! Outpace itself, as any program would use it.

use outpace::hash::{Hash, Sha256, Sha384, Sha512};

use super::{Library, Masking};
use crate::job::{HashJob, HashKind, Job};
use crate::side::Side;

pub struct Outpace;

impl Library for Outpace {
    fn name(&self) -> &'static str {
        crate::model::OURS
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").into()
    }

    fn masking(&self) -> Masking {
        Masking::Possible
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Hash(job) => hash(job),
        }
    }
}

fn hash(job: &HashJob) -> Option<Side> {
    fn fixed<H: Hash + 'static>(job: &HashJob) -> Side {
        Side::new(
            (job.message.clone(), None::<H::Output>),
            |(message, digest)| *digest = Some(H::digest(message)),
            |(_, digest)| digest.map(|digest| digest.as_ref().to_vec()).unwrap_or_default(),
        )
    }
    match job.kind {
        HashKind::Sha256 => Some(fixed::<Sha256>(job)),
        HashKind::Sha384 => Some(fixed::<Sha384>(job)),
        HashKind::Sha512 => Some(fixed::<Sha512>(job)),
        _ => None,
    }
}

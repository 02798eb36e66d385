//! The libraries that take part: one trait, one file each.
//!
//! A file shows its library at its best: everything looked up and allocated beforehand, contexts reused, keys and buffers
//! in the form the library likes. What is inside the timed operation is said by the [`Job`] and is the same for all.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "rivals")]
mod blake2_simd;
#[cfg(feature = "rivals")]
mod dalek;
#[cfg(feature = "rivals")]
mod dstu;
#[cfg(feature = "rivals")]
mod getrandom;
#[cfg(feature = "rivals")]
mod graviola;
#[cfg(feature = "libsecp256k1")]
mod libsecp256k1;
#[cfg(feature = "openssl")]
mod openssl;
mod outpace;
#[cfg(feature = "rivals")]
mod ring;
#[cfg(feature = "rivals")]
mod rustcrypto;

use crate::fail::{Failure, Outcome};
use crate::job::Job;
use crate::side::Side;
use crate::tier::Tier;

pub trait Library {
    fn name(&self) -> &'static str;

    fn version(&self) -> String;

    /// Whether this library uses nothing that CPUs of `tier` lack: because it can be masked (by our own feature mask or
    /// through `OPENSSL_ia32cap`), or because it has nothing newer. One that detects the CPU by itself and listens to nobody
    /// keeps to the highest tier only.
    fn keeps_to(&self, tier: Tier) -> bool;

    /// This library's side of a job, or `None` when it does not do that.
    fn offer(&self, job: &Job) -> Option<Side>;
}

/// Every library built in, ours first.
pub fn all() -> Vec<Box<dyn Library>> {
    vec![
        Box::new(outpace::Outpace),
        #[cfg(feature = "openssl")]
        Box::new(openssl::OpenSsl),
        #[cfg(feature = "aws-lc")]
        Box::new(aws_lc::AwsLc),
        #[cfg(feature = "libsecp256k1")]
        Box::new(libsecp256k1::LibSecp256k1),
        #[cfg(feature = "rivals")]
        Box::new(ring::Ring),
        #[cfg(feature = "rivals")]
        Box::new(graviola::Graviola),
        #[cfg(feature = "rivals")]
        Box::new(rustcrypto::RustCrypto),
        #[cfg(feature = "rivals")]
        Box::new(blake2_simd::Blake2Simd),
        #[cfg(feature = "rivals")]
        Box::new(dalek::Dalek),
        #[cfg(feature = "rivals")]
        Box::new(dstu::DstuCore),
        #[cfg(feature = "rivals")]
        Box::new(getrandom::GetRandom),
    ]
}

/// Ours and the rivals asked for by name; all when nobody was asked for, none for `none`.
pub fn select(names: Option<&[String]>, tier: Tier) -> Outcome<Vec<Box<dyn Library>>> {
    let mut libraries = all();
    if let Some(names) = names {
        let known: Vec<&str> =
            libraries.iter().map(|library| library.name()).filter(|&name| name != crate::model::OURS).collect();
        for name in names {
            if name != "none" && !known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return Err(Failure::new(format!("unknown rival {name:?}; built in: {known}")));
            }
        }
        libraries.retain(|library| {
            library.name() == crate::model::OURS || names.iter().any(|name| library.name().eq_ignore_ascii_case(name))
        });
    }
    libraries.retain(|library| library.keeps_to(tier));
    Ok(libraries)
}

/// The version of a dependency, from the lock file this tool was built with.
#[cfg(any(feature = "rivals", feature = "aws-lc", feature = "libsecp256k1"))]
pub fn locked_version(package: &str) -> String {
    let versions = env!("OUTPACE_BENCH_LOCKED");
    let found = versions.split(' ').find_map(|entry| entry.strip_prefix(package)?.strip_prefix('='));
    found.unwrap_or("unknown").to_owned()
}

//! The `getrandom` crate: the operating system's generator, which most Rust programs draw from directly.

use super::{Library, locked_version};
use crate::job::Job;
use crate::side::{Side, filling};
use crate::tier::Tier;

pub struct GetRandom;

impl Library for GetRandom {
    fn name(&self) -> &'static str {
        "getrandom"
    }

    fn version(&self) -> String {
        locked_version("getrandom")
    }

    fn keeps_to(&self, _: Tier) -> bool {
        true
    }

    fn offer(&self, job: &Job) -> Option<Side> {
        match job {
            Job::Random(length) => Some(filling(*length, |buffer| getrandom::fill(buffer).is_ok())),
            _ => None,
        }
    }
}

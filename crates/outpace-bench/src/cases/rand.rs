//! Random bytes, as a program draws keys and nonces.

use super::{Case, Plan};
use crate::job::Job;
use crate::measure::Agreement;

pub fn cases(plan: &Plan) -> Vec<Case> {
    plan.sizes(&[16, 32, 64, 4096], &[16, 32, 64, 256, 1024, 4096]).into_iter().map(fill).collect()
}

/// A buffer filled by the generator that a library gives to its users.
fn fill(size: usize) -> Case {
    let case = Case::new("random", "random bytes", "fill", move || Job::Random(size));
    Case { agreement: Agreement::Unpredictable, ..case }.size(size)
}

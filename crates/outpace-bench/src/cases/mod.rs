//! The rows: what is measured, one function a row, one file a family.
//!
//! A row is a [`Case`] per size. It says what it is called, how its sides are known to agree, and either the [`Job`] that
//! every library is offered or the sides themselves. Adding a row is one function here; teaching a library a new kind of
//! job is one arm in its file.

mod aead;
mod cipher;
mod curve25519;
#[cfg(any(feature = "openssl", feature = "libsecp256k1"))]
mod ec;
mod hash;
mod kalyna;
mod mac_kdf;
mod rand;

use crate::job::Job;
use crate::measure::{Agreement, Contender};
use crate::model::OURS;
use crate::rivals::Library;

/// What a run covers.
#[derive(Debug, Clone)]
pub struct Plan {
    pub quick: bool,
    /// The user's own sizes, instead of each row's.
    pub sizes: Option<Vec<usize>>,
}

impl Plan {
    /// The sizes of a row: the user's, or the row's for this mode; none if this mode leaves the row out.
    fn sizes(&self, quick: &[usize], full: &[usize]) -> Vec<usize> {
        let sizes = self.pick(quick, full);
        self.sizes.clone().filter(|_| !sizes.is_empty()).unwrap_or_else(|| sizes.to_vec())
    }

    fn pick<'a, T: ?Sized>(&self, quick: &'a T, full: &'a T) -> &'a T {
        if self.quick { quick } else { full }
    }
}

/// One cell to be: a row at a size.
pub struct Case {
    pub family: &'static str,
    pub algorithm: String,
    pub operation: &'static str,
    /// What tells this row from others of the same operation, such as `key reused, no AAD`; may be empty.
    pub variant: String,
    /// Bytes per operation, where throughput means something.
    pub size: Option<usize>,
    pub agreement: Agreement,
    contest: Contest,
}

/// Where the sides come from. Both are made when the cell's turn comes, so that a run holds the buffers of one cell only.
enum Contest {
    /// Every library that takes the job.
    Libraries(Box<dyn Fn() -> Job>),
    /// Ours against a baseline of our own.
    Own(Box<dyn Fn() -> Vec<Contender>>),
}

impl Case {
    /// A row for all libraries. `algorithm` and `operation` are the standard's names.
    fn new(
        family: &'static str,
        algorithm: impl Into<String>,
        operation: &'static str,
        job: impl Fn() -> Job + 'static,
    ) -> Self {
        Self::with(family, algorithm.into(), operation, Contest::Libraries(Box::new(job)))
    }

    /// A row that compares two ways of using Outpace; the first of `sides` is named [`OURS`].
    fn own(
        family: &'static str,
        algorithm: impl Into<String>,
        operation: &'static str,
        sides: impl Fn() -> Vec<Contender> + 'static,
    ) -> Self {
        Self::with(family, algorithm.into(), operation, Contest::Own(Box::new(sides)))
    }

    fn with(family: &'static str, algorithm: String, operation: &'static str, contest: Contest) -> Self {
        let (variant, size, agreement) = (String::new(), None, Agreement::SameBytes);
        Self { family, algorithm, operation, variant, size, agreement, contest }
    }

    fn variant(self, variant: impl Into<String>) -> Self {
        Self { variant: variant.into(), ..self }
    }

    fn size(self, size: usize) -> Self {
        Self { size: Some(size), ..self }
    }

    /// The name that filters match and comparisons join on.
    pub fn id(&self) -> String {
        let size = self.size.map(|size| size.to_string());
        let parts = [self.family, &self.algorithm, self.operation, &self.variant, size.as_deref().unwrap_or_default()];
        parts
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("/")
            .replace(", ", "+")
            .replace(' ', "-")
    }

    /// The sides of this cell among `libraries`, ours first.
    pub fn contenders(&self, libraries: &[Box<dyn Library>]) -> Vec<Contender> {
        let mut contenders = match &self.contest {
            Contest::Own(sides) => sides(),
            Contest::Libraries(job) => {
                let job = job();
                let offers = libraries.iter().map(|library| (library.name(), library.offer(&job)));
                offers.filter_map(|(name, side)| Some(Contender { name: name.into(), side: side? })).collect()
            }
        };
        contenders.sort_by_key(|contender| contender.name != OURS);
        contenders
    }
}

/// Every case of a plan, in the order of the report.
pub fn all(plan: &Plan) -> Vec<Case> {
    let families = [
        aead::cases(plan),
        cipher::cases(plan),
        hash::cases(plan),
        mac_kdf::cases(plan),
        curve25519::cases(plan),
        #[cfg(any(feature = "openssl", feature = "libsecp256k1"))]
        ec::cases(),
        kalyna::cases(plan),
        rand::cases(plan),
    ];
    families.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_in_both_modes() {
        for quick in [true, false] {
            let cases = all(&Plan { quick, sizes: None });
            let ids: std::collections::BTreeSet<String> = cases.iter().map(Case::id).collect();
            assert_eq!(ids.len(), cases.len());
        }
    }

    #[test]
    fn the_quick_run_is_part_of_the_full_one() {
        let ids =
            |quick| all(&Plan { quick, sizes: None }).iter().map(Case::id).collect::<std::collections::BTreeSet<_>>();
        assert!(ids(true).is_subset(&ids(false)));
    }

    #[test]
    fn own_sizes_replace_those_of_every_sized_row() {
        let cases = all(&Plan { quick: true, sizes: Some(vec![100]) });
        assert!(cases.iter().any(|case| case.size == Some(100)));
    }

    /// What a run checks before it times a cell, for every row of both modes: so that no row is found wanting only there.
    #[test]
    fn the_sides_of_every_row_agree() {
        let libraries = crate::rivals::all();
        for case in all(&Plan { quick: false, sizes: None }) {
            if case.size.is_none_or(|size| size <= 4096) {
                let agreed = crate::measure::agree(case.agreement, &mut case.contenders(&libraries));
                assert_eq!(agreed, Ok(()), "{}", case.id());
            }
        }
    }

    #[test]
    fn we_take_part_in_every_row() {
        let libraries = crate::rivals::all();
        for case in all(&Plan { quick: true, sizes: Some(vec![64]) }) {
            let contenders = case.contenders(&libraries);
            let ours = contenders.first().is_some_and(|contender| contender.name == OURS);
            let not_yet = case.algorithm.starts_with("ECDSA") || case.algorithm.starts_with("ECDH");
            assert_ne!(ours, not_yet, "{}", case.id());
        }
    }
}

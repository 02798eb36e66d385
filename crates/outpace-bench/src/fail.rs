//! What ends a command: one line for the user and exit status 2.

use std::fmt;

/// Why a command could not do what it was asked; printed as one line.
#[derive(Debug)]
pub struct Failure(String);

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Messages of libraries may span lines; the promise is one line.
        f.write_str(&self.0.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

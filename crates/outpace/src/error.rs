//! The one error type.
//!
//! Failures that an attacker can provoke are opaque: [`Error::Authentication`] says nothing about where or why.
//! Mistakes of the caller name what was wrong and what would be right. No variant ever carries secret data.

use core::fmt;

/// Why an operation was refused.
///
/// ```
/// use outpace::Error;
/// let e = Error::Length { what: "output", expected: 32, got: 31 };
/// assert_eq!(e.to_string(), "output has 31 bytes where 32 are needed");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// A buffer or key of the wrong length.
    Length {
        /// Which argument.
        what: &'static str,
        /// The length that would be right, in the unit the argument counts (bytes, or items of a batch).
        expected: usize,
        /// The length that was given.
        got: usize,
    },
    /// A parameter outside its range; the text says which and what is allowed.
    Parameter(&'static str),
    /// More data than the standard allows under one key, nonce or message; the text says which limit.
    Limit(&'static str),
    /// A tag, signature or padding did not verify. Nothing more is said on purpose.
    Authentication,
    /// Input that is not a valid encoding; the text names the structure.
    Encoding(&'static str),
    /// The operating system gave no randomness.
    Random,
}

/// `Result` with this crate's [`Error`].
pub type Result<T> = core::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, expected, got } => {
                write!(f, "{what} has {got} bytes where {expected} are needed")
            }
            Self::Parameter(what) | Self::Limit(what) => f.write_str(what),
            Self::Authentication => f.write_str("authentication failed"),
            Self::Encoding(what) => write!(f, "not a valid {what}"),
            Self::Random => f.write_str("the operating system gave no randomness"),
        }
    }
}

impl core::error::Error for Error {}

/// `Ok` if `got == expected`, else the length error for `what`.
pub(crate) fn check_len(what: &'static str, expected: usize, got: usize) -> Result<()> {
    if got == expected { Ok(()) } else { Err(Error::Length { what, expected, got }) }
}

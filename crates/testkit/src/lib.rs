//! What the tests of `outpace` share: a deterministic generator, guard pages, vector readers and the interesting lengths.
//!
//! For development only; panics are its way to report.

mod guard;
mod rng;
mod rsp;

pub use guard::{Edge, Forbidden, Guarded};
pub use rng::Rng;
pub use rsp::{Record, rsp};

use std::path::PathBuf;

/// Bytes from hexadecimal text; white space is skipped.
///
/// # Panics
/// On anything else.
#[must_use]
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|b| !b.is_ascii_whitespace())
        .map(|b| (b as char).to_digit(16).unwrap_or_else(|| panic!("{:?} in hexadecimal text", b as char)) as u8)
        .collect();
    let (pairs, []) = digits.as_chunks::<2>() else { panic!("an odd number of hexadecimal digits") };
    pairs.iter().map(|[high, low]| high << 4 | low).collect()
}

/// The text of a file under `vectors/`.
///
/// # Panics
/// If it cannot be read.
#[must_use]
pub fn vectors(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// 0, 1, and each boundary minus one, exact and plus one: sorted, without repetition.
#[must_use]
pub fn lengths_around(boundaries: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut all = vec![0, 1];
    for b in boundaries {
        all.extend([b.saturating_sub(1), b, b + 1]);
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_hexadecimal() {
        assert_eq!(hex("00 fF\n1a"), [0, 255, 26]);
        assert_eq!(lengths_around([1, 4]), [0, 1, 2, 3, 4, 5]);
    }
}

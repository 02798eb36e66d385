//! What the tests of `outpace` share: a deterministic generator, guard pages, vector readers and the interesting lengths.
//!
//! For development only; panics are its way to report.

mod guard;
mod rng;
mod rsp;
mod stack;

pub use guard::{Edge, Forbidden, Guarded};
pub use rng::Rng;
pub use rsp::{Record, rsp};
pub use stack::Stack;

use std::mem::MaybeUninit;
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

/// Checks that dropping a value overwrites what it knew: of two, made of different secrets, no byte in which they differ may be
/// left.
///
/// # Panics
/// If one is, or if the two do not differ.
pub fn wiped_on_drop<T>(make: impl Fn(u8) -> T) {
    let [one, again, other] = [0x35, 0x35, 0xca].map(|secret| {
        let mut place = Box::new(MaybeUninit::zeroed());
        place.write(make(secret));
        let bytes = |place: &MaybeUninit<T>| -> Vec<u8> {
            let start = place.as_ptr().cast::<u8>();
            // SAFETY: within the place, which was zeroed, and read as bytes alone.
            (0..size_of::<T>()).map(|i| unsafe { start.add(i).read_volatile() }).collect()
        };
        let before = bytes(&place);
        // SAFETY: written above and not used as a value again.
        unsafe { place.assume_init_drop() };
        (before, bytes(&place))
    });
    let name = std::any::type_name::<T>();
    // What differs under the same secret lies between the fields, and was never written.
    let written = |i: &usize| one.0[*i] == again.0[*i];
    let secret: Vec<usize> = (0..one.0.len()).filter(written).filter(|i| one.0[*i] != other.0[*i]).collect();
    assert!(secret.len() >= 12, "{name}: {} bytes depend on the secret", secret.len());
    let left: Vec<usize> = secret.into_iter().filter(|i| one.1[*i] != 0 || other.1[*i] != 0).collect();
    assert!(left.is_empty(), "{name}: left behind at {left:?} of {} bytes", one.0.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_left() {
        struct Wiped([u8; 64], usize);
        impl Drop for Wiped {
            fn drop(&mut self) {
                for byte in &mut self.0[..self.1] {
                    // SAFETY: a live reference.
                    unsafe { std::ptr::from_mut(byte).write_volatile(0) };
                }
            }
        }
        wiped_on_drop(|s| Wiped([s; 64], 64));
        assert!(std::panic::catch_unwind(|| wiped_on_drop(|s| Wiped([s; 64], 63))).is_err());
        assert!(std::panic::catch_unwind(|| wiped_on_drop(|_| Wiped([7; 64], 64))).is_err());
    }

    #[test]
    fn reads_hexadecimal() {
        assert_eq!(hex("00 fF\n1a"), [0, 255, 26]);
        assert_eq!(lengths_around([1, 4]), [0, 1, 2, 3, 4, 5]);
    }
}

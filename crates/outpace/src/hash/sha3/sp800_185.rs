//! The string encodings of SP 800-185, section 2.3, absorbed as they are made.

use super::sponge::Sponge;

/// The bytes of `value`, most significant first, without leading zeros but at least one.
fn bytes(value: u128, all: &[u8; 16]) -> &[u8] {
    let used = 16 - value.leading_zeros() as usize / 8;
    &all[16 - used.max(1)..]
}

/// `left_encode`: the number of bytes of the value, then the bytes.
pub(crate) fn absorb_left_encoded<const RATE: usize>(sponge: &mut Sponge<RATE>, value: u128) {
    let all = value.to_be_bytes();
    let bytes = bytes(value, &all);
    sponge.absorb(&[bytes.len() as u8]);
    sponge.absorb(bytes);
}

/// `right_encode`: the bytes of the value, then their number.
pub(crate) fn absorb_right_encoded<const RATE: usize>(sponge: &mut Sponge<RATE>, value: u128) {
    let all = value.to_be_bytes();
    let bytes = bytes(value, &all);
    sponge.absorb(bytes);
    sponge.absorb(&[bytes.len() as u8]);
}

/// `encode_string`: the length in bits, then the string.
pub(crate) fn absorb_string<const RATE: usize>(sponge: &mut Sponge<RATE>, string: &[u8]) {
    absorb_left_encoded(sponge, (string.len() as u128) << 3);
    sponge.absorb(string);
}

/// A sponge that begins as cSHAKE does, with `bytepad(encode_string(N) || encode_string(S), rate)`.
pub(crate) fn cshake<const RATE: usize>(function_name: &[u8], customization: &[u8]) -> Sponge<RATE> {
    let mut sponge = Sponge::new();
    absorb_left_encoded(&mut sponge, RATE as u128);
    absorb_string(&mut sponge, function_name);
    absorb_string(&mut sponge, customization);
    sponge.fill_block();
    sponge
}

//! Memory that holds secrets: comparing and selecting without leaking, wiping, and marking for the leak checker.

pub(crate) mod ct;
mod inout;
mod room;
mod secret;
#[cfg(outpace_ct)]
pub(crate) mod taint;
mod wipe;

pub(crate) use inout::InOut;
pub(crate) use room::Room;
pub(crate) use secret::Secret;
pub(crate) use wipe::{Wipe, wiping_stack};

//! Which instructions this CPU has, and the one way to choose code by them.

mod features;
mod kernel;

pub(crate) use features::Features;
#[cfg(any(test, feature = "mask"))]
pub(crate) use features::limit_to;
pub(crate) use kernel::{Dispatch, Kernel};

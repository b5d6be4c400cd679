//! Controllers that measure the bandwidth of the path: Westwood (2002) and Westwood+ (2004). A loss leaves bandwidth times
//! minimum round-trip time, so that a random loss on a radio link does not halve the window.

pub(crate) mod duplicate_credit;
pub(crate) mod westwood;
pub(crate) mod westwood_plus;

pub use westwood::{Westwood, WestwoodConfig};
pub use westwood_plus::{WestwoodPlus, WestwoodPlusConfig};

//! Controllers that measure the capacity of the path: a loss leaves bandwidth times minimum round-trip time.

pub(crate) mod duplicate_credit;
pub(crate) mod westwood;
pub(crate) mod westwood_plus;

pub use westwood::{Westwood, WestwoodConfig};
pub use westwood_plus::{WestwoodPlus, WestwoodPlusConfig};

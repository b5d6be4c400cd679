//! Controllers that measure what the path carries: after a loss the window is bandwidth times minimum RTT.

pub(in crate::transport) mod westwood;
pub(in crate::transport) mod westwood_plus;

pub use westwood::{Westwood, WestwoodConfig};
pub use westwood_plus::{WestwoodPlus, WestwoodPlusConfig};

//! Controllers that measure the bandwidth of the path. A loss in Westwood (2002) and Westwood+ (2004) leaves bandwidth times
//! minimum round-trip time, so that a random loss on a radio link does not halve the window; BBR (2016) sends at the bandwidth.

pub(crate) mod bbr;
pub(crate) mod bbr3;
pub(crate) mod duplicate_credit;
pub(crate) mod max_filter;
pub(crate) mod westwood;
pub(crate) mod westwood_plus;

pub use bbr::{Bbr, BbrConfig};
pub use bbr3::{Bbr3, Bbr3Config};
pub use westwood::{Westwood, WestwoodConfig};
pub use westwood_plus::{WestwoodPlus, WestwoodPlusConfig};

//! The receiver: state of one radio.

mod nav_rule;
mod radio;

pub use nav_rule::NavRule;
pub(in crate::phy) use nav_rule::{NavUpdate, Reservation};
pub use radio::{AccessWait, Arrival, CcaReporting, Radio, Reception};

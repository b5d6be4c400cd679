//! The receiver: state of one radio.

mod nav_rule;
mod radio;

pub(in crate::phy) use nav_rule::{NavUpdate, Reservation};
pub use nav_rule::NavRule;
pub use radio::{AccessWait, Arrival, CcaReporting, Radio, Reception};

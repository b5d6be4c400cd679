//! The receiver: the state of one radio, and its changes by signals of other stations (ns-2.35 `WirelessPhy`, `Mac802_11`).

mod indication;
mod nav_rule;
mod overheard;
mod radio;

pub(in crate::phy) use indication::Action;
pub use indication::PhyIndication;
pub(in crate::phy) use nav_rule::NavCause;
pub use nav_rule::NavRule;
pub(in crate::phy) use overheard::NavSpans;
pub use radio::{AccessWait, CcaReporting, Radio, Reception};

//! Airtime: what the time of each node is used for, to the nanosecond.

mod account;
mod state;
#[cfg(test)]
mod tests;
mod usage;

pub use account::{AccountProbe, AirtimeAccounts, Collisions};
pub use state::NodeState;
pub use usage::{AirtimeReport, AirtimeUse, NodeAirtime};

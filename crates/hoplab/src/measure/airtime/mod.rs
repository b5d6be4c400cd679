//! Airtime: the uses of each node's time, to the nanosecond, by the states of IEEE 802.11-1999 section 9.2 (transmission,
//! reception, deferral, EIFS, backoff).

mod account;
mod state;
#[cfg(test)]
mod tests;
mod usage;

pub use account::{AccountProbe, AirtimeAccounts, Collisions};
pub use state::NodeState;
pub use usage::{AirtimeReport, AirtimeUse, NodeAirtime};

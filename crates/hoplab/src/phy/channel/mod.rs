//! The channel: frames on the air, and their arrival at each receiver.

mod airtime_probe;
mod arrivals;
mod general_arrival;
mod medium;
mod merged_arrivals;
mod nav_expiry;
mod signal;

pub use airtime_probe::{AirtimeProbe, NoProbe};
pub use arrivals::{ArrivalCursor, PhyIndication};
pub use medium::{Medium, READ_RELEASE, Receiver, SIGNAL_ENDS, SIGNAL_STARTS, Switched};

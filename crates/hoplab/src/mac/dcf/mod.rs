//! The distributed coordination function of IEEE 802.11-1999 section 9.2.
//!
//! `station.rs` is one station. Its state lies in `state/`, in parts that own their timers; the other files say what
//! the station does with them: `contend.rs` waits for the medium, `transmit.rs` sends own frames, `receive.rs` takes
//! frames in and responds, `park.rs` calls the handshake policy, `activity.rs` reports.

mod activity;
mod contend;
mod park;
mod receive;
mod state;
mod station;
#[cfg(test)]
pub(super) mod test_station;
mod transmit;

pub use activity::{Sent, StationActivity};
pub use station::Mac;

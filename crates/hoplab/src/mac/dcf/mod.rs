//! The distributed coordination function of IEEE 802.11-1999 section 9.2.
//!
//! `station.rs` is one station. Its state is in `state/`, in parts that own their timers; the other files are its
//! operations: `contend.rs` waits for the medium, `transmit.rs` sends own frames, `receive.rs` handles received frames,
//! `aggregate.rs` sends A-MPDUs, `burst.rs` several frames within a TXOP, `probe.rs` rt-Winf's probes, `park.rs` calls the handshake
//! policy, `prioritize.rs` chooses among access categories, `rates.rs` calls the rate control, `observing.rs` the observers,
//! `activity.rs` reports.

mod activity;
mod aggregate;
mod burst;
mod contend;
mod observing;
mod park;
mod prioritize;
mod probe;
mod rates;
mod receive;
mod state;
mod station;
#[cfg(test)]
pub(super) mod test_station;
mod transmit;

pub use activity::{Sent, StationActivity};
pub use state::ProbeRules;
pub use station::Mac;

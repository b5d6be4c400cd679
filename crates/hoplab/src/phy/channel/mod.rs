//! The channel: frames on the air, and the passage of their signals over the receivers (ns-2.35 `channel.cc`).
//!
//! [`Medium`] is all that other layers see. Below it, each file uses those before it only: `transmission`, `nav_lists`,
//! `air`, `nav_expiry`; `signal`, `arrivals`.

mod air;
mod arrivals;
mod medium;
mod nav_expiry;
mod nav_lists;
mod probe;
mod signal;
mod transmission;

pub use arrivals::Passage;
pub use medium::{Medium, Switched};
pub use probe::{ArrivalProbe, NoProbe};
pub use signal::{Detection, Edge, SignalEnd, SignalStart};

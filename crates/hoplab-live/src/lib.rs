//! Runs of hoplab at the pace of the wall clock: packets of real programs enter and leave the simulated network.
//!
//! The engine knows no clock. This crate advances a world to the time of a [`Host`], passes packets between them, and
//! measures how late it does so. Simulated time never runs ahead of the clock, so that no packet enters the past; a
//! late packet bends the edges of the network, and nothing inside. What enters is recorded: a run of the same scenario
//! with the record as `live.file` has the same event sequence.

mod host;
mod lateness;
#[cfg(target_os = "linux")]
mod linux;
mod pace;
mod record;

pub use host::Host;
pub use lateness::{Grade, Lateness, LatenessReport, Moment};
#[cfg(target_os = "linux")]
pub use linux::{Clock, LinuxHost};
pub use pace::{LiveError, LiveReport, run};
pub use record::{NoRecord, Record, TextRecord, line};

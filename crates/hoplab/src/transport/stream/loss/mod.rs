//! Loss detection and recovery: what is in flight, RACK, and the rate of recovery.

pub(super) mod prr;
pub(super) mod rack;
pub(super) mod scoreboard;

pub(super) use prr::Prr;
pub(super) use rack::Rack;
pub(super) use scoreboard::{InFlight, Sent};

//! Connections as real TCP has them: bytes, handshake to FIN, both directions, RACK-TLP, PRR, ECN.
//!
//! A sibling of the one-way agents, not a mode of them: those count segments. Congestion control is shared, in segments.
//! An [`Endpoint`] is one end with both directions; its files each add one concern.

mod ack;
mod close;
pub(crate) mod config;
mod endpoint;
mod handshake;
mod hystart;
mod loss;
mod rate;
mod receive;
mod rto;
mod send;
mod state;
mod timers;

#[cfg(test)]
mod tests;

pub use config::{RtoFloor, SlowStart, StreamConfig};
pub use endpoint::{Arrival, Endpoint, Reading, State};
pub use state::Abort;

//! BBRv1: the window and the pacing rate follow a model of the path, its bandwidth and its minimum round-trip time.
//!
//! # Model
//! Bandwidth is the maximum of delivery rates over ten rounds; the minimum round-trip time is that of ten seconds. STARTUP doubles
//! the rate each round until the bandwidth has grown by less than a quarter in three rounds, DRAIN empties the queue that this built,
//! PROBE_BW paces at 1.25, 0.75 and six times 1 of the bandwidth, PROBE_RTT sends four segments for 200 ms if the minimum was not seen
//! again for ten seconds. A loss does not reduce the model: the first round of recovery conserves packets, its end restores the window.
//!
//! # Source
//! Cardwell, Cheng, Gunn, Yeganeh, Jacobson (2016); `net/ipv4/tcp_bbr.c` of Linux 6.18.
//!
//! # Deviations
//! No sampling of token-bucket policers. Numbers are real, where Linux has fixed point.
//!
//! # Parameters
//! Table `[stream.bbr]`.

mod config;
mod control;
mod phases;
mod state;

pub use config::BbrConfig;
pub use state::Bbr;

#[cfg(test)]
pub(crate) use state::Mode;

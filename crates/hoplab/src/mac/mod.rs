//! The MAC of a node: the distributed coordination function (DCF) of IEEE 802.11-1999 clause 9, one packet at a time.
//!
//! It decides when a frame is sent, and so causes delay, loss and unfairness in the layers above. `dcf/` is the station,
//! `rules.rs` where ns-2.35 and the standard differ, `timing/` the times of frames. Two kinds of parts extend a station:
//! `handshake/` decides in RTS and CTS, `observer/` measures the medium. `rate/` chooses modulations,
//! `aggregation/` keeps windows of MPDUs.

pub mod aggregation;
mod config;
mod dcf;
mod edca;
pub mod handshake;
mod interface;
pub mod observer;
pub mod rate;
mod rules;
mod timing;

pub use config::{AIFSN, MacConfig, MacProfile, Preamble, Protection, QOS_BYTES};
pub use dcf::{Mac, ProbeRules, Sent, StationActivity};
pub use edca::{AccessKeys, CategoryConfig, EdcaConfig};
pub use interface::{MacCtx, MacOut};
pub use rules::{DcfRules, EifsRule, ThresholdRule, TimeoutRule};
pub use timing::{ACK_BYTES, CTS_BYTES, MAX_COVERAGE_CLASS, RTS_BYTES, Timing};

//! Medium access by the distributed coordination function of IEEE 802.11, one packet at a time.

mod config;
mod dcf;
pub mod handshake;
mod interface;
pub mod observer;
mod rules;
mod timing;

pub use config::{MacConfig, MacProfile, Preamble};
pub use dcf::{Mac, Sent, StationActivity};
pub use interface::{MacCtx, MacOut};
pub use rules::{DcfRules, EifsRule, ThresholdRule};
pub use timing::{ACK_BYTES, CTS_BYTES, RTS_BYTES, Timing};

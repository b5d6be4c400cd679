//! Times of frames and interframe spaces (IEEE 802.11-1999 section 9.2.10): of frames of 802.11b (`frame_times.rs`), of OFDM
//! (`ofdm.rs`), and what a MAC derives from them.

mod durations;
mod frame_times;
mod ofdm;
mod propagation;

pub use frame_times::{ACK_BYTES, BLOCK_ACK_REQUEST_BYTES, CF_END_BYTES, CTS_BYTES, RTS_BYTES, Timing};
pub use propagation::MAX_COVERAGE_CLASS;

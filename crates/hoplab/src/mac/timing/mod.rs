//! Times of frames and interframe spaces (IEEE 802.11-1999 section 9.2.10): one file per physical layer, and what a MAC
//! derives from it.

mod dsss;
mod durations;
mod frame_times;
mod ofdm;

pub use dsss::MAX_COVERAGE_CLASS;
pub use frame_times::{
    ACK_BYTES, BLOCK_ACK_BYTES, BLOCK_ACK_REQUEST_BYTES, CF_END_BYTES, CTS_BYTES, RTS_BYTES, Timing,
};

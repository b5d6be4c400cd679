//! Times of frames and interframe spaces: one file per physical layer, and what a MAC derives from it.

mod dsss;
mod frame_times;

pub(super) use dsss::MAX_PROPAGATION;
pub use frame_times::{ACK_BYTES, CTS_BYTES, RTS_BYTES, Timing};

//! The trace of a run: counters and fingerprints always; every record, a log and a capture on request.

mod capture;
mod counters;
mod fingerprint;
mod log;
mod names;
mod record;
mod recorder;
mod row;

pub use capture::CaptureSink;
pub use counters::{CategoryCounters, Counters, NodeCounters, PacketCounters, class_of};
pub use fingerprint::{Fingerprint, TRAJECTORIES};
pub use log::Log;
pub use names::{NOTHING, Names};
pub use record::{DropReason, Loss, Record, Step, What};
pub use recorder::{FINGERPRINTED, Trace};
pub use row::{EVENTS, FRAMES, Row, reasons};

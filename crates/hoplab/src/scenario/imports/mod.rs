//! Files of other simulators that a scenario names: movements (ns-2, BonnMotion, CSV) and traffic (ns-2).
//!
//! Formats of movements are parsed in `mobility/import`; this folder has the names of the files, and the flows and
//! trajectories that a scenario takes from them.

mod files;
pub(crate) mod movements;
pub(crate) mod traffic_file;

pub use files::files_named;
pub use traffic_file::{ImportedCarrier, ImportedFlow, ImportedSource, ImportedTraffic, TrafficFileError, cbrgen};

//! The keys of `[[workload]]` that only some kinds use; each kind states which.

use super::sizes::SizeConfig;
use crate::kernel::PerSecond;

/// Keys of a workload that depend on its kind; their documentation is at `WorkloadConfig`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the keys are documented at `WorkloadConfig`")]
pub struct WorkloadKeys {
    pub count: Option<u32>,
    pub rate: Option<PerSecond>,
    pub load: Option<f64>,
    pub size: Option<SizeConfig>,
}

impl WorkloadKeys {
    /// Names of the keys, in the order of documentation.
    pub const NAMES: [&str; 4] = ["count", "rate", "load", "size"];
}

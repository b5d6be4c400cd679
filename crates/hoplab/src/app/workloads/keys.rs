//! The keys of `[[workload]]` that only some kinds use; each kind states which.

use super::sizes::SizeConfig;
use crate::kernel::{Bytes, PerSecond, Rate, Span};

/// Keys of a workload that depend on its kind; their documentation is at `WorkloadConfig`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the keys are documented at `WorkloadConfig`")]
pub struct WorkloadKeys {
    pub count: Option<u32>,
    pub start_spread: Option<Span>,
    pub rate: Option<PerSecond>,
    pub load: Option<f64>,
    pub size: Option<SizeConfig>,
    pub ask: Option<Bytes>,
    pub answer: Option<SizeConfig>,
    pub think: Option<Span>,
    pub times: Option<u32>,
    pub interval: Option<Span>,
    pub page: Option<SizeConfig>,
    pub objects: Option<u32>,
    pub object: Option<SizeConfig>,
    pub connections: Option<u32>,
    pub reading: Option<Span>,
    pub ladder: Option<Vec<Rate>>,
    pub segment_time: Option<Span>,
    pub quiet: Option<Span>,
}

impl WorkloadKeys {
    /// Names of the keys, in the order of documentation.
    pub const NAMES: [&str; 18] = [
        "count",
        "start_spread",
        "rate",
        "load",
        "size",
        "ask",
        "answer",
        "think",
        "times",
        "interval",
        "page",
        "objects",
        "object",
        "connections",
        "reading",
        "ladder",
        "segment_time",
        "quiet",
    ];
}

//! Table `[tcp.tpa]`: parameters of TPA (after Anastasi et al. 2005).

use crate::kernel::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of TPA.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TpaConfig {
    /// Segments of a block.
    #[schemars(range(min = 1, max = 64))]
    pub block: u32,
    /// Segments in flight on a short path.
    #[schemars(range(min = 1, max = 64))]
    pub window: u32,
    /// Segments in flight on a long path.
    #[schemars(range(min = 1, max = 64))]
    pub long_window: u32,
    /// Hops from which a path is long.
    #[schemars(range(min = 1, max = 1000))]
    pub long_hops: u16,
    /// Timeouts in a row that signal congestion: one segment in flight.
    #[schemars(range(min = 1, max = 1000))]
    pub congested_timeouts: u32,
    /// Acknowledgments in a row that end congestion.
    #[schemars(range(min = 1, max = 1000))]
    pub cleared_acks: u32,
    /// Timeouts in a row that signal a failed route: the sender freezes.
    #[schemars(range(min = 1, max = 1000))]
    pub frozen_timeouts: u32,
    /// Unusual round-trip times in a row that signal another route.
    #[schemars(range(min = 1, max = 1000))]
    pub changed_samples: u32,
    /// Header of segments and acknowledgments, with IP's.
    pub header: Bytes,
}

impl Default for TpaConfig {
    fn default() -> Self {
        TpaConfig {
            block: 12,
            window: 2,
            long_window: 3,
            long_hops: 4,
            congested_timeouts: 1,
            cleared_acks: 3,
            frozen_timeouts: 4,
            changed_samples: 3,
            header: Bytes(40),
        }
    }
}

//! What a congestion control is made from.

use super::list::CongestionKind;
use crate::transport::config::TcpConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a controller is made from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Window after the opening, in segments.
    pub initial_window: f64,
    /// Slow-start threshold at the beginning, in segments.
    pub initial_ssthresh: f64,
    /// Whether losses are answered as RFC 5681 says, from what is in flight, or as ns-2, from the window.
    pub is_rfc: bool,
    /// Whether windows are whole and grow by counters, as in Linux.
    pub is_linux: bool,
    /// Payload of a segment, in bytes.
    pub segment: u32,
    /// Under which name it is made: one controller may go by several.
    pub kind: CongestionKind,
    /// The receiver's limit, in segments: beyond it a whole window does not grow. Infinite if unknown.
    pub window: f64,
}

impl Setup {
    /// For segments of `segment` payload bytes.
    pub fn new(config: &TcpConfig, segment: u32) -> Setup {
        Setup {
            initial_window: f64::from(config.opening_window(segment)),
            initial_ssthresh: config.initial_ssthresh.map_or(f64::INFINITY, f64::from),
            is_rfc: config.is_rfc(),
            is_linux: config.is_linux(),
            segment,
            kind: CongestionKind::Reno,
            window: f64::INFINITY,
        }
    }

    /// With a limit of the window.
    #[must_use]
    pub fn with_window(self, window: u32) -> Setup {
        Setup { window: f64::from(window), ..self }
    }
}

/// A controller without parameters of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NoParameters {}

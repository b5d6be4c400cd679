//! Table `[stream.bbr]`: constants of BBRv1.

use crate::kernel::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[stream.bbr]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BbrConfig {
    /// Gain of pacing rate and window in STARTUP; its inverse is that of the pacing rate in DRAIN.
    #[schemars(range(min = 1, max = 10))]
    pub startup_gain: f64,
    /// Gain of the window in PROBE_BW.
    #[schemars(range(min = 1, max = 10))]
    pub cwnd_gain: f64,
    /// Rounds whose maximum delivery rate is the bandwidth.
    #[schemars(range(min = 1, max = 1000))]
    pub bw_rounds: u32,
    /// Time after which the minimum round-trip time is measured anew.
    pub min_rtt_window: Span,
    /// Shortest time of PROBE_RTT.
    pub probe_rtt_duration: Span,
    /// Least window, and that of PROBE_RTT, in segments.
    #[schemars(range(min = 1, max = 1000))]
    pub min_window: u32,
    /// Share of the rate that pacing leaves unused.
    #[schemars(range(min = 0, max = 0.5))]
    pub pacing_margin: f64,
}

impl Default for BbrConfig {
    fn default() -> Self {
        BbrConfig {
            // 2 / ln 2 in 256ths, as Linux has it.
            startup_gain: 739.0 / 256.0,
            cwnd_gain: 2.0,
            bw_rounds: 10,
            min_rtt_window: Span::from_millis(10_000),
            probe_rtt_duration: Span::from_millis(200),
            min_window: 4,
            pacing_margin: 0.01,
        }
    }
}

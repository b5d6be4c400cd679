//! Table `[stream.bbr3]`: constants of BBRv3.

use crate::kernel::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[stream.bbr3]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bbr3Config {
    /// Gain of the pacing rate in STARTUP.
    #[schemars(range(min = 1, max = 10))]
    pub startup_gain: f64,
    /// Gain of the window, but for UP and PROBE_RTT.
    #[schemars(range(min = 1, max = 10))]
    pub cwnd_gain: f64,
    /// Share of lost segments that a probe for bandwidth tolerates.
    #[schemars(range(min = 0, max = 1))]
    pub loss_threshold: f64,
    /// Share of a bound that a round with losses leaves.
    #[schemars(range(min = 0, max = 1))]
    pub beta: f64,
    /// Share of the bound on the flight that is left to other flows.
    #[schemars(range(min = 0, max = 0.9))]
    pub headroom: f64,
    /// Time after which the minimum round-trip time is forgotten.
    pub min_rtt_window: Span,
    /// Time after which PROBE_RTT measures it anew.
    pub probe_rtt_interval: Span,
    /// Shortest time of PROBE_RTT.
    pub probe_rtt_duration: Span,
    /// Least window in segments.
    #[schemars(range(min = 1, max = 1000))]
    pub min_window: u32,
    /// Share of the rate that pacing leaves unused.
    #[schemars(range(min = 0, max = 0.5))]
    pub pacing_margin: f64,
}

impl Default for Bbr3Config {
    fn default() -> Self {
        Bbr3Config {
            startup_gain: 2.77,
            cwnd_gain: 2.0,
            loss_threshold: 0.02,
            beta: 0.7,
            headroom: 0.15,
            min_rtt_window: Span::from_millis(10_000),
            probe_rtt_interval: Span::from_millis(5_000),
            probe_rtt_duration: Span::from_millis(200),
            min_window: 4,
            pacing_margin: 0.01,
        }
    }
}

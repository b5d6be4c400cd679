//! Parameters of TCP-AP: table `[tcp.congestion.tcp_ap]`. `docs/protocols/tcp_ap.md` explains each.

use crate::kernel::{Bytes, Rate, Span};
use crate::transport::pacer::PaceClock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[tcp.congestion.tcp_ap]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TcpApConfig {
    /// Rule set for keys that are not given.
    pub preset: TcpApPreset,
    /// Hops after which a packet does not interfere with the next.
    #[schemars(range(min = 1, max = 32))]
    pub n_factor: u32,
    /// Weight of the old delay in the smoothed one.
    #[schemars(range(min = 0, max = 1))]
    pub alpha: f64,
    /// Weight of the old queueing time in the smoothed one.
    #[schemars(range(min = 0, max = 1))]
    pub gamma: f64,
    /// Samples of the variation.
    #[schemars(range(min = 1, max = 200))]
    pub history: u32,
    /// Delays from here on, and queueing times beyond it, are ignored.
    pub bound: Span,
    /// Interval before the first estimate.
    pub initial_interval: Span,
    /// Rate of the links. Default: the data rate of the MAC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Rate>,
    /// Where the rate of the links comes from.
    pub rate: RateSource,
    /// Headers of a packet on the air.
    pub overhead: Bytes,
    /// Measure of variation. Default: `mad` in `elrakabawy2005_code`, `cov` in `paper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispersion: Option<Dispersion>,
    /// Times whose variation counts. Default: `delay` in `elrakabawy2005_code`, `rtt` in `paper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<Samples>,
    /// Weight of the variation in the interval.
    #[schemars(range(min = 0, max = 100))]
    pub jitter_weight: f64,
    /// Delay of a path shorter than `n_factor`.
    pub short_path: ShortPath,
    /// When the clock runs.
    pub clock: PaceClock,
    /// Whether a fast retransmit discards the segments that wait. Default: true in `elrakabawy2005_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush_on_fast_retransmit: Option<bool>,
    /// Whether the clock restarts after a loss detected while nothing waited. Default: false in `elrakabawy2005_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart_clock: Option<bool>,
    /// Whether a timeout doubles the next one.
    pub rto_backoff: bool,
}

/// Rule sets of TCP-AP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TcpApPreset {
    /// As the authors' agent for ns-2 of September 2005.
    #[default]
    Elrakabawy2005Code,
    /// As the papers of 2005 and 2011 describe it.
    Paper,
}

/// Measures of variation, relative to the mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dispersion {
    /// Mean absolute deviation.
    Mad,
    /// Coefficient of variation, of a sample.
    Cov,
}

/// Times that vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Samples {
    /// The delay until a packet does not interfere with the next.
    Delay,
    /// The round-trip time.
    Rtt,
}

/// Sources of the rate of the links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RateSource {
    /// `bandwidth`.
    #[default]
    Table,
    /// rt-Winf's capacity at the sender, which every node then measures.
    Winf,
}

/// Delays of short paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShortPath {
    /// That of one hop.
    #[default]
    OneHop,
    /// That of all its hops.
    HHops,
    /// That of `n_factor` hops.
    NHops,
}

impl Default for TcpApConfig {
    fn default() -> Self {
        TcpApConfig {
            preset: TcpApPreset::Elrakabawy2005Code,
            n_factor: 4,
            alpha: 0.7,
            gamma: 0.5,
            history: 50,
            bound: Span::from_millis(500),
            initial_interval: Span::from_millis(50),
            bandwidth: None,
            rate: RateSource::Table,
            overhead: Bytes(112),
            dispersion: None,
            samples: None,
            jitter_weight: 2.0,
            short_path: ShortPath::OneHop,
            clock: PaceClock::FreeRunning,
            flush_on_fast_retransmit: None,
            restart_clock: None,
            rto_backoff: false,
        }
    }
}

impl TcpApConfig {
    /// Whether the rules are those of the authors' agent where a key is not given.
    pub(super) fn is_code(&self) -> bool {
        self.preset == TcpApPreset::Elrakabawy2005Code
    }

    pub(super) fn samples(&self) -> Samples {
        self.samples.unwrap_or(if self.is_code() { Samples::Delay } else { Samples::Rtt })
    }

    pub(super) fn dispersion(&self) -> Dispersion {
        self.dispersion.unwrap_or(if self.is_code() { Dispersion::Mad } else { Dispersion::Cov })
    }
}

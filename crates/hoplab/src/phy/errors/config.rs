//! Parameters of error models: table `[radio.errors]`.

use crate::kernel::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[radio.errors]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorConfig {
    /// Which model.
    pub model: ErrorKind,
    /// Which frames can be spoiled.
    pub scope: ErrorScope,
    /// Probability that a frame is spoiled (`uniform_packet`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub frame_error_rate: f64,
    /// Probability that a bit is wrong (`uniform_bit`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bit_error_rate: f64,
    /// Mean length of the good state (`gilbert`).
    pub good_mean: Span,
    /// Mean length of the bad state (`gilbert`).
    pub bad_mean: Span,
    /// Probability that a frame is spoiled in the good state (`gilbert`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub good_loss: f64,
    /// The same in the bad state (`gilbert`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bad_loss: f64,
    /// Who has a state of its own (`gilbert`).
    pub per: Memory,
}

/// Error models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Nothing is spoiled.
    None,
    /// Every frame with the same probability.
    UniformPacket,
    /// Every bit with the same probability.
    UniformBit,
    /// Bits by modulation and signal-to-noise ratio.
    BerCurves,
    /// Bursts: a good and a bad state.
    Gilbert,
}

/// Frames that an error model applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorScope {
    /// All, control frames included, as in ns-2.
    All,
    /// Data frames only, broadcast ones included.
    DataOnly,
}

/// Who has a state of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Each sender at each receiver.
    Link,
    /// Each receiver, for all senders alike.
    Receiver,
}

impl ErrorKind {
    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::None => "none",
            ErrorKind::UniformPacket => "uniform_packet",
            ErrorKind::UniformBit => "uniform_bit",
            ErrorKind::BerCurves => "ber_curves",
            ErrorKind::Gilbert => "gilbert",
        }
    }
}

impl Default for ErrorConfig {
    fn default() -> Self {
        ErrorConfig {
            model: ErrorKind::None,
            scope: ErrorScope::All,
            frame_error_rate: 0.01,
            bit_error_rate: 1e-6,
            good_mean: Span::from_millis(1000),
            bad_mean: Span::from_millis(50),
            good_loss: 0.0,
            bad_loss: 0.5,
            per: Memory::Link,
        }
    }
}

//! Parameters of error models: table `[radio.errors]`.

use super::kind::ErrorKind;
use crate::kernel::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[radio.errors]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorConfig {
    /// Which model.
    pub model: ErrorKind,
    /// Which frames can be corrupted.
    pub scope: ErrorScope,
    /// Probability that a frame is corrupted (`uniform_packet`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub frame_error_rate: f64,
    /// Probability that a bit is wrong (`uniform_bit`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bit_error_rate: f64,
    /// Mean length of the good state (`gilbert`).
    pub good_mean: Span,
    /// Mean length of the bad state (`gilbert`).
    pub bad_mean: Span,
    /// Probability that a frame is corrupted in the good state (`gilbert`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub good_loss: f64,
    /// Probability that a frame is corrupted in the bad state (`gilbert`).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub bad_loss: f64,
    /// The owner of a state (`gilbert`).
    pub per: Memory,
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

/// The owner of a state of the Gilbert model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Each sender at each receiver.
    Link,
    /// Each receiver, for all senders.
    Receiver,
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

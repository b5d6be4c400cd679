//! Names of multipath fading in scenarios.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Multipath fading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FadingKind {
    /// No fading.
    None,
    /// No dominant path.
    Rayleigh,
    /// Gamma-distributed power with shape `fading_m`.
    Nakagami,
    /// A dominant path with `fading_k` times the power of the others.
    Rician,
}

//! What a congestion control is built from: windows, segment size and rules of the connection's profile.

use crate::kernel::RandomStream;
use crate::transport::rules::{LossRules, WindowKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a congestion control is built from, besides its own table.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Window once the connection is established, in segments.
    pub initial_window: f64,
    /// Slow-start threshold at the beginning, in segments.
    pub initial_ssthresh: f64,
    /// Payload of a segment, in bytes.
    pub segment: u32,
    /// rwnd, in segments: a counted window does not grow beyond it. Infinite if unknown.
    pub window: f64,
    /// How a loss reduces a real window.
    pub loss: LossRules,
    /// How a window that follows the profile is represented.
    pub window_kind: WindowKind,
    /// The random stream of the controller. Real connections only.
    pub stream: Option<RandomStream>,
}

impl Setup {
    /// With this rwnd.
    #[must_use]
    pub fn with_window(self, window: u32) -> Setup {
        Setup { window: f64::from(window), ..self }
    }
}

/// The table of a controller without parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NoParameters {}

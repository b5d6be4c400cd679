//! How nodes of the random waypoint model start and pause. The start decides how long the mean speed decays (Le Boudec and
//! Vojnovic 2005; ns-2.35 `setdest -v 1` and `-v 2`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How pauses are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseKind {
    /// All as long as `pause`.
    #[default]
    Constant,
    /// Uniform from 0 to twice `pause`.
    Uniform,
}

/// How a random waypoint node begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Init {
    /// At a uniform position, with a whole pause (`setdest -v 1`). Mean speed falls for a long time.
    Uniform,
    /// At its position in the topology, with a whole pause. Mean speed falls and positions spread for a long time.
    Topology,
    /// At a uniform position; speed and pausing in their stationary distribution (`setdest -v 2`).
    Setdest2,
    /// Stationary distribution of position, speed and pausing.
    #[default]
    Stationary,
}

impl fmt::Display for Init {
    /// Its name in scenarios.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

//! Metrics: what routes are shortest by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What routes are shortest by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouteMetric {
    /// Hops.
    Hops,
    /// Expected transmissions by delivery ratios (ETX).
    Etx,
}

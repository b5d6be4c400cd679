//! Profiles of routing: the source whose rules the protocols follow where sources differ.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Source of the rules (the page of each protocol lists the differences).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoutingProfile {
    /// As ns-2.35.
    Ns2,
    /// As the RFC of the protocol, or its paper.
    Rfc,
}

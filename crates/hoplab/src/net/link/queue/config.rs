//! Table `[queue]` of a scenario: discipline and limit of the interface queue of all nodes, or of one (ns-2.35 `ifqlen`).

use super::list::QueueKind;
use crate::kernel::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[queue]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueueConfig {
    /// Queue discipline.
    pub kind: Part<QueueKind>,
    /// Size of the interface queue in packets; as in ns-2, one packet less is queued.
    pub limit: u32,
}

impl Default for QueueConfig {
    fn default() -> Self {
        QueueConfig { kind: Part::Engine(QueueKind::DropTail), limit: 50 }
    }
}

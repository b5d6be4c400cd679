//! Table `[queue]` of a scenario: discipline and limit of the interface queue of all nodes, or of one (ns-2.35 `ifqlen`).

use super::list::QueueKind;
use super::parameters::QueueParameters;
use crate::kernel::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[queue]` of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QueueConfig {
    /// Queue discipline.
    pub kind: Part<QueueKind>,
    /// Size of the queue in packets; as in ns-2, `drop_tail` at a radio queues one packet less. Default: 50 (`drop_tail` at a radio,
    /// `lred`), 10240 (`fq_codel`), 8192 (`airtime_fq`), 1000 otherwise.
    pub limit: u32,
    /// Parameters of the discipline.
    #[serde(flatten)]
    pub parameters: QueueParameters,
}

/// Keys of every discipline.
const COMMON: [&str; 3] = ["kind", "limit", "limit_bytes"];

impl Default for QueueConfig {
    fn default() -> Self {
        QueueConfig { kind: Part::Engine(QueueKind::DropTail), limit: 50, parameters: QueueParameters::default() }
    }
}

impl QueueConfig {
    /// Whether the queue discipline has a key. A discipline of the calling program has all.
    pub fn has(&self, key: &str) -> bool {
        match &self.kind {
            Part::Engine(kind) => COMMON.contains(&key) || kind.keys().contains(&key),
            Part::Program(_) => true,
        }
    }
}

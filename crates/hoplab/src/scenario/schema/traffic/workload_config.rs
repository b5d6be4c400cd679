//! Table `[[workload]]`: its keys and their defaults.

use super::node_ref::NodeRef;
use crate::app::{SizeConfig, WorkloadKeys, WorkloadKind};
use crate::kernel::{Bytes, PerSecond, Time};
use crate::scenario::scheme::SCHEMES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[[workload]]`: flows that begin and end as users come and go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorkloadConfig {
    /// What users do.
    pub kind: WorkloadKind,
    /// Node or nodes that data comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<NodeSet>,
    /// Node or nodes that data goes to. Each flow has a random pair of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<NodeSet>,
    /// Protocol that carries it.
    #[schemars(extend("enum" = SCHEMES.iter().map(|scheme| scheme.name).collect::<Vec<_>>()))]
    pub transport: String,
    /// Payload of a packet. Default: 1460 bytes, 1448 for `tcp_*`; the size for `udp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<Bytes>,
    /// Limit of the window, in segments; `tcp_*` has `stream.receive_buffer` instead. Default: 20.
    #[schemars(range(min = 1, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// When it starts.
    pub start: Time,
    /// When nothing more begins. Default: with the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Time>,
    /// Maximum number of transfers (`poisson`). Default: no limit.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Mean number of transfers that begin per second (`poisson`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<PerSecond>,
    /// Their mean load, headers included, as a share of the rate of the first `[[wire]]`; in place of `rate` (`poisson`).
    #[schemars(range(min = 0.0, max = 100.0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// Size of a transfer (`poisson`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<SizeConfig>,
}

/// A node, or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NodeSet {
    /// One.
    One(NodeRef),
    /// Several.
    Many(Vec<NodeRef>),
}

impl Default for WorkloadConfig {
    fn default() -> Self {
        WorkloadConfig {
            kind: WorkloadKind::PoissonFlows,
            from: None,
            to: None,
            transport: "tcp_cubic".to_owned(),
            segment: None,
            window: None,
            start: Time::ZERO,
            stop: None,
            count: None,
            rate: None,
            load: None,
            size: None,
        }
    }
}

impl WorkloadConfig {
    /// The keys that depend on the kind.
    pub(crate) fn keys(&self) -> WorkloadKeys {
        let &WorkloadConfig { count, rate, load, .. } = self;
        WorkloadKeys { count, rate, load, size: self.size.clone() }
    }
}

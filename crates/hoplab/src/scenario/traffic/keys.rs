//! Table `[traffic]`: the keys of generated flows.

use super::list::Pairs;
use crate::kernel::{Bytes, Rate, Span, Time};
use crate::scenario::transports::{TRANSPORTS, Transport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[traffic]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TrafficConfig {
    /// File of ns-2, as `cbrgen` writes it; it gives all but `transport`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Number that `file` gives node 0: 1 if it numbers nodes from 1. Default: 0.
    #[schemars(range(min = 0, max = 1_000_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_node: Option<u32>,
    /// What the flows send.
    pub kind: TrafficKind,
    /// How their ends are drawn.
    pub pairs: Pairs,
    /// How many flows.
    #[schemars(range(min = 1, max = 100_000))]
    pub connections: u32,
    /// Number of flows for each node that may be an end, in place of `connections`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_node: Option<f64>,
    /// Nodes that may be ends.
    pub ends: Ends,
    /// Flows that a node may be an end of (`random`). Default: 1.
    #[schemars(range(min = 1, max = 100_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_flows_per_node: Option<u32>,
    /// Minimum number of hops between the ends at the start (`random`).
    #[schemars(range(min = 1))]
    pub min_hops: u32,
    /// Seed of pairs and starts. Default: the seed of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Payload bits per second of each flow (`cbr`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Whether distances of packets are spread by up to half of their mean (`cbr`).
    pub random: bool,
    /// Packets of a flow (`cbr`).
    #[schemars(range(min = 1))]
    pub max_packets: u32,
    /// Protocol of the flows; of a file, of those over connections. Default: `udp` for `cbr`, `tahoe` for `tcp`; the file's own.
    #[schemars(extend("enum" = TRANSPORTS.iter().map(|transport| transport.name).collect::<Vec<_>>()))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Congestion control of the flows over connections instead of that of `transport`, which is to be `new_reno`, `sack`,
    /// `reno` or `tahoe`: a class in a Python file, as `FILE.py:CLASS`; or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// Payload of a packet.
    pub segment: Bytes,
    /// Limit of the window, in segments.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub window: u32,
    /// Flows start within this time.
    pub start_window: Span,
    /// When the first may start.
    pub start: Time,
    /// How long each lasts. Default: to the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<Span>,
}

/// What flows of `[traffic]` send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrafficKind {
    /// Packets at a constant rate.
    Cbr,
    /// Files without end.
    Tcp,
}

/// Nodes that may be ends of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ends {
    /// Any node.
    All,
    /// Mobile ones (`topology.mobile_nodes`).
    MobileNodes,
}

impl Default for TrafficConfig {
    fn default() -> Self {
        TrafficConfig {
            file: None,
            first_node: None,
            kind: TrafficKind::Cbr,
            pairs: Pairs::Cbrgen,
            connections: 10,
            per_node: None,
            ends: Ends::All,
            max_flows_per_node: None,
            min_hops: 1,
            seed: None,
            rate: None,
            random: true,
            max_packets: 10_000,
            transport: None,
            controller: None,
            segment: Bytes(512),
            window: 32,
            start_window: Span::from_millis(180_000),
            start: Time::ZERO,
            length: None,
        }
    }
}

/// Keys of packets at a constant rate.
pub(crate) const CBR_KEYS: [&str; 3] = ["rate", "random", "max_packets"];

impl TrafficConfig {
    /// Whether a key has an effect with the values of the others.
    pub(crate) fn has(&self, key: &str) -> bool {
        match key {
            "connections" => self.per_node.is_none(),
            "min_hops" | "max_flows_per_node" => self.pairs == Pairs::Random,
            key => self.kind == TrafficKind::Cbr || !CBR_KEYS.contains(&key),
        }
    }

    /// The protocol that carries the flows.
    pub(crate) fn transport(&self) -> Option<&'static Transport> {
        Transport::named(self.transport.as_deref().unwrap_or(self.usual_transport()))
    }

    /// The protocol where none is given; of a file, that of its TCP flows.
    pub(crate) fn usual_transport(&self) -> &'static str {
        let has_connections = self.kind == TrafficKind::Tcp || self.file.is_some();
        if has_connections { "tahoe" } else { "udp" }
    }
}

//! Table `[[workload]]`: its keys and their defaults.

use super::node_ref::NodeRef;
use crate::app::{SizeConfig, WorkloadKeys, WorkloadKind};
use crate::kernel::{Bytes, PerSecond, Rate, Span, Time};
use crate::packet::Category;
use crate::scenario::transports::TRANSPORTS;
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
    #[schemars(extend("enum" = TRANSPORTS.iter().map(|transport| transport.name).collect::<Vec<_>>()))]
    pub transport: String,
    /// Congestion control instead of that of `transport`, as of a flow; each connection has a controller of its own. Not of
    /// `udp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// Access category of its packets, acknowledgments included (`mac.qos`). Default: `best_effort`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Category>,
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
    /// Maximum number of transfers (`poisson`), without limit by default; or number of clients, users or viewers, by default
    /// one for each pair of nodes.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Maximum of a uniform random delay of each client's, user's or viewer's start. Default: 1 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_spread: Option<Span>,
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
    /// Bytes of a request (`request`, `web`, `video`). Default: 400 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Bytes>,
    /// Size of a response (`request`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<SizeConfig>,
    /// Time of the server before it answers (`request`). Default: 0 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think: Option<Span>,
    /// Requests of a client (`request`). Default: 1.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// Time from a request to the next (`request`; default: as soon as the response is there), or from ping to ping (`rrul`;
    /// default: 200 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Span>,
    /// Size of a page without its objects (`web`). Default: 40 kB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<SizeConfig>,
    /// Objects of a page (`web`). Default: 20.
    #[schemars(range(max = 10_000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<u32>,
    /// Size of an object (`web`). Default: lognormal around 10 kB, deviation 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<SizeConfig>,
    /// Connections of a user (`web`; default: 6), or bulk transfers each way (`rrul`; default: 4).
    #[schemars(range(min = 1, max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<u32>,
    /// Mean time between a page and the request of the next, exponential (`web`). Default: 10 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<Span>,
    /// Rates of the video; one for a constant rate (`video`). Default: 0.3, 0.6, 1.2, 2.4, 4.8 Mb/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ladder: Option<Vec<Rate>>,
    /// Playing time of a segment of the video (`video`). Default: 4 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment_time: Option<Span>,
    /// Time of pings before the bulk transfers (`rrul`). Default: 5 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Span>,
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
            controller: None,
            priority: None,
            segment: None,
            window: None,
            start: Time::ZERO,
            stop: None,
            count: None,
            rate: None,
            load: None,
            size: None,
            start_spread: None,
            ask: None,
            answer: None,
            think: None,
            times: None,
            interval: None,
            page: None,
            objects: None,
            object: None,
            connections: None,
            reading: None,
            ladder: None,
            segment_time: None,
            quiet: None,
        }
    }
}

impl WorkloadConfig {
    /// The keys that depend on the kind.
    pub(crate) fn keys(&self) -> WorkloadKeys {
        let &WorkloadConfig { count, start_spread, rate, load, ask, think, times, interval, .. } = self;
        let &WorkloadConfig { objects, connections, reading, segment_time, quiet, .. } = self;
        WorkloadKeys {
            count,
            start_spread,
            rate,
            load,
            size: self.size.clone(),
            ask,
            answer: self.answer.clone(),
            think,
            times,
            interval,
            page: self.page.clone(),
            objects,
            object: self.object.clone(),
            connections,
            reading,
            ladder: self.ladder.clone(),
            segment_time,
            quiet,
        }
    }
}

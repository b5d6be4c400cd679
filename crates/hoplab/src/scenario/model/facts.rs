//! Facts of a scenario that a study reports: ranges, density, partitions, and hops of each flow.

use super::links::link_budget::LinkBudget;
use super::resolved::Resolved;
use crate::kernel::{FlowId, Metres};
use crate::net::routing::ReachGraph;
use crate::phy::propagation::PathLoss;
use serde_json::{Value as Json, json};

/// Facts of a scenario with the draws of one seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Number of nodes.
    pub nodes: usize,
    /// Reception range.
    pub rx_range: Metres,
    /// Carrier sense range.
    pub cs_range: Metres,
    /// Mean number of neighbors; `None` if the network is too dense to count.
    pub mean_degree: Option<f64>,
    /// Parts without a path between them; `None` if the network is too dense to count.
    pub partitions: Option<usize>,
    /// The shortest path of each flow.
    pub flows: Vec<(FlowId, PathFact)>,
    /// Received power at the shortest distances.
    pub link_budget: Vec<LinkBudget>,
}

/// The shortest path of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFact {
    /// Its hops.
    Hops(u32),
    /// No path.
    None,
    /// The network is too large to search.
    NotCounted,
}

impl Facts {
    /// As JSON: `null` for what was not counted, and for the hops where there is no path.
    pub fn to_json(&self) -> Json {
        let hops = |path: PathFact| if let PathFact::Hops(hops) = path { Json::from(hops) } else { Json::Null };
        let flow = |&(flow, path): &(FlowId, PathFact)| json!({ "id": flow.0, "hops": hops(path), "is_counted": path != PathFact::NotCounted });
        json!({
            "nodes": self.nodes,
            "rx_range_m": self.rx_range.0,
            "cs_range_m": self.cs_range.0,
            "mean_degree": self.mean_degree,
            "flows": self.flows.iter().map(flow).collect::<Vec<_>>(),
            "link_budget": self.link_budget.iter().map(|row| row.to_json()).collect::<Vec<_>>(),
            "partitions": self.partitions,
        })
    }
}

/// Nodes and links that the search for paths visits.
const MAX_VISITS: u64 = 100_000_000;

impl Resolved {
    /// The facts of this scenario.
    pub fn facts(&self) -> Facts {
        let loss = PathLoss::new(&self.radio);
        let graph = self.graph();
        let mut visits = 0;
        let mut path = |src, dst| {
            let Some(graph) = &graph else { return PathFact::NotCounted };
            visits += (graph.len() as f64 * (1.0 + graph.mean_degree())) as u64;
            if visits > MAX_VISITS {
                return PathFact::NotCounted;
            }
            graph.hops(src, dst).map_or(PathFact::None, PathFact::Hops)
        };
        Facts {
            nodes: self.positions.len(),
            rx_range: loss.range(self.radio.tx_power, self.radio.rx_threshold),
            cs_range: loss.range(self.radio.tx_power, self.radio.cs_threshold),
            flows: self.flows.iter().map(|flow| (flow.id, path(flow.src, flow.dst))).collect(),
            link_budget: self.link_budget(),
            mean_degree: graph.as_ref().map(ReachGraph::mean_degree),
            partitions: graph.as_ref().map(|graph| graph.partitions().count()),
        }
    }
}

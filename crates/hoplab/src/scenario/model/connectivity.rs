//! Who reaches whom at the start: for warnings, and for the facts that a study states.

use crate::kernel::{FlowId, Metres, NodeId, Watts};
use crate::net::routing::ReachGraph;
use crate::phy::propagation::{PathLoss, Propagation};
use crate::phy::{Grid, RadioConfig};
use crate::scenario::model::resolved::Resolved;
use serde_json::{Value as Json, json};

/// How difficult a scenario is.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Number of nodes.
    pub nodes: usize,
    /// Distance up to which frames are received.
    pub reach: Metres,
    /// Distance up to which frames are sensed.
    pub cs_range: Metres,
    /// Nodes in reach of a node, on average. `None` if the network is too dense to be counted in a moment.
    pub mean_degree: Option<f64>,
    /// Parts between which there is no path. `None` likewise.
    pub partitions: Option<usize>,
    /// Hops of each flow's shortest path.
    pub flows: Vec<(FlowId, PathFact)>,
}

/// The shortest path of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFact {
    /// Its hops.
    Hops(u32),
    /// There is none.
    None,
    /// The network is too large for an answer in a moment.
    NotCounted,
}

impl Facts {
    /// The facts as programs read them: `null` for what was not counted, and for the hops where there is no path.
    pub fn to_json(&self) -> Json {
        let hops = |path: PathFact| if let PathFact::Hops(hops) = path { Json::from(hops) } else { Json::Null };
        json!({
            "nodes": self.nodes,
            "reach_m": self.reach.0,
            "cs_range_m": self.cs_range.0,
            "mean_degree": self.mean_degree,
            "flows": self.flows.iter().map(|(flow, path)| json!({ "id": flow.0, "hops": hops(*path) })).collect::<Vec<_>>(),
            "partitions": self.partitions,
        })
    }
}

/// Pairs of nodes near each other that are looked at, before a network counts as too dense.
const MAX_PAIRS: u64 = 30_000_000;

/// Nodes and links that are visited for the paths of flows.
const MAX_VISITS: u64 = 100_000_000;

impl Resolved {
    /// How difficult this scenario is.
    pub fn facts(&self) -> Facts {
        let loss = PathLoss::new(&self.radio);
        let graph = graph(&self.positions, &self.radio, |node| self.tx_power_of(node));
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
            reach: loss.range(self.radio.tx_power, self.radio.rx_threshold),
            cs_range: loss.range(self.radio.tx_power, self.radio.cs_threshold),
            flows: self.flows.iter().map(|flow| (flow.id, path(flow.src, flow.dst))).collect(),
            mean_degree: graph.as_ref().map(ReachGraph::mean_degree),
            partitions: graph.as_ref().map(|graph| graph.partitions().count()),
        }
    }

    /// Warns of flows between parts of the network that cannot reach each other. Where places change with time or seed,
    /// that says little.
    pub(crate) fn warn_of_partitions(&mut self) {
        if self.is_moving() || self.is_drawn() {
            return;
        }
        let Some(graph) = graph(&self.positions, &self.radio, |node| self.tx_power_of(node)) else {
            self.warnings.push("so many nodes are near each other that paths were not checked".to_owned());
            return;
        };
        let parts = graph.partitions();
        let describe = |node: NodeId| {
            let part = parts.part_of(node);
            match parts.size(part) {
                1 => format!("node {} reaches no other node", node.0),
                size => {
                    let some: Vec<String> =
                        parts.members(part).take(MEMBERS).map(|member| member.0.to_string()).collect();
                    let more = if size > MEMBERS { ", ..." } else { "" };
                    format!("node {} is in partition {part} ({size} nodes: {}{more})", node.0, some.join(", "))
                }
            }
        };
        let apart = self.flows.iter().filter(|flow| !parts.are_connected(flow.src, flow.dst));
        let warnings: Vec<String> = apart
            .map(|flow| {
                let (FlowId(id), NodeId(src), NodeId(dst)) = (flow.id, flow.src, flow.dst);
                format!("flow {id} has no path from {src} to {dst}: {}, {}", describe(flow.src), describe(flow.dst))
            })
            .collect();
        self.warnings.extend(warnings);
    }
}

/// Nodes of a partition that a warning lists.
const MEMBERS: usize = 6;

/// Warns of nodes that stand in the same place.
pub(crate) fn same_places(positions: &[(f64, f64)]) -> Option<String> {
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    let place = |node: u32| positions[node as usize];
    order.sort_by(|&a, &b| {
        let ((ax, ay), (bx, by)) = (place(a), place(b));
        ax.total_cmp(&bx).then(ay.total_cmp(&by)).then(a.cmp(&b))
    });
    let twins: Vec<(u32, u32)> =
        order.windows(2).map(|pair| (pair[0], pair[1])).filter(|&(a, b)| place(a) == place(b)).collect();
    let (a, b) = *twins.iter().min()?;
    let (x, y) = place(a);
    let more = if twins.len() > 1 { format!(", and {} more", twins.len() - 1) } else { String::new() };
    Some(format!("nodes {a} and {b} are at the same place ({x}, {y}){more}"))
}

/// Whether every node has a path to every other. Networks that are too dense to look at count as connected.
pub(crate) fn is_connected(positions: &[(f64, f64)], radio: &RadioConfig, tx_power: impl Fn(NodeId) -> Watts) -> bool {
    graph(positions, radio, tx_power).is_none_or(|graph| graph.partitions().count() <= 1)
}

/// Links over which both ends receive each other; `None` if there are too many pairs to look at.
pub(crate) fn graph(
    positions: &[(f64, f64)],
    radio: &RadioConfig,
    tx_power: impl Fn(NodeId) -> Watts,
) -> Option<ReachGraph> {
    let loss = PathLoss::new(radio);
    let powers: Vec<Watts> = (0..positions.len() as u32).map(|node| tx_power(NodeId(node))).collect();
    let strongest = powers.iter().fold(0.0, |most: f64, power| most.max(power.0));
    let grid = Grid::new(positions, loss.range(Watts(strongest), radio.rx_threshold).0 + 1e-3);
    let mut pairs = 0;
    for &place in positions {
        grid.near(place, |_| pairs += 1);
        if pairs > MAX_PAIRS {
            return None;
        }
    }
    Some(ReachGraph::new(positions.len(), |node| {
        let (x, y) = positions[node.index()];
        let mut found = Vec::new();
        grid.near((x, y), |other| {
            let (ox, oy) = positions[other as usize];
            let metres = libm::sqrt((ox - x) * (ox - x) + (oy - y) * (oy - y));
            if loss.rx_power(powers[node.index()].0, metres) >= radio.rx_threshold.0 {
                found.push(NodeId(other));
            }
        });
        found
    }))
}

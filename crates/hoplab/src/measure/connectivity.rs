//! Connectivity samples: degree, connected pairs and flows, and hops of the network, which no protocol can change.

use super::view::RunView;
use crate::kernel::{NodeId, Span};
use crate::net::routing::ReachGraph;
use schemars::JsonSchema;
use serde::Serialize;

/// Connectivity averaged over the samples of a run: one at the end of the warm-up, and, if nodes move, one every ten
/// seconds after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NetworkReport {
    /// Number of samples.
    pub connectivity_samples: u64,
    /// Former name of `connectivity_samples`; deprecated.
    pub surveys: u64,
    /// Neighbors of a node: within reception range in both directions.
    pub degree_mean: Option<f64>,
    /// Share of the pairs of nodes that are connected by a path.
    pub connectivity_mean: Option<f64>,
    /// Share of the flows whose ends are connected by a path.
    pub flows_connected_mean: Option<f64>,
    /// Hops of the shortest path of a flow, over the flows and samples with a path.
    pub shortest_hops_mean: Option<f64>,
}

/// Sums over the samples so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Connectivity {
    samples: u64,
    degree: f64,
    connected_pairs: f64,
    flows: f64,
    paths: u64,
    hops: u64,
}

impl Connectivity {
    /// Time between two samples if nodes move.
    pub const INTERVAL: Span = Span::from_millis(10_000);

    /// Takes a sample. `receivers` are the nodes within reception range of each node; radios that are off are excluded
    /// here.
    pub fn sample(&mut self, run: &RunView<'_>, mut receivers: Vec<Vec<NodeId>>) {
        // The radios of a node are switched together.
        let is_off = |node: NodeId| run.medium.radio(run.ctx.radios.first(node)).is_off();
        for (node, list) in receivers.iter_mut().enumerate() {
            let is_silent = is_off(NodeId(node as u32));
            list.retain(|&other| !is_silent && !is_off(other));
        }
        let graph = ReachGraph::new(receivers.len(), |node| receivers[node.index()].iter().copied());
        let parts = graph.partitions();
        let nodes = graph.len() as f64;
        let connected: f64 = (0..parts.count()).map(|part| parts.size(part) as f64).map(|n| n * (n - 1.0)).sum();
        self.samples += 1;
        self.degree += graph.mean_degree();
        self.connected_pairs += if nodes > 1.0 { connected / (nodes * (nodes - 1.0)) } else { 1.0 };
        // Flows may take wires.
        let graph = match run.wires {
            None => graph,
            Some(wires) => graph.with(run.nets.len(), &wires.links()),
        };
        let paths: Vec<u32> = run.flows.iter().filter_map(|flow| graph.hops(flow.src, flow.dst)).collect();
        self.flows += paths.len() as f64 / run.flows.len().max(1) as f64;
        self.paths += paths.len() as u64;
        self.hops += paths.iter().map(|&hops| u64::from(hops)).sum::<u64>();
    }

    /// Means over the samples.
    pub fn report(&self) -> NetworkReport {
        let Connectivity { samples, degree, connected_pairs, flows, paths, hops } = *self;
        let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
        NetworkReport {
            connectivity_samples: samples,
            surveys: samples,
            degree_mean: mean(degree, samples),
            connectivity_mean: mean(connected_pairs, samples),
            flows_connected_mean: mean(flows, samples),
            shortest_hops_mean: mean(hops as f64, paths),
        }
    }
}

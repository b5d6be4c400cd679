//! How connected the network is, looked at from time to time: what no protocol can change.

use super::World;
use crate::kernel::{NodeId, Span, Time};
use crate::net::routing::ReachGraph;
use crate::sim::{Event, MeasureTimer};
use schemars::JsonSchema;
use serde::Serialize;

/// Who could reach whom, on average over the surveys of a run: one at the end of the warm-up, and, where nodes move,
/// one every ten seconds after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NetworkReport {
    /// How often this was looked at.
    pub surveys: u64,
    /// Nodes in reach of a node, in both directions.
    pub degree_mean: Option<f64>,
    /// Share of the pairs of nodes between which there was a path, of whatever length.
    pub connectivity_mean: Option<f64>,
    /// Share of the flows between whose ends there was a path.
    pub flows_connected_mean: Option<f64>,
    /// Hops of the shortest path of a flow, over the flows and surveys that had one.
    pub shortest_hops_mean: Option<f64>,
}

/// Sums over the surveys so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surveys {
    count: u64,
    degree: f64,
    connectivity: f64,
    flows: f64,
    paths: u64,
    hops: u64,
}

/// Time between two surveys of nodes that move.
const INTERVAL: Span = Span::from_millis(10_000);

impl World {
    pub(super) fn begin_surveys(&mut self, first: Time) {
        self.schedule_survey(first);
    }

    fn schedule_survey(&mut self, at: Time) {
        self.ctx.events.schedule(at, Event::Measure(MeasureTimer::Connectivity));
    }

    pub(super) fn survey(&mut self) {
        let now = self.ctx.now;
        let mut receivers = self.medium.neighbors(now);
        let is_off = |node: NodeId| self.medium.radio(node).is_off();
        for (node, list) in receivers.iter_mut().enumerate() {
            let is_deaf = is_off(NodeId(node as u32));
            list.retain(|&other| !is_deaf && !is_off(other));
        }
        let graph = ReachGraph::new(receivers.len(), |node| receivers[node.index()].iter().copied());
        let parts = graph.partitions();
        let nodes = graph.len() as f64;
        let connected: f64 = (0..parts.count()).map(|part| parts.size(part) as f64).map(|n| n * (n - 1.0)).sum();
        let sums = &mut self.surveys;
        sums.count += 1;
        sums.degree += graph.mean_degree();
        sums.connectivity += if nodes > 1.0 { connected / (nodes * (nodes - 1.0)) } else { 1.0 };
        let paths: Vec<u32> = self.flows.iter().filter_map(|flow| graph.hops(flow.src, flow.dst)).collect();
        sums.flows += paths.len() as f64 / self.flows.len().max(1) as f64;
        sums.paths += paths.len() as u64;
        sums.hops += paths.iter().map(|&hops| u64::from(hops)).sum::<u64>();
        if !self.medium.is_still() {
            self.schedule_survey(now + INTERVAL);
        }
    }

    pub(super) fn network_report(&self) -> NetworkReport {
        let Surveys { count, degree, connectivity, flows, paths, hops } = self.surveys;
        let mean = |sum: f64, count: u64| (count > 0).then(|| sum / count as f64);
        NetworkReport {
            surveys: count,
            degree_mean: mean(degree, count),
            connectivity_mean: mean(connectivity, count),
            flows_connected_mean: mean(flows, count),
            shortest_hops_mean: mean(hops as f64, paths),
        }
    }
}

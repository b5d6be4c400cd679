//! The links on which frames can be exchanged at the start of a run, by mean received power: warnings and facts use them.

use super::resolved::Resolved;
use crate::kernel::{NodeId, Radios, Watts};
use crate::net::routing::ReachGraph;
use crate::phy::propagation::PathLoss;
use crate::phy::{Grid, ListedReceiver, RadioConfig};

/// Pairs of near nodes that are examined; a network with more is too dense for a graph.
const MAX_PAIRS: u64 = 30_000_000;

impl Resolved {
    /// Links at the start of the run, wires included, the smaller number first; none if the network is too dense.
    pub fn links_at_start(&self) -> Vec<(NodeId, NodeId)> {
        let Some(graph) = self.graph() else { return Vec::new() };
        let ends = |a: NodeId| graph.neighbors(a).iter().map(move |&b| (a, b));
        (0..graph.len() as u32).map(NodeId).flat_map(ends).filter(|(a, b)| a < b).collect()
    }

    /// Links at the start of the run, wires included; `None` if the network is too dense.
    pub(super) fn graph(&self) -> Option<ReachGraph> {
        let radio = graph(&self.positions, &self.radio, &self.radios(), |node| self.tx_power_of(node))?;
        if self.wires.is_empty() {
            return Some(radio);
        }
        let links: Vec<_> = self.wires.iter().map(|wire| (wire.ends[0], wire.ends[1])).collect();
        Some(radio.with(self.nodes_and_hosts() as usize, &links))
    }
}

/// Whether every node has a path to every other. A network too dense for a graph counts as connected.
pub(crate) fn is_connected(
    positions: &[(f64, f64)],
    radio: &RadioConfig,
    radios: &Radios,
    tx_power: impl Fn(NodeId) -> Watts,
) -> bool {
    graph(positions, radio, radios, tx_power).is_none_or(|graph| graph.partitions().count() <= 1)
}

/// Links whose ends receive each other; `None` if the network is too dense.
pub(crate) fn graph(
    positions: &[(f64, f64)],
    radio: &RadioConfig,
    radios: &Radios,
    tx_power: impl Fn(NodeId) -> Watts,
) -> Option<ReachGraph> {
    if let Some(table) = radio.links.as_deref().filter(|_| radios.has_several()) {
        let read = |receiver: &&ListedReceiver| receiver.power >= radio.link_threshold();
        let of = |own| table.at_start(own).iter().filter(read).map(|receiver| receiver.radio).collect();
        let neighbors = radios.neighbors_of_nodes(radios.all().map(of).collect());
        return Some(ReachGraph::new(neighbors.len(), |node| neighbors[node.index()].iter().copied()));
    }
    if let Some(table) = &radio.links {
        let read = |node: NodeId| {
            let is_read = move |receiver: &&ListedReceiver| {
                receiver.power >= radio.link_threshold() && radios.are_joined(node, radios.owner(receiver.radio))
            };
            table.at_start(radios.first(node)).iter().filter(is_read).map(|receiver| radios.owner(receiver.radio))
        };
        return Some(ReachGraph::new(table.radios(), read));
    }
    let loss = PathLoss::new(radio);
    let powers: Vec<Watts> = (0..positions.len() as u32).map(|node| tx_power(NodeId(node))).collect();
    let strongest = powers.iter().fold(0.0, |most: f64, power| most.max(power.0));
    let grid = Grid::new(positions, loss.range(Watts(strongest), Watts(radio.link_threshold())).0 + 1e-3);
    let mut pairs = 0;
    for &place in positions {
        grid.near(place, |_| pairs += 1);
        if pairs > MAX_PAIRS {
            return None;
        }
    }
    Some(ReachGraph::new(positions.len(), |node| {
        let (x, y) = positions[node.index()];
        let mut neighbors = Vec::new();
        grid.near((x, y), |other| {
            let (ox, oy) = positions[other as usize];
            let flat = libm::sqrt((ox - x) * (ox - x) + (oy - y) * (oy - y));
            let heights = radio.heights.as_deref();
            let metres =
                heights.map_or(flat, |heights| libm::hypot(flat, heights[node.index()] - heights[other as usize]));
            let is_link = loss.rx_power(powers[node.index()].0, metres) >= radio.link_threshold();
            if is_link && radios.are_joined(node, NodeId(other)) {
                neighbors.push(NodeId(other));
            }
        });
        neighbors
    }))
}

//! A mesh of nodes with several radios, for any routing protocol.

use hoplab::kernel::{NodeId, RadioId, Radios};
use hoplab::net::routing::ReachGraph;
use std::collections::BTreeSet;

/// Nodes of a grid of four by three, neighbors in rows, columns and diagonals, with one to three radios.
pub(crate) struct Mesh {
    /// Channels of each node.
    pub(crate) channels: Vec<Vec<u16>>,
    /// Links of radios: those of neighbors on one channel.
    pub(crate) links: Vec<(u32, u32)>,
    /// By pair of nodes: hops of the shortest path.
    hops: Vec<Vec<Option<u16>>>,
}

impl Mesh {
    /// A mesh whose channels follow from a number.
    pub(crate) fn new(number: usize) -> Mesh {
        let lists: [&[u16]; 6] = [&[36, 40], &[40, 44], &[36], &[44, 36, 40], &[44], &[40, 36]];
        let channels: Vec<Vec<u16>> =
            (0..12).map(|node| lists[(5 * node + number * (node + 1)) % 6].to_vec()).collect();
        let radios = Radios::new(channels.iter().map(Vec::as_slice));
        let is_near = |a: u32, b: u32| a != b && (a % 4).abs_diff(b % 4) <= 1 && (a / 4).abs_diff(b / 4) <= 1;
        let joined = |a: RadioId, b: RadioId| {
            a < b && radios.channel(a) == radios.channel(b) && is_near(radios.owner(a).0, radios.owner(b).0)
        };
        let pairs = radios.all().flat_map(|a| radios.all().map(move |b| (a, b)));
        let links: Vec<(u32, u32)> = pairs.filter(|&(a, b)| joined(a, b)).map(|(a, b)| (a.0, b.0)).collect();
        let of_nodes = links.iter().map(|&(a, b)| [a, b].map(|radio| radios.owner(RadioId(radio)).0));
        let of_nodes: BTreeSet<(u32, u32)> = of_nodes.flat_map(|[a, b]| [(a, b), (b, a)]).collect();
        let graph = ReachGraph::new(12, |node| {
            (0..12).map(NodeId).filter(|other| of_nodes.contains(&(node.0, other.0))).collect::<Vec<_>>()
        });
        let hops = |from| (0..12).map(|to| graph.hops(NodeId(from), NodeId(to)).map(|hops| hops as u16)).collect();
        let hops = (0..12).map(hops).collect();
        Mesh { channels, links, hops }
    }

    /// Channels as lists to borrow.
    pub(crate) fn lists(&self) -> Vec<&[u16]> {
        self.channels.iter().map(Vec::as_slice).collect()
    }

    /// Pairs of different nodes with a path, and its hops.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32, Option<u16>)> {
        (0..12)
            .flat_map(|from| (0..12).map(move |to| (from, to)))
            .filter(|(from, to)| from != to)
            .map(|(from, to)| (from, to, self.hops[from as usize][to as usize]))
    }
}

//! The trait of generators of pairs: the end points of generated flows.

use crate::kernel::{NodeId, RandomStream};

/// A generator of pairs of end points.
pub(super) trait Generator {
    /// Effect of fewer pairs than requested.
    const SHORTFALL: Shortfall;

    /// Pairs of different nodes; possibly fewer than requested.
    fn pairs(draw: &mut Draw<'_>) -> Vec<(NodeId, NodeId)>;
}

/// What pairs are drawn from.
pub(crate) struct Draw<'d> {
    /// Nodes that may be end points, numbered from 0; at least 2.
    pub(crate) nodes: u32,
    /// Number of requested pairs.
    pub(crate) connections: u32,
    /// Pairs that a node may be in, for generators that limit them.
    pub(crate) max_flows_per_node: u32,
    /// Fewest hops between the nodes of a pair.
    pub(crate) min_hops: u32,
    pub(crate) stream: &'d mut RandomStream,
    /// Hops of the shortest path at the start of the run.
    pub(crate) hops: &'d dyn Fn(NodeId, NodeId) -> Option<u32>,
}

/// Effect of fewer pairs than requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shortfall {
    /// The scenario is refused.
    Refuse,
    /// A warning gives the number.
    Warn,
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Draw, Generator};
    use crate::kernel::{NodeId, Purpose, RandomStreams};

    /// Pairs of a network in which the distance of two nodes is the difference of their numbers.
    pub(in super::super) fn drawn<G: Generator>(
        nodes: u32,
        connections: u32,
        min_hops: u32,
        seed: u64,
    ) -> Vec<(NodeId, NodeId)> {
        let mut stream = RandomStreams::new(seed).stream(Purpose::Pairs, 0);
        let hops = |src: NodeId, dst: NodeId| Some(src.0.abs_diff(dst.0));
        let max_flows_per_node = 1;
        G::pairs(&mut Draw { nodes, connections, max_flows_per_node, min_hops, stream: &mut stream, hops: &hops })
    }
}

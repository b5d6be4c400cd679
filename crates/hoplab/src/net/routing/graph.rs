//! The graph of nodes in reception range of each other: hops, and the connected components of a network. Static routing,
//! topologies and connectivity samples use it.

use crate::kernel::NodeId;
use std::collections::VecDeque;

/// Links of a network, as lists of neighbors. A link needs reception in both directions, as a unicast frame has a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachGraph {
    starts: Vec<u32>,
    neighbors: Vec<NodeId>,
    /// Links, in both directions, that are preferred where paths are equally long, sorted.
    preferred: Vec<(NodeId, NodeId)>,
}

/// The connected parts of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitions {
    of: Vec<u32>,
    sizes: Vec<u32>,
}

/// Distances from one node. Its memory serves many searches: a round number replaces clearing.
#[derive(Debug)]
pub(super) struct Search {
    round: u32,
    seen: Vec<(u32, u32)>,
    queue: VecDeque<NodeId>,
}

impl ReachGraph {
    /// The graph of `nodes` nodes; `receivers` lists the nodes in reception range of a node, in any order.
    pub fn new<I>(nodes: usize, receivers: impl Fn(NodeId) -> I) -> ReachGraph
    where
        I: IntoIterator<Item = NodeId>,
    {
        let empty =
            || ReachGraph { starts: Vec::with_capacity(nodes + 1), neighbors: Vec::new(), preferred: Vec::new() };
        let mut links = empty();
        links.starts.push(0);
        for node in 0..nodes as u32 {
            let first = links.neighbors.len();
            links.neighbors.extend(receivers(NodeId(node)).into_iter().filter(|&other| other != NodeId(node)));
            links.neighbors[first..].sort_unstable();
            links.starts.push(links.neighbors.len() as u32);
        }
        let mut graph = empty();
        graph.starts.push(0);
        for node in (0..nodes as u32).map(NodeId) {
            let both =
                links.neighbors(node).iter().filter(|&&other| links.neighbors(other).binary_search(&node).is_ok());
            graph.neighbors.extend(both);
            graph.starts.push(graph.neighbors.len() as u32);
        }
        graph
    }

    /// The graph of these links and of `links` more, which are preferred where paths are equally long; `nodes` nodes in all.
    #[must_use]
    pub fn with(&self, nodes: usize, links: &[(NodeId, NodeId)]) -> ReachGraph {
        let mut preferred: Vec<_> = links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
        preferred.sort_unstable();
        preferred.dedup();
        let of = |node: NodeId| {
            let first = preferred.partition_point(|&(from, _)| from < node);
            preferred[first..].iter().take_while(move |&&(from, _)| from == node).map(|&(_, to)| to)
        };
        let known = |node: NodeId| if node.index() < self.len() { self.neighbors(node) } else { &[] };
        let around = |node: NodeId| {
            let others = known(node).iter().copied().filter(|other| of(node).all(|to| to != *other));
            others.chain(of(node)).collect::<Vec<_>>()
        };
        let graph = ReachGraph::new(nodes, around);
        ReachGraph { preferred, ..graph }
    }

    /// The graph without these links, in either direction.
    #[must_use]
    pub fn without(&self, links: &[(NodeId, NodeId)]) -> ReachGraph {
        let is_left = |a, b| !links.contains(&(a, b)) && !links.contains(&(b, a));
        let graph = ReachGraph::new(self.len(), |node| {
            self.neighbors(node).iter().copied().filter(|&other| is_left(node, other)).collect::<Vec<_>>()
        });
        ReachGraph { preferred: self.preferred.clone(), ..graph }
    }

    /// The first neighbor of a node that satisfies `is_near`, preferred ones before the others.
    pub(super) fn first_neighbor(&self, node: NodeId, is_near: impl Fn(NodeId) -> bool) -> Option<NodeId> {
        let mut near = self.neighbors(node).iter().copied().filter(|&other| is_near(other));
        if self.preferred.is_empty() {
            return near.next();
        }
        near.min_by_key(|&other| self.preferred.binary_search(&(node, other)).is_err())
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Neighbors of a node, by number.
    pub fn neighbors(&self, node: NodeId) -> &[NodeId] {
        &self.neighbors[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }

    /// Mean number of neighbors.
    pub fn mean_degree(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.neighbors.len() as f64 / self.len() as f64 }
    }

    /// Hops of the shortest path, if there is a path.
    pub fn hops(&self, src: NodeId, dst: NodeId) -> Option<u32> {
        let mut search = Search::new(self.len());
        search.run(self, dst, &[src]);
        search.distance(src)
    }

    /// The connected parts, numbered in the order of their lowest node.
    pub fn partitions(&self) -> Partitions {
        let mut of = vec![u32::MAX; self.len()];
        let mut sizes = Vec::new();
        let mut stack = Vec::new();
        for first in (0..self.len() as u32).map(NodeId) {
            if of[first.index()] != u32::MAX {
                continue;
            }
            let part = sizes.len() as u32;
            let mut size = 1;
            of[first.index()] = part;
            stack.push(first);
            while let Some(node) = stack.pop() {
                for &next in self.neighbors(node) {
                    if of[next.index()] == u32::MAX {
                        of[next.index()] = part;
                        size += 1;
                        stack.push(next);
                    }
                }
            }
            sizes.push(size);
        }
        Partitions { of, sizes }
    }
}

impl Partitions {
    /// Number of parts.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The part of a node.
    pub fn part_of(&self, node: NodeId) -> usize {
        self.of[node.index()] as usize
    }

    /// Number of nodes of a part.
    pub fn size(&self, part: usize) -> usize {
        self.sizes[part] as usize
    }

    /// Nodes of a part, by number.
    pub fn members(&self, part: usize) -> impl Iterator<Item = NodeId> {
        let numbered = self.of.iter().enumerate();
        numbered.filter(move |&(_, &of)| of as usize == part).map(|(node, _)| NodeId(node as u32))
    }

    /// Whether there is a path between two nodes.
    pub fn are_connected(&self, a: NodeId, b: NodeId) -> bool {
        self.part_of(a) == self.part_of(b)
    }
}

impl Search {
    pub(super) fn new(nodes: usize) -> Search {
        Search { round: 0, seen: vec![(0, 0); nodes], queue: VecDeque::new() }
    }

    /// Finds the distances from `from`, nearest first, until all of `wanted` have one. Then every node that is nearer than the
    /// farthest of them has one, too.
    pub(super) fn run(&mut self, graph: &ReachGraph, from: NodeId, wanted: &[NodeId]) {
        self.round += 1;
        self.queue.clear();
        self.reach(from, 0);
        let mut missing = wanted.iter().filter(|&&node| self.distance(node).is_none()).count();
        while missing > 0 {
            let Some(node) = self.queue.pop_front() else { return };
            let hops = self.seen[node.index()].1 + 1;
            for &next in graph.neighbors(node) {
                if self.distance(next).is_none() {
                    self.reach(next, hops);
                    missing -= wanted.iter().filter(|&&node| node == next).count();
                }
            }
        }
    }

    /// Hops from the start of the last search, if that went so far.
    pub(super) fn distance(&self, node: NodeId) -> Option<u32> {
        let (round, hops) = self.seen[node.index()];
        (round == self.round).then_some(hops)
    }

    fn reach(&mut self, node: NodeId, hops: u32) {
        self.seen[node.index()] = (self.round, hops);
        self.queue.push_back(node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(nodes: u32) -> ReachGraph {
        ReachGraph::new(nodes as usize, |node| {
            [node.0.wrapping_sub(1), node.0 + 1].into_iter().filter(move |&n| n < nodes).map(NodeId)
        })
    }

    #[test]
    fn hops_along_a_chain() {
        let graph = chain(9);
        assert_eq!(graph.hops(NodeId(0), NodeId(8)), Some(8));
        assert_eq!(graph.hops(NodeId(3), NodeId(3)), Some(0));
        assert_eq!(graph.neighbors(NodeId(4)), [NodeId(3), NodeId(5)]);
        assert!((graph.mean_degree() - 16.0 / 9.0).abs() < 1e-12);
    }

    #[test]
    fn link_needs_reception_in_both_directions() {
        // 1 receives 0, but 0 does not receive 1.
        let links = [vec![NodeId(1)], vec![NodeId(2)], vec![NodeId(1)]];
        let graph = ReachGraph::new(3, |node| links[node.index()].clone());
        assert_eq!(graph.hops(NodeId(0), NodeId(1)), None);
        assert_eq!(graph.hops(NodeId(2), NodeId(1)), Some(1));
    }

    #[test]
    fn parts_are_numbered_by_their_lowest_node() {
        let graph = ReachGraph::new(5, |node| match node.0 {
            0 => vec![NodeId(3)],
            3 => vec![NodeId(0)],
            1 => vec![NodeId(4)],
            4 => vec![NodeId(1)],
            _ => vec![],
        });
        let parts = graph.partitions();
        assert_eq!(parts.count(), 3);
        assert_eq!(parts.members(0).collect::<Vec<_>>(), [NodeId(0), NodeId(3)]);
        assert_eq!((parts.part_of(NodeId(4)), parts.size(1)), (1, 2));
        assert!(parts.are_connected(NodeId(1), NodeId(4)) && !parts.are_connected(NodeId(0), NodeId(2)));
        assert_eq!(chain(5).partitions().count(), 1);
    }
}

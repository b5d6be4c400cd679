//! Shortest paths by breadth-first search, as one table of next hops per node.

use crate::kernel::NodeId;
use crate::net::routing::graph::{ReachGraph, Search};

/// Next hops of one node, by destination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticTable {
    /// Destination, neighbor, hops.
    routes: Vec<(NodeId, NodeId, u16)>,
}

/// One table per node with the shortest paths of `pairs` in both directions, where there are any. Of equal paths, the one
/// through the neighbor with the lowest number counts.
///
/// Time and memory grow with the nodes that are nearer than the destination, not with the network: thousands of one-hop pairs
/// among 10,000 nodes take milliseconds.
pub fn paths(graph: &ReachGraph, pairs: &[(NodeId, NodeId)]) -> Vec<StaticTable> {
    let mut tables = vec![StaticTable::default(); graph.len()];
    let mut by_destination: Vec<(NodeId, NodeId)> = pairs.iter().flat_map(|&(a, b)| [(b, a), (a, b)]).collect();
    by_destination.sort_unstable();
    by_destination.dedup();
    let mut search = Search::new(graph.len());
    let mut sources = Vec::new();
    for group in by_destination.chunk_by(|a, b| a.0 == b.0) {
        let dst = group[0].0;
        sources.clear();
        sources.extend(group.iter().map(|&(_, src)| src));
        search.run(graph, dst, &sources);
        for &src in &sources {
            follow(graph, &search, &mut tables, src, dst);
        }
    }
    tables
}

/// Adds the path from `src` to `dst`, where the search began, up to the first node that has the route.
fn follow(graph: &ReachGraph, search: &Search, tables: &mut [StaticTable], src: NodeId, dst: NodeId) {
    let Some(mut hops) = search.distance(src) else { return };
    let mut node = src;
    while hops > 0 {
        let left = u16::try_from(hops).unwrap_or(u16::MAX);
        hops -= 1;
        let nearer = |neighbor| search.distance(neighbor) == Some(hops);
        let next_hop = graph.first_neighbor(node, nearer).expect("a node at a distance has a neighbor one hop nearer");
        if !tables[node.index()].insert(dst, next_hop, left) {
            return;
        }
        node = next_hop;
    }
}

impl StaticTable {
    /// Next hop to `dst`.
    pub fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        let index = self.routes.binary_search_by_key(&dst, |&(dst, ..)| dst).ok()?;
        Some(self.routes[index].1)
    }

    /// Hops to `dst`.
    pub fn hops(&self, dst: NodeId) -> Option<u16> {
        let index = self.routes.binary_search_by_key(&dst, |&(dst, ..)| dst).ok()?;
        Some(self.routes[index].2)
    }

    /// Number of routes.
    pub fn len(&self) -> usize {
        self.routes.len()
    }

    /// Whether it has no route.
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// Adds a route unless there is one. Returns whether it was added.
    fn insert(&mut self, dst: NodeId, next_hop: NodeId, hops: u16) -> bool {
        match self.routes.binary_search_by_key(&dst, |&(dst, ..)| dst) {
            Ok(_) => false,
            Err(index) => {
                self.routes.insert(index, (dst, next_hop, hops));
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A grid of `columns` by `rows`, numbered row by row; each node has up to four neighbors.
    fn grid(columns: u32, rows: u32) -> ReachGraph {
        ReachGraph::new((columns * rows) as usize, move |node| {
            let (x, y) = (node.0 % columns, node.0 / columns);
            let around = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
            around.into_iter().filter(move |&(x, y)| x < columns && y < rows).map(move |(x, y)| NodeId(y * columns + x))
        })
    }

    fn path(tables: &[StaticTable], src: NodeId, dst: NodeId) -> Vec<u32> {
        let mut nodes = vec![src.0];
        let mut node = src;
        while node != dst {
            node = tables[node.index()].next_hop(dst).expect("a route on the path");
            nodes.push(node.0);
            assert!(nodes.len() <= tables.len(), "a loop: {nodes:?}");
        }
        nodes
    }

    #[test]
    fn equal_paths_use_the_lowest_next_hop() {
        let tables = paths(&grid(3, 3), &[(NodeId(0), NodeId(8))]);
        assert_eq!(path(&tables, NodeId(0), NodeId(8)), [0, 1, 2, 5, 8]);
        assert_eq!(path(&tables, NodeId(8), NodeId(0)), [8, 5, 2, 1, 0]);
    }

    #[test]
    fn only_nodes_on_a_path_have_routes() {
        let tables = paths(&grid(3, 3), &[(NodeId(0), NodeId(2))]);
        let known: Vec<usize> = tables.iter().map(StaticTable::len).collect();
        assert_eq!(known, [1, 2, 1, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn unconnected_pair_has_no_route() {
        let graph = ReachGraph::new(3, |node| if node.0 < 2 { vec![NodeId(1 - node.0)] } else { vec![] });
        let tables = paths(&graph, &[(NodeId(0), NodeId(2)), (NodeId(0), NodeId(0))]);
        assert!(tables.iter().all(StaticTable::is_empty));
    }

    #[test]
    fn one_hop_pairs_give_one_route_per_node() {
        let pairs: Vec<_> = (0..5_000).map(|i| (NodeId(2 * i), NodeId(2 * i + 1))).collect();
        let tables = paths(&grid(100, 100), &pairs);
        assert!(tables.iter().all(|table| table.len() == 1));
    }

    proptest! {
        #[test]
        fn paths_are_shortest(
            links in proptest::collection::vec((0u32..12, 0u32..12), 0..40),
            pairs in proptest::collection::vec((0u32..12, 0u32..12), 1..6),
        ) {
            let graph = ReachGraph::new(12, |node| {
                let out = links.iter().filter_map(move |&(a, b)| match node.0 {
                    n if n == a => Some(NodeId(b)),
                    n if n == b => Some(NodeId(a)),
                    _ => None,
                });
                out.collect::<std::collections::BTreeSet<_>>()
            });
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (NodeId(a), NodeId(b))).collect();
            let tables = paths(&graph, &pairs);
            let parts = graph.partitions();
            for (src, dst) in pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]) {
                match graph.hops(src, dst) {
                    Some(hops) => prop_assert_eq!(path(&tables, src, dst).len(), hops as usize + 1),
                    None => prop_assert!(!parts.are_connected(src, dst)),
                }
            }
        }
    }
}

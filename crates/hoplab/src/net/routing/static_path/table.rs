//! Shortest paths by breadth-first search, as one table of next hops per node.

use crate::kernel::NodeId;
use crate::net::routing::graph::{ReachGraph, Search};
use std::collections::BTreeSet;

/// Next hops of one node, by destination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticTable {
    /// Destination, neighbor, hops.
    routes: Vec<(NodeId, NodeId, u16)>,
}

/// What static paths are found from, beside the links.
#[derive(Default)]
pub struct PathRules<'a> {
    /// Hosts, each with the links that no path from or to it takes.
    pub barred: Vec<(NodeId, Vec<(NodeId, NodeId)>)>,
    /// Expected transmissions between two neighbors, if paths are shortest by them: positive. Neighbors that are not linked have
    /// infinitely many.
    pub etx: Option<Box<dyn Fn(NodeId, NodeId) -> f64 + 'a>>,
}

/// One table per node with the shortest paths of `pairs` in both directions, by hops or by expected transmissions.
pub fn routes(graph: &ReachGraph, pairs: &[(NodeId, NodeId)], rules: &PathRules<'_>) -> Vec<StaticTable> {
    let mut tables = vec![StaticTable::default(); graph.len()];
    let mut add = |graph: &ReachGraph, pairs: &[(NodeId, NodeId)]| match &rules.etx {
        Some(etx) => add_paths_by(&mut tables, graph, pairs, etx),
        None => add_paths(&mut tables, graph, pairs),
    };
    if rules.barred.is_empty() {
        add(graph, pairs);
        return tables;
    }
    let rule = |&(a, b): &(NodeId, NodeId)| rules.barred.iter().position(|(host, _)| *host == a || *host == b);
    for (place, (_, links)) in rules.barred.iter().enumerate() {
        let own: Vec<_> = pairs.iter().copied().filter(|pair| rule(pair) == Some(place)).collect();
        add(&graph.without(links), &own);
    }
    let others: Vec<_> = pairs.iter().copied().filter(|pair| rule(pair).is_none()).collect();
    add(graph, &others);
    tables
}

/// One table per node with the shortest paths of `pairs` in both directions, where there are any. Of equal paths, the one
/// through the neighbor with the lowest number counts.
///
/// Time and memory grow with the nodes that are nearer than the destination, not with the network: thousands of one-hop pairs
/// among 10,000 nodes take milliseconds.
pub fn paths(graph: &ReachGraph, pairs: &[(NodeId, NodeId)]) -> Vec<StaticTable> {
    let mut tables = vec![StaticTable::default(); graph.len()];
    add_paths(&mut tables, graph, pairs);
    tables
}

/// Adds [`paths`] to tables. A path ends at a node that has a route already.
fn add_paths(tables: &mut [StaticTable], graph: &ReachGraph, pairs: &[(NodeId, NodeId)]) {
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
            follow(graph, &search, tables, src, dst);
        }
    }
}

/// Adds [`paths`] of least sum of `cost`, which is positive (Dijkstra 1959). Links of infinite cost are
/// not used.
fn add_paths_by(
    tables: &mut [StaticTable],
    graph: &ReachGraph,
    pairs: &[(NodeId, NodeId)],
    cost: impl Fn(NodeId, NodeId) -> f64,
) {
    let mut ends: Vec<(NodeId, NodeId)> = pairs.iter().flat_map(|&(a, b)| [(b, a), (a, b)]).collect();
    ends.sort_unstable();
    ends.dedup();
    for group in ends.chunk_by(|a, b| a.0 == b.0) {
        let dst = group[0].0;
        let from = distances(graph, dst, &cost);
        // The next hop and the hops to go of each node on the way.
        let next = |node: NodeId| {
            let near = graph.neighbors(node).iter().copied();
            let through = near.map(|other| (from[other.index()] + cost(node, other), other));
            through.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, other)| other)
        };
        for &(_, src) in group.iter().filter(|&&(_, src)| from[src.index()].is_finite() && src != dst) {
            let mut path = vec![src];
            while let Some(other) = next(path[path.len() - 1]) {
                path.push(other);
                if other == dst {
                    break;
                }
            }
            for (i, pair) in path.windows(2).enumerate() {
                let left = u16::try_from(path.len() - 1 - i).unwrap_or(u16::MAX);
                if !tables[pair[0].index()].insert(dst, pair[1], left) {
                    break;
                }
            }
        }
    }
}

/// Cost of the cheapest path from each node to `dst`.
fn distances(graph: &ReachGraph, dst: NodeId, cost: &impl Fn(NodeId, NodeId) -> f64) -> Vec<f64> {
    let mut from = vec![f64::INFINITY; graph.len()];
    from[dst.index()] = 0.0;
    // Costs are positive, so that their bits are in their order.
    let mut open = BTreeSet::from([(0_u64, dst)]);
    while let Some((bits, node)) = open.pop_first() {
        let here = f64::from_bits(bits);
        for &other in graph.neighbors(node) {
            let there = here + cost(other, node);
            let known = from[other.index()];
            if there < known {
                open.remove(&(known.to_bits(), other));
                from[other.index()] = there;
                open.insert((there.to_bits(), other));
            }
        }
    }
    from
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

    fn paths_by(
        graph: &ReachGraph,
        pairs: &[(NodeId, NodeId)],
        cost: impl Fn(NodeId, NodeId) -> f64,
    ) -> Vec<StaticTable> {
        let mut tables = vec![StaticTable::default(); graph.len()];
        add_paths_by(&mut tables, graph, pairs, cost);
        tables
    }

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

    #[test]
    fn cheaper_detour_is_taken_and_dead_link_is_not() {
        // 0 - 1 - 2 on the top row of a grid of 3 by 2, 3 - 4 - 5 below.
        let costs = [((0, 1), 1.0), ((1, 2), 4.0), ((0, 3), 1.0), ((3, 4), 1.0), ((4, 5), 1.0), ((2, 5), 1.0)];
        let cost = |a: NodeId, b: NodeId| {
            let of = |pair: (u32, u32)| costs.iter().find(|(ends, _)| *ends == pair).map(|&(_, cost)| cost);
            of((a.0.min(b.0), a.0.max(b.0))).unwrap_or(f64::INFINITY)
        };
        let tables = paths_by(&grid(3, 2), &[(NodeId(0), NodeId(2)), (NodeId(1), NodeId(4))], cost);
        assert_eq!(path(&tables, NodeId(0), NodeId(2)), [0, 3, 4, 5, 2]);
        assert_eq!(tables[0].hops(NodeId(2)), Some(4));
        assert_eq!(path(&tables, NodeId(1), NodeId(4)), [1, 0, 3, 4]);
    }

    /// A graph of twelve nodes with these links, in both directions.
    fn twelve_nodes(links: &[(u32, u32)]) -> ReachGraph {
        ReachGraph::new(12, |node| {
            let out = links.iter().filter_map(move |&(a, b)| match node.0 {
                n if n == a => Some(NodeId(b)),
                n if n == b => Some(NodeId(a)),
                _ => None,
            });
            out.collect::<std::collections::BTreeSet<_>>()
        })
    }

    proptest! {
        #[test]
        fn equal_costs_give_the_paths_by_hops(
            links in proptest::collection::vec((0u32..12, 0u32..12), 0..40),
            pairs in proptest::collection::vec((0u32..12, 0u32..12), 1..6),
        ) {
            let graph = twelve_nodes(&links);
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (NodeId(a), NodeId(b))).collect();
            prop_assert_eq!(paths_by(&graph, &pairs, |_, _| 1.0), paths(&graph, &pairs));
        }

        #[test]
        fn paths_are_shortest(
            links in proptest::collection::vec((0u32..12, 0u32..12), 0..40),
            pairs in proptest::collection::vec((0u32..12, 0u32..12), 1..6),
        ) {
            let graph = twelve_nodes(&links);
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

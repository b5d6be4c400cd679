//! Static shortest paths, known from the start.
//!
//! # Model
//! Before the run, the shortest path by hops of every pair that will talk is found on the graph of nodes that receive
//! each other. A relay passes a packet to the neighbor its table names. A frame that the MAC gives up is dropped.
//!
//! # Source
//! Breadth-first search; stands for ns-2's DSDV with its updates stopped once it has converged, which ignores link
//! failures as well.
//!
//! # Deviations
//! Ties go to the neighbor with the lowest number; DSDV keeps what it heard first. No bytes are added to TCP packets
//! unless `extra_bytes` says so. Packets may travel 255 hops.
//!
//! # Parameters
//! | name | unit | default | source |
//! | --- | --- | --- | --- |
//! | `extra_bytes` | bytes | 0 | 20 reproduces ns-2's DSDV |
//! | `udp_header` | bytes | 20 | IP header, as ns-2 |

use super::config::SourceBytes;
use super::graph::{ReachGraph, Search};
use super::{RouteCtx, RouteOut, Routing};
use crate::kernel::{NodeId, Span};
use crate::packet::{PacketId, Payload};
use crate::sim::RoutingTimer;
use crate::trace::DropReason;

/// Static routing at one node.
#[derive(Clone, Debug)]
pub struct StaticPath {
    table: StaticTable,
    bytes: SourceBytes,
}

/// Next hops of one node, by destination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticTable {
    /// Destination, neighbor, hops.
    routes: Vec<(NodeId, NodeId, u16)>,
}

impl StaticPath {
    /// Routing by this table.
    pub fn new(table: StaticTable, bytes: SourceBytes) -> StaticPath {
        StaticPath { table, bytes }
    }

    /// Hops to `dst`.
    pub fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.table.hops(dst)
    }

    /// Bytes added at the source to a packet with this payload.
    pub fn extra_bytes(&self, payload: &Payload) -> u32 {
        self.bytes.of(payload)
    }
}

/// One table per node with the paths of `pairs`, both ways. Pairs without a path get none.
///
/// Work and memory grow with what lies nearer than the far end, not with the network: thousands of one-hop pairs among
/// 10,000 nodes are a matter of milliseconds.
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

/// Enters the path from `src` down to where the search began, as far as it is not in the tables yet.
fn follow(graph: &ReachGraph, search: &Search, tables: &mut [StaticTable], src: NodeId, dst: NodeId) {
    let Some(mut hops) = search.distance(src) else { return };
    let mut node = src;
    while hops > 0 {
        let left = u16::try_from(hops).unwrap_or(u16::MAX);
        hops -= 1;
        let nearer = |&&neighbor: &&NodeId| search.distance(neighbor) == Some(hops);
        let next_hop = *graph.neighbors(node).iter().find(nearer).expect("a node at a level has a neighbor one below");
        if !tables[node.index()].insert(dst, next_hop, left) {
            return;
        }
        node = next_hop;
    }
}

impl StaticTable {
    /// The neighbor that packets for `dst` go to.
    pub fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        let place = self.routes.binary_search_by_key(&dst, |&(dst, ..)| dst).ok()?;
        Some(self.routes[place].1)
    }

    /// Hops to `dst`.
    pub fn hops(&self, dst: NodeId) -> Option<u16> {
        let place = self.routes.binary_search_by_key(&dst, |&(dst, ..)| dst).ok()?;
        Some(self.routes[place].2)
    }

    /// Number of destinations.
    pub fn len(&self) -> usize {
        self.routes.len()
    }

    /// Whether it knows no destination.
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// Enters a route; whether it is a new one.
    fn insert(&mut self, dst: NodeId, next_hop: NodeId, hops: u16) -> bool {
        match self.routes.binary_search_by_key(&dst, |&(dst, ..)| dst) {
            Ok(_) => false,
            Err(place) => {
                self.routes.insert(place, (dst, next_hop, hops));
                true
            }
        }
    }
}

impl Routing for StaticPath {
    fn start(&mut self, _: &mut RouteCtx<'_>) {}

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let dst = cx.ctx.packet(packet).dst;
        let next_hop = if dst.is_broadcast() { Some(dst) } else { self.table.next_hop(dst) };
        match next_hop {
            Some(next_hop) => cx.out.push(RouteOut::Send { packet, next_hop, delay: Span::ZERO }),
            None => cx.ctx.drop(cx.node, packet, DropReason::NoRoute),
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, _: NodeId) {
        cx.ctx.consume(packet);
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, _: NodeId, reason: DropReason) {
        cx.ctx.drop(cx.node, packet, reason);
    }

    fn on_timer(&mut self, _: &mut RouteCtx<'_>, timer: RoutingTimer) {
        unreachable!("static routing sets no timer: {timer:?}");
    }

    fn waiting(&self) -> usize {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A grid of `columns` by `rows`, each node linked to up to four others, numbered row by row.
    fn grid(columns: u32, rows: u32) -> ReachGraph {
        ReachGraph::new((columns * rows) as usize, move |node| {
            let (x, y) = (node.0 % columns, node.0 / columns);
            let around = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
            around.into_iter().filter(move |&(x, y)| x < columns && y < rows).map(move |(x, y)| NodeId(y * columns + x))
        })
    }

    fn walk(tables: &[StaticTable], src: NodeId, dst: NodeId) -> Vec<u32> {
        let mut path = vec![src.0];
        let mut node = src;
        while node != dst {
            node = tables[node.index()].next_hop(dst).expect("a route on the path");
            path.push(node.0);
            assert!(path.len() <= tables.len(), "a loop: {path:?}");
        }
        path
    }

    #[test]
    fn ties_go_to_the_lowest_next_hop() {
        let tables = paths(&grid(3, 3), &[(NodeId(0), NodeId(8))]);
        assert_eq!(walk(&tables, NodeId(0), NodeId(8)), [0, 1, 2, 5, 8]);
        assert_eq!(walk(&tables, NodeId(8), NodeId(0)), [8, 5, 2, 1, 0]);
    }

    #[test]
    fn only_nodes_on_the_paths_know_them() {
        let tables = paths(&grid(3, 3), &[(NodeId(0), NodeId(2))]);
        let known: Vec<usize> = tables.iter().map(StaticTable::len).collect();
        assert_eq!(known, [1, 2, 1, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn no_path_no_route() {
        let graph = ReachGraph::new(3, |node| if node.0 < 2 { vec![NodeId(1 - node.0)] } else { vec![] });
        let tables = paths(&graph, &[(NodeId(0), NodeId(2)), (NodeId(0), NodeId(0))]);
        assert!(tables.iter().all(StaticTable::is_empty));
    }

    #[test]
    fn thousands_of_neighbors_among_ten_thousand_nodes() {
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
                    Some(hops) => prop_assert_eq!(walk(&tables, src, dst).len(), hops as usize + 1),
                    None => prop_assert!(!parts.are_connected(src, dst)),
                }
            }
        }
    }
}

//! Calculation of routes (RFC 3626 section 10): shortest paths over neighbors, nodes two hops away, and links of TC messages;
//! by hops, or by expected transmissions (Dijkstra 1959).

use super::config::{OlsrConfig, WILL_NEVER};
use super::neighborhood::neighbors::{Neighbor, Neighbors};
use super::quality::Cost;
use super::topology::{Originator, Topology};
use crate::kernel::{NodeId, RadioId, Radios, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OlsrRoute {
    /// Radio of the next hop.
    pub next_hop: RadioId,
    /// Hops to the destination.
    pub hops: u16,
}

/// Routes to all destinations, and memory for the next calculation.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Routes by node number.
    routes: Vec<OlsrRoute>,
    /// Routes of the calculation in progress.
    fresh: Vec<OlsrRoute>,
    /// Nodes that have a route, in the order in which they are visited: by hops those whose links are searched.
    queue: Vec<NodeId>,
    /// Routes in question with their costs, the cheapest first.
    open: BinaryHeap<Reverse<(Cost, u16, NodeId, RadioId)>>,
}

/// No route.
const NONE: OlsrRoute = OlsrRoute { next_hop: RadioId::BROADCAST, hops: 0 };

/// What routes are calculated from.
pub(super) struct View<'a> {
    pub(super) node: NodeId,
    pub(super) neighbors: &'a Neighbors,
    pub(super) topology: &'a Topology,
    pub(super) config: &'a OlsrConfig,
    pub(super) now: Time,
    pub(super) radios: &'a Radios,
}

impl View<'_> {
    /// The node of an address; `None` of a further radio of an unknown node, which is no destination.
    fn node_at(&self, address: RadioId) -> Option<NodeId> {
        self.radios.node_of_first(address)
    }
}

impl Table {
    /// The route to a destination, if there is one.
    #[inline]
    pub(super) fn get(&self, dst: NodeId) -> Option<OlsrRoute> {
        self.routes.get(dst.index()).copied().filter(|&route| route != NONE)
    }

    /// Whether a link that a node states may be part of shortest paths by hops. If not, the calculation reaches it after the
    /// route to its end is there, or never: it changes nothing.
    pub(super) fn may_use(&self, from: NodeId, to: NodeId) -> bool {
        let Some(route) = self.get(from).filter(|route| route.hops > 1) else { return false };
        self.get(to).is_none_or(|known| known.hops > route.hops)
    }

    /// Number of destinations with a route.
    pub(super) fn len(&self) -> usize {
        self.routes.iter().filter(|&&route| route != NONE).count()
    }

    /// Calculates all routes. `on_change` gets each destination whose next hop is another, with that hop; `None` without a route.
    pub(super) fn calculate(&mut self, view: &View<'_>, mut on_change: impl FnMut(NodeId, Option<RadioId>)) {
        self.fresh.clear();
        self.queue.clear();
        // The node itself is no destination.
        self.add(view.node, OlsrRoute { next_hop: view.radios.first(view.node), hops: 0 });
        if view.config.has_quality() {
            self.by_cost(view);
        } else {
            self.by_hops(view);
        }
        if view.config.has_quality() {
            self.add_hosts_by_cost(view.topology);
        } else {
            self.add_hosts(view.topology);
        }
        self.fresh[view.node.index()] = NONE;
        let length = self.fresh.len().max(self.routes.len());
        self.fresh.resize(length, NONE);
        self.routes.resize(length, NONE);
        std::mem::swap(&mut self.routes, &mut self.fresh);
        for (number, (route, before)) in self.routes.iter().zip(&self.fresh).enumerate() {
            if route.next_hop != before.next_hop {
                on_change(NodeId(number as u32), (*route != NONE).then_some(route.next_hop));
            }
        }
    }

    /// Adds a route unless there is one. Returns whether it was added.
    fn add(&mut self, dst: NodeId, route: OlsrRoute) -> bool {
        if self.fresh.len() <= dst.index() {
            self.fresh.resize(dst.index() + 1, NONE);
        }
        let is_new = self.fresh[dst.index()] == NONE;
        if is_new {
            self.fresh[dst.index()] = route;
        }
        is_new
    }

    fn by_hops(&mut self, view: &View<'_>) {
        // Of equal routes to nodes two hops away, those through willing neighbors and MPR selectors are preferred.
        let mut preferred: Vec<&Neighbor> = view.neighbors.iter().filter(|neighbor| neighbor.is_symmetric).collect();
        preferred.sort_by_key(|neighbor| Reverse((neighbor.willingness, neighbor.is_selector())));
        for neighbor in &preferred {
            if let Some(next_hop) = neighbor.first_radio() {
                self.add(neighbor.node, OlsrRoute { next_hop, hops: 1 });
            }
        }
        for neighbor in preferred.iter().filter(|neighbor| neighbor.willingness != WILL_NEVER) {
            let Some(next_hop) = neighbor.first_radio() else { continue };
            for node in neighbor.two_hop.iter().filter_map(|known| view.node_at(known.address)) {
                self.visit(node, OlsrRoute { next_hop, hops: 2 });
            }
        }
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            let OlsrRoute { next_hop, hops } = self.fresh[node.index()];
            let Some(links) = view.topology.get(node).and_then(Originator::links) else { continue };
            for link in &links.to {
                self.visit(link.to, OlsrRoute { next_hop, hops: hops.saturating_add(1) });
            }
        }
    }

    /// Adds a route, from whose destination the search goes on.
    fn visit(&mut self, dst: NodeId, route: OlsrRoute) {
        if self.add(dst, route) {
            self.queue.push(dst);
        }
    }

    fn by_cost(&mut self, view: &View<'_>) {
        for neighbor in view.neighbors.iter().filter(|neighbor| neighbor.is_symmetric) {
            if let Some(link) = neighbor.best_link(view.now, view.config)
                && let Some(cost) = link.cost(view.now, view.config)
            {
                self.open.push(Reverse((cost, 1, neighbor.node, link.radio)));
            }
        }
        while let Some(Reverse((cost, hops, node, next_hop))) = self.open.pop() {
            if !self.add(node, OlsrRoute { next_hop, hops }) {
                continue;
            }
            self.queue.push(node);
            let mut push = |to: NodeId, link: Option<Cost>| {
                if let Some(link) = link {
                    let route = (cost.saturating_add(link), hops.saturating_add(1), to, next_hop);
                    self.open.push(Reverse(route));
                }
            };
            if let Some(neighbor) = view.neighbors.get(node).filter(|neighbor| neighbor.is_symmetric) {
                if neighbor.willingness == WILL_NEVER {
                    continue;
                }
                let nodes = neighbor.two_hop.iter().filter_map(|to| Some((view.node_at(to.address)?, to.cost)));
                nodes.for_each(|(to, cost)| push(to, cost));
            }
            if let Some(links) = view.topology.get(node).and_then(Originator::links) {
                links.to.iter().for_each(|link| push(link.to, link.quality.cost()));
            }
        }
    }

    /// Routes to hosts: those to the gateway with the least cost, in whose order nodes were visited.
    fn add_hosts_by_cost(&mut self, topology: &Topology) {
        for at in 0..self.queue.len() {
            let gateway = self.queue[at];
            let OlsrRoute { next_hop, hops } = self.fresh[gateway.index()];
            for &host in topology.hosts_of(gateway).unwrap_or_default() {
                self.add(host, OlsrRoute { next_hop, hops: hops.saturating_add(1) });
            }
        }
    }

    /// Routes to hosts: those to the nearest of their gateways, of several to the one that was heard first.
    fn add_hosts(&mut self, topology: &Topology) {
        for (gateway, hosts) in topology.gateways() {
            let Some(&OlsrRoute { next_hop, hops }) = self.fresh.get(gateway.index()) else { continue };
            // Without a route, or this node itself.
            if hops == 0 {
                continue;
            }
            let route = OlsrRoute { next_hop, hops: hops.saturating_add(1) };
            for &host in hosts {
                if !self.add(host, route) && self.fresh[host.index()].hops > route.hops {
                    self.fresh[host.index()] = route;
                }
            }
        }
    }
}

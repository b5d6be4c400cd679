//! Routing at a node with wires: destinations behind wires by a table, all others by the routing protocol of the radio.

use super::protocol::{RouteCtx, RouteOut, Routing};
use super::static_path::StaticTable;
use crate::kernel::{NodeId, RadioId, Time};
use crate::packet::{Packet, PacketId};
use crate::sim::RoutingTimer;
use crate::trace::DropReason;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Routing at a host or a gateway.
#[derive(Debug)]
pub struct Wired {
    /// Nodes at the other ends of this node's wires, by number.
    ends: Vec<NodeId>,
    /// Next hops over wires.
    table: StaticTable,
    /// Where all other packets go.
    otherwise: Otherwise,
}

/// Where packets go that have no route over wires.
#[derive(Debug)]
pub enum Otherwise {
    /// To the routing protocol of the radio.
    Protocol(Box<dyn Routing + Send>),
    /// To a gateway of the host that they come from.
    Exits(Box<Exits>),
    /// Nowhere.
    Nowhere,
}

/// Where packets of hosts enter the radio network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entrances {
    /// Gateways of each host, in the order of the scenario.
    pub of: BTreeMap<NodeId, Vec<NodeId>>,
    /// Gateways of a host that has several, for packets to a node: the nearest to that node first.
    pub nearest: BTreeMap<(NodeId, NodeId), Vec<NodeId>>,
    /// When the radios of gateways are switched off, on, off, and so on.
    pub switches: BTreeMap<NodeId, Vec<Time>>,
}

/// The choice among gateways at a host.
///
/// A node answers by the gateway that a packet has come from, as a router with a table of connections does. Before that, and while
/// the radio of that gateway is off, packets take the nearest gateway whose radio is on.
#[derive(Debug)]
pub struct Exits {
    host: NodeId,
    entrances: Arc<Entrances>,
    /// Neighbor that the last packet has come from, by its source and destination.
    came: BTreeMap<(NodeId, NodeId), NodeId>,
}

impl Entrances {
    /// Whether the radio of a gateway is on.
    fn is_on(&self, gateway: NodeId, now: Time) -> bool {
        let switched = |times: &Vec<Time>| times.partition_point(|&at| at <= now);
        self.switches.get(&gateway).is_none_or(|times| switched(times).is_multiple_of(2))
    }
}

impl Exits {
    /// The choice at `host`, which has a gateway.
    pub fn new(host: NodeId, entrances: Arc<Entrances>) -> Exits {
        Exits { host, entrances, came: BTreeMap::new() }
    }

    /// A packet has arrived over a wire.
    fn on_wired(&mut self, src: NodeId, dst: NodeId, from: NodeId) {
        let is_host = |node| self.entrances.of.contains_key(node);
        if !is_host(&src) && self.entrances.of.get(&dst).is_some_and(|gateways| gateways.len() > 1) {
            self.came.insert((src, dst), from);
        }
    }

    /// Next hop of a packet.
    fn next_hop(&self, now: Time, table: &StaticTable, (src, dst): (NodeId, NodeId)) -> Option<NodeId> {
        let host = if self.entrances.of.contains_key(&src) { src } else { self.host };
        let gateways = self.entrances.of.get(&host)?;
        let gateways = self.entrances.nearest.get(&(host, dst)).unwrap_or(gateways);
        let is_on = |gateway: &NodeId| self.entrances.is_on(*gateway, now);
        if gateways.len() > 1
            && let Some(from) = self.came.get(&(dst, host)).filter(|from| is_on(from))
        {
            return Some(*from);
        }
        let first = gateways.iter().find(|gateway| is_on(gateway)).or(gateways.first())?;
        table.next_hop(*first)
    }
}

/// TTL of packets of hosts: their paths to gateways end.
const TTL: u8 = u8::MAX;

impl Wired {
    /// Routing at a node with wires to `ends`.
    pub fn new(ends: Vec<NodeId>, table: StaticTable, otherwise: Otherwise) -> Wired {
        Wired { ends, table, otherwise }
    }

    /// Passes an event to the protocol; what it sends to the other end of a wire takes the wire.
    fn pass(&mut self, cx: &mut RouteCtx<'_>, event: impl FnOnce(&mut (dyn Routing + Send), &mut RouteCtx<'_>)) {
        let Otherwise::Protocol(protocol) = &mut self.otherwise else { return };
        let first = cx.out.len();
        event(&mut **protocol, cx);
        for action in &mut cx.out[first..] {
            let (packet, next_hop) = match *action {
                RouteOut::Send { packet, next_hop, .. } => (packet, next_hop),
                RouteOut::SendTo { packet, radio, .. } => (packet, cx.ctx.radios.owner(radio)),
                RouteOut::Broadcast { .. }
                | RouteOut::Wire { .. }
                | RouteOut::Return { .. }
                | RouteOut::Purge { .. } => continue,
            };
            if self.ends.binary_search(&next_hop).is_ok() {
                *action = RouteOut::Wire { packet, next_hop };
            }
        }
    }
}

impl Routing for Wired {
    fn start(&mut self, cx: &mut RouteCtx<'_>) {
        self.pass(cx, |protocol, cx| protocol.start(cx));
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let &Packet { src, dst, .. } = cx.ctx.packet(packet);
        let next_hop = self.table.next_hop(dst);
        let next_hop = match (next_hop, &self.otherwise) {
            (None, Otherwise::Protocol(_)) => {
                self.pass(cx, |protocol, cx| protocol.on_packet(cx, packet));
                return;
            }
            (None, Otherwise::Exits(exits)) => exits.next_hop(cx.now(), &self.table, (src, dst)),
            (found, _) => found,
        };
        if let (Some(_), Otherwise::Protocol(protocol)) = (next_hop, &mut self.otherwise) {
            protocol.on_exit(cx, packet);
        }
        match next_hop {
            Some(next_hop) => cx.out.push(RouteOut::Wire { packet, next_hop }),
            None => cx.drop(packet, DropReason::NoRoute),
        }
    }

    fn on_wired(&mut self, src: NodeId, dst: NodeId, from: NodeId) {
        if let Otherwise::Exits(exits) = &mut self.otherwise {
            exits.on_wired(src, dst, from);
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId) {
        self.pass(cx, |protocol, cx| protocol.on_control(cx, packet, from));
    }

    fn overhears(&self) -> bool {
        matches!(&self.otherwise, Otherwise::Protocol(protocol) if protocol.overhears())
    }

    fn on_overheard(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId) {
        self.pass(cx, |protocol, cx| protocol.on_overheard(cx, packet, from));
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: RadioId, reason: DropReason) {
        self.pass(cx, |protocol, cx| protocol.on_link_failure(cx, packet, next_hop, reason));
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        self.pass(cx, |protocol, cx| protocol.on_timer(cx, timer));
    }

    fn hops_to(&self, dst: NodeId) -> Option<u16> {
        self.table.hops(dst).or(match &self.otherwise {
            Otherwise::Protocol(protocol) => protocol.hops_to(dst),
            Otherwise::Exits(_) | Otherwise::Nowhere => None,
        })
    }

    fn leaves_by_wire(&self, dst: NodeId) -> bool {
        let next_hop = self.table.next_hop(dst).or_else(|| match &self.otherwise {
            Otherwise::Protocol(protocol) => protocol.fixed_next_hop(dst),
            Otherwise::Exits(_) | Otherwise::Nowhere => None,
        });
        let is_host = matches!(self.otherwise, Otherwise::Exits(_));
        next_hop.map_or(is_host, |next_hop| self.ends.binary_search(&next_hop).is_ok())
    }

    fn forget_route(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId, through: NodeId) -> bool {
        let mut has_other = self.table.hops(dst).is_some();
        if !has_other {
            self.pass(cx, |protocol, cx| has_other = protocol.forget_route(cx, dst, through));
        }
        has_other
    }

    fn source_ttl(&self) -> u8 {
        match &self.otherwise {
            Otherwise::Protocol(protocol) => protocol.source_ttl(),
            Otherwise::Exits(_) | Otherwise::Nowhere => TTL,
        }
    }

    fn each_waiting(&self, visit: &mut dyn FnMut(PacketId)) {
        if let Otherwise::Protocol(protocol) = &self.otherwise {
            protocol.each_waiting(visit);
        }
    }
}

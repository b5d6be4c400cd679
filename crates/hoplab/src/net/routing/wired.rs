//! Routing at a node with wires: destinations behind wires by a table, all others by the routing protocol of the radio.

use super::protocol::{RouteCtx, RouteOut, Routing};
use super::static_path::StaticTable;
use crate::kernel::{NodeId, RadioId};
use crate::packet::PacketId;
use crate::sim::RoutingTimer;
use crate::trace::DropReason;

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
    /// Over a wire, on the path to the gateway of the host.
    Gateway(NodeId),
    /// Nowhere.
    Nowhere,
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
        let dst = cx.ctx.packet(packet).dst;
        let next_hop = self.table.next_hop(dst);
        match (next_hop, &self.otherwise) {
            (Some(next_hop), _) | (None, &Otherwise::Gateway(next_hop)) => {
                cx.out.push(RouteOut::Wire { packet, next_hop });
            }
            (None, Otherwise::Protocol(_)) => self.pass(cx, |protocol, cx| protocol.on_packet(cx, packet)),
            (None, Otherwise::Nowhere) => cx.drop(packet, DropReason::NoRoute),
        }
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId) {
        self.pass(cx, |protocol, cx| protocol.on_control(cx, packet, from));
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
            Otherwise::Gateway(_) | Otherwise::Nowhere => None,
        })
    }

    fn leaves_by_wire(&self, dst: NodeId) -> bool {
        let next_hop = self.table.next_hop(dst).or_else(|| match &self.otherwise {
            Otherwise::Protocol(protocol) => protocol.fixed_next_hop(dst),
            &Otherwise::Gateway(next_hop) => Some(next_hop),
            Otherwise::Nowhere => None,
        });
        next_hop.is_some_and(|next_hop| self.ends.binary_search(&next_hop).is_ok())
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
            Otherwise::Gateway(_) | Otherwise::Nowhere => TTL,
        }
    }

    fn each_waiting(&self, visit: &mut dyn FnMut(PacketId)) {
        if let Otherwise::Protocol(protocol) = &self.otherwise {
            protocol.each_waiting(visit);
        }
    }
}

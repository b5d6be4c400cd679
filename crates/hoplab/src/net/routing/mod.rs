//! Finding the next hop.
//!
//! A routing protocol is a state machine beside the forwarder of one node. It is told about packets, messages and
//! failures, and answers through an outbox that the network layer empties in order.

pub mod aodv;
mod config;
pub mod dsdv;
mod graph;
pub mod static_path;

pub use aodv::Aodv;
pub use config::{AodvConstants, AodvProfile, InvalidRouting, RoutingConfig, RoutingKind, SourceBytes};
pub use dsdv::{Dsdv, DsdvConstants};
pub use graph::{Partitions, ReachGraph};
pub use static_path::{StaticPath, StaticTable, paths};

use crate::kernel::{NodeId, Span};
use crate::packet::{PacketId, Payload};
use crate::sim::{Ctx, RoutingTimer};
use crate::trace::DropReason;

/// What a routing protocol may use while it handles an event.
#[derive(Debug)]
pub struct RouteCtx<'a> {
    /// Clock, events, packets, trace. Timers are scheduled as [`crate::sim::Event::Routing`].
    pub ctx: &'a mut Ctx,
    /// The node whose protocol this is.
    pub node: NodeId,
    /// What it wants done, in order.
    pub out: &'a mut Vec<RouteOut>,
}

/// What a routing protocol can ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RouteOut {
    /// Give the packet to the link layer for `next_hop` (or everybody), `delay` from now.
    Send {
        /// Which packet.
        packet: PacketId,
        /// Neighbor, or [`NodeId::BROADCAST`].
        next_hop: NodeId,
        /// Jitter or spacing.
        delay: Span,
    },
    /// Drop every packet of the interface queue that is for this neighbor.
    Purge {
        /// Neighbor.
        next_hop: NodeId,
        /// Reason to record.
        reason: DropReason,
    },
}

/// A routing protocol, at one node.
pub trait Routing {
    /// The run begins: timers are set here.
    fn start(&mut self, cx: &mut RouteCtx<'_>);

    /// A packet needs a next hop: created at this node (`forwards` is 0) or relayed by it. Loops and TTL have been
    /// checked and the TTL reduced. The protocol sends it, keeps it or drops it.
    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId);

    /// A routing message has arrived from neighbor `from`, its TTL as sent. The protocol ends its life (or sends it on).
    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId);

    /// The MAC gave a packet for `next_hop` up, or the address of `next_hop` was not found. The packet is the protocol's to
    /// drop or keep; `reason` says which of the two it was. Called before the MAC gets its next packet; never called
    /// without link-failure feedback.
    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: NodeId, reason: DropReason);

    /// A timer of this protocol has ended.
    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer);

    /// How many packets wait here for a route.
    fn waiting(&self) -> usize;
}

/// The routing protocol of one node.
#[derive(Debug)]
pub enum RoutingProtocol {
    /// Shortest paths, known from the start.
    StaticPath(StaticPath),
    /// Ad hoc On-Demand Distance Vector.
    Aodv(Box<Aodv>),
    /// Destination-Sequenced Distance Vector.
    Dsdv(Box<Dsdv>),
}

/// Calls the same method of whichever protocol it is.
macro_rules! dispatch {
    ($self:ident, $method:ident($($argument:expr),*)) => {
        match $self {
            RoutingProtocol::StaticPath(routing) => routing.$method($($argument),*),
            RoutingProtocol::Aodv(routing) => routing.$method($($argument),*),
            RoutingProtocol::Dsdv(routing) => routing.$method($($argument),*),
        }
    };
}

impl RoutingProtocol {
    /// Bytes that are added at the source to a packet with this payload.
    pub fn extra_bytes(&self, payload: &Payload) -> u32 {
        dispatch!(self, extra_bytes(payload))
    }

    /// Hops to `dst`, as far as is known here.
    pub fn hops_to(&self, dst: NodeId) -> Option<u16> {
        dispatch!(self, hops_to(dst))
    }

    /// The packets that wait here for a route.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        let (aodv, dsdv) = match self {
            RoutingProtocol::StaticPath(_) => (None, None),
            RoutingProtocol::Aodv(aodv) => (Some(aodv), None),
            RoutingProtocol::Dsdv(dsdv) => (None, Some(dsdv)),
        };
        let aodv = aodv.into_iter().flat_map(|aodv| aodv.held());
        aodv.chain(dsdv.into_iter().flat_map(|dsdv| dsdv.held()))
    }
}

impl Routing for RoutingProtocol {
    fn start(&mut self, cx: &mut RouteCtx<'_>) {
        dispatch!(self, start(cx));
    }

    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        dispatch!(self, on_packet(cx, packet));
    }

    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId) {
        dispatch!(self, on_control(cx, packet, from));
    }

    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: NodeId, reason: DropReason) {
        dispatch!(self, on_link_failure(cx, packet, next_hop, reason));
    }

    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer) {
        dispatch!(self, on_timer(cx, timer));
    }

    fn waiting(&self) -> usize {
        dispatch!(self, waiting())
    }
}

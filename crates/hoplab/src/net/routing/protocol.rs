//! The trait of routing protocols: a state machine of one node that the forwarder calls (ns-2.35 `Agent::recv`).
//!
//! The network layer passes it packets, routing messages, link failures and timers. It returns actions in an outbox, which
//! the network layer empties in order after each call. So it is not called while it handles an event.

use super::hosts::Hosts;
use crate::kernel::{FlowId, NodeId, RadioId, Span, Time, TimerId};
use crate::packet::{ChannelView, Control, ControlMessage, NewPacket, PacketId, Payload};
use crate::sim::{Ctx, Event, RoutingTimer};
use crate::trace::DropReason;
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;
use std::fmt::Debug;
use std::sync::Arc;

/// A routing protocol at one node.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait Routing: Debug {
    /// The run begins. Timers may be set.
    fn start(&mut self, cx: &mut RouteCtx<'_>);

    /// A packet needs a next hop: this node created it (`hop.count` is 0) or relays it. Loops and TTL are checked, the TTL is
    /// decremented. The protocol sends, buffers or drops the packet.
    fn on_packet(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId);

    /// The next hop of packets for `dst` if that is all there is to say: they change nothing at the protocol, now or later.
    /// `None`: [`Routing::on_packet`] decides.
    fn fixed_next_hop(&self, dst: NodeId) -> Option<NodeId> {
        let _ = dst;
        None
    }

    /// A routing message has arrived from radio `from` of a neighbor, its TTL as sent. The protocol consumes, drops or forwards
    /// it. [`RouteCtx::owner`] is the neighbor.
    fn on_control(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: RadioId);

    /// Whether the protocol learns from packets for other nodes: the MAC then indicates those that it decodes.
    fn overhears(&self) -> bool {
        false
    }

    /// A packet of neighbor `from`, a node, was decoded that is for another node, or one for this node has arrived that carries a
    /// route. The packet is only read.
    fn on_overheard(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, from: NodeId) {
        let _ = (cx, packet, from);
    }

    /// A packet for radio `next_hop` of a neighbor could not be sent: the MAC exceeded its retry limit, or ARP failed (`reason`). The
    /// protocol drops, buffers or sends the packet. Called before the MAC takes its next packet, and only with
    /// `routing.link_failure_feedback`.
    fn on_link_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: RadioId, reason: DropReason);

    /// A timer of the protocol fires: one of [`RouteCtx::set_timer`] or [`RouteCtx::set_radio_timer`].
    fn on_timer(&mut self, cx: &mut RouteCtx<'_>, timer: RoutingTimer);

    /// Hops to `dst`, if there is a route.
    fn hops_to(&self, dst: NodeId) -> Option<u16>;

    /// Neighbor `through`, a node, reports that it has no route to `dst` any more: gives up the route through it, over whichever
    /// radio, and what uses that. Returns whether there is another route. A protocol whose own messages do this gives nothing up.
    fn forget_route(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId, through: NodeId) -> bool {
        let _ = (cx, dst, through);
        false
    }

    /// TTL of packets that this node creates.
    fn source_ttl(&self) -> u8;

    /// Calls `visit` for each packet that waits for a route.
    fn each_waiting(&self, visit: &mut dyn FnMut(PacketId));

    /// The run has hosts; those whose gateway the node is are to be known to other nodes. Returns whether the protocol does that.
    fn serve(&mut self, hosts: &Arc<Hosts>) -> bool {
        let _ = hosts;
        false
    }

    /// Whether packets for `dst` leave over a wire.
    fn leaves_by_wire(&self, dst: NodeId) -> bool {
        let _ = dst;
        false
    }

    /// The node is a gateway, and a packet leaves the radio network over a wire.
    fn on_exit(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId) {
        let _ = (cx, packet);
    }

    /// A packet from `src` to `dst` has arrived over the wire of `from`.
    fn on_wired(&mut self, src: NodeId, dst: NodeId, from: NodeId) {
        let _ = (src, dst, from);
    }

    /// Number of packets that wait for a route.
    fn waiting(&self) -> usize {
        let mut count = 0;
        self.each_waiting(&mut |_| count += 1);
        count
    }
}

/// What a routing protocol may use while it handles an event.
#[derive(Debug)]
pub struct RouteCtx<'a> {
    /// Clock, events, packets, trace.
    pub ctx: &'a mut Ctx,
    /// The protocol's node.
    pub node: NodeId,
    /// What the MAC observes of the channel.
    pub hop: &'a dyn ChannelView,
    /// Its requests to the network layer, in order.
    pub out: &'a mut Vec<RouteOut>,
}

/// A request to the network layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RouteOut {
    /// Pass a packet to the link layer.
    Send {
        /// The packet.
        packet: PacketId,
        /// A neighbor, over the first channel that both have, or [`NodeId::BROADCAST`], over all radios.
        next_hop: NodeId,
        /// Time from now.
        delay: Span,
    },
    /// Pass a packet for one radio of a neighbor to the link layer.
    SendTo {
        /// The packet.
        packet: PacketId,
        /// The radio of the neighbor.
        radio: RadioId,
        /// Time from now.
        delay: Span,
    },
    /// Broadcast a packet over one radio of this node.
    Broadcast {
        /// The packet.
        packet: PacketId,
        /// The radio of this node.
        radio: RadioId,
        /// Time from now.
        delay: Span,
    },
    /// Send a packet over a wire.
    Wire {
        /// The packet.
        packet: PacketId,
        /// The node at the other end.
        next_hop: NodeId,
    },
    /// Return all packets of the interface queue for a radio of a neighbor to routing: each as a link failure of its own
    /// ([`Routing::on_link_failure`]).
    Return {
        /// The radio of the neighbor.
        radio: RadioId,
        /// The reason.
        reason: DropReason,
    },
    /// Drop all packets of the interface queue for a radio of a neighbor.
    Purge {
        /// The radio of the neighbor.
        radio: RadioId,
        /// The reason.
        reason: DropReason,
    },
}

impl RouteCtx<'_> {
    /// The current time.
    pub fn now(&self) -> Time {
        self.ctx.now
    }

    /// Sends a packet to a neighbor, or to all.
    pub fn send(&mut self, packet: PacketId, next_hop: NodeId) {
        self.send_after(packet, next_hop, Span::ZERO);
    }

    /// Sends a packet to a neighbor, or to all, after a delay.
    pub fn send_after(&mut self, packet: PacketId, next_hop: NodeId, delay: Span) {
        self.out.push(RouteOut::Send { packet, next_hop, delay });
    }

    /// Sends a packet to one radio of a neighbor, after a delay.
    pub fn send_to(&mut self, packet: PacketId, radio: RadioId, delay: Span) {
        self.out.push(RouteOut::SendTo { packet, radio, delay });
    }

    /// Broadcasts a packet over one radio of this node, after a delay.
    pub fn broadcast_over(&mut self, packet: PacketId, radio: RadioId, delay: Span) {
        self.out.push(RouteOut::Broadcast { packet, radio, delay });
    }

    /// The node of a radio.
    pub fn owner(&self, radio: RadioId) -> NodeId {
        self.ctx.radios.owner(radio)
    }

    /// The radio of a neighbor that [`RouteCtx::send`] sends to.
    pub fn radio_of(&self, neighbor: NodeId) -> RadioId {
        self.ctx.radios.link(self.node, neighbor).1
    }

    /// Returns all packets of the interface queue for a radio of a neighbor, each as a link failure of its own.
    pub fn return_queued(&mut self, radio: RadioId, reason: DropReason) {
        self.out.push(RouteOut::Return { radio, reason });
    }

    /// Drops all packets of the interface queue for a radio of a neighbor.
    pub fn purge(&mut self, radio: RadioId, reason: DropReason) {
        self.out.push(RouteOut::Purge { radio, reason });
    }

    /// Drops a packet.
    pub fn drop(&mut self, packet: PacketId, reason: DropReason) {
        self.ctx.drop(self.node, packet, reason);
    }

    /// Creates a routing message of `bytes` above the MAC, without sending it.
    pub fn originate(&mut self, message: impl ControlMessage, dst: NodeId, bytes: u32, ttl: u8) -> PacketId {
        let payload = Payload::Control(Control::new(message));
        self.ctx.originate(NewPacket { flow: FlowId::NONE, src: self.node, dst, bytes, payload }, ttl)
    }

    /// Sets a timer about a node, or about none if `subject` is the own one. [`Routing::on_timer`] is passed `kind`, below 128,
    /// and `subject`.
    pub fn set_timer(&mut self, at: Time, kind: u8, subject: NodeId) -> TimerId {
        let timer = RoutingTimer::new(kind, subject);
        self.ctx.events.schedule(at, Event::Routing { node: self.node, timer })
    }

    /// Sets a timer about a radio. [`Routing::on_timer`] is passed `kind`, below 128, and `radio`.
    pub fn set_radio_timer(&mut self, at: Time, kind: u8, radio: RadioId) -> TimerId {
        let timer = RoutingTimer::of_radio(kind, radio);
        self.ctx.events.schedule(at, Event::Routing { node: self.node, timer })
    }

    /// Cancels a timer that has not fired.
    pub fn cancel_timer(&mut self, timer: TimerId) {
        self.ctx.events.cancel(timer);
    }

    /// Counts and records a route that is new or leads through another radio of a neighbor than before.
    pub fn route_changed(&mut self, dst: NodeId, next_hop: NodeId) {
        self.ctx.route_changed(self.node, dst, next_hop);
    }

    /// Counts and records a route that is lost.
    pub fn route_lost(&mut self, dst: NodeId) {
        self.ctx.route_lost(self.node, dst);
    }
}

//! What the network layer of a node does on behalf of its routing protocol and its feedback routers.

use super::explicit_feedback::{At, Lost, PacketKind, PacketView, RouterNode};
use super::forward::{Net, NetCtx};
use super::link::{Discipline, Unresolved};
use super::routing::{RouteCtx, RouteOut, RoutingProtocol};
use crate::kernel::{NodeId, RadioId, Span};
use crate::packet::PacketId;
use crate::packet::explicit::Feedback;
use crate::trace::{DropReason, What};

impl Net {
    /// Passes an event to routing, then executes its actions.
    pub(super) fn route(&mut self, cx: &mut NetCtx<'_>, event: impl FnOnce(&mut RoutingProtocol, &mut RouteCtx<'_>)) {
        debug_assert!(cx.routes.is_empty());
        let mut routes = std::mem::take(cx.routes);
        event(&mut self.routing, &mut RouteCtx { ctx: cx.ctx, node: self.node, hop: cx.hop, out: &mut routes });
        for action in routes.drain(..) {
            self.carry_out(cx, action);
        }
        // A failure below may have routed in between; its scratch space is given back only if it grew.
        if cx.routes.capacity() < routes.capacity() {
            *cx.routes = routes;
        }
    }

    pub(super) fn carry_out(&mut self, cx: &mut NetCtx<'_>, action: RouteOut) {
        match action {
            RouteOut::Send { packet, next_hop, delay } => {
                if next_hop.is_broadcast() && cx.ctx.radios.has_several() {
                    self.broadcast_over_further(cx, packet, delay);
                }
                let (radio, to) = self.hop(cx.ctx, next_hop);
                self.send_over(cx, packet, (radio, to), next_hop, delay);
            }
            RouteOut::SendTo { packet, radio: to, delay } => {
                let radio = cx.ctx.radios.facing(self.node, to);
                let next_hop = cx.ctx.radios.owner(to);
                self.send_over(cx, packet, (radio, to), next_hop, delay);
            }
            RouteOut::Broadcast { packet, radio, delay } => {
                self.send_over(cx, packet, (radio, RadioId::BROADCAST), NodeId::BROADCAST, delay);
            }
            RouteOut::Wire { packet, next_hop } => {
                let sent = cx.ctx.packet_mut(packet);
                sent.hop.next = RadioId::NONE;
                let uid = sent.uid;
                cx.ctx.note_about(self.node, What::Forwarded { uid, next_hop, delay: Span::ZERO }, packet);
                let wires = cx.wires.as_mut().expect("only a node with a wire has routes over it");
                wires.send(cx.ctx, self.node, next_hop, packet);
            }
            RouteOut::Return { next_hop, reason } => {
                let (radio, to) = self.hop(cx.ctx, next_hop);
                for packet in self.link_of(radio).queue.purge(to, &cx.ctx.packets) {
                    self.return_to_routing(cx, packet, to, reason);
                }
            }
            RouteOut::Purge { radio: to, reason } => {
                let radio = cx.ctx.radios.facing(self.node, to);
                for packet in self.link_of(radio).queue.purge(to, &cx.ctx.packets) {
                    cx.ctx.drop(self.node, packet, reason);
                }
            }
        }
    }

    /// Passes a packet to the link of radio `own`, for radio `to` of the neighbor `next_hop`, or for all.
    #[inline]
    fn send_over(
        &mut self,
        cx: &mut NetCtx<'_>,
        packet: PacketId,
        (own, to): (RadioId, RadioId),
        next_hop: NodeId,
        delay: Span,
    ) {
        let sent = cx.ctx.packet_mut(packet);
        sent.hop.next = to;
        let uid = sent.uid;
        cx.ctx.note_about(self.node, What::Forwarded { uid, next_hop, delay }, packet);
        if delay.0 == 0 {
            self.send_down(cx, own, packet);
        } else {
            self.link_of(own).delay(cx.ctx, packet, delay);
        }
    }

    /// Broadcasts copies of a packet over the radios of this node after the first one.
    #[inline(never)]
    fn broadcast_over_further(&mut self, cx: &mut NetCtx<'_>, packet: PacketId, delay: Span) {
        for radio in cx.ctx.radios.of(self.node).skip(1) {
            let copy = cx.ctx.copy_for_radio(packet);
            self.send_over(cx, copy, (radio, RadioId::BROADCAST), NodeId::BROADCAST, delay);
        }
    }

    pub(super) fn send_down(&mut self, cx: &mut NetCtx<'_>, radio: RadioId, packet: PacketId) {
        for Unresolved { packet, next_hop } in self.link_of(radio).send(cx.ctx, packet).into_iter().flatten() {
            self.on_link_failure(cx, packet, next_hop, DropReason::Arp);
        }
    }

    /// A packet passes the feedback routers, which may write into its header.
    #[inline]
    pub(super) fn show(&mut self, cx: &mut NetCtx<'_>, at: At, packet: PacketId) {
        if !self.feedback.is_empty() {
            let here = RouterNode { node: self.node, queue: &self.link.queue, hop: cx.hop };
            let meeting = cx.ctx.packet(packet);
            let (uid, flow) = (meeting.uid, meeting.flow);
            let (passing, before) = (PacketView::of(meeting, self.node), meeting.feedback());
            let feedback = self.feedback.on_packet(cx.ctx, &here, at, &passing, before);
            if feedback != before {
                cx.ctx.packet_mut(packet).set_feedback(feedback);
            }
            let is_asked = passing.kind == PacketKind::Segment && feedback != Feedback::None;
            if at == At::Departure && (is_asked || feedback != before) {
                cx.ctx.note_about(self.node, What::Stamped { uid, flow, feedback }, packet);
            }
        }
    }

    /// A packet for this node passes the feedback routers, before delivery.
    #[inline]
    pub(super) fn show_delivery(&mut self, cx: &mut NetCtx<'_>, packet: PacketId) {
        if !self.feedback.is_empty() {
            let here = RouterNode { node: self.node, queue: &self.link.queue, hop: cx.hop };
            let arrived = cx.ctx.packet(packet);
            let (passing, before) = (PacketView::of(arrived, self.node), arrived.feedback());
            let feedback = self.feedback.on_delivery(cx.ctx, &here, &passing, before);
            if feedback != before {
                cx.ctx.packet_mut(packet).set_feedback(feedback);
            }
        }
    }

    pub(super) fn notify_loss(&mut self, cx: &mut NetCtx<'_>, lost: Lost) {
        if !self.feedback.is_empty() {
            let here = RouterNode { node: self.node, queue: &self.link.queue, hop: cx.hop };
            self.feedback.on_lost(cx.ctx, &here, lost);
        }
    }
}

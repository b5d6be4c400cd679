//! What the network layer of a node does on behalf of its routing protocol and its feedback routers.

use super::explicit_feedback::{At, FeedbackRouters, Lost, RouterNode};
use super::forward::{Net, NetCtx};
use super::link::{Discipline, Unresolved};
use super::routing::{RouteCtx, RouteOut, Routing, RoutingProtocol};
use crate::kernel::{NodeId, RadioId, RunKind, Span};
use crate::packet::{PacketId, Payload, Unreachable};
use crate::sim::{Ctx, Report};
use crate::trace::{DropReason, What};

impl Net {
    /// Passes an event to routing, then executes its actions.
    pub(super) fn route<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
        event: impl FnOnce(&mut RoutingProtocol, &mut RouteCtx<'_>),
    ) {
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

    pub(super) fn carry_out<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, action: RouteOut) {
        match action {
            RouteOut::Send { packet, next_hop, delay } => self.send_to(cx, packet, next_hop, delay),
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
            RouteOut::Return { radio: to, reason } => {
                let radio = cx.ctx.radios.facing(self.node, to);
                for packet in self.link_of::<R>(radio).queue.purge(to, &cx.ctx.packets) {
                    self.return_to_routing(cx, packet, to, reason);
                }
            }
            RouteOut::Purge { radio: to, reason } => {
                let radio = cx.ctx.radios.facing(self.node, to);
                for packet in self.link_of::<R>(radio).queue.purge(to, &cx.ctx.packets) {
                    cx.ctx.drop(self.node, packet, reason);
                }
            }
        }
    }

    /// Passes a packet for a neighbor, or for all, to the link of the radio that reaches it.
    #[inline]
    pub(super) fn send_to<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
        packet: PacketId,
        next_hop: NodeId,
        delay: Span,
    ) {
        if !R::IS_PLAIN && next_hop.is_broadcast() && cx.ctx.radios.has_several() {
            self.broadcast_over_further(cx, packet, delay);
        }
        let (radio, to) = self.hop::<R>(cx.ctx, next_hop);
        self.send_over(cx, packet, (radio, to), next_hop, delay);
    }

    /// Passes a packet to the link of radio `own`, for radio `to` of the neighbor `next_hop`, or for all.
    #[inline]
    fn send_over<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
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
            self.link_of::<R>(own).delay(cx.ctx, packet, delay);
        }
    }

    /// Broadcasts copies of a packet over the radios of this node after the first one.
    #[inline(never)]
    fn broadcast_over_further<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId, delay: Span) {
        for radio in cx.ctx.radios.of(self.node).skip(1) {
            let copy = cx.ctx.copy_for_radio(packet);
            self.send_over(cx, copy, (radio, RadioId::BROADCAST), NodeId::BROADCAST, delay);
        }
    }

    #[inline]
    pub(super) fn send_down<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, radio: RadioId, packet: PacketId) {
        if !self.link_of::<R>(radio).send(cx.ctx, packet) {
            self.resolve(cx, radio, packet);
        }
    }

    /// Resolves the address of the next hop of a packet, which waits for it.
    #[inline(never)]
    fn resolve<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, radio: RadioId, packet: PacketId) {
        for Unresolved { packet, next_hop } in self.link_of::<R>(radio).resolve(cx.ctx, packet).into_iter().flatten() {
            self.on_link_failure(cx, packet, next_hop, DropReason::Arp);
        }
    }

    /// A packet passes the feedback routers, which may write into its header.
    #[inline]
    pub(super) fn show<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, at: At, packet: PacketId) {
        if !R::IS_PLAIN && !self.feedback.is_empty() {
            self.ask_feedback(cx, |routers, ctx, here| routers.pass(ctx, here, at, packet));
        }
    }

    /// A packet for this node passes the feedback routers, before delivery.
    #[inline]
    pub(super) fn show_delivery<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId) {
        if !R::IS_PLAIN && !self.feedback.is_empty() {
            self.ask_feedback(cx, |routers, ctx, here| routers.pass_delivery(ctx, here, packet));
        }
        if !R::IS_PLAIN
            && let Some(wires) = &mut cx.wires
        {
            wires.pass_delivery(cx.ctx, self.node, packet);
        }
    }

    pub(super) fn notify_loss<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, lost: Lost) {
        if !R::IS_PLAIN && !self.feedback.is_empty() {
            self.ask_feedback(cx, |routers, ctx, here| routers.on_lost(ctx, here, lost));
        }
    }

    /// Calls the feedback routers of the radio that the event is at, if it has any.
    pub(super) fn ask_feedback<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
        call: impl FnOnce(&mut FeedbackRouters, &mut Ctx, &RouterNode<'_>),
    ) {
        let radio = cx.radio;
        let mut links = std::iter::once(&self.link).chain(&self.further).enumerate();
        let Some((place, link)) = links.find(|(_, link)| link.radio() == radio) else { return };
        if let Some(routers) = self.feedback.get_mut(place) {
            let here = RouterNode { node: self.node, radio, place: place as u8, queue: &link.queue, hop: cx.hop };
            call(routers, cx.ctx, &here);
        }
    }

    /// Whether a packet on its way reports a failed route of a followed flow, and this node has another route. Without one, this
    /// node will report when it has.
    #[inline(never)]
    pub(super) fn absorbs<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId) -> bool {
        let passing = cx.ctx.packet(packet);
        let Payload::Unreachable(Unreachable { end, dst, is_over: false }) = passing.payload else { return false };
        let (flow, src, from) = (passing.flow, passing.dst, passing.hop.prev);
        if !cx.ctx.unreachable.as_ref().is_some_and(|reports| reports.follows(flow)) {
            return false;
        }
        let has_other = self.forget_route(cx, dst, from);
        if let Some(reports) = cx.ctx.unreachable.as_mut().filter(|_| !has_other) {
            reports.remember(Report { node: self.node, flow, end, src, dst, is_over: false });
        }
        has_other
    }

    /// See [`Routing::forget_route`].
    pub fn forget_route<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, dst: NodeId, through: NodeId) -> bool {
        let mut has_other = false;
        self.route(cx, |routing, rcx| has_other = routing.forget_route(rcx, dst, through));
        has_other
    }
}

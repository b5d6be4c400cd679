//! The network layer of one node: delivers, forwards, or passes to the routing protocol (RFC 791, RFC 1812).

use super::explicit_feedback::{AnyRouter, At, FeedbackRouters, Lost, PacketKind, PacketView, RouterNode};
use super::link::{Discipline, Link, MacState, Unresolved};
use super::reverse_routes::ReverseRoutes;
use super::routing::{RouteCtx, RouteOut, Routing, RoutingProtocol, SourceBytes};
use super::wires::Wires;
use crate::kernel::{NodeId, Span, Time};
use crate::packet::explicit::Feedback;
use crate::packet::{Backlog, ChannelView, NewPacket, PacketId, Payload, Unreachable};
use crate::sim::{Ctx, FeedbackTimer, LinkTimer, Report, RoutingTimer};
use crate::trace::{DropReason, What};

/// The network layer of one node.
#[derive(Debug)]
pub struct Net {
    node: NodeId,
    /// Address resolution and queue below.
    pub link: Link,
    /// Finds the next hop.
    pub routing: RoutingProtocol,
    feedback: FeedbackRouters,
    /// Whether the node has a proxy, which may accept packets for other nodes.
    pub has_proxy: bool,
    reverse_routes: Option<ReverseRoutes>,
    reports_failures: bool,
    source_bytes: SourceBytes,
}

/// What the network layer may use while it handles an event.
pub struct NetCtx<'a> {
    /// Clock, events, packets, trace.
    pub ctx: &'a mut Ctx,
    /// Scratch space for the actions of routing; empty between events.
    pub routes: &'a mut Vec<RouteOut>,
    /// What the node's MAC observes of the channel.
    pub hop: &'a dyn ChannelView,
    /// The wires of the run, if there are any.
    pub wires: Option<&'a mut Wires>,
}

/// A request of the network layer to the layers above and below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetOut {
    /// The packet is for this node.
    Deliver(PacketId),
    /// The packet is for another node, and this node's proxy may accept it; otherwise [`Net::forward`] sends it.
    Divert(PacketId),
    /// The MAC is free: its next packet.
    ToMac(PacketId),
    /// The MAC is free, and the queue is empty: pulled transport may send.
    Slot,
}

impl Net {
    /// A network layer whose routing learns of link failures if `reports_failures`. `source_bytes` are added to packets that
    /// the node creates.
    pub fn new(
        node: NodeId,
        link: Link,
        routing: RoutingProtocol,
        reports_failures: bool,
        source_bytes: SourceBytes,
    ) -> Net {
        Net {
            node,
            link,
            routing,
            feedback: FeedbackRouters::default(),
            has_proxy: false,
            reverse_routes: None,
            reports_failures,
            source_bytes,
        }
    }

    /// Adds a feedback router, which packets pass after those before it.
    pub fn add_feedback_router(&mut self, router: AnyRouter) {
        self.feedback.push(router);
    }

    /// Enables reverse routes: local ACKs return hop by hop on the route of the data, without routing.
    pub fn go_back_the_way(&mut self) {
        self.reverse_routes = Some(ReverseRoutes::default());
    }

    /// The run begins.
    pub fn start(&mut self, cx: &mut NetCtx<'_>) {
        self.route(cx, Routing::start);
        self.start_feedback(cx);
    }

    /// Reports the state of the feedback routers, by name and value.
    pub(crate) fn read_feedback(&self, now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        self.feedback.read(now, put);
    }

    /// FeedbackRouters set their first timers.
    pub(crate) fn start_feedback(&mut self, cx: &mut NetCtx<'_>) {
        let here = RouterNode { node: self.node, queue: &self.link.queue, hop: cx.hop };
        self.feedback.start(cx.ctx, &here);
    }

    /// Sends a new packet of this node. Header bytes that routing adds at the source are added here.
    pub fn send(&mut self, cx: &mut NetCtx<'_>, mut packet: NewPacket) {
        packet.bytes += self.source_bytes.of(&packet.payload);
        let packet = cx.ctx.originate(packet, self.routing.source_ttl());
        self.forward(cx, packet);
    }

    /// Sends a packet of a real program with its own TTL: a broadcast to all neighbors, any other by routing.
    pub fn send_live(&mut self, cx: &mut NetCtx<'_>, packet: NewPacket, ttl: u8) {
        let is_broadcast = packet.dst.is_broadcast();
        let packet = cx.ctx.originate(packet, ttl);
        if is_broadcast {
            self.carry_out(cx, RouteOut::Send { packet, next_hop: NodeId::BROADCAST, delay: Span::ZERO });
        } else {
            self.forward(cx, packet);
        }
    }

    /// Sends a packet that this node's proxy has accepted. Its length includes the header bytes of routing already.
    pub fn resend(&mut self, cx: &mut NetCtx<'_>, mut packet: NewPacket) {
        packet.bytes += match packet.payload {
            // A packet that the proxy creates starts here.
            Payload::Lack(_) => self.source_bytes.of(&packet.payload),
            _ => 0,
        };
        let packet = cx.ctx.originate_at(self.node, packet, self.routing.source_ttl());
        self.forward(cx, packet);
    }

    /// Routes a packet at this node and sends it to the next hop.
    pub fn forward(&mut self, cx: &mut NetCtx<'_>, packet: PacketId) {
        if let Some(routes) = &self.reverse_routes
            && let Some(next_hop) = routes.of(cx.ctx.packet(packet))
        {
            self.carry_out(cx, RouteOut::Send { packet, next_hop, delay: Span::ZERO });
        } else {
            self.route(cx, |routing, rcx| routing.on_packet(rcx, packet));
        }
    }

    /// The MAC has received a packet from a neighbor.
    pub fn on_received(&mut self, cx: &mut NetCtx<'_>, packet: PacketId, from: NodeId) {
        self.link.receive(cx.ctx, packet, from);
    }

    /// The MAC has held a packet from a neighbor, the node's own copy, and releases it.
    pub fn on_released(&mut self, cx: &mut NetCtx<'_>, copy: PacketId, from: NodeId) {
        self.link.receive_copy(cx.ctx, copy, from);
    }

    /// Dequeues a packet of at most `most` bytes that joins others to the same next hop.
    pub fn next_joining(&mut self, cx: &mut NetCtx<'_>, next_hop: NodeId, most: u32) -> Option<PacketId> {
        let packet = self.link.next_joining(cx.ctx, next_hop, most)?;
        self.count_taken(cx, packet);
        self.show(cx, At::Departure, packet);
        Some(packet)
    }

    /// A packet's delay in the link layer is over.
    pub fn on_link_timer(&mut self, cx: &mut NetCtx<'_>, timer: LinkTimer, packet: PacketId) -> Option<NetOut> {
        match timer {
            LinkTimer::ToQueue => {
                self.show(cx, At::Arrival, packet);
                self.link.arrived(cx.ctx, packet);
                let is_full = self.link.enqueue(cx.ctx, packet);
                if is_full {
                    self.notify_loss(cx, Lost::QueueFull);
                }
                if self.link.mac == MacState::Engaged { None } else { self.next_for_mac(cx) }
            }
            LinkTimer::ToNetwork => self.on_arrival(cx, packet),
            LinkTimer::ToLink => {
                self.link.arrived(cx.ctx, packet);
                self.send_down(cx, packet);
                None
            }
        }
    }

    /// A packet has arrived over a wire.
    pub fn on_wire_arrival(&mut self, cx: &mut NetCtx<'_>, packet: PacketId) -> Option<NetOut> {
        self.on_arrival(cx, packet)
    }

    /// A timer of a feedback router fires.
    pub fn on_feedback_timer(&mut self, cx: &mut NetCtx<'_>, timer: FeedbackTimer) {
        let here = RouterNode { node: self.node, queue: &self.link.queue, hop: cx.hop };
        self.feedback.on_timer(cx.ctx, &here, timer);
    }

    /// A timer of the routing protocol fires.
    pub fn on_routing_timer(&mut self, cx: &mut NetCtx<'_>, timer: RoutingTimer) {
        self.route(cx, |routing, rcx| routing.on_timer(rcx, timer));
    }

    /// The MAC is free.
    pub fn on_mac_ready(&mut self, cx: &mut NetCtx<'_>) -> Option<NetOut> {
        self.link.mac = MacState::Free;
        self.next_for_mac(cx).or(Some(NetOut::Slot))
    }

    /// The MAC has parked its packet: it can take a control packet.
    pub fn on_mac_parked(&mut self, cx: &mut NetCtx<'_>) -> Option<NetOut> {
        self.link.mac = MacState::Parked;
        self.next_for_mac(cx)
    }

    /// The MAC's packet contends again: it can take no packet.
    pub fn on_mac_unparked(&mut self) {
        self.link.mac = MacState::Engaged;
    }

    /// The backlog above the MAC.
    pub fn backlog(&self, ctx: &Ctx) -> Backlog {
        let mut backlog = Backlog {
            waiting: self.routing.waiting() as u32,
            unresolved: self.link.unresolved(ctx.now),
            coming: self.link.coming(),
            ..Backlog::default()
        };
        self.link.queue.visit(&mut |id| {
            let packet = ctx.packet(id);
            if packet.is_control() {
                backlog.control += 1;
            } else {
                backlog.data += 1;
                backlog.head = backlog.head.or(Some(packet.hop.next));
            }
        });
        backlog
    }

    /// The MAC has dropped a packet at its retry limit. If the next hop has a copy, this one counts as a packet of its own.
    pub fn on_mac_failed(&mut self, cx: &mut NetCtx<'_>, packet: PacketId, next_hop: NodeId, reached_next_hop: bool) {
        if reached_next_hop {
            let copy = cx.ctx.packets.get(packet.0);
            cx.ctx.trace.counters.life(copy).copied += 1;
        }
        self.notify_loss(cx, Lost::MacRetry);
        self.on_link_failure(cx, packet, next_hop, DropReason::MacRetry);
    }

    fn on_link_failure(&mut self, cx: &mut NetCtx<'_>, packet: PacketId, next_hop: NodeId, reason: DropReason) {
        cx.ctx.trace.counters.node(self.node).link_failures += 1;
        let is_arp = matches!(cx.ctx.packet(packet).payload, Payload::Arp(_));
        if self.reports_failures && !is_arp {
            self.route(cx, |routing, rcx| routing.on_link_failure(rcx, packet, next_hop, reason));
        } else {
            cx.ctx.drop(self.node, packet, reason);
        }
    }

    fn next_for_mac(&mut self, cx: &mut NetCtx<'_>) -> Option<NetOut> {
        let packet = self.link.next_for_mac(cx.ctx, cx.hop)?;
        self.count_taken(cx, packet);
        self.show(cx, At::Departure, packet);
        Some(NetOut::ToMac(packet))
    }

    fn count_taken(&self, cx: &mut NetCtx<'_>, packet: PacketId) {
        let taken = cx.ctx.packets.get(packet.0);
        let wait = cx.ctx.now.since(taken.queued.here).0;
        let here = cx.ctx.trace.counters.node(self.node);
        here.queued += 1;
        here.wait += wait;
        if taken.origin() != self.node {
            here.relayed += 1;
            here.relay_wait += wait;
        }
    }

    /// A packet passes the feedback routers, which may write into its header.
    #[inline]
    fn show(&mut self, cx: &mut NetCtx<'_>, at: At, packet: PacketId) {
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
    fn show_delivery(&mut self, cx: &mut NetCtx<'_>, packet: PacketId) {
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

    fn notify_loss(&mut self, cx: &mut NetCtx<'_>, lost: Lost) {
        if !self.feedback.is_empty() {
            let here = RouterNode { node: self.node, queue: &self.link.queue, hop: cx.hop };
            self.feedback.on_lost(cx.ctx, &here, lost);
        }
    }

    fn on_arrival(&mut self, cx: &mut NetCtx<'_>, packet: PacketId) -> Option<NetOut> {
        let arrived = cx.ctx.packet_mut(packet);
        if matches!(arrived.payload, Payload::Control(_)) {
            let from = arrived.hop.prev;
            self.route(cx, |routing, rcx| routing.on_control(rcx, packet, from));
            return None;
        }
        if let Some(routes) = &mut self.reverse_routes {
            routes.learn(arrived);
        }
        // A broadcast travels one hop.
        if arrived.dst == self.node || arrived.dst.is_broadcast() {
            self.show_delivery(cx, packet);
            return Some(NetOut::Deliver(packet));
        }
        if arrived.origin() == self.node {
            cx.ctx.drop(self.node, packet, DropReason::Loop);
            return None;
        }
        arrived.ttl -= 1;
        if arrived.ttl == 0 {
            cx.ctx.drop(self.node, packet, DropReason::Ttl);
            return None;
        }
        if arrived.pass_relay(self.node) && self.has_proxy {
            return Some(NetOut::Divert(packet));
        }
        if cx.ctx.unreachable.is_some() && self.absorbs(cx, packet) {
            cx.ctx.consume(packet);
            return None;
        }
        self.forward(cx, packet);
        None
    }

    /// Whether a packet on its way reports a failed route of a followed flow, and this node has another route. Without one, this
    /// node will report when it has.
    #[inline(never)]
    fn absorbs(&mut self, cx: &mut NetCtx<'_>, packet: PacketId) -> bool {
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
    pub fn forget_route(&mut self, cx: &mut NetCtx<'_>, dst: NodeId, through: NodeId) -> bool {
        let mut has_other = false;
        self.route(cx, |routing, rcx| has_other = routing.forget_route(rcx, dst, through));
        has_other
    }

    /// Passes an event to routing, then executes its actions.
    fn route(&mut self, cx: &mut NetCtx<'_>, event: impl FnOnce(&mut RoutingProtocol, &mut RouteCtx<'_>)) {
        debug_assert!(cx.routes.is_empty());
        let mut routes = std::mem::take(cx.routes);
        event(&mut self.routing, &mut RouteCtx { ctx: cx.ctx, node: self.node, out: &mut routes });
        for action in routes.drain(..) {
            self.carry_out(cx, action);
        }
        // A failure below may have routed in between; its scratch space is given back only if it grew.
        if cx.routes.capacity() < routes.capacity() {
            *cx.routes = routes;
        }
    }

    fn carry_out(&mut self, cx: &mut NetCtx<'_>, action: RouteOut) {
        match action {
            RouteOut::Send { packet, next_hop, delay } => {
                let sent = cx.ctx.packet_mut(packet);
                sent.hop.next = next_hop;
                let uid = sent.uid;
                cx.ctx.note_about(self.node, What::Forwarded { uid, next_hop, delay }, packet);
                if delay.0 == 0 {
                    self.send_down(cx, packet);
                } else {
                    self.link.delay(cx.ctx, packet, delay);
                }
            }
            RouteOut::Wire { packet, next_hop } => {
                let sent = cx.ctx.packet_mut(packet);
                sent.hop.next = next_hop;
                let uid = sent.uid;
                cx.ctx.note_about(self.node, What::Forwarded { uid, next_hop, delay: Span::ZERO }, packet);
                let wires = cx.wires.as_mut().expect("only a node with a wire has routes over it");
                wires.send(cx.ctx, self.node, next_hop, packet);
            }
            RouteOut::Purge { next_hop, reason } => {
                for packet in self.link.queue.purge(next_hop, &cx.ctx.packets) {
                    cx.ctx.drop(self.node, packet, reason);
                }
            }
        }
    }

    fn send_down(&mut self, cx: &mut NetCtx<'_>, packet: PacketId) {
        for Unresolved { packet, next_hop } in self.link.send(cx.ctx, packet).into_iter().flatten() {
            self.on_link_failure(cx, packet, next_hop, DropReason::Arp);
        }
    }
}

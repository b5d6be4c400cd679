//! The network layer of one node: delivers, forwards, or passes to the routing protocol (RFC 791, RFC 1812).

use super::explicit_feedback::{AnyRouter, At, FeedbackRouters, Lost};
use super::link::{Discipline, HopQueue, Link, MacState};
use super::own_turns::OwnTurns;
use super::reverse_routes::ReverseRoutes;
use super::routing::{RouteOut, Routing, RoutingProtocol, SourceBytes};
use super::wires::Wires;
use crate::kernel::{AnyRun, NodeId, RadioId, RunKind, Span, Time};
use crate::packet::{Backlog, Category, ChannelView, NewPacket, PacketId, Payload};
use crate::sim::{Ctx, FeedbackTimer, LinkTimer, RoutingTimer};
use crate::trace::DropReason;
use std::marker::PhantomData;

/// The network layer of one node.
#[derive(Debug)]
pub struct Net {
    pub(super) node: NodeId,
    /// Address resolution and queue of the first radio.
    pub link: Link,
    /// Those of further radios, in order.
    pub(super) further: Vec<Link>,
    /// Finds the next hop.
    pub routing: RoutingProtocol,
    /// By radio, in order; empty if no radio has any.
    pub(super) feedback: Vec<FeedbackRouters>,
    /// When the node's own data enter, with release by overhearing.
    pub own_turns: Option<Box<OwnTurns>>,
    /// Whether the node has a proxy, which may accept packets for other nodes.
    pub has_proxy: bool,
    reverse_routes: Option<ReverseRoutes>,
    reports_failures: bool,
    source_bytes: SourceBytes,
}

/// What the network layer may use while it handles an event.
pub struct NetCtx<'a, R: RunKind = AnyRun> {
    /// Clock, events, packets, trace.
    pub ctx: &'a mut Ctx,
    /// Scratch space for the actions of routing; empty between events.
    pub routes: &'a mut Vec<RouteOut>,
    /// The radio that the event is at; the node's first one for all others, and [`RadioId::NONE`] at a host.
    pub radio: RadioId,
    /// What the MAC of this radio observes of the channel.
    pub hop: &'a dyn ChannelView,
    /// The wires of the run, if there are any.
    pub wires: Option<&'a mut Wires>,
    /// What nodes of the run may have.
    pub kind: PhantomData<R>,
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
            further: Vec::new(),
            routing,
            feedback: Vec::new(),
            own_turns: None,
            has_proxy: false,
            reverse_routes: None,
            reports_failures,
            source_bytes,
        }
    }

    /// Whether it has no more than the nodes of a [`PlainRun`](crate::kernel::PlainRun).
    pub fn is_plain(&self) -> bool {
        let is_one_line = self.further.is_empty() && !self.link.has_categories();
        is_one_line && self.feedback.is_empty() && !self.has_proxy && self.reverse_routes.is_none()
    }

    /// Adds the link of a further radio.
    pub fn add_link(&mut self, link: Link) {
        self.further.push(link);
    }

    /// The links of all radios, in order.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        std::iter::once(&self.link).chain(&self.further)
    }

    /// The link of a radio of this node.
    #[inline]
    pub(super) fn link_of<R: RunKind>(&mut self, radio: RadioId) -> &mut Link {
        if R::IS_PLAIN || radio == self.link.radio() {
            return &mut self.link;
        }
        let link = self.further.iter_mut().find(|link| link.radio() == radio);
        link.expect("a radio of this node")
    }

    /// The own radio and the neighbor's radio on a packet's next hop.
    pub(super) fn hop<R: RunKind>(&self, ctx: &Ctx, next_hop: NodeId) -> (RadioId, RadioId) {
        if next_hop.is_broadcast() {
            (self.link.radio(), RadioId::BROADCAST)
        } else {
            ctx.radios.link_in::<R>(self.node, next_hop)
        }
    }

    /// Adds a feedback router at the radio with this place among those of the node; packets pass it after those before it.
    pub fn add_feedback_router(&mut self, place: usize, router: AnyRouter) {
        if self.feedback.len() <= place {
            self.feedback.resize_with(place + 1, FeedbackRouters::default);
        }
        self.feedback[place].push(router);
    }

    /// The link of a radio follows what its MAC withholds (see [`HopQueue::withhold`](super::link::HopQueue::withhold)).
    pub fn withhold(&mut self, radio: RadioId, update: impl FnOnce(&mut Vec<RadioId>) -> bool) {
        if let Some(queue) = &mut self.link_of::<AnyRun>(radio).hop_queue {
            queue.withhold(update);
        }
    }

    /// A parked packet returns from the MAC of a radio.
    pub fn take_back(&mut self, ctx: &mut Ctx, radio: RadioId, packet: PacketId) {
        self.link_of::<AnyRun>(radio).take_back(ctx, packet);
    }

    /// Releases packets of the node by overhearing: those of at least `long_from` bytes, and own ones in turn.
    pub fn release_by_hop(&mut self, long_from: u32, wait: Span) {
        self.own_turns = Some(Box::new(OwnTurns::new(wait)));
        for link in std::iter::once(&mut self.link).chain(&mut self.further) {
            link.hop_queue = Some(Box::new(HopQueue::new(long_from)));
            link.arp_first = true;
        }
    }

    /// Enables reverse routes: local ACKs return hop by hop on the route of the data, without routing.
    pub fn go_back_the_way(&mut self) {
        self.reverse_routes = Some(ReverseRoutes::default());
    }

    /// The run begins, with the node's first radio; the routers of further ones begin by [`Net::start_feedback`].
    pub fn start<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>) {
        self.route(cx, Routing::start);
        self.start_feedback(cx);
    }

    /// Reports the state of the feedback routers of all radios, by name and value.
    pub(crate) fn read_feedback(&self, now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        for routers in &self.feedback {
            routers.read(now, put);
        }
    }

    /// The feedback routers of the radio in `cx` set their first timers.
    pub(crate) fn start_feedback<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>) {
        self.ask_feedback(cx, FeedbackRouters::start);
    }

    /// Sends a new packet of this node. Header bytes that routing adds at the source are added here.
    pub fn send<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, mut packet: NewPacket) {
        packet.bytes += self.source_bytes.of(&packet.payload);
        let packet = cx.ctx.originate(packet, self.routing.source_ttl());
        self.forward(cx, packet);
    }

    /// Sends a packet of a real program with its own TTL: a frame and a broadcast to neighbors, any other by routing.
    pub fn send_live<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: NewPacket, ttl: u8) {
        let next_hop = packet.dst;
        let is_direct = next_hop.is_broadcast() || packet.payload.is_frame();
        let packet = cx.ctx.originate(packet, ttl);
        if is_direct {
            self.send_to(cx, packet, next_hop, Span::ZERO);
        } else {
            self.forward(cx, packet);
        }
    }

    /// Sends a packet that this node's proxy has accepted. Its length includes the header bytes of routing already.
    pub fn resend<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, mut packet: NewPacket) {
        packet.bytes += match packet.payload {
            // A packet that the proxy creates starts here.
            Payload::Lack(_) => self.source_bytes.of(&packet.payload),
            _ => 0,
        };
        let packet = cx.ctx.originate_at(self.node, packet, self.routing.source_ttl());
        self.forward(cx, packet);
    }

    /// Routes a packet at this node and sends it to the next hop.
    pub fn forward<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId) {
        if !R::IS_PLAIN
            && let Some(routes) = &self.reverse_routes
            && let Some(next_hop) = routes.of(cx.ctx.packet(packet))
        {
            if cx.wires.as_ref().is_some_and(|wires| wires.join(self.node, next_hop)) {
                self.carry_out(cx, RouteOut::Wire { packet, next_hop });
            } else {
                self.send_to(cx, packet, next_hop, Span::ZERO);
            }
        } else if let Some(next_hop) = self.routing.fixed_next_hop(cx.ctx.packet(packet).dst) {
            self.send_to(cx, packet, next_hop, Span::ZERO);
        } else {
            self.route(cx, |routing, rcx| routing.on_packet(rcx, packet));
        }
    }

    /// The MAC has received a packet from a radio of a neighbor.
    pub fn on_received<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId, from: RadioId) {
        self.link_of::<R>(cx.radio).receive(cx.ctx, packet, from);
    }

    /// The MAC has decoded a packet of a neighbor for another node.
    pub fn on_overheard<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId, from: RadioId) {
        let from = cx.ctx.radios.owner(from);
        self.route(cx, |routing, rcx| routing.on_overheard(rcx, packet, from));
    }

    /// The MAC has held a packet from a neighbor, the node's own copy, and releases it.
    pub fn on_released<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, copy: PacketId, from: RadioId) {
        self.link_of::<R>(cx.radio).receive_copy(cx.ctx, copy, from);
    }

    /// Dequeues a packet of at most `most` bytes that joins others of its category to the same next hop.
    pub fn next_joining<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
        next_hop: RadioId,
        category: Category,
        most: u32,
    ) -> Option<PacketId> {
        let packet = self.link_of::<R>(cx.radio).next_joining(cx.ctx, cx.hop, (next_hop, category), most)?;
        self.count_taken(cx, packet);
        self.show(cx, At::Departure, packet);
        Some(packet)
    }

    /// A packet's delay in the link layer is over.
    pub fn on_link_timer<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
        timer: LinkTimer,
        packet: PacketId,
    ) -> Option<NetOut> {
        match timer {
            LinkTimer::ToQueue => {
                self.show(cx, At::Arrival, packet);
                let category = cx.ctx.packet(packet).category;
                let link = self.link_of::<R>(cx.radio);
                link.arrived(cx.ctx, packet);
                let is_full = link.enqueue(cx.ctx, packet);
                let is_engaged = if R::IS_PLAIN { link.mac == MacState::Engaged } else { link.is_engaged(category) };
                if is_full {
                    self.notify_loss(cx, Lost::QueueFull);
                }
                match is_engaged {
                    true => None,
                    false if R::IS_PLAIN => self.next_for_mac(cx),
                    false => self.next_of(cx, category),
                }
            }
            LinkTimer::ToNetwork => self.on_arrival(cx, packet),
            LinkTimer::ToLink => {
                self.link_of::<R>(cx.radio).arrived(cx.ctx, packet);
                self.send_down(cx, cx.radio, packet);
                None
            }
        }
    }

    /// A packet has arrived over a wire.
    pub fn on_wire_arrival<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId) -> Option<NetOut> {
        let arrived = cx.ctx.packet(packet);
        self.routing.on_wired(arrived.src, arrived.dst, arrived.hop.prev);
        self.on_arrival(cx, packet)
    }

    /// A timer of a feedback router of the radio in `cx` fires.
    pub fn on_feedback_timer<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, timer: FeedbackTimer) {
        self.ask_feedback(cx, |routers, ctx, here| routers.on_timer(ctx, here, timer));
    }

    /// A timer of the routing protocol fires.
    pub fn on_routing_timer<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, timer: RoutingTimer) {
        self.route(cx, |routing, rcx| routing.on_timer(rcx, timer));
    }

    /// The MAC is free.
    pub fn on_mac_ready<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>) -> Option<NetOut> {
        self.link_of::<R>(cx.radio).mac = MacState::Free;
        self.next_for_mac(cx).or(Some(NetOut::Slot))
    }

    /// The MAC can take a packet of a category.
    pub fn on_category_ready<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, category: Category) -> Option<NetOut> {
        self.link_of::<R>(cx.radio).release(category);
        self.next_of(cx, category).or(Some(NetOut::Slot))
    }

    /// The MAC has parked its packet, with access categories that of one: it can take a control packet.
    pub fn on_mac_parked<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, category: Option<Category>) -> Option<NetOut> {
        self.link_of::<R>(cx.radio).set_mac(MacState::Parked, category);
        match category {
            None => self.next_for_mac(cx),
            Some(category) => self.next_of(cx, category),
        }
    }

    /// The packet of the MAC of a radio contends again, with access categories that of one: it can take no packet.
    pub fn on_mac_unparked(&mut self, radio: RadioId, category: Option<Category>) {
        self.link_of::<AnyRun>(radio).set_mac(MacState::Engaged, category);
    }

    /// The backlog above the MAC of a radio, without what the MACs of the node hold.
    pub fn backlog(&self, ctx: &Ctx, radio: RadioId) -> Backlog {
        let mut backlog = Backlog { waiting: self.routing.waiting() as u32, ..Backlog::default() };
        for link in self.links() {
            backlog.unresolved += link.unresolved(ctx.now);
            backlog.coming += link.coming();
            let is_own = link.radio() == radio;
            link.queue.visit(&mut |id| {
                let packet = ctx.packet(id);
                if packet.is_control() {
                    backlog.control += 1;
                    return;
                }
                backlog.data += 1;
                if let Some(queue) = &link.hop_queue
                    && !queue.passes(packet)
                {
                    if packet.origin() == self.node {
                        backlog.own += 1;
                    } else {
                        backlog.transit.add(packet.hop.next);
                    }
                }
                if is_own {
                    backlog.head = backlog.head.or(Some(packet.hop.next));
                }
            });
        }
        backlog
    }

    /// Schedules events for the first timeouts of pending ARP replies ([`Link::schedule_arp_check`]).
    pub fn schedule_arp_checks(&mut self, ctx: &mut Ctx) {
        self.link.schedule_arp_check(ctx);
        for link in &mut self.further {
            link.schedule_arp_check(ctx);
        }
    }

    /// Packets in the interface queue of each radio, by access category.
    pub fn queued_by_category(&self, ctx: &Ctx) -> impl Iterator<Item = [u32; Category::COUNT]> {
        self.links().map(|link| {
            let mut queued = [0; Category::COUNT];
            link.queue.visit(&mut |id| queued[ctx.packet(id).category as usize] += 1);
            queued
        })
    }

    /// The MAC has dropped a packet at its retry limit. If the next hop has a copy, this one counts as a packet of its own.
    pub fn on_mac_failed<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
        packet: PacketId,
        next_hop: RadioId,
        reached_next_hop: bool,
    ) {
        if reached_next_hop {
            let copy = cx.ctx.packets.get(packet.0);
            cx.ctx.trace.counters.life(copy).copied += 1;
        }
        self.notify_loss(cx, Lost::MacRetry);
        self.on_link_failure(cx, packet, next_hop, DropReason::MacRetry);
    }

    pub(super) fn on_link_failure<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
        packet: PacketId,
        next_hop: RadioId,
        reason: DropReason,
    ) {
        cx.ctx.trace.counters.node(self.node).link_failures += 1;
        self.return_to_routing(cx, packet, next_hop, reason);
    }

    /// Passes a packet that cannot be sent to its next hop to routing, or drops it.
    pub(super) fn return_to_routing<R: RunKind>(
        &mut self,
        cx: &mut NetCtx<'_, R>,
        packet: PacketId,
        next_hop: RadioId,
        reason: DropReason,
    ) {
        let payload = &cx.ctx.packet(packet).payload;
        let is_routed = !matches!(payload, Payload::Arp(_)) && !payload.is_frame();
        if self.reports_failures && is_routed {
            self.route(cx, |routing, rcx| routing.on_link_failure(rcx, packet, next_hop, reason));
        } else {
            cx.ctx.drop(self.node, packet, reason);
        }
    }

    fn next_for_mac<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>) -> Option<NetOut> {
        let link = self.link_of::<R>(cx.radio);
        let packet = if !R::IS_PLAIN && link.hop_queue.is_some() {
            link.next_released(cx.ctx, cx.hop)?
        } else {
            link.next_for_mac(cx.ctx, cx.hop)?
        };
        Some(self.hand_down(cx, packet))
    }

    fn next_of<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, category: Category) -> Option<NetOut> {
        if !self.link_of::<R>(cx.radio).has_categories() {
            return self.next_for_mac(cx);
        }
        let packet = self.link_of::<R>(cx.radio).next_of(cx.ctx, cx.hop, category)?;
        Some(self.hand_down(cx, packet))
    }

    #[inline]
    fn hand_down<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId) -> NetOut {
        self.count_taken(cx, packet);
        self.show(cx, At::Departure, packet);
        NetOut::ToMac(packet)
    }

    fn count_taken<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId) {
        let taken = cx.ctx.packets.get(packet.0);
        let wait = cx.ctx.now.since(taken.queued.here).0;
        if !R::IS_PLAIN {
            cx.ctx.trace.counters.category(self.node, taken.category, |counters| {
                counters.queued += 1;
                counters.wait += wait;
            });
        }
        if !R::IS_PLAIN
            && let Some(turns) = &mut self.own_turns
            && let Some(queue) = &self.link.hop_queue
            && !queue.passes(taken)
        {
            turns.on_taken(cx.ctx.now, taken.flow, taken.src == self.node);
        }
        let here = cx.ctx.trace.counters.node(self.node);
        here.queued += 1;
        here.wait += wait;
        if taken.origin() != self.node {
            here.relayed += 1;
            here.relay_wait += wait;
        }
    }

    fn on_arrival<R: RunKind>(&mut self, cx: &mut NetCtx<'_, R>, packet: PacketId) -> Option<NetOut> {
        if matches!(cx.ctx.packet(packet).payload, Payload::Control(_)) {
            // The radios of a node are on different channels: the one that has sent it is that on this radio's channel.
            let from = cx.ctx.radios.facing(cx.ctx.packet(packet).hop.prev, cx.radio);
            self.route(cx, |routing, rcx| routing.on_control(rcx, packet, from));
            return None;
        }
        let arrived = cx.ctx.packet_mut(packet);
        if !R::IS_PLAIN
            && let Some(routes) = &mut self.reverse_routes
        {
            routes.learn(arrived);
        }
        // A broadcast travels one hop.
        if arrived.dst == self.node || arrived.dst.is_broadcast() {
            if arrived.route.is_some() {
                let from = arrived.hop.prev;
                self.route(cx, |routing, rcx| routing.on_overheard(rcx, packet, from));
                cx.ctx.packet_mut(packet).remove_route();
            }
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
        if !R::IS_PLAIN {
            if arrived.pass_relay(self.node) && self.has_proxy {
                arrived.remove_route();
                return Some(NetOut::Divert(packet));
            }
            if cx.ctx.unreachable.is_some() && self.absorbs(cx, packet) {
                cx.ctx.consume(packet);
                return None;
            }
        }
        self.forward(cx, packet);
        None
    }
}

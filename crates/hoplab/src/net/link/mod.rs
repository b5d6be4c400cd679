//! The link layer of ns-2 (`LL`): ARP resolution, the interface queue, and the delays of both.

mod admission;
mod arp;
mod config;
mod hop_queue;
mod queue;
mod released;

pub use admission::{Admission, SourceCount, SourceFill};
pub use arp::{ARP_BYTES, ArpTable, Resolution};
pub use config::LinkConfig;
pub use hop_queue::HopQueue;
pub use queue::{
    Categories, Discipline, DropTail, Dropped, EngineDiscipline, InterfaceQueue, QueueConfig, QueueCtx, QueueKind,
    QueueParameters, QueueSetup, RadioPart, purge_line,
};

use crate::kernel::{FlowId, NodeId, RadioId, Span, Time};
use crate::packet::{Arp, Category, ChannelView, NewPacket, PacketId, Payload};
use crate::sim::{Ctx, Event, LinkTimer};
use crate::trace::DropReason;

/// ARP packets, and packets released by a reply, reach the queue after this time in ns-2.
const ARP_DELAY: Span = Span::from_micros(5);

/// The link layer of one radio.
#[derive(Debug)]
pub struct Link {
    node: NodeId,
    /// Its radio; [`RadioId::NONE`] at a host.
    radio: RadioId,
    config: LinkConfig,
    arp: ArpTable,
    /// Packets that wait for the MAC.
    pub queue: InterfaceQueue,
    /// What the MAC can take.
    pub mac: MacState,
    /// What the MAC can take of each access category; none without categories.
    engaged: Option<[MacState; Category::COUNT]>,
    /// When packets of this node's pulled transport are admitted.
    pub admission: Admission,
    /// Whether ARP precedes data in the queue, as routing messages do.
    pub arp_first: bool,
    /// Whether control packets join no A-MPDU, and end it: its window may be parked, and they may not.
    pub sends_control_singly: bool,
    /// What the MAC withholds, with release by overhearing.
    pub hop_queue: Option<Box<HopQueue>>,
    /// Data packets that have been sent down and have not reached the queue.
    on_the_way: u32,
    /// Time of the scheduled event for overdue replies (see [`Link::schedule_arp_check`]).
    arp_check_at: Option<Time>,
    /// Packets that the queue drops during one call.
    dropped: Vec<Dropped>,
}

/// What the MAC below can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacState {
    /// Any packet.
    Free,
    /// None: it has a packet.
    Engaged,
    /// Control packets only: its data packet is parked.
    Parked,
}

/// A packet whose next hop did not reply to ARP requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// Which.
    pub packet: PacketId,
    /// Radio of a neighbor without reply.
    pub next_hop: RadioId,
}

impl Link {
    /// An idle link layer of a node's radio; a host has [`RadioId::NONE`].
    pub fn new(node: NodeId, radio: RadioId, config: &LinkConfig, queue: InterfaceQueue) -> Link {
        Link {
            node,
            radio,
            config: config.clone(),
            arp: ArpTable::default(),
            mac: MacState::Free,
            engaged: matches!(queue, InterfaceQueue::Categories(_)).then_some([MacState::Free; Category::COUNT]),
            queue,
            admission: Admission::default(),
            arp_first: false,
            sends_control_singly: false,
            hop_queue: None,
            on_the_way: 0,
            arp_check_at: None,
            dropped: Vec::new(),
        }
    }

    /// The address of its radio.
    pub fn radio(&self) -> RadioId {
        self.radio
    }

    /// Packets held by pending ARP resolution.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.arp.held()
    }

    /// Packets with a pending ARP reply.
    pub fn unresolved(&self, now: Time) -> u32 {
        self.arp.awaited(now).0
    }

    /// Schedules an event for the first timeout of a pending ARP reply: pull admission depends on it.
    pub fn schedule_arp_check(&mut self, ctx: &mut Ctx) {
        let (_, overdue) = self.arp.awaited(ctx.now);
        if let Some(at) = overdue.filter(|at| self.arp_check_at.is_none_or(|arranged| arranged < *at)) {
            self.arp_check_at = Some(at);
            ctx.events.schedule(at, Event::ArpOverdue { node: self.node });
        }
    }

    /// Data packets that have been sent down and have not reached the queue.
    pub fn coming(&self) -> u32 {
        self.on_the_way
    }

    /// Whether its queue has a line for each access category.
    pub fn has_categories(&self) -> bool {
        self.engaged.is_some()
    }

    /// Whether the MAC can take no packet of this category.
    pub fn is_engaged(&self, category: Category) -> bool {
        self.engaged.map_or(self.mac, |engaged| engaged[category as usize]) == MacState::Engaged
    }

    /// The MAC can take a packet of this category.
    pub fn release(&mut self, category: Category) {
        if let Some(engaged) = &mut self.engaged {
            engaged[category as usize] = MacState::Free;
        }
    }

    /// What the MAC can take changes, with access categories of one.
    pub fn set_mac(&mut self, state: MacState, category: Option<Category>) {
        match (&mut self.engaged, category) {
            (Some(engaged), Some(category)) => engaged[category as usize] = state,
            _ => self.mac = state,
        }
    }

    /// Dequeues the next packet of a category for the MAC, which observes `channel`.
    pub fn next_of(&mut self, ctx: &mut Ctx, channel: &dyn ChannelView, category: Category) -> Option<PacketId> {
        let Some(engaged) = self.engaged else { return self.next_for_mac(ctx, channel) };
        let is_parked = engaged[category as usize] == MacState::Parked;
        if is_parked && !self.has_apart_first(ctx, category) {
            return None;
        }
        let Some(engaged) = &mut self.engaged else { return None };
        let mut cx = QueueCtx::new(ctx.now, &mut ctx.packets, &mut self.dropped).with_channel(channel);
        let packet = self.queue.dequeue_of(&mut cx, category);
        engaged[category as usize] = if packet.is_some() { MacState::Engaged } else { MacState::Free };
        self.drop_dropped(ctx);
        if let Some(packet) = packet {
            ctx.queue_changed(self.node, packet, false, self.queue.len());
        }
        packet
    }

    /// Dequeues the next packet for the MAC, which observes `channel`, if it can take it.
    pub fn next_for_mac(&mut self, ctx: &mut Ctx, channel: &dyn ChannelView) -> Option<PacketId> {
        if self.mac == MacState::Parked && !self.queue.peek().is_some_and(|head| ctx.packet(head).is_control()) {
            return None;
        }
        let mut cx = QueueCtx::new(ctx.now, &mut ctx.packets, &mut self.dropped).with_channel(channel);
        let packet = self.queue.dequeue(&mut cx);
        self.drop_dropped(ctx);
        self.mac = if packet.is_some() { MacState::Engaged } else { MacState::Free };
        if let Some(packet) = packet {
            ctx.queue_changed(self.node, packet, false, self.queue.len());
        }
        packet
    }

    /// Dequeues the first packet of a category for a next hop, if it has at most `most` bytes. The MAC observes `channel`.
    pub fn next_joining(
        &mut self,
        ctx: &mut Ctx,
        channel: &dyn ChannelView,
        (next_hop, category): (RadioId, Category),
        most: u32,
    ) -> Option<PacketId> {
        if self.sends_control_singly && self.has_apart(ctx, category) {
            return None;
        }
        let mut cx = QueueCtx::new(ctx.now, &mut ctx.packets, &mut self.dropped).with_channel(channel);
        let packet = self.queue.dequeue_for(&mut cx, next_hop, category, most);
        self.drop_dropped(ctx);
        let packet = packet?;
        ctx.queue_changed(self.node, packet, false, self.queue.len());
        Some(packet)
    }

    /// Time from the end of a frame until its packet is up.
    pub fn delay_up(&self) -> Span {
        self.config.delay
    }

    /// A packet in the delay of the link layer has reached its end.
    pub fn arrived(&mut self, ctx: &Ctx, packet: PacketId) {
        self.on_the_way -= u32::from(!ctx.packet(packet).is_control());
    }

    /// Sends a packet to the queue; its `next_hop` is set. `false`: the address of that is to be resolved first, by
    /// [`Link::resolve`].
    #[inline]
    pub fn send(&mut self, ctx: &mut Ctx, packet: PacketId) -> bool {
        let sent = ctx.packet(packet);
        // Hosts resolve the addresses of their frames.
        let is_known = self.arp.knows(sent.hop.next) || sent.hop.next.is_broadcast() || !self.config.arp;
        if is_known || sent.payload.is_frame() {
            self.schedule(ctx, self.config.delay, LinkTimer::ToQueue, packet);
            return true;
        }
        false
    }

    /// Holds a packet whose next hop's address is not known, and requests that. Returns packets whose resolution failed.
    pub fn resolve(&mut self, ctx: &mut Ctx, packet: PacketId) -> [Option<Unresolved>; 2] {
        let next_hop = ctx.packet(packet).hop.next;
        match self.arp.resolve(ctx.now, next_hop, packet) {
            Resolution::Request { displaced } => {
                let node = ctx.radios.owner(next_hop);
                if let Some(displaced) = displaced {
                    ctx.drop(self.node, displaced, DropReason::Arp);
                }
                self.send_arp(ctx, RadioId::BROADCAST, Arp::Request { target: next_hop, node });
                [None, None]
            }
            Resolution::Fail { held } => {
                let failed = |packet| Unresolved { packet, next_hop };
                [held.map(failed), Some(failed(packet))]
            }
        }
    }

    /// A packet has arrived from the MAC, of radio `from` of a neighbor; it belongs to the sender. ARP is handled here; a copy
    /// of any other packet is passed up after a delay.
    pub fn receive(&mut self, ctx: &mut Ctx, packet: PacketId, from: RadioId) {
        let Payload::Arp(message) = ctx.packet(packet).payload else {
            let copy = ctx.copy(packet, from);
            self.schedule(ctx, self.config.delay, LinkTimer::ToNetwork, copy);
            return;
        };
        ctx.consume_unkept(packet);
        self.on_arp(ctx, message, from);
    }

    /// A packet has arrived from the MAC that is this node's own copy.
    pub fn receive_copy(&mut self, ctx: &mut Ctx, copy: PacketId, from: RadioId) {
        if let Payload::Arp(message) = ctx.packet(copy).payload {
            ctx.consume(copy);
            self.on_arp(ctx, message, from);
        } else {
            self.schedule(ctx, self.config.delay, LinkTimer::ToNetwork, copy);
        }
    }

    fn on_arp(&mut self, ctx: &mut Ctx, message: Arp, from: RadioId) {
        if let Some(released) = self.arp.learn(from) {
            self.schedule(ctx, ARP_DELAY, LinkTimer::ToQueue, released);
        }
        if matches!(message, Arp::Request { target, .. } if target == self.radio) {
            self.send_arp(ctx, from, Arp::Reply);
        }
    }

    /// A packet has reached the queue. Dropped packets are accounted for here; whether there was one.
    pub fn enqueue(&mut self, ctx: &mut Ctx, packet: PacketId) -> bool {
        let now = ctx.now;
        let queued = ctx.packet_mut(packet);
        queued.queued.enter(now);
        let is_urgent = queued.is_urgent() || self.arp_first && queued.is_control();
        let is_urgent = is_urgent || self.hop_queue.as_ref().is_some_and(|queue| queue.passes(ctx.packet(packet)));
        let mut cx = QueueCtx::new(now, &mut ctx.packets, &mut self.dropped);
        match self.queue.enqueue(&mut cx, packet, is_urgent) {
            Ok(()) => {
                // The packet itself may be among those that are dropped.
                ctx.queue_changed(self.node, packet, true, self.queue.len());
                let has_dropped = !self.dropped.is_empty();
                self.drop_dropped(ctx);
                has_dropped
            }
            Err(reason) => {
                self.drop_dropped(ctx);
                ctx.drop(self.node, packet, reason);
                true
            }
        }
    }

    /// Counts packets that the queue has dropped by itself.
    #[inline]
    fn drop_dropped(&mut self, ctx: &mut Ctx) {
        if !self.dropped.is_empty() {
            self.drop_all(ctx);
        }
    }

    #[cold]
    fn drop_all(&mut self, ctx: &mut Ctx) {
        for dropped in self.dropped.drain(..) {
            ctx.drop(self.node, dropped.packet, dropped.reason);
        }
    }

    /// Delays a packet on its way to the link layer.
    pub fn delay(&mut self, ctx: &mut Ctx, packet: PacketId, delay: Span) {
        self.schedule(ctx, delay, LinkTimer::ToLink, packet);
    }

    fn send_arp(&mut self, ctx: &mut Ctx, to: RadioId, message: Arp) {
        let (dst, payload) = (ctx.radios.owner(to), Payload::Arp(message));
        let new = NewPacket { flow: FlowId::NONE, src: self.node, dst, bytes: ARP_BYTES, payload };
        let packet = ctx.originate(new, 1);
        ctx.packet_mut(packet).hop.next = to;
        self.schedule(ctx, ARP_DELAY, LinkTimer::ToQueue, packet);
    }

    /// Whether the first packet of a category is served apart.
    fn has_apart_first(&self, ctx: &Ctx, category: Category) -> bool {
        let mut first = None;
        self.queue.visit(&mut |id| {
            let packet = ctx.packet(id);
            if first.is_none() && packet.category == category {
                first = Some(self.is_apart(packet));
            }
        });
        first == Some(true)
    }

    /// Whether a packet of a category waits that is served apart.
    fn has_apart(&self, ctx: &Ctx, category: Category) -> bool {
        let mut has_any = false;
        self.queue.visit(&mut |id| {
            let packet = ctx.packet(id);
            has_any |= packet.category == category && self.is_apart(packet);
        });
        has_any
    }

    #[inline]
    fn schedule(&mut self, ctx: &mut Ctx, delay: Span, timer: LinkTimer, packet: PacketId) {
        if timer != LinkTimer::ToNetwork {
            self.on_the_way += u32::from(!ctx.packet(packet).is_control());
        }
        ctx.events.schedule(ctx.now + delay, Event::Link { radio: self.radio, timer, packet });
    }
}

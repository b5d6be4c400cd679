//! The context of a feedback router while it handles an event: time, estimates of its radio, random stream, and timers.

use crate::kernel::{EventQueue, NodeId, Purpose, RadioId, RandomStreams, Span, Time, TimerId, normal};
use crate::net::link::{Discipline, InterfaceQueue};
use crate::packet::{Category, ChannelView, Packets};
use crate::sim::{Ctx, Event, FeedbackTimer};

/// What a feedback router may use while it handles an event.
pub struct FeedbackCtx<'a> {
    /// The current time.
    pub now: Time,
    /// The radio at whose queue the router is; none of a port.
    pub radio: RadioId,
    /// What the MAC of this radio observes of the channel.
    pub hop: &'a dyn ChannelView,
    /// Random streams of the run.
    pub streams: RandomStreams,
    queue: &'a InterfaceQueue,
    packets: &'a Packets,
    events: &'a mut EventQueue<Event>,
    node: NodeId,
    place: u8,
    interface: Interface,
    index: u32,
}

/// The interface whose queue packets pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Interface {
    /// That of the node's radio.
    #[default]
    Radio,
    /// A port of a wire.
    Port {
        /// Index among the ports of the run.
        port: u32,
        /// Bytes that the wire adds to each packet.
        overhead: u32,
    },
}

impl FeedbackCtx<'_> {
    /// Queue length in packets.
    pub fn queue_len(&self) -> usize {
        self.queue.len()
    }

    /// Queue length in bytes, without MAC overhead; with that of a wire.
    pub fn queue_bytes(&self) -> u64 {
        let (mut bytes, overhead) = (0, u64::from(self.interface.overhead()));
        self.queue.visit(&mut |id| bytes += u64::from(self.packets.get(id.0).bytes) + overhead);
        bytes
    }

    /// The access category in which a packet of this one is sent: best effort, unless the radio has categories.
    pub fn sent_as(&self, category: Category) -> Category {
        if matches!(self.queue, InterfaceQueue::Categories(_)) { category } else { Category::default() }
    }

    /// Sets a timer that fires at `at`; `timer` is passed to [`super::FeedbackRouter::on_timer`].
    pub fn set_timer(&mut self, at: Time, timer: u8) -> TimerId {
        let timer = FeedbackTimer { place: self.place, router: self.index as u8, kind: timer };
        let event = match self.interface {
            Interface::Radio => Event::Feedback { node: self.node, timer },
            Interface::Port { port, .. } => Event::PortFeedback { port, timer },
        };
        self.events.schedule(at, event)
    }

    /// Number of the interface, for random streams of its routers.
    pub(super) fn entity(&self) -> u32 {
        match self.interface {
            Interface::Radio => self.radio.0,
            Interface::Port { port, .. } => PORTS ^ port,
        }
    }

    /// Cancels a timer that has not fired.
    pub fn cancel_timer(&mut self, timer: TimerId) {
        self.events.cancel(timer);
    }

    /// Sets a first timer so that routers are not in phase: after a normal variate around `mean`, as in ns-2's XCP. Returns
    /// its time.
    pub(super) fn set_first_timer(&mut self, timer: u8, mean: Span) -> Time {
        let stream = (self.index << 24) ^ (u32::from(timer) << 20) ^ self.entity();
        let mut stream = self.streams.stream(Purpose::Feedback, stream);
        let after = mean.secs() * (1.0 + FIRST_SPREAD * normal(stream.unit(), stream.unit()));
        let at = self.now + Span::from_secs(after).max(FIRST_LEAST);
        self.set_timer(at, timer);
        at
    }
}

/// Standard deviation of a first timer, as a share of its mean.
const FIRST_SPREAD: f64 = 0.2;

/// Numbers of the random streams of ports: above those of nodes.
const PORTS: u32 = 1 << 31;

/// Earliest first timer.
const FIRST_LEAST: Span = Span::from_millis(4);

impl Interface {
    /// Bytes that it adds to each packet, as its routers count.
    pub(super) fn overhead(self) -> u32 {
        match self {
            Interface::Radio => 0,
            Interface::Port { overhead, .. } => overhead,
        }
    }
}

/// The interface that feedback routers are at.
pub(in crate::net) struct RouterNode<'a> {
    pub(in crate::net) node: NodeId,
    /// The radio at whose queue they are; none of a port.
    pub(in crate::net) radio: RadioId,
    /// Place of the radio among those of the node.
    pub(in crate::net) place: u8,
    pub(in crate::net) queue: &'a InterfaceQueue,
    pub(in crate::net) hop: &'a dyn ChannelView,
}

/// The context of the router with this index at an interface.
pub(super) fn context<'a>(ctx: &'a mut Ctx, at: &RouterNode<'a>, interface: Interface, index: u32) -> FeedbackCtx<'a> {
    FeedbackCtx {
        now: ctx.now,
        radio: at.radio,
        hop: at.hop,
        streams: ctx.streams,
        queue: at.queue,
        packets: &ctx.packets,
        events: &mut ctx.events,
        node: at.node,
        place: at.place,
        interface,
        index,
    }
}

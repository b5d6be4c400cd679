//! One direction of a wire: a queue, the packet in service, and what has passed.

use super::config::PortConfig;
use super::loss::Losses;
use super::usage::Usage;
use crate::kernel::{NodeId, Purpose, RadioId, RandomStream, RandomStreams, Span, Time};
use crate::metrics::Delays;
use crate::net::explicit_feedback::{AnyRouter, At, FeedbackRouters, Lost, RouterNode};
use crate::net::link::{Discipline, Dropped, InterfaceQueue, QueueCtx};
use crate::packet::PacketId;
use crate::sim::{Ctx, Event, FeedbackTimer, WireTimer};
use crate::trace::{DropReason, What};

/// One direction of a wire.
#[derive(Debug)]
pub struct Port {
    /// The node that sends.
    pub from: NodeId,
    /// The node that receives.
    pub to: NodeId,
    /// What has passed.
    pub counts: PortCounts,
    /// Waiting times of packets whose service began, from the start of the measurement on.
    pub waits: Delays,
    index: u32,
    queue: InterfaceQueue,
    is_busy: bool,
    rate: u64,
    overhead: u32,
    delay: Span,
    jitter: Option<(Span, RandomStream)>,
    reorder: bool,
    losses: Losses,
    /// Time of the latest arrival, where the order is kept.
    latest: Time,
    /// Packets that the queue drops during one call.
    dropped: Vec<Dropped>,
    feedback: FeedbackRouters,
    /// What the feedback routers read; not kept up where there is none.
    usage: Usage,
}

/// What has passed a port: drops over the whole run, all other numbers from `since` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounts {
    /// Start of the measurement.
    pub since: Time,
    /// Packets whose service began.
    pub packets: u64,
    /// Their bytes, overhead included.
    pub bytes: u64,
    /// Time in service, in nanoseconds.
    pub busy: u64,
    /// Sum of their waiting times, in nanoseconds.
    pub wait: u64,
    /// Longest waiting time, in nanoseconds.
    pub longest_wait: u64,
    /// Queue length integrated over time, in packets times nanoseconds.
    pub area: u128,
    /// Packets dropped by overflow.
    pub queue_full: u64,
    /// Packets dropped by the queue discipline before that.
    pub early: u64,
    /// Packets marked by the queue discipline.
    pub marks: u64,
    /// Packets lost after their transmission.
    pub lost: u64,
    /// Time of the last change of the queue length.
    changed: Time,
}

/// Nanoseconds in a second, as the rates of ports count.
const NANOS: u128 = 1_000_000_000;

impl Port {
    pub(super) fn new(
        (from, to): (NodeId, NodeId),
        config: &PortConfig,
        queue: InterfaceQueue,
        (streams, index): (&RandomStreams, u32),
        since: Time,
    ) -> Port {
        let rate = (libm::round(config.rate.0) as u64).max(1);
        let jitter = (config.jitter > Span::ZERO).then(|| (config.jitter, streams.stream(Purpose::WireJitter, index)));
        Port {
            from,
            to,
            counts: PortCounts { since, ..PortCounts::default() },
            waits: Delays::default(),
            index,
            queue,
            is_busy: false,
            rate,
            overhead: config.overhead.0,
            delay: config.delay,
            jitter,
            reorder: config.reorder,
            losses: Losses::new(config.loss, *streams, index),
            latest: Time::ZERO,
            dropped: Vec::new(),
            feedback: FeedbackRouters::of_port(index, config.overhead.0),
            usage: Usage::new(rate as f64 / 8.0),
        }
    }

    /// Adds a feedback router, which packets pass after those before it.
    pub(super) fn add_feedback_router(&mut self, router: AnyRouter) {
        self.feedback.push(router);
    }

    pub(super) fn start(&mut self, ctx: &mut Ctx) {
        self.at_routers(ctx, FeedbackRouters::start);
    }

    pub(super) fn on_feedback_timer(&mut self, ctx: &mut Ctx, timer: FeedbackTimer) {
        self.at_routers(ctx, |feedback, ctx, here| feedback.on_timer(ctx, here, timer));
    }

    /// A packet for the port's node passes its feedback routers.
    pub(super) fn pass_delivery(&mut self, ctx: &mut Ctx, packet: PacketId) {
        self.at_routers(ctx, |feedback, ctx, here| feedback.pass_delivery(ctx, here, packet));
    }

    /// Calls the feedback routers, if there are any.
    #[inline]
    fn at_routers(&mut self, ctx: &mut Ctx, call: impl FnOnce(&mut FeedbackRouters, &mut Ctx, &RouterNode<'_>)) {
        if !self.feedback.is_empty() {
            let (radio, place) = (RadioId::NONE, 0);
            let here = RouterNode { node: self.from, radio, place, queue: &self.queue, hop: &self.usage };
            call(&mut self.feedback, ctx, &here);
        }
    }

    /// Number of packets that wait.
    pub fn queue_len(&self) -> usize {
        self.queue.len()
    }

    /// Calls `visit` for each packet that waits. Events hold the others.
    pub fn each_waiting(&self, visit: &mut dyn FnMut(PacketId)) {
        self.queue.visit(visit);
    }

    /// The counts up to `now`.
    pub fn counts_until(&self, now: Time) -> PortCounts {
        let mut counts = self.counts;
        counts.pass(now, self.queue.len());
        counts
    }

    /// A packet to send; its next hop is set.
    pub(super) fn send(&mut self, ctx: &mut Ctx, packet: PacketId) {
        self.at_routers(ctx, |feedback, ctx, here| feedback.pass(ctx, here, At::Arrival, packet));
        let now = ctx.now;
        let queued = ctx.packet_mut(packet);
        queued.queued.enter(now);
        self.counts.pass(now, self.queue.len());
        let mut cx = QueueCtx::new(now, &mut ctx.packets, &mut self.dropped);
        let refused = self.queue.enqueue(&mut cx, packet, false);
        self.counts.marks += u64::from(cx.marks);
        if let Err(reason) = refused {
            self.dropped.push(Dropped { packet, reason });
        }
        if !self.dropped.is_empty() {
            self.drop_all(ctx);
            self.at_routers(ctx, |feedback, ctx, here| feedback.on_lost(ctx, here, Lost::QueueFull));
        }
        if !self.is_busy {
            self.serve(ctx);
        }
    }

    /// The transmission of a packet has ended.
    pub(super) fn on_sent(&mut self, ctx: &mut Ctx, packet: PacketId) {
        let now = ctx.now;
        if self.losses.is_lost(now) {
            self.counts.lost += 1;
            ctx.drop(self.from, packet, DropReason::Wire);
        } else {
            let extra = self.jitter.as_mut().map_or(0, |(jitter, stream)| (jitter.0 as f64 * stream.unit()) as u64);
            let mut at = now + self.delay + Span(extra);
            if !self.reorder {
                at = at.max(self.latest);
                self.latest = at;
            }
            ctx.events.schedule(at, Event::Wire { port: self.index, timer: WireTimer::Arrived, packet });
        }
        self.is_busy = false;
        self.serve(ctx);
    }

    /// Begins the transmission of the next packet, if there is one.
    fn serve(&mut self, ctx: &mut Ctx) {
        let now = ctx.now;
        self.counts.pass(now, self.queue.len());
        let mut cx = QueueCtx::new(now, &mut ctx.packets, &mut self.dropped);
        let next = self.queue.dequeue(&mut cx);
        self.counts.marks += u64::from(cx.marks);
        self.drop_dropped(ctx);
        let Some(packet) = next else { return };
        self.at_routers(ctx, |feedback, ctx, here| feedback.pass(ctx, here, At::Departure, packet));
        let (sent, to) = (ctx.packet(packet), self.to);
        let bytes = sent.bytes + self.overhead;
        let service = self.service(bytes);
        let what = What::WireSent { uid: sent.uid, to, bytes };
        let wait = now.since(sent.queued.here);
        self.counts.serve(now, bytes, wait, service);
        if !self.feedback.is_empty() {
            self.usage.serve(now, service);
        }
        if now >= self.counts.since {
            self.waits.add(wait);
        }
        ctx.note_about(self.from, what, packet);
        ctx.wire_passed(self.index, packet, true);
        self.is_busy = true;
        ctx.events.schedule(now + service, Event::Wire { port: self.index, timer: WireTimer::Sent, packet });
    }

    /// Time to transmit this many bytes, rounded up to a nanosecond.
    fn service(&self, bytes: u32) -> Span {
        let nanos = (8 * u128::from(bytes) * NANOS).div_ceil(u128::from(self.rate));
        Span(u64::try_from(nanos).unwrap_or(u64::MAX / 4))
    }

    #[inline]
    fn drop_dropped(&mut self, ctx: &mut Ctx) {
        if !self.dropped.is_empty() {
            self.drop_all(ctx);
        }
    }

    #[cold]
    fn drop_all(&mut self, ctx: &mut Ctx) {
        for Dropped { packet, reason } in self.dropped.drain(..) {
            match reason {
                DropReason::Early => self.counts.early += 1,
                _ => self.counts.queue_full += 1,
            }
            ctx.drop(self.from, packet, reason);
        }
    }
}

impl PortCounts {
    /// Time passes with `waiting` packets in the queue.
    fn pass(&mut self, now: Time, waiting: usize) {
        let from = self.changed.max(self.since);
        if now > from {
            self.area += u128::from(now.since(from).0) * waiting as u128;
        }
        self.changed = now;
    }

    fn serve(&mut self, now: Time, bytes: u32, wait: Span, service: Span) {
        let end = now + service;
        self.busy += if end > self.since { end.since(now.max(self.since)).0 } else { 0 };
        if now >= self.since {
            self.packets += 1;
            self.bytes += u64::from(bytes);
            self.wait += wait.0;
            self.longest_wait = self.longest_wait.max(wait.0);
        }
    }
}

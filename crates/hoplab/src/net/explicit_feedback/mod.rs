//! Routers that read their hop and write into headers of passing packets. One file per assist; the list below registers
//! them.
//!
//! An assist sees every packet that meets its node's interface queue, but can change only the [`Feedback`] header: a
//! packet's fate is no business of it.

mod muzha;
mod rcp;
mod xcp;

pub use muzha::Muzha;
pub use rcp::Rcp;
pub use xcp::Xcp;

use super::link::{Discipline, InterfaceQueue};
use crate::kernel::{EventQueue, FlowId, NodeId, Purpose, Span, Streams, Time, TimerId, normal};
use crate::packet::{ChannelView, ExplicitConfig, Feedback, Packet, Packets, Payload};
use crate::sim::{Ctx, Event, FeedbackTimer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Where a packet meets the router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// It reaches the interface queue, which does not hold it yet and may drop it.
    Arrival,
    /// The MAC takes it; the queue no longer holds it. Repetitions by the MAC do not come here again.
    Departure,
}

/// What an assist may know of a passing packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketView {
    /// Flow it belongs to, or [`FlowId::NONE`].
    pub flow: FlowId,
    /// Length with all headers above the MAC, in bytes.
    pub bytes: u32,
    /// What it carries.
    pub kind: PacketKind,
    /// Whether this node has created it.
    pub is_own: bool,
    /// Neighbor it is being sent to.
    pub next_hop: NodeId,
    /// Neighbor it came from.
    pub prev_hop: NodeId,
}

/// Kinds of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// Data of a connection: the only kind that can carry a [`Feedback`] header.
    Segment,
    /// Acknowledgment of a connection.
    Ack,
    /// Data without a connection.
    Datagram,
    /// Routing message or address resolution.
    Control,
}

/// Which of a node's packets were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The interface queue was full.
    QueueFull,
    /// The MAC gave up.
    MacRetry,
}

/// A router's part of a transport protocol, at one node.
pub trait FeedbackRouter {
    /// The run begins: timers may be set.
    fn start(&mut self, _cx: &mut FeedbackCtx<'_>) {}

    /// A packet meets the queue. `feedback` is the header it carries; it may be changed.
    fn on_packet(&mut self, cx: &mut FeedbackCtx<'_>, at: At, packet: &PacketView, feedback: &mut Feedback);

    /// A packet has reached this node, and is for it. `feedback` is what the receiver will read; it may be changed.
    fn on_delivery(&mut self, _cx: &mut FeedbackCtx<'_>, _packet: &PacketView, _feedback: &mut Feedback) {}

    /// A timer set with [`FeedbackCtx::wake`] has ended.
    fn on_timer(&mut self, _cx: &mut FeedbackCtx<'_>, _slot: u8) {}

    /// A packet of this node was lost.
    fn on_lost(&mut self, _cx: &mut FeedbackCtx<'_>, _lost: Lost) {}

    /// Tells what it has found out, by name and value, for who draws it over time. Changes nothing.
    fn read(&self, _now: Time, _put: &mut dyn FnMut(&'static str, f64)) {}
}

/// What an assist may use while it handles an event.
pub struct FeedbackCtx<'a> {
    /// The present.
    pub now: Time,
    /// The node.
    pub node: NodeId,
    /// What the node's MAC knows of the air.
    pub hop: &'a dyn ChannelView,
    /// Where chance comes from.
    pub streams: Streams,
    queue: &'a InterfaceQueue,
    packets: &'a Packets,
    events: &'a mut EventQueue<Event>,
    index: u32,
}

impl FeedbackCtx<'_> {
    /// Packets that wait for the MAC.
    pub fn queue_len(&self) -> usize {
        self.queue.len()
    }

    /// Queue length in bytes, without MAC overhead.
    pub fn queue_bytes(&self) -> u64 {
        let mut bytes = 0;
        self.queue.visit(&mut |id| bytes += u64::from(self.packets.get(id.0).bytes));
        bytes
    }

    /// Wakes this assist at `at`, by [`FeedbackRouter::on_timer`] with `slot`.
    pub fn wake(&mut self, at: Time, slot: u8) -> TimerId {
        let timer = FeedbackTimer { router: self.index as u8, kind: slot };
        self.events.schedule(at, Event::Feedback { node: self.node, timer })
    }

    /// Forgets a timer that has not ended yet.
    pub fn forget(&mut self, timer: TimerId) {
        self.events.cancel(timer);
    }
}

/// Sets the first timer so that routers are not in phase: a normal variate around `mean`, as in ns-2's XCP. When it ends.
fn first_wake(cx: &mut FeedbackCtx<'_>, slot: u8, mean: Span) -> Time {
    let mut chance = cx.streams.stream(Purpose::Feedback, (cx.index << 24) ^ (u32::from(slot) << 20) ^ cx.node.0);
    let drawn = mean.secs() * (1.0 + FIRST_SPREAD * normal(chance.unit(), chance.unit()));
    let at = cx.now + Span::from_secs(drawn).max(FIRST_LEAST);
    cx.wake(at, slot);
    at
}

/// Standard deviation of a first timer, as a share of its mean.
const FIRST_SPREAD: f64 = 0.2;

/// Earliest first timer.
const FIRST_LEAST: Span = Span::from_millis(4);

/// What an assist is made from.
#[derive(Clone, Copy, Debug)]
pub struct FeedbackSetup<'a> {
    /// Data rate of the node's MAC, in bytes per second.
    pub data_rate: f64,
    /// Size of the node's interface queue, in packets.
    pub queue_limit: u32,
    /// Parameters.
    pub explicit: &'a ExplicitConfig,
}

/// Makes of a list of assists their names, and one type that can be any of them.
macro_rules! assists {
    ($($(#[doc = $summary:literal])+ $name:ident: $Kind:ident($Type:ty) = $build:expr;)+) => {
        /// Names of the router assists.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum FeedbackKind {
            $($(#[doc = $summary])+ $Kind,)+
        }

        /// Any assist.
        #[derive(Debug)]
        pub enum ExplicitFeedback {
            $($(#[doc = $summary])+ $Kind($Type),)+
            /// Given by the program that drives the engine.
            Custom(Box<dyn CustomFeedback>),
        }

        impl FeedbackKind {
            /// All assists, in the order of documentation.
            pub const ALL: &[FeedbackKind] = &[$(FeedbackKind::$Kind),+];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self {
                    $(FeedbackKind::$Kind => stringify!($name),)+
                }
            }

            /// The assist, before the run.
            pub fn build(self, setup: &FeedbackSetup<'_>) -> ExplicitFeedback {
                match self {
                    $(FeedbackKind::$Kind => {
                        let build: fn(&FeedbackSetup<'_>) -> $Type = $build;
                        ExplicitFeedback::$Kind(build(setup))
                    })+
                }
            }
        }

        macro_rules! dispatch {
            ($self_:expr, $assist:ident => $call:expr) => {
                match $self_ {
                    $(ExplicitFeedback::$Kind($assist) => $call,)+
                    ExplicitFeedback::Custom($assist) => $call,
                }
            };
        }
    };
}

assists! {
    /// XCP with a known capacity
    xcp: Xcp(Box<Xcp>) = |setup| Box::new(Xcp::base(setup));
    /// XCP that judges by its queue alone
    xcp_b: XcpB(Box<Xcp>) = |setup| Box::new(Xcp::blind(setup));
    /// XCP with capacity and available bandwidth from rt-Winf
    xcp_winf: XcpWinf(Box<Xcp>) = |setup| Box::new(Xcp::winf(setup));
    /// RCP with a known capacity
    rcp: Rcp(Box<Rcp>) = |setup| Box::new(Rcp::base(setup));
    /// RCP with the capacity from rt-Winf
    rcp_winf: RcpWinf(Box<Rcp>) = |setup| Box::new(Rcp::winf(setup));
    /// levels of TCP Muzha
    muzha: Muzha(Box<Muzha>) = |setup| Box::new(Muzha::new(setup));
}

/// An assist from outside the engine.
pub trait CustomFeedback: FeedbackRouter + Debug + Send {}

impl<T: FeedbackRouter + Debug + Send> CustomFeedback for T {}

/// All assists of one node, in the order in which they see packets; as a rule none.
#[derive(Debug, Default)]
pub struct FeedbackRouters(Vec<ExplicitFeedback>);

/// What a node's assists need of the node.
pub(super) struct Place<'a> {
    pub(super) node: NodeId,
    pub(super) queue: &'a InterfaceQueue,
    pub(super) hop: &'a dyn ChannelView,
}

impl FeedbackRouters {
    /// One more.
    pub fn push(&mut self, assist: ExplicitFeedback) {
        self.0.push(assist);
    }

    /// Whether packets pass untouched.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn start(&mut self, ctx: &mut Ctx, place: &Place<'_>) {
        self.each(ctx, place, |assist, cx| dispatch!(assist, one => one.start(cx)));
    }

    /// Shows them a passing packet and its header; the header as they leave it.
    pub(super) fn on_packet(
        &mut self,
        ctx: &mut Ctx,
        place: &Place<'_>,
        at: At,
        packet: &PacketView,
        mut feedback: Feedback,
    ) -> Feedback {
        self.each(ctx, place, |assist, cx| dispatch!(assist, one => one.on_packet(cx, at, packet, &mut feedback)));
        feedback
    }

    /// Shows them a packet that is for this node; its header as they leave it.
    pub(super) fn on_delivery(
        &mut self,
        ctx: &mut Ctx,
        place: &Place<'_>,
        packet: &PacketView,
        mut feedback: Feedback,
    ) -> Feedback {
        self.each(ctx, place, |assist, cx| dispatch!(assist, one => one.on_delivery(cx, packet, &mut feedback)));
        feedback
    }

    pub(super) fn on_timer(&mut self, ctx: &mut Ctx, place: &Place<'_>, timer: FeedbackTimer) {
        if let Some(assist) = self.0.get_mut(usize::from(timer.router)) {
            let cx = &mut context(ctx, place, u32::from(timer.router));
            dispatch!(assist, one => one.on_timer(cx, timer.kind));
        }
    }

    pub(super) fn on_lost(&mut self, ctx: &mut Ctx, place: &Place<'_>, lost: Lost) {
        self.each(ctx, place, |assist, cx| dispatch!(assist, one => one.on_lost(cx, lost)));
    }

    pub(super) fn read(&self, now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        for assist in &self.0 {
            dispatch!(assist, one => one.read(now, put));
        }
    }

    fn each(
        &mut self,
        ctx: &mut Ctx,
        place: &Place<'_>,
        mut event: impl FnMut(&mut ExplicitFeedback, &mut FeedbackCtx<'_>),
    ) {
        for (index, assist) in self.0.iter_mut().enumerate() {
            event(assist, &mut context(ctx, place, index as u32));
        }
    }
}

fn context<'a>(ctx: &'a mut Ctx, place: &Place<'a>, index: u32) -> FeedbackCtx<'a> {
    FeedbackCtx {
        now: ctx.now,
        node: place.node,
        hop: place.hop,
        streams: ctx.streams,
        queue: place.queue,
        packets: &ctx.packets,
        events: &mut ctx.events,
        index,
    }
}

impl PacketView {
    pub(super) fn of(packet: &Packet, node: NodeId) -> PacketView {
        let kind = match packet.payload {
            Payload::Segment(_) | Payload::SplitSegment(_) => PacketKind::Segment,
            Payload::Ack(_) | Payload::Lack(_) => PacketKind::Ack,
            Payload::Datagram(_) => PacketKind::Datagram,
            Payload::Control(_) | Payload::Arp(_) => PacketKind::Control,
        };
        PacketView {
            flow: packet.flow,
            bytes: packet.bytes,
            kind,
            is_own: packet.src == node,
            next_hop: packet.hop.next,
            prev_hop: packet.hop.prev,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mac::observer::Observers;
    use crate::net::link::DropTail;
    use crate::packet::{RcpHeader, RcpKind, XcpHeader, XcpKind};
    use std::collections::BTreeSet;

    /// These assists at one node, and what that node calls with them.
    fn with_assists<T>(
        kinds: &[FeedbackKind],
        call: impl FnOnce(&mut FeedbackRouters, &mut Ctx, &Place<'_>) -> T,
    ) -> T {
        let explicit = ExplicitConfig::default();
        let setup = FeedbackSetup { data_rate: 1.25e6, queue_limit: 50, explicit: &explicit };
        let mut assists = FeedbackRouters(kinds.iter().map(|kind| kind.build(&setup)).collect());
        let (queue, hop) = (InterfaceQueue::DropTail(DropTail::new(50)), Observers::default());
        call(&mut assists, &mut Ctx::new(1, 1, 4), &Place { node: NodeId(3), queue: &queue, hop: &hop })
    }

    #[test]
    fn the_first_timers_of_a_node_are_not_in_phase() {
        let times = with_assists(&[FeedbackKind::Xcp, FeedbackKind::Xcp], |assists, ctx, place| {
            assists.start(ctx, place);
            std::iter::from_fn(|| ctx.events.pop()).map(|(key, _)| key.time()).collect::<BTreeSet<_>>()
        });
        assert_eq!(times.len(), 4, "{times:?}");
    }

    #[test]
    fn a_router_changes_headers_of_its_own_kind_on_segments_alone() {
        let xcp = |kind| Feedback::Xcp(XcpHeader { kind, rtt: 0.1, spacing: 0.01, delta: 1e24 });
        let rcp = |kind| Feedback::Rcp(RcpHeader { kind, rtt: 0.1, rate: f64::INFINITY });
        let headers = [
            (FeedbackKind::Xcp, xcp(XcpKind::Base)),
            (FeedbackKind::XcpB, xcp(XcpKind::Blind)),
            (FeedbackKind::XcpWinf, xcp(XcpKind::Winf)),
            (FeedbackKind::Rcp, rcp(RcpKind::Base)),
            (FeedbackKind::RcpWinf, rcp(RcpKind::Winf)),
            (FeedbackKind::Muzha, Feedback::Mrai(9)),
        ];
        for (router, _) in headers {
            for (meant_for, header) in headers {
                for kind in [PacketKind::Segment, PacketKind::Datagram] {
                    let (flow, node) = (FlowId(0), NodeId(1));
                    let packet = PacketView { flow, bytes: 1500, kind, is_own: false, next_hop: node, prev_hop: node };
                    let left = with_assists(&[router], |assists, ctx, place| {
                        assists.on_packet(ctx, place, At::Departure, &packet, header)
                    });
                    let is_own = router == meant_for && kind == PacketKind::Segment;
                    assert_eq!(left != header, is_own, "{router:?}: {header:?}, {kind:?}");
                }
            }
        }
    }
}

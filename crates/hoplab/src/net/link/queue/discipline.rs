//! The trait of queue disciplines: which packet is dequeued next, and which is dropped.

use super::parameters::QueueParameters;
use crate::kernel::{RadioId, RandomStream, Span, Time};
use crate::packet::{Category, ChannelView, Ecn, PacketId, Packets, Unobserved};
use crate::trace::DropReason;
use auto_impl::auto_impl;
use enum_dispatch::enum_dispatch;
use std::collections::VecDeque;
use std::fmt::Debug;

/// The queue discipline of one interface queue.
///
/// A packet that is enqueued is dequeued, dropped or purged, once.
#[enum_dispatch]
#[auto_impl(Box)]
pub trait Discipline: Debug {
    /// A packet arrives. An urgent one (a routing message; ARP with `semi_tcp.arp_first`) should precede all others.
    ///
    /// # Errors
    /// The reason, if the packet is refused: the caller drops it.
    fn enqueue(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId, is_urgent: bool) -> Result<(), DropReason>;

    /// Dequeues a packet for the MAC. Packets may be dropped first, so that there may be none.
    fn dequeue(&mut self, cx: &mut QueueCtx<'_>) -> Option<PacketId>;

    /// Dequeues a packet of an access category, if packets of different ones have queues of their own.
    fn dequeue_of(&mut self, cx: &mut QueueCtx<'_>, category: Category) -> Option<PacketId> {
        let _ = category;
        self.dequeue(cx)
    }

    /// Dequeues the first packet for a neighbor, if it has at most `most` bytes: it joins others to the same neighbor, and is of
    /// this access category if packets of different ones have queues of their own. A discipline that cannot has none to join.
    fn dequeue_for(
        &mut self,
        cx: &mut QueueCtx<'_>,
        next_hop: RadioId,
        category: Category,
        most: u32,
    ) -> Option<PacketId> {
        let _ = (cx, next_hop, category, most);
        None
    }

    /// The packet that would be dequeued next, if no packet were dropped.
    fn peek(&self) -> Option<PacketId>;

    /// Number of packets in the queue.
    fn len(&self) -> usize;

    /// Whether there is no packet in the queue.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` for each packet in the queue.
    fn visit(&self, visit: &mut dyn FnMut(PacketId));

    /// Removes and returns all packets for this radio of a neighbor, in the order in which they would be dequeued.
    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId>;
}

/// Removes and returns the packets for a radio of a neighbor from one line of packets, in order.
pub fn purge_line(line: &mut VecDeque<PacketId>, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
    let is_for = |id: &PacketId| packets.get(id.0).hop.next == next_hop;
    let purged = line.iter().copied().filter(is_for).collect();
    line.retain(|id| !is_for(id));
    purged
}

/// A queue discipline of the engine's list.
pub trait EngineDiscipline: Discipline + Sized {
    /// What it does, in one line.
    const SUMMARY: &'static str;

    /// Keys of `[queue]` in addition to `kind`, `limit` and `limit_bytes`.
    const KEYS: &'static [&'static str] = &[];

    /// The limit in packets unless it is given; `None`: that of its place, radio or wire.
    const LIMIT: Option<u32> = None;

    /// What it needs of the MAC of a radio with these parameters.
    fn radio_part(config: &QueueParameters) -> RadioPart {
        let _ = config;
        RadioPart::None
    }

    /// The empty queue of one node or port.
    fn build(setup: &QueueSetup<'_>) -> Self;
}

/// What a queue discipline needs of the MAC below. One that needs something has no place on a wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RadioPart {
    /// Nothing.
    None,
    /// The airtime of each neighbor ([`ChannelView::airtime`]).
    Airtime,
    /// The mean of retries ([`ChannelView::retries`]).
    Retries {
        /// Weight of a service in the mean.
        weight: f64,
        /// Mean from which on each backoff after a service is longer by the airtime of the last data frame.
        pace_from: Option<f64>,
    },
}

/// What a queue is built from.
#[derive(Debug)]
pub struct QueueSetup<'a> {
    /// Its parameters.
    pub config: &'a QueueParameters,
    /// Packets that may wait.
    pub places: usize,
    /// Its random stream.
    pub stream: RandomStream,
    /// Time that a packet of 500 bytes takes to send, at the rate below; none if that is unknown.
    pub service: Option<Span>,
    /// Access category of its packets; best effort where there are none.
    pub category: Category,
}

impl QueueSetup<'_> {
    /// Bits of a packet by which idle times count (ns-2.35 `mean_pktsize_`).
    pub const SERVICE_BITS: u64 = 8 * 500;
}

/// What a queue discipline may use while it handles a packet.
#[derive(Debug)]
pub struct QueueCtx<'a> {
    /// The current time.
    pub now: Time,
    /// All packets of the run; [`crate::packet::Packet::queued`] has the time of arrival here.
    pub packets: &'a mut Packets,
    /// What the node's MAC observes.
    pub(super) channel: &'a dyn ChannelView,
    pub(super) dropped: &'a mut Vec<Dropped>,
    /// Packets marked so far.
    pub marks: u32,
}

/// A packet that a queue discipline has dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// The packet.
    pub packet: PacketId,
    /// The reason.
    pub reason: DropReason,
}

impl<'a> QueueCtx<'a> {
    /// A context without observations that appends dropped packets to `dropped`.
    pub fn new(now: Time, packets: &'a mut Packets, dropped: &'a mut Vec<Dropped>) -> QueueCtx<'a> {
        QueueCtx { now, packets, channel: &Unobserved, dropped, marks: 0 }
    }

    /// This context with what the MAC observes.
    #[must_use]
    pub fn with_channel(self, channel: &'a dyn ChannelView) -> QueueCtx<'a> {
        QueueCtx { channel, ..self }
    }

    /// Marks a packet, if its transport understands marks. Returns whether it is marked now.
    pub fn mark(&mut self, packet: PacketId) -> bool {
        let marked = self.packets.get_mut(packet.0);
        if marked.ecn == Ecn::Ect {
            marked.ecn = Ecn::Ce;
            self.marks += 1;
        }
        marked.ecn == Ecn::Ce
    }

    /// Drops a packet that was in the queue.
    pub fn drop(&mut self, packet: PacketId, reason: DropReason) {
        self.dropped.push(Dropped { packet, reason });
    }
}

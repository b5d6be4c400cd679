//! Active queue management: what RED, CoDel, PIE, FQ-CoDel and airtime fairness share.
//!
//! Routing messages (and ARP with `semi_tcp.arp_first`) bypass the managed queue. Limits count packets that wait, and bytes
//! if `queue.limit_bytes` is given.

use super::discipline::{Discipline, EngineDiscipline, QueueCtx, QueueSetup, RadioPart, purge_line};
use super::parameters::QueueParameters;
use crate::kernel::RadioId;
use crate::packet::{Category, Packet, PacketId, Packets};
use crate::trace::DropReason;
use std::collections::VecDeque;
use std::fmt::Debug;

/// Longest packet that an idle link still holds, in bytes: a queue with no more is never too long.
pub(super) const MTU: u64 = 1514;

/// A packet in a managed queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) id: PacketId,
    pub(super) bytes: u32,
}

/// A managed queue.
pub trait Manager: Debug + Sized {
    /// What it does, in one line.
    const SUMMARY: &'static str;

    /// Keys of `[queue]` in addition to `kind`, `limit` and `limit_bytes`.
    const KEYS: &'static [&'static str];

    /// Packets that may wait, unless `limit` is given.
    const LIMIT: u32;

    /// See [`EngineDiscipline::radio_part`].
    fn radio_part(config: &QueueParameters) -> RadioPart {
        let _ = config;
        RadioPart::None
    }

    /// The empty queue.
    fn build(setup: &QueueSetup<'_>) -> Self;

    /// A packet arrives.
    ///
    /// # Errors
    /// The reason, if the packet is refused.
    fn arrive(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId) -> Result<(), DropReason>;

    /// The next packet; packets may be dropped before.
    fn next(&mut self, cx: &mut QueueCtx<'_>) -> Option<PacketId>;

    /// The first packet to a neighbor, if it has at most `most` bytes: it joins others in an A-MPDU. Packets may be dropped before.
    fn next_for(&mut self, cx: &mut QueueCtx<'_>, next_hop: RadioId, most: u32) -> Option<PacketId>;

    /// The packet that would be next.
    fn peek(&self) -> Option<PacketId>;

    /// Number of packets.
    fn len(&self) -> usize;

    /// Calls `visit` for each packet.
    fn visit(&self, visit: &mut dyn FnMut(PacketId));

    /// Removes and returns all packets for a neighbor.
    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId>;
}

/// A managed queue, and the line of packets that bypass it.
#[derive(Debug)]
pub struct Managed<M> {
    urgent: VecDeque<PacketId>,
    manager: M,
}

impl<M: Manager> Managed<M> {
    /// The empty queue.
    pub(super) fn new(setup: &QueueSetup<'_>) -> Managed<M> {
        Managed { urgent: VecDeque::new(), manager: M::build(setup) }
    }
}

impl<M> Managed<M> {
    /// The managed queue itself.
    #[cfg(test)]
    pub(super) fn manager(&self) -> &M {
        &self.manager
    }

    #[cfg(test)]
    pub(super) fn manager_mut(&mut self) -> &mut M {
        &mut self.manager
    }
}

// Boxed: nodes with drop-tail queues stay as small as they are.
impl<M: Manager> EngineDiscipline for Box<Managed<M>> {
    const SUMMARY: &'static str = M::SUMMARY;
    const KEYS: &'static [&'static str] = M::KEYS;
    const LIMIT: Option<u32> = Some(M::LIMIT);

    fn radio_part(config: &QueueParameters) -> RadioPart {
        M::radio_part(config)
    }

    fn build(setup: &QueueSetup<'_>) -> Box<Managed<M>> {
        Box::new(Managed::new(setup))
    }
}

// Methods of every packet are calls: the dispatch to drop-tail queues stays small enough to be inlined.
impl<M: Manager> Discipline for Managed<M> {
    #[inline(never)]
    fn enqueue(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId, is_urgent: bool) -> Result<(), DropReason> {
        if is_urgent {
            self.urgent.push_back(packet);
            return Ok(());
        }
        self.manager.arrive(cx, packet)
    }

    #[inline(never)]
    fn dequeue(&mut self, cx: &mut QueueCtx<'_>) -> Option<PacketId> {
        self.urgent.pop_front().or_else(|| self.manager.next(cx))
    }

    #[inline(never)]
    fn dequeue_for(
        &mut self,
        cx: &mut QueueCtx<'_>,
        next_hop: RadioId,
        _category: Category,
        most: u32,
    ) -> Option<PacketId> {
        let Some(place) = self.urgent.iter().position(|id| cx.packets.get(id.0).hop.next == next_hop) else {
            return self.manager.next_for(cx, next_hop, most);
        };
        let fits = cx.packets.get(self.urgent[place].0).bytes <= most;
        if fits { self.urgent.remove(place) } else { None }
    }

    #[inline(never)]
    fn peek(&self) -> Option<PacketId> {
        self.urgent.front().copied().or_else(|| self.manager.peek())
    }

    fn len(&self) -> usize {
        self.urgent.len() + self.manager.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.urgent.iter().copied().for_each(&mut *visit);
        self.manager.visit(visit);
    }

    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
        let mut purged = purge_line(&mut self.urgent, next_hop, packets);
        purged.extend(self.manager.purge(next_hop, packets));
        purged
    }
}

/// Limits of a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    packets: usize,
    bytes: u64,
}

impl Limits {
    /// None.
    pub(super) const NONE: Limits = Limits { packets: usize::MAX, bytes: u64::MAX };

    pub(super) fn of(setup: &QueueSetup<'_>) -> Limits {
        Limits { packets: setup.places, bytes: setup.config.limit_bytes.map_or(u64::MAX, |limit| u64::from(limit.0)) }
    }

    /// Whether `bytes` more have no place in a line.
    pub(super) fn refuse(&self, line: &Line, bytes: u32) -> bool {
        line.len() >= self.packets || line.bytes() + u64::from(bytes) > self.bytes
    }

    /// Whether a queue holds more than it may.
    pub(super) fn are_exceeded(&self, packets: usize, bytes: u64) -> bool {
        packets > self.packets || bytes > self.bytes
    }
}

/// What leaves a line.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// The first packet.
    First,
    /// The first packet to a neighbor, unless it is too long: it joins others in an A-MPDU.
    Joining {
        /// The neighbor.
        next_hop: RadioId,
        /// Longest packet, in bytes.
        most: u32,
    },
}

/// Packets in order of arrival, with their bytes.
#[derive(Clone, Debug, Default)]
pub struct Line {
    items: VecDeque<Item>,
    bytes: u64,
}

impl Line {
    pub(super) fn push(&mut self, id: PacketId, bytes: u32) {
        self.items.push_back(Item { id, bytes });
        self.bytes += u64::from(bytes);
    }

    pub(super) fn pop(&mut self) -> Option<Item> {
        let item = self.items.pop_front()?;
        self.bytes -= u64::from(item.bytes);
        Some(item)
    }

    /// Takes the packet that is wanted, if there is one.
    pub(super) fn take(&mut self, wanted: Wanted, packets: &Packets) -> Option<Item> {
        let Wanted::Joining { next_hop, most } = wanted else { return self.pop() };
        let place = self.first_to(next_hop, packets).filter(|place| self.items[*place].bytes <= most)?;
        let item = self.items.remove(place)?;
        self.bytes -= u64::from(item.bytes);
        Some(item)
    }

    /// Place of the first packet to a neighbor.
    pub(super) fn first_to(&self, next_hop: RadioId, packets: &Packets) -> Option<usize> {
        self.items.iter().position(|item| packets.get(item.id.0).hop.next == next_hop)
    }

    /// Returns the packet that was taken last.
    pub(super) fn put_back(&mut self, item: Item) {
        self.items.push_front(item);
        self.bytes += u64::from(item.bytes);
    }

    pub(super) fn peek(&self) -> Option<PacketId> {
        self.items.front().map(|item| item.id)
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.items.iter().for_each(|item| visit(item.id));
    }

    pub(super) fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
        let is_for = |item: &Item| packets.get(item.id.0).hop.next == next_hop;
        let purged: Vec<Item> = self.items.iter().copied().filter(is_for).collect();
        self.items.retain(|item| !is_for(item));
        self.bytes -= purged.iter().map(|item| u64::from(item.bytes)).sum::<u64>();
        purged.into_iter().map(|item| item.id).collect()
    }
}

/// What identifies the flow of a packet: its flow, and its direction.
pub(super) fn flow_of(packet: &Packet) -> (u32, u32) {
    (packet.flow.0, packet.src.0)
}

/// Lines of packets of given lengths, for unit tests of disciplines.
#[cfg(test)]
pub(super) mod bench {
    use super::*;
    use crate::kernel::{FlowId, NodeId, Purpose, RandomStreams, Span, Time};
    use crate::net::link::queue::discipline::Dropped;
    use crate::net::link::queue::parameters::QueueParameters;
    use crate::packet::{ChannelView, Datagram, Ecn, LinkEstimate, NewPacket, Payload};
    use std::collections::BTreeMap;

    /// A discipline under test, and its packets, numbered from 0.
    pub(crate) struct Bench<D> {
        pub(crate) queue: D,
        packets: Packets,
        pub(crate) dropped: Vec<Dropped>,
        pub(crate) marks: u32,
        pub(crate) used: Used,
    }

    /// Airtime of each neighbor, and mean retries.
    #[derive(Debug, Default)]
    pub(crate) struct Used {
        airtime: BTreeMap<RadioId, Span>,
        pub(crate) retries: f64,
    }

    impl Used {
        pub(crate) fn add(&mut self, neighbor: RadioId, airtime: Span) {
            *self.airtime.entry(neighbor).or_insert(Span::ZERO) += airtime;
        }
    }

    impl ChannelView for Used {
        fn busy(&self, _: Time, _: Span) -> Option<f64> {
            None
        }

        fn link(&self, _: Time, _: Span) -> Option<LinkEstimate> {
            None
        }

        fn neighbors(&self, _: Time, _: Span) -> Option<u32> {
            None
        }

        fn airtime(&self, neighbor: RadioId, _: Category) -> Option<Span> {
            Some(self.airtime.get(&neighbor).copied().unwrap_or(Span::ZERO))
        }

        fn retries(&self) -> Option<f64> {
            Some(self.retries)
        }
    }

    impl<M: Manager> Bench<Managed<M>> {
        /// A queue of table `[queue]` with these keys.
        pub(crate) fn new(config: &QueueParameters, limit: usize) -> Bench<Managed<M>> {
            let stream = RandomStreams::new(3).stream(Purpose::Discipline, 0);
            let setup = QueueSetup { config, places: limit, stream, service: None, category: Category::BestEffort };
            let (packets, used) = (Packets::default(), Used::default());
            Bench { queue: Managed::new(&setup), packets, dropped: Vec::new(), marks: 0, used }
        }

        /// A packet of a flow arrives. Returns its number.
        pub(crate) fn arrive(&mut self, now: Time, flow: u32, bytes: u32, ecn: Ecn) -> u32 {
            self.arrive_for(RadioId(1), now, flow, bytes, ecn)
        }

        /// A packet of a flow to a neighbor arrives. Returns its number.
        pub(crate) fn arrive_for(&mut self, next_hop: RadioId, now: Time, flow: u32, bytes: u32, ecn: Ecn) -> u32 {
            let payload = Payload::Datagram(Datagram { seq: 0, payload: bytes, sent_at: now });
            let new = NewPacket { flow: FlowId(flow), src: NodeId(0), dst: NodeId(9), bytes, payload };
            let mut packet = Packet::new(new, 9, 0, now);
            packet.hop.next = next_hop;
            packet.ecn = ecn;
            let id = PacketId(self.packets.insert(packet));
            let mut cx = QueueCtx::new(now, &mut self.packets, &mut self.dropped);
            let refused = self.queue.enqueue(&mut cx, id, false);
            self.marks += cx.marks;
            if let Err(reason) = refused {
                self.dropped.push(Dropped { packet: id, reason });
            }
            id.0
        }

        /// The next packet.
        pub(crate) fn next(&mut self, now: Time) -> Option<u32> {
            let mut cx = QueueCtx::new(now, &mut self.packets, &mut self.dropped).with_channel(&self.used);
            let next = self.queue.dequeue(&mut cx);
            self.marks += cx.marks;
            next.map(|id| id.0)
        }

        /// The next packet to a neighbor that has at most `most` bytes.
        pub(crate) fn joining(&mut self, now: Time, next_hop: RadioId, most: u32) -> Option<u32> {
            let mut cx = QueueCtx::new(now, &mut self.packets, &mut self.dropped).with_channel(&self.used);
            self.queue.dequeue_for(&mut cx, next_hop, Category::BestEffort, most).map(|id| id.0)
        }
    }
}

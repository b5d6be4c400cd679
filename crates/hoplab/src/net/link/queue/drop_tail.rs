//! Drop-tail: first in, first out, with routing messages before all other packets.
//!
//! # Model
//! A routing message is enqueued at the head. A full queue drops arriving data; for an arriving routing message it drops its
//! tail. With `semi_tcp.arp_first` ARP is treated as routing is, at nodes with Semi-TCP's handshake. With `mark_at`, a packet that
//! finds more packets waiting is marked, if its transport understands marks (RFC 8257 section 3.1).
//! # Source
//! ns-2.35 `Queue/DropTail/PriQueue` (`queue/priqueue.cc`, `queue/drop-tail.cc`).
//! # Deviations
//! None known but `semi_tcp.arp_first`. As in ns-2, at most `limit` - 1 packets are queued.
//! # Parameters
//! `queue.limit`, in packets; `queue.limit_bytes`, `queue.mark_at`.

use super::discipline::{Discipline, EngineDiscipline, QueueCtx, QueueSetup, purge_line};
use crate::kernel::RadioId;
use crate::packet::{Category, PacketId, Packets};
use crate::trace::DropReason;
use std::collections::VecDeque;

/// The queue.
#[derive(Debug)]
pub struct DropTail {
    packets: VecDeque<PacketId>,
    /// Packets that may wait.
    places: usize,
    /// Its rarer keys, if one is given.
    rare: Option<Box<Rare>>,
}

/// A limit in bytes, and the length beyond which arriving packets are marked.
#[derive(Debug)]
struct Rare {
    most: u64,
    mark_at: usize,
}

impl EngineDiscipline for DropTail {
    const SUMMARY: &'static str = "first in, first out; a full queue drops arriving data";
    const KEYS: &'static [&'static str] = &["mark_at"];

    fn build(setup: &QueueSetup<'_>) -> DropTail {
        let (most, mark_at) = (setup.config.limit_bytes, setup.config.mark_at);
        let rare = (most.is_some() || mark_at.is_some()).then(|| {
            Box::new(Rare {
                most: most.map_or(u64::MAX, |limit| u64::from(limit.0)),
                mark_at: mark_at.map_or(usize::MAX, |length| length as usize),
            })
        });
        DropTail { packets: VecDeque::new(), places: setup.places, rare }
    }
}

impl DropTail {
    /// The empty queue of a radio, of size `limit` as ns-2 counts it.
    pub fn of_size(limit: u32) -> DropTail {
        DropTail { packets: VecDeque::new(), places: (limit as usize).saturating_sub(1), rare: None }
    }

    /// Whether a packet has no place.
    fn is_full(&self, packet: PacketId, cx: &mut QueueCtx<'_>) -> bool {
        self.packets.len() >= self.places || self.rare.as_ref().is_some_and(|rare| self.refuses(rare, packet, cx))
    }

    /// Whether the limit in bytes refuses a packet; marks it if it does not, and the queue is long.
    #[cold]
    fn refuses(&self, rare: &Rare, packet: PacketId, cx: &mut QueueCtx<'_>) -> bool {
        let bytes = |id: PacketId| u64::from(cx.packets.get(id.0).bytes);
        if rare.most < u64::MAX && bytes(packet) + self.packets.iter().map(|id| bytes(*id)).sum::<u64>() > rare.most {
            return true;
        }
        if self.packets.len() > rare.mark_at {
            cx.mark(packet);
        }
        false
    }
}

impl Discipline for DropTail {
    #[inline(never)]
    fn enqueue(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId, is_urgent: bool) -> Result<(), DropReason> {
        let is_full = self.is_full(packet, cx);
        if is_urgent {
            self.packets.push_front(packet);
            if is_full && let Some(tail) = self.packets.pop_back() {
                cx.drop(tail, DropReason::QueueFull);
            }
        } else if is_full {
            return Err(DropReason::QueueFull);
        } else {
            self.packets.push_back(packet);
        }
        Ok(())
    }

    fn dequeue(&mut self, _cx: &mut QueueCtx<'_>) -> Option<PacketId> {
        self.packets.pop_front()
    }

    fn dequeue_for(
        &mut self,
        cx: &mut QueueCtx<'_>,
        next_hop: RadioId,
        _category: Category,
        most: u32,
    ) -> Option<PacketId> {
        let place = self.packets.iter().position(|id| cx.packets.get(id.0).hop.next == next_hop)?;
        let fits = cx.packets.get(self.packets[place].0).bytes <= most;
        if fits { self.packets.remove(place) } else { None }
    }

    fn peek(&self) -> Option<PacketId> {
        self.packets.front().copied()
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.packets.iter().copied().for_each(visit);
    }

    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
        purge_line(&mut self.packets, next_hop, packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{NodeId, Time};

    /// Packets that are dropped by one arrival.
    fn dropped_by(queue: &mut DropTail, packet: u32, is_urgent: bool) -> Vec<u32> {
        let (mut packets, mut dropped) = (Packets::default(), Vec::new());
        let mut cx = QueueCtx::new(Time::ZERO, &mut packets, &mut dropped);
        let is_refused = queue.enqueue(&mut cx, PacketId(packet), is_urgent) == Err(DropReason::QueueFull);
        assert!(dropped.iter().all(|drop| drop.reason == DropReason::QueueFull));
        dropped.iter().map(|drop| drop.packet.0).chain(is_refused.then_some(packet)).collect()
    }

    #[test]
    fn queue_holds_one_packet_less_than_limit() {
        let mut queue = DropTail::of_size(50);
        let dropped: Vec<u32> = (0..60).flat_map(|n| dropped_by(&mut queue, n, false)).collect();
        assert_eq!((queue.len(), dropped), (49, (49..60).collect()));
    }

    #[test]
    fn packets_that_find_a_long_queue_are_marked() {
        use crate::kernel::{FlowId, Purpose, RandomStreams};
        use crate::net::link::queue::parameters::QueueParameters;
        use crate::packet::{Datagram, Ecn, NewPacket, Packet, Payload};
        let config = QueueParameters { mark_at: Some(3), ..QueueParameters::default() };
        let stream = RandomStreams::new(1).stream(Purpose::Discipline, 0);
        let mut queue = DropTail::build(&QueueSetup {
            config: &config,
            places: 10,
            stream,
            service: None,
            category: Category::BestEffort,
        });
        let (mut packets, mut dropped) = (Packets::default(), Vec::new());
        let marked: Vec<bool> = (0..6)
            .map(|n| {
                let payload = Payload::Datagram(Datagram { seq: 0, payload: 100, sent_at: Time::ZERO });
                let new = NewPacket { flow: FlowId(0), src: NodeId(0), dst: NodeId(1), bytes: 100, payload };
                let mut packet = Packet::new(new, 9, 0, Time::ZERO);
                packet.ecn = if n == 4 { Ecn::default() } else { Ecn::Ect };
                let id = PacketId(packets.insert(packet));
                let mut cx = QueueCtx::new(Time::ZERO, &mut packets, &mut dropped);
                assert!(queue.enqueue(&mut cx, id, false).is_ok());
                packets.get(id.0).ecn == Ecn::Ce
            })
            .collect();
        assert_eq!(marked, [false, false, false, false, false, true]);
    }

    #[test]
    fn urgent_packets_go_first_and_displace_the_tail() {
        let mut queue = DropTail::of_size(4);
        for n in 0..3 {
            assert!(dropped_by(&mut queue, n, false).is_empty());
        }
        assert_eq!(dropped_by(&mut queue, 10, true), [2]);
        assert_eq!(dropped_by(&mut queue, 11, true), [1]);
        let mut order = Vec::new();
        queue.visit(&mut |id| order.push(id.0));
        assert_eq!((order, queue.peek()), (vec![11, 10, 0], Some(PacketId(11))));
    }
}

//! Drop-tail: first in, first out, with routing messages before all other packets.
//!
//! # Model
//! A routing message is enqueued at the head. A full queue drops arriving data; for an arriving routing message it drops its
//! tail. With `semi_tcp.arp_first` ARP is treated as routing is, at nodes with Semi-TCP's handshake.
//! # Source
//! ns-2.35 `Queue/DropTail/PriQueue` (`queue/priqueue.cc`, `queue/drop-tail.cc`).
//! # Deviations
//! None known but `semi_tcp.arp_first`. As in ns-2, at most `limit` - 1 packets are queued.
//! # Parameters
//! `queue.limit`, in packets; `queue.limit_bytes`.

use super::discipline::{Discipline, EngineDiscipline, QueueCtx, QueueSetup, purge_line};
use crate::kernel::NodeId;
use crate::packet::{PacketId, Packets};
use crate::trace::DropReason;
use std::collections::VecDeque;

/// The queue.
#[derive(Debug)]
pub struct DropTail {
    packets: VecDeque<PacketId>,
    /// Packets that may wait.
    places: usize,
    /// Bytes that may wait, if they are limited.
    most: Option<u64>,
}

impl EngineDiscipline for DropTail {
    const SUMMARY: &'static str = "first in, first out; a full queue drops arriving data";

    fn build(setup: &QueueSetup<'_>) -> DropTail {
        let most = setup.config.limit_bytes.map(|limit| u64::from(limit.0));
        DropTail { packets: VecDeque::new(), places: setup.places, most }
    }
}

impl DropTail {
    /// The empty queue of a radio, of size `limit` as ns-2 counts it.
    pub fn of_size(limit: u32) -> DropTail {
        DropTail { packets: VecDeque::new(), places: (limit as usize).saturating_sub(1), most: None }
    }

    /// Whether a packet has no place.
    fn is_full(&self, packet: PacketId, packets: &Packets) -> bool {
        let bytes = |id: PacketId| u64::from(packets.get(id.0).bytes);
        let exceeds = |most| bytes(packet) + self.packets.iter().map(|id| bytes(*id)).sum::<u64>() > most;
        self.packets.len() >= self.places || self.most.is_some_and(exceeds)
    }
}

impl Discipline for DropTail {
    fn enqueue(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId, is_urgent: bool) -> Result<(), DropReason> {
        let is_full = self.is_full(packet, cx.packets);
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

    fn peek(&self) -> Option<PacketId> {
        self.packets.front().copied()
    }

    fn len(&self) -> usize {
        self.packets.len()
    }

    fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.packets.iter().copied().for_each(visit);
    }

    fn purge(&mut self, next_hop: NodeId, packets: &Packets) -> Vec<PacketId> {
        purge_line(&mut self.packets, next_hop, packets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;

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

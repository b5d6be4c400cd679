//! The interface queue: drop-tail, with routing messages before everything else.
//!
//! # Model
//! First in, first out; a routing message is put at the head. A full queue refuses data, and gives its tail up for a
//! routing message. With `semi_tcp.arp_first` ARP is treated likewise, at nodes whose exchange is Semi-TCP's.
//! # Source
//! ns-2.35 `Queue/DropTail/PriQueue` (mac-80211.md section 8).
//! # Deviations
//! None known but `semi_tcp.arp_first`. As in ns-2, one place of `limit` stays empty.
//! # Parameters
//! `queue.limit`, in packets.

use crate::kernel::NodeId;
use crate::packet::{PacketId, Packets};
use std::collections::VecDeque;

/// Packets that wait for the MAC.
#[derive(Debug)]
pub struct InterfaceQueue {
    packets: VecDeque<PacketId>,
    limit: usize,
}

impl InterfaceQueue {
    /// An empty queue for `limit` packets.
    pub fn new(limit: u32) -> InterfaceQueue {
        InterfaceQueue { packets: VecDeque::new(), limit: limit as usize }
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Packets in order, the head first.
    pub fn iter(&self) -> impl Iterator<Item = PacketId> {
        self.packets.iter().copied()
    }

    /// Puts a packet in; the packet that had to be dropped for want of room, if any.
    pub fn push(&mut self, packet: PacketId, is_urgent: bool) -> Option<PacketId> {
        if is_urgent {
            self.packets.push_front(packet);
            return if self.packets.len() >= self.limit { self.packets.pop_back() } else { None };
        }
        if self.packets.len() + 1 >= self.limit {
            return Some(packet);
        }
        self.packets.push_back(packet);
        None
    }

    /// Takes the head out.
    pub fn pop(&mut self) -> Option<PacketId> {
        self.packets.pop_front()
    }

    /// Takes every packet for this neighbor out.
    pub fn remove_for(&mut self, next_hop: NodeId, packets: &Packets) -> Vec<PacketId> {
        let is_for = |id: &PacketId| packets.get(id.0).hop.next == next_hop;
        let removed = self.packets.iter().copied().filter(is_for).collect();
        self.packets.retain(|id| !is_for(id));
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_stays_empty() {
        let mut queue = InterfaceQueue::new(50);
        let refused = (0..60).filter(|&n| queue.push(PacketId(n), false).is_some()).count();
        assert_eq!((queue.len(), refused), (49, 11));
    }

    #[test]
    fn urgent_packets_go_first_and_displace_the_tail() {
        let mut queue = InterfaceQueue::new(4);
        for n in 0..3 {
            assert_eq!(queue.push(PacketId(n), false), None);
        }
        assert_eq!(queue.push(PacketId(10), true), Some(PacketId(2)));
        assert_eq!(queue.push(PacketId(11), true), Some(PacketId(1)));
        assert_eq!(queue.iter().map(|id| id.0).collect::<Vec<_>>(), [11, 10, 0]);
    }
}

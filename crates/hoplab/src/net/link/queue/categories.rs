//! Four queues in one: each access category has a queue of the configured discipline.
//!
//! Packets of different categories do not compete for room: each queue has the whole limit. The MAC dequeues by category.

use super::discipline::{Discipline, QueueCtx};
use crate::kernel::RadioId;
use crate::packet::{Category, PacketId, Packets};
use crate::trace::DropReason;

/// The queues of all categories.
#[derive(Debug)]
pub struct Categories<Q>([Q; Category::COUNT]);

impl<Q> Categories<Q> {
    /// Four queues, from the lowest priority to the highest.
    pub fn new(queues: [Q; Category::COUNT]) -> Categories<Q> {
        Categories(queues)
    }
}

impl<Q: Discipline> Discipline for Categories<Q> {
    fn enqueue(&mut self, cx: &mut QueueCtx<'_>, packet: PacketId, is_urgent: bool) -> Result<(), DropReason> {
        let category = cx.packets.get(packet.0).category;
        self.0[category as usize].enqueue(cx, packet, is_urgent)
    }

    fn dequeue(&mut self, cx: &mut QueueCtx<'_>) -> Option<PacketId> {
        self.0.iter_mut().rev().find_map(|queue| queue.dequeue(cx))
    }

    fn dequeue_of(&mut self, cx: &mut QueueCtx<'_>, category: Category) -> Option<PacketId> {
        self.0[category as usize].dequeue(cx)
    }

    fn dequeue_for(
        &mut self,
        cx: &mut QueueCtx<'_>,
        next_hop: RadioId,
        category: Category,
        most: u32,
    ) -> Option<PacketId> {
        self.0[category as usize].dequeue_for(cx, next_hop, category, most)
    }

    fn peek(&self) -> Option<PacketId> {
        self.0.iter().rev().find_map(Q::peek)
    }

    fn len(&self) -> usize {
        self.0.iter().map(Q::len).sum()
    }

    fn visit(&self, visit: &mut dyn FnMut(PacketId)) {
        self.0.iter().rev().for_each(|queue| queue.visit(visit));
    }

    fn purge(&mut self, next_hop: RadioId, packets: &Packets) -> Vec<PacketId> {
        self.0.iter_mut().rev().flat_map(|queue| queue.purge(next_hop, packets)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::drop_tail::DropTail;
    use super::*;
    use crate::kernel::{FlowId, NodeId, Time};
    use crate::packet::{Datagram, NewPacket, Packet, Payload};

    #[test]
    fn categories_share_no_room_and_leave_by_priority() {
        let mut queues = Categories::new(std::array::from_fn(|_| DropTail::of_size(3)));
        let (mut packets, mut dropped) = (Packets::default(), Vec::new());
        let mut refused = Vec::new();
        for (number, category) in [1, 1, 1, 3, 0, 2, 3, 3].into_iter().enumerate() {
            let payload = Payload::Datagram(Datagram { seq: 0, payload: 100, sent_at: Time::ZERO });
            let new = NewPacket { flow: FlowId(0), src: NodeId(0), dst: NodeId(1), bytes: 100, payload };
            let mut packet = Packet::new(new, 9, 0, Time::ZERO);
            packet.category = Category::ALL[category];
            packet.hop.next = RadioId(1);
            let id = PacketId(packets.insert(packet));
            let mut cx = QueueCtx::new(Time::ZERO, &mut packets, &mut dropped);
            if queues.enqueue(&mut cx, id, false).is_err() {
                refused.push(number);
            }
        }
        assert_eq!((refused, queues.len(), queues.peek()), (vec![2, 7], 6, Some(PacketId(3))));
        let mut cx = QueueCtx::new(Time::ZERO, &mut packets, &mut dropped);
        assert_eq!(queues.dequeue_of(&mut cx, Category::Background), Some(PacketId(4)));
        assert_eq!(queues.dequeue_of(&mut cx, Category::Background), None);
        let mut joining = |category, most| queues.dequeue_for(&mut cx, RadioId(1), category, most);
        assert_eq!([joining(Category::Video, 99), joining(Category::Background, 100)], [None; 2]);
        assert_eq!(joining(Category::Video, 100), Some(PacketId(5)));
        let rest: Vec<u32> = std::iter::from_fn(|| queues.dequeue(&mut cx)).map(|id| id.0).collect();
        assert_eq!(rest, [3, 6, 0, 1]);
    }
}

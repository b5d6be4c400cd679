//! The life of a packet: created, copied, and ended in one of three ways. It is counted in this file only, so that every
//! packet is accounted for.

use super::context::Ctx;
use crate::kernel::{NodeId, RadioId};
use crate::packet::{Category, NewPacket, Packet, PacketId, Payload};
use crate::trace::{DropReason, What};

impl Ctx {
    /// Creates a packet at its source.
    pub fn originate(&mut self, new: NewPacket, ttl: u8) -> PacketId {
        self.originate_at(new.src, new, ttl)
    }

    /// Creates a packet at `node`, which need not be its source: a proxy sends on behalf of a source.
    pub fn originate_at(&mut self, node: NodeId, new: NewPacket, ttl: u8) -> PacketId {
        let mut packet = Packet::new(new, ttl, self.next_uid, self.now);
        if !self.categories.is_empty() {
            packet.category = self.category_of(&packet);
        }
        self.next_uid += 1;
        self.trace.counters.life(&packet).originated += 1;
        let what = What::Originated { uid: packet.uid, bytes: packet.bytes };
        self.trace.note_about(self.now, node, what, &packet);
        PacketId(self.packets.insert(packet))
    }

    /// The access category of a new packet: that of its flow. ARP is best effort, as in Linux.
    #[cold]
    fn category_of(&self, packet: &Packet) -> Category {
        match packet.payload {
            Payload::Control(_) => Category::ROUTING,
            _ => self.categories.get(packet.flow.index()).copied().unwrap_or_default(),
        }
    }

    /// Copies a packet that radio `from` of a neighbor has sent, for the node that has received it.
    #[inline]
    pub fn copy(&mut self, packet: PacketId, from: RadioId) -> PacketId {
        let mut copy = self.packet(packet).clone();
        copy.hop.count += 1;
        copy.hop.prev = self.radios.owner(from);
        PacketId(self.packets.insert(copy))
    }

    /// Copies a broadcast for a further radio of its sender.
    pub fn copy_for_radio(&mut self, packet: PacketId) -> PacketId {
        let copy = self.packet(packet).clone();
        self.trace.counters.life(&copy).copied += 1;
        PacketId(self.packets.insert(copy))
    }

    /// Ends a packet at its destination and returns it.
    pub fn deliver(&mut self, node: NodeId, packet: PacketId) -> Packet {
        let packet = self.packets.remove(packet.0);
        let transit = self.now.since(packet.created_at).0;
        let life = self.trace.counters.life(&packet);
        life.delivered += 1;
        life.transit += transit;
        life.since_queue += self.now.since(packet.queued.first.min(self.now)).0;
        life.hops += u64::from(packet.hop.count) + u64::from(packet.travelled());
        self.trace.note_about(self.now, node, What::Delivered { uid: packet.uid }, &packet);
        packet
    }

    /// Ends a packet that has not reached its destination.
    pub fn drop(&mut self, node: NodeId, packet: PacketId, reason: DropReason) {
        let packet = self.packets.remove(packet.0);
        self.trace.counters.life(&packet).dropped[reason as usize] += 1;
        let here = self.trace.counters.node(node);
        here.dropped += 1;
        here.queue_full += u64::from(reason == DropReason::QueueFull);
        self.trace.counters.category(node, packet.category, |counters| counters.dropped += 1);
        let what = What::Dropped { uid: packet.uid, flow: packet.flow, reason };
        self.trace.note_about(self.now, node, what, &packet);
        if let Some(capture) = &mut self.trace.capture {
            capture.on_drop(self.now, node, &packet, reason);
        }
        if let Some(live) = &mut self.live {
            live.on_drop(&packet, reason);
        }
        if let Some(reports) = &mut self.unreachable {
            reports.on_drop(self.now, node, &packet, reason, &mut self.events);
        }
    }

    /// Ends a packet that has served its purpose without a destination: a broadcast that was sent, a routing message that
    /// was read (see [`crate::trace::PacketCounters::consumed`]).
    pub fn consume(&mut self, packet: PacketId) {
        let packet = self.packets.remove(packet.0);
        self.trace.counters.life(&packet).consumed += 1;
    }

    /// Counts the reception of a packet that ends at once: its copy is never stored.
    pub fn consume_unkept(&mut self, packet: PacketId) {
        self.trace.counters.life(self.packets.get(packet.0)).consumed += 1;
    }
}

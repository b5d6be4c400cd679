//! The link layer above release by overhearing: which packet the MAC takes, and what returns from it ([`super::HopQueue`]).

use super::{Discipline, Dropped, Link, MacState, QueueCtx};
use crate::kernel::RadioId;
use crate::packet::{ChannelView, Packet, PacketId};
use crate::sim::Ctx;

impl Link {
    /// Whether a packet is served while data is parked, and joins no A-MPDU.
    pub(super) fn is_apart(&self, packet: &Packet) -> bool {
        packet.is_control() || self.hop_queue.as_ref().is_some_and(|queue| queue.passes(packet))
    }

    /// See [`Link::next_for_mac`], with release by overhearing.
    pub fn next_released(&mut self, ctx: &mut Ctx, channel: &dyn ChannelView) -> Option<PacketId> {
        let found = self.first_released(ctx);
        let is_parked = self.mac == MacState::Parked;
        if found.is_none() && is_parked {
            return None;
        }
        let mut cx = QueueCtx::new(ctx.now, &mut ctx.packets, &mut self.dropped).with_channel(channel);
        let packet = match found {
            Some((id, next)) if self.queue.peek() != Some(id) => {
                let category = cx.packets.get(id.0).category;
                let picked = self.queue.dequeue_for(&mut cx, next, category, u32::MAX);
                if picked.is_none() && !is_parked { self.queue.dequeue(&mut cx) } else { picked }
            }
            _ => self.queue.dequeue(&mut cx),
        };
        self.drop_dropped(ctx);
        if packet.is_some() || !is_parked {
            self.mac = if packet.is_some() { MacState::Engaged } else { MacState::Free };
        }
        if let Some(packet) = packet {
            ctx.queue_changed(self.node, packet, false, self.queue.len());
        }
        packet
    }

    /// The first packet that may go, and its next hop: of a withheld one at the head of the queue alone, as those behind may not.
    fn first_released(&self, ctx: &Ctx) -> Option<(PacketId, RadioId)> {
        let rules = self.hop_queue.as_ref()?;
        let (head, is_parked) = (self.queue.peek(), self.mac == MacState::Parked);
        let mut found = None;
        self.queue.visit(&mut |id| {
            let packet = ctx.packet(id);
            let next = packet.hop.next;
            let is_last_hop = || !next.is_broadcast() && ctx.radios.owner(next) == packet.dst;
            let may_go = if is_parked && !rules.swaps {
                head == Some(id) && rules.passes(packet)
            } else {
                !rules.withheld.contains(&next) || head == Some(id) && (rules.passes(packet) || is_last_hop())
            };
            if found.is_none() && may_go {
                found = Some((id, next));
            }
        });
        found
    }

    /// A parked packet returns from the MAC to the head of the queue.
    pub fn take_back(&mut self, ctx: &mut Ctx, packet: PacketId) {
        let now = ctx.now;
        ctx.packet_mut(packet).queued.enter(now);
        let mut cx = QueueCtx::new(now, &mut ctx.packets, &mut self.dropped);
        let result = self.queue.enqueue(&mut cx, packet, true);
        ctx.queue_changed(self.node, packet, true, self.queue.len());
        if let Err(reason) = result {
            self.dropped.push(Dropped { packet, reason });
        }
        self.drop_dropped(ctx);
    }
}

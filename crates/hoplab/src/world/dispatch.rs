//! Calls between MAC and network layer: indications go up, packets go down.

use super::run::World;
use crate::kernel::{AnyRun, NodeId, RadioId, RunKind};
use crate::mac::MacOut;
use crate::mac::aggregation::Agreement;
use crate::net::NetOut;
use crate::packet::aggregate::Sequence;
use crate::packet::{Category, PacketId};
use crate::sim::{Event, WireTimer};

impl World {
    /// Carries the indications of a MAC up to the network layer.
    #[inline]
    pub(super) fn carry_up<R: RunKind>(&mut self, radio: RadioId) {
        if !self.outbox.mac.is_empty() {
            self.carry_all_up::<R>(radio);
        }
    }

    #[inline(never)]
    fn carry_all_up<R: RunKind>(&mut self, radio: RadioId) {
        let mut indications = std::mem::take(&mut self.outbox.mac);
        loop {
            for out in indications.drain(..) {
                self.carry_one::<R>(radio, out);
            }
            // A packet that was handed down may have caused further indications.
            if self.outbox.mac.is_empty() {
                break;
            }
            std::mem::swap(&mut indications, &mut self.outbox.mac);
        }
        self.outbox.mac = indications;
        self.settle::<R>(self.ctx.radios.owner_in::<R>(radio));
    }

    #[inline]
    pub(super) fn carry_one<R: RunKind>(&mut self, radio: RadioId, out: MacOut) {
        match out {
            MacOut::Received { packet, from } => {
                self.mark_received(packet, from);
                let (net, mut cx) = self.net_above::<R>(radio);
                net.on_received(&mut cx, packet, from);
            }
            MacOut::Overheard { packet, from } => {
                let (net, mut cx) = self.net_above::<R>(radio);
                net.on_overheard(&mut cx, packet, from);
            }
            MacOut::Parked if R::IS_PLAIN || !self.macs[radio.index()].is_parked() => {}
            MacOut::Held { packet, from, category, seq } => {
                self.hold(radio, packet, Agreement { from, category }, seq);
            }
            MacOut::Released { from, category } => self.free_held(radio, Agreement { from, category }),
            MacOut::Turn => self.fill(radio),
            MacOut::Sent { packet } => self.on_sent(radio, packet),
            MacOut::Failed { packet, next_hop, reached_next_hop } => {
                let (net, mut cx) = self.net_above::<R>(radio);
                net.on_mac_failed(&mut cx, packet, next_hop, reached_next_hop);
            }
            MacOut::Ready => {
                if !R::IS_PLAIN {
                    self.share_withheld(radio);
                }
                let (net, mut cx) = self.net_above::<R>(radio);
                let next = net.on_mac_ready(&mut cx);
                self.carry::<R>((self.ctx.radios.owner_in::<R>(radio), radio), next);
            }
            MacOut::ReadyFor { category } => {
                let (net, mut cx) = self.net_above::<R>(radio);
                let next = net.on_category_ready(&mut cx, category);
                self.carry::<R>((self.ctx.radios.owner_in::<R>(radio), radio), next);
            }
            MacOut::Parked => self.on_parked::<R>(radio, None),
            MacOut::ParkedFor { category } if self.macs[radio.index()].is_parked_in(category) => {
                self.on_parked::<R>(radio, Some(category));
            }
            MacOut::ParkedFor { .. } => {}
            MacOut::Returned { packet } => {
                self.nets[self.ctx.radios.owner(radio).index()].take_back(&mut self.ctx, radio, packet);
            }
            MacOut::Unparked => self.nets[self.ctx.radios.owner(radio).index()].on_mac_unparked(radio, None),
            MacOut::UnparkedFor { category } => {
                self.nets[self.ctx.radios.owner(radio).index()].on_mac_unparked(radio, Some(category));
            }
        }
    }

    /// The MAC can take a control packet, with access categories of one.
    fn on_parked<R: RunKind>(&mut self, radio: RadioId, category: Option<Category>) {
        self.share_withheld(radio);
        let (net, mut cx) = self.net_above::<R>(radio);
        let next = net.on_mac_parked(&mut cx, category);
        self.carry::<R>((self.ctx.radios.owner_in::<R>(radio), radio), next);
    }

    /// The next hop that radio `from` has sent a packet to has received it.
    #[inline]
    fn mark_received(&mut self, packet: PacketId, from: RadioId) {
        let is_broadcast = self.ctx.packet(packet).hop.next.is_broadcast();
        if !is_broadcast && self.macs[from.index()].mark_received(packet) {
            let again = self.ctx.packets.get(packet.0);
            self.ctx.trace.counters.life(again).copied += 1;
        }
    }

    /// Copies a packet for the MAC that holds it until those before it have arrived.
    #[inline(never)]
    fn hold(&mut self, radio: RadioId, packet: PacketId, agreement: Agreement, seq: Sequence) {
        self.mark_received(packet, agreement.from);
        let copy = self.ctx.copy(packet, agreement.from);
        self.macs[radio.index()].hold(agreement, seq, copy);
    }

    /// Carries packets up that the MAC holds no longer.
    #[inline(never)]
    fn free_held(&mut self, radio: RadioId, agreement: Agreement) {
        while let Some(copy) = self.macs[radio.index()].next_free(agreement) {
            let (net, mut cx) = self.net_above::<AnyRun>(radio);
            net.on_released(&mut cx, copy, agreement.from);
        }
    }

    /// Fills the A-MPDU that a MAC lays out, from the queue above it.
    #[inline(never)]
    fn fill(&mut self, radio: RadioId) {
        while let Some((room, category)) = self.macs[radio.index()].room() {
            let (net, mut cx) = self.net_above::<AnyRun>(radio);
            let Some(packet) = net.next_joining(&mut cx, room.to, category, room.bytes) else { break };
            let bytes = self.ctx.packet(packet).bytes;
            self.macs[radio.index()].join(self.ctx.now, packet, bytes);
        }
        let (mac, mut cx) = self.mac(radio);
        mac.on_filled(&mut cx);
    }

    /// Releases the sender's copy of a packet: of a broadcast, once its signal has ended at the last receiver.
    fn on_sent(&mut self, radio: RadioId, packet: PacketId) {
        if self.ctx.packet(packet).hop.next.is_broadcast() {
            let event = Event::BroadcastEnd { radio, packet };
            self.ctx.events.schedule(self.ctx.now + self.medium.farthest_delay(radio), event);
        } else {
            self.ctx.packets.remove(packet.0);
        }
    }

    /// What happens to a packet on a wire.
    #[inline(never)]
    pub(super) fn on_wire(&mut self, port: u32, timer: WireTimer, packet: PacketId) {
        let Some(wires) = &mut self.wires else { unreachable!("an event of a wire without wires") };
        match timer {
            WireTimer::Sent => wires.on_sent(&mut self.ctx, port, packet),
            WireTimer::Arrived => {
                let node = wires.on_arrived(&mut self.ctx, port, packet);
                let (net, mut cx) = self.net(node);
                let out = net.on_wire_arrival(&mut cx, packet);
                let radio = self.ctx.radios.first(node);
                self.carry::<AnyRun>((node, radio), out);
                self.carry_up::<AnyRun>(radio);
                self.settle::<AnyRun>(node);
            }
        }
    }

    /// Carries a packet of the network layer of a node up to transport or a proxy, or down to the MAC of a radio of it.
    pub(super) fn carry<R: RunKind>(&mut self, (node, radio): (NodeId, RadioId), out: Option<NetOut>) {
        match out {
            Some(NetOut::Deliver(packet)) => self.deliver::<R>(node, packet),
            Some(NetOut::Divert(packet)) => self.divert(node, packet),
            Some(NetOut::ToMac(packet)) => {
                if !R::IS_PLAIN {
                    self.update_backlog(node);
                    self.note_radio((node, radio), packet);
                    self.share_hops(node, radio, packet);
                }
                let (mac, mut cx) = self.mac_in::<R>(radio);
                mac.send(&mut cx, packet);
            }
            Some(NetOut::Slot) if !R::IS_PLAIN => self.offer(node, false),
            Some(NetOut::Slot) | None => {}
        }
    }
}

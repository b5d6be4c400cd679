//! What MACs and networks have said is carried a layer up or down.

use super::World;
use crate::kernel::NodeId;
use crate::mac::MacOut;
use crate::net::NetOut;
use crate::packet::PacketId;
use crate::sim::Event;

impl World {
    /// Carries what a MAC has said to the network layer above it.
    #[inline]
    pub(super) fn carry_up(&mut self, node: NodeId) {
        if !self.mac_out.is_empty() {
            self.carry_all_up(node);
        }
    }

    #[inline(never)]
    fn carry_all_up(&mut self, node: NodeId) {
        let mut said = std::mem::take(&mut self.mac_out);
        loop {
            for out in said.drain(..) {
                self.carry_one(node, out);
            }
            // A packet that was handed down may have made the MAC say more.
            if self.mac_out.is_empty() {
                break;
            }
            std::mem::swap(&mut said, &mut self.mac_out);
        }
        self.mac_out = said;
        self.settle(node);
    }

    #[inline]
    pub(super) fn carry_one(&mut self, node: NodeId, out: MacOut) {
        match out {
            MacOut::Received { packet, from } => {
                let is_broadcast = self.ctx.packet(packet).next_hop.is_broadcast();
                if !is_broadcast && self.macs[from.index()].mark_received() {
                    let again = self.ctx.packets.get(packet.0);
                    self.ctx.trace.counters.life(again).copied += 1;
                }
                let (net, mut cx) = self.net(node);
                net.on_received(&mut cx, packet, from);
            }
            MacOut::Sent { packet } => self.on_sent(node, packet),
            MacOut::Failed { packet, next_hop, reached_next_hop } => {
                let (net, mut cx) = self.net(node);
                net.on_mac_failed(&mut cx, packet, next_hop, reached_next_hop);
            }
            MacOut::Ready => {
                let (net, mut cx) = self.net(node);
                let next = net.on_mac_ready(&mut cx);
                self.carry(node, next);
            }
            MacOut::Parked if self.macs[node.index()].is_parked() => {
                let (net, mut cx) = self.net(node);
                let next = net.on_mac_parked(&mut cx);
                self.carry(node, next);
            }
            MacOut::Parked => {}
            MacOut::Unparked => self.nets[node.index()].on_mac_unparked(),
        }
    }

    /// A sender needs its copy no longer. That of a broadcast stays until its last bit has passed the last receiver.
    fn on_sent(&mut self, node: NodeId, packet: PacketId) {
        if self.ctx.packet(packet).next_hop.is_broadcast() {
            let event = Event::BroadcastEnd { node, packet };
            self.ctx.events.schedule(self.ctx.now + self.medium.farthest_delay(node), event);
        } else {
            self.ctx.packets.remove(packet.0);
        }
    }

    pub(super) fn carry(&mut self, node: NodeId, out: Option<NetOut>) {
        match out {
            Some(NetOut::Deliver(packet)) => self.deliver(node, packet),
            Some(NetOut::Divert(packet)) => self.divert(node, packet),
            Some(NetOut::ToMac(packet)) => {
                self.tell_backlog(node);
                let (mac, mut cx) = self.mac(node);
                mac.send(&mut cx, packet);
            }
            Some(NetOut::Slot) => self.offer(node, false),
            None => {}
        }
    }
}

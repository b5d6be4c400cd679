//! Release by overhearing: the queue follows what the MAC withholds, and own data enter in turn with what a node forwards.

use crate::kernel::{NodeId, RadioId};
use crate::mac::handshake::HandshakePolicy;
use crate::net::routing::Routing;
use crate::packet::PacketId;
use crate::sim::Event;
use crate::world::run::World;

impl World {
    /// Before the queue of a radio is asked for a packet: its link follows what the MAC withholds.
    #[inline]
    pub(in crate::world) fn share_withheld(&mut self, radio: RadioId) {
        if self.pulls.has_release {
            self.update_withheld(radio);
        }
    }

    #[cold]
    fn update_withheld(&mut self, radio: RadioId) {
        let (now, Some(mac)) = (self.ctx.now, self.macs.get_mut(radio.index())) else { return };
        let net = &mut self.nets[self.ctx.radios.owner(radio).index()];
        net.withhold(radio, |list| mac.withheld(now, &mut |next| list.push(next)));
    }

    /// Before a packet goes down to a MAC: the hops that are left for it.
    #[inline]
    pub(in crate::world) fn share_hops(&mut self, node: NodeId, radio: RadioId, packet: PacketId) {
        if self.pulls.has_release {
            let dst = self.ctx.packet(packet).dst;
            let hops = self.nets[node.index()].routing.hops_to(dst);
            self.macs[radio.index()].set_hops_left(hops);
        }
    }

    /// Offers slots for the node's own data, if none of it waits and each flow in transit had its turn.
    pub(super) fn offer_in_transit(&mut self, node: NodeId, point: usize, is_overdue: bool) {
        let now = self.ctx.now;
        let turn = self.macs[self.ctx.radios.first(node).index()].turn().packets();
        for nth in 0..turn {
            let (backlog, _, _) = self.pull_state(node);
            let is_resolved = backlog.unresolved == 0 || is_overdue && nth == 0;
            let own = backlog.own + self.own_in_macs(node) + backlog.coming;
            if !is_resolved || backlog.waiting > 0 || own > nth {
                return;
            }
            let Some(turns) = &mut self.nets[node.index()].own_turns else { return };
            if let Some(until) = turns.until(now) {
                if turns.check_at.is_none_or(|at| at < until) {
                    turns.check_at = Some(until);
                    self.ctx.events.schedule(until, Event::ArpOverdue { node });
                }
                return;
            }
            if !self.offer_in_turn(point) {
                return;
            }
        }
    }

    /// Long packets of the node itself in its MACs.
    fn own_in_macs(&self, node: NodeId) -> u32 {
        let is_own = |mac: &crate::mac::Mac| {
            let own = mac.in_service().filter(|(packet, _)| {
                let packet = self.ctx.packet(*packet);
                packet.src == node && !mac.handshake().passes(packet.bytes) && !packet.is_control()
            });
            own.count() as u32
        };
        self.ctx.radios.of(node).map(|radio| is_own(&self.macs[radio.index()])).sum()
    }
}

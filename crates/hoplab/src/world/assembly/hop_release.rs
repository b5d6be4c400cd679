//! Release by overhearing: what nodes with this handshake know above their MACs.

use crate::kernel::{NodeId, Span};
use crate::mac::handshake::HandshakeKind;
use crate::scenario::Resolved;
use crate::transport::PullConfig;
use crate::world::World;

impl World {
    /// Nodes with this handshake admit own data in turn, and their queues follow what the MAC withholds.
    pub(super) fn release_by_hop(&mut self, scenario: &Resolved) {
        for node in (0..scenario.positions.len() as u32).map(NodeId) {
            if scenario.handshake_of(node) != HandshakeKind::HopRelease {
                continue;
            }
            let turn = self.macs[self.ctx.radios.first(node).index()].turn();
            let long_from = scenario.hop_release.rules().long_from(turn.longest_packet());
            let wait = self.exchange_at(node) * u64::from(scenario.hop_release.turn_wait);
            self.nets[node.index()].release_by_hop(long_from, wait);
            self.pulls.has_release = true;
        }
    }

    /// Rules of the ends of a flow whose source is at this node.
    pub(super) fn pull_by_hop(&self, scenario: &Resolved, node: NodeId) -> PullConfig {
        let mac = self.macs.get(self.ctx.radios.first(node).index());
        scenario.hop_release.pull(self.exchange_at(node), mac.map_or(1, |mac| mac.turn().packets()))
    }

    /// The exchange of what one grant lets through, at the first radio of a node; zero at a host.
    fn exchange_at(&self, node: NodeId) -> Span {
        let mac = self.macs.get(self.ctx.radios.first(node).index());
        mac.map_or(Span::ZERO, |mac| mac.turn().exchange(mac.timing()))
    }
}

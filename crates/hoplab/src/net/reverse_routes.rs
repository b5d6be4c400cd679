//! The way that a flow's data has come, for acknowledgments between proxies: routing need not know a way to them.

use crate::kernel::{FlowId, NodeId};
use crate::packet::{Packet, Payload};

/// Most flows that a node remembers; the one unheard of for longest is forgotten first.
const MAX_FLOWS_KEPT: usize = 64;

/// For each flow, the neighbor that its last data packet came from; the most recent flow last.
#[derive(Clone, Debug, Default)]
pub(super) struct ReverseRoutes(Vec<(FlowId, NodeId)>);

impl ReverseRoutes {
    /// A packet has come in.
    pub(super) fn learn(&mut self, packet: &Packet) {
        if !matches!(packet.payload, Payload::SplitSegment(_)) {
            return;
        }
        self.0.retain(|&(flow, _)| flow != packet.flow);
        if self.0.len() == MAX_FLOWS_KEPT {
            self.0.remove(0);
        }
        self.0.push((packet.flow, packet.hop.prev));
    }

    /// The neighbor to send this packet back to, if it goes back and the way is known.
    pub(super) fn of(&self, packet: &Packet) -> Option<NodeId> {
        if !matches!(packet.payload, Payload::Lack(_)) {
            return None;
        }
        self.0.iter().find(|&&(flow, _)| flow == packet.flow).map(|&(_, neighbor)| neighbor)
    }
}

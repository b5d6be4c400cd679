//! Reverse routes of flows, as in AODV (RFC 3561): local ACKs return to proxies hop by hop, without a route of the routing
//! protocol. Split TCP uses them with `lack_routing = "reverse_hops"`.

use crate::kernel::{FlowId, NodeId};
use crate::packet::{Packet, Payload};

/// Maximum number of flows per node; the least recently used one is evicted.
const MAX_FLOWS_KEPT: usize = 64;

/// For each flow, the neighbor that its last data packet came from; the most recent flow last.
#[derive(Clone, Debug, Default)]
pub(super) struct ReverseRoutes(Vec<(FlowId, NodeId)>);

impl ReverseRoutes {
    /// Learns from a packet that a neighbor has sent.
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

    /// The next hop of a local ACK, if its flow has a reverse route.
    pub(super) fn of(&self, packet: &Packet) -> Option<NodeId> {
        if !matches!(packet.payload, Payload::Lack(_)) {
            return None;
        }
        self.0.iter().find(|&&(flow, _)| flow == packet.flow).map(|&(_, neighbor)| neighbor)
    }
}

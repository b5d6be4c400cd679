//! Packets of one node that wait for paths, until discovery ends.

use crate::kernel::NodeId;
use crate::packet::PacketId;
use crate::sim::Ctx;
use crate::trace::DropReason;
use std::collections::VecDeque;

/// Packets that wait, in order of arrival.
#[derive(Clone, Debug)]
pub(super) struct SendBuffer {
    node: NodeId,
    limit: usize,
    packets: VecDeque<(NodeId, PacketId)>,
}

impl SendBuffer {
    /// An empty buffer for `limit` packets.
    pub(super) fn new(node: NodeId, limit: u32) -> SendBuffer {
        SendBuffer { node, limit: limit as usize, packets: VecDeque::new() }
    }

    /// Adds a packet for `dst`, or drops it on overflow.
    pub(super) fn push(&mut self, ctx: &mut Ctx, packet: PacketId, dst: NodeId) {
        if self.packets.len() >= self.limit {
            ctx.drop(self.node, packet, DropReason::RouteBuffer);
        } else {
            self.packets.push_back((dst, packet));
        }
    }

    /// Removes the oldest packet for `dst`.
    pub(super) fn pop(&mut self, dst: NodeId) -> Option<PacketId> {
        let index = self.packets.iter().position(|&(other, _)| other == dst)?;
        self.packets.remove(index).map(|(_, packet)| packet)
    }

    /// All packets, in order of arrival.
    pub(super) fn iter(&self) -> impl Iterator<Item = PacketId> {
        self.packets.iter().map(|&(_, packet)| packet)
    }

    /// Number of packets.
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }
}

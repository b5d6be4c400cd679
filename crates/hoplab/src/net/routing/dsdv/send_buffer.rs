//! Packets of one node that wait for a route: a few per destination, without a timeout (ns-2's `PriQueue` per entry).

use crate::kernel::NodeId;
use crate::packet::PacketId;
use crate::sim::Ctx;
use crate::trace::DropReason;

/// Packets that wait for a route, in order of arrival.
#[derive(Clone, Debug)]
pub(super) struct SendBuffer {
    node: NodeId,
    per_destination: usize,
    packets: Vec<(NodeId, PacketId)>,
}

impl SendBuffer {
    /// An empty buffer for at most `per_destination` packets for each destination.
    pub(super) fn new(node: NodeId, per_destination: u32) -> SendBuffer {
        SendBuffer { node, per_destination: per_destination as usize, packets: Vec::new() }
    }

    /// Adds a packet for `dst`. On overflow the oldest packet for `dst` is dropped.
    pub(super) fn push(&mut self, ctx: &mut Ctx, packet: PacketId, dst: NodeId) {
        self.packets.push((dst, packet));
        if self.packets.iter().filter(|(other, _)| *other == dst).count() > self.per_destination
            && let Some(oldest) = self.pop(dst)
        {
            ctx.drop(self.node, oldest, DropReason::RouteBuffer);
        }
    }

    /// Removes the oldest packet for `dst`.
    pub(super) fn pop(&mut self, dst: NodeId) -> Option<PacketId> {
        let index = self.packets.iter().position(|(other, _)| *other == dst)?;
        Some(self.packets.remove(index).1)
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

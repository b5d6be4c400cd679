//! Packets of one node that wait for a route.

use crate::kernel::NodeId;
use crate::packet::PacketId;
use crate::sim::Ctx;
use crate::trace::DropReason;

/// Packets that wait for routes, in order of arrival: a few per destination, for as long as it takes.
#[derive(Clone, Debug)]
pub(super) struct SendBuffer {
    node: NodeId,
    per_destination: usize,
    packets: Vec<(NodeId, PacketId)>,
}

impl SendBuffer {
    /// Nothing waits yet; later, at most `per_destination` packets for each destination.
    pub(super) fn new(node: NodeId, per_destination: u32) -> SendBuffer {
        SendBuffer { node, per_destination: per_destination as usize, packets: Vec::new() }
    }

    /// Keeps a packet for `dst`; the oldest for the same destination makes room.
    pub(super) fn push(&mut self, ctx: &mut Ctx, packet: PacketId, dst: NodeId) {
        self.packets.push((dst, packet));
        if self.packets.iter().filter(|(other, _)| *other == dst).count() > self.per_destination
            && let Some(oldest) = self.pop(dst)
        {
            ctx.drop(self.node, oldest, DropReason::RouteBuffer);
        }
    }

    /// Takes out the packet for `dst` that came first.
    pub(super) fn pop(&mut self, dst: NodeId) -> Option<PacketId> {
        let place = self.packets.iter().position(|(other, _)| *other == dst)?;
        Some(self.packets.remove(place).1)
    }

    /// Those that wait, in order of arrival.
    pub(super) fn iter(&self) -> impl Iterator<Item = PacketId> {
        self.packets.iter().map(|&(_, packet)| packet)
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }
}

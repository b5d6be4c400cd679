//! Packets of one node that wait for a route.

use crate::kernel::{NodeId, Span, Time};
use crate::packet::PacketId;
use crate::sim::Ctx;
use crate::trace::DropReason;
use std::collections::VecDeque;

/// Packets that wait for a route, in order of arrival.
///
/// As in ns-2, one that has waited too long leaves when the buffer is next changed, not at its hour.
#[derive(Clone, Debug)]
pub(super) struct SendBuffer {
    node: NodeId,
    limit: usize,
    timeout: Span,
    waiting: VecDeque<Waiting>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    packet: PacketId,
    dst: NodeId,
    until: Time,
}

impl SendBuffer {
    /// An empty buffer for `limit` packets, `timeout` each.
    pub(super) fn new(node: NodeId, limit: u32, timeout: Span) -> SendBuffer {
        SendBuffer { node, limit: limit as usize, timeout, waiting: VecDeque::new() }
    }

    /// Keeps a packet for `dst`; the oldest one makes room.
    pub(super) fn push(&mut self, ctx: &mut Ctx, packet: PacketId, dst: NodeId) {
        self.drop_aged(ctx);
        if self.waiting.len() >= self.limit {
            let oldest = self.waiting.pop_front().expect("a full buffer holds a packet");
            let reason = if oldest.until > ctx.now { DropReason::RouteBuffer } else { DropReason::RouteTimeout };
            ctx.drop(self.node, oldest.packet, reason);
        }
        self.waiting.push_back(Waiting { packet, dst, until: ctx.now + self.timeout });
    }

    /// Takes out the packet for `dst` that came first.
    pub(super) fn pop(&mut self, ctx: &mut Ctx, dst: NodeId) -> Option<PacketId> {
        self.drop_aged(ctx);
        let place = self.waiting.iter().position(|waiting| waiting.dst == dst)?;
        self.waiting.remove(place).map(|waiting| waiting.packet)
    }

    /// Drops all packets for `dst`.
    pub(super) fn drop_all(&mut self, ctx: &mut Ctx, dst: NodeId, reason: DropReason) {
        while let Some(packet) = self.pop(ctx, dst) {
            ctx.drop(self.node, packet, reason);
        }
    }

    /// Whether a packet for `dst` waits.
    pub(super) fn has(&self, dst: NodeId) -> bool {
        self.waiting.iter().any(|waiting| waiting.dst == dst)
    }

    /// Those that wait, in order of arrival.
    pub(super) fn iter(&self) -> impl Iterator<Item = PacketId> {
        self.waiting.iter().map(|waiting| waiting.packet)
    }

    /// Whether none waits.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// All packets have the same timeout, so the aged ones are at the front.
    fn drop_aged(&mut self, ctx: &mut Ctx) {
        while let Some(oldest) = self.waiting.front() {
            if oldest.until >= ctx.now {
                return;
            }
            ctx.drop(self.node, oldest.packet, DropReason::RouteTimeout);
            self.waiting.pop_front();
        }
    }
}

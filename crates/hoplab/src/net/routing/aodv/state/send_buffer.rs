//! Packets of one node that wait for a route, with a timeout (ns-2's `aodv_rqueue.cc`).

use crate::kernel::{NodeId, Span, Time};
use crate::packet::PacketId;
use crate::sim::Ctx;
use crate::trace::DropReason;
use std::collections::VecDeque;

/// Packets that wait for a route, in order of arrival.
///
/// As in ns-2, a packet whose timeout has passed is dropped when the buffer is next changed.
#[derive(Clone, Debug)]
pub(in crate::net::routing) struct SendBuffer {
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
    /// An empty buffer for `limit` packets.
    pub(in crate::net::routing) fn new(node: NodeId, limit: u32, timeout: Span) -> SendBuffer {
        SendBuffer { node, limit: limit as usize, timeout, waiting: VecDeque::new() }
    }

    /// Adds a packet for `dst`. On overflow the oldest packet is dropped.
    pub(in crate::net::routing) fn push(&mut self, ctx: &mut Ctx, packet: PacketId, dst: NodeId) {
        self.drop_expired(ctx);
        if self.waiting.len() >= self.limit {
            let oldest = self.waiting.pop_front().expect("a full buffer has a packet");
            let reason = if oldest.until > ctx.now { DropReason::RouteBuffer } else { DropReason::RouteTimeout };
            ctx.drop(self.node, oldest.packet, reason);
        }
        self.waiting.push_back(Waiting { packet, dst, until: ctx.now + self.timeout });
    }

    /// Removes the oldest packet for `dst`.
    pub(in crate::net::routing) fn pop(&mut self, ctx: &mut Ctx, dst: NodeId) -> Option<PacketId> {
        self.drop_expired(ctx);
        let index = self.waiting.iter().position(|waiting| waiting.dst == dst)?;
        self.waiting.remove(index).map(|waiting| waiting.packet)
    }

    /// Drops all packets for `dst`.
    pub(in crate::net::routing) fn drop_all(&mut self, ctx: &mut Ctx, dst: NodeId, reason: DropReason) {
        while let Some(packet) = self.pop(ctx, dst) {
            ctx.drop(self.node, packet, reason);
        }
    }

    /// Whether there is a packet for `dst`.
    pub(in crate::net::routing) fn has(&self, dst: NodeId) -> bool {
        self.waiting.iter().any(|waiting| waiting.dst == dst)
    }

    /// All packets, in order of arrival.
    pub(in crate::net::routing) fn iter(&self) -> impl Iterator<Item = PacketId> {
        self.waiting.iter().map(|waiting| waiting.packet)
    }

    /// Whether there is no packet.
    pub(in crate::net::routing) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Number of packets.
    pub(in crate::net::routing) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Drops packets whose timeout has passed. All have the same timeout: expired ones are at the front.
    pub(in crate::net::routing) fn drop_expired(&mut self, ctx: &mut Ctx) {
        while let Some(oldest) = self.waiting.front() {
            if oldest.until >= ctx.now {
                return;
            }
            ctx.drop(self.node, oldest.packet, DropReason::RouteTimeout);
            self.waiting.pop_front();
        }
    }
}

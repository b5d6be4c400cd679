//! Broken links: route errors and salvaging (RFC 4728 sections 3.4.1, 3.4.2 and 8.3.4 to 8.3.6).

use super::agent::Dsr;
use super::message::{DsrMessage, Rerr};
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::protocol::RouteCtx;
use crate::packet::{PacketId, SourceRoute};
use crate::trace::DropReason;
use std::sync::Arc;

impl Dsr {
    /// A packet could not be sent to its next hop.
    pub(super) fn on_failure(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, radio: RadioId, reason: DropReason) {
        let next_hop = cx.owner(radio);
        self.facing.forget(cx, radio);
        self.forget_link(cx, self.node, next_hop);
        self.reroute(cx, packet, next_hop, reason);
        cx.return_queued(radio, DropReason::LinkFailure);
    }

    /// Reports a broken link to the packet's source, and sends the packet over another route or drops it.
    fn reroute(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, next_hop: NodeId, reason: DropReason) {
        let failed = cx.ctx.packet(packet);
        let (src, dst, is_message) = (failed.src, failed.dst, failed.is_control());
        let route = failed.route.clone();
        let before = route.as_deref().map_or(&[][..], |route| up_to_node(route.nodes(), self.node));
        let salvage = route.as_deref().map_or(0, SourceRoute::salvage);
        let is_from_here = before.len() < 2;
        if !is_from_here && self.reported.is_first(cx.now(), next_hop, before[0]) {
            let rerr = Rerr { from: self.node, to: next_hop, dst: before[0], salvage };
            let back: Vec<NodeId> = before.iter().rev().copied().collect();
            self.send_along(cx, DsrMessage::Rerr(rerr), &back, Span::ZERO);
        }
        // A reply shows that its hops work in both directions, which another path would not.
        if is_message {
            cx.drop(packet, reason);
        } else if is_from_here && salvage == 0 {
            self.send_own(cx, packet, dst, Span::ZERO);
        } else {
            self.salvage(cx, packet, (src, dst), salvage);
        }
    }

    /// Sends a packet of another node along a route of the own cache, or drops it.
    fn salvage(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, (src, dst): (NodeId, NodeId), salvage: u8) {
        let route = self.cache.take_route(cx.now(), dst).filter(|route| {
            // A packet that returns to its source is dropped there.
            salvage < self.config.max_salvage && !route.up_to(dst).contains(&src)
        });
        let Some(route) = route else {
            cx.drop(packet, DropReason::LinkFailure);
            return;
        };
        let next_hop = route.nodes()[1];
        let salvaged = SourceRoute::new(route.up_to(dst), salvage + 1);
        cx.ctx.packet_mut(packet).set_route(Arc::new(salvaged));
        self.facing.send(cx, packet, next_hop, Span::ZERO);
    }

    /// Learns of a broken link from a RERR that this node receives, forwards or overhears.
    pub(super) fn on_rerr(&mut self, cx: &mut RouteCtx<'_>, rerr: &Rerr) {
        self.forget_link(cx, rerr.from, rerr.to);
        if rerr.dst == self.node {
            self.error = Some(*rerr);
        }
    }
}

/// The nodes of a route up to `node`; none if it is not on the route.
fn up_to_node(nodes: &[NodeId], node: NodeId) -> &[NodeId] {
    let end = nodes.iter().position(|&other| other == node).map_or(0, |at| at + 1);
    &nodes[..end]
}

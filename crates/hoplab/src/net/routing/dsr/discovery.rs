//! Route discovery: RREQs of this node, and those that arrive (RFC 4728 sections 8.2.1 and 8.2.2).

use super::agent::{Dsr, REQUEST};
use super::message::{DsrMessage, Rreq};
use super::requests::Discovery;
use crate::kernel::{NodeId, Span};
use crate::net::routing::protocol::RouteCtx;
use crate::packet::{Control, PacketId, Payload, SourceRoute};
use crate::trace::DropReason;

impl Dsr {
    /// Starts a discovery, unless one is in progress.
    pub(super) fn discover(&mut self, cx: &mut RouteCtx<'_>, target: NodeId) {
        if self.requests.of(target).is_some() {
            return;
        }
        if self.config.nonpropagating_request {
            self.request(cx, target, 0, 1, self.config.nonpropagating_timeout);
        } else {
            self.request_widely(cx, target, 1);
        }
    }

    /// No RREP has arrived in time. A discovery without a packet that needs it is over.
    pub(super) fn on_request_timer(&mut self, cx: &mut RouteCtx<'_>, target: NodeId) {
        let count = self.requests.of(target).map_or(0, |discovery| discovery.count);
        self.requests.end(target);
        self.buffer.drop_expired(cx.ctx);
        if !self.buffer.has(target) {
            return;
        }
        if count > self.config.max_request_retries {
            self.buffer.drop_all(cx.ctx, target, DropReason::NoRoute);
        } else {
            self.request_widely(cx, target, count + 1);
        }
    }

    fn request_widely(&mut self, cx: &mut RouteCtx<'_>, target: NodeId, count: u8) {
        self.request(cx, target, count, self.config.discovery_hop_limit, self.config.request_wait(count));
    }

    fn request(&mut self, cx: &mut RouteCtx<'_>, target: NodeId, count: u8, ttl: u8, wait: Span) {
        let timer = cx.set_timer(cx.now() + wait, REQUEST, target);
        self.requests.set(Discovery { target, count, timer });
        let rreq = Rreq { id: self.next_id, target, path: vec![self.node], error: self.error.take() };
        self.next_id = self.next_id.wrapping_add(1);
        let message = DsrMessage::Rreq(rreq);
        let bytes = message.bytes();
        let packet = cx.originate(message, NodeId::BROADCAST, bytes, ttl);
        cx.send(packet, NodeId::BROADCAST);
    }

    /// A RREQ has arrived; its TTL counts the last hop.
    pub(super) fn on_rreq(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, rreq: &Rreq) {
        let initiator = rreq.path[0];
        if rreq.path.contains(&self.node) {
            cx.ctx.consume(packet);
            return;
        }
        if let Some(rerr) = rreq.error {
            self.forget_link(cx, rerr.from, rerr.to);
        }
        self.learn(cx, &rreq.path, rreq.path.len() - 1);
        let is_served =
            || self.hosts.as_ref().is_some_and(|hosts| hosts.of(self.node).any(|served| served.host == rreq.target));
        if rreq.target == self.node || is_served() {
            self.reply_as_target(cx, rreq);
            cx.ctx.consume(packet);
            return;
        }
        let is_first = self.requests.is_first(cx.now(), initiator, rreq.id, rreq.target);
        if !is_first || self.reply_from_cache(cx, rreq) {
            cx.ctx.consume(packet);
            return;
        }
        let forwarded = cx.ctx.packet_mut(packet);
        // The target is a node of the route, too.
        if forwarded.ttl == 0 || rreq.path.len() + 2 > SourceRoute::MAX_NODES {
            cx.ctx.consume(packet);
            return;
        }
        let path = rreq.path.iter().copied().chain([self.node]).collect();
        let message = DsrMessage::Rreq(Rreq { path, ..*rreq });
        forwarded.bytes = message.bytes();
        forwarded.payload = Payload::Control(Control::new(message));
        let delay = self.draw_jitter();
        cx.send_after(packet, NodeId::BROADCAST, delay);
    }
}

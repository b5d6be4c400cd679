//! Route replies: of the target, from caches, gratuitous ones, and those that arrive (RFC 4728 sections 8.1.5, 8.2.3 to
//! 8.2.6).

use super::agent::{Dsr, REPLY};
use super::message::{DsrMessage, Rreq};
use super::sent::{Gratuitous, PendingReply};
use crate::kernel::{NodeId, Span};
use crate::net::routing::protocol::RouteCtx;
use crate::packet::SourceRoute;

impl Dsr {
    /// Replies to a RREQ for this node, or for a host behind it, which is the end of the path then.
    pub(super) fn reply_as_target(&mut self, cx: &mut RouteCtx<'_>, rreq: &Rreq) {
        let at = rreq.path.len();
        let host = Some(rreq.target).filter(|target| *target != self.node);
        let path: Vec<NodeId> = rreq.path.iter().copied().chain([self.node]).chain(host).collect();
        if path.len() > SourceRoute::MAX_NODES {
            return;
        }
        let delay = self.draw_jitter();
        self.send_reply(cx, path, at, delay);
    }

    /// Schedules a reply to a RREQ for another node, if the cache has a route that repeats no node of the RREQ's path.
    pub(super) fn reply_from_cache(&mut self, cx: &mut RouteCtx<'_>, rreq: &Rreq) -> bool {
        if !self.config.reply_from_cache {
            return false;
        }
        let Some(route) = self.cache.find(cx.now(), rreq.target) else { return false };
        let rest = route.up_to(rreq.target);
        let nodes = rreq.path.len() + rest.len();
        if nodes > SourceRoute::MAX_NODES || rest.iter().any(|node| rreq.path.contains(node)) {
            return false;
        }
        let at = rreq.path.len();
        let path: Vec<NodeId> = rreq.path.iter().chain(rest).copied().collect();
        let hops = (nodes - 1) as f64;
        let delay = Span::from_secs(self.config.reply_delay.secs() * (hops - 1.0 + self.jitter.unit()));
        let due = cx.now() + delay;
        let timer = cx.set_timer(due, REPLY, self.node);
        self.replies.push(PendingReply { path, at, due, timer });
        true
    }

    /// A reply from the cache is due.
    pub(super) fn on_reply_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let Some(index) = self.replies.iter().position(|reply| reply.due <= cx.now()) else { return };
        let PendingReply { path, at, .. } = self.replies.swap_remove(index);
        // A link of the route may have broken meanwhile.
        let target = path[path.len() - 1];
        let is_known = self.cache.find(cx.now(), target).is_some_and(|route| route.up_to(target) == &path[at..]);
        if is_known {
            self.send_reply(cx, path, at, Span::ZERO);
        }
    }

    /// An overheard packet uses a route: replies of this node to its source that show none shorter are cancelled.
    pub(super) fn cancel_replies(&mut self, cx: &mut RouteCtx<'_>, source: NodeId, dst: NodeId, hops: usize) {
        self.replies.retain(|reply| {
            let has_ends = reply.path[0] == source && reply.path[reply.path.len() - 1] == dst;
            let is_needless = has_ends && hops < reply.path.len();
            if is_needless {
                cx.cancel_timer(reply.timer);
            }
            !is_needless
        });
    }

    /// An overheard packet, from node `from` of its route, will come to this node, node `at`: the nodes between are not needed
    /// (section 3.4.3).
    pub(super) fn shorten(&mut self, cx: &mut RouteCtx<'_>, route: &[NodeId], from: usize, at: usize) {
        let now = cx.now();
        self.gratuitous.retain(|sent| sent.until > now);
        let (source, neighbor) = (route[0], route[from]);
        if self.gratuitous.iter().any(|sent| sent.source == source && sent.from == neighbor) {
            return;
        }
        self.gratuitous.push(Gratuitous { source, from: neighbor, until: now + self.config.gratuitous_holdoff });
        let path = route[..=from].iter().chain(&route[at..]).copied().collect();
        let delay = self.draw_jitter();
        self.send_reply(cx, path, from + 1, delay);
    }

    /// Sends a RREP with a path, of which this node is node `at`, back along the same hops.
    fn send_reply(&mut self, cx: &mut RouteCtx<'_>, path: Vec<NodeId>, at: usize, delay: Span) {
        let back: Vec<NodeId> = path[..=at].iter().rev().copied().collect();
        self.send_along(cx, DsrMessage::Rrep(path), &back, delay);
    }

    /// Learns the path of a RREP that this node receives, forwards or overhears from `from`.
    pub(super) fn learn_reply(&mut self, cx: &mut RouteCtx<'_>, path: &[NodeId], from: NodeId) {
        let position = |node| path.iter().position(|&other| other == node);
        if let Some(at) = position(self.node).or_else(|| position(from)) {
            self.learn(cx, path, at);
        }
    }

    /// Learns from the route in a packet to `dst` that has come from `from`.
    pub(super) fn learn_from(&mut self, cx: &mut RouteCtx<'_>, route: &SourceRoute, dst: NodeId, from: NodeId) {
        self.learn_reply(cx, route.up_to(dst), from);
    }
}

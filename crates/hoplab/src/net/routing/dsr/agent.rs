//! DSR at one node: its state, and what all of its events use.

use super::cache::PathCache;
use super::config::DsrConfig;
use super::message::{DsrMessage, Rerr};
use super::requests::Requests;
use super::sent::{Gratuitous, PendingReply, Reported};
use crate::kernel::{NodeId, Purpose, RandomStream, RandomStreams, Span};
use crate::net::routing::aodv::SendBuffer;
use crate::net::routing::facing::Facing;
use crate::net::routing::hosts::Hosts;
use crate::net::routing::protocol::RouteCtx;
use crate::packet::{PacketId, SourceRoute};
use std::sync::Arc;

/// DSR at one node.
#[derive(Debug)]
pub struct Dsr {
    pub(super) node: NodeId,
    pub(super) config: Arc<DsrConfig>,
    pub(super) jitter: RandomStream,
    pub(super) cache: PathCache,
    pub(super) buffer: SendBuffer,
    pub(super) requests: Requests,
    /// Number of the next RREQ.
    pub(super) next_id: u16,
    /// Replies from the cache that wait.
    pub(super) replies: Vec<PendingReply>,
    pub(super) gratuitous: Vec<Gratuitous>,
    /// RERRs sent for the link that broke last.
    pub(super) reported: Reported,
    /// A broken link for the next RREQ.
    pub(super) error: Option<Rerr>,
    /// The last overheard route, its sender and destination.
    pub(super) overheard: Option<(Arc<SourceRoute>, [NodeId; 2])>,
    /// Next hops of own packets by destination, for the records of route changes.
    used: Vec<(NodeId, NodeId)>,
    /// All hosts, in a run with wires.
    pub(super) hosts: Option<Arc<Hosts>>,
    pub(super) facing: Facing,
    /// Scratch space for a path.
    pub(super) path: Vec<NodeId>,
}

/// Timer kind: no RREP has arrived in time.
pub(super) const REQUEST: u8 = 0;
/// Timer kind: a reply from the cache is due.
pub(super) const REPLY: u8 = 1;

/// Spacing of packets that leave the buffer, so that ARP, which holds one packet, does not drop them.
const SPACING: Span = Span::from_millis(3);

impl Dsr {
    /// DSR at `node`, with an empty cache.
    pub fn new(node: NodeId, config: Arc<DsrConfig>, streams: &RandomStreams) -> Dsr {
        Dsr {
            node,
            jitter: streams.stream(Purpose::RoutingJitter, node.0),
            cache: PathCache::new(config.cache_limit, config.cache_timeout),
            buffer: SendBuffer::new(node, config.buffer_limit, config.buffer_timeout),
            requests: Requests::new(config.request_table_size, config.request_table_ids),
            next_id: 1,
            replies: Vec::new(),
            gratuitous: Vec::new(),
            reported: Reported::default(),
            error: None,
            overheard: None,
            used: Vec::new(),
            hosts: None,
            facing: Facing::default(),
            path: Vec::new(),
            config,
        }
    }

    /// Learns from a route: `nodes[at]` is this node, or a neighbor that it has just received from. Links work in both
    /// directions, as the MAC's acknowledgments require. Sends packets that have waited for it.
    pub(super) fn learn(&mut self, cx: &mut RouteCtx<'_>, nodes: &[NodeId], at: usize) {
        self.add_path(cx, nodes[at..].iter().copied());
        self.add_path(cx, nodes[..=at].iter().rev().copied());
    }

    /// Adds a path that starts at this node or at a neighbor. What comes after a second visit of this node is no path.
    fn add_path(&mut self, cx: &mut RouteCtx<'_>, nodes: impl Iterator<Item = NodeId>) {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        path.push(self.node);
        let mut nodes = nodes.peekable();
        nodes.next_if_eq(&self.node);
        path.extend(nodes.take_while(|&node| node != self.node));
        if path.len() > 1 && self.cache.add(cx.now(), &path) && !self.buffer.is_empty() {
            for &dst in &path[1..] {
                self.flush(cx, dst);
            }
        }
        self.path = path;
    }

    /// Sends packets that wait for a route to `dst`, and ends the discovery for it.
    fn flush(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let mut delay = Span::ZERO;
        while let Some(packet) = self.buffer.pop(cx.ctx, dst) {
            self.send_own(cx, packet, dst, delay);
            delay += SPACING;
        }
        if let Some(timer) = self.requests.end(dst) {
            cx.cancel_timer(timer);
        }
    }

    /// Sends a packet along a route of the cache, or buffers it and starts a discovery.
    pub(super) fn send_own(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, dst: NodeId, delay: Span) {
        let Some(route) = self.cache.take_route(cx.now(), dst) else {
            cx.ctx.packet_mut(packet).remove_route();
            self.buffer.push(cx.ctx, packet, dst);
            self.discover(cx, dst);
            return;
        };
        let next_hop = route.nodes()[1];
        self.note_use(cx, dst, next_hop);
        let src = cx.ctx.packet(packet).src;
        let is_external = self.hosts.as_ref().is_some_and(|hosts| hosts.are(src));
        let route = if is_external { Arc::new(SourceRoute::from_outside(route.up_to(dst))) } else { route };
        cx.ctx.packet_mut(packet).set_route(route);
        self.facing.send(cx, packet, next_hop, delay);
    }

    /// Sends a message along a path from this node, which is its route.
    pub(super) fn send_along(&mut self, cx: &mut RouteCtx<'_>, message: DsrMessage, path: &[NodeId], delay: Span) {
        let &[_, next_hop, ..] = path else { return };
        let bytes = message.bytes();
        let dst = path[path.len() - 1];
        let packet = cx.originate(message, dst, bytes, self.config.ttl);
        let route = SourceRoute::new(path, 0);
        if route.is_carried(dst) {
            let created = cx.ctx.packet_mut(packet);
            created.bytes += route.option_bytes(dst);
            created.route = Some(Arc::new(route));
        }
        self.facing.send(cx, packet, next_hop, delay);
    }

    /// Removes a broken link from the cache, and records the routes that are lost.
    pub(super) fn forget_link(&mut self, cx: &mut RouteCtx<'_>, from: NodeId, to: NodeId) {
        if !self.cache.remove_link(from, to) {
            return;
        }
        self.overheard = None;
        let (cache, now) = (&self.cache, cx.now());
        self.used.retain(|&(dst, _)| {
            let is_kept = cache.hops(now, dst).is_some();
            if !is_kept {
                cx.route_lost(dst);
            }
            is_kept
        });
    }

    /// Records the next hop of an own packet if it is another than before.
    fn note_use(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId, next_hop: NodeId) {
        match self.used.iter_mut().find(|(used, _)| *used == dst) {
            Some((_, before)) if *before == next_hop => return,
            Some((_, before)) => *before = next_hop,
            None => self.used.push((dst, next_hop)),
        }
        cx.route_changed(dst, next_hop);
    }

    /// A random delay up to `BroadcastJitter`.
    pub(super) fn draw_jitter(&mut self) -> Span {
        Span::from_secs(self.config.broadcast_jitter.secs() * self.jitter.unit())
    }
}

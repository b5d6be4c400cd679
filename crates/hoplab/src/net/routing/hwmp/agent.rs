//! HWMP at one node: its state, and what all of its events use.

use super::config::{HwmpConfig, HwmpMetric};
use super::message::{HwmpMessage, Travel};
use super::path::{Path, Paths};
use super::send_buffer::SendBuffer;
use super::state::{Errors, KnownRoot, Requests};
use crate::kernel::{NodeId, Purpose, RadioId, RandomStream, RandomStreams, Span, Time, TimerId};
use crate::net::routing::facing::Facing;
use crate::net::routing::hosts::Hosts;
use crate::net::routing::protocol::RouteCtx;
use crate::packet::PacketId;
use std::sync::Arc;

/// HWMP at one node.
#[derive(Debug)]
pub struct Hwmp {
    pub(super) node: NodeId,
    pub(super) config: Arc<HwmpConfig>,
    jitter: RandomStream,
    /// Own HWMP sequence number.
    pub(super) seq: u32,
    /// Number of the last request.
    pub(super) last_id: u32,
    pub(super) paths: Paths,
    pub(super) buffer: SendBuffer,
    pub(super) requests: Requests,
    pub(super) errors: Errors,
    /// The root, once it is known.
    pub(super) root: Option<KnownRoot>,
    /// All hosts, in a run with wires.
    pub(super) hosts: Option<Arc<Hosts>>,
    pub(super) facing: Facing,
    /// When a path may end, and its timer.
    expiry: Option<(Time, TimerId)>,
}

/// A path as other code sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HwmpPath {
    /// Next hop.
    pub next_hop: NodeId,
    /// Hops to the destination.
    pub hops: u8,
    /// Sum of the metrics of its links: hops, or 0.01 TU of airtime.
    pub metric: u32,
    /// HWMP sequence number of the destination, if it is known.
    pub seq: Option<u32>,
    /// End of its lifetime unless it is renewed.
    pub expire: Time,
}

/// Timer kind: no reply has arrived in time.
pub(super) const DISCOVERY: u8 = 0;
/// Timer kind: a request may be sent.
pub(super) const REQUEST: u8 = 1;
/// Timer kind: an error may be sent.
pub(super) const ERROR: u8 = 2;
/// Timer kind: a path may have ended.
pub(super) const EXPIRY: u8 = 3;
/// Timer kind: the root announces itself.
pub(super) const ROOT: u8 = 4;

/// Unit of the airtime metric: 0.01 TU (IEEE 802.11-2016 clause 14.9).
const METRIC_UNIT: Span = Span(10_240);

impl Hwmp {
    /// HWMP at each of these nodes, without paths.
    pub fn all(nodes: impl Iterator<Item = NodeId>, config: &HwmpConfig, streams: &RandomStreams) -> Vec<Hwmp> {
        let config = Arc::new(config.clone());
        nodes.map(|node| Hwmp::new(node, Arc::clone(&config), *streams)).collect()
    }

    fn new(node: NodeId, config: Arc<HwmpConfig>, streams: RandomStreams) -> Hwmp {
        Hwmp {
            node,
            jitter: streams.stream(Purpose::RoutingJitter, node.0),
            seq: 0,
            last_id: 0,
            paths: Paths::default(),
            buffer: SendBuffer::new(node, config.buffer_limit),
            requests: Requests::default(),
            errors: Errors::default(),
            root: None,
            hosts: None,
            facing: Facing::default(),
            expiry: None,
            config,
        }
    }

    /// The path to `dst`, if there is one.
    pub fn path(&self, dst: NodeId) -> Option<HwmpPath> {
        let &Path { next_hop, hops, metric, seq, expire, .. } = &self.paths[self.paths.active(dst)?];
        Some(HwmpPath { next_hop, hops, metric, seq, expire })
    }

    /// The node's own HWMP sequence number.
    pub fn seq(&self) -> u32 {
        self.seq
    }

    /// Metric of the link to a radio of a neighbor.
    pub(super) fn link_metric(&self, cx: &RouteCtx<'_>, neighbor: RadioId) -> u32 {
        let cost = cx.hop.link_cost(neighbor).filter(|_| self.config.metric == HwmpMetric::Airtime);
        cost.map_or(1, |cost| u32::try_from(cost.airtime.0 / METRIC_UNIT.0).unwrap_or(u32::MAX))
    }

    /// A random delay of a forwarded request.
    pub(super) fn draw_jitter(&mut self) -> Span {
        let most = self.config.max_jitter;
        if most == Span::ZERO { most } else { Span::from_secs(most.secs() * self.jitter.unit()) }
    }

    /// A message has crossed the link from `from`: `travel` and the number are those of the path back to `dst`. Replaces the
    /// path if this one is better. Returns whether it is (clause 14.10.8.4).
    pub(super) fn learn(
        &mut self,
        cx: &mut RouteCtx<'_>,
        (dst, seq): (NodeId, u32),
        travel: Travel,
        from: RadioId,
        until: Time,
    ) -> bool {
        let index = self.paths.find_or_add(dst);
        let is_better = self.paths[index].accepts(seq, travel);
        if is_better {
            self.install(cx, index, Some(seq), travel, from, until);
        }
        is_better
    }

    /// A message has arrived from a neighbor: there is a path of one hop to it.
    pub(super) fn learn_neighbor(&mut self, cx: &mut RouteCtx<'_>, radio: RadioId, metric: u32, until: Time) {
        let index = self.paths.find_or_add(cx.owner(radio));
        let path = &self.paths[index];
        if !path.is_active || metric < path.metric {
            let (seq, travel) = (path.seq, Travel::new(0).over(metric));
            self.install(cx, index, seq, travel, radio, until);
        }
    }

    /// Replaces a path, ends the discovery of it, and sends the packets that wait for it.
    fn install(
        &mut self,
        cx: &mut RouteCtx<'_>,
        index: usize,
        seq: Option<u32>,
        travel: Travel,
        radio: RadioId,
        until: Time,
    ) {
        let now = cx.now();
        let next_hop = cx.owner(radio);
        self.facing.note(cx, radio, true);
        let path = &mut self.paths[index];
        let dst = path.dst;
        if !path.is_active || path.next_hop != next_hop {
            cx.route_changed(dst, next_hop);
        }
        let expire = if path.is_active { path.expire.max(until) } else { until };
        let (hops, metric) = (travel.hops, travel.metric);
        let discovery = path.discovery.take();
        let precursors = std::mem::take(&mut path.precursors);
        *path = Path {
            dst,
            is_active: true,
            next_hop,
            hops,
            metric,
            seq,
            expire,
            precursors,
            checked: now,
            discovery: None,
        };
        if let Some(timer) = discovery.and_then(|discovery| discovery.timer) {
            cx.cancel_timer(timer);
        }
        self.requests.targets.retain(|&target| target != dst);
        self.expire_at(cx, expire);
        while let Some(packet) = self.buffer.pop(dst) {
            self.facing.send(cx, packet, next_hop, Span::ZERO);
        }
    }

    /// Renews the lifetime of a path that a packet takes.
    pub(super) fn renew(&mut self, now: Time, index: usize) {
        if self.config.renew_on_use {
            let path = &mut self.paths[index];
            path.expire = path.expire.max(now + self.config.active_path_timeout);
        }
    }

    /// Sets the timer for the end of a path, unless it fires before.
    fn expire_at(&mut self, cx: &mut RouteCtx<'_>, at: Time) {
        if let Some((set, timer)) = self.expiry {
            if set <= at {
                return;
            }
            cx.cancel_timer(timer);
        }
        self.expiry = Some((at, cx.set_timer(at, EXPIRY, self.node)));
    }

    /// Ends the paths whose lifetime has passed.
    pub(super) fn on_expiry(&mut self, cx: &mut RouteCtx<'_>) {
        self.expiry = None;
        let now = cx.now();
        let mut next: Option<Time> = None;
        for path in self.paths.iter_mut().filter(|path| path.is_active) {
            if path.expire <= now {
                path.end(false);
                path.precursors.clear();
                cx.route_lost(path.dst);
            } else {
                next = Some(next.map_or(path.expire, |first| first.min(path.expire)));
            }
        }
        if let Some(at) = next {
            self.expire_at(cx, at);
        }
    }

    /// Sends a message of this hop to a neighbor, or to all.
    pub(super) fn send_message(&self, cx: &mut RouteCtx<'_>, message: HwmpMessage, to: NodeId, delay: Span) {
        let bytes = message.bytes();
        let packet = cx.originate(message, to, bytes, ONE_HOP);
        self.facing.send(cx, packet, to, delay);
    }

    /// Buffers a packet until there is a path, and starts discovery unless it is in progress.
    pub(super) fn keep(&mut self, cx: &mut RouteCtx<'_>, packet: PacketId, dst: NodeId) {
        self.buffer.push(cx.ctx, packet, dst);
        self.discover(cx, dst);
    }
}

/// TTL of the packet of a message: each hop sends a new one.
const ONE_HOP: u8 = 1;

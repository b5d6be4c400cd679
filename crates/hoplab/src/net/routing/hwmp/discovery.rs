//! Requests of this node: path discovery and path maintenance (IEEE 802.11-2016 clause 14.10.9.3, cases A and B).

use super::agent::{DISCOVERY, Hwmp, REQUEST};
use super::message::{HwmpMessage, MAX_TARGETS, Preq, Target, Travel};
use super::path::Discovery;
use crate::kernel::{NodeId, Span};
use crate::net::routing::protocol::RouteCtx;
use crate::trace::DropReason;

impl Hwmp {
    /// Starts the discovery of a path, unless it is in progress.
    pub(super) fn discover(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let index = self.paths.find_or_add(dst);
        let path = &mut self.paths[index];
        if path.discovery.is_none() {
            path.discovery = Some(Discovery::default());
            self.request(cx, dst);
        }
    }

    /// Requests a path again that is in use, once it has not been found or requested for the maintenance interval.
    pub(super) fn maintain(&mut self, cx: &mut RouteCtx<'_>, index: usize) {
        let (now, interval) = (cx.now(), self.config.maintenance_interval);
        let path = &mut self.paths[index];
        if interval > Span::ZERO && now.since(path.checked) >= interval {
            path.checked = now;
            let dst = path.dst;
            self.request(cx, dst);
        }
    }

    /// No reply has arrived in time.
    pub(super) fn on_discovery_timer(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let index = self.paths.find_or_add(dst);
        let path = &mut self.paths[index];
        let Some(discovery) = &mut path.discovery else { return };
        discovery.timer = None;
        if discovery.retries < self.config.max_preq_retries {
            discovery.retries += 1;
            self.request(cx, dst);
            return;
        }
        path.discovery = None;
        while let Some(packet) = self.buffer.pop(dst) {
            cx.drop(packet, DropReason::NoRoute);
        }
    }

    /// Adds a target to the next request, and sends that once the minimum interval has passed.
    fn request(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        if !self.requests.targets.contains(&dst) {
            self.requests.targets.push(dst);
        }
        if self.requests.timer.is_some() {
            return;
        }
        if self.requests.allowed <= cx.now() {
            self.send_request(cx);
        } else {
            self.requests.timer = Some(cx.set_timer(self.requests.allowed, REQUEST, self.node));
        }
    }

    /// A request may be sent.
    pub(super) fn on_request_timer(&mut self, cx: &mut RouteCtx<'_>) {
        self.requests.timer = None;
        if !self.requests.targets.is_empty() {
            self.send_request(cx);
        }
    }

    /// Sends a request for the targets that wait.
    fn send_request(&mut self, cx: &mut RouteCtx<'_>) {
        let now = cx.now();
        let count = self.requests.targets.len().min(MAX_TARGETS);
        let mut targets = Vec::with_capacity(count);
        for node in self.requests.targets.drain(..count) {
            let index = self.paths.find_or_add(node);
            let path = &mut self.paths[index];
            if let Some(discovery) = &mut path.discovery {
                let wait = self.config.wait(discovery.retries);
                discovery.timer = Some(cx.set_timer(now + wait, DISCOVERY, node));
            }
            // A path in use is compared with others only if the request reaches the target.
            targets.push(Target { node, seq: path.seq, is_only: self.config.target_only || path.is_active });
        }
        let preq = self.new_preq(targets, self.config.active_path_timeout);
        self.send_message(cx, HwmpMessage::Preq(preq), NodeId::BROADCAST, Span::ZERO);
        self.requests.allowed = now + self.config.preq_min_interval;
        if !self.requests.targets.is_empty() {
            self.requests.timer = Some(cx.set_timer(self.requests.allowed, REQUEST, self.node));
        }
    }

    /// A request of this node, with a new sequence number (clause 14.10.8.3).
    pub(super) fn new_preq(&mut self, targets: Vec<Target>, lifetime: Span) -> Preq {
        self.seq = self.seq.wrapping_add(1);
        self.last_id = self.last_id.wrapping_add(1);
        Preq {
            travel: Travel::new(self.config.ttl),
            id: self.last_id,
            origin: self.node,
            origin_seq: self.seq,
            lifetime,
            is_individual: false,
            is_answered: false,
            targets,
        }
    }
}

//! Requests and replies that arrive (IEEE 802.11-2016 clauses 14.10.9.4 and 14.10.10.4).

use super::agent::Hwmp;
use super::message::{HwmpMessage, Prep, Preq, Target, Travel};
use super::path::is_newer;
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::hosts::Served;
use crate::net::routing::protocol::RouteCtx;

impl Hwmp {
    /// A request has arrived from a neighbor.
    pub(super) fn on_preq(&mut self, cx: &mut RouteCtx<'_>, preq: &Preq, radio: RadioId) {
        if preq.origin == self.node {
            return;
        }
        let from = cx.owner(radio);
        let metric = self.link_metric(cx, radio);
        let travel = preq.travel.over(metric);
        let until = cx.now() + preq.lifetime;
        let is_accepted = self.learn(cx, (preq.origin, preq.origin_seq), travel, radio, until);
        if from != preq.origin {
            self.learn_neighbor(cx, radio, metric, until);
        }
        if !is_accepted {
            return;
        }
        let mut onward = Vec::with_capacity(preq.targets.len());
        for &target in &preq.targets {
            if target.node == self.node {
                self.reply_as_target(cx, preq, from, target.seq);
            } else if let Some(served) = self.served(target.node) {
                self.reply_for_host(cx, preq, from, served, target.seq);
            } else if target.node.is_broadcast() {
                self.on_proactive_preq(cx, preq, from);
                onward.push(target);
            } else {
                // Gates alone answer for stations beyond them.
                let is_only =
                    target.is_only || self.is_host(target.node) || self.reply_as_relay(cx, preq, from, target);
                onward.push(Target { is_only, ..target });
            }
        }
        if let (Some(travel), false) = (travel.onward(), onward.is_empty()) {
            let to = if preq.is_individual { self.towards(onward[0].node) } else { NodeId::BROADCAST };
            let delay = self.draw_jitter();
            let preq = Preq { travel, targets: onward, ..*preq };
            self.send_message(cx, HwmpMessage::Preq(preq), to, delay);
        }
    }

    /// Next hop of a request that is addressed to one neighbor after another.
    fn towards(&self, target: NodeId) -> NodeId {
        let announced = || self.root.filter(|root| root.node == target).map(|root| root.from);
        self.path(target).map(|path| path.next_hop).or_else(announced).unwrap_or(NodeId::BROADCAST)
    }

    /// Replies for this node, with a sequence number above those in use (clause 14.10.8.3).
    pub(super) fn reply_as_target(&mut self, cx: &mut RouteCtx<'_>, preq: &Preq, to: NodeId, known: Option<u32>) {
        let newest = known.filter(|&known| is_newer(known, self.seq)).unwrap_or(self.seq);
        self.seq = newest.wrapping_add(1);
        self.reply(cx, preq, (self.node, self.seq), Travel::new(self.config.ttl), to);
    }

    /// The host behind this node, if it is one.
    fn served(&self, node: NodeId) -> Option<Served> {
        self.hosts.as_ref()?.of(self.node).find(|served| served.host == node)
    }

    /// Replies for a host behind this node, which is its mesh gate (clause 14.11). All gates of a host that has several state the
    /// same number in answer to one request, so that the least metric counts.
    fn reply_for_host(&mut self, cx: &mut RouteCtx<'_>, preq: &Preq, to: NodeId, served: Served, known: Option<u32>) {
        let seq = if served.is_shared {
            known.unwrap_or(0).wrapping_add(1)
        } else {
            let newest = known.filter(|&known| is_newer(known, self.seq)).unwrap_or(self.seq);
            self.seq = newest.wrapping_add(1);
            self.seq
        };
        let travel = Travel { hops: served.hops, ..Travel::new(self.config.ttl) };
        let &Preq { lifetime, origin, origin_seq, .. } = preq;
        let (target, gate) = (served.host, Some(self.node));
        let prep = Prep { travel, target, gate, target_seq: seq, lifetime, origin, origin_seq };
        self.send_message(cx, HwmpMessage::Prep(prep), to, Span::ZERO);
    }

    /// Replies for a target that this node has a path to. Returns whether it does (clause 14.10.10.3, case C).
    fn reply_as_relay(&mut self, cx: &mut RouteCtx<'_>, preq: &Preq, to: NodeId, target: Target) -> bool {
        let Some(index) = self.paths.active(target.node) else { return false };
        let path = &mut self.paths[index];
        let Some(seq) = path.seq.filter(|&seq| target.seq.is_none_or(|wanted| !is_newer(wanted, seq))) else {
            return false;
        };
        path.add_precursor(to);
        let (hops, metric, next_hop) = (path.hops, path.metric, path.next_hop);
        if let Some(back) = self.paths.active(preq.origin) {
            self.paths[back].add_precursor(next_hop);
        }
        self.reply(cx, preq, (target.node, seq), Travel { hops, metric, ttl: self.config.ttl }, to);
        true
    }

    fn reply(
        &self,
        cx: &mut RouteCtx<'_>,
        preq: &Preq,
        (target, target_seq): (NodeId, u32),
        travel: Travel,
        to: NodeId,
    ) {
        let &Preq { lifetime, origin, origin_seq, .. } = preq;
        let prep = Prep { travel, target, gate: None, target_seq, lifetime, origin, origin_seq };
        self.send_message(cx, HwmpMessage::Prep(prep), to, Span::ZERO);
    }

    /// A reply has arrived from a neighbor.
    pub(super) fn on_prep(&mut self, cx: &mut RouteCtx<'_>, prep: &Prep, radio: RadioId) {
        if prep.target == self.node {
            return;
        }
        let from = cx.owner(radio);
        let metric = self.link_metric(cx, radio);
        let travel = prep.travel.over(metric);
        let until = cx.now() + prep.lifetime;
        let is_accepted = self.learn(cx, (prep.target, prep.target_seq), travel, radio, until);
        if from != prep.target {
            self.learn_neighbor(cx, radio, metric, until);
        }
        if !is_accepted || prep.origin == self.node {
            return;
        }
        let (Some(back), Some(travel)) = (self.paths.active(prep.origin), travel.onward()) else { return };
        let to = self.paths[back].next_hop;
        self.paths[back].add_precursor(from);
        if let Some(ahead) = self.paths.active(prep.target) {
            self.paths[ahead].add_precursor(to);
        }
        self.send_message(cx, HwmpMessage::Prep(Prep { travel, ..*prep }), to, Span::ZERO);
    }
}

//! The root: its announcements, and the paths that other nodes have to it (IEEE 802.11-2016 clauses 14.10.4 and 14.10.12).

use super::agent::{Hwmp, ROOT};
use super::config::RootMode;
use super::message::{HwmpMessage, Preq, Rann, Target, Travel};
use super::path::is_newer;
use super::state::KnownRoot;
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::protocol::RouteCtx;

impl Hwmp {
    /// The root schedules its first announcement.
    pub(super) fn start_root(&mut self, cx: &mut RouteCtx<'_>) {
        if self.config.root == Some(self.node.0) {
            cx.set_timer(cx.now(), ROOT, self.node);
        }
    }

    /// The root announces itself.
    pub(super) fn on_root_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let (message, interval) = if self.config.root_mode == RootMode::Rann {
            self.seq = self.seq.wrapping_add(1);
            let (travel, interval) = (Travel::new(self.config.ttl), self.config.rann_interval);
            (HwmpMessage::Rann(Rann { travel, root: self.node, root_seq: self.seq, interval }), interval)
        } else {
            let all = Target { node: NodeId::BROADCAST, seq: None, is_only: true };
            let is_answered = self.config.root_mode == RootMode::PreqWithPrep;
            let preq = Preq { is_answered, ..self.new_preq(vec![all], self.config.path_to_root_timeout) };
            (HwmpMessage::Preq(preq), self.config.root_interval)
        };
        self.send_message(cx, message, NodeId::BROADCAST, Span::ZERO);
        cx.set_timer(cx.now() + interval, ROOT, self.node);
    }

    /// A request of the root to all has left a path to it.
    pub(super) fn on_proactive_preq(&mut self, cx: &mut RouteCtx<'_>, preq: &Preq, from: NodeId) {
        let (seq, metric) = (preq.origin_seq, preq.travel.metric);
        self.root = Some(KnownRoot { node: preq.origin, seq, metric, from, confirmed: None });
        if preq.is_answered {
            self.reply_as_target(cx, preq, from, None);
        }
    }

    /// An announcement of the root has arrived: forwards it if it is better than those before, and confirms the path if that is
    /// due.
    pub(super) fn on_rann(&mut self, cx: &mut RouteCtx<'_>, rann: &Rann, radio: RadioId) {
        let now = cx.now();
        let from = cx.owner(radio);
        let metric = self.link_metric(cx, radio);
        let travel = rann.travel.over(metric);
        self.learn_neighbor(cx, radio, metric, now + self.config.active_path_timeout);
        let known = self.root.filter(|root| root.node == rann.root);
        let is_old = known.is_some_and(|root| {
            is_newer(root.seq, rann.root_seq) || root.seq == rann.root_seq && root.metric <= travel.metric
        });
        if rann.root == self.node || is_old {
            return;
        }
        let confirmed = known.and_then(|root| root.confirmed);
        let is_due = confirmed.is_none_or(|at| now.since(at) >= self.config.confirmation_interval)
            || self.paths.active(rann.root).is_none();
        let confirmed = if is_due { Some(now) } else { confirmed };
        let (seq, metric) = (rann.root_seq, travel.metric);
        self.root = Some(KnownRoot { node: rann.root, seq, metric, from, confirmed });
        if let Some(travel) = travel.onward() {
            let delay = self.draw_jitter();
            self.send_message(cx, HwmpMessage::Rann(Rann { travel, ..*rann }), NodeId::BROADCAST, delay);
        }
        if is_due {
            let target = Target { node: rann.root, seq: Some(seq), is_only: true };
            let preq = self.new_preq(vec![target], self.config.path_to_root_timeout);
            let preq = Preq { is_individual: true, ..preq };
            self.send_message(cx, HwmpMessage::Preq(preq), from, Span::ZERO);
        }
    }

    /// Next hop on the tree, for a packet from `prev` whose destination is unknown: towards the root, and not back.
    pub(super) fn up(&self, prev: NodeId) -> Option<NodeId> {
        let path = self.path(self.root?.node)?;
        (path.next_hop != prev).then_some(path.next_hop)
    }
}

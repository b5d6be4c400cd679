//! Broken links, and errors that inform the nodes that use them (IEEE 802.11-2016 clause 14.10.11).

use super::agent::{ERROR, Hwmp};
use super::message::{HwmpMessage, Lost, MAX_LOST, Perr, Reason};
use super::path::{Path, is_newer};
use crate::kernel::{NodeId, RadioId, Span};
use crate::net::routing::protocol::RouteCtx;

impl Hwmp {
    /// The MAC has exceeded its retry limit for a radio of a neighbor.
    pub(super) fn on_failed_packet(&mut self, cx: &mut RouteCtx<'_>, radio: RadioId) {
        let failures = cx.hop.link_cost(radio).map_or(u32::MAX, |cost| cost.failures);
        if failures >= self.config.max_failures {
            self.facing.forget(cx, radio);
            self.end_paths(cx, cx.owner(radio), self.config.ttl, Reason::DestinationUnreachable, |_| true);
        }
    }

    /// A packet cannot be forwarded, as there is no path: informs the neighbor that it came from (case B).
    pub(super) fn on_missing_path(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId, from: NodeId) {
        let seq = self.paths.find(dst).and_then(|index| self.paths[index].seq).unwrap_or(0);
        let lost = Lost { node: dst, seq, reason: Reason::NoForwardingInformation };
        self.report(cx, &[lost], &[from], self.config.ttl);
    }

    /// An error has arrived from a neighbor: ends the paths through it that the error is valid for, and informs the nodes that
    /// use them (case D).
    pub(super) fn on_perr(&mut self, cx: &mut RouteCtx<'_>, perr: &Perr, from: NodeId) {
        for lost in &perr.lost {
            let Some(index) = self.paths.active(lost.node) else { continue };
            let path = &mut self.paths[index];
            let is_valid = lost.seq == 0 || path.seq.is_none_or(|seq| !is_newer(seq, lost.seq));
            if path.next_hop != from || !is_valid {
                continue;
            }
            if lost.seq != 0 {
                path.seq = Some(lost.seq.wrapping_sub(1));
            }
            let node = lost.node;
            self.end_paths(cx, from, perr.ttl.saturating_sub(1), lost.reason, |dst| dst == node);
        }
    }

    /// Ends paths through a neighbor, and reports them to the neighbors that use them.
    fn end_paths(
        &mut self,
        cx: &mut RouteCtx<'_>,
        neighbor: NodeId,
        ttl: u8,
        reason: Reason,
        which: impl Fn(NodeId) -> bool,
    ) {
        let (mut lost, mut to) = (Vec::new(), Vec::new());
        let through = |path: &&mut Path| path.is_active && path.next_hop == neighbor;
        for path in self.paths.iter_mut().filter(through).filter(|path| which(path.dst)) {
            path.end(true);
            cx.route_lost(path.dst);
            let users = std::mem::take(&mut path.precursors);
            if !users.is_empty() {
                lost.push(Lost { node: path.dst, seq: path.seq.unwrap_or(0), reason });
            }
            to.extend(users);
        }
        to.retain(|&user| user != neighbor);
        if ttl > 0 {
            self.report(cx, &lost, &to, ttl);
        }
    }

    /// Adds destinations to the next error, and sends that once the minimum interval has passed.
    fn report(&mut self, cx: &mut RouteCtx<'_>, lost: &[Lost], to: &[NodeId], ttl: u8) {
        if lost.is_empty() || to.is_empty() {
            return;
        }
        let errors = &mut self.errors;
        errors.ttl = errors.ttl.max(ttl);
        for &one in lost {
            errors.lost.retain(|other| other.node != one.node);
            errors.lost.push(one);
        }
        for &user in to {
            if !errors.to.contains(&user) {
                errors.to.push(user);
            }
        }
        if errors.timer.is_none() {
            if errors.allowed <= cx.now() {
                self.send_errors(cx);
            } else {
                errors.timer = Some(cx.set_timer(errors.allowed, ERROR, self.node));
            }
        }
    }

    /// An error may be sent.
    pub(super) fn on_error_timer(&mut self, cx: &mut RouteCtx<'_>) {
        self.errors.timer = None;
        self.send_errors(cx);
    }

    /// Sends what waits: to the neighbor that it is for, or as a broadcast if there are several.
    fn send_errors(&mut self, cx: &mut RouteCtx<'_>) {
        let lost = std::mem::take(&mut self.errors.lost);
        let to = std::mem::take(&mut self.errors.to);
        let ttl = std::mem::take(&mut self.errors.ttl);
        let to = if let [only] = to[..] { only } else { NodeId::BROADCAST };
        for part in lost.chunks(MAX_LOST) {
            let perr = Perr { ttl, lost: part.to_vec() };
            self.send_message(cx, HwmpMessage::Perr(perr), to, Span::ZERO);
        }
        self.errors.allowed = cx.now() + self.config.perr_min_interval;
    }
}

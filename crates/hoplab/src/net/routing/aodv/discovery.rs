//! What only profile `rfc` does: timed searches, ageing of routes, limits of rate, the blacklist.

use super::message::Unreachable;
use super::table::{State, UNREACHABLE, is_newer};
use super::{Aodv, REPAIR, REQUEST, RouteCtx};
use crate::kernel::{NodeId, Span, Time};
use crate::packet::PacketId;
use crate::trace::DropReason;
use std::collections::VecDeque;

/// What a node must not do too often, and whom it does not listen to.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    rreqs: VecDeque<Time>,
    rerrs: VecDeque<Time>,
    blacklist: Vec<(NodeId, Time)>,
}

/// RREQ_RATELIMIT and RERR_RATELIMIT, per second.
const RATE_LIMIT: usize = 10;
const RATE_PERIOD: Span = Span::from_millis(1_000);

/// TIMEOUT_BUFFER: hops added to a ring when its time is reckoned.
const TIMEOUT_BUFFER: u64 = 2;
/// LOCAL_ADD_TTL: hops added to a local repair's search.
const LOCAL_ADD_TTL: u8 = 2;

impl Aodv {
    /// Starts a search, unless one is going on.
    pub(super) fn search(&mut self, cx: &mut RouteCtx<'_>, place: usize) {
        let request = self.table[place].request_mut();
        if request.timer.is_none() {
            request.ttl = 0;
            request.count = 0;
            self.widen_search(cx, place);
        }
    }

    /// No reply has come in time.
    pub(super) fn on_request_timer(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let place = self.entry(cx.ctx.now, dst);
        self.table[place].request_mut().timer = None;
        if self.buffer.has(dst) {
            self.widen_search(cx, place);
        }
    }

    /// Sends the next request of a search, or gives it up.
    fn widen_search(&mut self, cx: &mut RouteCtx<'_>, place: usize) {
        let now = cx.ctx.now;
        let constants = self.constants.clone();
        let entry = &mut self.table[place];
        let (dst, last_hops) = (entry.dst, entry.last_hops);
        let request = entry.request_mut();
        if request.count > constants.rreq_retries {
            self.buffer.drop_all(cx.ctx, dst, DropReason::NoRoute);
            return;
        }
        if let Err(later) = self.limits.allow_rreq(now) {
            let timer = self.schedule(cx, later, REQUEST, dst);
            self.table[place].request_mut().timer = Some(timer);
            return;
        }
        let wanted = match (request.ttl, last_hops) {
            (0, UNREACHABLE) => constants.ttl_start,
            (0, hops) => hops.saturating_add(constants.ttl_increment),
            (ttl, _) => ttl.saturating_add(constants.ttl_increment),
        };
        let wait = if wanted <= constants.ttl_threshold {
            request.ttl = wanted;
            constants.node_traversal_time * (2 * (u64::from(wanted) + TIMEOUT_BUFFER))
        } else {
            request.ttl = constants.network_diameter;
            request.count += 1;
            constants.net_traversal_time() * (1 << (request.count - 1))
        };
        let ttl = request.ttl;
        let timer = self.schedule(cx, now + wait, REQUEST, dst);
        self.table[place].request_mut().timer = Some(timer);
        self.seq = self.seq.wrapping_add(1);
        self.send_rreq(cx, place, ttl);
    }

    /// A route has been found: the search or repair is over.
    pub(super) fn end_search(&mut self, cx: &mut RouteCtx<'_>, place: usize) {
        let timer = self.table[place].request.as_mut().and_then(|request| request.timer.take());
        if let Some(timer) = timer {
            cx.ctx.events.cancel(timer);
        }
    }

    /// Whether a broken route is worth a repair by this node.
    pub(super) fn is_repairable(&self, place: usize) -> bool {
        let entry = &self.table[place];
        entry.state == State::Up && entry.hops <= self.constants.max_repair_ttl()
    }

    /// Keeps the packet and looks for its destination near the place where it should be.
    pub(super) fn repair_rfc(&mut self, cx: &mut RouteCtx<'_>, place: usize, packet: PacketId) {
        let now = cx.ctx.now;
        let forwards = cx.ctx.packet(packet).hop.count;
        self.note_break(cx, place);
        let entry = &mut self.table[place];
        let dst = entry.dst;
        let ttl = entry.hops.max((forwards / 2).min(u16::from(u8::MAX)) as u8);
        let ttl = ttl.saturating_add(LOCAL_ADD_TTL).min(self.constants.network_diameter);
        entry.break_route();
        entry.state = State::InRepair;
        self.keep(cx, packet, dst);
        let wait = self.constants.node_traversal_time * (2 * u64::from(ttl));
        self.end_search(cx, place);
        let timer = self.schedule(cx, now + wait, REPAIR, dst);
        self.table[place].request_mut().timer = Some(timer);
        if self.limits.allow_rreq(now).is_ok() {
            self.seq = self.seq.wrapping_add(1);
            self.send_rreq(cx, place, ttl);
        }
    }

    /// A local repair has failed.
    pub(super) fn on_repair_timer(&mut self, cx: &mut RouteCtx<'_>, dst: NodeId) {
        let now = cx.ctx.now;
        let place = self.entry(now, dst);
        let forget_at = now + self.constants.delete_period();
        let entry = &mut self.table[place];
        entry.request_mut().timer = None;
        if entry.state != State::InRepair {
            return;
        }
        entry.state = State::Down;
        entry.expire = forget_at;
        let seq = entry.seq;
        let to = common_recipient(std::mem::take(&mut entry.precursors), None);
        self.buffer.drop_all(cx.ctx, dst, DropReason::NoRoute);
        if let Some(to) = to {
            self.send_rerr(cx, &[Unreachable { dst, seq }], to, Span::ZERO);
        }
    }

    /// Lets a route expire, or the memory of one, if it is time (RFC 3561 sections 6.1 and 6.11).
    pub(super) fn age(&mut self, place: usize, now: Time) {
        let delete_period = self.constants.delete_period();
        let entry = &mut self.table[place];
        if entry.state == State::Up && entry.expire < now {
            let expired = entry.expire;
            entry.break_route();
            entry.expire = expired + delete_period;
        }
        if entry.state == State::Down && entry.expire < now && entry.last_hops != UNREACHABLE {
            entry.forget();
        }
    }

    /// A packet has gone along a path: the routes to both its ends and both neighbors live on (section 6.2).
    pub(super) fn refresh_path(&mut self, now: Time, src: NodeId, prev_hop: NodeId, next_hop: NodeId) {
        let until = now + self.constants.active_route_timeout;
        for node in [src, prev_hop, next_hop] {
            if let Some(place) = self.known(now, node)
                && self.table[place].state == State::Up
            {
                let entry = &mut self.table[place];
                entry.expire = entry.expire.max(until);
            }
        }
    }

    /// A neighbor has been heard: there is a route to it, if only with an unknown sequence number.
    pub(super) fn learn_neighbor(&mut self, cx: &mut RouteCtx<'_>, neighbor: NodeId, seq: Option<u32>) {
        let now = cx.ctx.now;
        let place = self.entry(now, neighbor);
        let until = now + self.constants.active_route_timeout;
        let entry = &mut self.table[place];
        if entry.state == State::Up && entry.next_hop != neighbor {
            return;
        }
        let is_new = entry.state != State::Up;
        entry.hops = 1;
        entry.next_hop = neighbor;
        entry.state = State::Up;
        entry.expire = if is_new { until } else { entry.expire.max(until) };
        // A number raised when the route ended goes back to the last that was told: else it would grow by every
        // silence, beyond the neighbor's own. No way leads back here from the neighbor itself.
        entry.seq = entry.last_seq;
        if let Some(seq) = seq.filter(|&seq| !entry.is_seq_known || is_newer(seq, entry.seq)) {
            entry.set_seq(seq);
        }
        if is_new {
            self.end_search(cx, place);
            self.flush(cx, place, super::SPACING);
        }
    }

    /// MinimalLifetime of a way back over this many hops (section 6.5).
    pub(super) fn minimal_lifetime(&self, hops: u8) -> Span {
        let there_and_back = self.constants.net_traversal_time() * 2;
        there_and_back.saturating_sub(self.constants.node_traversal_time * (2 * u64::from(hops)))
    }

    /// A reply did not reach this neighbor: its own requests may be one-way (section 6.8).
    pub(super) fn blacklist(&mut self, now: Time, neighbor: NodeId) {
        let until = now + self.constants.blacklist_timeout();
        self.limits.blacklist.retain(|&(node, end)| node != neighbor && end > now);
        self.limits.blacklist.push((neighbor, until));
    }

    pub(super) fn is_blacklisted(&self, now: Time, neighbor: NodeId) -> bool {
        self.limits.blacklist.iter().any(|&(node, until)| node == neighbor && until > now)
    }
}

impl Limits {
    /// Counts a request, or says when one is allowed again.
    fn allow_rreq(&mut self, now: Time) -> Result<(), Time> {
        allow(&mut self.rreqs, now)
    }

    /// Whether one more RERR is allowed now; counted if so.
    pub(super) fn allow_rerr(&mut self, now: Time) -> bool {
        allow(&mut self.rerrs, now).is_ok()
    }
}

fn allow(sent: &mut VecDeque<Time>, now: Time) -> Result<(), Time> {
    while sent.front().is_some_and(|&first| first + RATE_PERIOD <= now) {
        sent.pop_front();
    }
    match sent.front() {
        Some(&first) if sent.len() >= RATE_LIMIT => Err(first + RATE_PERIOD),
        _ => {
            sent.push_back(now);
            Ok(())
        }
    }
}

/// Whom a RERR goes to: the only neighbor concerned, or all if there are several (section 6.11).
pub(super) fn common_recipient(precursors: impl IntoIterator<Item = NodeId>, so_far: Option<NodeId>) -> Option<NodeId> {
    precursors.into_iter().fold(so_far, |to, precursor| match to {
        None => Some(precursor),
        Some(one) if one == precursor => Some(one),
        Some(_) => Some(NodeId::BROADCAST),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_per_second() {
        let mut limits = Limits::default();
        for millis in 0..10 {
            assert_eq!(limits.allow_rreq(Time::from_secs(f64::from(millis) * 1e-3)), Ok(()));
        }
        assert_eq!(limits.allow_rreq(Time::from_secs(0.5)), Err(Time::from_secs(1.0)));
        assert_eq!(limits.allow_rreq(Time::from_secs(1.0)), Ok(()));
        assert_eq!(limits.allow_rreq(Time::from_secs(1.0)), Err(Time::from_secs(1.001)));
    }

    #[test]
    fn one_recipient_or_all() {
        let to = |precursors: &[u32], so_far| common_recipient(precursors.iter().map(|&n| NodeId(n)), so_far);
        assert_eq!(to(&[], None), None);
        assert_eq!(to(&[4], None), Some(NodeId(4)));
        assert_eq!(to(&[4], Some(NodeId(4))), Some(NodeId(4)));
        assert_eq!(to(&[5], Some(NodeId(4))), Some(NodeId::BROADCAST));
    }
}

//! Lifetimes of routes as RFC 3561 defines them (sections 6.1, 6.2, 6.5 and 6.11), checked with each access to an entry.

use super::agent::Aodv;
use super::rules::{SPACING, Upkeep};
use super::state::entry::{State, UNREACHABLE, is_newer};
use crate::kernel::{NodeId, RadioId, Span, Time};
use crate::net::routing::protocol::RouteCtx;

impl Aodv {
    /// Invalidates a route whose lifetime is over, and deletes it at the end of `DELETE_PERIOD`.
    pub(super) fn age(&mut self, index: usize, now: Time) {
        if self.rules.upkeep != Upkeep::Lifetimes {
            return;
        }
        let delete_period = self.config.delete_period();
        let entry = &mut self.table[index];
        if entry.state == State::Up && entry.expire < now {
            let expired = entry.expire;
            entry.break_route();
            entry.expire = expired + delete_period;
        }
        if entry.state == State::Down && entry.expire < now && entry.last_hops != UNREACHABLE {
            entry.forget();
        }
    }

    /// A packet has passed: extends the routes to its source and to both neighbors (section 6.2).
    pub(super) fn refresh_path(&mut self, now: Time, src: NodeId, prev_hop: NodeId, next_hop: NodeId) {
        let until = now + self.config.active_route_timeout;
        for node in [src, prev_hop, next_hop] {
            if let Some(index) = self.known(now, node)
                && self.table[index].state == State::Up
            {
                let entry = &mut self.table[index];
                entry.expire = entry.expire.max(until);
            }
        }
    }

    /// A message of radio `from` of a neighbor has arrived: there is a route to it, perhaps without a sequence number.
    pub(super) fn learn_neighbor(&mut self, cx: &mut RouteCtx<'_>, from: RadioId, seq: Option<u32>) {
        let now = cx.now();
        let index = self.entry(now, cx.owner(from));
        let until = now + self.config.active_route_timeout;
        let entry = &mut self.table[index];
        if entry.state == State::Up && entry.next_hop != from {
            return;
        }
        let is_new = entry.state != State::Up;
        entry.hops = 1;
        entry.next_hop = from;
        entry.state = State::Up;
        entry.expire = if is_new { until } else { entry.expire.max(until) };
        // A number that was raised when the route ended returns to the last that neighbors received. Otherwise each lost
        // neighbor would raise it, beyond the neighbor's own. No route of the neighbor to itself leads through this node.
        entry.seq = entry.last_seq;
        if let Some(seq) = seq.filter(|&seq| !entry.is_seq_known || is_newer(seq, entry.seq)) {
            entry.set_seq(seq);
        }
        if is_new {
            self.end_discovery(cx, index);
            self.flush(cx, index, SPACING);
        }
    }

    /// `MinimalLifetime` of a reverse route of so many hops (section 6.5).
    pub(super) fn minimal_lifetime(&self, hops: u8) -> Span {
        let both_ways = self.config.net_traversal_time() * 2;
        both_ways.saturating_sub(self.config.node_traversal_time * (2 * u64::from(hops)))
    }
}

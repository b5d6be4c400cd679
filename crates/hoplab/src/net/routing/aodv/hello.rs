//! Hello messages: a neighbor without messages for `ALLOWED_HELLO_LOSS` intervals is lost (RFC 3561 section 6.9). Off by
//! default.

use super::agent::{Aodv, HELLO, NEIGHBORS};
use super::rules::Numbering;
use crate::kernel::{RadioId, Span, Time};
use crate::net::routing::protocol::RouteCtx;

impl Aodv {
    /// Sends the first hello message, and starts the checks for lost neighbors.
    pub(super) fn start_hello(&mut self, cx: &mut RouteCtx<'_>) {
        self.on_hello_timer(cx);
        self.on_neighbors_timer(cx);
    }

    /// A hello message is due.
    pub(super) fn on_hello_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let now = cx.now();
        let interval = self.config.hello_interval;
        let Some(neighbors) = self.neighbors.as_deref() else { return };
        let rules = &self.rules.hello;
        let is_silent = neighbors.last_broadcast + interval <= now;
        let has_route = || self.table.iter().any(|entry| entry.has_next_hop() && entry.expire >= now);
        if !rules.only_if_silent || is_silent && has_route() {
            self.send_hello(cx);
        }
        let share = rules.spread.map_or(1.0, |(low, high)| self.jitter.between(low, high));
        cx.set_timer(now + Span::from_secs(interval.secs() * share), HELLO, self.node);
    }

    /// A check for lost neighbors is due.
    pub(super) fn on_neighbors_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let now = cx.now();
        let Some(neighbors) = &mut self.neighbors else { return };
        for neighbor in neighbors.take_lost(now) {
            self.lose_neighbor(cx, neighbor);
        }
        cx.set_timer(now + self.config.hello_interval, NEIGHBORS, self.node);
    }

    /// A hello message has arrived.
    pub(super) fn on_hello(&mut self, cx: &mut RouteCtx<'_>, from: RadioId, seq: u32) {
        let lost_after = self.config.hello_interval * u64::from(self.config.allowed_hello_loss);
        let until = cx.now() + Span(lost_after.0 * self.rules.hello.patience_halves / 2);
        let Some(neighbors) = &mut self.neighbors else { return };
        if neighbors.hear(from, until) && self.rules.numbering == Numbering::Even {
            self.seq += 2;
        }
        if self.rules.learns_neighbors {
            self.learn_neighbor(cx, from, Some(seq));
        }
    }

    /// A broadcast is sent at `at`, which replaces a hello message.
    pub(super) fn note_broadcast(&mut self, at: Time) {
        if let Some(neighbors) = &mut self.neighbors {
            neighbors.last_broadcast = at;
        }
    }
}

//! Hello messages, off by default: neighbors that fall silent are lost.

use super::{Aodv, HELLO, NEIGHBORS, RouteCtx};
use crate::kernel::{NodeId, Span, Time};

/// Neighbors that have been heard lately.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbors {
    heard: Vec<(NodeId, Time)>,
    last_broadcast: Time,
}

/// Hello messages of ns-2 come this part of the interval apart, at random.
const NS2_SPREAD: (f64, f64) = (0.75, 1.25);

impl Aodv {
    pub(super) fn start_hello(&mut self, cx: &mut RouteCtx<'_>) {
        self.on_hello_timer(cx);
        self.on_neighbors_timer(cx);
    }

    /// Time for a hello message. By RFC 3561 section 6.9 only nodes with a route send one, and only if they have been
    /// silent; in ns-2 all do.
    pub(super) fn on_hello_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let now = cx.ctx.now;
        let interval = self.constants.hello_interval;
        let Some(neighbors) = self.neighbors.as_deref() else { return };
        let is_silent = neighbors.last_broadcast + interval <= now;
        let has_route = || self.table.iter().any(|entry| entry.has_next_hop() && entry.expire >= now);
        if !self.is_rfc() || is_silent && has_route() {
            self.send_hello(cx);
        }
        let factor = if self.is_rfc() { 1.0 } else { self.jitter.between(NS2_SPREAD.0, NS2_SPREAD.1) };
        self.schedule(cx, now + Span::from_secs(interval.secs() * factor), HELLO, self.node);
    }

    /// Neighbors not heard for too long are lost.
    pub(super) fn on_neighbors_timer(&mut self, cx: &mut RouteCtx<'_>) {
        let now = cx.ctx.now;
        let Some(neighbors) = &mut self.neighbors else { return };
        let silent: Vec<NodeId> =
            neighbors.heard.iter().filter(|&&(_, until)| until <= now).map(|&(node, _)| node).collect();
        neighbors.heard.retain(|&(_, until)| until > now);
        for neighbor in silent {
            self.lose_neighbor(cx, neighbor);
        }
        self.schedule(cx, now + self.constants.hello_interval, NEIGHBORS, self.node);
    }

    pub(super) fn on_hello(&mut self, cx: &mut RouteCtx<'_>, from: NodeId, seq: u32) {
        let is_rfc = self.is_rfc();
        let patience = self.constants.hello_interval * u64::from(self.constants.allowed_hello_loss);
        // ns-2 waits half as long again.
        let patience = if is_rfc { patience } else { Span(patience.0 + patience.0 / 2) };
        let until = cx.ctx.now + patience;
        let Some(neighbors) = &mut self.neighbors else { return };
        if let Some((_, known_until)) = neighbors.heard.iter_mut().find(|(node, _)| *node == from) {
            *known_until = until;
        } else {
            neighbors.heard.push((from, until));
            if !is_rfc {
                self.seq += 2;
            }
        }
        if is_rfc {
            self.learn_neighbor(cx, from, Some(seq));
        }
    }

    /// A broadcast is due at `at`: no hello is needed for a while after it.
    pub(super) fn note_broadcast(&mut self, at: Time) {
        if let Some(neighbors) = &mut self.neighbors {
            neighbors.last_broadcast = at;
        }
    }
}

//! What a node knows of a next hop: whether it has sent the last packet on.

use super::rules::HopReleaseRules;
use crate::kernel::{RadioId, Span, Time};
use crate::packet::{Frame, FrameKind};

/// Times that a node waits, in exchanges of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    /// Longest exchange of one grant.
    exchange: Span,
    extra: f64,
    extra_per_hop: f64,
    timeout: f64,
    misses: u32,
}

/// After data without an RTS: the ACK that follows them, as a share of an exchange.
const AFTER_DATA: f64 = 0.1;

impl Waits {
    /// `aggregates`: one grant lets several packets through.
    pub(super) fn new(rules: &HopReleaseRules, exchange: Span, aggregates: bool) -> Waits {
        let (extra, per_hop) = if aggregates { (3.0, 1.0) } else { (2.0, 0.5) };
        Waits {
            exchange,
            extra: rules.extra.unwrap_or(extra),
            extra_per_hop: rules.extra_per_hop.unwrap_or(per_hop),
            timeout: rules.timeout,
            misses: rules.misses,
        }
    }
}

fn times(exchange: Span, factor: f64) -> Span {
    Span::from_secs(exchange.secs() * factor)
}

/// A next hop.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextHop {
    pub(super) id: RadioId,
    /// It has acknowledged a long packet then, and is waited for.
    since: Option<Time>,
    /// It was heard to send one on: when the wait is over.
    over: Option<Time>,
    /// Waits in a row that have ended without that.
    misses: u32,
    /// Whether it was ever heard to send one.
    is_heard: bool,
    /// Destination of the packet, and the hops that were left for it.
    dst: RadioId,
    left: Option<u16>,
}

impl NextHop {
    pub(super) fn new(id: RadioId) -> NextHop {
        NextHop { id, since: None, over: None, misses: 0, is_heard: false, dst: RadioId::NONE, left: None }
    }

    /// It has acknowledged a long packet, which it sends on.
    pub(super) fn on_sent(&mut self, now: Time, dst: RadioId, left: Option<u16>) {
        (self.since, self.over, self.dst, self.left) = (Some(now), None, dst, left);
    }

    /// It sends a long packet to another node than this one. Returns whether it was waited for.
    pub(super) fn on_heard(&mut self, now: Time, frame: &Frame, waits: &Waits) -> bool {
        self.is_heard = true;
        if self.since.is_none() || self.over.is_some() {
            return false;
        }
        let is_rts = frame.kind == FrameKind::Rts;
        // A TXOP can be longer than the exchange of one turn.
        let exchange = waits.exchange.max(Span::from_micros(u64::from(frame.duration)));
        let own = if is_rts { 1.0 } else { AFTER_DATA };
        self.over = Some(now + times(exchange, own + self.extra(frame.ra, waits)));
        true
    }

    /// Exchanges after that of the hop itself: one more hop, and half of the next, are within carrier sense.
    fn extra(&self, receiver: RadioId, waits: &Waits) -> f64 {
        if receiver == self.dst {
            return 0.0;
        }
        self.left.map_or(waits.extra, |left| waits.extra.min(f64::from(left.saturating_sub(2)) * waits.extra_per_hop))
    }

    /// Until when packets for it wait. A wait that is over ends here.
    pub(super) fn until(&mut self, now: Time, waits: &Waits) -> Option<Time> {
        let since = self.since?;
        if self.over.is_none() && self.misses >= waits.misses && !self.is_heard {
            self.since = None;
            return None;
        }
        let until = self.over.unwrap_or(since + times(waits.exchange, waits.timeout));
        if now < until {
            return Some(until);
        }
        if self.over.is_some() {
            self.misses = 0;
        } else {
            self.misses += 1;
            // It may have moved out of hearing.
            self.is_heard &= self.misses < waits.misses;
        }
        (self.since, self.over) = (None, None);
        None
    }
}

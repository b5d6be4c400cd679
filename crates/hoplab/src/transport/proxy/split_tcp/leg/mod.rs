//! The sending side of a leg: from a source or proxy to the next proxy or the destination.
//!
//! A leg stores segments in their order of arrival and sends them in that order, as many at a time as its window
//! allows. A local acknowledgment removes a segment. A segment is lost when enough others that were sent after it are
//! acknowledged, or the timer expires; it is retransmitted then.

mod losses;

use super::config::{Flavor, LocalAck, SplitTcpConfig};
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::{SegNo, Segment};
use crate::transport::config::TcpConfig;
use crate::transport::tcb::rtt::RttEstimator;
use std::collections::VecDeque;

/// A segment that a leg is responsible for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) flow: FlowId,
    pub(super) segment: Segment,
    /// The word that represents its bytes.
    pub(super) content: u64,
    /// Length with all headers, in bytes.
    pub(super) bytes: u32,
    /// Hops of its path up to here.
    pub(super) travelled: u16,
    /// Whether the source retransmits it after an end-to-end timeout.
    pub(super) is_e2e_rtx: bool,
    /// Whether it is the last one of its flow.
    pub(super) is_last: bool,
}

/// A segment to be sent now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Transmission {
    pub(super) item: Item,
    /// Whether this leg sent it before.
    pub(super) is_retransmission: bool,
    /// Its number on this leg.
    pub(super) number: u32,
    /// The lowest number on this leg that is not acknowledged.
    pub(super) oldest: u32,
}

/// The sending side of a leg.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    rules: Rules,
    cwnd: f64,
    ssthresh: f64,
    rtt: RttEstimator,
    entries: VecDeque<Entry>,
    in_flight: u32,
    /// Transmission order of the next segment.
    next_order: u64,
    /// Losses of what was sent before this do not cut the window again.
    recover: u64,
    numbers: Numbers,
    /// Window that the other side advertised, by flow.
    wins: Vec<(FlowId, u32)>,
    /// Sender of the last acknowledgment.
    acked_by: Option<NodeId>,
    timer: Option<Time>,
    /// Segments that may be sent beyond the window.
    exempt: u32,
    /// Whether one segment may be sent although the other side advertises a window of zero.
    is_probing: bool,
    counts: LegCounts,
}

/// A leg's own numbers of its segments, for cumulative acknowledgments.
#[derive(Clone, Copy, Debug, Default)]
struct Numbers {
    /// Of the next segment that is sent for the first time.
    next: u32,
    /// The lowest that is not acknowledged.
    oldest: u32,
    /// Numbers below it belong to the last loss event.
    recover: u32,
    /// Duplicate acknowledgments since the last new one.
    dup_acks: u32,
}

/// Losses that a leg has detected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LegCounts {
    pub(super) timeouts: u64,
    pub(super) fast_retransmits: u64,
}

/// When a segment expires.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lifetime {
    /// Maximum number of transmissions.
    pub(super) transmissions: u32,
    /// Longest time in the store.
    pub(super) age: Span,
}

#[derive(Clone, Debug)]
struct Rules {
    flavor: Flavor,
    is_cumulative: bool,
    reorder_threshold: u32,
    window_max: u32,
    use_win: bool,
    resets_on_new_proxy: bool,
    lifetime: Option<Lifetime>,
}

#[derive(Clone, Debug)]
struct Entry {
    item: Item,
    state: State,
    stored_at: Time,
    transmissions: u32,
    number: u32,
    /// Segments sent after it that are acknowledged.
    overtaken: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Waiting,
    InFlight { order: u64, sent_at: Time },
    Lost,
}

impl Leg {
    /// A leg with nothing to send. Without `lifetime`, segments never expire.
    pub(super) fn new(config: &SplitTcpConfig, lifetime: Option<Lifetime>) -> Leg {
        Leg {
            rules: Rules {
                flavor: config.flavor,
                is_cumulative: config.local_ack == LocalAck::Cumulative,
                reorder_threshold: config.reorder_threshold,
                window_max: config.window_max,
                use_win: config.use_win,
                resets_on_new_proxy: config.reset_cwnd_on_new_proxy,
                lifetime,
            },
            cwnd: 1.0,
            ssthresh: f64::from(config.window_max),
            rtt: estimator(config.initial_rto, config.min_rto, config.max_rto),
            entries: VecDeque::new(),
            in_flight: 0,
            next_order: 0,
            recover: 0,
            numbers: Numbers::default(),
            wins: Vec::new(),
            acked_by: None,
            timer: None,
            exempt: 0,
            is_probing: false,
            counts: LegCounts::default(),
        }
    }

    pub(super) fn cwnd(&self) -> f64 {
        self.cwnd
    }

    pub(super) fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    pub(super) fn rto(&self) -> Span {
        self.rtt.rto()
    }

    pub(super) fn counts(&self) -> LegCounts {
        self.counts
    }

    /// Stored segments, sent or not.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        self.entries.iter().map(|entry| &entry.item)
    }

    /// Stored segments of this flow.
    pub(super) fn len_of(&self, flow: FlowId) -> u32 {
        self.entries.iter().filter(|entry| entry.item.flow == flow).count() as u32
    }

    pub(super) fn holds(&self, flow: FlowId, seq: SegNo) -> bool {
        self.entries.iter().any(|entry| entry.is(flow, seq))
    }

    /// Whether a segment waits to be sent for the first time.
    pub(super) fn has_waiting(&self) -> bool {
        self.entries.iter().rev().any(|entry| entry.state == State::Waiting)
    }

    /// Window of the other side for this flow, as last advertised.
    pub(super) fn win(&self, flow: FlowId) -> u32 {
        self.wins.iter().find(|(of, _)| *of == flow).map_or(u32::MAX, |&(_, win)| win)
    }

    /// Discards the advertised window of this flow.
    pub(super) fn reset_win(&mut self, flow: FlowId) {
        self.wins.retain(|(of, _)| *of != flow);
    }

    /// Stores a segment.
    pub(super) fn push(&mut self, now: Time, item: Item) {
        self.entries.push_back(Entry {
            item,
            state: State::Waiting,
            stored_at: now,
            transmissions: 0,
            number: 0,
            overtaken: 0,
        });
    }

    /// The next segment that may be sent; it counts as sent.
    pub(super) fn poll_send(&mut self, now: Time) -> Option<Transmission> {
        let at = self.next_to_send()?;
        let is_lost = self.entries[at].state == State::Lost;
        if is_lost {
            self.exempt = self.exempt.saturating_sub(1);
        }
        self.is_probing = false;
        let entry = &mut self.entries[at];
        if entry.transmissions == 0 {
            entry.number = self.numbers.next;
            self.numbers.next = self.numbers.next.wrapping_add(1);
        }
        entry.transmissions += 1;
        entry.overtaken = 0;
        entry.state = State::InFlight { order: self.next_order, sent_at: now };
        entry.item.segment.sent_at = now;
        self.next_order += 1;
        self.in_flight += 1;
        let sending = Transmission {
            item: entry.item,
            is_retransmission: entry.transmissions > 1,
            number: entry.number,
            oldest: self.numbers.oldest,
        };
        if self.timer.is_none() || self.in_flight == 1 {
            self.restart_timer(now);
        }
        Some(sending)
    }

    fn next_to_send(&self) -> Option<usize> {
        let lost = |entry: &Entry| entry.state == State::Lost;
        if self.exempt > 0
            && let Some(at) = self.entries.iter().position(lost)
        {
            return Some(at);
        }
        // Each duplicate shows that a segment left the network.
        let out = self.in_flight - self.numbers.dup_acks.min(self.in_flight);
        if out >= self.window() && !self.is_probing {
            return None;
        }
        let may_go = |entry: &Entry| match entry.state {
            State::Lost => true,
            State::Waiting => self.is_probing || !self.is_blocked(entry.item.flow),
            State::InFlight { .. } => false,
        };
        self.entries.iter().position(may_go)
    }

    /// Segments that may be in flight.
    fn window(&self) -> u32 {
        (self.cwnd as u32).clamp(1, self.rules.window_max)
    }

    /// Whether the other side advertises no window for this flow.
    fn is_blocked(&self, flow: FlowId) -> bool {
        let win = self.win(flow);
        if !self.rules.use_win || win == u32::MAX {
            return false;
        }
        let is_out = |entry: &&Entry| entry.item.flow == flow && matches!(entry.state, State::InFlight { .. });
        self.entries.iter().filter(is_out).count() as u32 >= win
    }

    /// When it acts by itself.
    pub(super) fn deadline(&self) -> Option<Time> {
        let oldest = self.entries.front().map(|entry| entry.stored_at);
        let expiry = self.rules.lifetime.and_then(|lifetime| Some(oldest? + lifetime.age));
        match (self.timer, expiry) {
            (Some(timer), Some(expiry)) => Some(timer.min(expiry)),
            (timer, expiry) => timer.or(expiry),
        }
    }

    /// Starts the timer of a probe if nothing is in flight and the other side advertises no window.
    pub(super) fn wait_for_room(&mut self, now: Time) {
        if self.timer.is_none() && self.in_flight == 0 && self.has_waiting() && self.next_to_send().is_none() {
            self.timer = Some(now + self.rtt.rto());
        }
    }

    fn restart_timer(&mut self, now: Time) {
        self.timer = Some(now + self.rtt.rto());
    }
}

impl Entry {
    fn is(&self, flow: FlowId, seq: SegNo) -> bool {
        self.item.segment.seq == seq && self.item.flow == flow
    }
}

/// An estimator by RFC 6298 within these limits.
pub(super) fn estimator(initial: Span, min: Span, max: Span) -> RttEstimator {
    RttEstimator::new(&TcpConfig { initial_rto: initial, min_rto: min, max_rto: max, ..TcpConfig::rfc() }, 0.0)
}

//! The sending side of a leg: from a source or proxy to the next proxy or the destination.
//!
//! A leg holds segments in the order in which they came and sends them in that order, as many at a time as its window
//! allows. A local acknowledgment takes a segment out. A segment is lost when enough others that were sent after it have
//! been acknowledged, or the timer ends; it is sent again then.

mod losses;

use super::config::{Flavor, LocalAck, SplitTcpConfig};
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::{SegNo, Segment};
use crate::transport::{RttEstimator, TcpConfig};
use std::collections::VecDeque;

/// A segment that a leg answers for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) flow: FlowId,
    pub(super) segment: Segment,
    /// Stands for its bytes.
    pub(super) content: u64,
    /// Length with all headers.
    pub(super) bytes: u32,
    /// Hops travelled up to here.
    pub(super) travelled: u16,
    /// Whether the source sends it again after an end-to-end timeout.
    pub(super) is_e2e_rtx: bool,
    /// Whether it is the last one of its flow.
    pub(super) is_last: bool,
}

/// A segment to be sent now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sending {
    pub(super) item: Item,
    /// Whether this leg had sent it before.
    pub(super) is_again: bool,
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
    /// Order of sending of the next segment.
    next_order: u64,
    /// Losses of what was sent before this do not cut the window again.
    recover: u64,
    /// Numbers of the next segment sent first, and of the lowest not acknowledged.
    next_number: u32,
    oldest: u32,
    dup_acks: u32,
    /// Numbers below it belong to the last episode of loss.
    recover_number: u32,
    /// Room that the other side has told of, by flow.
    wins: Vec<(FlowId, u32)>,
    /// Who has acknowledged last.
    heard: Option<NodeId>,
    timer: Option<Time>,
    /// Segments that may be sent whatever the window says.
    tickets: u32,
    is_probing: bool,
    counts: LegCounts,
}

/// Losses that a leg has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LegCounts {
    pub(super) timeouts: u64,
    pub(super) fast_retransmits: u64,
}

/// How many attempts and how long a segment is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    pub(super) tries: u32,
    pub(super) age: Span,
}

#[derive(Clone, Debug)]
struct Rules {
    flavor: Flavor,
    is_cumulative: bool,
    reorder_threshold: u32,
    window_max: u32,
    use_win: bool,
    resets: bool,
    patience: Option<Patience>,
}

#[derive(Clone, Debug)]
struct Entry {
    item: Item,
    state: State,
    came_at: Time,
    tries: u32,
    number: u32,
    /// Segments sent after it that have been acknowledged.
    passed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Waiting,
    InFlight { order: u64, sent_at: Time },
    Lost,
}

impl Leg {
    /// A leg with nothing to send. Without `patience`, segments are never given up.
    pub(super) fn new(config: &SplitTcpConfig, patience: Option<Patience>) -> Leg {
        Leg {
            rules: Rules {
                flavor: config.flavor,
                is_cumulative: config.local_ack == LocalAck::Cumulative,
                reorder_threshold: config.reorder_threshold,
                window_max: config.window_max,
                use_win: config.use_win,
                resets: config.reset_cwnd_on_new_proxy,
                patience,
            },
            cwnd: 1.0,
            ssthresh: f64::from(config.window_max),
            rtt: estimator(config.initial_rto, config.min_rto, config.max_rto),
            entries: VecDeque::new(),
            in_flight: 0,
            next_order: 0,
            recover: 0,
            next_number: 0,
            oldest: 0,
            dup_acks: 0,
            recover_number: 0,
            wins: Vec::new(),
            heard: None,
            timer: None,
            tickets: 0,
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

    /// Segments held, sent or not.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        self.entries.iter().map(|entry| &entry.item)
    }

    /// Segments of this flow held.
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

    /// Room on the other side for this flow, as last heard.
    pub(super) fn win(&self, flow: FlowId) -> u32 {
        self.wins.iter().find(|(of, _)| *of == flow).map_or(u32::MAX, |&(_, win)| win)
    }

    /// Nothing is known of room for this flow any longer.
    pub(super) fn forget_room(&mut self, flow: FlowId) {
        self.wins.retain(|(of, _)| *of != flow);
    }

    /// Answers for a segment from now on.
    pub(super) fn push(&mut self, now: Time, item: Item) {
        self.entries.push_back(Entry { item, state: State::Waiting, came_at: now, tries: 0, number: 0, passed: 0 });
    }

    /// The next segment that may be sent; it counts as sent from now on.
    pub(super) fn poll_send(&mut self, now: Time) -> Option<Sending> {
        let at = self.next_to_send()?;
        let is_lost = self.entries[at].state == State::Lost;
        if is_lost {
            self.tickets = self.tickets.saturating_sub(1);
        }
        self.is_probing = false;
        let entry = &mut self.entries[at];
        if entry.tries == 0 {
            entry.number = self.next_number;
            self.next_number = self.next_number.wrapping_add(1);
        }
        entry.tries += 1;
        entry.passed = 0;
        entry.state = State::InFlight { order: self.next_order, sent_at: now };
        entry.item.segment.sent_at = now;
        self.next_order += 1;
        self.in_flight += 1;
        let sending =
            Sending { item: entry.item, is_again: entry.tries > 1, number: entry.number, oldest: self.oldest };
        if self.timer.is_none() || self.in_flight == 1 {
            self.restart_timer(now);
        }
        Some(sending)
    }

    fn next_to_send(&self) -> Option<usize> {
        let lost = |entry: &Entry| entry.state == State::Lost;
        if self.tickets > 0
            && let Some(at) = self.entries.iter().position(lost)
        {
            return Some(at);
        }
        // Duplicates tell that as many segments have left the network.
        let out = self.in_flight - self.dup_acks.min(self.in_flight);
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

    /// Segments that may be on the way.
    fn window(&self) -> u32 {
        (self.cwnd as u32).clamp(1, self.rules.window_max)
    }

    /// Whether the other side has no room for more of this flow.
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
        let oldest = self.entries.front().map(|entry| entry.came_at);
        let expiry = self.rules.patience.and_then(|patience| Some(oldest? + patience.age));
        match (self.timer, expiry) {
            (Some(timer), Some(expiry)) => Some(timer.min(expiry)),
            (timer, expiry) => timer.or(expiry),
        }
    }

    /// With nothing on the way and no room on the other side, only a timer can move things.
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

//! The sending side of a leg: from a source or proxy to the next proxy or the destination.
//!
//! A leg holds segments in the order in which they came and sends them in that order, as many at a time as its window
//! allows. A local acknowledgment takes a segment out. A segment is lost when enough others that were sent after it have
//! been acknowledged, or the timer ends; it is sent again then.

use super::config::{Flavor, LocalAck, SplitTcpConfig};
use crate::kernel::{FlowId, NodeId, Span, Time};
use crate::packet::{Lack, SegNo, Segment};
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

/// No loss sets `ssthresh` below this (RFC 5681, eq. 4).
const LEAST_SSTHRESH: f64 = 2.0;

/// Duplicate cumulative acknowledgments that stand for a loss.
const DUPLICATES: u32 = 3;

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
            if entry.item.segment.payload > 0 && entry.item.segment.first_sent == Time::NEVER {
                entry.item.segment.first_sent = now;
            }
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

    /// A local acknowledgment has come. Segments that the other side answers for now are put into `released`.
    pub(super) fn on_lack(&mut self, now: Time, flow: FlowId, lack: &Lack, released: &mut Vec<Item>) {
        match self.wins.iter_mut().find(|(of, _)| *of == flow) {
            Some((_, win)) => *win = lack.win,
            None => self.wins.push((flow, lack.win)),
        }
        if self.heard.replace(lack.from).is_some_and(|before| before != lack.from) && self.rules.resets {
            self.cwnd = 1.0;
            self.ssthresh = f64::from(self.rules.window_max);
        }
        if self.rules.is_cumulative {
            self.on_cumulative(now, flow, lack, released);
        } else if let Some(seq) = lack.seq {
            self.on_selective(now, flow, seq, lack, released);
        }
        if self.in_flight == 0 {
            self.timer = None;
            self.wait_for_room(now);
        }
    }

    fn on_selective(&mut self, now: Time, flow: FlowId, seq: SegNo, lack: &Lack, released: &mut Vec<Item>) {
        let caused = self.entries.iter().find(|entry| entry.is(flow, seq));
        // Which sending has arrived is known by its time; an earlier one tells nothing about the order.
        let order = caused.and_then(|entry| match entry.state {
            State::InFlight { order, sent_at } if sent_at == lack.echo => Some(order),
            _ => None,
        });
        let before = released.len();
        self.release(
            |entry| entry.is(flow, seq) || entry.item.flow == flow && entry.item.segment.seq < lack.cumulative,
            released,
        );
        let newly = released.len() - before;
        if let Some(order) = order {
            self.measure(now, lack.echo);
            if order >= self.recover {
                self.grow(newly);
            }
            self.note_passed(flow, order);
        }
        if newly > 0 && self.in_flight > 0 {
            self.restart_timer(now);
        }
    }

    /// Segment `order` has arrived: those sent before it have been passed once more.
    fn note_passed(&mut self, flow: FlowId, arrived: u64) {
        let mut newest_lost = None;
        for entry in &mut self.entries {
            if let State::InFlight { order, .. } = entry.state
                && order < arrived
                && entry.item.flow == flow
            {
                entry.passed += 1;
                if entry.passed >= self.rules.reorder_threshold {
                    entry.state = State::Lost;
                    self.in_flight -= 1;
                    newest_lost = newest_lost.max(Some(order));
                }
            }
        }
        if let Some(order) = newest_lost {
            self.tickets = 1;
            if order >= self.recover || self.rules.flavor == Flavor::Reno {
                self.cut();
            }
        }
    }

    fn on_cumulative(&mut self, now: Time, flow: FlowId, lack: &Lack, released: &mut Vec<Item>) {
        // Numbers wrap: what is ahead of the lowest by less than half the circle is new.
        let ahead = lack.number.wrapping_sub(self.oldest);
        let sent = self.next_number.wrapping_sub(self.oldest);
        if ahead > sent {
            return;
        }
        if ahead > 0 {
            let oldest = self.oldest;
            let is_exact = self.entries.iter().any(|entry| {
                entry.tries > 0
                    && entry.number.wrapping_sub(oldest) < ahead
                    && matches!(entry.state, State::InFlight { sent_at, .. } if sent_at == lack.echo)
            });
            let before = released.len();
            self.release(|entry| entry.tries > 0 && entry.number.wrapping_sub(oldest) < ahead, released);
            let newly = released.len() - before;
            self.find_oldest();
            self.dup_acks = 0;
            if is_exact {
                self.measure(now, lack.echo);
            }
            let is_recovering = lack.number.wrapping_sub(self.recover_number) > u32::MAX / 2;
            if is_recovering && self.rules.flavor == Flavor::NewReno {
                self.lose_oldest();
            } else {
                self.grow(newly);
            }
            self.restart_timer(now);
        } else if lack.seq.is_some() && self.in_flight > 0 && self.holds_number(flow) {
            self.dup_acks += 1;
            let is_recovering = self.oldest.wrapping_sub(self.recover_number) > u32::MAX / 2;
            if self.dup_acks == DUPLICATES && !is_recovering {
                self.cut();
                self.recover_number = self.next_number;
                self.lose_oldest();
            }
        }
    }

    /// Whether the lowest number that is not acknowledged is on its way.
    fn holds_number(&self, flow: FlowId) -> bool {
        let is_it = |entry: &Entry| entry.tries > 0 && entry.number == self.oldest && entry.item.flow == flow;
        self.entries.iter().any(is_it)
    }

    fn lose_oldest(&mut self) {
        let oldest = self.oldest;
        for entry in &mut self.entries {
            if entry.tries > 0 && entry.number == oldest && matches!(entry.state, State::InFlight { .. }) {
                entry.state = State::Lost;
                self.in_flight -= 1;
                self.tickets = 1;
            }
        }
    }

    fn grow(&mut self, newly: usize) {
        for _ in 0..newly {
            self.cwnd += if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
        }
        self.cwnd = self.cwnd.min(f64::from(self.rules.window_max));
    }

    fn cut(&mut self) {
        self.ssthresh = (self.cwnd / 2.0).max(LEAST_SSTHRESH);
        self.cwnd = if self.rules.flavor == Flavor::Tahoe { 1.0 } else { self.ssthresh };
        self.recover = self.next_order;
        self.counts.fast_retransmits += 1;
    }

    fn measure(&mut self, now: Time, sent_at: Time) {
        self.rtt.on_sample(now.since(sent_at), sent_at);
        self.rtt.end_back_off();
    }

    /// Lets segments go that are no longer this leg's to answer for.
    fn release(&mut self, mut is_done: impl FnMut(&Entry) -> bool, released: &mut Vec<Item>) {
        let in_flight = &mut self.in_flight;
        self.entries.retain(|entry| {
            let goes = is_done(entry);
            if goes {
                *in_flight -= u32::from(matches!(entry.state, State::InFlight { .. }));
                released.push(entry.item);
            }
            !goes
        });
    }

    /// The destination has everything of this flow below `seq`.
    pub(super) fn forget_below(&mut self, now: Time, flow: FlowId, seq: SegNo) {
        let mut gone = Vec::new();
        self.release(|entry| entry.item.flow == flow && entry.item.segment.seq < seq, &mut gone);
        self.skip_gone(now, &gone);
    }

    fn skip_gone(&mut self, now: Time, gone: &[Item]) {
        if gone.is_empty() {
            return;
        }
        self.find_oldest();
        self.dup_acks = 0;
        if self.in_flight == 0 {
            self.timer = None;
            self.wait_for_room(now);
        }
    }

    /// The lowest number that is not acknowledged. Those that went otherwise, by word of the destination or given up,
    /// need not be in order: nobody will acknowledge a number that is held no longer.
    fn find_oldest(&mut self) {
        let next = self.next_number;
        let numbers = self.entries.iter().filter(|entry| entry.tries > 0).map(|entry| entry.number);
        self.oldest = numbers.max_by_key(|number| next.wrapping_sub(*number)).unwrap_or(next);
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

    /// The time of [`Leg::deadline`] has come. Segments that are not worth another attempt are put into `expired`.
    pub(super) fn on_deadline(&mut self, now: Time, expired: &mut Vec<Item>) {
        if self.timer.is_some_and(|at| at <= now) {
            self.timer = None;
            if self.in_flight > 0 {
                self.time_out();
            } else {
                // The word that there is room again may have been lost: ask with one segment.
                self.is_probing = true;
                self.rtt.back_off();
            }
        }
        if let Some(Patience { tries, age }) = self.rules.patience {
            let before = expired.len();
            let is_late =
                |entry: &Entry| entry.came_at + age <= now || (entry.tries >= tries && entry.state == State::Lost);
            self.release(is_late, expired);
            self.skip_gone(now, &expired[before..]);
        }
    }

    fn time_out(&mut self) {
        self.counts.timeouts += 1;
        self.ssthresh = (self.cwnd / 2.0).max(LEAST_SSTHRESH);
        self.cwnd = 1.0;
        self.rtt.back_off();
        self.recover = self.next_order;
        self.recover_number = self.next_number;
        self.dup_acks = 0;
        self.tickets = 0;
        for entry in &mut self.entries {
            if matches!(entry.state, State::InFlight { .. }) {
                entry.state = State::Lost;
            }
        }
        self.in_flight = 0;
    }

    /// Routing has found a way: the oldest segment goes again at once, and waits for no longer than was measured.
    pub(super) fn kick(&mut self) {
        let oldest = self.entries.iter_mut().find(|entry| entry.state != State::Waiting);
        if let Some(entry) = oldest {
            if matches!(entry.state, State::InFlight { .. }) {
                entry.state = State::Lost;
                self.in_flight -= 1;
            }
            self.tickets = 1;
            self.rtt.end_back_off();
            self.timer = None;
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

//! The source, with two windows: the congestion window is that of its leg, moved by local acknowledgments; the end-to-end
//! window limits what the destination has not acknowledged.

use super::config::{SplitTcpConfig, WindowMode};
use super::leg::{Item, Leg, LegCounts, Transmission, estimator};
use super::relay::tagged;
use super::stream::content_of;
use crate::app::Supply;
use crate::kernel::{FlowId, NodeId, Time};
use crate::packet::explicit::Feedback;
use crate::packet::{Ack, Lack, SegNo, Segment, SplitSegment};
use crate::transport::tcb::rtt::RttEstimator;
use std::collections::VecDeque;
use std::sync::Arc;

/// The sending end of a connection.
#[derive(Debug)]
pub struct Source {
    flow: FlowId,
    node: NodeId,
    config: Arc<SplitTcpConfig>,
    /// Payload of a segment, in bytes.
    payload: u32,
    leg: Leg,
    /// Lowest segment that the destination has not acknowledged.
    una: SegNo,
    /// Next segment to be sent for the first time.
    next: SegNo,
    /// One past the last segment that the application supplied.
    supply: SegNo,
    is_closed: bool,
    /// The end-to-end window, in segments.
    window: u32,
    /// The end-to-end timeout.
    rtt: RttEstimator,
    timer: Option<Time>,
    /// For each segment from `una` on: the time of the first transmission by this node, and their number.
    history: VecDeque<(Time, u32)>,
    counts: SourceCounts,
    out: Vec<SplitSegment>,
}

/// Counters of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Local timeouts.
    pub timeouts: u64,
    /// Losses detected by local acknowledgments of later segments.
    pub fast_retransmits: u64,
    /// End-to-end timeouts.
    pub e2e_timeouts: u64,
    /// Segments retransmitted after one.
    pub e2e_retransmissions: u64,
    /// Local acknowledgments.
    pub lacks: u64,
    /// End-to-end acknowledgments.
    pub e2e_acks: u64,
}

/// More segments than any run sends.
const ENDLESS: SegNo = SegNo::MAX / 4;

impl Source {
    /// Before anything is sent, in segments of `payload` bytes.
    pub fn new(flow: FlowId, node: NodeId, config: Arc<SplitTcpConfig>, payload: u32) -> Source {
        let window = match config.w_e2e_mode {
            WindowMode::Fixed => config.w_e2e,
            WindowMode::Tcp => (2 * config.e2e_every).clamp(config.least_w_e2e(), config.w_e2e),
        };
        Source {
            flow,
            node,
            payload,
            leg: Leg::new(&config, None),
            una: 0,
            next: 0,
            supply: 0,
            is_closed: false,
            window,
            rtt: estimator(config.initial_e2e_rto, config.min_e2e_rto, config.max_rto),
            timer: None,
            history: VecDeque::new(),
            counts: SourceCounts::default(),
            out: Vec::new(),
            config,
        }
    }

    /// The application supplies more; the last of it, if `is_last`.
    pub fn on_supply(&mut self, now: Time, supply: Supply, is_last: bool) {
        self.supply = match supply {
            Supply::Segments(count) => (self.supply + SegNo::from(count)).min(ENDLESS),
            Supply::Endless => ENDLESS,
        };
        // Before anything is sent: the last segment is marked as the last.
        self.is_closed |= is_last;
        self.send(now);
    }

    /// The application supplies no more; of an unlimited supply, what was sent is still delivered.
    pub fn close(&mut self) {
        if self.supply == ENDLESS {
            self.supply = self.next;
        }
        self.is_closed = true;
    }

    /// Whether all data of the flow is acknowledged end to end.
    pub fn is_done(&self) -> bool {
        self.is_closed && self.una >= self.supply
    }

    /// The next proxy, or the destination, acknowledged a segment or advertised a window.
    pub fn on_lack(&mut self, now: Time, lack: &Lack) {
        if lack.epoch != EPOCH {
            return;
        }
        self.counts.lacks += 1;
        let mut released = Vec::new();
        self.leg.on_lack(now, self.flow, lack, &mut released);
        self.send(now);
    }

    /// The destination acknowledged.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.counts.e2e_acks += 1;
        let una = (ack.cumulative + 1).min(self.next);
        if una <= self.una {
            return;
        }
        let newly = (una - self.una) as usize;
        // The timer waits for the oldest segment. Its sample includes the wait for the segments after it, which the
        // destination acknowledges with it; that of the newest one would not.
        let oldest = self.history.front().copied();
        if let Some((sent_at, 1)) = oldest {
            self.rtt.on_sample(now.since(sent_at), sent_at);
        }
        self.history.drain(..newly.min(self.history.len()));
        self.una = una;
        self.rtt.end_back_off();
        self.leg.drop_below(now, self.flow, una);
        if self.config.w_e2e_mode == WindowMode::Tcp {
            let grown = self.window.saturating_add(u32::try_from(newly).unwrap_or(u32::MAX));
            self.window = grown.min(self.config.w_e2e);
        }
        self.restart_timer(now);
        self.send(now);
    }

    /// When it acts by itself.
    pub fn deadline(&self) -> Option<Time> {
        match (self.leg.deadline(), self.timer) {
            (Some(leg), Some(e2e)) => Some(leg.min(e2e)),
            (leg, e2e) => leg.or(e2e),
        }
    }

    /// The deadline of [`Source::deadline`] has expired.
    pub fn on_deadline(&mut self, now: Time) {
        if self.leg.deadline().is_some_and(|at| at <= now) {
            self.leg.on_deadline(now);
        }
        if self.timer.is_some_and(|at| at <= now) {
            self.time_out(now);
        }
        self.send(now);
    }

    /// Routing found a route to the destination.
    pub fn on_route(&mut self, now: Time) {
        if self.config.kick_on_route {
            self.leg.retransmit_oldest();
            self.send(now);
        }
    }

    /// Returns the segments to be sent since the last call, in order.
    pub fn take_sent(&mut self) -> impl Iterator<Item = SplitSegment> + '_ {
        self.out.drain(..)
    }

    /// The congestion window, in segments.
    pub fn cwnd(&self) -> f64 {
        self.leg.cwnd()
    }

    /// The slow-start threshold, in segments.
    pub fn ssthresh(&self) -> f64 {
        self.leg.ssthresh()
    }

    /// The end-to-end window, in segments.
    pub fn e2e_window(&self) -> u32 {
        self.window
    }

    /// Lowest segment that the destination has not acknowledged.
    pub fn una(&self) -> SegNo {
        self.una
    }

    /// The next segment to be sent for the first time.
    pub fn next(&self) -> SegNo {
        self.next
    }

    /// The counters.
    pub fn counts(&self) -> SourceCounts {
        let LegCounts { timeouts, fast_retransmits } = self.leg.counts();
        SourceCounts { timeouts, fast_retransmits, ..self.counts }
    }

    /// An end-to-end timeout: what the leg no longer stores is retransmitted.
    fn time_out(&mut self, now: Time) {
        self.counts.e2e_timeouts += 1;
        self.rtt.back_off();
        if self.config.w_e2e_mode == WindowMode::Tcp {
            self.window = (self.window / 2).max(self.config.least_w_e2e());
        }
        for seq in self.una..self.next {
            if !self.leg.holds(self.flow, seq) {
                self.counts.e2e_retransmissions += 1;
                self.push(now, seq, true);
            }
        }
        self.restart_timer(now);
    }

    fn push(&mut self, now: Time, seq: SegNo, is_e2e_rtx: bool) {
        let first_sent = self.history_of(seq).map_or(Time::NEVER, |(at, _)| *at);
        let segment = Segment {
            seq,
            payload: self.payload,
            sent_at: now,
            first_sent,
            is_retransmission: false,
            is_ect: false,
            has_cwr: false,
            feedback: Feedback::None,
        };
        let content = content_of(self.flow, seq);
        let item = Item { flow: self.flow, segment, content, bytes: 0, travelled: 0, is_e2e_rtx, is_last: false };
        self.leg.push(now, item);
    }

    fn send(&mut self, now: Time) {
        loop {
            // One segment waits, so that the leg has something to send.
            let has_room = self.next - self.una < SegNo::from(self.window);
            if !self.leg.has_waiting() && has_room && self.next < self.supply {
                self.push(now, self.next, false);
                self.history.push_back((Time::NEVER, 0));
                self.next += 1;
            }
            let Some(transmission) = self.leg.poll_send(now) else { break };
            self.emit(now, &transmission);
        }
        self.leg.wait_for_room(now);
        if self.timer.is_none() && !self.history.is_empty() {
            self.restart_timer(now);
        }
    }

    fn emit(&mut self, now: Time, transmission: &Transmission) {
        let mut split = tagged(transmission, self.node, EPOCH);
        split.tag.is_last = self.is_closed && split.segment.seq + 1 == self.supply;
        if let Some((first, times)) = self.history_of(split.segment.seq) {
            if *times == 0 {
                *first = now;
            }
            *times += 1;
            split.segment.first_sent = *first;
            split.segment.is_retransmission = *times > 1;
        }
        self.out.push(split);
    }

    /// The time of a segment's first transmission, and their number.
    fn history_of(&mut self, seq: SegNo) -> Option<&mut (Time, u32)> {
        self.history.get_mut(usize::try_from(seq - self.una).ok()?)
    }

    fn restart_timer(&mut self, now: Time) {
        self.timer = (!self.history.is_empty()).then(|| now + self.rtt.rto());
    }
}

/// The epoch of a source, which never fails.
const EPOCH: u16 = 0;

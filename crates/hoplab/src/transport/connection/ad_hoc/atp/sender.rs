//! ATP's sender: follows the reported rate, and retransmits what the report lacks.

use super::super::flight::Flight;
use super::super::supply::Supplied;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::explicit::{AtpConfig, AtpReport, Feedback};
use crate::packet::{SegNo, Segment};
use crate::transport::tcb::rules::SenderCounts;

/// The sending end.
#[derive(Debug)]
pub(super) struct AtpSender {
    config: AtpConfig,
    /// Payload of a segment, in bytes.
    segment: u32,
    supply: Supplied,
    flight: Flight,
    phase: Phase,
    /// When the next segment may leave.
    departure: Option<Time>,
    last_sent: Option<Time>,
    counts: SenderCounts,
    out: Vec<Segment>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Nothing to send yet, or all has arrived.
    Idle,
    /// Only probes are sent, the next one at this time.
    Probing(Time),
    Sending {
        /// Packets per second.
        rate: f64,
        /// When the rate is halved without a report.
        silent_at: Time,
        /// Epochs in a row without a report.
        silent: u32,
    },
}

/// A packet without data that requests the rate.
const PROBE: SegNo = -1;

impl AtpSender {
    /// Before anything is sent.
    pub(super) fn new(config: &AtpConfig, segment: u32) -> AtpSender {
        AtpSender {
            config: config.clone(),
            segment,
            supply: Supplied::default(),
            flight: Flight::new(),
            phase: Phase::Idle,
            departure: None,
            last_sent: None,
            counts: SenderCounts::default(),
            out: Vec::new(),
        }
    }

    /// The application supplies more.
    pub(super) fn on_supply(&mut self, now: Time, supply: Supply) {
        if self.supply.add(supply) {
            self.probe(now, 0);
        } else if self.phase == Phase::Idle {
            self.probe(now, PROBE);
        }
        self.schedule(now);
    }

    /// The application supplies no more.
    pub(super) fn close(&mut self) {
        self.supply.close(self.flight.next());
        self.stop_if_done();
    }

    /// A report has arrived.
    pub(super) fn on_report(&mut self, now: Time, report: &AtpReport) {
        // A report with all its blocks in use may lack later ones.
        let is_full = report.blocks.len() >= self.config.blocks as usize;
        let judged = report.blocks.last().filter(|_| is_full).map_or(SegNo::MAX, |block| block.1);
        let news = self.flight.on_report(report.cumulative, &report.blocks, report.newest, judged);
        self.counts.fast_retransmits += u64::from(news.has_loss);
        let rate = match self.phase {
            Phase::Sending { rate, .. } => self.adjusted(rate, report.rate),
            Phase::Idle | Phase::Probing(_) => report.rate,
        };
        self.follow(now, rate, 0);
        self.stop_if_done();
        self.schedule(now);
    }

    /// The sender's rate after a report of `offered`.
    fn adjusted(&self, rate: f64, offered: f64) -> f64 {
        if offered < rate {
            offered
        } else if offered > rate * (1.0 + self.config.threshold) {
            rate + (offered - rate) / self.config.increase_epochs
        } else {
            rate
        }
    }

    /// The network reports a failed route: only probes are sent.
    pub(super) fn on_route_failure(&mut self, now: Time) {
        if matches!(self.phase, Phase::Sending { .. }) {
            self.probe(now, PROBE);
            self.schedule(now);
        }
    }

    /// The deadline of [`AtpSender::deadline`] has expired.
    pub(super) fn on_deadline(&mut self, now: Time) {
        match self.phase {
            Phase::Probing(at) if at <= now => {
                self.probe(now, if self.last_sent.is_none() { 0 } else { PROBE });
            }
            Phase::Sending { rate, silent_at, silent } if silent_at <= now => {
                if silent + 1 >= self.config.silent_epochs {
                    self.counts.timeouts += 1;
                    self.probe(now, PROBE);
                } else {
                    self.follow(now, rate / 2.0, silent + 1);
                }
            }
            Phase::Idle | Phase::Probing(_) | Phase::Sending { .. } => {}
        }
        if self.departure.is_some_and(|at| at <= now) {
            self.departure = None;
            self.send(now);
        }
        self.schedule(now);
    }

    /// When it acts by itself.
    pub(super) fn deadline(&self) -> Option<Time> {
        let own = match self.phase {
            Phase::Idle => None,
            Phase::Probing(at) => Some(at),
            Phase::Sending { silent_at, .. } => self.flight.has_unacknowledged().then_some(silent_at),
        };
        [own, self.departure].into_iter().flatten().min()
    }

    /// Takes what is to be sent since the last call, in order.
    pub(super) fn take_sent(&mut self) -> impl Iterator<Item = Segment> + '_ {
        self.out.drain(..)
    }

    /// Losses and changes to probing so far.
    pub(super) fn counts(&self) -> SenderCounts {
        self.counts
    }

    /// The rate that is followed, in packets per second.
    pub(super) fn rate(&self) -> Option<f64> {
        if let Phase::Sending { rate, .. } = self.phase { Some(rate) } else { None }
    }

    /// Follows a rate, after `silent` epochs without a report. A slow sender's reports take longer; after a report, half an epoch is
    /// allowed for its successor to be late.
    fn follow(&mut self, now: Time, rate: f64, silent: u32) {
        let slack = if silent == 0 { self.config.epoch.secs() / 2.0 } else { 0.0 };
        let silent_at = now + self.config.epoch + Span::from_secs(slack + 1.0 / rate);
        self.phase = Phase::Sending { rate, silent_at, silent };
        self.departure = None;
    }

    fn probe(&mut self, now: Time, seq: SegNo) {
        self.phase = Phase::Probing(now + self.config.epoch);
        self.departure = None;
        self.emit(now, seq, 0, now, false);
    }

    fn send(&mut self, now: Time) {
        if !self.flight.has_unacknowledged()
            && let Phase::Sending { rate, .. } = self.phase
        {
            // Reports are due from here on.
            self.follow(now, rate, 0);
        }
        let next = self.flight.take_next(now);
        self.last_sent = Some(now);
        self.emit(now, next.seq, self.segment, next.first_sent, next.is_retransmission);
    }

    fn emit(&mut self, now: Time, seq: SegNo, payload: u32, first_sent: Time, is_retransmission: bool) {
        self.out.push(Segment {
            seq,
            payload,
            sent_at: now,
            first_sent,
            is_retransmission,
            is_ect: false,
            has_cwr: false,
            feedback: Feedback::Atp(0.0),
        });
    }

    /// Schedules the next segment, if there is one.
    fn schedule(&mut self, now: Time) {
        let Phase::Sending { rate, .. } = self.phase else { return };
        if !self.flight.has_missing() && self.flight.next() >= self.supply.end {
            self.departure = None;
        } else if self.departure.is_none() {
            let interval = Span::from_secs(1.0 / rate);
            self.departure = Some(self.last_sent.map_or(now, |last| (last + interval).max(now)));
        }
    }

    fn stop_if_done(&mut self) {
        if self.supply.is_done(self.flight.una) {
            self.phase = Phase::Idle;
            self.departure = None;
        }
    }
}

//! WCP's sender: a rate that marks halve and control intervals raise.

use super::super::flight::Flight;
use super::super::supply::Supplied;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::explicit::{Echo, Feedback, WcpConfig, WcpHeader};
use crate::packet::{Ack, SegNo, Segment};
use crate::transport::config::TcpConfig;
use crate::transport::rate_sender::RoundTrip;
use crate::transport::tcb::rules::SenderCounts;

/// The sending end.
#[derive(Debug)]
pub(super) struct WcpSender {
    config: WcpConfig,
    /// Payload of a segment, in bytes.
    segment: u32,
    /// rwnd, in segments.
    window: u32,
    /// Minimum and maximum of the timeout, in seconds.
    rto_range: (f64, f64),
    supply: Supplied,
    flight: Flight,
    rtt: RoundTrip,
    /// Segments per second, once the connection is open.
    rate: Option<f64>,
    /// Longest control interval that was echoed last, in seconds.
    interval: f64,
    /// When the control interval ends.
    control_at: Option<Time>,
    /// Whether a mark has halved the rate in the interval that runs.
    was_halved: bool,
    /// When the retransmission timer expires.
    timer: Option<Time>,
    backoff: u32,
    departure: Option<Time>,
    last_sent: Option<Time>,
    counts: SenderCounts,
    out: Vec<Segment>,
}

impl WcpSender {
    /// Before anything is sent.
    pub(super) fn new(tcp: &TcpConfig, segment: u32, window: u32) -> WcpSender {
        WcpSender {
            config: tcp.wcp.clone(),
            segment,
            window,
            rto_range: (tcp.min_rto.secs(), tcp.max_rto.secs()),
            supply: Supplied::default(),
            flight: Flight::new(),
            rtt: RoundTrip::new(),
            rate: None,
            interval: 0.0,
            control_at: None,
            was_halved: false,
            timer: None,
            backoff: 0,
            departure: None,
            last_sent: None,
            counts: SenderCounts::default(),
            out: Vec::new(),
        }
    }

    /// The application supplies more.
    pub(super) fn on_supply(&mut self, now: Time, supply: Supply) {
        if self.supply.add(supply) {
            self.open(now);
        }
        self.schedule(now);
    }

    /// The application supplies no more.
    pub(super) fn close(&mut self) {
        self.supply.close(self.flight.next());
        self.stop_if_done();
    }

    /// An acknowledgment has arrived.
    pub(super) fn on_ack(&mut self, now: Time, ack: &Ack) {
        let is_opening = self.rate.is_none();
        self.rtt.on_sample(now.since(ack.echo).secs());
        self.backoff = 0;
        let news = self.flight.on_report(ack.cumulative, ack.blocks(), ack.echo, SegNo::MAX);
        self.counts.fast_retransmits += u64::from(news.has_loss);
        let mut is_marked = false;
        if let Echo::Wcp { is_congested, interval } = ack.feedback {
            (is_marked, self.interval) = (is_congested, interval);
        }
        if is_opening {
            // One segment per initial round-trip time.
            self.rate = Some((1.0 / self.control_interval()).max(self.config.min_rate));
            self.begin_interval(now);
        } else if let Some(rate) = self.rate.filter(|_| is_marked && !self.was_halved) {
            self.rate = Some((rate / 2.0).max(self.config.min_rate));
            self.was_halved = true;
            self.begin_interval(now);
        }
        self.timer = self.flight.has_unacknowledged().then(|| now + self.rto());
        self.departure = None;
        self.schedule(now);
        self.stop_if_done();
    }

    /// The deadline of [`WcpSender::deadline`] has expired.
    pub(super) fn on_deadline(&mut self, now: Time) {
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if is_due(self.timer) {
            self.time_out(now);
        }
        if is_due(self.control_at) {
            if !std::mem::take(&mut self.was_halved) && self.is_limiting() {
                let step = self.config.increase / self.control_interval();
                self.rate = self.rate.map(|rate| rate + step);
                self.departure = None;
            }
            self.begin_interval(now);
        }
        if is_due(self.departure) {
            self.departure = None;
            self.send(now);
        }
        self.schedule(now);
    }

    /// When it acts by itself.
    pub(super) fn deadline(&self) -> Option<Time> {
        [self.timer, self.control_at, self.departure].into_iter().flatten().min()
    }

    /// Takes what is to be sent since the last call, in order.
    pub(super) fn take_sent(&mut self) -> impl Iterator<Item = Segment> + '_ {
        self.out.drain(..)
    }

    /// Losses detected so far.
    pub(super) fn counts(&self) -> SenderCounts {
        self.counts
    }

    /// The rate, in segments per second.
    pub(super) fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Smoothed round-trip time, once there is a sample.
    pub(super) fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }

    /// Whether the rate, rather than the application, limits the sender: an unused rate does not grow.
    fn is_limiting(&self) -> bool {
        self.departure.is_some()
    }

    /// The control interval, in seconds: the neighborhoods' longest round-trip time, and no less than the own one.
    fn control_interval(&self) -> f64 {
        self.interval.max(self.rtt.srtt().map_or(0.0, Span::secs)).max(SHORTEST_INTERVAL)
    }

    fn begin_interval(&mut self, now: Time) {
        self.control_at = Some(now + Span::from_secs(self.control_interval()));
    }

    fn rto(&self) -> Span {
        self.rtt.rto(self.rto_range, self.backoff)
    }

    fn time_out(&mut self, now: Time) {
        self.counts.timeouts += 1;
        self.backoff += 1;
        if self.rate.is_none() {
            self.open(now);
        } else {
            self.flight.lose_all();
            self.timer = Some(now + self.rto());
        }
    }

    fn open(&mut self, now: Time) {
        self.emit(now, 0, 0, now, self.backoff > 0);
        self.timer = Some(now + self.rto());
    }

    fn send(&mut self, now: Time) {
        let next = self.flight.take_next(now);
        self.last_sent = Some(now);
        self.emit(now, next.seq, self.segment, next.first_sent, next.is_retransmission);
        if self.timer.is_none() {
            self.timer = Some(now + self.rto());
        }
    }

    fn emit(&mut self, now: Time, seq: SegNo, payload: u32, first_sent: Time, is_retransmission: bool) {
        let rtt = self.rtt.srtt().map_or(0.0, Span::secs);
        self.out.push(Segment {
            seq,
            payload,
            sent_at: now,
            first_sent,
            is_retransmission,
            is_ect: false,
            has_cwr: false,
            feedback: Feedback::Wcp(WcpHeader { rtt, ..WcpHeader::default() }),
        });
    }

    /// Schedules the next segment, if there is one that may leave.
    fn schedule(&mut self, now: Time) {
        let next = self.flight.next();
        let has_new = next < self.supply.end && next < self.flight.una + SegNo::from(self.window);
        let Some(rate) = self.rate.filter(|_| has_new || self.flight.has_missing()) else {
            self.departure = None;
            return;
        };
        if self.departure.is_none() {
            let interval = Span::from_secs(1.0 / rate);
            self.departure = Some(self.last_sent.map_or(now, |last| (last + interval).max(now)));
        }
    }

    fn stop_if_done(&mut self) {
        if self.supply.is_done(self.flight.una) {
            (self.timer, self.control_at, self.departure) = (None, None, None);
        }
    }
}

/// Shortest control interval, in seconds.
const SHORTEST_INTERVAL: f64 = 1e-3;

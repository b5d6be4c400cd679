//! RCP's sender: one packet per interval, at the rate that the routers offer.
//!
//! # Model
//! A Syn requests a rate and is retransmitted until a response arrives. Then one segment leaves per interval, which is
//! a packet's length over the rate; every acknowledgment may change the rate and with it the departure of the next
//! segment. A sender slower than a packet per round trip also sends Refs, packets without data, so that the rate stays
//! current. Missing segments are retransmitted within the same schedule; a loss changes no rate. RCP-Winf keeps the
//! rate below its own node's capacity, and no more than a rate's worth of one round trip in flight.
//! # Source
//! Dukkipati 2006; the RCP patch for ns-2.35 (docs/specs/rcp.md section 4). RCP-Winf: Barreto 2015, eqs. 25 to 27
//! (docs/specs/rcp-winf.md).
//! # Deviations
//! The patch counts packets and does not know which are missing (`recovery = "count"`); by default acknowledgments
//! carry SACK blocks, a segment is missing once three later ones have arrived or the timer has expired. There is no
//! Fin. After three consecutive timeouts only Refs are sent until an acknowledgment arrives. A rate of zero is never
//! followed. The patch knows files only: here no Refs are sent while all that the application has supplied has arrived.
//! # Parameters
//! Tables `[rcp]`, `[rcp_winf]`; `tcp.min_rto`, `tcp.max_rto`.

pub(crate) mod config;
mod prober;
mod rtt;
mod schedule;
mod segments;

pub use config::RcpSender;

use super::config::TcpConfig;
use super::tcb::rules::SenderCounts;
use crate::app::Supply;
use crate::kernel::{Span, Time};
use crate::packet::explicit::{Echo, Feedback, RcpHeader, RcpKind, Recovery, RefClock};
use crate::packet::{Ack, LinkEstimate, SegNo, Segment};
use prober::Prober;
pub(crate) use rtt::RoundTrip;
use segments::Segments;

/// A sender that follows a rate.
#[derive(Debug)]
pub struct RateSender {
    kind: RcpKind,
    config: RcpSender,
    limits: Limits,
    /// One past the last segment that the application supplied.
    supply: SegNo,
    is_closed: bool,
    segments: Segments,
    rtt: RoundTrip,
    /// Bytes per second, once a router has offered a rate.
    rate: Option<f64>,
    /// Consecutive timeouts.
    backoff: u32,
    last_sent: Option<Time>,
    /// When the next segment may leave.
    departure: Option<Time>,
    prober: Prober,
    /// When the retransmission timer expires.
    timer: Option<Time>,
    link: Option<LinkEstimate>,
    counts: SenderCounts,
    out: Vec<Segment>,
}

/// Limits of a sender.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Payload of a segment, in bytes.
    segment: u32,
    /// rwnd, in segments.
    window: u32,
    /// Minimum and maximum of the timeout, in seconds.
    rto: (f64, f64),
}

/// A packet without data that requests the rate. Receivers acknowledge it and count nothing.
pub const REF: SegNo = -1;

/// Consecutive timeouts after which only Refs are sent.
const OUTAGE: u32 = 3;

/// More segments than any run sends.
const ENDLESS: SegNo = SegNo::MAX / 4;

impl RateSender {
    /// Before anything is sent.
    pub fn new(kind: RcpKind, config: &RcpSender, tcp: &TcpConfig, segment: u32, window: u32) -> RateSender {
        RateSender {
            kind,
            config: config.clone(),
            limits: Limits { segment, window, rto: (tcp.min_rto.secs(), tcp.max_rto.secs()) },
            supply: 0,
            is_closed: false,
            segments: Segments::new(config.rcp.recovery == Recovery::Count),
            rtt: RoundTrip::new(),
            rate: None,
            backoff: 0,
            last_sent: None,
            departure: None,
            prober: Prober::default(),
            timer: None,
            link: None,
            counts: SenderCounts::default(),
            out: Vec::new(),
        }
    }

    /// The application supplies more.
    pub fn on_supply(&mut self, now: Time, supply: Supply) {
        let is_first = self.supply == 0;
        let more = match supply {
            Supply::Segments(count) => SegNo::from(count),
            Supply::Endless => ENDLESS,
        };
        self.supply = (self.supply + more + SegNo::from(is_first)).min(ENDLESS);
        if is_first {
            self.segments.next = 1;
            self.ask(now, 0);
        }
        self.schedule(now);
    }

    /// The application supplies no more.
    pub fn close(&mut self) {
        if self.supply == ENDLESS {
            self.supply = self.segments.next;
        }
        self.is_closed = true;
        self.stop_if_done();
    }

    /// Whether all data of the flow has arrived.
    pub fn is_done(&self) -> bool {
        self.is_closed && self.segments.una >= self.supply
    }

    /// Current estimates of the links of the sender's node.
    pub fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.link = link;
    }

    /// Whether [`RateSender::on_link`] must be called.
    pub fn wants_link(&self) -> bool {
        self.kind == RcpKind::Winf
    }

    /// An acknowledgment arrived.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        if ack.cumulative >= self.segments.next {
            return;
        }
        self.rtt.on_sample(now.since(ack.echo).secs());
        // An acknowledgment of any later packet also carries a rate.
        self.prober.asked = self.prober.asked.filter(|asked| *asked > ack.echo);
        if let Echo::Rcp(offered) = ack.feedback {
            self.follow(offered);
        }
        self.backoff = 0;
        let report = self.segments.on_ack(ack);
        self.counts.fast_retransmits += u64::from(report.has_loss);
        // An acknowledgment of a Ref concerns no segment in flight: it does not restart the timer.
        if report.has_news && self.has_timer() {
            self.timer = Some(now + self.rto());
        }
        if self.segments.in_flight() == 0 && !self.segments.has_missing() {
            self.timer = None;
        }
        self.schedule(now);
        self.stop_if_done();
    }

    /// The deadline of [`RateSender::deadline`] has expired.
    pub fn on_deadline(&mut self, now: Time) {
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if is_due(self.timer) {
            self.time_out(now);
        }
        if is_due(self.prober.deadline) {
            self.ask(now, if self.rate.is_none() { 0 } else { REF });
        }
        if is_due(self.departure) {
            self.departure = None;
            self.send(now);
            self.schedule(now);
        }
    }

    /// When it acts by itself.
    pub fn deadline(&self) -> Option<Time> {
        [self.timer, self.prober.deadline, self.departure].into_iter().flatten().min()
    }

    /// Returns what is to be sent since the last call, in order, each with its bytes above the MAC.
    pub fn take_sent(&mut self) -> impl Iterator<Item = (Segment, u32)> + '_ {
        let header = self.config.rcp.header.0;
        self.out.drain(..).map(move |segment| (segment, segment.payload + header))
    }

    /// Losses detected so far.
    pub fn counts(&self) -> SenderCounts {
        self.counts
    }

    /// Rate that is followed, in bytes per second with headers.
    pub fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// Smoothed round-trip time, once there is a sample.
    pub fn srtt(&self) -> Option<Span> {
        self.rtt.srtt()
    }

    fn send(&mut self, now: Time) {
        let (seq, is_retransmission) = self.segments.take_next();
        self.last_sent = Some(now);
        self.emit(now, seq, self.limits.segment, is_retransmission);
        if self.timer.is_none() && self.has_timer() {
            self.timer = Some(now + self.rto());
        }
        // A segment also requests the rate.
        self.prober.asked = Some(now);
        if self.config.rcp.ref_clock == RefClock::Answered {
            self.prober.since = Some(now);
        }
    }

    /// Sends a packet without data.
    fn ask(&mut self, now: Time, seq: SegNo) {
        self.emit(now, seq, 0, false);
        (self.prober.asked, self.prober.since) = (Some(now), Some(now));
        self.schedule(now);
    }

    fn emit(&mut self, now: Time, seq: SegNo, payload: u32, is_retransmission: bool) {
        let first_sent = self.segments.on_send(now, seq, payload > 0);
        let feedback = Feedback::Rcp(RcpHeader { kind: self.kind, rtt: self.rtt.latest, rate: f64::INFINITY });
        self.out.push(Segment {
            seq,
            payload,
            sent_at: now,
            first_sent,
            is_retransmission,
            is_ect: false,
            has_cwr: false,
            feedback,
        });
    }

    fn time_out(&mut self, now: Time) {
        self.counts.timeouts += 1;
        self.backoff += 1;
        self.segments.lose_all();
        self.timer = (!self.is_in_outage() && !self.segments.is_counted).then(|| now + self.rto());
        self.departure = None;
        self.schedule(now);
        if self.segments.is_counted {
            self.stop_if_done();
        }
    }

    fn stop_if_done(&mut self) {
        if self.is_done() {
            (self.timer, self.prober.deadline, self.departure) = (None, None, None);
        }
    }
}

#[cfg(test)]
mod count_tests;
#[cfg(test)]
mod tests;

//! The sender's tcb: sequence, retransmission timer, and what every recovery is made of.
//!
//! Segments are counted, not bytes. Segment 0 opens the connection and carries no data (ns-2's Vegas makes it
//! carry some). The tcb decides nothing: [`super::recovery`] tells it what to send again, [`super::congestion`] how
//! much may be in flight.
//!
//! # Source
//! `tcp/tcp.cc` of ns-2.35: `output`, `send_much`, `newack`, `newtimer`, `timeout`; RFC 6298 section 5 in profile `rfc`.

mod ack;
mod loss;
mod output;
pub(super) mod rtt;
pub(super) mod send_log;

use super::config::TcpConfig;
use super::congestion::{AckArrival, CongestionControl, CongestionKind, Controller, Setup};
use super::pacer::Pacer;
use crate::kernel::Time;
use crate::packet::{Ack, SegNo, Segment};
use rtt::RttEstimator;
use send_log::SendLog;

/// Sequence, timer, window and round-trip time of one sender.
#[derive(Debug)]
pub struct Tcb {
    /// Lowest segment that is not acknowledged.
    pub snd_una: SegNo,
    /// Next segment to send as the window opens; after a timeout it goes back.
    pub snd_nxt: SegNo,
    /// One past the highest segment ever sent.
    pub snd_max: SegNo,
    /// Duplicate acknowledgments since the last new one.
    pub dup_acks: u32,
    /// Highest segment sent when the last loss was found.
    pub recover: SegNo,
    /// The congestion window.
    pub control: Controller,
    /// The retransmission timeout.
    pub rtt: RttEstimator,
    /// What does not change.
    pub rules: Rules,
    /// One past the last segment that the application has supplied.
    supply: SegNo,
    /// Whether the application will supply no more.
    is_closed: bool,
    /// Segments sent by limited transmit since the last new acknowledgment.
    limited: u32,
    /// Segment that is timed, and when it was sent.
    timed: Option<(SegNo, Time)>,
    /// Lowest unacknowledged segment at the last timeout.
    timed_out: Option<SegNo>,
    deadline: Option<Time>,
    last_sent: Time,
    /// When what is in flight was sent.
    pub log: SendLog,
    /// Segments that wait for their turn, if they are spaced out.
    pacer: Option<Box<Pacer>>,
    counts: SenderCounts,
    out: Vec<Segment>,
    now: Time,
}

/// What does not change during a connection.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Payload of a segment, in bytes.
    pub segment: u32,
    /// Segments that the receiver allows beyond the last acknowledged.
    pub window: u32,
    /// Duplicate acknowledgments that stand for a loss.
    pub dup_ack_threshold: u32,
    /// Whether earlier ones let a new segment out each.
    pub limited_transmit: bool,
    /// Whether the RFCs rule, rather than ns-2.
    pub is_rfc: bool,
    /// Whether the timer starts anew with the first segment after everything was acknowledged.
    pub restarts_when_idle: bool,
    /// Window after the opening, in segments.
    pub initial_window: f64,
    /// Whether segments are sent only when the node below asks for one.
    pub is_pulled: bool,
    /// Whether a timeout doubles the next.
    pub backs_off: bool,
    timestamps: bool,
}

/// Losses that a sender has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Timers that ended.
    pub timeouts: u64,
    /// Losses found by duplicate acknowledgments.
    pub fast_retransmits: u64,
    /// Those of them that left the window as it was.
    pub kept_windows: u64,
    /// Times that as much was outstanding as may be, of a sender that is pulled.
    pub limits_reached: u64,
}

/// What an acknowledgment means to the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckKind {
    /// It acknowledges something new.
    New,
    /// It repeats the last one.
    Duplicate,
    /// It came late.
    Old,
}

/// More segments than any run sends.
const ENDLESS: SegNo = SegNo::MAX / 4;

impl Tcb {
    /// Before the opening segment is sent. `phase` is where in a tick the sender's clock starts.
    pub fn new(config: &TcpConfig, congestion: CongestionKind, segment: u32, window: u32, phase: f64) -> Tcb {
        let setup = Setup::new(config, segment).with_window(window);
        let control = congestion.build(&setup, &config.congestion);
        let timestamps = config.timestamps || control.wants_timestamps();
        let config = &TcpConfig { timestamps, ..config.clone() };
        Tcb {
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            dup_acks: 0,
            recover: if config.is_rfc() { -1 } else { 0 },
            pacer: control.pace_rules().map(|rules| Box::new(Pacer::new(rules))),
            control,
            rtt: RttEstimator::new(config, phase),
            rules: Rules {
                segment,
                window,
                dup_ack_threshold: config.dup_ack_threshold,
                limited_transmit: config.limited_transmit,
                is_rfc: config.is_rfc(),
                restarts_when_idle: true,
                is_pulled: false,
                backs_off: true,
                initial_window: setup.initial_window,
                timestamps,
            },
            supply: 0,
            is_closed: false,
            limited: 0,
            timed: None,
            timed_out: None,
            deadline: None,
            last_sent: Time::ZERO,
            log: SendLog::default(),
            counts: SenderCounts::default(),
            out: Vec::new(),
            now: Time::ZERO,
        }
    }

    /// The present, for everything that follows.
    pub fn at(&mut self, now: Time) {
        debug_assert!(now >= self.now, "time runs forward");
        self.now = now;
    }

    /// The present.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Takes out the segments to be sent since the last call, in order, each with its bytes above the MAC if its
    /// headers have `header`.
    pub fn take_sent(&mut self, header: u32) -> impl Iterator<Item = (Segment, u32)> + '_ {
        let (control, segment) = (&self.control, self.rules.segment);
        self.out.drain(..).map(move |sent| (sent, control.ip_bytes(sent.seq, segment, header)))
    }

    /// Whether the connection has timestamps.
    pub fn has_timestamps(&self) -> bool {
        self.rules.timestamps
    }

    /// When the retransmission timer ends.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Losses found so far.
    pub fn counts(&self) -> SenderCounts {
        self.counts
    }

    /// Highest segment that is acknowledged; -1 before the first.
    #[inline]
    pub fn acked(&self) -> SegNo {
        self.snd_una - 1
    }

    /// Segments sent and not acknowledged.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        (self.snd_max - self.snd_una) as u32
    }

    /// What `ack` means to the sequence, as it is now.
    #[inline]
    pub fn meaning(&self, ack: &Ack) -> AckKind {
        match ack.cumulative.cmp(&self.acked()) {
            std::cmp::Ordering::Greater => AckKind::New,
            std::cmp::Ordering::Equal => AckKind::Duplicate,
            std::cmp::Ordering::Less => AckKind::Old,
        }
    }

    /// Takes another controller. To be done before anything is sent.
    pub fn set_control(&mut self, control: Controller) {
        self.pacer = control.pace_rules().map(|rules| Box::new(Pacer::new(rules)));
        self.control = control;
    }

    /// An acknowledgment has come that has travelled `hops`. What it means is recovery's to say.
    pub fn on_arrival(&mut self, ack: &Ack, hops: u16) {
        self.control.on_arrival(&AckArrival { now: self.now, hops, packet: ack });
        if let Some(pacer) = &mut self.pacer {
            pacer.on_ack();
        }
    }

    /// The application supplies more segments; the opening one comes on top of the first, unless it carries data.
    pub fn supply(&mut self, segments: Option<u32>) {
        let opening = SegNo::from(self.supply == 0 && !self.control.syn_carries_data());
        let more = segments.map_or(ENDLESS, |count| SegNo::from(count) + opening);
        self.supply = (self.supply + more).min(ENDLESS);
        if self.rules.is_rfc && self.in_flight() == 0 && self.now.since(self.last_sent) > self.rtt.rto() {
            // RFC 5681 section 4.1: after an idle timeout, start slowly.
            self.control.on_idle(self.rules.initial_window);
        }
    }

    /// The application has nothing more. What it has supplied is still delivered; of an endless supply, what was sent.
    pub fn close(&mut self) {
        if self.supply == ENDLESS {
            self.supply = self.snd_max;
        }
        self.is_closed = true;
        if self.is_done() {
            self.deadline = None;
        }
    }

    /// Whether everything that will ever be sent is acknowledged.
    pub fn is_done(&self) -> bool {
        self.is_closed && self.snd_una >= self.supply
    }

    /// The timer ends one timeout from now. A sender whose work is done needs none.
    pub fn restart_timer(&mut self) {
        self.deadline = (!self.is_done()).then(|| self.now + self.rtt.rto());
    }

    /// SlotPacer the timer off: nothing is outstanding.
    pub fn stop_timer(&mut self) {
        self.deadline = None;
    }

    /// Restarts the timer as an acknowledgment of new data does.
    ///
    /// ns-2 restarts it even if nothing is left in flight: its test looks at the next segment to send. This timer is
    /// what wakes Vegas from a window of zero. RFC 6298 section 5.2 turns it off, unless nothing could be sent then.
    fn restart_timer_after_ack(&mut self) {
        // What was let go and forgotten by a pacer still wants a timer.
        let is_idle = self.in_flight() == 0 && self.snd_nxt == self.snd_una;
        if self.rules.is_rfc && is_idle && self.control.cwnd() >= 1.0 {
            self.deadline = None;
        } else {
            self.restart_timer();
        }
    }
}

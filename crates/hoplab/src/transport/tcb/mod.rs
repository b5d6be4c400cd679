//! The transmission control block of a sender: sequence, retransmission timer, and what every recovery is built from.
//!
//! Segments are counted, not bytes. Segment 0 is the SYN and carries no data (ns-2's Vegas puts some on it). The TCB
//! decides nothing: [`super::recovery`] decides what is retransmitted, [`super::congestion`] how much may be in flight.
//!
//! # Source
//! RFC 9293 section 3.3.1; `tcp/tcp.cc` of ns-2.35: `output`, `send_much`, `newack`, `newtimer`, `timeout`; RFC 6298
//! section 5 in profile `rfc`.

mod ack;
mod loss;
mod output;
pub(crate) mod rtt;
pub(crate) mod rules;
pub(crate) mod send_log;
mod timer;
mod timing;

use super::config::TcpConfig;
use super::congestion::control::{CongestionControl, Needs};
use super::congestion::cross_layer::AckArrival;
use super::congestion::list::{CongestionKind, Controller};
use super::pacer::Pacer;
use crate::kernel::Time;
use crate::packet::{Ack, SegNo, Segment};
use rtt::RttEstimator;
use rules::{Rules, SenderCounts};
use send_log::SendLog;
use timer::Timer;

/// Sequence, timer, window and round-trip time of one sender.
#[derive(Debug)]
pub struct Tcb {
    /// Lowest segment that is not acknowledged.
    pub snd_una: SegNo,
    /// Next segment to send as the window opens; after a timeout it goes back.
    pub snd_nxt: SegNo,
    /// One past the highest segment sent so far.
    pub snd_max: SegNo,
    /// Duplicate acknowledgments since the last new one.
    pub dup_acks: u32,
    /// Highest segment sent when the last loss was detected.
    pub recover: SegNo,
    /// The congestion control.
    pub control: Controller,
    /// The retransmission timeout.
    pub rtt: RttEstimator,
    /// Constants of the connection.
    pub rules: Rules,
    /// When each segment in flight was sent.
    pub log: SendLog,
    /// What the congestion control needs.
    needs: Needs,
    supply: Backlog,
    timer: Timer,
    /// Segments sent by limited transmit since the last new acknowledgment.
    limited: u32,
    /// Segments that wait for their departure, if they are paced.
    pacer: Option<Box<Pacer>>,
    counts: SenderCounts,
    marks: Marks,
    out: Vec<Segment>,
    last_sent: Time,
    now: Time,
}

/// What the application supplied.
#[derive(Clone, Copy, Debug, Default)]
struct Backlog {
    /// One past its last segment.
    end: SegNo,
    /// Whether there will be no more.
    is_closed: bool,
}

/// Reactions to marks (RFC 3168 section 6.1.2).
#[derive(Clone, Copy, Debug)]
struct Marks {
    /// Highest segment sent when the window was last reduced for a mark.
    reduced_to: SegNo,
    /// The next new segment reports a reduction (CWR).
    owes_cwr: bool,
}

/// What an acknowledgment does to the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckKind {
    /// It acknowledges new data.
    New,
    /// A retransmission of the last SYN.
    Duplicate,
    /// It is older than the last one.
    Old,
}

/// More segments than any run sends.
const ENDLESS: SegNo = SegNo::MAX / 4;

impl Tcb {
    /// Before the SYN is sent. `phase` is where in a tick the sender's clock starts.
    pub fn new(config: &TcpConfig, congestion: CongestionKind, segment: u32, window: u32, phase: f64) -> Tcb {
        let setup = config.setup(segment).with_window(window);
        let control = congestion.build(&setup, &config.congestion);
        let needs = control.needs();
        let config = &TcpConfig { timestamps: config.timestamps || needs.timestamps, ..config.clone() };
        let rules = Rules::new(config, segment, window);
        Tcb {
            snd_una: 0,
            snd_nxt: 0,
            snd_max: 0,
            dup_acks: 0,
            recover: rules.recovery.initial_recover,
            control,
            rtt: RttEstimator::new(config, phase),
            rules,
            log: SendLog::default(),
            needs,
            supply: Backlog::default(),
            timer: Timer::default(),
            limited: 0,
            pacer: needs.pacing.map(|rules| Box::new(Pacer::new(rules))),
            counts: SenderCounts::default(),
            marks: Marks { reduced_to: -1, owes_cwr: false },
            out: Vec::new(),
            last_sent: Time::ZERO,
            now: Time::ZERO,
        }
    }

    /// Sets the current time, for everything that follows.
    pub fn set_now(&mut self, now: Time) {
        debug_assert!(now >= self.now, "time runs forward");
        self.now = now;
    }

    /// The current time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Returns the segments to be sent since the last call, in order, each with its bytes above the MAC for headers
    /// of `header` bytes.
    pub fn take_sent(&mut self, header: u32) -> impl Iterator<Item = (Segment, u32)> + '_ {
        let header = if self.needs.omits_headers { 0 } else { header };
        self.out.drain(..).map(move |sent| (sent, sent.payload + header))
    }

    /// What the congestion control needs.
    pub fn needs(&self) -> &Needs {
        &self.needs
    }

    /// Whether the connection has timestamps.
    pub fn has_timestamps(&self) -> bool {
        self.rules.timestamps
    }

    /// When the retransmission timer expires.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        self.timer.deadline
    }

    /// Losses detected so far.
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

    /// What `ack` does to the sequence as it is now.
    #[inline]
    pub fn kind_of(&self, ack: &Ack) -> AckKind {
        match ack.cumulative.cmp(&self.acked()) {
            std::cmp::Ordering::Greater => AckKind::New,
            std::cmp::Ordering::Equal => AckKind::Duplicate,
            std::cmp::Ordering::Less => AckKind::Old,
        }
    }

    /// Replaces the congestion control. Valid only before anything is sent.
    pub fn set_control(&mut self, control: Controller) {
        self.needs = control.needs();
        self.pacer = self.needs.pacing.map(|rules| Box::new(Pacer::new(rules)));
        self.control = control;
        if self.needs.timestamps {
            self.rules.timestamps = true;
            self.rtt.use_timestamps();
        }
    }

    /// An acknowledgment arrived over `hops`. Its effect on the sequence is left to recovery.
    pub fn on_arrival(&mut self, ack: &Ack, hops: u16) {
        if let Some(cross_layer) = self.control.cross_layer() {
            cross_layer.on_arrival(&AckArrival { now: self.now, hops, packet: ack });
        }
        if let Some(pacer) = &mut self.pacer {
            pacer.on_ack();
        }
    }

    /// The application supplies more segments. The SYN precedes the first, unless it carries data.
    pub fn supply(&mut self, segments: Option<u32>) {
        let syn = SegNo::from(self.supply.end == 0 && !self.needs.syn_carries_data);
        let more = segments.map_or(ENDLESS, |count| SegNo::from(count) + syn);
        self.supply.end = (self.supply.end + more).min(ENDLESS);
        let was_idle = self.in_flight() == 0 && self.now.since(self.last_sent) > self.rtt.rto();
        if self.rules.connection.restarts_after_idle && was_idle {
            self.control.on_idle(self.rules.initial_window);
        }
    }

    /// The application supplies no more. What it supplied is still delivered; of an unlimited supply, what was sent.
    pub fn close(&mut self) {
        if self.supply.end == ENDLESS {
            self.supply.end = self.snd_max;
        }
        self.supply.is_closed = true;
        if self.is_done() {
            self.stop_timer();
        }
    }

    /// Segments supplied and not sent, of a limited supply.
    pub fn unsent(&self) -> u32 {
        if self.supply.end == ENDLESS { 0 } else { (self.supply.end - self.snd_max) as u32 }
    }

    /// One past the last segment, if no more will be supplied.
    pub fn end(&self) -> Option<SegNo> {
        self.supply.is_closed.then_some(self.supply.end)
    }

    /// Whether all data of the flow is acknowledged.
    pub fn is_done(&self) -> bool {
        self.supply.is_closed && self.snd_una >= self.supply.end
    }
}

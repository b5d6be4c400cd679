//! The sender's machine: sequence, retransmission timer, and what every recovery is made of.
//!
//! Segments are counted, not bytes. Segment 0 opens the connection and carries no data (ns-2's Vegas makes it
//! carry some). The machine decides nothing: [`super::recovery`] tells it what to send again, [`super::congestion`] how
//! much may be in flight.
//!
//! # Source
//! `tcp/tcp.cc` of ns-2.35: `output`, `send_much`, `newack`, `newtimer`, `timeout`; RFC 6298 section 5 in profile `rfc`.

use super::config::TcpConfig;
use super::congestion::{
    AckArrival, CongestionControl, CongestionKind, Controller, Loss, LossSign, NewAck, Sending, Setup,
};
use super::pacer::Pacer;
use super::rtt::RttEstimator;
use super::send_log::SendLog;
use crate::kernel::Time;
use crate::packet::{Ack, SegNo, Segment};

/// Sequence, timer, window and round-trip time of one sender.
#[derive(Debug)]
pub struct Machine {
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
}

/// What an acknowledgment means to the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// It acknowledges something new.
    New,
    /// It repeats the last one.
    Duplicate,
    /// It came late.
    Old,
}

/// More segments than any run sends.
const ENDLESS: SegNo = SegNo::MAX / 4;

impl Machine {
    /// Before the opening segment is sent. `phase` is where in a tick the sender's clock starts.
    pub fn new(config: &TcpConfig, congestion: CongestionKind, segment: u32, window: u32, phase: f64) -> Machine {
        let setup = Setup::new(config, segment).with_window(window);
        let control = congestion.build(&setup, &config.congestion);
        Machine {
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
                timestamps: config.timestamps,
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
    pub fn meaning(&self, ack: &Ack) -> Meaning {
        match ack.cumulative.cmp(&self.acked()) {
            std::cmp::Ordering::Greater => Meaning::New,
            std::cmp::Ordering::Equal => Meaning::Duplicate,
            std::cmp::Ordering::Less => Meaning::Old,
        }
    }

    // ---- supply ----

    /// The application supplies more segments; the opening one comes on top of the first, unless it carries data.
    pub fn supply(&mut self, segments: Option<u32>) {
        let opening = SegNo::from(self.supply == 0 && !self.control.opens_with_data());
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

    // ---- sending ----

    /// Sends segments in order as long as fewer than `window` are unacknowledged, at most `burst` of them.
    pub fn fill(&mut self, window: SegNo, burst: Option<u32>) {
        let mut left = burst.unwrap_or(u32::MAX);
        let window = window.min(self.limit());
        while self.snd_nxt < self.snd_una + window && self.snd_nxt < self.supply && left > 0 {
            self.send(self.snd_nxt);
            self.snd_nxt += 1;
            left -= 1;
        }
    }

    /// Sends what the congestion window and the receiver allow.
    pub fn fill_window(&mut self) {
        self.fill(self.window(0), None);
    }

    /// Sends one more segment in order, if there is one and the receiver allows. Whether it did.
    pub fn send_next(&mut self) -> bool {
        let may = self.has_next();
        if may {
            self.send(self.snd_nxt);
            self.snd_nxt += 1;
        }
        may
    }

    /// Sends one more segment in order, if there is one, whatever the receiver allows. Whether it did.
    pub fn send_new(&mut self) -> bool {
        let may = self.snd_nxt < self.supply;
        if may {
            self.transmit(self.snd_nxt);
            self.snd_nxt += 1;
        }
        may
    }

    /// Whether there is a segment to send in order that the receiver allows.
    pub fn has_next(&self) -> bool {
        self.snd_nxt < self.snd_una + self.limit() && self.snd_nxt < self.supply
    }

    /// Segments that the receiver allows. By the RFCs that is the opening one until it is acknowledged; an agent of
    /// ns-2 with a window of two sends data after it.
    fn limit(&self) -> SegNo {
        if self.rules.is_rfc && self.snd_una == 0 { 1 } else { SegNo::from(self.rules.window) }
    }

    /// A duplicate acknowledgment short of the threshold lets one new segment out (RFC 3042).
    pub fn limited_transmit(&mut self) {
        let room = self.acked() as f64 + self.control.cwnd() + f64::from(self.dup_acks);
        if self.rules.limited_transmit && self.snd_nxt as f64 <= room {
            self.limited_transmit_one();
        }
    }

    /// Sends one more segment in order that a cut of the window is not to count.
    pub fn limited_transmit_one(&mut self) {
        self.limited += u32::from(self.send_next());
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

    /// Whether segments are spaced out: then `snd_nxt` counts those that wait or were forgotten too.
    pub fn is_paced(&self) -> bool {
        self.pacer.is_some()
    }

    /// When the next segment's turn comes, if one may be waiting for it.
    #[inline]
    pub fn pace_deadline(&self) -> Option<Time> {
        self.pacer.as_ref().and_then(|pacer| pacer.deadline())
    }

    /// Sends the segment whose turn it is.
    pub fn pace(&mut self) {
        let interval = self.control.pace_interval();
        if let Some(pacer) = &mut self.pacer {
            if let Some(seq) = pacer.tick(self.now, interval) {
                // Acknowledged meanwhile, after a repair: nothing to send, and the tick is spent.
                if seq >= self.snd_una {
                    self.transmit(seq);
                }
            } else if self.is_done()
                && let Some(pacer) = &mut self.pacer
            {
                pacer.stop();
            }
        }
    }

    /// Sends `seq` when its turn comes: at once, unless segments are spaced out.
    pub fn send(&mut self, seq: SegNo) {
        if let Some(pacer) = &mut self.pacer
            && !pacer.hand_over(self.now, seq, self.control.pace_interval())
        {
            // A stopped clock sends nothing: the retransmission timer has to.
            if self.deadline.is_none() && pacer.deadline().is_none() {
                self.restart_timer();
            }
            return;
        }
        self.transmit(seq);
    }

    /// Sends `seq` now, wherever it is in the sequence; `snd_nxt` stays.
    pub fn transmit(&mut self, seq: SegNo) {
        if seq >= self.supply {
            return;
        }
        let is_new = seq >= self.snd_max;
        let was_idle = self.in_flight() == 0;
        let payload = if seq > 0 || self.control.opens_with_data() { self.rules.segment } else { 0 };
        let feedback = self.control.stamp(&Sending {
            now: self.now,
            seq,
            payload,
            is_retransmission: !is_new,
            window: self.rules.window,
            in_flight: self.in_flight(),
        });
        let first_sent = self.log.on_send(self.now, seq);
        if is_new {
            self.snd_max = seq + 1;
            if self.timed.is_none() {
                self.timed = Some((seq, self.now));
            }
        } else if self.rules.is_rfc {
            self.timed.take_if(|(timed, _)| *timed == seq);
        }
        self.out.push(Segment { seq, payload, sent_at: self.now, first_sent, is_retransmission: !is_new, feedback });
        self.last_sent = self.now;
        if self.deadline.is_none() || (was_idle && self.rules.restarts_when_idle) {
            self.restart_timer();
        }
    }

    /// Segments that may be unacknowledged, with `inflation` of them for duplicate acknowledgments.
    #[inline]
    pub fn window(&self, inflation: u32) -> SegNo {
        let limit = SegNo::from(self.rules.window);
        (self.whole_cwnd().min(limit) + SegNo::from(inflation)).min(limit)
    }

    /// Whole segments of the congestion window.
    #[inline]
    pub fn whole_cwnd(&self) -> SegNo {
        let cwnd = self.control.cwnd();
        // A window without limit is as good as more than is ever sent.
        if cwnd < ENDLESS as f64 { cwnd as SegNo } else { ENDLESS }
    }

    // ---- acknowledgments ----

    /// Takes an acknowledgment of new data in: sequence, timer, round-trip time. What is left to do is the window.
    pub fn acknowledge<'a>(&mut self, ack: &'a Ack) -> NewAck<'a> {
        let mut acked = self.advance(ack);
        self.dup_acks = 0;
        self.limited = 0;
        self.measure(ack);
        acked.srtt = self.rtt.srtt();
        self.restart_timer_after_ack();
        acked
    }

    /// Moves the sequence only, as ns-2 does for acknowledgments during a repair.
    pub fn advance<'a>(&mut self, ack: &'a Ack) -> NewAck<'a> {
        // An acknowledgment of what was never sent would be a bug of the receiver.
        debug_assert!(ack.cumulative < self.snd_max, "acknowledged {} of {}", ack.cumulative, self.snd_max);
        let newly_acked = (ack.cumulative + 1 - self.snd_una) as u32;
        let was_full = SegNo::from(self.in_flight()) >= self.whole_cwnd();
        self.snd_una = ack.cumulative + 1;
        let highest = self.log.acknowledge(self.snd_una);
        let rtt = highest.last.filter(|_| highest.times == 1).map(|at| self.now.since(at));
        self.snd_nxt = self.snd_nxt.max(self.snd_una);
        NewAck {
            now: self.now,
            acked: ack.cumulative,
            newly_acked,
            snd_nxt: self.snd_nxt,
            in_flight: self.in_flight(),
            rtt,
            srtt: self.rtt.srtt(),
            was_full,
            has_news: false,
            packet: ack,
        }
    }

    /// Whether `ack` acknowledges the segment that is being timed; if so, nothing is timed any longer.
    pub fn ends_timing(&mut self, ack: &Ack) -> Option<(SegNo, Time)> {
        self.timed.take_if(|(seq, _)| ack.cumulative >= *seq)
    }

    /// Takes the round-trip time that an acknowledgment tells of; one of the timed segment ends the back-off.
    pub fn measure(&mut self, ack: &Ack) {
        let timed = self.ends_timing(ack);
        if timed.is_some() {
            self.rtt.end_back_off();
        }
        if self.rules.timestamps {
            self.rtt.on_sample(self.now.since(ack.echo), ack.echo);
        } else if let Some((_, sent_at)) = timed {
            self.rtt.on_sample(self.now.since(sent_at), sent_at);
        }
    }

    /// Segments `first` to `last` (exclusive) were acknowledged alone: if the timed one is among them, it is measured.
    pub fn measure_alone(&mut self, first: SegNo, last: SegNo, ack: &Ack) {
        if let Some((_, sent_at)) = self.timed.take_if(|(seq, _)| (first..last).contains(seq)) {
            self.rtt.end_back_off();
            let sent_at = if self.rules.timestamps { ack.echo } else { sent_at };
            self.rtt.on_sample(self.now.since(sent_at), sent_at);
        }
    }

    /// Nothing that is in flight is timed: a segment may be sent again (Karn 1987).
    pub fn cancel_timing(&mut self) {
        self.timed = None;
    }

    // ---- losses ----

    /// Whether duplicate acknowledgments may be believed: they come after the last episode of loss (RFC 6582 section
    /// 3.2, step 2). ns-2 also believes those of the opening segment.
    pub fn may_recover(&self) -> bool {
        self.acked() > self.recover || (!self.rules.is_rfc && self.acked() == 0)
    }

    /// A loss was found by duplicate acknowledgments: marks the episode, cuts the window, restarts the timer.
    pub fn begin_episode(&mut self) {
        if let Some(pacer) = &mut self.pacer {
            pacer.on_fast_retransmit(self.now, self.control.pace_interval());
        }
        self.note_fast_retransmit();
        let loss = self.loss(LossSign::Duplicates);
        let before = self.control.cwnd();
        self.control.on_loss(&loss);
        self.counts.kept_windows += u64::from(self.control.cwnd() >= before);
        self.restart_timer();
        self.cancel_timing();
    }

    /// Marks an episode of loss found by duplicate acknowledgments.
    pub fn note_fast_retransmit(&mut self) {
        self.recover = self.snd_max - 1;
        self.counts.fast_retransmits += 1;
    }

    /// The loss that would be reported now.
    pub fn loss(&self, sign: LossSign) -> Loss {
        let is_repeated = match sign {
            LossSign::Timeout => self.timed_out == Some(self.snd_una),
            LossSign::Duplicates => self.log.sendings(self.snd_una).times > 1,
        };
        let limited = if sign == LossSign::Duplicates { self.limited } else { 0 };
        Loss {
            now: self.now,
            sign,
            window: self.control.cwnd().min(f64::from(self.rules.window)),
            // Of those that limited transmit let go some may still wait for their turn.
            flight: self.in_flight().saturating_sub(limited),
            is_repeated,
        }
    }

    /// The retransmission timer has ended: cuts the window, backs off, and goes back to the lowest unacknowledged
    /// segment. `dup_acks` is left to recovery.
    pub fn time_out(&mut self) {
        if let Some(pacer) = &mut self.pacer {
            pacer.on_timeout();
        }
        if self.snd_una == self.snd_max {
            // Nothing is in flight. ns-2's timer runs on all the same, and its end is a reason for starting slowly.
            self.recover = self.snd_max - 1;
            self.control.set_cwnd(1.0);
            self.go_back();
        } else {
            self.count_timeout();
            if self.control.backs_off() {
                self.rtt.back_off();
            }
            self.go_back();
        }
    }

    /// Counts a timeout, and tells the controller.
    pub fn count_timeout(&mut self) {
        if self.snd_una == 0 {
            self.control.on_opening_lost();
            self.rtt.on_opening_lost();
        }
        self.recover = self.snd_max - 1;
        self.counts.timeouts += 1;
        let loss = self.loss(LossSign::Timeout);
        self.control.on_loss(&loss);
        self.timed_out = Some(self.snd_una);
    }

    /// Everything from the lowest unacknowledged segment on is to be sent again, unless acknowledged by then.
    pub fn go_back(&mut self) {
        self.restart_timer();
        self.snd_nxt = self.snd_una;
        self.limited = 0;
        self.cancel_timing();
    }

    // ---- timer ----

    /// The timer ends one timeout from now. A sender whose work is done needs none.
    pub fn restart_timer(&mut self) {
        self.deadline = (!self.is_done()).then(|| self.now + self.rtt.rto());
    }

    /// Turns the timer off: nothing is outstanding.
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

//! The sending end of a connection: the transmission control block (RFC 9293), and the recovery that drives it.

use super::config::TcpConfig;
use super::congestion::control::CongestionControl;
use super::congestion::cross_layer::AckArrival;
use super::congestion::list::{CongestionKind, Controller};
use super::pull::slot_pacer::SlotPacer;
use super::recovery::list::{AnyRecovery, RecoveryKind};
use super::recovery::method::Recovery;
use super::tcb::Tcb;
use super::tcb::rules::SenderCounts;
use crate::app::Supply;
use crate::kernel::Time;
use crate::packet::{Ack, LinkEstimate, Segment};

/// A sender: acknowledgments, timeouts and supply in, segments out.
#[derive(Debug)]
pub struct Sender {
    tcb: Tcb,
    recovery: AnyRecovery,
    /// Which slots of a pulled sender are used, if they are paced.
    slot_pacer: Option<Box<SlotPacer>>,
    /// Timeouts so far, while the first segment travels alone.
    alone: Option<u64>,
}

/// The parts of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Decides the window.
    pub congestion: CongestionKind,
    /// Decides what is retransmitted.
    pub recovery: RecoveryKind,
}

impl Parts {
    /// The parts as the profile has them: `ns2_linux` has its own recovery, and its own Reno and Vegas.
    #[must_use]
    pub fn under(self, config: &TcpConfig) -> Parts {
        let is_window_based = matches!(
            self.recovery,
            RecoveryKind::Reno | RecoveryKind::NewReno | RecoveryKind::Sack | RecoveryKind::Vegas
        );
        if !config.profile.rules().uses_linux_parts || !is_window_based {
            return self;
        }
        let congestion = match self.congestion {
            CongestionKind::Reno => CongestionKind::LinuxReno,
            CongestionKind::Vegas => CongestionKind::LinuxVegas,
            other => other,
        };
        Parts { congestion, recovery: RecoveryKind::Linux }
    }
}

impl Sender {
    /// Before anything is sent. `phase`, in `[0, 1)`, is where in a tick its clock starts.
    pub fn new(config: &TcpConfig, parts: Parts, segment: u32, window: u32, phase: f64) -> Sender {
        let mut tcb = Tcb::new(config, parts.congestion, segment, window, phase);
        tcb.rules.ecn |= parts.recovery.needs_ecn();
        Sender { tcb, recovery: parts.recovery.build(config), slot_pacer: None, alone: None }
    }

    /// Replaces the congestion control by a user's own. Valid only before anything is sent.
    pub fn set_controller(&mut self, controller: Controller) {
        self.tcb.set_control(controller);
    }

    /// Replaces the recovery by a user's own. Valid only before anything is sent.
    pub fn set_recovery(&mut self, recovery: AnyRecovery) {
        self.recovery = recovery;
    }

    /// Limits the sender to slots; `backs_off` if a timeout then doubles the next. Valid only before anything is
    /// sent.
    pub fn set_pulled(&mut self, backs_off: bool) {
        self.tcb.rules.is_pulled = true;
        self.tcb.rules.backs_off = backs_off;
    }

    /// Limits the slots of a pulled sender to one per interval of TCP-AP. Valid only before anything is sent.
    pub fn set_slot_pacer(&mut self, slot_pacer: SlotPacer) {
        self.slot_pacer = Some(Box::new(slot_pacer));
    }

    /// Lets a pulled sender send its first segment alone: until that is acknowledged, it sends at timeouts only. Valid only before
    /// anything is sent.
    pub fn start_alone(&mut self) {
        self.alone = Some(self.tcb.counts().timeouts);
    }

    /// The link layer offers a slot for a segment. Returns whether one is sent.
    pub fn on_slot(&mut self, now: Time) -> bool {
        if !self.may_send_alone() {
            return false;
        }
        if self.slot_pacer.as_ref().is_some_and(|pacer| !pacer.is_open(now)) {
            return false;
        }
        self.tcb.set_now(now);
        let has_sent = self.recovery.on_slot(&mut self.tcb);
        if has_sent && let Some(pacer) = &mut self.slot_pacer {
            pacer.on_use(now);
        }
        has_sent
    }

    /// Whether no first segment is awaited, which travels alone.
    fn may_send_alone(&mut self) -> bool {
        let Some(timeouts) = self.alone else { return true };
        if self.tcb.snd_una > 0 {
            self.alone = None;
            return true;
        }
        let has_timed_out = self.tcb.counts().timeouts > timeouts;
        self.alone = Some(self.tcb.counts().timeouts);
        self.tcb.in_flight() == 0 || has_timed_out
    }

    /// The application supplies more.
    pub fn on_supply(&mut self, now: Time, supply: Supply) {
        self.tcb.set_now(now);
        self.tcb.supply(match supply {
            Supply::Segments(count) => Some(count),
            Supply::Endless => None,
        });
        self.recovery.on_supply(&mut self.tcb);
    }

    /// The application supplies no more.
    pub fn close(&mut self, now: Time) {
        self.tcb.set_now(now);
        self.tcb.close();
    }

    /// The application supplies so many bytes per second.
    pub fn on_demand(&mut self, rate: f64) {
        if let Some(cross_layer) = self.tcb.control.cross_layer() {
            cross_layer.on_demand(rate);
        }
    }

    /// Current estimates of the links of the sender's node.
    pub fn on_link(&mut self, link: Option<LinkEstimate>) {
        if let Some(cross_layer) = self.tcb.control.cross_layer() {
            cross_layer.on_link(link);
        }
    }

    /// An acknowledgment arrived. It is ignored if it covers data that was never sent.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.on_ack_over(now, ack, 0);
    }

    /// An acknowledgment arrived over a known number of hops.
    pub fn on_ack_over(&mut self, now: Time, ack: &Ack, hops: u16) {
        self.tcb.set_now(now);
        if ack.cumulative < self.tcb.snd_max {
            self.tcb.on_arrival(ack, hops);
            if let Some(pacer) = &mut self.slot_pacer {
                pacer.on_arrival(&AckArrival { now, hops, packet: ack });
            }
            if ack.has_ece && self.tcb.rules.ecn {
                self.recovery.on_mark_echo(&mut self.tcb);
            }
            self.recovery.on_ack(&mut self.tcb, ack);
        }
    }

    /// A node on the path has dropped a segment because it has no route, or its link has failed.
    pub fn on_route_failure(&mut self, now: Time) {
        self.tcb.set_now(now);
        self.recovery.on_route_failure(&mut self.tcb);
    }

    /// A route to the receiver is back.
    pub fn on_route_restored(&mut self, now: Time) {
        self.tcb.set_now(now);
        self.recovery.on_route_restored(&mut self.tcb);
    }

    /// The deadline of [`Sender::deadline`] has expired.
    pub fn on_timeout(&mut self, now: Time) {
        self.tcb.set_now(now);
        if let Some(pacer) = &mut self.slot_pacer {
            // The caller then requests a slot for the source.
            pacer.on_deadline(now);
            if self.tcb.deadline().is_none_or(|at| at > now) {
                return;
            }
        }
        if self.tcb.pace_deadline().is_some_and(|at| at <= now) {
            self.tcb.pace();
            if self.tcb.deadline().is_none_or(|at| at > now) {
                return;
            }
        }
        self.recovery.on_timeout(&mut self.tcb);
    }

    /// When the retransmission timer expires or a paced segment departs. It moves at nearly every acknowledgment.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        let paced = self.slot_pacer.as_ref().and_then(|pacer| pacer.deadline()).or(self.tcb.pace_deadline());
        match (self.tcb.deadline(), paced) {
            (Some(timer), Some(paced)) => Some(timer.min(paced)),
            (timer, paced) => timer.or(paced),
        }
    }

    /// Returns the segments to be sent since the last call, in order, each with its bytes above the MAC for headers of
    /// `header` bytes.
    pub fn take_sent(&mut self, header: u32) -> impl Iterator<Item = (Segment, u32)> + '_ {
        self.tcb.take_sent(header)
    }

    /// The congestion window, in segments, without inflation. The Linux sender shows what may be in flight while it halves
    /// its window.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.recovery.shown_cwnd(&self.tcb)
    }

    /// The slow-start threshold, in segments.
    pub fn ssthresh(&self) -> f64 {
        self.tcb.control.ssthresh()
    }

    /// Losses detected so far.
    pub fn counts(&self) -> SenderCounts {
        self.tcb.counts()
    }

    /// Whether the sender recovers from a loss detected by acknowledgments.
    pub fn in_recovery(&self) -> bool {
        self.recovery.in_recovery()
    }

    /// Sequence, timer and round-trip time.
    pub fn tcb(&self) -> &Tcb {
        &self.tcb
    }
}

#[cfg(test)]
mod tests {
    use super::super::congestion::control::{FeedbackNeeds, Needs};
    use super::super::congestion::cross_layer::{CrossLayer, Sending};
    use super::super::congestion::event::{Loss, NewAck};
    use super::super::pacer::{PaceClock, PaceRules};
    use super::super::tcb::AckKind;
    use super::*;
    use crate::kernel::Span;
    use crate::packet::SegNo;
    use crate::packet::explicit::Feedback;

    /// Four segments, whatever happens; with a level on retransmissions.
    #[derive(Debug, Default)]
    struct Four {
        interval: Option<Span>,
    }

    impl CongestionControl for Four {
        fn cwnd(&self) -> f64 {
            4.0
        }

        fn ssthresh(&self) -> f64 {
            f64::INFINITY
        }

        fn set_cwnd(&mut self, _cwnd: f64) {}

        fn on_ack(&mut self, _ack: &NewAck<'_>) {}

        fn on_loss(&mut self, _loss: &Loss) {}

        fn needs(&self) -> Needs {
            let rules = PaceRules { clock: PaceClock::FreeRunning, flushes: false, restarts: true };
            let pacing = self.interval.map(|_| rules);
            Needs { feedback: Some(FeedbackNeeds::default()), pacing, ..Needs::default() }
        }

        fn cross_layer(&mut self) -> Option<&mut dyn CrossLayer> {
            Some(self)
        }
    }

    impl CrossLayer for Four {
        fn stamp(&mut self, sending: &Sending) -> Feedback {
            if sending.is_retransmission { Feedback::Mrai(1) } else { Feedback::None }
        }

        fn pace_interval(&self) -> Span {
            self.interval.unwrap_or_default()
        }
    }

    /// Retransmits the lowest missing segment at every duplicate.
    #[derive(Debug)]
    struct Eager;

    impl Recovery for Eager {
        fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
            match tcb.kind_of(ack) {
                AckKind::New => {
                    tcb.acknowledge(ack);
                }
                AckKind::Duplicate => tcb.transmit(tcb.snd_una),
                AckKind::Old => {}
            }
            tcb.fill_window();
        }

        fn on_timeout(&mut self, tcb: &mut Tcb) {
            tcb.time_out();
            tcb.fill_window();
        }

        fn on_supply(&mut self, tcb: &mut Tcb) {
            tcb.fill_window();
        }

        fn in_recovery(&self) -> bool {
            false
        }
    }

    /// A sender of these parts.
    fn custom(four: Four) -> Sender {
        let parts = Parts { congestion: CongestionKind::Reno, recovery: RecoveryKind::Reno };
        let mut sender = Sender::new(&TcpConfig::default(), parts, 1000, 20, 0.0);
        sender.set_controller(Controller::Custom(Box::new(four)));
        sender.set_recovery(AnyRecovery::Custom(Box::new(Eager)));
        sender
    }

    fn sent(sender: &mut Sender) -> Vec<SegNo> {
        sender.take_sent(40).map(|(sent, _)| sent.seq).collect()
    }

    #[test]
    fn custom_parts_replace_those_of_the_sender() {
        let mut sender = custom(Four::default());
        sender.on_supply(Time::ZERO, Supply::Endless);
        assert_eq!(sent(&mut sender), [0, 1, 2, 3]);
        sender.on_ack(Time(1), &Ack::plain(1, Time::ZERO));
        assert_eq!(sent(&mut sender), [4, 5]);
        sender.on_ack(Time(2), &Ack::plain(1, Time::ZERO));
        assert_eq!(sent(&mut sender), [2]);
    }

    #[test]
    fn stamp_knows_retransmissions() {
        let mut sender = custom(Four::default());
        sender.on_supply(Time::ZERO, Supply::Endless);
        sender.on_ack(Time(1), &Ack::plain(2, Time::ZERO));
        sender.on_ack(Time(2), &Ack::plain(2, Time::ZERO));
        let again: Vec<SegNo> = sender
            .take_sent(40)
            .filter(|(segment, _)| segment.feedback != Feedback::None)
            .map(|(segment, _)| segment.seq)
            .collect();
        assert_eq!(again, [3]);
    }

    #[test]
    fn custom_recovery_sends_the_next_segment_in_a_slot() {
        let mut sender = custom(Four::default());
        sender.set_pulled(false);
        sender.on_supply(Time::ZERO, Supply::Segments(4));
        assert_eq!(sent(&mut sender), [0, 1, 2, 3]);
        assert!(sender.on_slot(Time(1)) && !sender.on_slot(Time(2)));
        assert_eq!(sent(&mut sender), [4]);
    }

    #[test]
    fn timeout_at_the_time_of_a_departure_is_not_lost() {
        let timeout = TcpConfig::default().initial_rto;
        let mut sender = custom(Four { interval: Some(timeout) });
        assert!(sender.tcb().is_paced() && !custom(Four::default()).tcb().is_paced());
        sender.on_supply(Time::ZERO, Supply::Endless);
        assert_eq!(sender.tcb().deadline(), sender.tcb().pace_deadline());
        sender.on_timeout(Time::ZERO + timeout);
        assert_eq!(sender.counts().timeouts, 1);
    }

    #[test]
    fn discarded_segments_keep_the_timer_of_an_rfc_sender() {
        let parts = Parts { congestion: CongestionKind::TcpAp, recovery: RecoveryKind::NewReno };
        let config = TcpConfig { limited_transmit: false, ..TcpConfig::rfc() };
        let mut sender = Sender::new(&config, parts, 1000, 4, 0.0);
        let ms = |ms: u64| Time(ms * 1_000_000);
        sender.on_supply(ms(0), Supply::Endless);
        sender.on_timeout(ms(50));
        sender.on_ack(ms(60), &Ack::plain(0, ms(0)));
        sender.on_timeout(ms(100));
        assert_eq!(sent(&mut sender), [0, 1]);
        // 2 to 4 wait in the pacer until three duplicates signal a loss.
        (0..3).for_each(|_| sender.on_ack(ms(110), &Ack::plain(0, ms(0))));
        assert_eq!(sent(&mut sender), [1]);
        sender.on_ack(ms(200), &Ack::plain(1, ms(110)));
        assert_eq!((sent(&mut sender), sender.tcb().in_flight()), (vec![], 0));
        sender.on_timeout(sender.tcb().deadline().expect("a timer"));
        assert_eq!(sent(&mut sender), [2]);
    }

    #[test]
    fn ack_of_unsent_segments_is_ignored() {
        let parts = Parts { congestion: CongestionKind::Reno, recovery: RecoveryKind::Reno };
        let mut sender = Sender::new(&TcpConfig::default(), parts, 1000, 20, 0.0);
        sender.on_supply(Time::ZERO, Supply::Endless);
        sender.on_ack(Time(1), &Ack::plain(1, Time::ZERO));
        assert_eq!(sender.tcb().snd_una, 0);
    }
}

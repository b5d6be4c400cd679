//! The sending end of a connection: the tcb, and the recovery that works it.

use super::config::TcpConfig;
use super::congestion::{AckArrival, CongestionControl, CongestionKind, Controller};
use super::pull::slot_pacer::SlotPacer;
use super::recovery::{AnyRecovery, Recovery, RecoveryKind};
use super::tcb::{SenderCounts, Tcb};
use crate::app::Supply;
use crate::kernel::Time;
use crate::packet::{Ack, LinkEstimate, Segment};

/// A sender: acknowledgments, timeouts and supply in, segments out.
#[derive(Debug)]
pub struct Sender {
    tcb: Tcb,
    recovery: AnyRecovery,
    /// Which slots are used, if they are spaced out.
    turns: Option<Box<SlotPacer>>,
}

/// What a sender is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// Who decides the window.
    pub congestion: CongestionKind,
    /// Who decides what is sent again.
    pub recovery: RecoveryKind,
}

impl Parts {
    /// The parts as the profile has them: `ns2_linux` repairs in its own way, and has its own Reno and Vegas.
    #[must_use]
    pub fn under(self, config: &TcpConfig) -> Parts {
        let is_window_based = matches!(
            self.recovery,
            RecoveryKind::Reno | RecoveryKind::NewReno | RecoveryKind::Sack | RecoveryKind::Vegas
        );
        if !config.is_linux() || !is_window_based {
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
        Sender {
            tcb: Tcb::new(config, parts.congestion, segment, window, phase),
            recovery: parts.recovery.build(config),
            turns: None,
        }
    }

    /// Takes a controller of the user's instead of the one it was made with. To be done before anything is sent.
    pub fn set_controller(&mut self, controller: Controller) {
        self.tcb.set_control(controller);
    }

    /// Takes a recovery of the user's instead of the one it was made with. To be done before anything is sent.
    pub fn set_recovery(&mut self, recovery: AnyRecovery) {
        self.recovery = recovery;
    }

    /// From now on it sends only when it is asked; whether a timeout then doubles the next is `backs_off`. To be done
    /// before anything is sent.
    pub fn be_pulled(&mut self, backs_off: bool) {
        self.tcb.rules.is_pulled = true;
        self.tcb.rules.backs_off = backs_off;
    }

    /// From now on a slot is used at most once per interval of TCP-AP. To be done before anything is sent.
    pub fn space_slots(&mut self, turns: SlotPacer) {
        self.turns = Some(Box::new(turns));
    }

    /// The node below has room for a segment. Whether one is sent.
    pub fn on_slot(&mut self, now: Time) -> bool {
        if self.turns.as_ref().is_some_and(|turns| !turns.is_open(now)) {
            return false;
        }
        self.tcb.at(now);
        let has_sent = self.recovery.on_slot(&mut self.tcb);
        if has_sent && let Some(turns) = &mut self.turns {
            turns.take(now);
        }
        has_sent
    }

    /// The application supplies more.
    pub fn on_supply(&mut self, now: Time, supply: Supply) {
        self.tcb.at(now);
        self.tcb.supply(match supply {
            Supply::Segments(count) => Some(count),
            Supply::Endless => None,
        });
        self.recovery.on_supply(&mut self.tcb);
    }

    /// The application supplies nothing more.
    pub fn close(&mut self, now: Time) {
        self.tcb.at(now);
        self.tcb.close();
    }

    /// The application supplies so many bytes per second.
    pub fn on_demand(&mut self, rate: f64) {
        self.tcb.control.on_demand(rate);
    }

    /// What is known of the links of the sender's node.
    pub fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.tcb.control.on_link(link);
    }

    /// An acknowledgment has come. One of what was never sent is ignored.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.on_ack_over(now, ack, 0);
    }

    /// The same, if it is known over how many hops it has come.
    pub fn on_ack_over(&mut self, now: Time, ack: &Ack, hops: u16) {
        self.tcb.at(now);
        if ack.cumulative < self.tcb.snd_max {
            self.tcb.on_arrival(ack, hops);
            if let Some(turns) = &mut self.turns {
                turns.on_arrival(&AckArrival { now, hops, packet: ack });
            }
            self.recovery.on_ack(&mut self.tcb, ack);
        }
    }

    /// The time of [`Sender::deadline`] has come.
    pub fn on_timeout(&mut self, now: Time) {
        self.tcb.at(now);
        if let Some(turns) = &mut self.turns {
            turns.on_deadline(now);
            // Whoever keeps the timers asks the source again.
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

    /// When the retransmission timer ends, or a segment's turn comes. It moves at nearly every acknowledgment.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        let turn = self.turns.as_ref().and_then(|turns| turns.deadline()).or(self.tcb.pace_deadline());
        match (self.tcb.deadline(), turn) {
            (Some(timer), Some(turn)) => Some(timer.min(turn)),
            (timer, turn) => timer.or(turn),
        }
    }

    /// Takes out the segments to be sent since the last call, in order, each with its bytes above the MAC if its
    /// headers have `header`.
    pub fn take_sent(&mut self, header: u32) -> impl Iterator<Item = (Segment, u32)> + '_ {
        self.tcb.take_sent(header)
    }

    /// The congestion window, in segments; duplicates of a repair are not in it. That of the Linux sender is what it
    /// allows to be in flight while it halves its window.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.recovery.shown_cwnd(&self.tcb)
    }

    /// The slow-start threshold, in segments.
    pub fn ssthresh(&self) -> f64 {
        self.tcb.control.ssthresh()
    }

    /// Losses found so far.
    pub fn counts(&self) -> SenderCounts {
        self.tcb.counts()
    }

    /// Whether a loss found by acknowledgments is being repaired.
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
    use super::super::congestion::Sending;
    use super::super::congestion::{Loss, NewAck};
    use super::super::pacer::{PaceClock, PaceRules};
    use super::super::tcb::AckKind;
    use super::*;
    use crate::kernel::Span;
    use crate::packet::{Feedback, SegNo};

    /// Four segments, whatever happens; with a level on those sent again.
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

        fn on_ack(&mut self, _ack: &NewAck<'_>) {}

        fn on_loss(&mut self, _loss: &Loss) {}

        fn set_cwnd(&mut self, _cwnd: f64) {}

        fn pace_rules(&self) -> Option<PaceRules> {
            let clock = PaceClock::FreeRunning;
            self.interval.map(|_| PaceRules { clock, flushes: false, restarts: true })
        }

        fn pace_interval(&self) -> Span {
            self.interval.unwrap_or_default()
        }

        fn stamp(&mut self, sending: &Sending) -> Feedback {
            if sending.is_retransmission { Feedback::Mrai(1) } else { Feedback::None }
        }
    }

    /// Sends the missing segment again at every duplicate.
    #[derive(Debug)]
    struct Eager;

    impl Recovery for Eager {
        fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
            match tcb.meaning(ack) {
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

    /// A sender made of these parts.
    fn users(four: Four) -> Sender {
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
    fn the_parts_can_be_the_users() {
        let mut sender = users(Four::default());
        sender.on_supply(Time::ZERO, Supply::Endless);
        assert_eq!(sent(&mut sender), [0, 1, 2, 3]);
        sender.on_ack(Time(1), &Ack::plain(1, Time::ZERO));
        assert_eq!(sent(&mut sender), [4, 5]);
        sender.on_ack(Time(2), &Ack::plain(1, Time::ZERO));
        assert_eq!(sent(&mut sender), [2]);
    }

    #[test]
    fn a_controller_is_told_what_is_sent_again() {
        let mut sender = users(Four::default());
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
    fn a_recovery_of_the_users_sends_the_next_segment_when_asked() {
        let mut sender = users(Four::default());
        sender.be_pulled(false);
        sender.on_supply(Time::ZERO, Supply::Segments(4));
        assert_eq!(sent(&mut sender), [0, 1, 2, 3]);
        assert!(sender.on_slot(Time(1)) && !sender.on_slot(Time(2)));
        assert_eq!(sent(&mut sender), [4]);
    }

    #[test]
    fn the_retransmission_timer_ends_at_the_very_moment_of_a_turn() {
        let timeout = TcpConfig::default().initial_rto;
        let mut sender = users(Four { interval: Some(timeout) });
        assert!(sender.tcb().is_paced() && !users(Four::default()).tcb().is_paced());
        sender.on_supply(Time::ZERO, Supply::Endless);
        assert_eq!(sender.tcb().deadline(), sender.tcb().pace_deadline());
        sender.on_timeout(Time::ZERO + timeout);
        assert_eq!(sender.counts().timeouts, 1);
    }

    #[test]
    fn what_a_pacer_has_forgotten_keeps_the_timer_of_an_rfc_sender() {
        let parts = Parts { congestion: CongestionKind::TcpAp, recovery: RecoveryKind::NewReno };
        let config = TcpConfig { limited_transmit: false, ..TcpConfig::rfc() };
        let mut sender = Sender::new(&config, parts, 1000, 4, 0.0);
        let ms = |ms: u64| Time(ms * 1_000_000);
        sender.on_supply(ms(0), Supply::Endless);
        sender.on_timeout(ms(50));
        sender.on_ack(ms(60), &Ack::plain(0, ms(0)));
        sender.on_timeout(ms(100));
        assert_eq!(sent(&mut sender), [0, 1]);
        // 2 to 4 wait for their turns until three duplicates tell of a loss.
        (0..3).for_each(|_| sender.on_ack(ms(110), &Ack::plain(0, ms(0))));
        assert_eq!(sent(&mut sender), [1]);
        sender.on_ack(ms(200), &Ack::plain(1, ms(110)));
        assert_eq!((sent(&mut sender), sender.tcb().in_flight()), (vec![], 0));
        sender.on_timeout(sender.tcb().deadline().expect("a timer"));
        assert_eq!(sent(&mut sender), [2]);
    }

    #[test]
    fn nobody_acknowledges_what_was_not_sent() {
        let parts = Parts { congestion: CongestionKind::Reno, recovery: RecoveryKind::Reno };
        let mut sender = Sender::new(&TcpConfig::default(), parts, 1000, 20, 0.0);
        sender.on_supply(Time::ZERO, Supply::Endless);
        sender.on_ack(Time(1), &Ack::plain(1, Time::ZERO));
        assert_eq!(sender.tcb().snd_una, 0);
    }
}

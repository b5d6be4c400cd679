//! The sending end of a connection: the machine, and the recovery that works it.

use super::config::TcpConfig;
use super::congestion::{AckArrival, CongestionControl, CongestionKind, Controller};
use super::machine::{Machine, SenderCounts};
use super::recovery::{AnyRecovery, Recovery, RecoveryKind};
use super::turns::Turns;
use crate::app::Supply;
use crate::kernel::Time;
use crate::packet::{Ack, LinkEstimate, Segment};

/// A sender: acknowledgments, timeouts and supply in, segments out.
#[derive(Debug)]
pub struct Sender {
    machine: Machine,
    recovery: AnyRecovery,
    /// Which slots are used, if they are spaced out.
    turns: Option<Box<Turns>>,
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
            machine: Machine::new(config, parts.congestion, segment, window, phase),
            recovery: parts.recovery.build(config),
            turns: None,
        }
    }

    /// Takes a controller of the user's instead of the one it was made with. To be done before anything is sent.
    pub fn set_controller(&mut self, controller: Controller) {
        self.machine.set_control(controller);
    }

    /// Takes a recovery of the user's instead of the one it was made with. To be done before anything is sent.
    pub fn set_recovery(&mut self, recovery: AnyRecovery) {
        self.recovery = recovery;
    }

    /// From now on it sends only when it is asked; whether a timeout then doubles the next is `backs_off`. To be done
    /// before anything is sent.
    pub fn be_pulled(&mut self, backs_off: bool) {
        self.machine.rules.is_pulled = true;
        self.machine.rules.backs_off = backs_off;
    }

    /// From now on a slot is used at most once per interval of TCP-AP. To be done before anything is sent.
    pub fn space_slots(&mut self, turns: Turns) {
        self.turns = Some(Box::new(turns));
    }

    /// The node below has room for a segment. Whether one is sent.
    pub fn on_slot(&mut self, now: Time) -> bool {
        if self.turns.as_ref().is_some_and(|turns| !turns.is_open(now)) {
            return false;
        }
        self.machine.at(now);
        let has_sent = self.recovery.on_slot(&mut self.machine);
        if has_sent && let Some(turns) = &mut self.turns {
            turns.take(now);
        }
        has_sent
    }

    /// The application supplies more.
    pub fn on_supply(&mut self, now: Time, supply: Supply) {
        self.machine.at(now);
        self.machine.supply(match supply {
            Supply::Segments(count) => Some(count),
            Supply::Endless => None,
        });
        self.recovery.on_supply(&mut self.machine);
    }

    /// The application supplies nothing more.
    pub fn close(&mut self, now: Time) {
        self.machine.at(now);
        self.machine.close();
    }

    /// The application supplies so many bytes per second.
    pub fn on_demand(&mut self, rate: f64) {
        self.machine.control.on_demand(rate);
    }

    /// What is known of the links of the sender's node.
    pub fn on_link(&mut self, link: Option<LinkEstimate>) {
        self.machine.control.on_link(link);
    }

    /// An acknowledgment has come. One of what was never sent is ignored.
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        self.on_ack_over(now, ack, 0);
    }

    /// The same, if it is known over how many hops it has come.
    pub fn on_ack_over(&mut self, now: Time, ack: &Ack, hops: u16) {
        self.machine.at(now);
        if ack.cumulative < self.machine.snd_max {
            self.machine.on_arrival(ack, hops);
            if let Some(turns) = &mut self.turns {
                turns.on_arrival(&AckArrival { now, hops, packet: ack });
            }
            self.recovery.on_ack(&mut self.machine, ack);
        }
    }

    /// The time of [`Sender::deadline`] has come.
    pub fn on_timeout(&mut self, now: Time) {
        self.machine.at(now);
        if let Some(turns) = &mut self.turns {
            turns.on_deadline(now);
            // Whoever keeps the timers asks the source again.
            if self.machine.deadline().is_none_or(|at| at > now) {
                return;
            }
        }
        if self.machine.pace_deadline().is_some_and(|at| at <= now) {
            self.machine.pace();
            if self.machine.deadline().is_none_or(|at| at > now) {
                return;
            }
        }
        self.recovery.on_timeout(&mut self.machine);
    }

    /// When the retransmission timer ends, or a segment's turn comes. It moves at nearly every acknowledgment.
    #[inline]
    pub fn deadline(&self) -> Option<Time> {
        let turn = self.turns.as_ref().and_then(|turns| turns.deadline()).or(self.machine.pace_deadline());
        match (self.machine.deadline(), turn) {
            (Some(timer), Some(turn)) => Some(timer.min(turn)),
            (timer, turn) => timer.or(turn),
        }
    }

    /// Takes out the segments to be sent since the last call, in order, each with its bytes above the MAC if its
    /// headers have `header`.
    pub fn take_sent(&mut self, header: u32) -> impl Iterator<Item = (Segment, u32)> + '_ {
        self.machine.take_sent(header)
    }

    /// The congestion window, in segments; duplicates of a repair are not in it. That of the Linux sender is what it
    /// allows to be in flight while it halves its window.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.recovery.shown_cwnd(&self.machine)
    }

    /// The slow-start threshold, in segments.
    pub fn ssthresh(&self) -> f64 {
        self.machine.control.ssthresh()
    }

    /// Losses found so far.
    pub fn counts(&self) -> SenderCounts {
        self.machine.counts()
    }

    /// Whether a loss found by acknowledgments is being repaired.
    pub fn is_repairing(&self) -> bool {
        self.recovery.is_repairing()
    }

    /// Sequence, timer and round-trip time.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
}

#[cfg(test)]
mod tests {
    use super::super::congestion::Sending;
    use super::super::congestion::{Loss, NewAck};
    use super::super::machine::Meaning;
    use super::super::pacer::{PaceClock, PaceRules};
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
        fn on_ack(&mut self, machine: &mut Machine, ack: &Ack) {
            match machine.meaning(ack) {
                Meaning::New => {
                    machine.acknowledge(ack);
                }
                Meaning::Duplicate => machine.transmit(machine.snd_una),
                Meaning::Old => {}
            }
            machine.fill_window();
        }

        fn on_timeout(&mut self, machine: &mut Machine) {
            machine.time_out();
            machine.fill_window();
        }

        fn on_supply(&mut self, machine: &mut Machine) {
            machine.fill_window();
        }

        fn is_repairing(&self) -> bool {
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
        assert!(sender.machine().is_paced() && !users(Four::default()).machine().is_paced());
        sender.on_supply(Time::ZERO, Supply::Endless);
        assert_eq!(sender.machine().deadline(), sender.machine().pace_deadline());
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
        assert_eq!((sent(&mut sender), sender.machine().in_flight()), (vec![], 0));
        sender.on_timeout(sender.machine().deadline().expect("a timer"));
        assert_eq!(sent(&mut sender), [2]);
    }

    #[test]
    fn nobody_acknowledges_what_was_not_sent() {
        let parts = Parts { congestion: CongestionKind::Reno, recovery: RecoveryKind::Reno };
        let mut sender = Sender::new(&TcpConfig::default(), parts, 1000, 20, 0.0);
        sender.on_supply(Time::ZERO, Supply::Endless);
        sender.on_ack(Time(1), &Ack::plain(1, Time::ZERO));
        assert_eq!(sender.machine().snd_una, 0);
    }
}

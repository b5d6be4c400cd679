//! TCP Muzha's sender: the window follows the least level of the routers on the way.
//!
//! # Model
//! Each segment asks for the highest level, 5; routers lower it, acknowledgments bring it back. Once per round trip the
//! least level of the round moves the window: 5 doubles it, 4 adds a segment, 3 leaves it, 2 takes one, 1 halves it.
//! There is no slow start and no threshold. Two phases: congestion avoidance (CA), and fast retransmit and recovery (FF).
//! The third duplicate leads from CA to FF. If any of the three brings a level of 2 or less it is marked, and the loss
//! one of congestion: the window halves. Otherwise the loss is taken for one of the air, and the window stays. A full
//! acknowledgment leads back to CA, a timeout too, with one segment.
//! # Source
//! Lien and Hsiao, sections on DRAI, MRAI and the sender, Tables 1 and 3, Figure 1; what they leave open is filled as in
//! muzha.md section 4.
//! # Deviations
//! After a timeout the first round ends with the segment that is sent again, not with all that had been in flight, so
//! that the window doubles per round trip where the path allows. A round after a repair takes no level of the repair.
//! The triggering and the latest segment of an acknowledgment are the same here.
//! # Parameters
//! Table `[muzha]`.

use crate::kernel::Time;
use crate::packet::{
    Ack, Aggregate, Echo, EchoChoice, EchoRule, Feedback, MAX_LEVEL, MIN_LEVEL, MarkRule, MuzhaConfig, RoundRule, SegNo,
};
use crate::transport::congestion::control::{CongestionControl, HeaderBytes};
use crate::transport::congestion::event::{Loss, LossSignal, NewAck, Sending};
use crate::transport::congestion::setup::Setup;

/// TCP Muzha's sender.
#[derive(Clone, Debug)]
pub struct Muzha {
    config: MuzhaConfig,
    cwnd: f64,
    /// Largest window: the receiver's and the configured one.
    w_max: f64,
    phase: Phase,
    round: Round,
    duplicates: Duplicates,
    /// Highest segment acknowledged.
    acked: SegNo,
    /// Smoothed round-trip time, in seconds; 0 before the first sample.
    srtt: f64,
}

/// Phases of a session (Lien and Hsiao, Figure 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Congestion avoidance.
    Avoiding,
    /// Fast retransmit and fast recovery.
    Repairing,
}

/// What has come back since the last action on the window.
#[derive(Clone, Copy, Debug)]
struct Round {
    /// Acknowledgments per level, from 1.
    counts: [u32; MAX_LEVEL as usize],
    last: Option<u8>,
    /// The segment whose acknowledgment ends it.
    end: SegNo,
    /// Whether what is sent now still belongs to it.
    is_filling: bool,
    began: Time,
}

/// Duplicates in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Duplicates {
    count: u32,
    marked: u32,
    is_last_marked: bool,
}

/// Weight of a new round-trip time (RFC 6298).
const RTT_GAIN: f64 = 1.0 / 8.0;

impl Muzha {
    /// Before the connection opens.
    pub fn new(_setup: &Setup, config: &MuzhaConfig) -> Muzha {
        Muzha {
            config: config.clone(),
            cwnd: 1.0,
            w_max: config.w_max.map_or(f64::INFINITY, f64::from),
            phase: Phase::Avoiding,
            round: Round::from(-1, Time::ZERO),
            duplicates: Duplicates::default(),
            acked: -1,
            srtt: 0.0,
        }
    }

    fn clamp(&self, window: f64) -> f64 {
        window.min(self.w_max).max(f64::from(self.config.w_min))
    }

    /// One of the five actions (Lien and Hsiao, Table 3).
    fn act(&mut self, level: u8) {
        let window = match level {
            1 if self.phase == Phase::Repairing => self.cwnd,
            1 => self.cwnd / 2.0,
            2 => self.cwnd - 1.0,
            4 => self.cwnd + 1.0,
            5 => self.cwnd * 2.0,
            _ => self.cwnd,
        };
        self.cwnd = self.clamp(window);
    }

    /// Takes the level of an acknowledgment in; if it ends the round, acts.
    fn follow(&mut self, ack: &NewAck<'_>) {
        self.round.take_in(level_of(ack.packet));
        if self.is_round_over(ack) {
            let level = self.round.level(self.config.aggregate);
            if let Some(level) = level {
                self.act(level);
            }
            self.begin_round(ack);
        }
    }

    fn is_round_over(&self, ack: &NewAck<'_>) -> bool {
        match self.config.round {
            RoundRule::Window => ack.acked >= self.round.end,
            RoundRule::Srtt => self.srtt > 0.0 && ack.now.since(self.round.began).secs() >= self.srtt,
        }
    }

    /// A round of what is in flight now and what this acknowledgment lets out.
    fn begin_round(&mut self, ack: &NewAck<'_>) {
        self.round = Round { is_filling: true, ..Round::from(ack.snd_nxt - 1, ack.now) };
    }

    fn on_any_ack(&mut self, ack: &NewAck<'_>) {
        self.acked = ack.acked;
        self.round.is_filling = false;
        if let Some(rtt) = ack.rtt {
            let sample = rtt.secs();
            self.srtt = if self.srtt == 0.0 { sample } else { self.srtt + RTT_GAIN * (sample - self.srtt) };
        }
    }

    fn is_loss_marked(&self) -> bool {
        let Duplicates { count, marked, is_last_marked } = self.duplicates;
        match self.config.mark_rule {
            MarkRule::Any => marked > 0,
            MarkRule::Last => is_last_marked,
            MarkRule::All => marked == count,
        }
    }
}

impl CongestionControl for Muzha {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn on_ack(&mut self, ack: &NewAck<'_>) {
        self.on_any_ack(ack);
        self.duplicates = Duplicates::default();
        let was_repairing = std::mem::replace(&mut self.phase, Phase::Avoiding) == Phase::Repairing;
        if ack.acked == 0 {
            self.cwnd = self.clamp(f64::from(self.config.initial_window));
            self.begin_round(ack);
        } else if was_repairing && !self.config.adjust_in_ff {
            self.begin_round(ack);
        } else {
            self.follow(ack);
        }
    }

    fn on_repair_ack(&mut self, ack: &NewAck<'_>) {
        self.on_any_ack(ack);
        if self.config.adjust_in_ff {
            self.follow(ack);
        }
    }

    fn on_dup_ack(&mut self, _now: Time, ack: &Ack) {
        self.round.is_filling = false;
        let is_marked = level_of(ack).is_some_and(|level| level <= self.config.mark_level);
        self.duplicates.count += 1;
        self.duplicates.marked += u32::from(is_marked);
        self.duplicates.is_last_marked = is_marked;
    }

    fn on_loss(&mut self, loss: &Loss) {
        match loss.sign {
            LossSignal::DupAcks => {
                if self.is_loss_marked() {
                    self.cwnd = self.clamp(self.cwnd / 2.0);
                }
                self.phase = Phase::Repairing;
            }
            LossSignal::Timeout => {
                self.cwnd = 1.0;
                self.phase = Phase::Avoiding;
                self.duplicates = Duplicates::default();
                self.round = Round::from(self.acked + 1, loss.now);
            }
        }
    }

    fn on_opening_lost(&mut self) {
        self.config.initial_window = 1;
    }

    fn on_idle(&mut self, restart: f64) {
        if self.config.restart_idle {
            self.cwnd = self.cwnd.min(restart);
        }
    }

    fn set_cwnd(&mut self, cwnd: f64) {
        self.cwnd = cwnd;
    }

    fn stamp(&mut self, sending: &Sending) -> Feedback {
        self.w_max = f64::from(self.config.w_max.map_or(sending.window, |own| own.min(sending.window)));
        if self.round.is_filling {
            self.round.end = self.round.end.max(sending.seq);
        }
        Feedback::Mrai(MAX_LEVEL)
    }

    fn header_bytes(&self) -> HeaderBytes {
        let MuzhaConfig { option_bytes, echo_bytes, ack_path, .. } = self.config;
        let own_option = if ack_path { option_bytes.0 } else { 0 };
        HeaderBytes { segment: option_bytes.0, ack: echo_bytes.0 + own_option }
    }

    fn echo_rule(&self) -> EchoRule {
        match self.config.echo {
            EchoChoice::Triggering => EchoRule::Latest,
            EchoChoice::MinSinceLastAck => EchoRule::Least,
        }
    }
}

impl Round {
    fn from(end: SegNo, began: Time) -> Round {
        Round { counts: [0; MAX_LEVEL as usize], last: None, end, is_filling: false, began }
    }

    fn take_in(&mut self, level: Option<u8>) {
        if let Some(level) = level {
            self.counts[usize::from(level - MIN_LEVEL)] += 1;
            self.last = Some(level);
        }
    }

    /// The level that decides; none if no acknowledgment brought one.
    fn level(&self, rule: Aggregate) -> Option<u8> {
        let mut levels = (MIN_LEVEL..=MAX_LEVEL).zip(self.counts).filter(|(_, count)| *count > 0);
        match rule {
            Aggregate::Min => levels.next().map(|(level, _)| level),
            Aggregate::Last => self.last,
            Aggregate::Majority => levels.rev().max_by_key(|(_, count)| *count).map(|(level, _)| level),
        }
    }
}

/// The level that an acknowledgment carries; one beyond the five is the nearest of them.
fn level_of(ack: &Ack) -> Option<u8> {
    match ack.feedback {
        Echo::Mrai(level) => Some(level.clamp(MIN_LEVEL, MAX_LEVEL)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::TcpConfig;
    use crate::transport::congestion::testing::{ack, loss};

    fn sender(config: &MuzhaConfig) -> Muzha {
        let mut muzha = Muzha::new(&Setup::new(&TcpConfig::default(), 1460), config);
        send(&mut muzha, 0..1);
        muzha.on_ack(&new(&with(0, 5), 1));
        muzha
    }

    fn with(cumulative: SegNo, level: u8) -> Ack {
        Ack { feedback: Echo::Mrai(level), ..Ack::plain(cumulative, Time::ZERO) }
    }

    /// An acknowledgment, with `snd_nxt` as it was before.
    fn new(packet: &Ack, snd_nxt: SegNo) -> NewAck<'_> {
        let in_flight = (snd_nxt - packet.cumulative - 1) as u32;
        NewAck { snd_nxt, ..ack(packet, in_flight) }
    }

    fn send(muzha: &mut Muzha, segments: std::ops::Range<SegNo>) {
        for seq in segments {
            let sending =
                Sending { now: Time::ZERO, seq, payload: 1460, is_retransmission: false, window: 20, in_flight: 0 };
            assert_eq!(muzha.stamp(&sending), Feedback::Mrai(5));
        }
    }

    /// A whole round with one level each: every segment of the window is acknowledged, and the next window sent.
    struct Path {
        muzha: Muzha,
        acked: SegNo,
        snd_nxt: SegNo,
    }

    impl Path {
        fn new(config: &MuzhaConfig) -> Path {
            let mut path = Path { muzha: sender(config), acked: 0, snd_nxt: 1 };
            path.fill();
            path
        }

        fn fill(&mut self) {
            let until = (self.acked + 1 + self.muzha.cwnd() as SegNo).max(self.snd_nxt);
            send(&mut self.muzha, self.snd_nxt..until);
            self.snd_nxt = until;
        }

        fn ack(&mut self, level: u8) {
            self.acked += 1;
            self.muzha.on_ack(&new(&with(self.acked, level), self.snd_nxt));
            self.fill();
        }

        fn round(&mut self, level: u8) -> f64 {
            for _ in self.acked + 1..self.snd_nxt {
                self.ack(level);
            }
            self.muzha.cwnd()
        }
    }

    #[test]
    fn five_actions_in_their_rounds() {
        // muzha.md T1, and T2 at the ends of the range.
        let mut path = Path::new(&MuzhaConfig::default());
        assert_eq!([5, 5, 4, 3, 2, 1].map(|level| path.round(level)), [2.0, 4.0, 5.0, 5.0, 4.0, 2.0]);
        assert_eq!([1, 1, 2].map(|level| path.round(level)), [1.0, 1.0, 1.0]);
        assert_eq!([5, 5, 5, 5, 5, 5].map(|level| path.round(level)), [2.0, 4.0, 8.0, 16.0, 20.0, 20.0]);
        assert_eq!([0, 9].map(|level| path.round(level)), [10.0, 20.0], "levels beyond the five are the nearest");
        let mut path =
            Path::new(&MuzhaConfig { w_max: Some(6), w_min: 2, initial_window: 3, ..MuzhaConfig::default() });
        assert_eq!([5, 5, 1, 1, 1].map(|level| path.round(level)), [6.0, 6.0, 3.0, 2.0, 2.0]);
    }

    #[test]
    fn one_action_per_window_of_data() {
        // T9: the second acknowledgment of a window brings the same level, and nothing happens.
        let mut path = Path::new(&MuzhaConfig::default());
        path.round(5);
        path.round(5);
        path.ack(5);
        assert_eq!(path.muzha.cwnd(), 4.0);
        for _ in 0..3 {
            path.ack(5);
        }
        assert_eq!(path.muzha.cwnd(), 8.0);
    }

    #[test]
    fn a_rounds_level_by_rule() {
        let after = |aggregate| {
            let mut path = Path::new(&MuzhaConfig { aggregate, initial_window: 8, ..MuzhaConfig::default() });
            for level in [4, 4, 2, 4, 5, 5, 2, 5] {
                path.ack(level);
            }
            path.muzha.cwnd()
        };
        assert_eq!((after(Aggregate::Min), after(Aggregate::Last)), (7.0, 16.0));
        assert_eq!(after(Aggregate::Majority), 9.0, "three fours, three fives: the lower");
    }

    #[test]
    fn rounds_of_a_round_trip_time() {
        let mut muzha = sender(&MuzhaConfig { round: RoundRule::Srtt, ..MuzhaConfig::default() });
        let mut at = |ms: u64, rtt: Option<u64>| {
            let packet = with(1, 4);
            let rtt = rtt.map(crate::kernel::Span::from_millis);
            muzha.on_ack(&NewAck { now: Time(ms * 1_000_000), rtt, ..new(&packet, 5) });
            muzha.cwnd()
        };
        assert_eq!(at(50, None), 1.0, "no sample yet");
        assert_eq!(at(100, Some(100)), 2.0);
        assert_eq!(at(190, None), 2.0);
        assert_eq!(at(200, None), 3.0);
    }

    fn lose(config: &MuzhaConfig, levels: [u8; 3]) -> Muzha {
        let mut muzha = sender(config);
        send(&mut muzha, 1..20);
        muzha.cwnd = 8.0;
        for level in levels {
            muzha.on_dup_ack(Time::ZERO, &with(0, level));
        }
        muzha.on_loss(&loss(LossSignal::DupAcks, 8.0, 8));
        muzha
    }

    #[test]
    fn only_marked_losses_halve() {
        // T3 and T4.
        let rule = |mark_rule, levels| lose(&MuzhaConfig { mark_rule, ..MuzhaConfig::default() }, levels).cwnd();
        assert_eq!(rule(MarkRule::Any, [3, 3, 3]), 8.0);
        assert_eq!((rule(MarkRule::Any, [3, 2, 3]), rule(MarkRule::All, [3, 2, 3])), (4.0, 8.0));
        assert_eq!((rule(MarkRule::Last, [1, 1, 3]), rule(MarkRule::Last, [3, 3, 2])), (8.0, 4.0));
        assert_eq!(rule(MarkRule::All, [1, 2, 2]), 4.0);
        let strict = MuzhaConfig { mark_level: 1, ..MuzhaConfig::default() };
        assert_eq!((lose(&strict, [2, 2, 2]).cwnd(), lose(&strict, [5, 5, 1]).cwnd()), (8.0, 4.0));
    }

    #[test]
    fn levels_rest_during_a_repair() {
        let mut muzha = lose(&MuzhaConfig::default(), [3, 3, 3]);
        for seq in 1..9 {
            muzha.on_repair_ack(&new(&with(seq, 1), 20));
        }
        assert_eq!((muzha.cwnd(), muzha.phase), (8.0, Phase::Repairing));
        muzha.on_ack(&new(&with(19, 1), 20));
        assert_eq!((muzha.cwnd(), muzha.phase), (8.0, Phase::Avoiding), "leaving does not move it either");
        send(&mut muzha, 20..28);
        muzha.on_ack(&new(&with(27, 4), 28));
        assert_eq!(muzha.cwnd(), 9.0);
        let mut muzha = lose(&MuzhaConfig { adjust_in_ff: true, ..MuzhaConfig::default() }, [3, 3, 3]);
        muzha.on_repair_ack(&new(&with(19, 2), 20));
        assert_eq!(muzha.cwnd(), 7.0);
        muzha.on_repair_ack(&new(&with(20, 1), 21));
        assert_eq!(muzha.cwnd(), 7.0, "no halving during a repair");
    }

    #[test]
    fn a_timeout_starts_again_with_one_segment() {
        // T5: in a repair with a window of 8; then a round of level 5.
        let mut muzha = lose(&MuzhaConfig::default(), [3, 3, 3]);
        muzha.on_loss(&loss(LossSignal::Timeout, 8.0, 8));
        assert_eq!((muzha.cwnd(), muzha.phase), (1.0, Phase::Avoiding));
        muzha.on_ack(&new(&with(1, 5), 2));
        assert_eq!(muzha.cwnd(), 2.0);
    }

    #[test]
    fn idle_senders_keep_their_window_unless_told() {
        let mut muzha = lose(&MuzhaConfig::default(), [3, 3, 3]);
        muzha.on_idle(1.0);
        assert_eq!(muzha.cwnd(), 8.0);
        let mut muzha = lose(&MuzhaConfig { restart_idle: true, ..MuzhaConfig::default() }, [3, 3, 3]);
        muzha.on_idle(1.0);
        assert_eq!(muzha.cwnd(), 1.0);
        muzha.cwnd = 8.0;
        muzha.set_cwnd(1.0);
        assert_eq!(muzha.cwnd(), 1.0, "as recovery does when the timer ends with nothing in flight");
    }

    #[test]
    fn bytes_of_both_options() {
        let bytes = |config: &MuzhaConfig| {
            let HeaderBytes { segment, ack } = sender(config).header_bytes();
            (segment, ack)
        };
        assert_eq!(bytes(&MuzhaConfig::default()), (4, 4));
        assert_eq!(bytes(&MuzhaConfig { ack_path: true, ..MuzhaConfig::default() }), (4, 8));
    }

    #[test]
    fn a_lost_opening_costs_the_initial_window() {
        let config = MuzhaConfig { initial_window: 3, ..MuzhaConfig::default() };
        let mut muzha = Muzha::new(&Setup::new(&TcpConfig::default(), 1460), &config);
        send(&mut muzha, 0..1);
        muzha.on_opening_lost();
        muzha.on_ack(&new(&with(0, 5), 1));
        assert_eq!((muzha.cwnd(), sender(&config).cwnd()), (1.0, 3.0));
    }
}

//! Rounds, losses and phases of TCP Muzha's sender, after the tests of docs/specs/muzha.md.

use super::*;
use crate::packet::explicit::Aggregate;
use crate::transport::TcpConfig;
use crate::transport::congestion::testing::{ack, loss};

fn sender(config: &MuzhaConfig) -> Muzha {
    let mut muzha = Muzha::new(&TcpConfig::default().setup(1460), config);
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

/// A path whose routers set one level per round: each acknowledges a window and sends the next.
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
fn level_selects_one_of_five_actions() {
    // docs/specs/muzha.md section 9, T1, and T2 at the ends of the range.
    let mut path = Path::new(&MuzhaConfig::default());
    assert_eq!([5, 5, 4, 3, 2, 1].map(|level| path.round(level)), [2.0, 4.0, 5.0, 5.0, 4.0, 2.0]);
    assert_eq!([1, 1, 2].map(|level| path.round(level)), [1.0, 1.0, 1.0]);
    assert_eq!([5, 5, 5, 5, 5, 5].map(|level| path.round(level)), [2.0, 4.0, 8.0, 16.0, 20.0, 20.0]);
    assert_eq!([0, 9].map(|level| path.round(level)), [10.0, 20.0], "levels beyond the five are the nearest");
    let mut path = Path::new(&MuzhaConfig { w_max: Some(6), w_min: 2, initial_window: 3, ..MuzhaConfig::default() });
    assert_eq!([5, 5, 1, 1, 1].map(|level| path.round(level)), [6.0, 6.0, 3.0, 2.0, 2.0]);
}

#[test]
fn window_moves_once_per_window_of_data() {
    // T9: the second acknowledgment of a window carries the same level, and has no effect.
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
fn aggregate_selects_the_level_of_a_round() {
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
fn round_may_last_a_smoothed_rtt() {
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
fn only_marked_loss_halves_the_window() {
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
fn levels_do_not_act_during_recovery() {
    let mut muzha = lose(&MuzhaConfig::default(), [3, 3, 3]);
    for seq in 1..9 {
        muzha.on_recovery_ack(&new(&with(seq, 1), 20));
    }
    assert_eq!((muzha.cwnd(), muzha.phase), (8.0, Phase::Recovery));
    muzha.on_ack(&new(&with(19, 1), 20));
    assert_eq!((muzha.cwnd(), muzha.phase), (8.0, Phase::Avoidance), "the exit does not move it either");
    send(&mut muzha, 20..28);
    muzha.on_ack(&new(&with(27, 4), 28));
    assert_eq!(muzha.cwnd(), 9.0);
    let mut muzha = lose(&MuzhaConfig { adjust_in_ff: true, ..MuzhaConfig::default() }, [3, 3, 3]);
    muzha.on_recovery_ack(&new(&with(19, 2), 20));
    assert_eq!(muzha.cwnd(), 7.0);
    muzha.on_recovery_ack(&new(&with(20, 1), 21));
    assert_eq!(muzha.cwnd(), 7.0, "no halving during recovery");
}

#[test]
fn timeout_restarts_with_one_segment() {
    // T5: in recovery with a window of 8; then a round of level 5.
    let mut muzha = lose(&MuzhaConfig::default(), [3, 3, 3]);
    muzha.on_loss(&loss(LossSignal::Timeout, 8.0, 8));
    assert_eq!((muzha.cwnd(), muzha.phase), (1.0, Phase::Avoidance));
    muzha.on_ack(&new(&with(1, 5), 2));
    assert_eq!(muzha.cwnd(), 2.0);
}

#[test]
fn idle_sender_keeps_its_window_by_default() {
    let mut muzha = lose(&MuzhaConfig::default(), [3, 3, 3]);
    muzha.on_idle(1.0);
    assert_eq!(muzha.cwnd(), 8.0);
    let mut muzha = lose(&MuzhaConfig { restart_idle: true, ..MuzhaConfig::default() }, [3, 3, 3]);
    muzha.on_idle(1.0);
    assert_eq!(muzha.cwnd(), 1.0);
    muzha.cwnd = 8.0;
    muzha.set_cwnd(1.0);
    assert_eq!(muzha.cwnd(), 1.0, "as recovery does at a timeout with nothing in flight");
}

#[test]
fn header_bytes_include_both_options() {
    let bytes = |config: &MuzhaConfig| {
        let HeaderBytes { segment, ack } = sender(config).needs().feedback.expect("explicit feedback").header_bytes;
        (segment, ack)
    };
    assert_eq!(bytes(&MuzhaConfig::default()), (4, 4));
    assert_eq!(bytes(&MuzhaConfig { ack_path: true, ..MuzhaConfig::default() }), (4, 8));
}

#[test]
fn lost_syn_leaves_an_initial_window_of_one() {
    let config = MuzhaConfig { initial_window: 3, ..MuzhaConfig::default() };
    let mut muzha = Muzha::new(&TcpConfig::default().setup(1460), &config);
    send(&mut muzha, 0..1);
    muzha.on_loss(&Loss { is_syn: true, ..loss(LossSignal::Timeout, 1.0, 1) });
    muzha.on_ack(&new(&with(0, 5), 1));
    assert_eq!((muzha.cwnd(), sender(&config).cwnd()), (1.0, 3.0));
}

//! The tcb of Linux as ns-2 has it: losses found by SACK, the window halved at the pace of the acknowledgments.
//!
//! # Model
//! Three phases. *Open*: segments go out while fewer are in flight than the window; in flight are those sent, less those
//! reported and those held for lost ([`board`]). A segment found lost begins a *repair*: the controller is asked once, and
//! sends may go on up to a limit that starts at the old window and comes down by one per segment sent. *Loss* follows a
//! timeout: everything not reported is lost, the window grows from one segment. Both end when all that was sent at their
//! beginning is acknowledged; the window then rises to `ssthresh`, but at most three segments beyond what is in flight.
//! Every acknowledgment that is not old measures the round-trip time and restarts the timer.
//!
//! # Source
//! `Agent/TCP/Linux` of ns-2.35 (`tcp/tcp-linux.cc`, `tcp/scoreboard1.cc`), after Linux 2.6.22.
//!
//! # Deviations
//! None known from that. As there, the receiver's limit bounds the controllers' windows only, so that reported segments
//! do not count in it; a repair may begin within the phase of loss; duplicates mean nothing without SACK.

mod fack_scoreboard;

use super::Recovery;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::{CongestionControl, LossSignal};
use crate::transport::tcb::{AckKind, Tcb};
use fack_scoreboard::FackScoreboard;

/// Recovery of the Linux sender.
#[derive(Clone, Debug, Default)]
pub struct Linux {
    phase: Phase,
    board: FackScoreboard,
    /// Segments that may be in flight while the window is being halved.
    allowed: SegNo,
    /// The window as ns-2's agent shows it: at least what is allowed at the end of the last event.
    shown: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Open,
    Repair,
    Loss,
}

impl Linux {
    fn in_flight(&self, tcb: &Tcb) -> SegNo {
        tcb.snd_nxt - tcb.snd_una - self.board.out_of_network()
    }

    fn alert(&mut self, tcb: &mut Tcb, has_lost: bool) {
        if self.phase != Phase::Open && tcb.acked() >= tcb.recover {
            self.board.clear();
            let (cwnd, ssthresh) = (tcb.control.cwnd(), tcb.control.ssthresh());
            let most = (self.in_flight(tcb) + MAX_BURST) as f64;
            tcb.control.on_repaired(if cwnd < ssthresh { ssthresh.min(most) } else { cwnd });
            self.phase = Phase::Open;
            self.allowed = 0;
        } else if self.phase != Phase::Repair && has_lost {
            self.allowed = tcb.whole_cwnd();
            tcb.note_fast_retransmit();
            let loss = tcb.loss(LossSignal::DupAcks);
            tcb.control.on_loss(&loss);
            self.phase = Phase::Repair;
        }
    }

    fn show(&mut self, tcb: &Tcb) {
        let cwnd = tcb.whole_cwnd();
        self.shown = Some(if self.allowed > cwnd { self.allowed as f64 } else { tcb.control.cwnd() });
    }

    fn send(&mut self, tcb: &mut Tcb) {
        self.allowed = self.allowed.min(self.in_flight(tcb) + 1);
        // Linux' own controllers stay within the receiver's limit; one that knows no such limit, as XCP's or one of the
        // user's, is held to it here (`TcpAgent::window` of ns-2).
        let limit = SegNo::from(tcb.rules.window);
        while self.in_flight(tcb) < tcb.whole_cwnd().min(limit).max(self.allowed) {
            if let Some(lost) = self.board.next_lost() {
                self.board.mark_resent(lost, tcb.snd_nxt);
                tcb.transmit(lost);
            } else if !tcb.send_new() {
                return;
            }
            self.allowed = self.allowed.min((self.in_flight(tcb) - 1).max(1));
        }
    }
}

impl Recovery for Linux {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        let meaning = tcb.meaning(ack);
        if meaning == AckKind::Old {
            return;
        }
        let was_full = self.in_flight(tcb) >= tcb.whole_cwnd();
        if meaning == AckKind::New {
            let sent_at = tcb.log.sendings(ack.cumulative).last;
            let mut new = tcb.advance(ack);
            let news = self.board.update(tcb.snd_una, ack);
            tcb.measure(ack);
            tcb.restart_timer();
            new.rtt = sent_at.filter(|_| !news.is_ambiguous).map(|at| tcb.now().since(at));
            new.srtt = tcb.rtt.srtt();
            new.was_full = was_full;
            new.has_news = news.has_reported;
            if self.phase == Phase::Repair {
                tcb.control.on_repair_ack(&new);
            } else {
                tcb.control.on_ack(&new);
            }
            if news.has_reported || self.phase != Phase::Open {
                self.alert(tcb, news.has_lost);
            }
        } else {
            let news = self.board.update(tcb.snd_una, ack);
            tcb.measure(ack);
            tcb.restart_timer();
            tcb.control.on_dup_ack(tcb.now(), ack);
            self.alert(tcb, news.has_lost);
        }
        self.show(tcb);
        self.send(tcb);
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        if tcb.snd_una == tcb.snd_max {
            // Nothing is in flight: the timer ran on all the same.
            tcb.control.set_cwnd(tcb.rules.initial_window);
        } else {
            tcb.count_timeout();
            self.phase = Phase::Loss;
            self.board.lose_all(tcb.snd_una, tcb.snd_nxt);
            tcb.rtt.back_off();
        }
        tcb.restart_timer();
        tcb.cancel_timing();
        self.allowed = 0;
        self.show(tcb);
        self.send(tcb);
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        self.send(tcb);
    }

    fn in_recovery(&self) -> bool {
        self.phase == Phase::Repair
    }

    fn shown_cwnd(&self, tcb: &Tcb) -> f64 {
        self.shown.unwrap_or_else(|| tcb.control.cwnd())
    }
}

/// Segments that the end of a repair may add to what is in flight (`tcp_max_burst`).
const MAX_BURST: SegNo = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::transport::{CongestionKind, TcpConfig};

    fn tcb(congestion: CongestionKind, ssthresh: u32) -> Tcb {
        let config = TcpConfig { initial_ssthresh: Some(ssthresh), ..TcpConfig::ns2_linux() };
        Tcb::new(&config, congestion, 1000, 64, 0.0)
    }

    #[test]
    fn a_window_that_has_come_down_to_ssthresh_is_kept_at_the_end() {
        // `tcp_fastretrans_alert` of tcp-linux.cc; nothing is in flight.
        for (cwnd, left) in [(7.0, 3.0), (8.0, 8.0), (9.0, 9.0)] {
            let mut tcb = tcb(CongestionKind::LinuxReno, 8);
            tcb.control.set_cwnd(cwnd);
            tcb.recover = tcb.acked();
            let mut linux = Linux { phase: Phase::Repair, ..Linux::default() };
            linux.alert(&mut tcb, false);
            assert_eq!((tcb.control.cwnd().to_bits(), linux.phase), (f64::to_bits(left), Phase::Open), "{cwnd}");
        }
    }

    #[test]
    fn the_window_is_shown_unless_more_is_allowed() {
        for (allowed, shown) in [(4, 5.5), (5, 5.5), (6, 6.0)] {
            let mut tcb = tcb(CongestionKind::Reno, 8);
            tcb.control.set_cwnd(5.5);
            let mut linux = Linux { allowed, ..Linux::default() };
            linux.show(&tcb);
            assert_eq!(linux.shown_cwnd(&tcb).to_bits(), f64::to_bits(shown), "{allowed} allowed");
        }
    }

    #[test]
    fn a_repair_lasts_until_all_that_was_sent_before_has_arrived() {
        let mut tcb = tcb(CongestionKind::LinuxReno, 20);
        let mut linux = Linux::default();
        tcb.control.set_cwnd(10.0);
        tcb.supply(None);
        linux.on_supply(&mut tcb);
        for (cumulative, block, in_recovery) in [(0, None, false), (0, Some((2, 5)), false), (0, Some((2, 6)), true)] {
            let mut ack = Ack::plain(cumulative, Time::ZERO);
            (ack.blocks[0], ack.block_count) = (block.unwrap_or_default(), u8::from(block.is_some()));
            linux.on_ack(&mut tcb, &ack);
            assert_eq!(linux.in_recovery(), in_recovery, "after {block:?}");
        }
        let all = Ack::plain(tcb.recover, Time::ZERO);
        linux.on_ack(&mut tcb, &all);
        assert!(!linux.in_recovery());
        linux.on_timeout(&mut tcb);
        assert!(linux.phase == Phase::Loss && !linux.in_recovery(), "no acknowledgment told of this loss");
    }
}

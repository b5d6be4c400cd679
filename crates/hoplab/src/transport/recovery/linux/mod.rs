//! Recovery of Linux as ns-2 has it: losses detected by SACK, the window halved at the pace of the acknowledgments.
//!
//! # Model
//! Three phases. *Open*: segments are sent while fewer are in flight than the window; in flight are those sent, less
//! those reported and those taken for lost ([`fack_scoreboard`]). A lost segment starts *recovery*: the congestion
//! control is called once, and sending continues up to a limit that starts at the old window and falls by one per
//! segment sent. *Loss* follows a timeout: everything not reported is lost, the window grows from one segment. Both end
//! when all that was sent at their beginning is acknowledged; the window then rises to `ssthresh`, but at most three
//! segments beyond what is in flight. Every acknowledgment that is not old samples the round-trip time and restarts the
//! timer.
//!
//! # Source
//! `Agent/TCP/Linux` of ns-2.35 (`tcp/tcp-linux.cc`, `tcp/scoreboard1.cc`), after Linux 2.6.22.
//!
//! # Deviations
//! None known from that. As there, rwnd bounds the controllers' windows only, so that reported segments
//! do not count in it; recovery may start within the loss phase; duplicates without SACK blocks are ignored.
//!
//! # Parameters
//! `tcp.sack_blocks`.

mod fack_scoreboard;

use crate::packet::{Ack, SegNo};
use crate::transport::config::TcpConfig;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::LossSignal;
use crate::transport::recovery::method::Recovery;
use crate::transport::tcb::{AckKind, Tcb};
use fack_scoreboard::FackScoreboard;

/// Recovery of the Linux sender.
#[derive(Clone, Debug, Default)]
pub struct Linux {
    phase: Phase,
    board: FackScoreboard,
    /// Segments that may be in flight while the window is being halved.
    allowed: SegNo,
    /// The window as ns-2's agent shows it: at least the send limit at the end of the last event.
    shown: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Open,
    Recovery,
    Loss,
}

impl Linux {
    /// Before the connection is established.
    pub fn new(_config: &TcpConfig) -> Linux {
        Linux::default()
    }

    fn in_flight(&self, tcb: &Tcb) -> SegNo {
        tcb.snd_nxt - tcb.snd_una - self.board.out_of_network()
    }

    fn alert(&mut self, tcb: &mut Tcb, has_lost: bool) {
        if self.phase != Phase::Open && tcb.acked() >= tcb.recover {
            self.board.clear();
            let (cwnd, ssthresh) = (tcb.control.cwnd(), tcb.control.ssthresh());
            let most = (self.in_flight(tcb) + MAX_BURST) as f64;
            tcb.control.on_recovery_exit(if cwnd < ssthresh { ssthresh.min(most) } else { cwnd });
            self.phase = Phase::Open;
            self.allowed = 0;
        } else if self.phase != Phase::Recovery && has_lost {
            self.allowed = tcb.whole_cwnd();
            tcb.count_fast_retransmit();
            let loss = tcb.loss(LossSignal::DupAcks);
            tcb.control.on_loss(&loss);
            self.phase = Phase::Recovery;
        }
    }

    fn show(&mut self, tcb: &Tcb) {
        let cwnd = tcb.whole_cwnd();
        self.shown = Some(if self.allowed > cwnd { self.allowed as f64 } else { tcb.control.cwnd() });
    }

    fn send(&mut self, tcb: &mut Tcb) {
        self.allowed = self.allowed.min(self.in_flight(tcb) + 1);
        // Linux's own controllers stay within rwnd; one that ignores it, as XCP or a user's own, is limited here
        // (`TcpAgent::window` of ns-2).
        let limit = SegNo::from(tcb.rules.window);
        while self.in_flight(tcb) < tcb.whole_cwnd().min(limit).max(self.allowed) {
            if let Some(lost) = self.board.next_lost() {
                self.board.mark_retransmitted(lost, tcb.snd_nxt);
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
        let kind = tcb.kind_of(ack);
        if kind == AckKind::Old {
            return;
        }
        let is_cwnd_limited = self.in_flight(tcb) >= tcb.whole_cwnd();
        if kind == AckKind::New {
            let sent_at = tcb.log.history(ack.cumulative).last;
            let mut new = tcb.advance(ack);
            let news = self.board.update(tcb.snd_una, ack);
            tcb.sample_rtt(ack);
            tcb.restart_timer();
            new.rtt = sent_at.filter(|_| !news.is_ambiguous).map(|at| tcb.now().since(at));
            new.srtt = tcb.rtt.srtt();
            new.is_cwnd_limited = is_cwnd_limited;
            new.has_new_sacks = news.has_reported;
            if self.phase == Phase::Recovery {
                tcb.control.on_recovery_ack(&new);
            } else {
                tcb.control.on_ack(&new);
            }
            if news.has_reported || self.phase != Phase::Open {
                self.alert(tcb, news.has_lost);
            }
        } else {
            let news = self.board.update(tcb.snd_una, ack);
            tcb.sample_rtt(ack);
            tcb.restart_timer();
            tcb.control.on_dup_ack(tcb.now(), ack);
            self.alert(tcb, news.has_lost);
        }
        self.show(tcb);
        self.send(tcb);
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        if tcb.snd_una == tcb.snd_max {
            // Nothing is in flight, but ns-2's timer continues.
            tcb.control.set_cwnd(tcb.rules.initial_window);
        } else {
            tcb.count_timeout();
            self.phase = Phase::Loss;
            self.board.lose_all(tcb.snd_una, tcb.snd_nxt);
            tcb.rtt.back_off();
        }
        tcb.restart_timer();
        tcb.cancel_timed();
        self.allowed = 0;
        self.show(tcb);
        self.send(tcb);
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        self.send(tcb);
    }

    fn in_recovery(&self) -> bool {
        self.phase == Phase::Recovery
    }

    fn shown_cwnd(&self, tcb: &Tcb) -> f64 {
        self.shown.unwrap_or_else(|| tcb.control.cwnd())
    }
}

/// Segments that the end of recovery may add to what is in flight (`tcp_max_burst`).
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
    fn window_at_or_above_ssthresh_is_kept_at_recovery_exit() {
        // `tcp_fastretrans_alert` of tcp-linux.cc; nothing is in flight.
        for (cwnd, left) in [(7.0, 3.0), (8.0, 8.0), (9.0, 9.0)] {
            let mut tcb = tcb(CongestionKind::LinuxReno, 8);
            tcb.control.set_cwnd(cwnd);
            tcb.recover = tcb.acked();
            let mut linux = Linux { phase: Phase::Recovery, ..Linux::default() };
            linux.alert(&mut tcb, false);
            assert_eq!((tcb.control.cwnd().to_bits(), linux.phase), (f64::to_bits(left), Phase::Open), "{cwnd}");
        }
    }

    #[test]
    fn shown_window_is_at_least_what_is_allowed() {
        for (allowed, shown) in [(4, 5.5), (5, 5.5), (6, 6.0)] {
            let mut tcb = tcb(CongestionKind::Reno, 8);
            tcb.control.set_cwnd(5.5);
            let mut linux = Linux { allowed, ..Linux::default() };
            linux.show(&tcb);
            assert_eq!(linux.shown_cwnd(&tcb).to_bits(), f64::to_bits(shown), "{allowed} allowed");
        }
    }

    #[test]
    fn recovery_lasts_until_all_sent_before_is_acked() {
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
        assert!(linux.phase == Phase::Loss && !linux.in_recovery(), "no acknowledgment signaled this loss");
    }
}

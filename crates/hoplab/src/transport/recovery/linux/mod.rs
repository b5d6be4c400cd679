//! The machine of Linux as ns-2 has it: losses found by SACK, the window halved at the pace of the acknowledgments.
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

mod board;

use super::Recovery;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::{CongestionControl, LossSign};
use crate::transport::machine::{Machine, Meaning};
use board::Board;

/// Recovery of the Linux sender.
#[derive(Clone, Debug, Default)]
pub struct Linux {
    phase: Phase,
    board: Board,
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
    fn in_flight(&self, machine: &Machine) -> SegNo {
        machine.snd_nxt - machine.snd_una - self.board.out_of_network()
    }

    fn alert(&mut self, machine: &mut Machine, has_lost: bool) {
        if self.phase != Phase::Open && machine.acked() >= machine.recover {
            self.board.clear();
            let (cwnd, ssthresh) = (machine.control.cwnd(), machine.control.ssthresh());
            let most = (self.in_flight(machine) + MAX_BURST) as f64;
            machine.control.on_repaired(if cwnd < ssthresh { ssthresh.min(most) } else { cwnd });
            self.phase = Phase::Open;
            self.allowed = 0;
        } else if self.phase != Phase::Repair && has_lost {
            self.allowed = machine.whole_cwnd();
            machine.note_fast_retransmit();
            let loss = machine.loss(LossSign::Duplicates);
            machine.control.on_loss(&loss);
            self.phase = Phase::Repair;
        }
    }

    fn show(&mut self, machine: &Machine) {
        let cwnd = machine.whole_cwnd();
        self.shown = Some(if self.allowed > cwnd { self.allowed as f64 } else { machine.control.cwnd() });
    }

    fn send(&mut self, machine: &mut Machine) {
        self.allowed = self.allowed.min(self.in_flight(machine) + 1);
        // Linux' own controllers stay within the receiver's limit; one that knows no such limit, as XCP's or one of the
        // user's, is held to it here (`TcpAgent::window` of ns-2).
        let limit = SegNo::from(machine.rules.window);
        while self.in_flight(machine) < machine.whole_cwnd().min(limit).max(self.allowed) {
            if let Some(lost) = self.board.next_lost() {
                self.board.mark_resent(lost, machine.snd_nxt);
                machine.transmit(lost);
            } else if !machine.send_new() {
                return;
            }
            self.allowed = self.allowed.min((self.in_flight(machine) - 1).max(1));
        }
    }
}

impl Recovery for Linux {
    fn on_ack(&mut self, machine: &mut Machine, ack: &Ack) {
        let meaning = machine.meaning(ack);
        if meaning == Meaning::Old {
            return;
        }
        let was_full = self.in_flight(machine) >= machine.whole_cwnd();
        if meaning == Meaning::New {
            let sent_at = machine.log.sendings(ack.cumulative).last;
            let mut new = machine.advance(ack);
            let news = self.board.update(machine.snd_una, ack);
            machine.measure(ack);
            machine.restart_timer();
            new.rtt = sent_at.filter(|_| !news.is_ambiguous).map(|at| machine.now().since(at));
            new.srtt = machine.rtt.srtt();
            new.was_full = was_full;
            new.has_news = news.has_reported;
            if self.phase == Phase::Repair {
                machine.control.on_repair_ack(&new);
            } else {
                machine.control.on_ack(&new);
            }
            if news.has_reported || self.phase != Phase::Open {
                self.alert(machine, news.has_lost);
            }
        } else {
            let news = self.board.update(machine.snd_una, ack);
            machine.measure(ack);
            machine.restart_timer();
            machine.control.on_dup_ack(machine.now(), ack);
            self.alert(machine, news.has_lost);
        }
        self.show(machine);
        self.send(machine);
    }

    fn on_timeout(&mut self, machine: &mut Machine) {
        if machine.snd_una == machine.snd_max {
            // Nothing is in flight: the timer ran on all the same.
            machine.control.set_cwnd(machine.rules.initial_window);
        } else {
            machine.count_timeout();
            self.phase = Phase::Loss;
            self.board.lose_all(machine.snd_una, machine.snd_nxt);
            machine.rtt.back_off();
        }
        machine.restart_timer();
        machine.cancel_timing();
        self.allowed = 0;
        self.show(machine);
        self.send(machine);
    }

    fn on_supply(&mut self, machine: &mut Machine) {
        self.send(machine);
    }

    fn is_repairing(&self) -> bool {
        self.phase == Phase::Repair
    }

    fn shown_cwnd(&self, machine: &Machine) -> f64 {
        self.shown.unwrap_or_else(|| machine.control.cwnd())
    }
}

/// Segments that the end of a repair may add to what is in flight (`tcp_max_burst`).
const MAX_BURST: SegNo = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::transport::{CongestionKind, TcpConfig};

    fn machine(congestion: CongestionKind, ssthresh: u32) -> Machine {
        let config = TcpConfig { initial_ssthresh: Some(ssthresh), ..TcpConfig::ns2_linux() };
        Machine::new(&config, congestion, 1000, 64, 0.0)
    }

    #[test]
    fn a_window_that_has_come_down_to_ssthresh_is_kept_at_the_end() {
        // `tcp_fastretrans_alert` of tcp-linux.cc; nothing is in flight.
        for (cwnd, left) in [(7.0, 3.0), (8.0, 8.0), (9.0, 9.0)] {
            let mut machine = machine(CongestionKind::LinuxReno, 8);
            machine.control.set_cwnd(cwnd);
            machine.recover = machine.acked();
            let mut linux = Linux { phase: Phase::Repair, ..Linux::default() };
            linux.alert(&mut machine, false);
            assert_eq!((machine.control.cwnd().to_bits(), linux.phase), (f64::to_bits(left), Phase::Open), "{cwnd}");
        }
    }

    #[test]
    fn the_window_is_shown_unless_more_is_allowed() {
        for (allowed, shown) in [(4, 5.5), (5, 5.5), (6, 6.0)] {
            let mut machine = machine(CongestionKind::Reno, 8);
            machine.control.set_cwnd(5.5);
            let mut linux = Linux { allowed, ..Linux::default() };
            linux.show(&machine);
            assert_eq!(linux.shown_cwnd(&machine).to_bits(), f64::to_bits(shown), "{allowed} allowed");
        }
    }

    #[test]
    fn a_repair_lasts_until_all_that_was_sent_before_has_arrived() {
        let mut machine = machine(CongestionKind::LinuxReno, 20);
        let mut linux = Linux::default();
        machine.control.set_cwnd(10.0);
        machine.supply(None);
        linux.on_supply(&mut machine);
        for (cumulative, block, is_repairing) in [(0, None, false), (0, Some((2, 5)), false), (0, Some((2, 6)), true)] {
            let mut ack = Ack::plain(cumulative, Time::ZERO);
            (ack.blocks[0], ack.block_count) = (block.unwrap_or_default(), u8::from(block.is_some()));
            linux.on_ack(&mut machine, &ack);
            assert_eq!(linux.is_repairing(), is_repairing, "after {block:?}");
        }
        let all = Ack::plain(machine.recover, Time::ZERO);
        linux.on_ack(&mut machine, &all);
        assert!(!linux.is_repairing());
        linux.on_timeout(&mut machine);
        assert!(linux.phase == Phase::Loss && !linux.is_repairing(), "no acknowledgment told of this loss");
    }
}

//! What a loss does, found by duplicate acknowledgments or by the timer.

use super::super::congestion::{CongestionControl, Loss, LossSignal};
use super::Tcb;

impl Tcb {
    /// Whether duplicate acknowledgments may be believed: they come after the last episode of loss (RFC 6582 section
    /// 3.2, step 2). ns-2 also believes those of the opening segment.
    pub fn can_enter_recovery(&self) -> bool {
        self.acked() > self.recover || (!self.rules.is_rfc && self.acked() == 0)
    }

    /// A loss was found by duplicate acknowledgments: marks the episode, cuts the window, restarts the timer.
    pub fn enter_recovery(&mut self) {
        if let Some(pacer) = &mut self.pacer {
            pacer.on_fast_retransmit(self.now, self.control.pace_interval());
        }
        self.note_fast_retransmit();
        let loss = self.loss(LossSignal::DupAcks);
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
    pub fn loss(&self, sign: LossSignal) -> Loss {
        let is_repeated = match sign {
            LossSignal::Timeout => self.timed_out == Some(self.snd_una),
            LossSignal::DupAcks => self.log.sendings(self.snd_una).times > 1,
        };
        let limited = if sign == LossSignal::DupAcks { self.limited } else { 0 };
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
        let loss = self.loss(LossSignal::Timeout);
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
}

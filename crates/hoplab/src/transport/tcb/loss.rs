//! Effects of a loss, detected by duplicate acknowledgments or by the timer (RFC 5681 section 3, RFC 6298 section 5).

use super::{Marks, Tcb};
use crate::kernel::Span;
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::event::{Loss, LossSignal};

impl Tcb {
    /// Whether duplicate acknowledgments may start recovery: something beyond the last loss event is acknowledged (RFC 6582
    /// section 3.2, step 2). In ns-2 those of the SYN count as well.
    pub fn can_enter_recovery(&self) -> bool {
        self.acked() > self.recover || (self.rules.recovery.counts_syn_dup_acks && self.acked() == 0)
    }

    /// Enters recovery from a loss detected by duplicate acknowledgments: cuts the window and restarts the timer.
    pub fn enter_recovery(&mut self) {
        let interval = self.pace_interval();
        if let Some(pacer) = &mut self.pacer {
            pacer.on_fast_retransmit(self.now, interval);
        }
        self.count_fast_retransmit();
        let loss = self.loss(LossSignal::DupAcks);
        let before = self.control.cwnd();
        // A mark has cut the window in which the loss is (RFC 3168 section 6.1.2).
        if self.snd_una > self.marks.reduced_to {
            self.control.on_loss(&loss);
        }
        self.counts.unreduced_fast_retransmits += u64::from(self.control.cwnd() >= before);
        self.restart_timer();
        self.cancel_timed();
    }

    /// Cuts the window for the echo of a mark as for a loss, once per window of data and not in the window that a loss has cut (RFC
    /// 3168 section 6.1.2). Returns whether it did.
    pub fn reduce_for_mark(&mut self) -> bool {
        // The acknowledgment of the last segment before CWR still has the echo.
        if self.in_flight() == 0 || self.snd_una <= self.marks.reduced_to.max(self.recover) {
            return false;
        }
        self.marks = Marks { reduced_to: self.snd_max - 1, owes_cwr: true };
        let loss = self.loss(LossSignal::DupAcks);
        self.control.on_loss(&loss);
        true
    }

    /// Records a loss event detected by duplicate acknowledgments.
    pub fn count_fast_retransmit(&mut self) {
        self.recover = self.snd_max - 1;
        self.marks.owes_cwr = true;
        self.counts.fast_retransmits += 1;
    }

    /// The loss that would be reported now.
    pub fn loss(&self, signal: LossSignal) -> Loss {
        let is_timeout = signal == LossSignal::Timeout;
        let is_retransmission = if is_timeout {
            self.timer.expired_for == Some(self.snd_una)
        } else {
            self.log.history(self.snd_una).times > 1
        };
        let limited = if is_timeout { 0 } else { self.limited };
        Loss {
            now: self.now,
            signal,
            window: self.control.cwnd().min(f64::from(self.rules.window)),
            // Of the segments of limited transmit some may still wait in the pacer.
            flight_size: self.in_flight().saturating_sub(limited),
            is_retransmission,
            is_syn: is_timeout && self.snd_una == 0,
        }
    }

    /// The retransmission timer expired: cuts the window, backs off, and goes back to the lowest unacknowledged
    /// segment. `dup_acks` is left to recovery.
    pub fn time_out(&mut self) {
        if let Some(pacer) = &mut self.pacer {
            pacer.on_timeout();
        }
        if self.snd_una == self.snd_max {
            // Nothing is in flight, but ns-2's timer continues, and restarts the window when it expires.
            self.recover = self.snd_max - 1;
            self.control.set_cwnd(1.0);
            self.go_back();
        } else {
            self.count_timeout();
            if !self.needs.constant_rto {
                self.rtt.back_off();
            }
            self.go_back();
        }
    }

    /// The retransmission timer of a sender that retransmits single segments expired: records the timeout and restarts the timer.
    /// Returns whether a segment is outstanding, of which the caller retransmits the lowest that is missing.
    pub fn time_out_in_place(&mut self) -> bool {
        if self.in_flight() == 0 {
            if self.rules.is_pulled {
                self.stop_timer();
            } else {
                self.time_out();
                self.fill_window();
            }
            return false;
        }
        self.count_timeout();
        if self.rules.backs_off {
            self.rtt.back_off();
        }
        self.restart_timer();
        self.cancel_timed();
        true
    }

    /// Records a timeout and reports it to the congestion control.
    pub fn count_timeout(&mut self) {
        let loss = self.loss(LossSignal::Timeout);
        if loss.is_syn {
            self.rtt.on_syn_lost();
        }
        self.recover = self.snd_max - 1;
        self.marks.owes_cwr = true;
        self.counts.timeouts += 1;
        self.control.on_loss(&loss);
        self.timer.expired_for = Some(self.snd_una);
    }

    /// Everything from the lowest unacknowledged segment on is retransmitted, unless acknowledged by then.
    pub fn go_back(&mut self) {
        self.restart_timer();
        self.snd_nxt = self.snd_una;
        self.limited = 0;
        self.cancel_timed();
    }

    /// Time between two segments, if they are paced.
    pub(super) fn pace_interval(&mut self) -> Span {
        self.control.cross_layer().map_or(Span::ZERO, |cross_layer| cross_layer.pace_interval())
    }
}

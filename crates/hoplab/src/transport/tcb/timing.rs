//! Operations on the retransmission timer and on the timed segment (RFC 6298 section 5; ns-2.35 `newtimer`).

use super::Tcb;
use crate::kernel::Time;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::control::CongestionControl;

impl Tcb {
    /// Restarts the timer for one timeout, unless all data is acknowledged.
    pub fn restart_timer(&mut self) {
        self.timer.deadline = (!self.is_done()).then(|| self.now + self.rtt.rto());
    }

    /// Lets the timer expire at `at`.
    pub fn set_timer(&mut self, at: Time) {
        self.timer.deadline = Some(at);
    }

    /// Stops the timer.
    pub fn stop_timer(&mut self) {
        self.timer.deadline = None;
    }

    /// Restarts the timer as an acknowledgment of new data does.
    ///
    /// ns-2 restarts it even if nothing is left in flight: its test reads the next segment to send. This timer
    /// restarts Vegas from a window of zero. RFC 6298 section 5.2 stops it, unless nothing could be sent then.
    pub(super) fn restart_timer_after_ack(&mut self) {
        // Segments that the pacer discarded still need a timer.
        let is_idle = self.in_flight() == 0 && self.snd_nxt == self.snd_una;
        if self.rules.timer.stops_when_idle && is_idle && self.control.cwnd() >= 1.0 {
            self.stop_timer();
        } else {
            self.restart_timer();
        }
    }

    /// Returns the timed segment if `ack` acknowledges it, and clears it.
    pub fn take_timed(&mut self, ack: &Ack) -> Option<(SegNo, Time)> {
        self.timer.timed.take_if(|(seq, _)| ack.cumulative >= *seq)
    }

    /// Times no segment that is in flight: it may be retransmitted (Karn 1987).
    pub fn cancel_timed(&mut self) {
        self.timer.timed = None;
    }

    /// Samples the round-trip time from an acknowledgment. By the RFCs every sample ends the backoff (RFC 6298 section
    /// 5), in ns-2 an acknowledgment of the timed segment does.
    pub fn sample_rtt(&mut self, ack: &Ack) {
        let timed = self.take_timed(ack);
        let sample = if self.rules.timestamps { Some(ack.echo) } else { timed.map(|(_, sent_at)| sent_at) };
        if timed.is_some() || (self.rules.timer.any_sample_ends_backoff && sample.is_some()) {
            self.rtt.end_back_off();
        }
        if let Some(sent_at) = sample {
            self.rtt.on_sample(self.now.since(sent_at), sent_at);
        }
    }

    /// Samples the round-trip time from a partial acknowledgment. In ns-2 such an acknowledgment of the timed segment
    /// ends the backoff without being a sample.
    pub fn sample_rtt_in_recovery(&mut self, ack: &Ack) {
        if self.rules.recovery.samples_partial_acks {
            self.sample_rtt(ack);
        } else if self.take_timed(ack).is_some() {
            self.rtt.end_back_off();
        }
    }

    /// Samples the round-trip time if the timed segment is among `first..last`, which were acknowledged one by one.
    pub fn sample_rtt_of(&mut self, first: SegNo, last: SegNo, ack: &Ack) {
        if let Some((_, sent_at)) = self.timer.timed.take_if(|(seq, _)| (first..last).contains(seq)) {
            self.rtt.end_back_off();
            let sent_at = if self.rules.timestamps { ack.echo } else { sent_at };
            self.rtt.on_sample(self.now.since(sent_at), sent_at);
        }
    }
}

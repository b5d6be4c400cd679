//! Output: segments in order as windows allow, paced segments, and retransmissions (ns-2.35 `output`, `send_much`).

use super::{ENDLESS, Tcb};
use crate::kernel::Time;
use crate::packet::explicit::Feedback;
use crate::packet::{SegNo, Segment};
use crate::transport::congestion::control::CongestionControl;
use crate::transport::congestion::cross_layer::Sending;

impl Tcb {
    /// Sends segments in order as long as fewer than `window` are unacknowledged, at most `burst` of them.
    pub fn fill(&mut self, window: SegNo, burst: Option<u32>) {
        let mut left = burst.unwrap_or(u32::MAX);
        let window = window.min(self.limit());
        while self.snd_nxt < self.snd_una + window && self.snd_nxt < self.supply.end && left > 0 {
            self.send(self.snd_nxt);
            self.snd_nxt += 1;
            left -= 1;
        }
    }

    /// Sends what the congestion window and rwnd allow.
    pub fn fill_window(&mut self) {
        self.fill(self.window(0), None);
    }

    /// Sends one more segment in order, if there is one and rwnd allows. Returns whether it did.
    pub fn send_next(&mut self) -> bool {
        let may = self.has_next();
        if may {
            self.send(self.snd_nxt);
            self.snd_nxt += 1;
        }
        may
    }

    /// Counts if a pulled sender has as much outstanding as allowed.
    pub fn note_limit(&mut self) {
        let is_reached = self.rules.is_pulled && self.in_flight() >= self.rules.window;
        self.counts.limits_reached += u64::from(is_reached);
    }

    /// Sends one more segment in order, if there is one, whatever rwnd allows. Returns whether it did.
    pub fn send_new(&mut self) -> bool {
        let may = self.snd_nxt < self.supply.end;
        if may {
            self.transmit(self.snd_nxt);
            self.snd_nxt += 1;
        }
        may
    }

    /// Whether there is a segment to send in order that rwnd allows.
    pub fn has_next(&self) -> bool {
        self.snd_nxt < self.snd_una + self.limit() && self.snd_nxt < self.supply.end
    }

    /// Segments that may be outstanding: rwnd, or the SYN alone until it is acknowledged where data waits for that. A SYN
    /// that carries data establishes nothing.
    fn limit(&self) -> SegNo {
        let waits = self.rules.connection.waits_for_syn_ack && self.snd_una == 0 && !self.needs.syn_carries_data;
        if waits { 1 } else { SegNo::from(self.rules.window) }
    }

    /// A duplicate acknowledgment short of the threshold releases one new segment (RFC 3042).
    pub fn limited_transmit(&mut self) {
        let room = self.acked() as f64 + self.control.cwnd() + f64::from(self.dup_acks);
        if self.rules.limited_transmit && self.snd_nxt as f64 <= room {
            self.limited_transmit_one();
        }
    }

    /// Sends one more segment in order that is not part of the flight size of a loss.
    pub fn limited_transmit_one(&mut self) {
        self.limited += u32::from(self.send_next());
    }

    /// Whether segments are paced: then `snd_nxt` includes those that wait or were discarded.
    pub fn is_paced(&self) -> bool {
        self.pacer.is_some()
    }

    /// Departure of the next paced segment, if one may be waiting.
    #[inline]
    pub fn pace_deadline(&self) -> Option<Time> {
        self.pacer.as_ref().and_then(|pacer| pacer.deadline())
    }

    /// Sends the paced segment that is due.
    pub fn pace(&mut self) {
        let interval = self.pace_interval();
        let is_done = self.is_done();
        let Some(pacer) = &mut self.pacer else { return };
        match pacer.tick(self.now, interval) {
            // Acknowledged meanwhile, after recovery: nothing to send, and the tick is used up.
            Some(seq) if seq < self.snd_una => {}
            Some(seq) => self.transmit(seq),
            None if is_done => pacer.stop(),
            None => {}
        }
    }

    /// Sends `seq` at its departure: now, unless segments are paced.
    pub fn send(&mut self, seq: SegNo) {
        if self.pacer.is_some() {
            let interval = self.pace_interval();
            if let Some(pacer) = &mut self.pacer
                && !pacer.hand_over(self.now, seq, interval)
            {
                // A stopped clock sends nothing: the retransmission timer must run.
                if self.timer.deadline.is_none() && pacer.deadline().is_none() {
                    self.restart_timer();
                }
                return;
            }
        }
        self.transmit(seq);
    }

    /// Sends `seq` now, wherever it is in the sequence; `snd_nxt` is unchanged.
    pub fn transmit(&mut self, seq: SegNo) {
        if seq >= self.supply.end {
            return;
        }
        let is_new = seq >= self.snd_max;
        let was_idle = self.in_flight() == 0;
        let payload = if seq > 0 || self.needs.syn_carries_data { self.rules.segment } else { 0 };
        let feedback = self.stamp(seq, payload, !is_new);
        let first_sent = self.log.on_send(self.now, seq);
        if is_new {
            self.snd_max = seq + 1;
            if self.timer.timed.is_none() {
                self.timer.timed = Some((seq, self.now));
            }
        } else if self.rules.timer.retransmission_cancels_sample {
            self.timer.timed.take_if(|(timed, _)| *timed == seq);
        }
        // Neither retransmissions nor the SYN (RFC 3168 section 6.1).
        let is_ect = self.rules.ecn && is_new && payload > 0;
        let has_cwr = is_ect && std::mem::take(&mut self.marks.owes_cwr);
        let is_retransmission = !is_new;
        self.out.push(Segment {
            seq,
            payload,
            sent_at: self.now,
            first_sent,
            is_retransmission,
            is_ect,
            has_cwr,
            feedback,
        });
        self.last_sent = self.now;
        if self.timer.deadline.is_none() || (was_idle && self.rules.restarts_when_idle) {
            self.restart_timer();
        }
    }

    /// The request of a segment to the routers on its path.
    fn stamp(&mut self, seq: SegNo, payload: u32, is_retransmission: bool) -> Feedback {
        if self.needs.feedback.is_none() {
            return Feedback::None;
        }
        let (now, window, in_flight) = (self.now, self.rules.window, self.in_flight());
        let sending = Sending { now, seq, payload, is_retransmission, window, in_flight };
        self.control.cross_layer().map_or(Feedback::None, |cross_layer| cross_layer.stamp(&sending))
    }

    /// Segments that may be unacknowledged, with `inflation` of them for duplicate acknowledgments.
    #[inline]
    pub fn window(&self, inflation: u32) -> SegNo {
        let limit = SegNo::from(self.rules.window);
        (self.whole_cwnd().min(limit) + SegNo::from(inflation)).min(limit)
    }

    /// Whole segments of the congestion window.
    #[inline]
    pub fn whole_cwnd(&self) -> SegNo {
        let cwnd = self.control.cwnd();
        // An unlimited window exceeds every sequence number.
        if cwnd < ENDLESS as f64 { cwnd as SegNo } else { ENDLESS }
    }
}

//! What goes out: in order as windows allow, at its turn where segments are spaced out, or again.

use super::super::congestion::{CongestionControl, Sending};
use super::{ENDLESS, Tcb};
use crate::kernel::Time;
use crate::packet::{SegNo, Segment};

impl Tcb {
    /// Sends segments in order as long as fewer than `window` are unacknowledged, at most `burst` of them.
    pub fn fill(&mut self, window: SegNo, burst: Option<u32>) {
        let mut left = burst.unwrap_or(u32::MAX);
        let window = window.min(self.limit());
        while self.snd_nxt < self.snd_una + window && self.snd_nxt < self.supply && left > 0 {
            self.send(self.snd_nxt);
            self.snd_nxt += 1;
            left -= 1;
        }
    }

    /// Sends what the congestion window and the receiver allow.
    pub fn fill_window(&mut self) {
        self.fill(self.window(0), None);
    }

    /// Sends one more segment in order, if there is one and the receiver allows. Whether it did.
    pub fn send_next(&mut self) -> bool {
        let may = self.has_next();
        if may {
            self.send(self.snd_nxt);
            self.snd_nxt += 1;
        }
        may
    }

    /// Counts if as much is outstanding now as may be, of a sender that is pulled.
    pub fn note_limit(&mut self) {
        let is_reached = self.rules.is_pulled && self.in_flight() >= self.rules.window;
        self.counts.limits_reached += u64::from(is_reached);
    }

    /// Sends one more segment in order, if there is one, whatever the receiver allows. Whether it did.
    pub fn send_new(&mut self) -> bool {
        let may = self.snd_nxt < self.supply;
        if may {
            self.transmit(self.snd_nxt);
            self.snd_nxt += 1;
        }
        may
    }

    /// Whether there is a segment to send in order that the receiver allows.
    pub fn has_next(&self) -> bool {
        self.snd_nxt < self.snd_una + self.limit() && self.snd_nxt < self.supply
    }

    /// Segments that the receiver allows. By the RFCs that is the opening one until it is acknowledged; an agent of
    /// ns-2 with a window of two sends data after it. Where the first segment carries data, nothing opens.
    fn limit(&self) -> SegNo {
        let is_opening = self.rules.is_rfc && self.snd_una == 0 && !self.control.syn_carries_data();
        if is_opening { 1 } else { SegNo::from(self.rules.window) }
    }

    /// A duplicate acknowledgment short of the threshold lets one new segment out (RFC 3042).
    pub fn limited_transmit(&mut self) {
        let room = self.acked() as f64 + self.control.cwnd() + f64::from(self.dup_acks);
        if self.rules.limited_transmit && self.snd_nxt as f64 <= room {
            self.limited_transmit_one();
        }
    }

    /// Sends one more segment in order that a cut of the window is not to count.
    pub fn limited_transmit_one(&mut self) {
        self.limited += u32::from(self.send_next());
    }

    /// Whether segments are spaced out: then `snd_nxt` counts those that wait or were forgotten too.
    pub fn is_paced(&self) -> bool {
        self.pacer.is_some()
    }

    /// When the next segment's turn comes, if one may be waiting for it.
    #[inline]
    pub fn pace_deadline(&self) -> Option<Time> {
        self.pacer.as_ref().and_then(|pacer| pacer.deadline())
    }

    /// Sends the segment whose turn it is.
    pub fn pace(&mut self) {
        let interval = self.control.pace_interval();
        if let Some(pacer) = &mut self.pacer {
            if let Some(seq) = pacer.tick(self.now, interval) {
                // Acknowledged meanwhile, after a repair: nothing to send, and the tick is spent.
                if seq >= self.snd_una {
                    self.transmit(seq);
                }
            } else if self.is_done()
                && let Some(pacer) = &mut self.pacer
            {
                pacer.stop();
            }
        }
    }

    /// Sends `seq` when its turn comes: at once, unless segments are spaced out.
    pub fn send(&mut self, seq: SegNo) {
        if let Some(pacer) = &mut self.pacer
            && !pacer.hand_over(self.now, seq, self.control.pace_interval())
        {
            // A stopped clock sends nothing: the retransmission timer has to.
            if self.deadline.is_none() && pacer.deadline().is_none() {
                self.restart_timer();
            }
            return;
        }
        self.transmit(seq);
    }

    /// Sends `seq` now, wherever it is in the sequence; `snd_nxt` stays.
    pub fn transmit(&mut self, seq: SegNo) {
        if seq >= self.supply {
            return;
        }
        let is_new = seq >= self.snd_max;
        let was_idle = self.in_flight() == 0;
        let payload = if seq > 0 || self.control.syn_carries_data() { self.rules.segment } else { 0 };
        let feedback = self.control.stamp(&Sending {
            now: self.now,
            seq,
            payload,
            is_retransmission: !is_new,
            window: self.rules.window,
            in_flight: self.in_flight(),
        });
        let first_sent = self.log.on_send(self.now, seq);
        if is_new {
            self.snd_max = seq + 1;
            if self.timed.is_none() {
                self.timed = Some((seq, self.now));
            }
        } else if self.rules.is_rfc {
            self.timed.take_if(|(timed, _)| *timed == seq);
        }
        self.out.push(Segment { seq, payload, sent_at: self.now, first_sent, is_retransmission: !is_new, feedback });
        self.last_sent = self.now;
        if self.deadline.is_none() || (was_idle && self.rules.restarts_when_idle) {
            self.restart_timer();
        }
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
        // A window without limit is as good as more than is ever sent.
        if cwnd < ENDLESS as f64 { cwnd as SegNo } else { ENDLESS }
    }
}

//! What an acknowledgment does to sequence, timer and round-trip time.

use super::super::congestion::NewAck;
use super::Tcb;
use crate::kernel::Time;
use crate::packet::{Ack, SegNo};

impl Tcb {
    /// Takes an acknowledgment of new data in: sequence, timer, round-trip time. What is left to do is the window.
    pub fn acknowledge<'a>(&mut self, ack: &'a Ack) -> NewAck<'a> {
        let mut acked = self.advance(ack);
        self.dup_acks = 0;
        self.limited = 0;
        self.measure(ack);
        acked.srtt = self.rtt.srtt();
        self.restart_timer_after_ack();
        acked
    }

    /// Moves the sequence only, as ns-2 does for acknowledgments during a repair.
    pub fn advance<'a>(&mut self, ack: &'a Ack) -> NewAck<'a> {
        // An acknowledgment of what was never sent would be a bug of the receiver.
        debug_assert!(ack.cumulative < self.snd_max, "acknowledged {} of {}", ack.cumulative, self.snd_max);
        let newly_acked = (ack.cumulative + 1 - self.snd_una) as u32;
        let was_full = SegNo::from(self.in_flight()) >= self.whole_cwnd();
        self.snd_una = ack.cumulative + 1;
        let highest = self.log.acknowledge(self.snd_una);
        let rtt = highest.last.filter(|_| highest.times == 1).map(|at| self.now.since(at));
        self.snd_nxt = self.snd_nxt.max(self.snd_una);
        NewAck {
            now: self.now,
            acked: ack.cumulative,
            newly_acked,
            snd_nxt: self.snd_nxt,
            in_flight: self.in_flight(),
            rtt,
            srtt: self.rtt.srtt(),
            was_full,
            has_news: false,
            packet: ack,
        }
    }

    /// Whether `ack` acknowledges the segment that is being timed; if so, nothing is timed any longer.
    pub fn ends_timing(&mut self, ack: &Ack) -> Option<(SegNo, Time)> {
        self.timed.take_if(|(seq, _)| ack.cumulative >= *seq)
    }

    /// Takes the round-trip time that an acknowledgment tells of. By the RFCs every sample ends the back-off (RFC 6298
    /// section 5), in ns-2 an acknowledgment of the timed segment does.
    pub fn measure(&mut self, ack: &Ack) {
        let timed = self.ends_timing(ack);
        let sample = if self.rules.timestamps { Some(ack.echo) } else { timed.map(|(_, sent_at)| sent_at) };
        if timed.is_some() || (self.rules.is_rfc && sample.is_some()) {
            self.rtt.end_back_off();
        }
        if let Some(sent_at) = sample {
            self.rtt.on_sample(self.now.since(sent_at), sent_at);
        }
    }

    /// Segments `first` to `last` (exclusive) were acknowledged alone: if the timed one is among them, it is measured.
    pub fn measure_alone(&mut self, first: SegNo, last: SegNo, ack: &Ack) {
        if let Some((_, sent_at)) = self.timed.take_if(|(seq, _)| (first..last).contains(seq)) {
            self.rtt.end_back_off();
            let sent_at = if self.rules.timestamps { ack.echo } else { sent_at };
            self.rtt.on_sample(self.now.since(sent_at), sent_at);
        }
    }

    /// Nothing that is in flight is timed: a segment may be sent again (Karn 1987).
    pub fn cancel_timing(&mut self) {
        self.timed = None;
    }
}

//! Effects of an acknowledgment of new data on sequence, timer and round-trip time (RFC 9293 section 3.10.7, RFC 6298).

use super::Tcb;
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::event::NewAck;

impl Tcb {
    /// Applies an acknowledgment of new data to sequence, timer and round-trip time. The window is left to the caller.
    pub fn acknowledge<'a>(&mut self, ack: &'a Ack) -> NewAck<'a> {
        let is_syn_acked = self.snd_una == 0;
        let mut acked = self.advance(ack);
        self.dup_acks = 0;
        self.limited = 0;
        self.sample_rtt(ack);
        if is_syn_acked {
            self.rtt.on_established();
        }
        acked.srtt = self.rtt.srtt();
        self.restart_timer_after_ack();
        acked
    }

    /// Advances the sequence only, as ns-2 does for acknowledgments during recovery.
    pub fn advance<'a>(&mut self, ack: &'a Ack) -> NewAck<'a> {
        // An acknowledgment of data that was never sent would be a bug of the receiver.
        debug_assert!(ack.cumulative < self.snd_max, "acknowledged {} of {}", ack.cumulative, self.snd_max);
        let newly_acked = (ack.cumulative + 1 - self.snd_una) as u32;
        let is_cwnd_limited = SegNo::from(self.in_flight()) >= self.whole_cwnd();
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
            is_cwnd_limited,
            has_new_sacks: false,
            packet: ack,
        }
    }
}

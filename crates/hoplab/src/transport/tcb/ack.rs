//! Effects of an acknowledgment of new data on sequence, timer and round-trip time (RFC 9293 section 3.10.7, RFC 6298).

use super::{AckKind, Tcb};
use crate::packet::{Ack, SegNo};
use crate::transport::congestion::control::CongestionControl;
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

    /// Applies an acknowledgment to a sender that retransmits single segments: new data as [`Tcb::acknowledge`], and the congestion
    /// control. The timer of a pulled sender stops when nothing is outstanding.
    pub fn take_ack(&mut self, ack: &Ack) {
        match self.kind_of(ack) {
            AckKind::New => {
                let new = self.acknowledge(ack);
                self.control.on_ack(&new);
                if self.rules.is_pulled && self.in_flight() == 0 {
                    self.stop_timer();
                }
            }
            AckKind::Duplicate => self.control.on_dup_ack(self.now(), ack),
            AckKind::Old => {}
        }
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

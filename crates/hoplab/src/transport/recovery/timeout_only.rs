//! Recovery by timeouts alone: each retransmits the lowest missing segment and no other.
//!
//! # Model
//! A timeout puts the lowest unacknowledged segment on a list, unless it is there already. A pulled sender uses its slots
//! for the list first, then for new data; a sender with a window sends at once. Duplicate acknowledgments are ignored. The
//! timer starts with a segment if it does not run, restarts with each acknowledgment of new data, and stops when nothing is
//! outstanding.
//!
//! # Source
//! Cai 2013, section 3.1, and its published program. It neither backs off nor goes back.
//!
//! # Deviations
//! An acknowledgment of a single segment also samples the round-trip time if that segment is timed. The program retransmits
//! the next new segment when its timer expires with nothing outstanding; here the timer has stopped by then. With a window
//! instead of slots, a timeout doubles the next (RFC 6298 section 5.5).
//!
//! # Parameters
//! `semi_tcp.rto_backoff`, `semi_tcp.max_outstanding`.

use super::method::Recovery;
use crate::packet::{Ack, SegNo};
use crate::transport::config::TcpConfig;
use crate::transport::ranges::Ranges;
use crate::transport::tcb::Tcb;

/// A timeout retransmits one segment.
#[derive(Clone, Debug, Default)]
pub struct TimeoutOnly {
    /// Segments to be retransmitted, in order.
    pending: Vec<SegNo>,
    /// Segments acknowledged one by one beyond `snd_una`.
    acked_alone: Ranges,
}

impl TimeoutOnly {
    /// Before the connection is established.
    pub fn new(_config: &TcpConfig) -> TimeoutOnly {
        TimeoutOnly::default()
    }

    /// Sends the next segment, from the list or new. Returns whether there was one.
    fn send_one(&mut self, tcb: &mut Tcb) -> bool {
        self.drop_below(tcb.snd_una);
        if self.pending.is_empty() {
            let has_sent = tcb.send_next();
            if has_sent {
                tcb.note_limit();
            }
            return has_sent;
        }
        let seq = self.pending.remove(0);
        tcb.transmit(seq);
        // The timed segment may be this one, or wait behind it (Karn 1987).
        tcb.cancel_timed();
        true
    }

    fn drop_below(&mut self, una: SegNo) {
        self.pending.retain(|&seq| seq >= una);
        self.acked_alone.remove_below(una);
    }

    fn add_missing(&mut self, tcb: &Tcb) {
        let missing = self.acked_alone.first_gap(tcb.snd_una);
        if let Err(index) = self.pending.binary_search(&missing)
            && missing < tcb.snd_max
        {
            self.pending.insert(index, missing);
        }
    }

    fn take_single(&mut self, tcb: &mut Tcb, ack: &Ack) {
        for &(first, last) in ack.blocks() {
            let first = first.max(tcb.snd_una);
            if first < last && last <= tcb.snd_max {
                self.acked_alone.insert(first, last);
                self.pending.retain(|seq| !(first..last).contains(seq));
                tcb.sample_rtt_of(first, last, ack);
            }
        }
    }
}

impl Recovery for TimeoutOnly {
    fn on_ack(&mut self, tcb: &mut Tcb, ack: &Ack) {
        self.take_single(tcb, ack);
        tcb.take_ack(ack);
        self.drop_below(tcb.snd_una);
        if !tcb.rules.is_pulled {
            tcb.fill_window();
        }
    }

    fn on_timeout(&mut self, tcb: &mut Tcb) {
        if !tcb.time_out_in_place() {
            return;
        }
        self.add_missing(tcb);
        if !tcb.rules.is_pulled {
            self.send_one(tcb);
        }
    }

    fn on_supply(&mut self, tcb: &mut Tcb) {
        if !tcb.rules.is_pulled {
            tcb.fill_window();
        }
    }

    fn on_slot(&mut self, tcb: &mut Tcb) -> bool {
        self.send_one(tcb)
    }

    fn in_recovery(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::app::Supply;
    use crate::kernel::{Span, Time};
    use crate::packet::{Ack, SegNo};
    use crate::transport::congestion::CongestionKind;
    use crate::transport::{Parts, RecoveryKind, Sender, TcpConfig};

    fn pulled(backs_off: bool, limit: u32) -> Sender {
        let parts = Parts { congestion: CongestionKind::SemiTcp, recovery: RecoveryKind::TimeoutOnly };
        let mut sender = Sender::new(&TcpConfig::default(), parts, 512, limit, 0.0);
        sender.set_pulled(backs_off);
        sender.on_supply(Time::ZERO, Supply::Endless);
        sender
    }

    fn slots(sender: &mut Sender, now: Time, count: u32) -> Vec<SegNo> {
        (0..count).for_each(|_| {
            sender.on_slot(now);
        });
        sent(sender)
    }

    fn sent(sender: &mut Sender) -> Vec<SegNo> {
        sender.take_sent(40).map(|(segment, _)| segment.seq).collect()
    }

    fn at(millis: u64) -> Time {
        Time(millis * 1_000_000)
    }

    fn single(seq: SegNo) -> Ack {
        let mut ack = Ack::plain(-1, Time::ZERO);
        (ack.blocks[0], ack.block_count) = ((seq, seq + 1), 1);
        ack
    }

    #[test]
    fn pulled_sender_sends_in_slots_only() {
        let mut sender = pulled(false, 1024);
        assert_eq!(sent(&mut sender), [] as [SegNo; 0]);
        assert_eq!(slots(&mut sender, at(0), 3), [0, 1, 2]);
        sender.on_ack(at(100), &Ack::plain(0, Time::ZERO));
        (0..5).for_each(|_| sender.on_ack(at(110), &Ack::plain(0, Time::ZERO)));
        assert_eq!(sent(&mut sender), [] as [SegNo; 0]);
        assert_eq!(slots(&mut sender, at(120), 2), [3, 4]);
    }

    #[test]
    fn first_segment_with_data_does_not_hold_back_others() {
        let parts = Parts { congestion: CongestionKind::SemiTcp, recovery: RecoveryKind::TimeoutOnly };
        let mut sender = Sender::new(&TcpConfig::rfc(), parts, 512, 4, 0.0);
        sender.set_pulled(false);
        sender.on_supply(Time::ZERO, Supply::Endless);
        assert_eq!(slots(&mut sender, at(0), 6), [0, 1, 2, 3]);
    }

    #[test]
    fn timeout_retransmits_the_first_hole_alone() {
        for (backs_off, second) in [(false, 6_000), (true, 9_000)] {
            let mut sender = pulled(backs_off, 1024);
            slots(&mut sender, at(0), 4);
            assert_eq!(sender.deadline(), Some(at(3_000)));
            sender.on_timeout(at(3_000));
            assert_eq!(sent(&mut sender), [] as [SegNo; 0], "it waits for a slot");
            assert_eq!(sender.deadline(), Some(at(second)));
            // Not yet sent, it is not listed twice.
            sender.on_timeout(at(second));
            assert_eq!(slots(&mut sender, at(second), 3), [0, 4, 5]);
            assert_eq!((sender.counts().timeouts, sender.tcb().snd_una), (2, 0));
        }
    }

    #[test]
    fn timeout_retransmits_no_segment_acked_alone() {
        let mut sender = pulled(false, 1024);
        slots(&mut sender, at(0), 4);
        (0..4).for_each(|seq| sender.on_ack(at(100), &single(seq)));
        sender.on_timeout(at(3_000));
        assert_eq!(slots(&mut sender, at(3_000), 2), [4, 5]);
    }

    #[test]
    fn segment_acked_before_its_slot_is_not_retransmitted() {
        let mut sender = pulled(false, 1024);
        slots(&mut sender, at(0), 4);
        sender.on_timeout(at(3_000));
        sender.on_ack(at(3_100), &Ack::plain(3, Time::ZERO));
        assert_eq!(sender.deadline(), None, "nothing is outstanding");
        assert_eq!(slots(&mut sender, at(3_200), 1), [4]);
        assert!(sender.deadline().is_some());
    }

    #[test]
    fn ack_of_a_single_segment_keeps_snd_una() {
        let mut sender = pulled(false, 1024);
        slots(&mut sender, at(0), 5);
        sender.on_ack(at(50), &single(2));
        assert_eq!((sender.tcb().snd_una, sender.deadline()), (0, Some(at(3_000))));
        sender.on_timeout(at(3_000));
        assert_eq!(slots(&mut sender, at(3_000), 2), [0, 5]);
        sender.on_ack(at(3_100), &Ack::plain(2, Time::ZERO));
        assert_eq!(sender.tcb().snd_una, 3);
        // One that is acknowledged alone while it waits is not retransmitted.
        let again = sender.deadline().expect("a timer");
        sender.on_timeout(again);
        sender.on_ack(again, &single(3));
        assert_eq!(slots(&mut sender, again, 1), [6]);
    }

    #[test]
    fn limit_of_memory_allows_retransmissions_only() {
        let mut sender = pulled(false, 3);
        assert_eq!(slots(&mut sender, at(0), 5), [0, 1, 2]);
        sender.on_timeout(at(3_000));
        assert_eq!(slots(&mut sender, at(3_000), 2), [0]);
        sender.on_ack(at(3_100), &Ack::plain(0, Time::ZERO));
        assert_eq!(slots(&mut sender, at(3_100), 2), [3]);
        assert_eq!(sender.counts().limits_reached, 2);
    }

    #[test]
    fn retransmitted_segment_is_not_timed() {
        let mut sender = pulled(false, 1024);
        slots(&mut sender, at(0), 2);
        sender.on_timeout(at(3_000));
        slots(&mut sender, at(3_000), 1);
        sender.on_ack(at(3_050), &Ack::plain(1, Time::ZERO));
        assert_eq!(sender.tcb().rtt.srtt(), None);
        slots(&mut sender, at(4_000), 1);
        sender.on_ack(at(4_100), &Ack::plain(2, Time::ZERO));
        assert_eq!(sender.tcb().rtt.srtt(), Some(Span::from_millis(100)));
    }

    #[test]
    fn block_beyond_snd_max_is_ignored() {
        let mut sender = pulled(false, 1024);
        slots(&mut sender, at(0), 4);
        let mut beyond = single(2);
        beyond.blocks[0] = (0, 5);
        sender.on_ack(at(50), &beyond);
        sender.on_timeout(at(3_000));
        assert_eq!(slots(&mut sender, at(3_000), 2), [0, 4]);
    }
}
